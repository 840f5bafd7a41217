#!/usr/bin/env python3
"""bench_programs.py -- half and double of each tuned number of the stand-alone solvers (src/4_programs/program_policy.h) over the problems of the data
folder: how many results change, which outcomes, and the CPU time.

usage: python3 tools/bench_programs.py [WORD...] [--seconds S] [--worlds N]
WORD       numbers whose name has one of the words; default: all
--seconds  problems that take longer with a solver are left out (default 0.1)
--worlds   steps of the scenes two_cubes, slope and overlap with each solver of worlds, for groups that act there (default 25; 0: none)

A result is the outcome, the number of iterations and the residual, to the bit; of a world the number of ok steps, iterations and the final state.
Half of an integer is rounded down. Needs make build/bench_policy and the data folder (CONTACT_DATA). Standard library only.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("BENCH_POLICY", os.path.join(ROOT, "build", "bench_policy"))
DATA = os.environ.get("CONTACT_DATA", os.path.join(ROOT, "..", "shared", "data"))
# group: solvers that its numbers act in; + paper: as printed
GROUPS = {"pivot": "ca boxed mprgp lemke active_set", "lemke": "lemke boxed", "active": "active_set mprgp+paper",
          "convex": "interior active_set ica mprgp", "cones": "interior", "friction": "newton admm interior active_set mprgp",
          "stagger": "active_set mprgp", "mprgp": "mprgp mprgp+paper", "pgs": "pgs ca admm active_set", "ica": "ica ica+paper",
          "judge": "interior ca lemke active_set mprgp pgs", "bridge": ""}
WORLDS = ("pivot", "friction", "stagger", "cones", "pgs", "bridge")
SCENES = ("two_cubes", "slope", "overlap")


def solve(numbers, file, solver, limit):
    name, _, paper = solver.partition("+")
    try:
        r = subprocess.run([PROGRAM] + numbers + ["solve", file, "--solver", name, "--json", "--time-limit", str(limit)] +
                           (["--paper"] if paper else []), capture_output=True, text=True, timeout=30 + limit)
    except subprocess.TimeoutExpired:
        return "timeout", 0, 0, 30
    if not r.stdout.startswith("{"):
        return "failed", r.stderr, 0, 0
    d = json.loads(r.stdout.split("\n")[0])
    return d["status"], d["iterations"], d["residual"], d["seconds"]


def world(numbers, scene, solver, steps):
    out = os.path.join(ROOT, "build", "bench_programs_%s_%s" % (scene, solver))
    r = subprocess.run([PROGRAM] + numbers + ["run", os.path.join(ROOT, "examples", "scenes", scene + ".json"), "--steps", str(steps), "--solver",
                       solver, "--frames", "none", "--out", out, "--json"], capture_output=True, text=True)
    d = json.loads(r.stdout)
    return "%d ok" % d["status"]["ok"], d["solver_iterations"], d["hash"], d["cpu_seconds"]


def main():
    parser = argparse.ArgumentParser(description="half and double of the tuned numbers of stand-alone solvers")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--worlds", type=int, default=25)
    o = parser.parse_args()
    files = sorted(glob.glob(os.path.join(DATA, "problems", "*", "*.*cp*")))
    lines = [x.split("\t") for x in subprocess.run([PROGRAM, "--list"], check=True, capture_output=True, text=True).stdout.split("\n") if x]
    lines = [x for x in lines if x[0].split(".")[0] in GROUPS and (not o.words or any(w in x[0] for w in o.words))]
    pool = concurrent.futures.ThreadPoolExecutor(2)
    plain = {}

    def results(numbers, jobs):
        return list(pool.map(lambda job: job[0](numbers, *job[1:]), jobs))

    def jobs_of(group):
        if group not in plain:
            jobs = [(solve, f, s, 3 * o.seconds) for f in files for s in GROUPS[group].split()]
            jobs += [(world, c, s, o.worlds) for c in SCENES for s in ("newton", "admm", "interior", "pgs", "mprgp", "active_set")
                     if group in WORLDS and o.worlds]
            found = [(j, r) for j, r in zip(jobs, results([], jobs)) if r[3] < o.seconds * (1 if j[0] is solve else 10)]
            plain[group] = [j for j, _ in found], [r for _, r in found]
        return plain[group]

    for name, kind, value, _, _ in lines:
        jobs, before = jobs_of(name.split(".")[0])
        for word, factor in (("half", 0.5), ("double", 2)):
            number = int(float(value) * factor) if kind == "int" else float(value) * factor
            after = results(["%s=%.12g" % (name, number)], jobs)
            changed = [(j, a, b) for j, a, b in zip(jobs, before, after) if a[:3] != b[:3]]
            outcomes = ["%s %s: %s, %s" % (os.path.basename(j[1]), j[2], a[0], b[0]) for j, a, b in changed if a[0] != b[0]]
            print("%-20s %-6s %4d of %4d change, time %.2f; %s" % (name, word, len(changed), len(jobs), sum(r[3] for r in after) /
                                                                   max(1e-9, sum(r[3] for r in before)), "; ".join(outcomes[:6])), flush=True)


if __name__ == "__main__":
    main()
