#!/usr/bin/env python3
"""world_solvers.py -- runs every solver that worlds can use on the same scenes: intersections, CPU time, residual and fallbacks, as a table.

world_solvers.py SCENE.json... [--solvers a,b] [--steps N] [--seconds S] [--contact build/contact] [--out DIR]
Runs `contact run --check`, one at a time and at low priority; a run that takes longer than S seconds of wall time is asked to end after its step
(as by Ctrl-C), and the steps done so far count. Medians are over steps with contact rows. Standard library only."""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SOLVERS = "ica auto newton admm pgs ca lemke boxed interior mprgp active_set".split()


def run(args, scene, solver, out):
    command = ["nice", "-n", "10", args.contact, "run", scene, "--solver", solver, "--frames", "none", "--quiet", "--out", out]
    command += [] if args.no_check else ["--check"]
    if args.steps:
        command += ["--steps", str(args.steps)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        process.wait(args.seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(5 * args.seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    path = os.path.join(out, "stats.jsonl")
    if not os.path.exists(path):
        return None
    with open(path) as f:
        return [json.loads(line) for line in f]


def hits(steps):
    return "not tested" if steps[0]["intersections"] is None else "%d" % sum(s["intersections"] for s in steps)


def line(solver, steps):
    if not steps:
        return "| `%s` | 0 | | | | | | | | not one step in the time |" % solver
    touched = [s for s in steps if s["rows"] > 0]
    words = {}
    for s in steps:
        words[s["status"]] = words.get(s["status"], 0) + 1
    if not touched:
        return "| `%s` | %d | 0 | | | %s | | | | | no contact yet |" % (solver, len(steps), hits(steps))
    return "| `%s` | %d | %d | %d | %d | %s | %.0f | %.0f | %.1e | %d | %s |" % (
        solver, len(steps), len(touched), max(s["rows"] for s in touched), max(s["contacts"] for s in touched),
        hits(steps), statistics.median(s["cpu_ms"] for s in touched), max(s["cpu_ms"] for s in touched),
        statistics.median(s["residual"] for s in touched), sum(s["solver_fallbacks"] for s in touched),
        ", ".join("%s %d" % (k, words[k]) for k in sorted(words)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="+")
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--contact", default="build/contact")
    parser.add_argument("--out", default="")
    parser.add_argument("--no-check", action="store_true", help="no test for intersections, which takes longer than steps of many triangles")
    args = parser.parse_args()
    root = args.out or tempfile.mkdtemp(prefix="world_solvers_")
    for scene in args.scenes:
        name = os.path.basename(os.path.dirname(os.path.abspath(scene)))
        print("\n### %s\n" % name)
        print("| solver | steps | with rows | most rows | most contacts | intersections | median cpu ms | most | median residual | fallbacks "
              "| status |\n|---|---|---|---|---|---|---|---|---|---|---|")
        for solver in args.solvers.split(","):
            started = time.time()
            steps = run(args, scene, solver, os.path.join(root, name, solver))
            print(line(solver, steps), flush=True)
            print("%s %s: %.0f s" % (name, solver, time.time() - started), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
