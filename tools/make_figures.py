#!/usr/bin/env python3
"""make_figures.py -- the figures of docs/figures.md: every figure, table and result of Otaduy 2009 (figures_otaduy.py) and of Li 2015
(figures_worlds.py, figures_solvers.py) with a verdict, and the comparison of solvers; each a CSV and a picture, and the page itself.

usage: python3 tools/make_figures.py [--quick] [--only NAME,...] [--out build/figures] [--page FILE.md]

Every figure also leaves NAME.json, its sentences with the numbers of the run; the page is made of all that are in the folder, so that figures can be
made again one by one. Requirements that were missing are listed at the end; the exit code is still 0. Pictures need matplotlib (Debian:
python3-matplotlib), some figures the data folder, numpy or build/bench/trace_solvers.
"""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time

import figures_otaduy
import figures_solvers
import figures_style
import figures_worlds

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ORDER = ("otaduy6_left", "otaduy6_right", "otaduy_rounds", "otaduy_counts", "otaduy_letters", "otaduy5", "otaduy1", "table1", "li06", "li07",
         "li08", "li09",
         "li10", "li11", "li12", "li_qp", "crossover", "mprgp_iterations", "cost_iteration", "residual_time")
PARTS = (figures_otaduy, figures_worlds, figures_solvers)

HEAD = """# Figures

Every claim of the figures, tables and result sections of Otaduy et al. 2009 and of Li et al. 2015, with what is measured here and a verdict; then the
figures. `make figures` (`tools/make_figures.py`) makes the page, numbers and verdicts included; each picture has its CSV beside it. Times are CPU time
on one core, `-O2 -march=native`, %s; differences below ten per cent mean nothing. `make figures FIGURES_OPTIONS="--only NAME"` makes one figure
again; all of them take about half an hour of CPU. A figure names the version that it was made with; those that name none are of 24 and 25 November
2026, between 0.1.0 and 0.2.0.

The judge's residual is the largest of the relative KKT conditions and of the duality gap; no solver judges itself. "Boxes" are the two soft boxes of
`tools/make_problems.py`. "As printed" is `--paper`: the paper's own step, splitting and end ([ICA](solvers_ica.md),
[MPRGP](solvers_mprgp.md)); in figures of one problem "ICA as printed" is plain relaxation by 3x3 nodes (Otaduy 2009, eq. 10-12) to the
judge's tolerance. Scenes and bodies are ours: neither paper gives its meshes, materials or tolerances.
"""

# claims that no figure below measures: paper, claim, verdict, because
OTHERS = (
    ("Otaduy", "Fig. 2: a global response leaves less elastic energy than a local one", "reproduced",
     "1.1 to 300 times less in 18 steps of three scenes (`tests/test_fig2.c`)"),
    ("Otaduy", "3.4: the pyramid along v_t* is a good approximation of friction", "reproduced",
     "a plate is braked with mu g within .04 % in five directions and turned by less than .002 degrees (`tests/test_paper.c`)"),
    ("Otaduy", "4: a test by tolerance at the start dramatically reduces what the first collision test returns", "not measured",
     "there is no switch to leave it out"),
    ("Otaduy", "5.6: the step is halved where Gauss-Seidel diverges", "reproduced", "`tests/test_paper.c`, a sheet with an indefinite matrix"),
    ("Li", "Fig. 3: a dragon of 46,736 vertices rolls down stairs, robustly", "reproduced",
     "46,824 vertices, 400 steps, deepest vertex 54 mm ([dcd.md](dcd.md))"),
    ("Li", "Fig. 3: a QP of 140,208 unknowns, impossible for an active set with direct solvers", "partly",
     "2.2 s of CPU a step in the median; whether the active set here could do it was not tried"),
    ("Li", "Fig. 4: 18,342 constraints at a time, stable", "partly",
     "the most here are in the table of Table 1; stable over 600 steps ([dcd.md](dcd.md))"),
    ("Li", "Fig. 5: no visual artifacts with decoupling", "not", "vertices up to 57 mm deep, bodies a few millimetres deep at the end "
        "([dcd.md](dcd.md)); random rows are the worst"),
    ("Li", "6.1: the power method, started warm, converges within 40 iterations", "partly",
     "from a cold start 4 to 11 iterations to a thousandth with 3x3 blocks, 11 to 40 (the cap) with Jacobi, in three problems of the data "
     "folder; warm starts are not counted"),
)


def claims(results):
    rows = []
    for name, r in results:
        paper = r.get("of", "Otaduy" if name.startswith("otaduy") else "Li")
        rows += [(paper, c[0], "[%s](#%s)" % (c[1], anchor(r["title"])), c[2]) for c in r.get("claims", [])]
    rows += [o for o in OTHERS]
    rows.sort(key=lambda row: row[0] == "Li")
    return table([["paper", "claim", "verdict", "because"]] + [list(r) for r in rows])


def anchor(title):
    """GitHub's name of a heading"""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def table(rows):
    lines = ["| " + " | ".join(str(c).replace("|", "\\|") for c in r) + " |" for r in rows]
    return lines[:1] + ["|" + "---|" * len(rows[0])] + lines[1:]


def section(out, where, name, r):
    text = ["## %s" % r["title"], ""]
    if os.path.exists(os.path.join(out, name + ".png")):
        text += ["![%s](%s/%s.png)" % (name, where, name), ""]
    there = r.get("machine", machine())
    said = "" if there == machine() else " Measured on %s." % there
    said += " Version %s." % r["version"] if "version" in r else ""
    text += ["*Shows:* %s%s" % (r["shows"], said), "", "*The paper:* %s" % r["paper"], ""]
    if "table" in r:
        text += table(r["table"]) + [""]
    text += ["*Seen here:* %s ([%s.csv](%s/%s.csv))" % (r["see"], name, where, name), ""]
    if "verdict" in r:
        text += ["*Verdict:* %s" % r["verdict"], ""]
    elif "claims" in r:
        text += ["*Verdict:* " + " ".join("%s: %s (%s)." % (c[0][0].upper() + c[0][1:], c[1], c[2]) for c in r["claims"]), ""]
    return text


def write_page(out, page):
    """writes the page of all figures whose JSON files are in the folder"""
    where = os.path.relpath(out, os.path.dirname(os.path.abspath(page)))
    results = []
    for name in ORDER:
        path = os.path.join(out, name + ".json")
        if os.path.exists(path):
            with open(path) as f:
                results.append((name, json.load(f)))
    text = (HEAD % machine()).split("\n") + ["## Claims", ""] + claims(results) + [""]
    for name, r in results:
        text += section(out, where, name, r)
    with open(page + ".tmp", "w") as f:
        f.write("\n".join(text))
    os.replace(page + ".tmp", page)


def machine():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown processor"


def version():
    with open(os.path.join(ROOT, "src", "public", "config.h")) as f:
        return re.search(r'CT_VERSION_STRING "([^"]+)"', f.read()).group(1)


def make_all(args, names):
    """makes the figures; returns the missing requirements"""
    missing, folder = [], tempfile.mkdtemp(prefix="contact_figures_")
    bench = figures_solvers.Bench(args.out, folder, args.quick)
    try:
        for name in names:
            make = next(getattr(part, name) for part in PARTS if hasattr(part, name))
            started = sum(os.times()[2:4])
            try:
                result = make(bench)
            except figures_solvers.Missing as e:
                missing.append("%s: %s" % (name, e))
                continue
            result["machine"], result["version"] = machine(), version()
            with open(os.path.join(args.out, name + ".json"), "w") as f:
                json.dump(result, f, indent=1)
            print("%s (%.0f s of CPU)\n  %s" % (result["title"], sum(os.times()[2:4]) - started, result["see"]), flush=True)
            for c in result.get("claims", []):
                print("  %s: %s, %s" % (c[1], c[0], c[2]), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter runs, smaller piles: whether all figures can be made, not what they show")
    parser.add_argument("--only", help="names, with commas: " + ", ".join(ORDER))
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "figures"))
    parser.add_argument("--page", help="the page to write; default: figures.md in the folder of the figures")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else ORDER
    unknown = [n for n in names if n not in ORDER]
    if unknown:
        parser.error("unknown figure %s" % unknown[0])
    os.makedirs(args.out, exist_ok=True)
    started = time.time()
    missing = make_all(args, names)
    write_page(args.out, args.page or os.path.join(args.out, "figures.md"))
    if figures_style.plt is None:
        missing.append("all pictures: matplotlib (Debian: python3-matplotlib)")
    for what in missing:
        print("missing, " + what)
    print("%d figures, %.0f s of CPU, %.0f s" % (len(names) - sum(":" in m and m.split(":")[0] in names for m in missing), sum(os.times()[2:4]),
        time.time() - started))
    return 0


if __name__ == "__main__":
    sys.exit(main())
