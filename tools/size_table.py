#!/usr/bin/env python3
"""size_table.py -- compiles contact.h with one set of switches after the other and writes sizes and compile times into the README.

usage: python3 tools/size_table.py            measure and rewrite the README's table between its two marks
       python3 tools/size_table.py --check    compile again, compare the sizes where the table's compiler is this one; times are not compared
STB_CFLAGS: where stb/stb_ds.h is. Sizes are code and constants (`size`, text), times process CPU time of the compiler, the less of two runs.
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
README = os.path.join(ROOT, "README.md")
BEGIN, END = "<!-- sizes: made by `make sizes` -->", "<!-- end of sizes -->"
SOLVERS = ["ICA", "CA", "PGS", "LEMKE", "BOXED", "ACTIVE_SET", "MPRGP", "INTERIOR", "NEWTON", "ADMM"]
WITHOUT = ["-DCONTACT_WITH_%s=0" % s for s in SOLVERS]
ROWS = [("everything", []),
        ("everything, `CONTACT_REAL` 32", ["-DCONTACT_REAL=32"]),
        ("everything, `CONTACT_SIMD` `CT_SIMD_NONE`", ["-DCONTACT_SIMD=CT_SIMD_NONE"]),
        ("`CONTACT_WITH_FILES` 0", ["-DCONTACT_WITH_FILES=0"]),
        ("CMR and ICA alone, no files", WITHOUT + ["-DCONTACT_WITH_DCD=0", "-DCONTACT_WITH_FILES=0"]),
        ("DCD and MPRGP alone, no files", [w for w in WITHOUT if "MPRGP" not in w] + ["-DCONTACT_WITH_CMR=0", "-DCONTACT_WITH_FILES=0"]),
        ("declarations alone", None)]
LEVELS = ["-O2", "-O0"]


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
        f.write(('#define CONTACT_IMPLEMENTATION\n' if switches is not None else "") + '#include "%s/contact.h"\n' % ROOT)
    seconds = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["gcc", level, "-c"] + (switches or []) + os.environ.get("STB_CFLAGS", "").split() + [source, "-o", out], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    text = subprocess.run(["size", out], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[1].split()[0]
    return int(text), min(seconds)


def table():
    lines = [BEGIN, "", "%s, x86-64 without `-march`, on %s; seconds of CPU time, which vary by half with what else runs there." % (compiler(), machine()),
             "", "| switches | size, -O2 | compile, -O2 | compile, -O0 |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="contact_sizes_") as work:
        for name, switches in ROWS:
            size, fast = compile_one(work, switches, "-O2", 2)
            slow = compile_one(work, switches, "-O0", 2)[1]
            lines.append("| %s | %.0f KB | %.1f s | %.1f s |" % (name, size / 1000.0, fast, slow))
            print(lines[-1], flush=True)
    return lines + ["", END]


def check(text):
    """Rows of the README against what the compiler gives: sizes within 3 %."""
    m = re.search(re.escape(BEGIN) + r"(.*?)" + re.escape(END), text, re.S)
    rows = dict(re.findall(r"^\| ([^|]+?) \| (\d+) KB \|", m.group(1), re.M)) if m else {}
    bad = 0
    for name, switches in ROWS:
        if name not in rows:
            bad += 1
            print("FAILED sizes: the README has no row: %s. FIX: make sizes" % name)
        elif compiler() not in m.group(1):
            print("SKIPPED sizes: %s: the README's table is of another compiler than %s" % (name, compiler()))
        else:
            with tempfile.TemporaryDirectory(prefix="contact_sizes_") as work:
                size = compile_one(work, switches, "-O2", 1)[0]
            ok = abs(size / 1000.0 - int(rows[name])) <= 0.03 * int(rows[name]) + 1
            bad += not ok
            if ok:
                print("ok sizes: " + name, flush=True)
            else:
                print("FAILED sizes: %s: %.0f KB, the README says %s. FIX: make sizes" % (name, size / 1000.0, rows[name]), flush=True)
    return 1 if bad else 0


def main():
    if not shutil.which("gcc") or not shutil.which("size"):
        print("SKIPPED sizes: gcc or size is not installed (Debian: gcc binutils)")
        return 0
    text = open(README).read()
    if "--check" in sys.argv[1:]:
        return check(text)
    if BEGIN not in text or END not in text:
        raise SystemExit("size_table.py: README.md has not both marks\nFIX: put these two lines where the table belongs:\n%s\n%s" % (BEGIN, END))
    new = text[:text.index(BEGIN)] + "\n".join(table()) + text[text.index(END) + len(END):]
    with open(README + ".tmp", "w") as f:
        f.write(new)
    os.replace(README + ".tmp", README)
    return 0


if __name__ == "__main__":
    sys.exit(main())
