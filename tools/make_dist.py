#!/usr/bin/env python3
"""make_dist.py -- the release archive contact-VERSION.tar.gz: contact.h, contact.c, this machine's stb_ds.h, LICENSE, CHANGELOG.md, the examples, files
for CMake and Meson, and the recipes of packaging/ for vcpkg and Conan.

usage: python3 tools/make_dist.py [--out DIR]     DIR: build
In the unpacked folder an example compiles with one command: cc -O2 -I. examples/pins.c -lm -o pins
The same files give the same bytes: the archive contains no time, no user, and no folder order. CC and STB_CFLAGS find stb_ds.h, or
CONTACT_STB_DS_H names it. It refuses a contact.h that is stale or whose version differs from its macros. Standard library only.
"""
import argparse
import gzip
import io
import os
import re
import subprocess
import sys
import tarfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLAIN = ("contact.h", "LICENSE", "CHANGELOG.md", "CMakeLists.txt", "cmake/contact-config.cmake.in", "contact.pc.in", "meson.build")
IMPLEMENTATION = '#define CONTACT_IMPLEMENTATION\n#include "contact.h"\n'


class Refused(Exception):
    pass


def read(*path):
    with open(os.path.join(ROOT, *path), "rb") as f:
        return f.read()


def version():
    """The one of the banner, which has to be that of the macros."""
    text = read("contact.h").decode()
    banner = re.match(r"/\* contact\.h -- version ([0-9.]+),", text)
    macro = re.search(r'^#define CT_VERSION_STRING "([0-9.]+)"', text, re.M)
    if not banner or not macro or banner.group(1) != macro.group(1):
        raise Refused("contact.h's banner and its CT_VERSION_STRING disagree; FIX: make them one in src/public/config.h, then make amalgamate")
    return banner.group(1)


def stb_ds():
    """The stb_ds.h that the compiler finds: its list of what it has read names it."""
    named = os.environ.get("CONTACT_STB_DS_H", "").strip('"<>')
    flags = os.environ.get("STB_CFLAGS", "").split()
    compiler = os.environ.get("CC", "cc").split()
    for name in [named] if named else ["stb_ds.h", "stb/stb_ds.h"]:
        source = '#include "%s"\n' % name
        p = subprocess.run(compiler + flags + ["-M", "-x", "c", "-"], input=source.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           cwd=ROOT)
        found = [w for w in p.stdout.decode().replace("\\\n", " ").split() if w.endswith("stb_ds.h")] if p.returncode == 0 else []
        if found:
            return os.path.join(ROOT, found[0])
    raise Refused("stb_ds.h is not found; FIX: install libstb-dev, or name the file in CONTACT_STB_DS_H")


def files():
    """(name in the archive, bytes), sorted."""
    stb = stb_ds()
    check = subprocess.run([sys.executable, "tools/amalgamate.py", "--check"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if check.returncode != 0:
        raise Refused("contact.h is not what src/ makes; FIX: make amalgamate")
    own = os.path.join(ROOT, "contact.c")
    out = [(name, read(name)) for name in PLAIN] + [("contact.c", read("contact.c") if os.path.exists(own) else IMPLEMENTATION.encode())]
    with open(stb, "rb") as f:
        out.append(("stb_ds.h", f.read()))
    for folder, kinds in (("examples", (".c", ".cc", ".md")), ("examples/scenes", (".json",)), ("packaging/conan", (".py",)),
                          ("packaging/conan/test_package", (".py", ".txt", ".c")), ("packaging/vcpkg/contact-h", (".json", ".cmake", "usage"))):
        out += [(folder + "/" + n, read(folder, n)) for n in os.listdir(os.path.join(ROOT, folder)) if n.endswith(kinds)]
    return sorted(out)


def write_archive(path, folder, content):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in content:
            info = tarfile.TarInfo(folder + "/" + name)
            info.size, info.mode = len(data), 0o644
            tar.addfile(info, io.BytesIO(data))
    with open(path + ".tmp", "wb") as f:
        with gzip.GzipFile(filename="", mode="wb", fileobj=f, mtime=0) as z:
            z.write(raw.getvalue())
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=os.path.join(ROOT, "build"))
    args = parser.parse_args()
    try:
        folder, content = "contact-" + version(), files()
        os.makedirs(args.out, exist_ok=True)
        path = os.path.join(args.out, folder + ".tar.gz")
        write_archive(path, folder, content)
    except Refused as e:
        print("make_dist.py: %s" % e, file=sys.stderr)
        return 1
    print("%s: %d files" % (os.path.relpath(path), len(content)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
