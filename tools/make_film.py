#!/usr/bin/env python3
"""make_film.py -- `make docs`: writes docs/pile.webp, the looping film on the README's first screen: rigid bodies, soft bodies and cloth in one pile.

usage: python3 tools/make_film.py [--out FILE]
The scene is `unified` of tools/make_scenes.py, its first 2.5 seconds, about two minutes of one core. Needs ffmpeg with libwebp; where that is
missing, the file is left as it is and the exit code is 0. The file is written under a temporary name and renamed.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPS, WIDTH, RATE = 250, 480, 25
MOST = 1000000  # bytes of a picture on a README


def main():
    parser = argparse.ArgumentParser(description="the looping film of the README")
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "pile.webp"))
    out = os.path.abspath(parser.parse_args().out)
    ffmpeg = shutil.which("ffmpeg")
    if not ffmpeg or b"libwebp_anim" not in subprocess.run([ffmpeg, "-v", "error", "-encoders"], capture_output=True, check=False).stdout:
        print("SKIPPED film: no ffmpeg with libwebp on PATH; %s stays as it is" % os.path.relpath(out, ROOT))
        return 0
    with tempfile.TemporaryDirectory() as work:
        subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", work, "--only", "unified"],
                              stdout=subprocess.DEVNULL)
        film, small = os.path.join(work, "film.mp4"), os.path.join(work, "film.webp")
        subprocess.check_call([os.path.join(ROOT, "build", "contact"), "run", os.path.join(work, "unified", "scene.json"), "--steps", str(STEPS),
                               "--quiet", "--frames", "none", "--render", film], stdout=subprocess.DEVNULL)
        subprocess.check_call([ffmpeg, "-v", "error", "-y", "-i", film, "-vf", "fps=%d,scale=%d:-1:flags=lanczos" % (RATE, WIDTH), "-loop", "0",
                               "-c:v", "libwebp_anim", "-q:v", "60", small])
        size = os.path.getsize(small)
        if size > MOST:
            sys.exit("make_film.py: %d bytes, more than %d" % (size, MOST))
        shutil.copy(small, out + ".tmp")
        os.replace(out + ".tmp", out)
    print("wrote %s, %d bytes" % (os.path.relpath(out, ROOT), size))
    return 0


if __name__ == "__main__":
    sys.exit(main())
