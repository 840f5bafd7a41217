#!/usr/bin/env python3
"""bench_policy.py -- what each tuned number is worth: whole runs with one number off, halved or doubled, beside runs with all numbers as they are.

usage: python3 tools/bench_policy.py [--scenes A,B] [--starts N] [--kinds off,half,double] [--only WORD,...] [--full] [--limit SECONDS]
       python3 tools/bench_policy.py --table [--markdown] [--kinds off]     of the runs that are there; runs nothing
       python3 tools/bench_policy.py --halves [--scenes A,B]       half and double of those runs, in markdown: ratios of sweeps, a row a number
--scenes  of S1, S2, S3_N8, S3_N16 (data of peers); letters, unified, press, cloth_drop, skirt (tools/make_scenes.py); overlap, pinch
          (examples/scenes); crash, chain (bench/scenes: impacts of fast, stiff and jointed bodies, where rescues act). Default: S1,S2,S3_N8
--starts  slightly perturbed starts: gravity is turned by 1e-6 rad times the start's number. Default: 3
--kinds   off: the list OFF below. half, double: every number of the lists in src/ but costs, the paper's and substep.equal; half of an integer
          is rounded down
--only    trials whose name has one of the words
--full    whole durations. Else the steps of the list SCENES
--limit   ends before a run that would begin later than so many seconds from now

A line of JSON a run is appended to build/policy/runs.jsonl; a run that is there is not made again, as long as a default run still ends in the same
state. A trial that ends start 0 in the state of the default run did not act there, to the bit; its other starts are not run. Iterations, statuses
and zones are exact on a loaded machine; times are process CPU seconds of the stepping. Standard library only; needs make build/bench_policy.
"""
import argparse
import collections
import json
import math
import os
import statistics
import subprocess
import sys
import time

import bench_programs

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("BENCH_POLICY", os.path.join(ROOT, "build", "bench_policy"))
DATA = os.environ.get("CONTACT_DATA", os.path.join(ROOT, "..", "shared", "data"))
FOLDER = os.path.join(ROOT, "build", "policy")
# scene: (its file, in the data folder or here; None: a show scene), steps
SCENES = {"S1": ("scenes/peers/S1_dt60/scene.json", 180), "S2": ("scenes/peers/S2/scene.json", 100), "S3_N8": ("scenes/peers/S3_N8/scene.json", 100),
          "S3_N16": ("scenes/peers/S3_N16/scene.json", 60), "letters": (None, 60), "unified": (None, 100), "press": (None, 100),
          "cloth_drop": (None, 200), "skirt": (None, 60), "overlap": ("examples/scenes/overlap.json", 100), "pinch": ("examples/scenes/pinch.json", 250),
          "crash": ("bench/scenes/crash.json", 50), "chain": ("bench/scenes/chain.json", 60)}
# mechanism: numbers that switch it off
OFF = collections.OrderedDict([
    ("sweeps.first_mix", "1000000000"),    # acceleration of sweeps over contacts
    ("anderson.sum", "0"),                 # all Anderson acceleration
    ("anderson.ridge", "0"),
    ("anderson.rebase", "1"),
    ("sweeps.restart", "1e30"),
    ("outer.restart", "1e30"),
    ("sweeps.stall", "1000000"),
    ("sweeps.more", "1"),
    ("sweeps.drop_jointed", "1e-5"),
    ("sweeps.drop_exact", "0"),
    ("outer.contracts", "1e30"),
    ("outer.judge", "1e-3"),               # residuals computed at the end alone
    ("outer.tight", "1"),
    ("outer.tight_least", "1"),            # sweeps never end at a smaller change
    ("correction.idle", "1000000"),
    ("law.flat", "1e30"),                  # the ray
    ("law.regular", "1e30"),               # the solve of a whole 3x3 block
    ("factors.cheap", "1e30"),             # every factor counts as cheap; large ones are still delayed
    ("factors.large", "1e30"),             # the delay of large factorizations
    ("factors.stiff", "1e30"),
    ("island.inexact", "1"),
    ("island.extrapolated", "0"),
    ("island.ports", "0"),                 # bodies as one cluster
    ("island.columns", "1e30"),
    ("island.ports_failed", "0"),
    ("island.whole_attempts", "0"),
    ("island.corrected", "0"),             # corrections of whole bodies
    ("island.wasted", "1000000"),
    ("island.later_part", "1"),
    ("ended.unsolved", "1e30"),
    ("ended.failed", "1e30"),
    ("ended.failed_speed", "0"),
    ("attempt.row", "1e30"),               # rows solved again in a round
    ("attempt.joint_times", "0"),
    ("energy.gain", "1e30"),
    ("energy.gain_rigid", "1e30"),
    ("energy.balance_least", "1e30"),      # momentum transferred to contacts
    ("substep.successes", "1"),
    ("substep.equal", "1"),
    ("substep.end", "0"),
    ("substep.tangled", "256"),
    ("substep.rollbacks", "1000000"),
    ("substep.holds", "0"),
    ("substep.zone_soft", "0"),
    ("substep.zone_rigid", "0"),
])
# substep.equal is a ratio near 1: half and double are no such ratios; tools/bench_programs.py is for solvers that these scenes do not take
SKIPPED = ("costs.", "paper.", "substep.equal") + tuple(g + "." for g in bench_programs.GROUPS)


def numbers():
    """[(name, type, value, unit, reason)] as the program lists them"""
    text = subprocess.run([PROGRAM, "--list"], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    return [tuple(line.split("\t")) for line in text.splitlines()]


def trials(kinds, words):
    """[(trial's name, [assignment])], mechanisms first"""
    found = []
    known = numbers()
    for kind in kinds:
        if kind == "off":
            found += [("%s off" % n, ["%s=%s" % (n, v)]) for n, v in OFF.items()]
            continue
        for name, type_, value, _, _ in known:
            value = float(value)
            if name.startswith(SKIPPED) or value == 0:
                continue
            changed = value * (0.5 if kind == "half" else 2)
            if type_ == "int":
                changed = math.floor(changed)
                if changed == value or (changed < 1 and value >= 1):
                    continue
            found.append(("%s %s" % (name, kind), ["%s=%.9g" % (name, changed)]))
    return [t for t in found if not words or any(w in t[0] for w in words)]


def absolute(node, folder):
    """paths of a scene made absolute"""
    if isinstance(node, dict):
        return {k: os.path.join(folder, v) if k in ("mesh", "surface", "keyframes") and isinstance(v, str) else absolute(v, folder)
                for k, v in node.items()}
    return [absolute(v, folder) for v in node] if isinstance(node, list) else node


def scene_of(name, start):
    """the scene's file with a perturbed start"""
    source, _ = SCENES[name]
    path = os.path.join(ROOT, source or "build/scenes/%s/scene.json" % name)
    if source and source.startswith("scenes/"):
        path = os.path.join(DATA, source)
    if not source and not os.path.exists(path):
        subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--only", name, "--out",
                               os.path.join(ROOT, "build", "scenes")],
                              stdout=subprocess.DEVNULL)
    if start == 0:
        return path
    with open(path) as f:
        scene = absolute(json.load(f), os.path.dirname(os.path.abspath(path)))
    g = scene.get("gravity", [0, -9.81, 0])
    size = math.sqrt(sum(x * x for x in g))
    scene["gravity"] = [g[0] + 0.6e-6 * start * size, g[1], g[2] - 0.8e-6 * start * size]
    out = os.path.join(FOLDER, "%s_%d.json" % (name, start))
    with open(out, "w") as f:
        json.dump(scene, f)
    return out


def run(path, steps, settings):
    command = [PROGRAM] + settings + ["run", path, "--json", "--quiet"] + (["--steps", str(steps)] if steps else [])
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    try:
        s = json.loads(p.stdout)
    except ValueError:
        return {"failed": (p.stderr.strip() or "no summary")[-200:]}
    keys = ("hash", "cpu_seconds", "median_cpu_ms", "max_cpu_ms", "steps", "solver_iterations", "solver_sweeps", "solves", "substeps", "status",
            "zones", "zone_steps",
            "frozen", "min_distance", "momentum_lost")
    return {k: s[k] for k in keys if k in s}


class Runs:
    """the lines of runs.jsonl, by (trial, scene, start, steps)"""
    def __init__(self):
        self.path = os.path.join(FOLDER, "runs.jsonl")
        self.found = {}
        os.makedirs(FOLDER, exist_ok=True)
        if os.path.exists(self.path):
            with open(self.path) as f:
                for line in f:
                    r = json.loads(line)
                    self.found[(r["trial"], r["scene"], r["start"], r["asked"])] = r

    def add(self, trial, scene, start, steps, result):
        result = dict(result, trial=trial, scene=scene, start=start, asked=steps)
        self.found[(trial, scene, start, steps)] = result
        with open(self.path, "a") as f:
            f.write(json.dumps(result) + "\n")
        return result

    def default(self, scene, start, steps):
        return self.found.get(("default", scene, start, steps))


def measure(args):
    runs, began, fresh = Runs(), time.time(), set()
    plan = [(scene, start) for start in range(args.starts) for scene in args.scenes]
    wanted = trials(args.kinds, args.only)
    for scene, start in plan:
        steps = 0 if args.full else SCENES[scene][1]
        path = scene_of(scene, start)
        for name, settings in [("default", [])] + wanted:
            old, base = runs.found.get((name, scene, start, steps)), runs.default(scene, start, steps)
            zero, same = runs.found.get((name, scene, 0, steps)), runs.default(scene, 0, steps)
            if name != "default" and old and old.get("default") == base["hash"]:
                continue
            if name != "default" and start and zero and same and zero.get("hash") == same["hash"]:
                continue
            if args.limit and time.time() - began > args.limit:
                return
            result = run(path, steps, settings)
            if name == "default" and old and old["hash"] == result.get("hash"):
                continue
            runs.add(name, scene, start, steps, dict(result, default=base["hash"]) if name != "default" else result)
            print("%-32s %-10s %d  %s" % (name, scene, start, result.get("failed") or "%d iterations, %d sweeps, %.2f s" %
                                          (result["solver_iterations"], result["solver_sweeps"], result["cpu_seconds"])), flush=True)


def good(r):
    """share of the steps that ended with a residual up to the tolerance, in percent"""
    return 100.0 * (r["status"]["ok"] + r["status"]["substepped"]) / max(1, r["steps"])


def cell(runs, trial, scene, steps):
    """text of a trial in a scene: ratios of iterations, of sweeps with their range, and of CPU time, medians over the starts"""
    pairs = [(r, runs.default(scene, r["start"], steps)) for k, r in sorted(runs.found.items()) if k[0] == trial and k[1] == scene and k[3] == steps]
    pairs = [(r, d) for r, d in pairs if d]
    if not pairs:
        return "-"
    if any("failed" in r for r, _ in pairs):
        return "failed"
    if pairs[0][0]["start"] == 0 and pairs[0][0]["hash"] == pairs[0][1]["hash"]:
        return "="
    ratios = [[r[key] / max(1e-9, d[key]) for r, d in pairs] for key in ("solver_iterations", "solver_sweeps", "cpu_seconds")]
    text = " ".join("%.2f" % statistics.median(x) + (" (%.2f..%.2f)" % (min(x), max(x)) if len(x) > 1 and k == 1 else "")
                    for k, x in enumerate(ratios))
    ok = statistics.median([good(r) - good(d) for r, d in pairs])
    zones = statistics.median([r["zones"] - d["zones"] for r, d in pairs])
    return text + (" ok %+.0f" % ok if abs(ok) > 0.5 else "") + (" zones %+d" % zones if zones else "")


def table(args):
    runs = Runs()
    shown = [k for k in runs.found if k[0].split()[-1] in args.kinds]
    scenes = [s for s in SCENES if any(k[1] == s for k in shown)]
    lead, mid, end = ("| ", " | ", " |") if args.markdown else ("", "  ", "")
    for scene in scenes:
        steps = sorted({k[3] for k in runs.found if k[1] == scene})
        for n in steps:
            d = [runs.default(scene, s, n) for s in range(16) if runs.default(scene, s, n)]
            if d:
                text = ", ".join("%s %d (%d..%d)" % (key[7:], statistics.median(x), min(x), max(x)) for key, x in
                                 ((key, [r[key] for r in d]) for key in ("solver_iterations", "solver_sweeps")))
                print("%s: %d steps, starts %d, %s, up to the tolerance %.0f %%, zones %d, CPU %.2f s (%.2f..%.2f)" % (
                    scene, d[0]["steps"], len(d), text, statistics.median([good(r) for r in d]), statistics.median([r["zones"] for r in d]),
                    *(f([r["cpu_seconds"] for r in d]) for f in (statistics.median, min, max))))
    print()
    names = []
    for k in shown:
        if k[0] not in names:
            names.append(k[0])
    print(lead + mid.join(["trial"] + scenes) + end)
    if args.markdown:
        print("|---" * (1 + len(scenes)) + "|")
    for name in sorted(names, key=lambda n: (n.split(".")[0], n)):
        cells = [cell(runs, name, s, 0 if args.full else SCENES[s][1]) for s in scenes]
        label = "%s = %s" % (name[:-4], OFF[name[:-4]]) if name.endswith(" off") and name[:-4] in OFF else name
        print(lead + mid.join([("%s" if args.markdown else "%-30s") % label] + [("%s" if args.markdown else "%-30s") % c for c in cells]) + end)


def halves(args):
    """half and double in one row a number; then the numbers that never acted"""
    runs, still = Runs(), []
    for scene in args.scenes:
        d = [r for k, r in runs.found.items() if k[0] == "default" and k[1] == scene and "failed" not in r]
        if not d:
            sys.exit("bench_policy.py: no default run of %s" % scene)
        first = runs.default(scene, 0, SCENES[scene][1])
        ratios = [r["solver_sweeps"] / max(1, first["solver_sweeps"]) for r in d]
        print("- %s: %d steps, %d iterations, %d sweeps, up to the tolerance %.0f %%, zones %d; %d starts: %.2f to %.2f times the sweeps, %.0f to %.0f %%" % (
            scene, first["steps"], first["solver_iterations"], first["solver_sweeps"], good(first), first["zones"], len(d), min(ratios), max(ratios),
            min(map(good, d)), max(map(good, d))))
    print("\n| number | %s |" % " | ".join(args.scenes))
    print("|---" * (1 + len(args.scenes)) + "|")
    for name, type_, value, _, _ in sorted(numbers(), key=lambda n: n[0]):
        cells = []
        for scene in args.scenes:
            n, pair = SCENES[scene][1], []
            d = runs.default(scene, 0, n)
            for kind in ("half", "double"):
                r = runs.found.get(("%s %s" % (name, kind), scene, 0, n))
                if not r:
                    pair.append("-")
                elif "failed" in r:
                    pair.append("failed")
                elif r["hash"] == d["hash"]:
                    pair.append("=")
                else:
                    ok = good(r) - good(d)
                    pair.append("%.2f" % (r["solver_sweeps"] / max(1, d["solver_sweeps"])) + (" ok %+.0f" % ok if abs(ok) > 0.5 else ""))
            cells.append("; ".join(pair) if pair[0] != pair[1] or pair[0] not in "-=" else pair[0])
        if any(c not in ("-", "=", "-; =", "=; -") for c in cells):
            print("| %s, %s | %s |" % (name, value, " | ".join(cells)))
        elif any("=" in c for c in cells):
            still.append(name)
    print("\nNo bit of any run changed with half or double of: %s." % ", ".join("`%s`" % n for n in still))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", default="S1,S2,S3_N8", type=lambda t: t.split(","))
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--kinds", default="off", type=lambda t: t.split(","))
    parser.add_argument("--only", default="", type=lambda t: [w for w in t.split(",") if w])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--limit", type=float, default=0)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--halves", action="store_true")
    args = parser.parse_args()
    unknown = [s for s in args.scenes if s not in SCENES]
    if unknown:
        sys.exit("bench_policy.py: no scene '%s'; there are %s" % (unknown[0], ", ".join(SCENES)))
    if args.table or args.halves:
        (halves if args.halves else table)(args)
        return
    if not os.path.exists(PROGRAM):
        sys.exit("bench_policy.py: FIX: make build/bench_policy")
    measure(args)


if __name__ == "__main__":
    main()
