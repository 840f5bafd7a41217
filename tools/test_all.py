#!/usr/bin/env python3
"""test_all.py -- `make test-all`: `make test`, then longer tests, one set after the other; ends with the list of platforms and skips.

usage: python3 tools/test_all.py [--jobs N] [SET...]          STB_CFLAGS, MAKE are set by the Makefile
A set is a command that prints "ok NAME", "FAILED NAME: why", "SKIPPED NAME: what is missing" or ends with `N passed, N failed, N skipped`;
an exit code other than 0 is a failure even if no line says so. Lines "platform NAME: what ran there" of any set are the list at the end. Each
set's whole output is in build/test_all/SET.log. The last line is `N passed, N failed, N skipped`. Standard library only.
"""
import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAKE = os.environ.get("MAKE", "make").split()
LOGS = os.path.join(ROOT, "build", "test_all")
# name, command, description, seconds after which it counts as hanging
SETS = [
    ("test", MAKE + ["test"], "unit tests, sanitizers, compile twins", 1800),
    ("plain", MAKE + ["test-plain"], "unit tests without sanitizers", 3600),
    ("builds", MAKE + ["test-builds"], "switches, languages, consumers", 7200),
    ("release", MAKE + ["test-release"], "the archive, Debian and npm packages, recipes for vcpkg and Conan", 3600),
    ("sizes", [sys.executable, "tools/size_table.py", "--check"], "the table of sizes in docs/switches.md", 1800),
    ("platforms", [sys.executable, "tests/test_platforms.py", "--steps", "60"], "SIMD paths, other processors and systems, 60 steps a scene", 7200),
    ("dumps", MAKE + ["test-dumps"], "200 problems of ten scenes through every solver, with sanitizers", 7200),
    ("tsan", MAKE + ["test-tsan"], "threads under ThreadSanitizer", 3600),
    ("scenes", MAKE + ["accept"], "long scenes, every step tested for intersections", 7200),
    ("fuzz", MAKE + ["fuzz", "SECONDS=20"], "file readers, 20 seconds each", 1800),
    ("energy", MAKE + ["energy", "WORLDS=2000"], "energy of steps: named cases, 2,000 random worlds", 7200),
    ("judge", ["sh", "-c", "%s build/tests/test_judge >&2 && CONTACT_TEST_MANY=1 build/tests/test_judge && echo ok judge" % " ".join(MAKE)],
     "400 problems of each kind without a solution, every solver, three tolerances", 3600),
    ("mprgp", ["sh", "-c", "%s build/tests/test_mprgp_files >&2 && CONTACT_TEST_MANY=1 build/tests/test_mprgp_files && echo ok mprgp"
               % " ".join(MAKE)],
     "algorithm 3 as printed on all QPs of the data folder", 1200),
    ("soak", MAKE + ["soak", "WORLDS=100"], "random worlds, 100 of them", 3600),
    ("soak rods", MAKE + ["soak", "SET=rods", "WORLDS=50"], "random worlds with rods and points, 50 of them", 3600),
    ("soak across", MAKE + ["soak", "WORLDS=40", "ACROSS=--across"], "snapshots of 40 random worlds that go on in another process", 3600),
    ("soak barrier", MAKE + ["soak", "SET=barrier", "WORLDS=50"], "random worlds of the barrier stepper, 50 of them", 3600),
] + [("soak " + s, MAKE + ["soak", "SET=" + s, "WORLDS=50"], "random worlds of the %s stepper, 50 of them" % s, 3600)
     for s in ("penalty", "layers", "geometric", "explicit")]


def known_targets():
    """Targets of the Makefile with a recipe or prerequisites of their own."""
    text = open(os.path.join(ROOT, "Makefile")).read()
    return set(re.findall(r"^([\w-]+)\s*:(?!=)", text, re.M))


def stream(command, log, timeout):
    """Returns the exit code; every line goes to the log, and results to the screen, too."""
    lines, start = [], time.time()
    with open(log, "w") as f:
        p = subprocess.Popen(["timeout", str(timeout)] + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT)
        for raw in p.stdout:
            line = raw.decode("utf-8", "replace").rstrip("\n")
            f.write(line + "\n")
            lines.append(line)
            if line.startswith(("FAILED", "SKIPPED")):
                print("  " + line, flush=True)
    return p.wait(), lines, time.time() - start


def count(code, lines):
    """(passed, failed, skipped) of a set: its own last line, else its ok, FAILED and SKIPPED lines, else its exit code."""
    ends = [m for m in (re.match(r"(?:\w+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", s) for s in lines) if m]
    if ends:
        passed, failed, skipped = (int(n or 0) for n in ends[-1].groups())
    else:
        passed = sum(s.startswith("ok ") for s in lines)
        failed = sum(s.startswith("FAILED ") for s in lines)
        skipped = sum(s.startswith("SKIPPED ") for s in lines)
        if passed + failed + skipped == 0:
            passed = code == 0
    if code != 0 and failed == 0:
        failed = 1
    return passed, failed, skipped


def compilers():
    for c in ("gcc", "g++", "clang", "clang++", "tcc", "x86_64-w64-mingw32-gcc"):
        if shutil.which(c):
            p = subprocess.run([c, "-v" if c == "tcc" else "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            yield "%s: %s" % (c, (p.stdout.decode("utf-8", "replace").splitlines() or ["?"])[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("sets", nargs="*")
    args = parser.parse_args()
    unknown = [s for s in args.sets if s not in [name for name, *_ in SETS]]
    if unknown:
        raise SystemExit("test_all.py: unknown set %s; sets: %s" % (unknown[0], " ".join(name for name, *_ in SETS)))
    os.makedirs(LOGS, exist_ok=True)
    targets, total = known_targets(), [0, 0, 0]
    table, platforms, skips = [], ["%s %s: this machine" % (platform.system(), platform.machine())] + list(compilers()), []
    for name, command, what, timeout in SETS:
        if args.sets and name not in args.sets:
            continue
        target = command[len(MAKE)] if command[:len(MAKE)] == MAKE else None
        if target and target not in targets:
            n, seconds, lines = (0, 0, 1), 0, ["SKIPPED %s: the Makefile has no target %s" % (name, target)]
        else:
            print("== %s: %s" % (name, what), flush=True)
            if target:
                command = command + ["JOBS=%d" % args.jobs]
            code, lines, seconds = stream(command, os.path.join(LOGS, name + ".log"), timeout)
            n = count(code, lines)
            if code == 124:
                print("  FAILED %s: not done after %d s" % (name, timeout), flush=True)
            if n[1]:
                print("  its end (all of it: build/test_all/%s.log):\n%s" % (name, "\n".join("    " + s for s in lines[-15:])), flush=True)
        total = [a + b for a, b in zip(total, n)]
        table.append("  %-10s %5d passed %4d failed %4d skipped  %6.0f s  %s" % ((name,) + n + (seconds, what)))
        platforms += [s[9:] for s in lines if s.startswith("platform ")]
        skips += ["%s: %s" % (name, s[8:]) for s in lines if s.startswith("SKIPPED ")]
    print("\nsets\n" + "\n".join(table))
    print("platforms\n" + "\n".join("  " + p for p in platforms))
    print("skips\n" + "\n".join("  " + s for s in skips or ["none"]))
    print("%d passed, %d failed, %d skipped" % tuple(total))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
