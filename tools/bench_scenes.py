#!/usr/bin/env python3
"""bench_scenes.py -- runs the peers scenes on one core and prints milliseconds a step beside those of other programs (../shared/PEERS.md).

usage: python3 tools/bench_scenes.py [--stepper S] [--runs N] [--limit SECONDS] [--show] [WORD...]        only scenes with a WORD in their name
--show runs the show scenes (tools/make_scenes.py) instead, beside the times that Otaduy 2009 reports.
CPU milliseconds of the stepping alone; of N runs the one with the smallest median counts. Writes build/bench.json. Standard library only.
"""
import argparse
import glob
import json
import os
import platform
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
DATA = os.environ.get("CONTACT_DATA", os.path.join(ROOT, "..", "shared", "data"))

# CPU seconds per simulated second, median, max [ms a step]; None: not given there
PEERS = {
    "S1_dt60": {"STARK": (7.8, 79, 1365), "IPC": (63, 358, 8531)},
    "S1_dt10ms": {"STARK": (9.7, 68, 606), "IPC": (147, 1139, 4792)},
    "S2": {"STARK": (52, 160, 2297)},
    "S3_N4": {"STARK": (0.40, 2.6, 44), "IPC": (3.3, 26, 118)},
    "S3_N8": {"STARK": (2.2, 15, 181), "IPC": (24.7, 193, 709)},
    "S3_N16": {"STARK": (15, 101, 561), "IPC": (276, 2605, 5646)},
}
BARS = {"S1_dt60": 40, "S2": 40, "S3_N16": 100, "S3_N8": 12, "letters": 200, "cloth_drop": 20, "cloth_drop_slippery": 20, "skirt": 400,
        "unified": 60}  # median ms a step
WORST = 10  # of the median


def flags():
    """The compiler's flags as make prints them, and the output of `contact info`."""
    make = subprocess.run(["make", "-pn", "-C", ROOT, "clean"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    found = {}
    for line in make.splitlines():
        for name in ("CC", "OPT", "ARCH"):
            if line.startswith(name + " ") and "=" in line:
                found[name] = line.split("=", 1)[1].strip()
    info = subprocess.run([CONTACT, "info", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    try:
        info = json.loads(info)
    except ValueError:
        info = {}
    return found, info


def cpu_name():
    try:
        with open("/proc/cpuinfo") as f:
            return next((l.split(":", 1)[1].strip() for l in f if l.startswith("model name")), platform.processor())
    except OSError:
        return platform.processor()


def run(path, args):
    command = [CONTACT, "run", path, "--json", "--quiet", "--stepper", args.stepper]
    if hasattr(os, "sched_setaffinity"):
        core = max(os.sched_getaffinity(0))
        p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    else:
        p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = p.communicate(timeout=args.limit)
    except subprocess.TimeoutExpired:
        p.terminate()
        out, err = p.communicate()
    try:
        return json.loads(out.decode())
    except ValueError:
        print("%s: no summary: %s" % (path, err.decode(errors="replace").strip()[-200:]))
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stepper", default="cmr")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    folder = os.path.join(DATA, "scenes", "peers")
    if args.show:
        folder = os.path.join(ROOT, "build", "scenes")
        subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", folder])
    scenes = [p for p in sorted(glob.glob(os.path.join(folder, "*", "scene.json"))) if not args.words or any(w in p for w in args.words)]
    if not scenes:
        print("no scenes in %s (CONTACT_DATA names the folder of data)" % folder)
        return 0
    made, info = flags()
    print("%s; CC %s, %s %s; contact %s bits, SIMD %s" % (cpu_name(), made.get("CC", "?"), made.get("OPT", "?"), made.get("ARCH", "?"),
                                                          info.get("real_bits", "?"),
                                                        info.get("simd", "?")))
    print("%-10s %8s %8s %6s %8s | %-26s | %-26s | %s" % ("scene", "median", "max", "ratio", "CPU/sim", "STARK median/max CPU/sim",
                                                          "IPC median/max CPU/sim", "bar"))
    results = []
    for path in scenes:
        name = os.path.basename(os.path.dirname(path))
        runs = [r for r in (run(path, args) for _ in range(args.runs)) if r]
        if not runs:
            continue
        s = min(runs, key=lambda r: r["median_cpu_ms"])
        ratio = s["max_cpu_ms"] / s["median_cpu_ms"] if s["median_cpu_ms"] else 0
        per_second = s["cpu_seconds"] / s["time"] if s["time"] else 0
        peers = []
        for rival in ("STARK", "IPC"):
            r = PEERS.get(name, {}).get(rival)
            peers.append("%g/%g %g (%.2gx)" % (r[1], r[2], r[0], r[1] / s["median_cpu_ms"]) if r else "-")
        bar = BARS.get(name)
        verdict = "" if bar is None else "median %g: %s" % (bar, "met" if s["median_cpu_ms"] <= bar else "MISSED")
        verdict += "" if ratio <= WORST else "  worst %dx: MISSED" % WORST
        cut = "" if not s.get("interrupted") else "  (cut after %d steps)" % s["steps"]
        print("%-10s %8.2f %8.1f %6.1f %8.3g | %-26s | %-26s | %s%s" % (name, s["median_cpu_ms"], s["max_cpu_ms"], ratio, per_second, peers[0],
                                                                        peers[1], verdict, cut),
              flush=True)
        results.append({"name": name, "median_cpu_ms": s["median_cpu_ms"], "max_cpu_ms": s["max_cpu_ms"], "cpu_per_simulated_second": per_second,
                        "steps": s["steps"], "bar": bar, "peers": PEERS.get(name, {}), "status": s["status"]})
    os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
    with open(os.path.join(ROOT, "build", "bench.json"), "w") as f:
        json.dump({"cpu": cpu_name(), "flags": made, "library": info, "scenes": results}, f, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
