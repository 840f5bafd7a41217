#!/usr/bin/env python3
"""make_demo.py -- writes build/demo/letters: a heap of soft letters that falls into a box (tools/make_scenes.py), runs it with every step checked
for intersections, and prints three numbers. A picture and a film. Deterministic. Standard library only.

usage: python3 tools/make_demo.py [--write-only]
"""
import json
import os
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "build", "demo")
LETTERS, SECONDS = 48, 3
FILM = 20  # most seconds for the film


def film(command):
    """A film of the steps that can be drawn in the time left: an interrupted run leaves a complete file."""
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        p.wait(FILM)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGINT)
        p.wait()
    if p.returncode in (0, 130) and os.path.exists(os.path.join(OUT, "demo.gif")):
        print("film      build/demo/demo.gif", flush=True)


def main():
    os.makedirs(OUT, exist_ok=True)
    subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", OUT, "--only", "letters", "--letters",
                           str(LETTERS),
                           "--seconds", str(SECONDS)])
    if "--write-only" in sys.argv:
        return 0
    base = [os.path.join(ROOT, "build", "contact"), "run", os.path.join(OUT, "letters", "scene.json"), "--quiet", "--frames", "none"]
    command = base + ["--out", OUT, "--check", "--render", os.path.join(OUT, "demo.png")]
    print("%d soft letters fall into a box, %d steps of 30 ms" % (LETTERS, round(SECONDS / 0.03)), flush=True)
    p = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
    if p.returncode:  # warnings are about the coarse letters, which are meant
        sys.stderr.write(p.stderr)
        return p.returncode
    print("picture   build/demo/demo.png\nsummary   build/demo/summary.json", flush=True)
    film(base + ["--render", os.path.join(OUT, "demo.gif")])
    s = json.load(open(os.path.join(OUT, "summary.json")))
    print("median    %.1f ms a step" % s["median_cpu_ms"])
    print("contacts  %d at the end" % s["contacts"])
    print("intersections  %d" % s["intersections"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
