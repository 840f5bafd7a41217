#!/usr/bin/env python3
"""accept.py -- runs the acceptance scenes with every step tested for intersections, two at a time, and prints one table.

usage: python3 tools/accept.py [--stepper S] [--limit SECONDS] [--jobs N] [WORD...]      only scenes whose path contains a WORD
Scenes: examples/scenes/*.json, and CONTACT_DATA/scenes (default ../shared/data/scenes) where it is. The last line is
`N passed, N failed, N skipped`. A scene passes when it ends with exit code 0. Standard library only.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))


def run(job):
    path, stepper, limit = job
    p = subprocess.Popen([CONTACT, "run", path, "--check", "--json", "--quiet", "--stepper", stepper], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = p.communicate(timeout=limit)
        late = False
    except subprocess.TimeoutExpired:
        p.terminate()  # ends after the step, with a whole summary
        late = True
        try:
            out, err = p.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
    try:
        summary = json.loads(out.decode())
    except ValueError:
        summary = None
    return path, p.returncode, late, summary, err.decode().strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stepper", default="cmr")
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    data = os.environ.get("CONTACT_DATA", os.path.join(ROOT, "..", "shared", "data"))
    scenes = sorted(glob.glob(os.path.join(ROOT, "examples/scenes/*.json"))) + sorted(glob.glob(os.path.join(data, "scenes/*/*/scene.json")))
    scenes = [s for s in scenes if not args.words or any(w in s for w in args.words)]
    passed = failed = skipped = 0
    if not glob.glob(os.path.join(data, "scenes/*/*/scene.json")):
        print("SKIPPED %s: the folder of scenes is missing" % os.path.join(data, "scenes"))
        skipped += 1
    print("%-34s %5s %7s %9s %9s %5s %10s %7s %9s %s" % ("scene", "exit", "steps", "median ms", "worst ms", "cross", "distance", "zones %", "frozen", "status"))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, code, late, s, err in pool.map(run, [(s, args.stepper, args.limit) for s in scenes]):
            name = os.path.basename(os.path.dirname(path)) if path.endswith("/scene.json") else os.path.basename(path)
            if s is None:
                failed += 1
                print("%-34s %5d %s" % (name, code, err[:90]), flush=True)
                continue
            ok = code == 0 and not late
            passed, failed = passed + ok, failed + (not ok)
            print("%-34s %5s %7d %9.3g %9.3g %5s %10.3g %7.3g %9.2g %s" % (
                name, "late" if late else code, s["steps"], s["median_cpu_ms"], s["max_cpu_ms"], s["intersections"], s["min_distance"], s["zone_percent"], s["frozen_fraction"],
                " ".join("%s %d" % (k, v) for k, v in s["status"].items() if v)), flush=True)
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
