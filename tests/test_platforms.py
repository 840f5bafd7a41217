#!/usr/bin/env python3
"""test_platforms.py -- the same bits from every SIMD path, compiler, optimization and processor: tests/platforms/bits.c, a program that
prints hashes of results of contact.h, is built in every way of the list below and run; each must print the lines of tests/platforms/golden.txt.

usage: python3 tests/test_platforms.py [--jobs N] [--steps N] [--list] [--record] [WORD...]     only platforms with a WORD in their name
--steps shortens the long scenes (600), --record writes golden.txt from the first platform of each precision, for a change that is meant to
change results. Prints "ok NAME ... seconds", "FAILED NAME: the first line that differs" or "SKIPPED NAME: what is missing"; ends with a
line of counts. Standard library only. CONTACT_H names another contact.h to test; STB_CFLAGS says where stb_ds.h is.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.join(ROOT, "tests", "platforms")
GOLDEN = os.path.join(HERE, "golden.txt")
# no -std: with -std=c99 gcc does not fuse products and sums by itself; that it does not in gnu17 (from -O2 on) is tested
STD = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter"]
# Allowed from libm and the compiler's own library: functions that IEEE 754 rounds, and exact ones. No other mathematical name may be imported
EXACT = {"sqrt", "sqrtf", "floor", "remainder", "frexp", "ldexp", "fabs"}
MATHEMATICS = re.compile(r"^(a?(sin|cos|tan)h?|atan2|exp2?|expm1|log(10|1p|2|b)?|pow|cbrt|hypot|fma|fm(ax|in|od)|fdim|erfc?|[lt]gamma|"
                         r"ceil|round|trunc|rint|nearbyint|l?l?rint|l?l?round|modf|scalbl?n|ilogb|copysign|nextafter|sincos|"
                         r"sqrt|floor|remainder|remquo|frexp|ldexp|fabs|drand48|rand)[fl]?$")
WINE = "/usr/lib/wine/wine64"


class Platform:
    def __init__(self, name, compiler, flags, real=64, cpu=(), runner=(), packages="", steps=None):
        self.name, self.compiler, self.flags, self.real = "%s %d" % (name, real), compiler, flags.split(), real
        self.cpu, self.runner, self.packages, self.steps = cpu, list(runner), packages, steps


QEMU = (["qemu-aarch64"], "qemu-user")
ARM = "gcc-aarch64-linux-gnu, libc6-dev-arm64-cross"
WASM = "clang, lld, wasi-libc, libclang-rt-dev-wasm32"
AVX512 = ("avx512f", "avx512dq")


def platforms():
    """Every SIMD path, compiler, level and processor at least once in double; every path in float."""
    for real in (64, 32):
        yield Platform("gcc -O2 SSE2", "gcc", "-O2 -DCONTACT_OPTIMIZE=2", real)
        yield Platform("gcc -O1 NONE", "gcc", "-O1 -DCONTACT_SIMD=CT_SIMD_NONE", real)
        yield Platform("gcc -O2 AVX2", "gcc", "-O2 -mavx2 -mfma", real, ("avx2", "fma"))
        yield Platform("gcc -O3 AVX512", "gcc", "-O3 -DCONTACT_OPTIMIZE=0 -mavx2 -mfma -mavx512f -mavx512dq -DCONTACT_SIMD=CT_SIMD_AVX512",
                       real, AVX512)
        yield Platform("clang -O2 AVX2", "clang", "-O2 -mavx2 -mfma", real, ("avx2", "fma"), packages="clang")
        yield Platform("aarch64 gcc -O2 NEON", "aarch64-linux-gnu-gcc", "-O2 -static", real, runner=["qemu-aarch64"], packages=ARM)
        yield Platform("mingw -O2 SSE2", "x86_64-w64-mingw32-gcc", "-O2", real, runner=[WINE], packages="gcc-mingw-w64-x86-64")
        yield Platform("wasm clang -O2 WASM", "clang", "--target=wasm32-wasi -O2 -msimd128", real, runner=["node"], packages=WASM)
    yield Platform("gcc -O2 NONE", "gcc", "-O2 -DCONTACT_SIMD=CT_SIMD_NONE")
    for real in (64, 32):  # the plain loops that other compilers use in place of gcc's vectors
        yield Platform("gcc -O0 NONE loops", "gcc", "-O0 -DCONTACT_OPTIMIZE=0 -DCONTACT_SIMD=CT_SIMD_NONE -DCTI_SIMD_PLAIN", real)
    yield Platform("gcc -O0 native", "gcc", "-O0 -DCONTACT_OPTIMIZE=0 -march=native")
    yield Platform("gcc -O0 SSE2 by pragma", "gcc", "-O0")
    yield Platform("gcc -O3 native", "gcc", "-O3 -DCONTACT_OPTIMIZE=0 -march=native")
    yield Platform("clang -O0 NONE", "clang", "-O0 -DCONTACT_SIMD=CT_SIMD_NONE", packages="clang")
    yield Platform("clang -O3 AVX512", "clang", "-O3 -mavx2 -mfma -mavx512f -mavx512dq -DCONTACT_SIMD=CT_SIMD_AVX512", cpu=AVX512, packages="clang")
    yield Platform("g++ -O2 native", "g++", "-O2 -march=native", packages="g++")
    yield Platform("aarch64 gcc -O3 NONE", "aarch64-linux-gnu-gcc", "-O3 -DCONTACT_OPTIMIZE=0 -static -DCONTACT_SIMD=CT_SIMD_NONE",
                   runner=["qemu-aarch64"], packages=ARM)
    yield Platform("aarch64 gcc -O0 NEON", "aarch64-linux-gnu-gcc", "-O0 -DCONTACT_OPTIMIZE=0 -static", runner=["qemu-aarch64"], packages=ARM)
    yield Platform("mingw -O3 NONE", "x86_64-w64-mingw32-gcc", "-O3 -DCONTACT_OPTIMIZE=0 -DCONTACT_SIMD=CT_SIMD_NONE", runner=[WINE],
                   packages="gcc-mingw-w64-x86-64")
    yield Platform("wasm clang -O3 NONE", "clang", "--target=wasm32-wasi -O3", runner=["node"], packages=WASM)


class Test:
    def __init__(self, args, work):
        self.args, self.work, self.lock = args, work, threading.Lock()
        self.passed = self.failed = self.skipped = 0
        self.golden = {}
        if os.path.exists(GOLDEN):
            with open(GOLDEN) as f:
                for line in f:
                    if not line.startswith("#"):
                        real, what, value = line.split()
                        self.golden[real, what] = value
        self.stb = os.environ.get("STB_CFLAGS", "").split()
        for folder in ("/usr/include", "/usr/local/include", os.path.join(ROOT, "build/deps/root/usr/include")):
            if os.path.exists(folder + "/stb/stb_ds.h"):  # a copy: a cross compiler must not see the folder's other headers
                shutil.copytree(folder + "/stb", work + "/stb")
                self.stb = ["-I" + work]
                break
        self.cpu = set()
        try:
            with open("/proc/cpuinfo") as f:
                self.cpu = set(next(line for line in f if line.startswith("flags")).split())
        except (OSError, StopIteration):
            pass

    def say(self, result, text):
        with self.lock:
            self.passed += result == "ok"
            self.failed += result == "FAILED"
            self.skipped += result == "SKIPPED"
            print("%-7s %s" % (result, text), flush=True)

    def missing(self, p):
        if not shutil.which(p.compiler):
            return "%s (Debian: %s)" % (p.compiler, p.packages or p.compiler)
        if "wasm" in p.name and not os.path.exists("/usr/lib/wasm32-wasi/libc.a"):
            return "wasi-libc (Debian: %s)" % WASM
        if "wasm" in p.name and not shutil.which("wasm-ld") and not shutil.which("wasm-ld-14"):
            return "wasm-ld (Debian: lld)"
        if p.runner == ["node"] and not shutil.which("node"):
            return "node (Debian: nodejs)"
        if p.runner == QEMU[0] and not shutil.which("qemu-aarch64"):
            return "qemu-aarch64 (Debian: qemu-user)"
        if p.runner == [WINE] and not (shutil.which("wine64") or shutil.which("wine") or os.path.exists(WINE)):
            return "wine64 (Debian: wine64)"
        lacks = [c for c in p.cpu if c not in self.cpu]
        return "this processor has no %s" % ", ".join(lacks) if lacks else None

    def command(self, p, program, steps):
        if p.runner == ["node"]:
            return ["node", "--no-warnings", os.path.join(HERE, "wasi.mjs"), program, str(steps)]
        if p.runner == [WINE]:
            return [shutil.which("wine64") or shutil.which("wine") or WINE, program, str(steps)]
        return p.runner + [program, str(steps)]

    def build(self, p, program):
        flags = STD + p.flags + self.stb + ["-DCONTACT_REAL=%d" % p.real, "-DCONTACT_WITH_FILES=0"]
        if p.compiler == "g++":
            flags += ["-std=gnu++11", "-x", "c++"]
        if "wasm" in p.name:
            flags += ["--sysroot=/usr", "-Wl,-z,stack-size=4194304"]
        header = os.environ.get("CONTACT_H")
        if header:
            flags += ['-DBITS_CONTACT_H="%s"' % os.path.abspath(header)]
        if "gcc" in p.compiler or "++" in p.compiler:
            flags += ["-ffp-contract=fast", "-Wno-maybe-uninitialized", "-Wno-misleading-indentation"]
        source = os.path.join(HERE, "bits.c")
        r = subprocess.run([p.compiler] + flags + [source, "-lm", "-o", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return r.returncode, r.stdout.decode(errors="replace")

    def imports(self, program):
        """Mathematical functions that the program imports from a library and that may round differently elsewhere."""
        r = subprocess.run(["nm", "-D", "--undefined-only", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        names = [line.split()[-1].split("@")[0] for line in r.stdout.decode().splitlines() if line.split()]
        return sorted(n for n in names if MATHEMATICS.match(n) and n not in EXACT)

    def run(self, p):
        why = self.missing(p)
        if why:
            return self.say("SKIPPED", "%s: %s" % (p.name, why))
        program = os.path.join(self.work, re.sub(r"\W+", "_", p.name) + (".exe" if p.runner == [WINE] else ""))
        start = time.time()
        code, out = self.build(p, program)
        built = time.time() - start
        if code:
            return self.say("FAILED", "%s: does not compile\n%s" % (p.name, "\n".join(out.splitlines()[:10])))
        if not p.runner:
            wrong = self.imports(program)
            if wrong:
                return self.say("FAILED", "%s: calls %s, which may differ from machine to machine" % (p.name, ", ".join(wrong)))
        env = dict(os.environ, WINEDEBUG="-all", WINEPREFIX=program + "_wine")
        start = time.time()
        steps = self.args.steps if p.steps is None else min(p.steps, self.args.steps)
        try:
            r = subprocess.run(self.command(p, program, steps), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, timeout=7200)
        except subprocess.TimeoutExpired:
            return self.say("FAILED", p.name + ": more than two hours")
        lines = [line.split() for line in r.stdout.decode(errors="replace").splitlines()]
        simd = next((line for line in r.stderr.decode(errors="replace").splitlines() if line.startswith("simd ")), "")
        if r.returncode or not lines or any(len(line) != 3 for line in lines):
            return self.say("FAILED", "%s: exit %d after %d lines: %s" % (p.name, r.returncode, len(lines), r.stderr.decode(errors="replace")[-300:]))
        expected = next((w for w in ("NONE", "SSE2", "AVX2", "AVX512", "NEON", "WASM") if " %s " % w in p.name), None)
        if expected and not simd.startswith("simd %s," % expected):
            return self.say("FAILED", "%s: the path is '%s'" % (p.name, simd))
        if self.args.record:
            with self.lock:
                self.golden.update(((real, what), value) for real, what, value in lines)
        else:
            # every recorded line must be present, except later ones of long scenes that were cut short
            said = {(real, what): value for real, what, value in lines}
            for (real, what), value in self.golden.items():
                number = re.search(r"_(\d+)$", what)
                if real != str(p.real) or (number and int(number.group(1)) > steps):
                    continue
                if said.get((real, what)) != value:
                    return self.say("FAILED", "%s: %s is %s, recorded is %s (and %d of %d lines are alike)"
                                    % (p.name, what, said.get((real, what)), value,
                                       sum(self.golden.get(k) == v for k, v in said.items()), len(said)))
            unknown = [what for (real, what) in said if (real, what) not in self.golden]
            if unknown:
                return self.say("FAILED", "%s: %s is not recorded; to record: %s" % (p.name, unknown[0], RECORD))
        return self.say("ok", "%-32s %-7s %2d hashes, %d steps; compiled in %.0f s, ran %.0f s"
                        % (p.name, simd.split(",")[0][5:], len(lines), steps, built, time.time() - start))


RECORD = "python3 tests/test_platforms.py --record"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", "2")))
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    chosen = [p for p in platforms() if not args.words or any(w in p.name for w in args.words)]
    if args.list:
        print("\n".join(p.name for p in chosen))
        return 0
    if args.record:  # one for each precision
        chosen = [next(p for p in chosen if p.real == real) for real in (64, 32) if any(p.real == real for p in chosen)]
        args.steps = 600
    with tempfile.TemporaryDirectory(prefix="contact_platforms_") as work:
        test = Test(args, work)
        # those that run longest first
        chosen.sort(key=lambda p: (0 if p.runner == QEMU[0] and "-O0" in p.name else 1 if p.runner else 2))
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            list(pool.map(test.run, chosen))
    if args.record and not test.failed:
        with open(GOLDEN, "w") as f:
            f.write("# what tests/platforms/bits.c prints on every platform: precision, what, hash. Made by: %s\n" % RECORD)
            for (real, what), value in sorted(test.golden.items(), key=lambda item: -int(item[0][0])):
                f.write("%s %s %s\n" % (real, what, value))
    if test.failed and not args.record:
        print("where results were meant to change: %s" % RECORD)
    print("%d passed, %d failed, %d skipped" % (test.passed, test.failed, test.skipped))
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
