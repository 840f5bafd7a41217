#!/usr/bin/env python3
"""contact_models.py -- the same two scenes under every stepper that is built: the table and the figure of docs/contact_models.md.

usage: python3 tools/contact_models.py [--page docs/contact_models.md] [--figure docs/contact_models.svg] [--limit SECONDS]

Needs build/contact. Without --page the table is printed. Steppers are those of src/public/methods.h, so one that is added appears in the table.
Standard library only; the figure is an SVG file that this script writes itself.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile

import lists

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(ROOT, "build", "contact")
BEGIN, END = "<!-- made by tools/contact_models.py: begin -->", "<!-- end -->"
THICKNESS, SIDE, ANGLE = 2e-3, 0.2, 15.0
PAIRS = 3  # pairs of runs whose times are compared; seconds of a machine with other work on it say little
# name of the row, stepper, further keys of the scene
VARIANTS = {
    "barrier": [("barrier", {}), ("barrier, `static_hold`", {"barrier": {"static_hold": True}})],
    "penalty": [("penalty", {}), ("penalty, `explicit`", {"penalty": {"form": "explicit"}}), ("penalty, `inside`", {"penalty": {"depth": "inside"}})],
    # it has neither friction nor contacts of a body with itself: the box slides
    "explicit": [("explicit, no friction", {"friction": 0, "self_collision": False})],
}
COLORS = ("#1f5fa8", "#c8501e", "#2f8f4e", "#7a4fa0", "#a08a1c", "#444444", "#c2447c", "#1fa3a3", "#8a5a3c", "#7f7f7f")
DASHES = ("", "8 3", "8 3 2 3", "2 3", "8 2 2 2 2 2", "12 3", "4 2", "1 2", "6 6", "10 2 2 2")


def box(name, x, y, turn, young):
    return {"name": name, "type": "soft", "shape": {"box": {"size": [SIDE] * 3, "cells": [2, 2, 2]}},
            "material": {"young": young, "poisson": 0.3, "density": 1000, "damping": {"stiffness": 0.002}},
            "transform": [{"rotate": [0, turn, 0]}, {"translate": [x, y, 0]}]}


def slope():
    """a soft box on a slope of 15 degrees, friction 0.5, 4 s: it holds"""
    b = box("box", 0, SIDE / 2 + THICKNESS, 0, 5e5)
    b["transform"].append({"rotate": [0, 0, -ANGLE]})
    floor = {"name": "slope", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 4}},
             "transform": [{"rotate": [0, 0, -ANGLE]}]}
    return {"name": "slope", "dt": 0.01, "duration": 4, "thickness": THICKNESS, "friction": 0.5, "bodies": [b, floor]}


def stack():
    """three soft boxes fall on each other and a floor, each turned by 20 degrees against the one below, 3 s"""
    bodies = [box("box%d" % i, 0.01 * i, SIDE / 2 + 0.02 + (SIDE + 0.03) * i, 20 * i, 2e5) for i in range(3)]
    bodies.append({"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 4}}})
    return {"name": "stack", "dt": 0.01, "duration": 3, "thickness": THICKNESS, "friction": 0.5, "bodies": bodies}


class Run:
    """what a row of the table has; steps: one line of statistics for each"""
    def __init__(self, scene, limit):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.json")
            with open(path, "w") as f:
                json.dump(scene, f)
            done = subprocess.run([TOOL, "run", path, "--out", folder, "--frames", "none", "--quiet"], stdout=subprocess.DEVNULL, timeout=limit,
                                  stderr=subprocess.PIPE, text=True)
            self.said = done.stderr.strip() if done.returncode else ""
            with open(os.path.join(folder, "stats.jsonl")) as f:
                self.steps = [json.loads(line) for line in f]

    def columns(self):
        s, dt = self.steps, self.steps[0]["dt"]
        half = s[len(s) // 2:]
        moved = math.dist(half[0]["center_of_mass"], half[-1]["center_of_mass"]) / (dt * (len(half) - 1)) / SIDE
        deep = max(max(r["penetration"], THICKNESS - r["min_distance"], 0) for r in s) / THICKNESS
        bad = sum(r["status"] in ("budget", "not_converged") for r in s)
        return ("%.1e" % max(r["residual"] for r in s), "%.1e" % half[-1]["residual"], "%d" % bad, "%.2g" % deep,
                "%.1e" % max(r["energy_gained"] for r in s), "%.1e" % half[-1]["energy"]["kinetic"], "%.1e" % moved)

    def cpu(self):
        """CPU time of the steps [ms]"""
        return sum(r["cpu_ms"] for r in self.steps)


def share(scene, reference, first, limit):
    """CPU time of a scene over that of another: median of PAIRS pairs of runs, one after the other. first: a run of the scene"""
    found = []
    for i in range(PAIRS):
        run = first if i == 0 else Run(scene, limit)
        found.append(run.cpu() / Run(reference, limit).cpu())
    return sorted(found)[PAIRS // 2]


def rows():
    found = []
    for name in lists.STEPPERS:
        word = name.lower()
        found += [(label, word, more) for label, more in VARIANTS.get(word, [(word, {})])]
    return found


# ---- the figure ----

def panel(out, left, title, ylabel, series, tmax, floor):
    """lines over time, logarithmic: series [(label, number, [(t, y)])]"""
    x0, y0, width, height = left + 70, 40, 420, 300
    values = [max(y, floor) for _, _, points in series for _, y in points]
    lo, hi = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    hi = max(hi, lo + 1)

    def place(t, y):
        return x0 + width * t / tmax, y0 + height * (hi - math.log10(max(y, floor))) / (hi - lo)
    out.append('<text x="%d" y="24" font-size="14">%s</text>' % (x0, title))
    out.append('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888"/>' % (x0, y0, width, height))
    every = max(1, (hi - lo) // 6)
    for e in range(lo, hi + 1, every):
        y = place(0, 10.0 ** e)[1]
        out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">1e%d</text>'
                   % (x0, x0 + width, y, y, x0 - 6, y + 4, e))
    for t in range(0, int(tmax) + 1):
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%d</text>' % (place(t, 1)[0], y0 + height + 18, t))
    out.append('<text x="%d" y="%d" text-anchor="middle">time [s]</text>' % (x0 + width / 2, y0 + height + 36))
    out.append('<text transform="translate(%d %d) rotate(-90)" text-anchor="middle">%s</text>' % (left + 16, y0 + height / 2, ylabel))
    for _, i, points in series:
        line = " ".join("%.1f,%.1f" % place(t, y) for t, y in points)
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5" stroke-dasharray="%s"/>'
                   % (line, COLORS[i % len(COLORS)], DASHES[i % len(DASHES)]))


def figure(path, runs):
    """displacement of the box on the slope since 0.5 s, and the stack's kinetic energy"""
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="1230" height="390" font-family="sans-serif" font-size="12">',
           '<rect width="1230" height="390" fill="white"/>']
    moved, kinetic = [], []
    for i, (label, slope_run, stack_run) in enumerate(runs):
        start = next(r for r in slope_run.steps if r["t"] > 0.499)
        moved.append((label, i, [(r["t"], math.dist(r["center_of_mass"], start["center_of_mass"])) for r in slope_run.steps if r["t"] > 0.505]))
        kinetic.append((label, i, [(r["t"], r["energy"]["kinetic"]) for r in stack_run.steps]))
    panel(out, 0, "box on a slope: displacement since 0.5 s", "[m]", moved, 4, 1e-12)
    panel(out, 520, "stack: kinetic energy", "[J]", kinetic, 3, 1e-12)
    for i, (label, _, _) in enumerate(runs):
        y = 60 + 22 * i
        out.append('<line x1="1040" x2="1080" y1="%d" y2="%d" stroke="%s" stroke-width="2" stroke-dasharray="%s"/><text x="1088" y="%d">%s</text>'
                   % (y, y, COLORS[i % len(COLORS)], DASHES[i % len(DASHES)], y + 4, label.replace("`", "")))
    out.append("</svg>")
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--page")
    parser.add_argument("--figure")
    parser.add_argument("--limit", type=float, default=300, help="seconds for a run")
    args = parser.parse_args()
    text, runs = [], []
    for scene in (slope, stack):
        text += ["**%s**: %s." % (scene.__name__.capitalize(), scene.__doc__), "",
                 "| stepper | largest residual | last residual | steps `budget` or worse | depth [thickness] | most gained in a step [J] | kinetic "
                 "energy at the end [J] | creep [sizes/s] | CPU time over that of `cmr` |", "|---|---|---|---|---|---|---|---|---|"]
        for i, (label, word, more) in enumerate(rows()):
            made = dict(scene(), stepper=word, **more)
            try:
                run = Run(made, args.limit)
                times = float("%.2g" % share(made, dict(scene(), stepper="cmr"), run, args.limit))
            except subprocess.TimeoutExpired:
                text.append("| %s | takes more than %g s | | | | | | | |" % (label, args.limit))
                continue
            text.append("| %s | %s | %g |" % (label, " | ".join(run.columns()), times))
            if scene is slope:
                runs.append([label, run, None])
            else:
                for r in runs:
                    if r[0] == label:
                        r[2] = run
        text.append("")
    if args.figure:
        figure(args.figure, [r for r in runs if r[2]])
    if not args.page:
        print("\n".join(text))
        return
    with open(args.page) as f:
        head, rest = f.read().split(BEGIN, 1)
    with open(args.page, "w") as f:
        f.write(head + BEGIN + "\n" + "\n".join(text) + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
