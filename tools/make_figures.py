#!/usr/bin/env python3
"""make_figures.py -- the figures of docs/figures.md: cost of a step (Otaduy 2009, Fig. 6), and the comparison of solvers (figures_solvers.py,
figures_worlds.py), each a CSV and a picture, and the page itself.

usage: python3 tools/make_figures.py [--quick] [--only NAME,...] [--letters FILE.jsonl] [--out build/figures] [--page FILE.md]

Every figure also leaves NAME.json, its sentences with the numbers of the run; the page is made of all that are in the folder. What a figure needed
and was not there is said at the end.

cost runs piles of letters of one height over growing areas, of growing height, and with coarser and finer tets, on one core; averages CPU
milliseconds and contacts over windows of
600 ms, as the paper does, and fits lines to their logarithms. Prints slopes, writes figures.json, and pictures where matplotlib is there (Debian:
python3-matplotlib). --letters takes the stats.jsonl of a whole run of the scene for the histogram of rounds; without it the largest pile serves.
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

import figures_solvers
import figures_style
import figures_worlds

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
WINDOW = 20  # steps of 30 ms
LAYERS = 3   # of the piles whose number of contacts grows by their area; sweeps grow with the height, which is a figure of its own


def run(folder, letters, per_row, lattice, seconds):
    """lines of stats, tets a letter"""
    name = os.path.join(folder, "n%d_r%d_l%g" % (letters, per_row, lattice))
    subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", name, "--only", "letters", "--letters",
                           str(letters),
                           "--per-row", str(per_row), "--lattice", str(lattice), "--seconds", str(seconds)])
    command = [CONTACT, "run", os.path.join(name, "letters", "scene.json"), "--out", os.path.join(name, "run"), "--frames", "none", "--quiet"]
    core = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    subprocess.check_call(command, stdout=subprocess.DEVNULL, preexec_fn=(lambda: os.sched_setaffinity(0, {core})) if core is not None else None)
    with open(os.path.join(name, "run", "summary.json")) as f:
        tets = json.load(f)["tets"] / letters
    with open(os.path.join(name, "run", "stats.jsonl")) as f:
        return [json.loads(line) for line in f], tets


def windows(lines):
    """(mean contacts, mean milliseconds) of every whole window with contacts"""
    out = []
    for i in range(0, len(lines) - WINDOW + 1, WINDOW):
        part = lines[i:i + WINDOW]
        contacts = sum(s["contacts"] for s in part) / WINDOW
        if contacts >= 10:
            out.append((contacts, sum(s["cpu_ms"] for s in part) / WINDOW))
    return out


def slope(points):
    """least squares line through the logarithms"""
    x, y = [math.log(p[0]) for p in points], [math.log(p[1]) for p in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    sxx = sum((a - mx) ** 2 for a in x)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sxx if sxx > 0 else float("nan")


def rest(lines):
    """mean of the last third: the pile as it settles"""
    part = lines[2 * len(lines) // 3:]
    return sum(s["contacts"] for s in part) / len(part), sum(s["cpu_ms"] for s in part) / len(part)


def pictures(out, piles, finer, histogram):
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("no pictures: matplotlib is missing (Debian: python3-matplotlib)")
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for n, points in sorted(piles.items()):
        left.loglog([p[0] for p in points], [p[1] for p in points], "o", markersize=4, label="%d letters" % n)
    left.set_xlabel("contacts")
    left.set_ylabel("CPU ms a step")
    left.legend()
    right.loglog([p[0] for p in finer], [p[1] for p in finer], "o-")
    right.set_xlabel("tets in a letter's lattice")
    right.set_ylabel("CPU ms a step")
    figure.tight_layout()
    figure.savefig(os.path.join(out, "cost.png"), dpi=110)
    figure, axis = plt.subplots(figsize=(5, 3.2))
    axis.bar([str(k) for k in sorted(histogram)], [histogram[k] for k in sorted(histogram)])
    axis.set_xlabel("rounds of constraint manifold refinement")
    axis.set_ylabel("steps")
    figure.tight_layout()
    figure.savefig(os.path.join(out, "letters_rounds.png"), dpi=110)


def cost(args):
    """time of a step against contacts and resolution; 0 when slopes keep the bar"""
    rows, towers, seconds = ([2, 3, 4], [1, 2, 4], 3.6) if args.quick else ([2, 3, 4, 5, 6], [1, 2, 4, 8], 6)
    lattices = [0.3, 0.17, 0.12] if args.quick else [0.34, 0.24, 0.17, 0.12, 0.09]
    folder = tempfile.mkdtemp(prefix="contact_figures_")
    try:
        piles, means, high, finer, last = {}, [], [], [], None
        for side in rows:
            n = LAYERS * side * side
            last, _ = run(folder, n, side, 0, seconds)
            piles[n] = windows(last)
            means.append(rest(last))
            print("%4d letters, %d layers: %5.0f contacts, %7.1f ms a step" % ((n, LAYERS) + means[-1]), flush=True)
        for layers in towers:
            lines, _ = run(folder, 16 * layers, 4, 0, seconds)
            high.append((layers,) + rest(lines))
            print("%4d letters, %d layers: %5.0f contacts, %7.1f ms a step" % ((16 * layers,) + high[-1]), flush=True)
        for lattice in lattices:
            lines, tets = run(folder, 48, 4, lattice, seconds)
            finer.append((tets, rest(lines)[1], rest(lines)[0]))
            print("lattice %.2f: %4.0f tets a letter, %5.0f contacts, %7.1f ms a step" % (lattice, finer[-1][0], finer[-1][2], finer[-1][1]),
                  flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if args.letters:
        with open(args.letters) as f:
            last = [json.loads(line) for line in f]
    histogram = {}
    for s in last:
        histogram[s["cmr_rounds"]] = histogram.get(s["cmr_rounds"], 0) + 1
    few = sum(n for k, n in histogram.items() if k <= 3) / len(last)
    a, b, c = slope([p for points in piles.values() for p in points]), slope(means), slope([f[:2] for f in finer])
    d = slope([h[1:] for h in high])
    print("log-log slope of time against contacts: %.2f (windows), %.2f (piles at rest); against tets: %.2f; bar 1.2" % (a, b, c))
    print("the same where only the height grows: %.2f" % d)
    print("steps with at most 3 rounds: %.1f %%" % (100 * few))
    with open(os.path.join(args.out, "figures.json"), "w") as f:
        json.dump({"slope_contacts": a, "slope_rest": b, "slope_tets": c, "slope_height": d, "piles": piles, "rest": means, "height": high,
                   "resolution": finer, "rounds": histogram}, f,
                  indent=1)
    pictures(args.out, piles, finer, histogram)
    return 0 if a <= 1.2 and b <= 1.2 and c <= 1.2 else 1



def write_page(out, page):
    """the page of all figures whose sentences are in the folder"""
    where = os.path.relpath(out, os.path.dirname(os.path.abspath(page)))
    text = ["# Figures", "", "Made by `make figures` (`tools/make_figures.py`), numbers included; each picture has its CSV beside it. One core, "
        "CPU time,",
            "`-O2 -march=native`, %s. What the figures measure is CPU time, so that other work on the machine disturbs them little." % machine(), "",
            "The judge's residual is the largest of the relative KKT conditions and of the duality gap; no solver judges itself. \"Boxes\" are the "
            "two "
            "soft boxes of", "`tools/make_problems.py`. \"ICA as printed\" is plain relaxation by 3x3 nodes (Otaduy 2009, eq. 10-12); "
            "\"accelerated\" is the "
            "library's own.", ""]
    for name in ORDER:
        path = os.path.join(out, name + ".json")
        if not os.path.exists(path):
            continue
        with open(path) as f:
            r = json.load(f)
        text += ["## %s" % r["title"], ""]
        if os.path.exists(os.path.join(out, name + ".png")):
            text += ["![%s](%s/%s.png)" % (name, where, name), ""]
        text += ["*Shows:* %s" % r["shows"], "", "*The paper:* %s" % r["paper"], "", "*Seen here:* %s ([%s.csv](%s/%s.csv))" % (r["see"], name,
            where, name), ""]
        if "verdict" in r:
            text += ["*Verdict:* %s" % r["verdict"], ""]
    with open(page + ".tmp", "w") as f:
        f.write("\n".join(text))
    os.replace(page + ".tmp", page)


def machine():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown processor"


def solvers(args, names):
    """the figures of the comparison; what was missing"""
    missing, folder = [], tempfile.mkdtemp(prefix="contact_figures_")
    bench = figures_solvers.Bench(args.out, folder, args.quick)
    try:
        for name in names:
            make = getattr(figures_solvers, name, None) or getattr(figures_worlds, name)
            started = time.time()
            try:
                result = make(bench)
            except figures_solvers.Missing as e:
                missing.append("%s: %s" % (name, e))
                continue
            with open(os.path.join(args.out, name + ".json"), "w") as f:
                json.dump(result, f, indent=1)
            print("%s (%.0f s)\n  %s" % (result["title"], time.time() - started, result["see"]), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return missing


ORDER = ("otaduy6_left", "li06", "li07", "li08", "li09", "li10", "li11", "li12", "table1", "crossover", "mprgp_iterations", "cost_iteration",
    "residual_time")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter runs, smaller piles")
    parser.add_argument("--only", help="names, with commas: cost, " + ", ".join(ORDER))
    parser.add_argument("--letters", help="stats.jsonl of the whole scene, for the histogram")
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "figures"))
    parser.add_argument("--page", help="the page to write; default: figures.md in the folder of the figures")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else ("cost",) + ORDER
    unknown = [n for n in names if n != "cost" and n not in ORDER]
    if unknown:
        parser.error("unknown figure %s" % unknown[0])
    os.makedirs(args.out, exist_ok=True)
    child = None
    if "cost" in names and len(names) > 1 and (os.cpu_count() or 1) > 1:  # a core of its own, while the others run
        options = (["--quick"] if args.quick else []) + (["--letters", args.letters] if args.letters else [])
        child = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--only", "cost", "--out", args.out] + options)
    missing = solvers(args, [n for n in names if n != "cost"])
    if len(names) > 1 or "cost" not in names:
        write_page(args.out, args.page or os.path.join(args.out, "figures.md"))
    code = child.wait() if child else cost(args) if "cost" in names else 0
    if figures_style.plt is None:
        missing.append("all pictures: matplotlib (Debian: python3-matplotlib)")
    for what in missing:
        print("missing, " + what)
    return code


if __name__ == "__main__":
    sys.exit(main())
