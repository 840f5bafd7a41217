#!/usr/bin/env python3
"""bench_paths.py -- measures what each SIMD path gains over plain C, and the cost of CONTACT_DETERMINISTIC: bench/paths/paths.c, built once for each.

usage: python3 tools/bench_paths.py [--rounds N] [--steps N] [--real 32|64] [WORD...]       only paths with a WORD in their name
The paths take turns, ROUNDS times; a figure is the median of its rounds in process CPU time. Prints a table in Markdown: the first column of
a group in nanoseconds or milliseconds, the others as speedups over the first. Standard library only. CONTACT_H names another contact.h.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import lists

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# parts that are not measured are left out: compiling them takes longer than running the others
LEAN = ["-DCONTACT_WITH_FILES=0"] + lists.without("CMR", "ICA")
SOURCE = os.path.join(ROOT, "bench", "paths", "paths.c")
WIDE = "-mavx2 -mfma -mavx512f -mavx512dq -mprefer-vector-width=256"
# name, compiler, flags, features of the processor; a group starts with its NONE
GROUPS = [
    ("gcc -O2, x86-64", [("NONE", "gcc", "-O2 -DCONTACT_SIMD=CT_SIMD_NONE", ()), ("SSE2", "gcc", "-O2", ()),
                         ("AVX2", "gcc", "-O2 -mavx2 -mfma", ("avx2", "fma")),
                         ("AVX512", "gcc", "-O2 -DCONTACT_SIMD=CT_SIMD_AVX512 " + WIDE, ("avx512f", "avx512dq")),
                         ("AVX2, fused", "gcc", "-O2 -mavx2 -mfma -DCONTACT_DETERMINISTIC=0", ("avx2", "fma")),
                         ("AVX512, fused", "gcc", "-O2 -DCONTACT_DETERMINISTIC=0 -DCONTACT_SIMD=CT_SIMD_AVX512 " + WIDE, ("avx512f", "avx512dq"))]),
    ("clang -O2, WebAssembly in node", [("NONE", "clang", "--target=wasm32-wasi --sysroot=/usr -O2", ("node",)),
                                        ("WASM", "clang", "--target=wasm32-wasi --sysroot=/usr -O2 -msimd128", ("node",))]),
]


def stb_flags(work):
    for folder in ("/usr/include", "/usr/local/include", os.path.join(ROOT, "build/deps/root/usr/include")):
        if os.path.exists(folder + "/stb/stb_ds.h"):
            shutil.copytree(folder + "/stb", work + "/stb")
            return ["-I" + work]
    return []


def cpu_flags():
    try:
        with open("/proc/cpuinfo") as f:
            return set(next(line for line in f if line.startswith("flags")).split())
    except (OSError, StopIteration):
        return set()


def build(work, stb, real, group, name, compiler, flags, needs):
    if shutil.which(compiler) is None or ("node" in needs and (not shutil.which("node") or not os.path.exists("/usr/lib/wasm32-wasi/libc.a"))):
        print("SKIPPED %s %s: Debian packages clang, lld, wasi-libc, libclang-rt-dev-wasm32, nodejs" % (group, name))
        return None
    lacks = [n for n in needs if n != "node" and n not in cpu_flags()]
    if lacks:
        print("SKIPPED %s %s: this processor has no %s" % (group, name, ", ".join(lacks)))
        return None
    program = os.path.join(work, "".join(c if c.isalnum() else "_" for c in group + name))
    header = os.environ.get("CONTACT_H")
    command = [compiler, "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-w", "-DCONTACT_REAL=%d" % real] + LEAN + flags.split() + stb
    command += ['-DPATHS_CONTACT_H="%s"' % os.path.abspath(header)] if header else []
    subprocess.check_call(command + [SOURCE, "-lm", "-o", program])
    return ["node", "--no-warnings", os.path.join(ROOT, "tests", "platforms", "wasi.mjs"), program] if "node" in needs else [program]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--real", type=int, default=64)
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="contact_paths_") as work:
        stb = stb_flags(work)
        for group, paths in GROUPS:
            runs = {}
            for name, compiler, flags, needs in paths:
                if not args.words or any(w in name for w in args.words) or name == "NONE":
                    command = build(work, stb, args.real, group, name, compiler, flags, needs)
                    if command:
                        runs[name] = (command, {})
            for _ in range(args.rounds):
                for command, found in runs.values():
                    out = subprocess.run(command + [str(args.steps)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode()
                    for line in out.splitlines():
                        what, value, unit = line.split()
                        found.setdefault((what, unit), []).append(float(value))
            if len(runs) < 2:
                continue
            names = list(runs)
            print("\n%s, CONTACT_REAL %d, medians of %d rounds\n" % (group, args.real, args.rounds))
            print("| | %s |\n|---|%s" % (" | ".join(names), "---|" * len(names)))
            first = runs[names[0]][1]
            for what, unit in first:
                base = statistics.median(first[what, unit])
                cells = ["%.3g %s" % (base, unit)] + ["%.2f" % (base / statistics.median(runs[n][1][what, unit])) for n in names[1:]]
                print("| %s | %s |" % (what.replace("_", " "), " | ".join(cells)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
