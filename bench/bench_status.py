#!/usr/bin/env python3
"""bench_status.py -- tests whether the status of steps is correct, and counts the steps that reach their tolerance.

usage: python3 bench/bench_status.py [--tool contact[,contact...]] [--steps N] [--stepper S] SCENE.json...
A step that is ok, substepped or zones must have a residual of at most the scene's tolerance. A step that does not is counted as "lying", and the exit code is 1.
reached: share of steps up to zones whose residual is at most the tolerance, which compares two builds by the same measure.
kept: smallest distance over the pair's own thickness in the last quarter of the steps, and the median of the steps' smallest ones; near: steps of
that quarter with a pair below half of its thickness.
Each line: tool, scene, steps, reached, lying, budget, not_converged, largest residual of a step up to zones, kept, near, CPU seconds. Standard
library only.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TRUE_UP_TO = ("ok", "substepped", "zones")


def tolerance_of(path):
    with open(path) as f:
        return float(json.load(f).get("solver_options", {}).get("tolerance", 1e-4))


def run(tool, path, steps, stepper):
    """step lines and CPU seconds"""
    with tempfile.TemporaryDirectory() as out:
        command = [tool, "run", path, "--json", "--quiet", "--frames", "none", "--out", out]
        command += ["--steps", str(steps)] if steps else []
        command += ["--stepper", stepper] if stepper else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        path = os.path.join(out, "stats.jsonl")
        if not os.path.exists(path):  # a scene that is refused
            return [], 0.0
        with open(path) as f:
            lines = [json.loads(line) for line in f if line.strip()]
    lines = [line for line in lines if "status" in line and "residual" in line]
    return lines, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def thickness(lines):
    """least and median share of the thickness, and steps with a pair below half of it, in the last quarter; of a tool that tells it"""
    last = [line for line in lines[3 * len(lines) // 4:] if "thickness_kept" in line]
    if not last:
        return "%6s %6s %5s" % ("-", "-", "-")
    kept = sorted(line["thickness_kept"] for line in last)
    return "%6.3f %6.3f %5d" % (kept[0], kept[len(kept) // 2], sum(line["too_near"] > 0 for line in last))


def main():
    parser = argparse.ArgumentParser(description="truth of the status, share of steps that reach their tolerance")
    parser.add_argument("--tool", default=os.path.join(ROOT, "build", "contact"), help="programs, with commas between them")
    parser.add_argument("--steps", type=int, default=0, help="0: all of the scene's")
    parser.add_argument("--stepper", default="", help="instead of the scene's")
    parser.add_argument("scenes", nargs="+")
    arguments = parser.parse_args()
    lies = 0
    print("%-12s %-18s %6s %8s %6s %7s %5s %10s %6s %6s %5s %8s" % (
        "tool", "scene", "steps", "reached", "lying", "budget", "n.c.", "worst", "kept", "median", "near", "CPU s"))
    for path in arguments.scenes:
        tolerance = tolerance_of(path)
        name = os.path.basename(path)
        if name == "scene.json":
            name = os.path.basename(os.path.dirname(os.path.abspath(path)))
        for tool in arguments.tool.split(","):
            lines, seconds = run(tool, path, arguments.steps, arguments.stepper)
            good = [s for s in lines if s["status"] in TRUE_UP_TO]
            lying = [s for s in good if not s["residual"] <= tolerance]
            lies += len(lying)
            print("%-12s %-18s %6d %7.2f%% %6d %7d %5d %10.2g %s %8.2f" % (
                os.path.basename(tool)[:12], name[:18], len(lines), 100.0 * (len(good) - len(lying)) / max(1, len(lines)), len(lying),
                sum(s["status"] == "budget" for s in lines), sum(s["status"] == "not_converged" for s in lines),
                max([s["residual"] for s in good], default=0.0), thickness(lines), seconds))
            sys.stdout.flush()
    return 1 if lies else 0


if __name__ == "__main__":
    sys.exit(main())
