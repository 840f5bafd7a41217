#!/usr/bin/env python3
"""size_table.py -- compiles contact.h with one set of switches after the other and writes sizes and compile times into docs/switches.md.

usage: python3 tools/size_table.py            measure and rewrite the table of docs/switches.md between its two marks
       python3 tools/size_table.py --check    compile again, compare the sizes where the table's compiler is this one; times are not compared
--once: each row is one run. STB_CFLAGS: where stb/stb_ds.h is. Sizes are code and constants (`size`, text); times are process CPU time of the
compiler, the smaller of two runs.
"""
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "switches.md")
BEGIN, END = "<!-- sizes: made by `make sizes` -->", "<!-- end of sizes -->"
GAME = ["-DCONTACT_PRESET_GAME"]
# variant, level, flags
ROWS = [("everything", "-O2", []),
        ("everything, `-march=native`", "-O2", ["-march=native"]),
        ("everything, float", "-O2", ["-DCONTACT_REAL=32"]),
        ("everything, `CT_SIMD_NONE`", "-O2", ["-DCONTACT_SIMD=CT_SIMD_NONE"]),
        ("everything, `CONTACT_OPTIMIZE` 2", "-O2", ["-DCONTACT_OPTIMIZE=2"]),
        ("`CONTACT_PRESET_GAME`", "-O2", GAME),
        ("`CONTACT_PRESET_GAME`, `CONTACT_WITH_JOINTS` 0", "-O2", GAME + ["-DCONTACT_WITH_JOINTS=0"]),
        ("`CONTACT_PRESET_GAME`, `-march=native`", "-O2", GAME + ["-march=native"]),
        ("everything, debug: as fast as a release", "-O0", []),
        ("everything, `CONTACT_OPTIMIZE` 0, debug", "-O0", ["-DCONTACT_OPTIMIZE=0"]),
        ("`CONTACT_PRESET_GAME`, `CONTACT_OPTIMIZE` 0, debug", "-O0", GAME + ["-DCONTACT_OPTIMIZE=0"])]


def compiler():
    out = subprocess.run(["gcc", "--version"], stdout=subprocess.PIPE).stdout.decode().splitlines()[0]
    return "gcc " + re.search(r"\d+\.\d+\.\d+", out).group(0)


def machine():
    name = platform.machine()
    for line in open("/proc/cpuinfo") if os.path.exists("/proc/cpuinfo") else []:
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    return "%s, %d processors" % (name, os.cpu_count())


def compile_one(work, switches, level, runs):
    """(bytes of code and constants, seconds)"""
    source, out = os.path.join(work, "c.c"), os.path.join(work, "c.o")
    with open(source, "w") as f:
        f.write('#include "%s/contact.c"\n' % ROOT)
    seconds = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["gcc", level, "-c"] + switches + os.environ.get("STB_CFLAGS", "").split() + [source, "-o", out], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    text = subprocess.run(["size", out], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[1].split()[0]
    return int(text), min(seconds)


def table():
    lines = [BEGIN, "", "%s, x86-64 without `-march`, on %s; seconds of CPU time, which vary by half with what else runs there."
             % (compiler(), machine()),
             "", "| contact.c | level | size | compile |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="contact_sizes_") as work:
        for name, level, switches in ROWS:
            size, seconds = compile_one(work, switches, level, 1 if "--once" in sys.argv else 2)
            lines.append("| %s | `%s` | %.0f KB | %.1f s |" % (name, level, size / 1000.0, seconds))
            print(lines[-1], flush=True)
    return lines + ["", END]


def check(text):
    """Compares its rows with the compiler's results: sizes within 3 %."""
    m = re.search(re.escape(BEGIN) + r"(.*?)" + re.escape(END), text, re.S)
    rows = dict(re.findall(r"^\| ([^|]+?) \| `-O\d` \| (\d+) KB \|", m.group(1), re.M)) if m else {}
    bad = 0
    for name, level, switches in ROWS:
        if name not in rows:
            bad += 1
            print("FAILED sizes: docs/switches.md has no row: %s. FIX: make sizes" % name)
        elif compiler() not in m.group(1):
            print("SKIPPED sizes: %s: the table of docs/switches.md is of another compiler than %s" % (name, compiler()))
        else:
            with tempfile.TemporaryDirectory(prefix="contact_sizes_") as work:
                size = compile_one(work, switches, level, 1)[0]
            # -march=native is another program on another processor
            ok = "native" in name or abs(size / 1000.0 - int(rows[name])) <= 0.03 * int(rows[name]) + 1
            bad += not ok
            if ok:
                print("ok sizes: " + name, flush=True)
            else:
                print("FAILED sizes: %s: %.0f KB, docs/switches.md says %s. FIX: make sizes" % (name, size / 1000.0, rows[name]), flush=True)
    return 1 if bad else 0


def main():
    if not shutil.which("gcc") or not shutil.which("size"):
        print("SKIPPED sizes: gcc or size is not installed (Debian: gcc binutils)")
        return 0
    text = open(PAGE).read()
    if "--check" in sys.argv[1:]:
        return check(text)
    if BEGIN not in text or END not in text:
        raise SystemExit("size_table.py: docs/switches.md has not both marks\nFIX: put these two lines where the table belongs:\n%s\n%s" % (BEGIN, END))
    new = text[:text.index(BEGIN)] + "\n".join(table()) + text[text.index(END) + len(END):]
    with open(PAGE + ".tmp", "w") as f:
        f.write(new)
    os.replace(PAGE + ".tmp", PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
