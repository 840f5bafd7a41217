#!/usr/bin/env python3
"""figures_forms.py -- the tables of docs/lab/forms.md: one scene in every form and with every integrator of CT_STEPPER_BARRIER.

Usage: figures_forms.py [--page docs/lab/forms.md]   prints the tables, or writes them between the page's marks. Every number comes from a run of
build/contact made here. Standard library only.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
FORMS = ["potential", "root", "dual", "position", "velocity"]
INTEGRATORS = ["euler", "newmark", "bdf2", "midpoint"]
BEGIN, END = "<!-- tables: tools/figures_forms.py -->", "<!-- end of tables -->"


def soft(name, size, cells, young, **more):
    material = {"model": "stable_neohookean", "young": young, "poisson": 0.3, "density": 1000, "damping": {"mass": 0, "stiffness": 0}}
    return dict({"name": name, "type": "soft", "shape": {"box": {"size": size, "cells": cells}}, "material": material}, **more)


def swing(steps):
    """a block, held at one end, falls and swings by half of its length in 0.4 s"""
    held = [{"box": [[-0.3, -1, -1], [-0.2499, 1, 1]]}]
    return {"name": "swing", "dt": 0.4 / steps, "duration": 0.4, "bodies": [soft("block", [0.5, 0.25, 0.25], [2, 1, 1], 2e4, fix=held)]}


def drop(friction):
    """a soft box falls askew on another one, which lies on a plane; 40 steps of 5 ms"""
    return {"name": "drop", "dt": 0.005, "duration": 0.2, "friction": friction, "bodies": [
        soft("below", [0.2, 0.2, 0.2], [2, 2, 2], 1e5, transform=[{"translate": [0, 0.102, 0]}]),
        soft("top", [0.1, 0.1, 0.1], [2, 2, 2], 1e5, velocity=[0.3, -1, 0], transform=[{"rotate": [0, 0, 17]}, {"translate": [0.03, 0.3, 0.02]}]),
        {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 2}}}]}


class Run:
    """a scene's end: positions of the bodies that move, and sums over its steps"""
    def __init__(self, scene, form, integrator):
        scene = dict(scene, stepper="barrier", integrator=integrator,
                     barrier={"form": form, "newton_tolerance": 1e-9, "newton_iterations": 200})
        steps = int(round(scene["duration"] / scene["dt"]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.json")
            with open(path, "w") as f:
                json.dump(scene, f)
            subprocess.run([TOOL, "run", path, "--out", folder, "--frames", "obj", "--every", str(steps), "--check", "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
            with open(os.path.join(folder, "frame_%05d.obj" % steps)) as f:
                self.x = [[float(c) for c in line.split()[1:4]] for line in f if line.startswith("v ")]
            with open(os.path.join(folder, "stats.jsonl")) as f:
                lines = [json.loads(line) for line in f]
        self.iterations = sum(s["newton_iterations"] for s in lines)
        self.bad = sum(s["status"] != "ok" for s in lines)
        self.intersections = sum(s["intersections"] for s in lines)
        self.energy = sum(lines[-1]["energy"].values())
        self.gained = max(s["energy_gained"] for s in lines)
        self.cpu_ms = sum(s["cpu_ms"] for s in lines) / len(lines)

    def away(self, other):
        return max(math.dist(a, b) for a, b in zip(self.x, other.x))


def orders():
    rows = ["| form | integrator | differences, 40 to 80 to 160 to 320 steps [m] | orders |", "|---|---|---|---|"]
    for form in FORMS:
        for integrator in INTEGRATORS:
            runs = [Run(swing(40 << i), form, integrator) for i in range(4)]
            e = [a.away(b) for a, b in zip(runs, runs[1:])]
            assert not any(r.bad for r in runs), (form, integrator)
            rows.append("| %s | %s | %s | %s |" % (form, integrator, ", ".join("%.3g" % v for v in e),
                                                   ", ".join("%.2f" % math.log2(a / b) for a, b in zip(e, e[1:]))))
    return rows


def compare(scene):
    rows = ["| integrator | form | difference [m] | Newton iterations | steps not `ok` | energy [J] | most gained in a step [J] | ms a step |",
            "|---|---|---|---|---|---|---|---|"]
    for integrator in INTEGRATORS:
        first = None
        for form in FORMS:
            r = Run(scene, form, integrator)
            first = first or r
            assert r.intersections == 0, (form, integrator)
            rows.append("| %s | %s | %s | %d | %d | %.6f | %.2g | %.2g |" % (integrator, form, "%.2g" % r.away(first) if r is not first else "-",
                                                                         r.iterations, r.bad, r.energy, r.gained, r.cpu_ms))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--page")
    page = parser.parse_args().page
    text = ["Without contact (%s; no damping):" % swing.__doc__, ""] + orders()
    for friction in (0, 0.3):
        text += ["", "In contact (%s), friction %g:" % (drop.__doc__, friction), ""] + compare(drop(friction))
    if not page:
        print("\n".join(text))
        return
    with open(page) as f:
        head, rest = f.read().split(BEGIN, 1)
    with open(page, "w") as f:
        f.write(head + BEGIN + "\n" + "\n".join(text) + "\n" + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
