#!/usr/bin/env python3
"""make_film.py -- `make docs`: writes docs/pile.webp, the looping film on the README's first screen: rigid bodies, soft bodies and cloth in one pile.

usage: python3 tools/make_film.py [--out FILE]
The scene is `unified` of tools/make_scenes.py, its first 2.5 seconds, about three minutes of one core. Needs a program that was built with libwebp;
where it was not, the file is left as it is and the exit code is 0. The file is written under a temporary name and renamed.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPS, SIZE = 250, "480x270"
MOST = 1000000  # bytes of a picture on a README


def main():
    parser = argparse.ArgumentParser(description="the looping film of the README")
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "pile.webp"))
    out = os.path.abspath(parser.parse_args().out)
    with tempfile.TemporaryDirectory() as work:
        subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", work, "--only", "unified"],
                              stdout=subprocess.DEVNULL)
        small = os.path.join(work, "film.webp")
        p = subprocess.run([os.path.join(ROOT, "build", "contact"), "run", os.path.join(work, "unified", "scene.json"), "--steps", str(STEPS),
                            "--quiet", "--frames", "none", "--render", small, "--size", SIZE], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           text=True)
        if p.returncode == 1 and "libwebp-dev" in p.stderr:
            print("SKIPPED film: %s; %s stays as it is" % (p.stderr.strip(), os.path.relpath(out, ROOT)))
            return 0
        if p.returncode:
            sys.exit(p.stderr)
        size = os.path.getsize(small)
        if size > MOST:
            sys.exit("make_film.py: %d bytes, more than %d" % (size, MOST))
        shutil.copy(small, out + ".tmp")
        os.replace(out + ".tmp", out)
    print("wrote %s, %d bytes" % (os.path.relpath(out, ROOT), size))
    return 0


if __name__ == "__main__":
    sys.exit(main())
