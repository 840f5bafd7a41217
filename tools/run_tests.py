#!/usr/bin/env python3
"""run_tests.py -- runs the programs that `make test` built, compiles contact.h in every supported way, and counts the results.

usage: python3 tools/run_tests.py [--jobs N] [--stb FLAGS] [--skip-matrix] [--sanitized TESTS] [--float TESTS] TEST...
The last line is `N passed, N failed, N skipped`; exit 1 when something failed. A skip says what was missing. Standard library only.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import lists

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
C_STDS = ["c99", "gnu17"]
CXX_STDS = ["c++11", "c++20"]
# in C gcc reads the file anew for it at every statement: 6 of 7 seconds for contact.h, whose sources are compiled with it
QUICK = ["-Wno-misleading-indentation"]


class Count:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0
        self.lock = threading.Lock()

    def ok(self, ok, what, detail=""):
        with self.lock:
            self.passed += bool(ok)
            self.failed += not ok
            if not ok:
                print("FAILED  %s%s" % (what, "\n" + indent(detail) if detail.strip() else ""), flush=True)
        return bool(ok)

    def skip(self, what, missing):
        with self.lock:
            self.skipped += 1
        print("SKIPPED %s: %s" % (what, missing), flush=True)


def indent(text, limit=30):
    lines = text.strip().splitlines()
    return "\n".join("        " + line for line in lines[:limit])


def run(command, timeout=600, env=None, cwd=ROOT):
    """(exit code, output, seconds); a code below 0 is a signal, -1000 a timeout, which is meant for tests that hang, not for slow ones."""
    start = time.time()
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, env=env, cwd=cwd)
        return p.returncode, p.stdout.decode("utf-8", "replace"), time.time() - start
    except subprocess.TimeoutExpired as e:
        return -1000, (e.stdout or b"").decode("utf-8", "replace") + "\ntimeout after %d s" % timeout, time.time() - start
    except FileNotFoundError:
        return -1001, "%s: not found" % command[0], 0


def run_unit(path):
    # a quarantine of freed memory that holds what some steps free: with 256 MB, the default and make soak's, a fifth of the time is spent on new pages
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:abort_on_error=0:allocator_may_return_null=1:handle_sigill=2:quarantine_size_mb=16",
               CONTACT_TOOL=os.path.join(ROOT, "build", "contact"))
    if "/asan/" in path:
        env["CONTACT_TEST_SANITIZED"] = "1"
    program, source = os.path.join(ROOT, path), os.path.join(ROOT, "tests", os.path.basename(path) + ".c")
    if not os.path.exists(program) or os.path.exists(source) and os.path.getmtime(program) < os.path.getmtime(source):
        return path, None  # make continues after a test that does not compile: an older program of it must not count
    return path, run([os.path.join(ROOT, path)], env=env)


def count_unit(count, path, result):
    """cmocka's own lines: [ OK ], [ FAILED ], [ SKIPPED ]; a crash or a nonzero exit without a failed test is one failure."""
    if result is None:
        return count.ok(False, path, "it was not built")
    code, out, seconds = result
    lines = out.splitlines()
    passed = sum(1 for s in lines if s.startswith("[       OK ]"))
    failed = sorted(set(s[13:].split(":")[0].strip() for s in lines if s.startswith("[  FAILED  ]") and "test(s)" not in s))
    with count.lock:
        count.passed += passed
    last = ""
    end = next((i for i, s in enumerate(lines) if s.startswith("[==========]") and "test(s) run" in s), len(lines))
    for i, s in enumerate(lines[:end]):  # after that line cmocka names them again
        if s.startswith("[  SKIPPED ]") and "test(s)" not in s:
            reason = lines[i - 1] if i and not lines[i - 1].startswith("[") else "the test gives no reason"
            count.skip("%s %s" % (path, s[13:].strip()), reason.strip())
        if s.startswith("[ RUN "):
            last = s[13:]
    for name in failed:
        at = next((i for i, s in enumerate(lines) if s.startswith("[  FAILED  ] " + name)), 0)
        begin = max([i for i, s in enumerate(lines[:at]) if s.startswith("[ RUN ")] + [0])
        count.ok(False, "%s %s" % (path, name), "\n".join(lines[begin + 1:at]))
    if code != 0 and not failed:
        count.ok(False, "%s (exit %d in %s)" % (path, code, last), "\n".join(lines[-25:]))
    if passed + len(failed) == 0 and code == 0:
        count.ok("SKIPPED" in out, path, "no test ran")
    if seconds > 30:
        print("slow    %s took %.0f s" % (path, seconds))


def compiler_of(std, family):
    return {"gcc": ("g++" if "++" in std else "gcc"), "clang": ("clang++" if "++" in std else "clang")}[family]


def benches(stb):
    """Programs of bench/ use internals that change: each has to compile against the sources as they are."""
    flags = ["cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-ffp-contract=off", "-DCONTACT_REAL=64", "-Werror", "-fsyntax-only", *stb]
    for path in sorted(glob.glob(os.path.join(ROOT, "bench", "*.c")) + glob.glob(os.path.join(ROOT, "bench", "paths", "*.c"))):
        yield flags + (["-DCTI_POLICY_MUTABLE"] if path.endswith("bench/policy.c") else []) + [path]


def matrix(have, stb):
    """-fsyntax-only over the compilers that there are, standards, precisions, and two configurations: as users have it, and what is
    farthest from it (no SIMD, all static). Any two of these four meet in some job; all products are in tests/test_builds.py, part languages."""
    jobs = []
    families = [f for f in ("gcc", "clang") if f in have]
    for f, family in enumerate(families):
        for i, std in enumerate(C_STDS + CXX_STDS):
            source = "tests/compile/implementation." + ("cc" if "++" in std else "c")
            header = "tests/compile/header." + ("cc" if "++" in std else "c")
            # the other compiler has the other precision and the other configuration; of four standards each combination of the two is one's
            real = ("64", "32")[(i + f) % 2]
            what = ([], ["-DCONTACT_SIMD=CT_SIMD_NONE", "-DCONTACT_STATIC"])[(i // 2 + f) % 2]
            flags = ["-std=" + std, "-fsyntax-only", "-march=native"] + WARN + QUICK + ["-DCONTACT_REAL=" + real] + what + stb
            jobs.append([compiler_of(std, family)] + flags + [source])
            jobs += [[compiler_of(std, family), "-std=" + std, "-fsyntax-only"] + WARN + ["-DCONTACT_REAL=" + r, header] for r in ("64", "32")]
        jobs.append([compiler_of("c++11", family), "-std=c++11", "-fsyntax-only"] + WARN + QUICK + ["-DCONTACT_THREADS=1"] + stb
                    + ["tests/compile/implementation.cc"])
        jobs.append([compiler_of("c99", family), "-std=c99", "-fsyntax-only"] + WARN + QUICK + ["-DCONTACT_WITH_FILES=0", "-DCONTACT_THREADS=1"] + stb
                    + ["tests/compile/implementation.c"])
    jobs = [job for job in jobs if job[0] in have]
    for solver in lists.SOLVERS if families else []:
        jobs.append(["cc", "-std=c99", "-fsyntax-only"] + WARN + QUICK + lists.without("CMR", solver) + stb + ["tests/compile/implementation.c"])
    return jobs


def links(count, family, real, stb, work):
    """One full link: a C unit with the implementation, C and C++ users; a mix of precisions must not link. Not optimized: the quick start is."""
    cc, cxx = compiler_of("c99", family), compiler_of("c++17", family)
    d = os.path.join(work, family + real)
    os.makedirs(d)
    steps = [[cc, "-std=c99", "-O0", "-DCONTACT_OPTIMIZE=0", "-march=native", "-c", "tests/compile/unit_a.c", "-o", d + "/a.o"] + stb,
             [cc, "-std=c99", "-O1", "-c", "tests/compile/unit_b.c", "-o", d + "/b.o"],
             [cxx, "-std=c++11", "-O1", "-c", "tests/compile/unit_c.cc", "-o", d + "/c.o"]]
    ok = True
    for s in steps:
        code, out, _ = run(s + ["-DCONTACT_REAL=" + real])
        count.ok(code == 0, "%s CONTACT_REAL %s: %s" % (family, real, next(w for w in s if w.startswith("tests/"))), out)
        ok = ok and code == 0
    if not ok:
        return
    code, out, _ = run([cxx, d + "/a.o", d + "/b.o", d + "/c.o", "-lm", "-o", d + "/units"])
    count.ok(code == 0, "%s CONTACT_REAL %s: link of three units" % (family, real), out)
    if code == 0:
        code, out, _ = run([d + "/units"], timeout=60)
        count.ok(code == 0, "%s CONTACT_REAL %s: run of three units" % (family, real), out)
    code, out, _ = run(["nm", "-g", "--defined-only", d + "/a.o"])
    ours = r"ct_\w+%s$|unit_a_\w+$|stbds_\w+$" % ("_f32" if real == "32" else "")
    bad = [s.split()[-1] for s in out.splitlines() if not re.match(ours, s.split()[-1])]
    count.ok(not bad, "%s CONTACT_REAL %s: only ct_ names are exported" % (family, real), " ".join(bad))
    code, out, _ = run([cc, "-std=c99", "-c", "tests/compile/unit_b.c", "-o", d + "/mix.o", "-DCONTACT_REAL=" + ("32" if real == "64" else "64")])
    code2, out, _ = run([cxx, d + "/a.o", d + "/mix.o", d + "/c.o", "-lm", "-o", d + "/mix"])
    count.ok(code == 0 and code2 != 0, "%s: float and double units must not link" % family, out)


def unpack_dist(count, work, stb):
    """The folder that is in the archive of `make dist`, unpacked; the command of examples/README.md finds all that it reads in it."""
    env = dict(os.environ, STB_CFLAGS=" ".join(stb))
    said = [run([sys.executable, "tools/make_dist.py", "--out", os.path.join(work, d)], env=env) for d in ("dist", "again")]
    archives = [glob.glob(os.path.join(work, d, "contact-*.tar.gz")) for d in ("dist", "again")]
    if not count.ok(all(code == 0 for code, _, _ in said) and all(len(a) == 1 for a in archives), "make dist", said[0][1]):
        return None
    count.ok(open(archives[0][0], "rb").read() == open(archives[1][0], "rb").read(), "make dist: twice the same bytes")
    code, out, _ = run([sys.executable, "tools/make_dist.py", "--out", work], env=dict(env, CONTACT_STB_DS_H='"no_stb_ds.h"'))
    count.ok(code == 1 and "FIX" in out, "make dist: refused without stb_ds.h", out)
    run(["tar", "-xzf", archives[0][0], "-C", work])
    d = os.path.join(work, os.path.basename(archives[0][0])[:-len(".tar.gz")])
    missing = [n for n in ["contact.h", "contact.c", "stb_ds.h", "LICENSE"] + ["examples/" + n for n in os.listdir(os.path.join(ROOT, "examples"))]
               if not os.path.exists(os.path.join(d, n))]
    count.ok(not missing, "make dist: everything is in it", " ".join(missing))
    printed = re.search(r"^    (cc .*)$", open(os.path.join(d, "examples", "README.md")).read(), re.M).group(1)
    # the quick start, in the same folder, is compiled and linked as printed; examples() runs this program
    code, out, _ = run(printed.split()[:-2] + ["-fsyntax-only"] + QUICK, cwd=d)
    count.ok(code == 0 and not out.strip() and printed.split()[-2] == "-o", "make dist: " + printed, out)
    return d


def quick_start(count, families, work, stb):
    """The README's program and command in the folder of a release, but not optimized, which has the same results in a quarter of the time. As
    printed it is in tests/test_builds.py, part languages."""
    readme = open(os.path.join(ROOT, "README.md")).read()
    program = re.search(r"```c\n(.*?)```", readme, re.S)
    expected = re.search(r"```console\n\$ ([^\n]*)\n\$ \./quickstart\n(.*?)```", readme, re.S)
    example = os.path.join(ROOT, "examples", "quickstart.c")
    count.ok(bool(program) and bool(expected), "README has a quick start with its output")
    if not program or not expected:
        return
    count.ok(program.group(1) == open(example).read(), "README's program is examples/quickstart.c")
    count.ok(program.group(1).count("\n") <= 12, "README's program has at most 12 lines")
    d = unpack_dist(count, work, stb)
    if not d:
        return
    shutil.copy(os.path.join(d, "examples", "quickstart.c"), d)
    printed = expected.group(1).split()
    languages = [["gcc", "-std=c99"]] + ([["g++", "-std=c++17", "-x", "c++"]] if "g++" in families else [])
    for language in languages:
        code, out, _ = run(language + ["-fsyntax-only"] + [word for word in printed[1:] if word.endswith(".c")], cwd=d)
        count.ok(code == 0 and not out.strip(), "quick start: " + " ".join(language), out)
    count.ok("-O2" in printed, "README's quick start is optimized")
    printed = " ".join(printed).replace("-O2", "-O0 -DCONTACT_OPTIMIZE=0").split()
    code, out, _ = run(printed, cwd=d)
    count.ok(code == 0 and not out.strip(), "quick start: " + " ".join(printed), out)
    if code == 0:
        code, out, _ = run([d + "/quickstart"], timeout=60, cwd=d)
        count.ok(code == 0 and out == expected.group(2), "quick start output", "expected:\n%s\ngot:\n%s" % (expected.group(2), out))


# parts that a switch removes, and a function of each
PARTS = {"RODS": "cti_rod_batch_assemble", "JOINTS": "cti_joints_add", "REPAIR": "cti_untangle_world", "QUERIES": "cti_ask_all",
         "MESHING": "cti_lattice_build", "FORMS": "cti_form_step", "PRINTED": "cti_ica_paper_solve", "PROBLEMS": "cti_problems_solve"}


def switches(count, cc, stb, work):
    """Builds with one solver and one stepper: they work, refuse the others by name, and the others' code is not in them. All pairs are in
    tests/test_builds.py, part switches."""
    for solver, stepper in (("PGS", "CMR"), ("MPRGP", "DCD"), ("ICA", "BARRIER")):
        what = "%s and %s alone" % (solver, stepper)
        program = os.path.join(work, "switches_" + stepper)
        # not optimized functions that nothing calls are kept: the linker drops them
        code, out, _ = run([cc, "-std=c99", "-O0", "-DCONTACT_OPTIMIZE=0", "-ffunction-sections", "-Wl,--gc-sections",
                            "-DONLY_SOLVER=CT_SOLVER_" + solver]
                           + lists.without(stepper, solver) + ["-DCONTACT_WITH_%s=0" % p for p in PARTS if stepper != "CMR"] + stb
                           + ["tests/compile/switches.c", "-lm", "-o", program])
        count.ok(code == 0, what + ": compiled", out)
        if code != 0:
            continue
        code, out, _ = run([program], timeout=60)
        count.ok(code == 0, what + ": run", out)
        _, out, _ = run(["nm", program])
        gone = ["cti_solver_" + s.lower() for s in lists.SOLVERS if s != solver]
        steps = (("CMR", "cti_step"), ("DCD", "cti_dcd_step"), ("BARRIER", "cti_barrier_step"), ("LAYERS", "cti_layers_step"),
                 ("PENALTY", "cti_penalty_step"), ("GEOMETRIC", "cti_geometric_step"), ("EXPLICIT", "cti_explicit_step"))
        gone += [name for s, name in steps if s != stepper] + [name for name in PARTS.values() if stepper != "CMR"]
        left = [name for name in gone if re.search(r" %s$" % name, out, re.M)]
        count.ok("ct_world_step" in out and not left, what + ": nothing else is in the program", " ".join(left))


def example(count, name, stb, work, check_all):
    """One example: compiled as it stands (its own implementation is only looked at where check_all), linked to the library, and run."""
    path = os.path.join(ROOT, "examples", name)
    text = open(path).read()
    cc = ["cc", "-std=c99"] if name.endswith(".c") else ["c++", "-std=c++11"]
    if check_all:
        code, out, _ = run(cc + ["-Wall", "-Wextra", "-fsyntax-only"] + QUICK + stb + ["-I", ROOT, path])
        count.ok(code == 0 and not out.strip(), "example %s with its implementation" % name, out)
    count.ok(len(text.splitlines()) < 150 and " -O2 " in text[:80], "example %s is short, and begins with its command" % name)
    # the library in float has no suffixes, as contact.h's functions have
    library, header = ("libcontact_dev32.a", "src/public/api.h") if "#define CONTACT_REAL 32" in text else ("libcontact_dev.a", "contact.h")
    source = os.path.join(work, name)
    with open(source, "w") as f:
        f.write(text.replace("#define CONTACT_IMPLEMENTATION\n", "").replace('"contact.h"', '"%s"' % header))
    code, out, _ = run(cc + ["-O1", "-Wall", "-Wextra", "-I", ROOT, source, os.path.join(ROOT, "build", library), "-pthread", "-lm", "-o",
                             source + ".run"])
    count.ok(code == 0 and not out.strip(), "example %s links" % name, out)
    if code == 0:
        code, out, _ = run([source + ".run"], timeout=60, cwd=work)
        count.ok(code == 0 and out.strip() != "", "example %s runs" % name, out)


def examples(count, stb, work):
    """Every example compiles as C or C++ and runs when it is linked to the library; its exit code says whether the physics is right. The whole file
    is compiled with one example for each way of switching it: it is the same in the others."""
    seen = set()
    table = open(os.path.join(ROOT, "examples", "README.md")).read()
    for name in sorted(os.listdir(os.path.join(ROOT, "examples"))):
        stem, kind = os.path.splitext(name)
        if kind not in (".c", ".cc"):
            continue
        count.ok("| `%s` |" % name in table, "examples/README.md has " + name)
        if stem == "quickstart":
            continue
        if kind == ".cc" and not shutil.which("c++"):
            count.skip("example " + name, "no C++ compiler (g++) is installed")
            continue
        switches = re.findall(r"^#define CONTACT_.*", open(os.path.join(ROOT, "examples", name)).read(), re.M)
        way = (kind,) + tuple(switches)
        example(count, name, stb, work, way not in seen)
        seen.add(way)


def install_cxx():
    """As root a missing C++ compiler is installed, as tools/deps.sh does with libraries; an ordinary user's tests of it are skipped by name."""
    if shutil.which("c++") or os.geteuid() != 0 or not shutil.which("apt-get") or os.environ.get("CONTACT_PRIVATE_DEPS"):
        return
    print("run_tests.py: installing g++", flush=True)
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    if run(["apt-get", "update"], env=env)[0] == 0:
        run(["apt-get", "install", "-y", "--no-install-recommends", "g++"], env=env)


def run_all(count, args, pool, stb, work):
    """Starts long jobs first, so that no processor waits at the end; results are counted in a fixed order."""
    install_cxx()
    have = [c for c in ("gcc", "g++", "clang", "clang++") if shutil.which(c)]
    families = [f for f in ("gcc", "clang") if f in have and compiler_of("c++", f) in have] if not args.skip_matrix else []
    parts = [] if args.skip_matrix else [pool.submit(quick_start, count, have, work, stb)]
    names = ("test_tools", "test_scenes", "test_open", "test_commands", "test_sweep", "test_view", "test_python", "test_release", "test_sentences",
             "test_docs")
    scripts = [(name, pool.submit(run, [sys.executable, "tests/%s.py" % name])) for name in names]
    sanitized, plain, floats = ([pool.submit(run_unit, "build/%s/%s" % (d, t)) for t in tests] for d, tests in
                                (("asan", args.sanitized.split()), ("tests", args.tests), ("tests32", args.float.split())))
    if not args.skip_matrix:
        # each compiler and each precision once; tests/test_builds.py has all products
        parts += [pool.submit(links, count, f, real, stb, work) for f, real in zip(families[:1] + families[-1:], ("64", "32"))]
        parts += [pool.submit(examples, count, stb, work), pool.submit(switches, count, "clang" if "clang" in have else "cc", stb, work)]
    jobs = [] if args.skip_matrix else matrix(have, stb) + list(benches(stb))
    twins = [pool.submit(run, job) for job in jobs]
    for unit in sanitized + plain + floats:
        count_unit(count, *unit.result())
    code, out, _ = run([sys.executable, "tools/amalgamate.py", "--check"])
    count.ok(code == 0, "contact.h is fresh", out)
    code, out, _ = run([sys.executable, "tools/house.py", "--check"])
    count.ok(code == 0, "the sources keep their limits", out)
    for name, script in scripts:
        count_script(count, name, script.result())
    if not args.skip_matrix:
        for c in ("g++", "clang"):
            if c not in have:
                count.skip("compile twins with " + c, c + " is not installed")
    for job, twin in zip(jobs, twins):
        count.ok(twin.result()[0] == 0, " ".join(job), twin.result()[1])
    for part in parts:
        part.result()
    for what, of in (("sanitized", sanitized), ("plain", plain), ("float", floats)):
        print("%s tests: %.0f s" % (what, sum(u.result()[1][2] for u in of if u.result()[1])))
    slow = sorted(((u.result()[1][2], u.result()[0]) for u in sanitized + plain + floats if u.result()[1]), reverse=True)[:8]
    print("slowest: " + ", ".join("%s %.0f s" % (path[len("build/"):], seconds) for seconds, path in slow))
    print("scripts: %.0f s" % sum(s.result()[2] for _, s in scripts))
    print("compile twins: %d, %.0f s" % (len(jobs), sum(t.result()[2] for t in twins)))


def count_script(count, name, result):
    code, out, _ = result
    for line in out.splitlines():
        if line.startswith(("ok ", "FAILED ")):
            count.ok(line.startswith("ok "), name + ": " + line)
        elif line.startswith("SKIPPED "):
            count.skip(name, line[8:])
    count.ok(code == 0, "tests/%s.py" % name, "\n".join(out.splitlines()[-20:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--build-status", type=int, default=0, help="exit code of `make -k test-build`")
    parser.add_argument("--stb", default="")
    parser.add_argument("--skip-matrix", action="store_true")
    parser.add_argument("--float", default="", help="tests that also run in float")
    parser.add_argument("--sanitized", default="", help="tests that also run with sanitizers")
    parser.add_argument("tests", nargs="*")
    args = parser.parse_args()
    start = time.time()
    count = Count()
    count.ok(args.build_status == 0, "make test-build", "it ended with %d: not everything was built; make printed why" % args.build_status)
    stb = args.stb.split()
    pool = concurrent.futures.ThreadPoolExecutor(max(1, args.jobs))
    with tempfile.TemporaryDirectory(prefix="contact_test_") as work:
        run_all(count, args, pool, stb, work)
    print("all: %.0f s" % (time.time() - start))
    print("%d passed, %d failed, %d skipped" % (count.passed, count.failed, count.skipped))
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
