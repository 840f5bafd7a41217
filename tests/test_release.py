#!/usr/bin/env python3
"""test_release.py -- the archive of `make dist` as users take it, and the packages of a release.

usage: python3 tests/test_release.py [PART...]
Parts: versions archive plain cmake meson (the default, in make test), debian npm conan vcpkg citation (make test-release: all).
Each of plain, cmake and meson is a project outside of the tree that unpacks the archive, compiles the quick start, runs it, and finds the height that
the README prints. The implementation is compiled with the game's parts and without optimization, which takes a tenth of the time.
Prints a line a check, "ok NAME", "FAILED NAME: why" or "SKIPPED NAME: what is missing"; exit 1 when one failed. Standard library only.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUICK = ["-O0", "-DCONTACT_PRESET_GAME", "-DCONTACT_OPTIMIZE=0"]
FAILED = []
sys.path.insert(0, os.path.join(ROOT, "tools"))
import make_dist  # noqa: E402


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[-900:]), flush=True)
    if not ok:
        FAILED.append(name)
    return ok


def have(name, *tools):
    """tools: (program, Debian package)."""
    for tool, package in tools:
        if not shutil.which(tool):
            print("SKIPPED %s: %s is not installed (Debian: %s)" % (name, tool, package), flush=True)
            return False
    return True


def run(command, cwd=ROOT, timeout=900, **env):
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, timeout=timeout, env=dict(os.environ, **env))
        return p.returncode, p.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return -1000, "timeout after %d s: %s" % (timeout, " ".join(command))


def text(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(content)


def version():
    return re.search(r'^#define CT_VERSION_STRING "([0-9.]+)"', text("src", "public", "config.h"), re.M).group(1)


def expected():
    """What the README says that the quick start prints."""
    return re.search(r"\$ \./quickstart\n(.*?)```", text("README.md"), re.S).group(1)


def compiler():
    return next((c for c in ("clang", "gcc", "cc") if shutil.which(c)), "cc")


def folder(work):
    """The archive, unpacked once."""
    at = os.path.join(work, "contact-" + version())
    if not os.path.exists(at):
        code, out = run([sys.executable, "tools/make_dist.py", "--out", work])
        if code:
            raise make_dist.Refused(out)
        with tarfile.open(at + ".tar.gz") as tar:
            tar.extractall(work)
    return at


def says(name, program, cwd=None):
    code, out = run([program], cwd=cwd, timeout=120)
    check(name + ": prints the README's heights", code == 0 and out == expected(), out)


# ---- the archive ----

def part_versions(work):
    """One version everywhere; the recipe for Conan and the pages read contact.h's."""
    places = {"meson.build": r"version: '([0-9.]+)'", "packaging/vcpkg/contact-h/vcpkg.json": r'"version": "([0-9.]+)"',
              "packaging/npm/package.json": r'"version": "([0-9.]+)"', "debian/changelog": r"contact-h \(([0-9.]+)\)",
              "debian/contact.1": r'"contact\.h ([0-9.]+)"', "CITATION.cff": r"^version: ([0-9.]+)$", "contact.h": r"-- version ([0-9.]+),"}
    wrong = ["%s: %s" % (f, m and m.group(1)) for f, m in ((f, re.search(p, text(f), re.M)) for f, p in places.items()) if not m or m.group(1) != version()]
    check("every file of the release is of version " + version(), not wrong, ", ".join(wrong))


def part_archive(work):
    at = folder(work)
    names = {os.path.relpath(os.path.join(d, n), at) for d, _, files in os.walk(at) for n in files}
    need = {"contact.h", "contact.c", "stb_ds.h", "LICENSE", "CHANGELOG.md", "CMakeLists.txt", "cmake/contact-config.cmake.in", "contact.pc.in",
            "meson.build", "packaging/conan/conanfile.py", "packaging/vcpkg/contact-h/portfile.cmake", "examples/quickstart.c"}
    check("make dist has what builds need", need <= names, sorted(need - names))
    check("make dist has nothing that was generated beside it", not [n for n in names if n.endswith((".o", ".pyc", ".tmp"))], names)


def part_plain(work):
    at = folder(work)
    shutil.copy(os.path.join(at, "examples", "quickstart.c"), at)
    cc = ["tcc", "-I."] if shutil.which("tcc") else [compiler()]
    code, out = run(cc + QUICK + ["quickstart.c", "-lm", "-o", "quickstart"], cwd=at)
    if check("a bare compiler: " + cc[0], code == 0 and not out.strip(), out):
        says("a bare compiler", os.path.join(at, "quickstart"))


def part_cmake(work):
    if not have("CMake's FetchContent", ("cmake", "cmake")):
        return
    at, d = folder(work), os.path.join(work, "cmake")
    write(d + "/CMakeLists.txt", """cmake_minimum_required(VERSION 3.14)
project(quickstart LANGUAGES C)
include(FetchContent)
FetchContent_Declare(contact URL "%s.tar.gz")
FetchContent_MakeAvailable(contact)
add_executable(quickstart quickstart.c)
target_link_libraries(quickstart PRIVATE contact::contact)
""" % at)
    shutil.copy(os.path.join(at, "examples", "quickstart.c"), d)
    code, out = run(["cmake", "-S", d, "-B", d + "/out", "-DCMAKE_C_COMPILER=" + compiler(), "-DCMAKE_C_FLAGS=" + " ".join(QUICK)])
    if code == 0:
        code, out = run(["cmake", "--build", d + "/out"])
    if check("CMake's FetchContent of the archive", code == 0 and "warning:" not in out, out):
        says("CMake's FetchContent", d + "/out/quickstart")


def part_meson(work):
    if not have("Meson's subproject", ("meson", "meson"), ("ninja", "ninja-build")):
        return
    at, d = folder(work), os.path.join(work, "meson")
    write(d + "/meson.build", """project('quickstart', 'c', default_options: ['c_std=c99'])
executable('quickstart', 'quickstart.c', dependencies: dependency('contact', version: '>=%s'))
""" % version())
    name = os.path.basename(at)
    write(d + "/subprojects/contact.wrap", "[wrap-file]\ndirectory = %s\nsource_filename = %s.tar.gz\n\n[provide]\ncontact = contact_dep\n" % (name, name))
    os.makedirs(d + "/subprojects/packagefiles")
    shutil.copy(at + ".tar.gz", d + "/subprojects/packagefiles")
    shutil.copy(os.path.join(at, "examples", "quickstart.c"), d)
    code, out = run(["meson", "setup", "out", "--wrap-mode=default", "-Doptimization=0"], cwd=d, CC=compiler(), CFLAGS=" ".join(QUICK))
    if code == 0:
        code, out = run(["ninja", "-C", "out", "quickstart"], cwd=d)
    if check("Meson's subproject by a wrap of the archive", code == 0 and "warning:" not in out, out):
        says("Meson's subproject", d + "/out/quickstart")


# ---- packages ----

def part_debian(work):
    """Builds in a copy of what git has, with this contact.h; the packages unpack to what they promise."""
    if not have("Debian package", ("dpkg-buildpackage", "dpkg-dev"), ("dh", "debhelper"), ("lintian", "lintian"), ("cmake", "cmake")):
        return
    d = os.path.join(work, "debian", "contact-h")
    os.makedirs(d)
    for name in run(["git", "ls-files", "--cached", "--others", "--exclude-standard"])[1].split("\n"):
        if name and os.path.exists(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(d, name)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), os.path.join(d, name))
    code, out = run(["dpkg-buildpackage", "-us", "-uc", "-j2"], cwd=d, timeout=1800)
    if not check("dpkg-buildpackage -us -uc", code == 0, out):
        return
    changes = glob.glob(os.path.dirname(d) + "/*.changes")
    code, out = run(["lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0"] + changes)
    check("lintian: no error and no warning", code == 0 and len(changes) == 1, out)
    for deb in glob.glob(os.path.dirname(d) + "/*.deb"):
        run(["dpkg-deb", "-x", deb, work + "/debian_root"])
    at = work + "/debian_root/usr/"
    need = ["include/contact.h", "include/contact.c", "share/pkgconfig/contact.pc", "share/cmake/contact/contact-config.cmake", "bin/contact",
            "share/man/man1/contact.1.gz", "share/doc/libcontact-dev/examples/quickstart.c"]
    missing = [n for n in need if not os.path.exists(at + n)]
    check("the Debian packages have the header and the command line", not missing, missing)
    code, out = run([at + "bin/contact", "info", "--json"])
    check("the packaged command line runs, on every processor of its architecture", code == 0 and version() in out and "AVX" not in out, out)


NODE = """import { load } from "contact-h";
for (const name of ["game", "full"]) {
  const lib = await load(name);
  lib.page_begin(-1, 0.005, 0.4);
  const world = lib.page_new();
  lib.withNumbers([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0, -1, -1], v => lib.page_add(world, 5, v));
  lib.page_mesh_box(0.4, 0.4, 0.4, 3, 3, 3, 1);
  lib.withNumbers([0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500, 2e4, -1, -1, 0, 0.005, -1, -1], v => lib.page_add(world, 0, v));
  for (let i = 0; i < 120; i++) lib.page_step(world, 1 / 60);
  const n = lib.page_vertex_count(world, 1);
  const y = [...lib.f32(lib.page_vertices(world), 6 * n)].filter((_, i) => i % 6 === 1).slice(-64);
  console.log(JSON.stringify({ name, version: lib.page_version(), low: Math.min(...y), high: Math.max(...y) }));
}
"""


def part_npm(work):
    """Packed, installed from its file in a scratch folder, used from node by its name: a jelly comes to rest on the floor."""
    if not have("npm package", ("emcc", "emscripten"), ("npm", "npm"), ("node", "nodejs")):
        return
    code, out = run([os.environ.get("MAKE", "make"), "-s", "npm"])
    packed = os.path.join(ROOT, "build", "npm", "contact-h-%s.tgz" % version())
    if not check("make npm", code == 0 and os.path.exists(packed), out):
        return
    d = os.path.join(work, "npm")
    write(d + "/package.json", '{ "name": "user", "private": true, "type": "module" }')
    write(d + "/use.js", NODE)
    code, out = run(["npm", "install", "--offline", "--no-audit", "--no-fund", packed], cwd=d)
    if check("npm install of the packed file", code == 0, out):
        code, out = run(["node", "use.js"], cwd=d)
        worlds = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        rest = [w for w in worlds if w["version"] == version() and 0 < w["low"] < 0.01 and 0.3 < w["high"] - w["low"] < 0.42]
        check("node: a jelly rests on the floor, both modules", code == 0 and len(rest) == 2, out)


def part_conan(work):
    """With Conan 2: conan create. Without: its recipe's syntax, and the project that tests the package against an installed contact."""
    at = folder(work)
    recipe = os.path.join(at, "packaging", "conan")
    for name in ("conanfile.py", "test_package/conanfile.py"):
        with open(os.path.join(recipe, name)) as f:
            compile(f.read(), name, "exec")
    if have("conan create", ("conan", "no package; pip install conan")):
        run(["conan", "profile", "detect", "--force"], CONAN_HOME=work + "/conan")
        code, out = run(["conan", "create", recipe, "-c", 'tools.build:cflags=["-O0","-DCONTACT_OPTIMIZE=0"]'], CONAN_HOME=work + "/conan")
        check("conan create", code == 0, out)
    if have("the project of Conan's test", ("cmake", "cmake")):
        prefix, d = work + "/conan_prefix", work + "/conan_build"
        run(["cmake", "-S", at, "-B", d + "0", "-DCMAKE_INSTALL_PREFIX=" + prefix])
        run(["cmake", "--install", d + "0"])
        shutil.copy(at + "/stb_ds.h", prefix + "/include")
        code, out = run(["cmake", "-S", recipe + "/test_package", "-B", d, "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_C_COMPILER=" + compiler(),
                         "-DCMAKE_C_FLAGS=" + " ".join(QUICK)])
        out += run(["cmake", "--build", d])[1]
        code, said = run([d + "/falling_cube"]) if os.path.exists(d + "/falling_cube") else (1, "")
        check("the project of Conan's test", code == 0 and "height 0.4" in said, out + said)


VCPKG = """# what the port calls, as vcpkg documents it, on one folder
set(CURRENT_PORT_DIR "@PORT@")
set(CMAKE_CURRENT_LIST_DIR "@PORT@")
set(CURRENT_PACKAGES_DIR "@WORK@/packages")
set(PORT contact-h)
function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" "SOURCE_PATH" "" ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B @WORK@/out -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --install @WORK@/out COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(arg "" "CONFIG_PATH;PACKAGE_NAME" "" ${ARGN})
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/${arg_PACKAGE_NAME}-config.cmake)
    message(FATAL_ERROR "${arg_CONFIG_PATH} has no ${arg_PACKAGE_NAME}-config.cmake")
  endif()
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(arg "" "" "FILE_LIST" ${ARGN})
  configure_file(${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright COPYONLY)
endfunction()
include("@PORT@/portfile.cmake")
"""


def part_vcpkg(work):
    """vcpkg is not to be had here: the port runs beside functions that do what vcpkg's documents say of them."""
    if not have("vcpkg port", ("cmake", "cmake")):
        return
    port, d = os.path.join(folder(work), "packaging", "vcpkg", "contact-h"), os.path.join(work, "vcpkg")
    manifest = json.load(open(os.path.join(port, "vcpkg.json")))
    check("vcpkg.json: name, version, licence and dependencies", {"name", "version", "license", "dependencies"} <= set(manifest), manifest)
    write(d + "/port.cmake", VCPKG.replace("@PORT@", port).replace("@WORK@", d))
    code, out = run(["cmake", "-P", d + "/port.cmake"])
    need = ["include/contact.h", "include/contact.c", "share/contact-h/copyright", "share/contact-h/usage"]
    check("the port installs", code == 0 and all(os.path.exists(d + "/packages/" + n) for n in need), out)


def part_citation(work):
    """The fields that version 1.2.0 of the format asks for, and cffconvert where it is there."""
    import importlib.util
    if importlib.util.find_spec("yaml") is None:
        print("SKIPPED CITATION.cff: yaml is not installed (Debian: python3-yaml)")
        return
    import yaml
    cff = yaml.safe_load(text("CITATION.cff"))
    check("CITATION.cff has the fields of its format", cff["cff-version"] == "1.2.0" and {"message", "title", "authors"} <= set(cff)
          and all("name" in a or "family-names" in a for a in cff["authors"]), cff)
    if have("cffconvert", ("cffconvert", "no package; pip install cffconvert")):
        code, out = run(["cffconvert", "--validate"])
        check("cffconvert --validate", code == 0, out)


SHORT = [("versions", part_versions), ("archive", part_archive), ("plain", part_plain), ("cmake", part_cmake), ("meson", part_meson)]
PARTS = SHORT + [("debian", part_debian), ("npm", part_npm), ("conan", part_conan), ("vcpkg", part_vcpkg), ("citation", part_citation)]


def main():
    args = sys.argv[1:]
    unknown = [a for a in args if a != "all" and a not in dict(PARTS)]
    if unknown:
        raise SystemExit("test_release.py: unknown part %s; parts: all %s" % (unknown[0], " ".join(n for n, _ in PARTS)))
    chosen = [n for n, _ in (PARTS if "all" in args else SHORT)] if not args or "all" in args else args
    with tempfile.TemporaryDirectory(prefix="contact_release_") as work:
        for name, part in PARTS:
            if name in chosen:
                try:
                    part(work)
                except (make_dist.Refused, OSError, KeyError, SyntaxError) as e:
                    check(name, False, repr(e))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
