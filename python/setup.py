"""setup.py -- builds the package: the tables of contact.h, the library in both precisions by the C compiler, and the wheel's name.

Environment: CC (cc), CFLAGS (-O2; -march=native for this machine alone), CONTACT_REALS ("64 32": the precisions), CONTACT_STB_DS_H (the path of
stb_ds.h where the compiler does not find it), CONTACT_PYTHON_LIBRARIES (a folder with libcontact.so and libcontact32.so that are there already).
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
# beside this file in an archive of sources, one folder up in the repository
ROOT = HERE if os.path.exists(os.path.join(HERE, "contact.h")) else os.path.dirname(HERE)
HEADER = os.path.join(ROOT, "contact.h")
CC = shlex.split(os.environ.get("CC", "cc"))
CFLAGS = shlex.split(os.environ.get("CFLAGS", "-O2"))
REALS = os.environ.get("CONTACT_REALS", "64 32").split()


def version():
    with open(HEADER) as f:
        return re.search(r'^#define CT_VERSION_STRING "([0-9.]+)"', f.read(), re.M).group(1)


def compiler(arguments, **more):
    try:
        return subprocess.run(CC + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    except FileNotFoundError:
        sys.exit("contact: no C compiler '%s'. Install one (apt-get install gcc libc6-dev), or set CC" % CC[0])


def stb_ds():
    """The path of stb_ds.h: what it names, beside contact.h, where the compiler finds it, or what make has fetched."""
    named = os.environ.get("CONTACT_STB_DS_H", "").strip('"<>')
    fetched = os.path.join(ROOT, "build", "deps", "root", "usr", "include", "stb", "stb_ds.h")
    for path in [named] if named else [os.path.join(ROOT, "stb_ds.h"), fetched]:
        if os.path.exists(path):
            return path
    for name in ("stb_ds.h", "stb/stb_ds.h"):
        p = compiler(["-M", "-x", "c", "-"], input=("#include <%s>\n" % name).encode())
        found = [w for w in p.stdout.decode().replace("\\\n", " ").split() if w.endswith("stb_ds.h")]
        if p.returncode == 0 and found:
            return found[0]
    sys.exit("contact: stb_ds.h is not found. apt-get install libstb-dev, or set CONTACT_STB_DS_H to the path of a copy of it "
             "(https://github.com/nothings/stb)")


def compile_library(source, out, arguments):
    command = CFLAGS + ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-fPIC", "-shared", "-pthread"] + arguments + [source, "-lm", "-o", out]
    print("contact: " + " ".join(CC + command), flush=True)
    return subprocess.Popen(CC + command)


def build_libraries(folder):
    """The keeper, and the library in each precision: at the same time, since each takes half a minute."""
    ready = os.environ.get("CONTACT_PYTHON_LIBRARIES")
    names = {"64": "libcontact.so", "32": "libcontact32.so"}
    with tempfile.TemporaryDirectory() as work:
        jobs = [compile_library(os.path.join(HERE, "contact", "_keeper.c"), os.path.join(folder, "_keeper.so"), [])]
        source = os.path.join(work, "library.c")
        with open(source, "w") as f:
            f.write('#define CONTACT_IMPLEMENTATION\n#include "contact.h"\n')
        for real in REALS:
            if ready:
                shutil.copy(os.path.join(ready, names[real]), folder)
            else:
                jobs.append(compile_library(source, os.path.join(folder, names[real]), [
                    "-DCONTACT_REAL=" + real, "-DCONTACT_THREADS=1", "-Wno-misleading-indentation", "-I", ROOT,
                    '-DCONTACT_STB_DS_H="%s"' % stb_ds()]))
        if any([job.wait() for job in jobs]):
            sys.exit("contact: the C compiler has failed, see above")


class Build(build_py):
    def run(self):
        compiler(["--version"])
        super().run()
        folder = os.path.join(HERE, "contact") if getattr(self, "editable_mode", False) else os.path.join(self.build_lib, "contact")
        sys.path.insert(0, HERE)
        try:
            from generate import generate
        except ImportError:
            sys.exit("contact: the package pycparser is missing: apt-get install python3-pycparser, or pip install pycparser")
        with open(os.path.join(folder, "_abi.py"), "w") as f:
            f.write(generate(HEADER))
        build_libraries(folder)


class Wheel(bdist_wheel):
    """One wheel for every Python 3 of a platform: nothing in it is compiled against Python."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Archive(sdist):
    """Sources that build without the repository."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for path in (HEADER, stb_ds(), os.path.join(HERE, "generate.py")):
            shutil.copy(path, base_dir)


setup(version=version(), packages=["contact"], package_data={"contact": ["py.typed", "_keeper.c"]}, zip_safe=False,
      cmdclass={"build_py": Build, "bdist_wheel": Wheel, "sdist": Archive})
