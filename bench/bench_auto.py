#!/usr/bin/env python3
"""bench_auto.py -- CT_SOLVER_AUTO compared with the best of other programs' solvers, on problems for which their times are known.

usage: python3 bench/bench_auto.py [--runs N] [--tol T]
The others' seconds are from the README beside the problems: one thread, the same class of machine, tolerance 1e-8; of each line the best
that converged. Ours are `contact solve`'s seconds of process CPU time, the median and the smallest of the runs. Prints a table, and the geometric
means of the ratios; exit 1 where a problem is not solved. CONTACT_TOOL, CONTACT_DATA as in other tools. Standard library only.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
DATA = os.environ.get("CONTACT_DATA", os.path.join(ROOT, "..", "shared", "data"))
OTHERS = {
    "qp": {"vf_cpl_3k": 0.035, "slab_cpl_3k": 0.09, "stiff_3k": 0.035, "quasi_3k": 0.05, "quasi_slab_3k": 0.13, "stack_10k": 0.45, "stiff_10k": 0.24,
           "stack_36k": 3.9},
    "fc": {"G_fem_stick_2k": 1.3, "G_fem_stiff_3k": 2.6, "G_fem_slab_3k": 0.22, "G_fem_stack_3k": 0.80, "L_Capsules-i103-990": 0.46, "KaplasTower": 0.02,
           "L_BoxesStack_fclibtest": 0.06, "spheres-in-a-box": 5.7},
}


def path_of(kind, name):
    folder = os.path.join(DATA, "problems", kind)
    names = sorted(f for f in os.listdir(folder) if name in f and f.endswith(".cpb"))
    return os.path.join(folder, name + ".cpb" if name + ".cpb" in names or not names else names[0])


def solve(path, tol):
    out = subprocess.run([CONTACT, "solve", path, "--solver", "auto", "--tol", str(tol), "--json"], stdout=subprocess.PIPE, check=False).stdout
    lines = out.decode().splitlines()
    return json.loads(lines[0]) if lines else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tol", type=float, default=1e-8)
    args = parser.parse_args()
    if not os.path.isdir(os.path.join(DATA, "problems")):
        print("there are no problems in " + DATA)
        return 1
    failed = 0
    for kind in OTHERS:
        ratios, best = [], []
        print("| %s | best of others [s] | median [s] | smallest [s] | ratio of the median | residual |\n|---|---|---|---|---|---|" % kind)
        for name, other in OTHERS[kind].items():
            answers = [solve(path_of(kind, name), args.tol) for _ in range(args.runs)]
            if None in answers:
                print("| %s | %g | no answer, or no such problem ||||" % (name, other), flush=True)
                failed += 1
                continue
            seconds = [a["seconds"] for a in answers]
            failed += any(a["status"] != "solved" for a in answers)
            ratios.append(other / statistics.median(seconds))
            best.append(other / min(seconds))
            residual = "none" if answers[0]["residual"] is None else "%.1e" % answers[0]["residual"]
            print("| %s | %g | %.4f | %.4f | %.2f | %s |" % (name, other, statistics.median(seconds), min(seconds), ratios[-1], residual), flush=True)
        if not ratios:
            continue
        mean = [math.exp(sum(map(math.log, r)) / len(r)) for r in (ratios, best)]
        print("%s: geometric mean %.2f by medians, %.2f by the smallest; least %.2f\n" % (kind, mean[0], mean[1], min(ratios)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
