#!/usr/bin/env python3
"""bench_threads.py -- measures the speedup by workers: wall-clock milliseconds a step with one and with several workers, alternating.

usage: python3 bench/bench_threads.py [--workers N] [--runs N] [--steps N] [--scenes DIR] [WORD...]     only scenes with a WORD in their name
Each run is timed by the step's own clock (stats.jsonl, ms.total), without files and start. Of the runs of either kind the fastest counts, since
other load on the machine only adds time; `spread` is the slowest over the fastest. Both must end in the same state, bit by bit; otherwise the
exit code is 1. --steps: of each scene, from its start; the default is SCENES below. DIR: made scenes (tools/make_scenes.py), default build/scenes, made
where they are missing. Writes build/bench_threads.json. Standard library only.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
DATA = os.environ.get("CONTACT_DATA", os.path.join(ROOT, "..", "shared", "data"))

# name: (folder of peers or None: made, steps to run, the first of them that counts)
SCENES = {
    "letters": (None, 480, 240),
    "S1_dt60": ("peers", 180, 60),
    "S1_dt10ms": ("peers", 300, 100),
    "S2": ("peers", 60, 0),
    "S3_N4": ("peers", 120, 0),
    "S3_N8": ("peers", 120, 0),
    "S3_N16": ("peers", 60, 0),
    "cloth_drop": (None, 200, 0),
    "unified": (None, 200, 0),
    "skirt": (None, 60, 0),
}


def path_of(name, folder, made):
    if folder:
        return os.path.join(DATA, "scenes", folder, name, "scene.json")
    path = os.path.join(made, name, "scene.json")
    if not os.path.exists(path):
        subprocess.run([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", made, "--only", name], check=True,
                       stdout=subprocess.DEVNULL)
    return path


def run(path, workers, steps, first):
    """(median ms, mean ms, hash) of the steps from `first` on"""
    with tempfile.TemporaryDirectory() as out:
        command = [CONTACT, "run", path, "--out", out, "--frames", "none", "--quiet", "--steps", str(steps), "--threads", str(workers)]
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not os.path.exists(os.path.join(out, "summary.json")):
            sys.exit("%s: %s" % (path, p.stdout.decode(errors="replace").strip()[-300:]))
        with open(os.path.join(out, "stats.jsonl")) as f:
            ms = [json.loads(line)["ms"]["total"] for line in f][first:]
        with open(os.path.join(out, "summary.json")) as f:
            return statistics.median(ms), sum(ms) / len(ms), json.load(f)["hash"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--scenes", default=os.path.join(ROOT, "build", "scenes"))
    parser.add_argument("words", nargs="*", metavar="WORD")
    args = parser.parse_args()
    table, bad = {}, 0
    print("%d cores, %d and 1 workers in turn, %d runs of each; mean ms a step of the fastest run" % (os.cpu_count() or 0, args.workers, args.runs))
    print("%-12s %10s %10s %8s %16s %8s" % ("scene", "1 worker", "%d workers" % args.workers, "gain", "of the medians", "spread"))
    for name, (folder, steps, first) in SCENES.items():
        if args.words and not any(w in name for w in args.words):
            continue
        path = path_of(name, folder, args.scenes)
        if not os.path.exists(path):
            print("SKIPPED %s: missing %s" % (name, path))
            continue
        if args.steps:
            steps, first = args.steps, 0
        times, hashes = {1: [], args.workers: []}, set()
        for _ in range(args.runs):
            for workers in times:
                median, mean, state = run(path, workers, steps, first)
                times[workers].append((mean, median))
                hashes.add(state)
        best = {w: min(t) for w, t in times.items()}
        one, many = best[1], best[args.workers]
        spread = max(max(t)[0] / min(t)[0] for t in times.values())
        gain, gain_median = one[0] / many[0], min(m for _, m in times[1]) / min(m for _, m in times[args.workers])
        table[name] = {"one_ms": one[0], "many_ms": many[0], "workers": args.workers, "gain": gain, "gain_of_medians": gain_median,
                       "spread": spread, "same_bits": len(hashes) == 1}
        print("%-12s %10.2f %10.2f %7.2fx %15.2fx %7.2fx%s" % (name, one[0], many[0], gain, gain_median, spread,
                                                             "" if len(hashes) == 1 else "  NOT THE SAME BITS"), flush=True)
        bad += len(hashes) != 1
    os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
    with open(os.path.join(ROOT, "build", "bench_threads.json"), "w") as f:
        json.dump(table, f, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
