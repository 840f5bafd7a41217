#!/usr/bin/env python3
"""test_builds.py -- compiles contact.h in the ways that users do: switches, #error texts, their own stb_ds.h, exported names, languages, projects.

usage: python3 tests/test_builds.py [--jobs N] [PART...]
Parts: errors switches stb memory exports languages msvc mingw consumers (default: all). Prints a line a check, "ok NAME", "FAILED NAME: why" or
"SKIPPED NAME: what is missing"; exit 1 when one failed. Programs that are only run, not measured, are compiled by tcc where it is there (a tenth
of a second), else without optimization. STB_CFLAGS: where stb/stb_ds.h is.
"""
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
HERE = os.path.join(ROOT, "tests", "compile")
STB = os.environ.get("STB_CFLAGS", "").split()
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-Wno-misleading-indentation"]
sys.path.insert(0, os.path.join(ROOT, "tools"))
import lists  # noqa: E402
FAILED = []
LOCK = threading.Lock()


def check(name, ok, why=""):
    with LOCK:
        print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[:600]), flush=True)
        if not ok:
            FAILED.append(name)
    return ok


def skip(name, missing):
    with LOCK:
        print("SKIPPED %s: %s" % (name, missing), flush=True)


def run(command, cwd=ROOT, timeout=600, env=None):
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, timeout=timeout, env=env)
        return p.returncode, p.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return -1000, "timeout after %d s: %s" % (timeout, " ".join(command))
    except FileNotFoundError:
        return -1001, command[0] + ": not found"


def have(tool, what, package):
    if shutil.which(tool):
        return True
    skip(what, "%s is not installed (Debian: %s)" % (tool, package))
    return False


def stb_folder():
    """The folder with stb_ds.h in it, for #include "stb_ds.h"."""
    for f in [s[2:] for s in STB if s.startswith("-I")] + ["/usr/include", "/usr/local/include"]:
        if os.path.exists(os.path.join(f, "stb", "stb_ds.h")):
            return os.path.join(f, "stb")
    return "/usr/include/stb"


def quick(real="64"):
    """A fast compiler with its flags; tcc is not used for float."""
    for c in ("tcc", "clang", "cc"):
        if shutil.which(c) and (c, real) != ("tcc", "32"):
            return [c, "-I" + stb_folder()] + ([] if c == "tcc" else ["-O0", "-DCONTACT_OPTIMIZE=0"])
    raise SystemExit("no C compiler")


def build_and_run(name, command, program, run_it=True, wrap=()):
    code, out = run(command + ["-o", program])
    if check(name + ": compiled", code == 0, out) and run_it:
        code, out = run(list(wrap) + [program], timeout=120)
        return check(name + ": run", code == 0, "exit %d %s" % (code, out))
    return code == 0


def refused(name, command, *texts):
    """The compiler has to stop with an #error that contains all of the texts; another kind of error does not count."""
    code, out = run(command + ["-fsyntax-only"])
    errors = "\n".join(s for s in out.splitlines() if "error" in s)
    check(name, code != 0 and all(t in errors for t in texts), "exit %d: %s" % (code, errors or out))


# ---- what is refused ----

def part_errors(work):
    source = os.path.join(HERE, "implementation.c")
    for cc in [c for c in ("gcc", "clang") if shutil.which(c)]:
        base = [cc, "-std=c99"] + STB
        for flag in ("-ffast-math", "-Ofast"):
            refused("%s %s" % (cc, flag), base + [flag, source], "contact.h:", "-ffast-math, -Ofast", "compile this file without them")
        for value in ("16", "float", "0"):
            refused("%s CONTACT_REAL %s" % (cc, value), base + ["-DCONTACT_REAL=" + value, source], "CONTACT_REAL is 64", "or 32 (float)")
        refused(cc + " without a stepper", base + lists.without() + [source], "needs a stepper", "CONTACT_WITH_CMR, _DCD")
        refused(cc + " CONTACT_OPTIMIZE 3", base + ["-DCONTACT_OPTIMIZE=3", source], "CONTACT_OPTIMIZE is 0", "1 (the default) or 2")
        for value in ("CT_SIMD_AVX", "0", "99"):
            refused("%s CONTACT_SIMD %s" % (cc, value), base + ["-DCONTACT_SIMD=" + value, source], "unknown CONTACT_SIMD", "CT_SIMD_AUTO")
        for what, flags in (("SOLVER", ["-DCONTACT_SOLVER=CT_SOLVER_CA", "-DCONTACT_WITH_CA=0"]),
                            ("SOLVER", ["-DCONTACT_SOLVER=(ct_solver)9"]),
                            ("STEPPER", ["-DCONTACT_STEPPER=CT_STEPPER_DCD", "-DCONTACT_WITH_DCD=0"]),
                            ("STEPPER", ["-DCONTACT_STEPPER=CT_STEPPER_COUNT_"])):
            refused(" ".join([cc] + flags), base + flags + [source], "CONTACT_%s_is_not_built_set_its_CONTACT_WITH_to_1" % what)
        refused(cc + " CONTACT_SOLVER of another name", base + ["-DCONTACT_SOLVER=CT_SOLVER_ICE", source], "CT_SOLVER_ICE")
        refused(cc + " CONTACT_CONFIG_H that is not there", base + ['-DCONTACT_CONFIG_H="nowhere.h"', source], "nowhere.h")
        refused(cc + " CONTACT_STB_DS_H that is not there", base + ['-DCONTACT_STB_DS_H="nowhere.h"', source], "nowhere.h")
    if shutil.which("gcc"):
        refused("gcc x87", ["gcc", "-std=c99", "-mfpmath=387"] + STB + [source], "x87 arithmetic", "-msse2 -mfpmath=sse")
        refused("FLT_EVAL_METHOD 2", ["gcc", "-std=c99", "-U__FLT_EVAL_METHOD__", "-D__FLT_EVAL_METHOD__=2"] + STB + [source], "x87 arithmetic")
    if shutil.which("g++"):
        refused("C++98", ["g++", "-std=c++98"] + STB + [os.path.join(HERE, "header.cc")], "C++11 or later", "-std=c++11")
    without_stb(work, source)


def without_stb(work, source):
    """The system's headers without stb: links to all the others."""
    cc = next((c for c in ("gcc", "clang") if shutil.which(c)), None)
    if not cc:
        return skip("stb_ds.h missing", "gcc and clang are not installed")
    farm = os.path.join(work, "include")
    os.makedirs(farm)
    for f in os.listdir("/usr/include"):
        if not f.startswith("stb"):
            os.symlink(os.path.join("/usr/include", f), os.path.join(farm, f))
    own = run([cc, "-print-file-name=include"])[1].strip()
    multi = run(["gcc", "-print-multiarch"])[1].strip()
    base = [cc, "-std=c99", "-nostdinc", "-isystem", own, "-isystem", farm] + (["-isystem", "/usr/include/" + multi] if multi else [])
    refused("stb_ds.h missing", base + [source], "needs stb_ds.h", "github.com/nothings/stb", "libstb-dev", "CONTACT_STB_DS_H")
    code, out = run(base + ["-fsyntax-only", '-DCONTACT_STB_DS_H="%s/stb_ds.h"' % stb_folder(), source])
    check("CONTACT_STB_DS_H names it", code == 0, out)


# ---- switches ----

def part_switches(work):
    cc, exact = quick(), quick("32")
    for stepper in lists.STEPPERS:
        warn = shutil.which("gcc") or shutil.which("clang")
        if warn:
            code, out = run([warn, "-I" + stb_folder(), "-O0", "-DCONTACT_OPTIMIZE=0", "-Wall", "-Wextra", "-Werror", "-c"] + lists.without(stepper) +
                            [os.path.join(ROOT, "contact.c"), "-o", os.path.join(work, "alone.o")])
            check("%s alone: no warning" % stepper, code == 0, out)
        for solver in lists.SOLVERS:
            for files in ("1", "0"):
                name = "%s and %s alone, CONTACT_WITH_FILES %s" % (solver, stepper, files)
                build_and_run(name, cc + lists.without(stepper, solver) + ["-DCONTACT_WITH_FILES=" + files, "-DONLY_SOLVER=CT_SOLVER_" + solver,
                                                                           os.path.join(HERE, "switches.c"), "-lm"], os.path.join(work, "alone"))
    for bits in (("64", "64"), ("64", "32"), ("32", "32")):
        a, b = os.path.join(work, "a.o"), os.path.join(work, "b.o")
        own = exact if "32" in bits else cc
        said = ["-DA_BITS=" + bits[0], "-DB_BITS=" + bits[1]]
        out = [run(own + ["-c", "-DCONTACT_REAL=" + bits[0], os.path.join(HERE, "static_a.c"), "-o", a]),
               run(own + ["-c", "-DCONTACT_REAL=" + bits[1]] + said + [os.path.join(HERE, "static_b.c"), "-o", b])]
        name = "CONTACT_STATIC in two files, %s and %s bits" % bits
        if check(name + ": compiled", out[0][0] == 0 and out[1][0] == 0, out[0][1] + out[1][1]):
            build_and_run(name, [own[0], a, b, "-lm"], os.path.join(work, "static"))
            code, out = run(["nm", "-g", "--defined-only", a])
            bad = [s.split()[-1] for s in out.splitlines() if not s.split()[-1].startswith("static_a_")]
            check(name + ": exports nothing", code == 0 and not bad, " ".join(bad))
    build_and_run("CONTACT_CONFIG_H", exact + ['-DCONTACT_CONFIG_H="%s/config.h"' % HERE, os.path.join(HERE, "config.c"), "-lm"],
                  os.path.join(work, "config"))
    for real in ("64", "32"):
        build_and_run("CONTACT_ASSERT, CONTACT_VALIDATE in %s bits" % real,
                      quick(real) + ["-DCONTACT_REAL=" + real, os.path.join(HERE, "checks.c"), "-lm"], os.path.join(work, "checks"))
    validate_keeps_bits(work, cc)
    optimize(work)


def optimize(work):
    """CONTACT_OPTIMIZE in a debug build: by default lanes are inlined, so it is optimized; with 0 they stay functions; the user's code is not affected."""
    source = os.path.join(work, "optimize.c")
    with open(source, "w") as f:
        f.write('#define CONTACT_IMPLEMENTATION\n#include "%s/contact.h"\nstatic int users(void) { return 1; }\nint use(void);\n'
                'int use(void) { return users(); }\n' % ROOT)
    for cc in ("gcc", "g++"):
        if have(cc, "CONTACT_OPTIMIZE, " + cc, cc):
            for value in ("0", "1"):
                code, out = run([cc, "-O0", "-DCONTACT_OPTIMIZE=" + value] + STB + ["-c", source, "-o", source + ".o"])
                code2, said = run(["nm", "-C", source + ".o"])
                lanes, users = (bool(re.search(r" t (static )?%s\b" % name, said)) for name in ("cti_d8_add", "users"))
                check("%s -O0 CONTACT_OPTIMIZE %s" % (cc, value), code == 0 and code2 == 0 and lanes == (value == "0") and users, out + said[:200])


def validate_keeps_bits(work, cc):
    """CONTACT_VALIDATE tests, and changes no result."""
    source = os.path.join(work, "bits.c")
    text = open(os.path.join(ROOT, "examples", "falling_cube.c")).read()
    text = text.replace('#include "contact.h"', '#include "%s/contact.h"' % ROOT).replace(
        "ct_world_destroy(world);", 'printf("%llx\\n", (unsigned long long)ct_world_hash(world));\n    ct_world_destroy(world);')
    with open(source, "w") as f:
        f.write(text)
    said = []
    for value in ("0", "1"):
        code, out = run(cc + ["-DCONTACT_VALIDATE=" + value, source, "-lm", "-o", source + ".run"])
        said.append(run([source + ".run"], timeout=120)[1] if code == 0 else out)
    check("CONTACT_VALIDATE changes no bit", said[0] == said[1] and "t = 2.00 s" in said[0], "\n".join(said))


def part_stb(work):
    for order, what in (("1", "before"), ("2", "after"), ("3", "before, its implementation after"), ("4", "after, STB_DS_IMPLEMENTATION before")):
        for names in ([], ["-DSTB_LONG_NAMES"]):
            build_and_run("stb_ds.h %s%s" % (what, ", long names" if names else ""),
                          quick() + ["-I" + stb_folder(), "-DSTB_ORDER=" + order] + names + [os.path.join(HERE, "stb.c"), "-lm"],
                          os.path.join(work, "stb"))
    for cc in [c for c in ("gcc", "g++", "clang", "clang++") if shutil.which(c)]:
        language = ["-std=c++11", "-x", "c++"] if "++" in cc else ["-std=c99"]
        for order in ("1", "2"):
            code, out = run([cc] + language + ["-fsyntax-only", "-I" + stb_folder(), "-DSTB_ORDER=" + order, os.path.join(HERE, "stb.c")])
            check("stb_ds.h %s, %s" % ("before" if order == "1" else "after", cc), code == 0, out)


def part_memory(work):
    cc = next((c for c in ("clang", "gcc") if shutil.which(c)), None)  # --wrap is an option of the linker; tcc has its own linker
    if not cc:
        return skip("own allocator", "gcc and clang are not installed")
    wrap = ["-Wl," + ",".join("--wrap=" + f for f in ("malloc", "realloc", "calloc", "free"))]
    for real in ("64", "32"):
        build_and_run("own allocator, %s bits" % real, [cc, "-std=c99", "-O0", "-DCONTACT_OPTIMIZE=0", "-DCONTACT_REAL=" + real] + STB + wrap
                      + [os.path.join(HERE, "memory.c"), "-lm"], os.path.join(work, "memory"))


def part_exports(work):
    """The names of an object and of a shared library are those of api.h, all of them and no other."""
    code, out = run([sys.executable, "tools/amalgamate.py", "--exports"])
    names = set(out.split())
    check("amalgamate --exports", code == 0 and len(names) > 50, out)
    source = os.path.join(work, "exports.c")
    with open(source, "w") as f:
        f.write('#define CONTACT_IMPLEMENTATION\n#include "%s/contact.h"\n' % ROOT)
    for real, suffix in (("64", ""), ("32", "_f32")):
        for files in ("1", "0"):
            o = os.path.join(work, "exports.o")
            code, out = run(quick(real) + ["-c", "-DCONTACT_REAL=" + real, "-DCONTACT_WITH_FILES=" + files, source, "-o", o])
            code2, said = run(["nm", "-g", "--defined-only", o])
            found = set(s.split()[-1] for s in said.splitlines())
            wrong = found ^ set(n + suffix for n in names)
            check("exports of CONTACT_REAL %s, CONTACT_WITH_FILES %s" % (real, files), code == 0 and code2 == 0 and not wrong,
                  out + " ".join(sorted(wrong)))
    cc = next((c for c in ("clang", "gcc") if shutil.which(c)), None)
    if cc:
        o = os.path.join(work, "libcontact.so")
        code, out = run([cc, "-std=c99", "-O0", "-DCONTACT_OPTIMIZE=0", "-fPIC", "-shared", "-fvisibility=hidden",
                         '-DCONTACT_API=__attribute__((visibility("default"))) extern']
                        + STB + [source, "-lm", "-o", o])
        code2, said = run(["nm", "-D", "--defined-only", o])
        found = set(s.split()[-1] for s in said.splitlines())
        check("CONTACT_API: a shared library shows them", code == 0 and code2 == 0 and found == names, out + " ".join(sorted(found ^ names)))


# ---- languages ----

def part_languages(work):
    jobs = []
    ends = ("c99", "gnu17", "c++11", "c++20")
    for family in (("gcc", "g++"), ("clang", "clang++")):
        for std in ("c99", "c11", "c17", "gnu17", "c++11", "c++17", "c++20"):
            cc = family["++" in std]
            if not shutil.which(cc):
                skip("%s -std=%s" % (cc, std), "it is not installed (Debian: %s)" % cc)
                continue
            source = os.path.join(HERE, "implementation." + ("cc" if "++" in std else "c"))
            for real in ("64", "32"):
                more = (["-DCONTACT_WITH_FILES=0", "-DCONTACT_VALIDATE=1"],) if std in ends else ()
                for extra in ([], ["-march=native"], ["-DCONTACT_STATIC", "-DCONTACT_SIMD=CT_SIMD_NONE"]) + more:
                    jobs.append([cc, "-std=" + std, "-fsyntax-only", "-DCONTACT_REAL=" + real] + WARN + extra + STB + [source])
    if shutil.which("gcc"): # what may be uninitialized is known to the optimizer alone
        jobs.append(["gcc", "-std=c99", "-O1", "-c", "-o", os.devnull] + WARN + STB + [os.path.join(HERE, "implementation.c")])
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for job, (code, out) in zip(jobs, pool.map(run, jobs)):
            check(" ".join(w for w in job if w not in WARN and not w.startswith("/")), code == 0, out)
    plus(work)
    quick_start(work)
    if have("tcc", "tcc", "tcc"):
        flags = ["tcc", "-Wall", "-Werror", "-I" + ROOT, "-I" + stb_folder(), os.path.join(ROOT, "examples", "quickstart.c"), "-lm"]
        code, out = run(flags + ["-o", os.path.join(work, "tcc")])
        if check("tcc: compiled", code == 0 and not out.strip(), out):
            code, out = run([os.path.join(work, "tcc")], timeout=120)
            check("tcc: run", code == 0 and out == quick_start_says(), out)
        code, out = run(flags + ["-DCONTACT_REAL=32", "-o", os.path.join(work, "tcc")])
        check("tcc in float is refused", code != 0 and "leave CONTACT_REAL at 64" in out, out)


def quick_start(work):
    """The README's program by the command that is printed there."""
    command = re.search(r"\$ (cc [^\n]*quickstart)\n", open(os.path.join(ROOT, "README.md")).read()).group(1).split()
    folder = os.path.join(work, "quickstart")
    os.makedirs(folder)
    for name in ("contact.h", "examples/quickstart.c"):
        shutil.copy(os.path.join(ROOT, name), folder)
    started = time.time()
    code, out = run(command[:1] + ["-I" + stb_folder()] + command[1:], cwd=folder)
    print("quick start: %s took %.1f s" % (" ".join(command), time.time() - started))
    if check("quick start: " + " ".join(command), code == 0 and not out.strip(), out):
        code, out = run([os.path.join(folder, "quickstart")])
        check("quick start output", code == 0 and out == quick_start_says(), out)


def quick_start_says():
    readme = open(os.path.join(ROOT, "README.md")).read()
    return re.search(r"\$ \./quickstart\n(.*?)```", readme, re.S).group(1)


def plus(work):
    """C++: declarations in a namespace, or in extern "C"; the implementation in extern "C"."""
    unit = os.path.join(work, "unit.o")
    # not by tcc: its units need its own library
    code, out = run(["cc", "-O0", "-DCONTACT_OPTIMIZE=0", "-I" + stb_folder(), "-c", os.path.join(HERE, "implementation.c"), "-o", unit])
    check("a unit for C++ users", code == 0, out)
    for cc in ("g++", "clang++"):
        if not have(cc, "namespace and extern C with " + cc, "g++" if cc == "g++" else "clang"):
            continue
        for around, what in (("1", "in a namespace"), ("2", 'in extern "C"'), ("3", 'the implementation in extern "C"')):
            build_and_run("%s: %s" % (cc, what), [cc, "-std=c++11", "-O0", "-DCONTACT_OPTIMIZE=0", "-DAROUND=" + around] + STB
                          + [os.path.join(HERE, "language.cc")]
                          + ([] if around == "3" else [unit]) + ["-lm"], os.path.join(work, "plus"))


# target, language, other flags; the text of the expected #error, None: it has to compile
MSVC = [(target, language, ["-DCONTACT_THREADS=1"] + more, None)
        for target in ("x86_64", "aarch64") for language in ("c11", "c++17")
        for more in ([], ["-DCONTACT_REAL=32", "-DCONTACT_STATIC"], ["-DCONTACT_SIMD=CT_SIMD_NONE"],
                     ["-DCONTACT_PRESET_GAME", "-DCONTACT_VALIDATE=1"])]
MSVC += [("x86_64", "c11", ["-mavx2", "-mfma"], None), ("x86_64", "c++17", ["-mavx2", "-mfma", "-mavx512f", "-mavx512dq"], None),
         ("i686", "c11", ["-DCONTACT_THREADS=1", "-msse2"], None), ("i686", "c11", ["-mno-sse2"], "x87 arithmetic"),
         ("x86_64", "c11", ["-D_M_FP_FAST"], "/fp:fast remove")]


def part_msvc(work):
    """cl.exe is not here: clang reads the file as cl.exe would, with its target, its macros and none of clang's, beside declarations of its library
    that are ours (tests/msvc). Syntax and types are checked; nothing is linked or run."""
    if not have("clang", "msvc", "clang"):
        return
    builtin = run(["clang", "-print-resource-dir"])[1].strip() + "/include"
    quiet = ["-Wno-unknown-pragmas", "-Wno-ignored-pragma-optimize", "-Wno-unused-function", "-Wno-misleading-indentation"]
    for target, language, more, refusal in MSVC:
        name = "msvc %s %s %s" % (target, language, " ".join(more))
        source = os.path.join(work, "msvc.cc" if "++" in language else "msvc.c")
        with open(source, "w") as f:
            f.write('#include "%s/contact.c"\n' % ROOT)
        code, out = run(["clang", "--target=%s-pc-windows-msvc" % target, "-fms-compatibility", "-fms-compatibility-version=19.38", "-U__clang__",
                         "-nostdinc", "-isystem", os.path.join(ROOT, "tests", "msvc"), "-isystem", builtin, "-isystem", stb_folder(),
                         "-std=" + language,
                         "-fsyntax-only", "-Wall", "-Wextra", "-Wvla", "-Wgnu", "-Werror"] + quiet + more + [source])
        check(name, refusal in out and code != 0 if refusal else code == 0, out)


def part_mingw(work):
    cc = "x86_64-w64-mingw32-gcc"
    if not have(cc, "MinGW", "gcc-mingw-w64-x86-64"):
        return
    stb = os.path.join(work, "mingw")  # not the system's headers beside MinGW's own
    os.makedirs(stb)
    shutil.copy(os.path.join(stb_folder(), "stb_ds.h"), stb)
    wine = next((w for w in ("/usr/lib/wine/wine64", shutil.which("wine64"), shutil.which("wine")) if w and os.path.exists(w)), None)
    for real in ("64", "32"):
        source = os.path.join(HERE, "implementation.c")
        code, out = run([cc, "-std=c99", "-fsyntax-only", "-DCONTACT_REAL=" + real, "-I" + stb] + WARN + [source])
        check("MinGW CONTACT_REAL %s without a warning" % real, code == 0 and not out.strip(), out)
    for threads in ("0", "1"):
        code, out = run([cc, "-std=c99", "-fsyntax-only", "-include", "windows.h", "-DCONTACT_THREADS=" + threads, "-I" + stb] + WARN + [source])
        check("MinGW behind windows.h, CONTACT_THREADS %s" % threads, code == 0 and not out.strip(), out)
    exe = os.path.join(work, "quickstart.exe")
    code, out = run([cc, "-std=c99", "-O1", "-I" + stb, "-I" + ROOT, os.path.join(ROOT, "examples", "quickstart.c"), "-lm", "-o", exe])
    if not check("MinGW: the quick start links", code == 0 and not out.strip(), out):
        return
    if not wine:
        return skip("MinGW: the quick start runs", "wine is not installed (Debian: wine64)")
    env = dict(os.environ, WINEDEBUG="-all", WINEPREFIX=os.path.join(work, "wine"))
    code, out = run([wine, exe], env=env, timeout=300)
    lines = "\n".join(s for s in out.replace("\r", "").splitlines() if s.startswith("t = ")) + "\n"
    check("MinGW: the quick start runs under wine", code == 0 and lines == quick_start_says(), out)


# ---- projects that use the library ----

def consumer(work, name):
    """A copy of a project of tests/consumers, outside of the tree."""
    d = os.path.join(work, name)
    shutil.copytree(os.path.join(ROOT, "tests", "consumers", name), d)
    return d


def tree(work):
    """The repository as a user fetches it, without files of a build."""
    d = os.path.join(work, "contact")
    if not os.path.exists(d):
        os.makedirs(d)
        for f in ("contact.h", "contact.c", "CMakeLists.txt", "contact.pc.in", "Makefile", "LICENSE"):
            shutil.copy(os.path.join(ROOT, f), d)
        shutil.copytree(os.path.join(ROOT, "cmake"), os.path.join(d, "cmake"))
    return d


def runs(name, program):
    code, out = run([program], timeout=120)
    check(name + ": run", code == 0 and "consumer: 1.00 s, height 0.5 m" in out, "exit %d %s" % (code, out))


def consume_plain(work):
    for name in ("plain_one", "plain_two"):
        d = consumer(work, name)
        shutil.copy(os.path.join(ROOT, "contact.h"), d)
        shutil.copy(os.path.join(stb_folder(), "stb_ds.h"), d)
        command = re.search(r"cc [^\n*]*-o app", open(os.path.join(d, "app.c")).readline()).group(0).split()
        code, out = run(command, cwd=d)
        if check(name + ": " + " ".join(command), code == 0 and not out.strip(), out):
            runs(name, os.path.join(d, "app"))


def cmake(name, source, build, *options):
    code, out = run(["cmake", "-S", source, "-B", build] + list(options))
    if not check(name + ": configured", code == 0, out[-1500:]):
        return False
    code, out = run(["cmake", "--build", build, "--parallel", "2"])
    return check(name + ": built", code == 0 and "warning:" not in out, out[-1500:])


def consume_cmake(work):
    if not have("cmake", "CMake", "cmake"):
        return
    source = tree(work)
    for name, options in (("cmake_subdirectory", []), ("cmake_fetch", [])):
        d = consumer(work, name)
        if cmake(name, d, d + "/out", "-DCONTACT_SOURCE=" + source, "-DSTB_FOLDER=" + stb_folder(), *options):
            runs(name, d + "/out/app")
    prefix = os.path.join(work, "prefix")
    build = os.path.join(work, "install_build")
    if not cmake("cmake install", source, build, "-DCMAKE_INSTALL_PREFIX=" + prefix):
        return
    code, out = run(["cmake", "--install", build])
    if not check("cmake install: installed", code == 0 and all(os.path.exists(prefix + "/include/contact." + e) for e in "hc"), out):
        return
    d = consumer(work, "cmake_package")
    if cmake("cmake_package", d, d + "/out", "-DCMAKE_PREFIX_PATH=" + prefix, "-DSTB_FOLDER=" + stb_folder()):
        runs("cmake_package", d + "/out/app")
    shutil.rmtree(d + "/out")
    text = open(d + "/CMakeLists.txt").read().replace("find_package(contact 0.3", "find_package(contact 9.9")
    with open(d + "/CMakeLists.txt", "w") as f:
        f.write(text)
    code, out = run(["cmake", "-S", d, "-B", d + "/out", "-DCMAKE_PREFIX_PATH=" + prefix])
    check("cmake_package: a version that is not there is refused", code != 0 and "9.9" in out, out)
    pkg_config(work, "pkg_config after cmake", prefix)


def consume_make(work):
    prefix = os.path.join(work, "make_prefix")
    code, out = run(["make", "install", "PREFIX=" + prefix], cwd=tree(work))
    if check("make install", code == 0 and all(os.path.exists(prefix + "/include/contact." + e) for e in "hc"), out):
        pkg_config(work, "pkg_config after make install", prefix)


def pkg_config(work, name, prefix):
    if not have("pkg-config", name, "pkg-config"):
        return
    folder = next((p for p in (prefix + "/lib/pkgconfig", prefix + "/share/pkgconfig") if os.path.exists(p + "/contact.pc")), None)
    if not check(name + ": contact.pc is there", folder is not None, prefix):
        return
    env = dict(os.environ, PKG_CONFIG_PATH=folder, CFLAGS="-I" + stb_folder())
    code, version = run(["pkg-config", "--modversion", "contact"], env=env)
    text = open(os.path.join(ROOT, "src", "public", "config.h")).read()
    expected = ".".join(re.search(r"CT_VERSION_%s (\d+)" % part, text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
    check(name + ": version", code == 0 and version.strip() == expected, version)
    d = consumer(work, "pkg_config")
    code, out = run(["make", "-C", d], env=env)
    if check(name + ": built", code == 0, out):
        runs(name, d + "/app")
    shutil.rmtree(d)


def part_consumers(work):
    if shutil.which("clang"):
        os.environ.setdefault("CC", "clang")  # not optimized, a fifth of gcc's time
    consume_plain(work)
    consume_cmake(work)
    consume_make(work)


PARTS = [("errors", part_errors), ("switches", part_switches), ("stb", part_stb), ("memory", part_memory), ("exports", part_exports),
         ("languages", part_languages), ("msvc", part_msvc), ("mingw", part_mingw), ("consumers", part_consumers)]
JOBS = 2


def main():
    global JOBS
    args = sys.argv[1:]
    if "--jobs" in args:
        i = args.index("--jobs")
        JOBS = max(1, int(args[i + 1]))
        del args[i:i + 2]
    unknown = [a for a in args if a not in dict(PARTS)]
    if unknown:
        raise SystemExit("test_builds.py: unknown part %s; parts: %s" % (unknown[0], " ".join(n for n, _ in PARTS)))
    for name, part in PARTS:
        if not args or name in args:
            with tempfile.TemporaryDirectory(prefix="contact_builds_") as work:
                part(work)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
