#!/usr/bin/env python3
"""make_pictures.py -- runs the show scenes of the barrier stepper, every step tested for intersections: a small picture and a row of
docs/barrier.md each. Those of docs/methods.md: --methods.

usage: python3 tools/make_pictures.py [--only NAME[,NAME]] [--out docs/barrier] [--stepper S] [--work DIR]
       python3 tools/make_pictures.py --methods --out docs [--only NAME[,NAME]] [--work DIR]
Prints the rows: scene, stepper, steps, share of steps that are ok, steps with intersections, Newton iterations a step, CPU milliseconds a step
(mean and worst). Exit code 1 where a scene did not end or had an intersection. About four minutes of one core for all. Standard library only.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
NAMES = ["twist", "funnel", "chain", "cards", "arch", "slopes", "points", "shots", "rollers", "masses", "knots", "net", "sand"]
AT = {"shots": 2}  # the step that the picture shows, where it is not the last
MOST = 60000  # bytes of a picture
METHODS = {"press": 220, "unified": 150, "skirt": 750, "cloth_drop": 150}  # steps until the picture; seven minutes in all


def run(name, work, *options):
    folder = os.path.join(work, name)
    return subprocess.run([CONTACT, "run", os.path.join(folder, "scene.json"), "--frames", "none", "--quiet", "--out", os.path.join(folder, "run"),
                           *options], stdout=subprocess.DEVNULL).returncode


def row(name, stepper, work):
    with open(os.path.join(work, name, "run", "stats.jsonl")) as f:
        steps = [json.loads(line) for line in f]
    n, ms = len(steps), [s["cpu_ms"] for s in steps]
    crossed = sum(s["intersections"] > 0 for s in steps)
    print("| %s | `%s` | %d | %.1f | %d | %.1f | %.1f, %.0f |" % (name, stepper, n, 100 * sum(s["status"] == "ok" for s in steps) / n, crossed,
                                                           sum(s["newton_iterations"] for s in steps) / n, sum(ms) / n, max(ms)), flush=True)
    return crossed == 0


def picture(name, work, out):
    large, small = os.path.join(work, name, "large.png"), os.path.join(out, name + ".png")
    subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "shrink_png.py"), large, small, "--colours", "200"], stdout=subprocess.DEVNULL)
    if os.path.getsize(small) > MOST:
        sys.exit("%s: more than %d bytes" % (small, MOST))


def methods(names, work, out):
    """pictures of docs/methods.md, as they are drawn"""
    for name in names:
        subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", work, "--only", name])
        large = os.path.join(work, name, "large.png")
        code = run(name, work, "--steps", str(METHODS[name]), "--render", large)
        if code:
            return code
        subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "shrink_png.py"), large, os.path.join(out, name + ".png"), "--whole"])
    return 0


def main():
    parser = argparse.ArgumentParser(description="pictures and a table of the barrier stepper's show scenes")
    parser.add_argument("--only")
    parser.add_argument("--methods", action="store_true", help="pictures of docs/methods.md")
    parser.add_argument("--out", help="folder of the pictures; without it there are none")
    parser.add_argument("--stepper", default="barrier")
    parser.add_argument("--work", help="folder of scenes and runs; a temporary one without it")
    args = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or temporary
        names = args.only.split(",") if args.only else list(METHODS) if args.methods else NAMES
        if args.methods:
            return methods(names, work, args.out)
        for name in names:
            subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", work, "--only", name])
            large = ["--render", os.path.join(work, name, "large.png")] if args.out else []
            stepper = ["--stepper", args.stepper]
            if name in AT and args.out:
                run(name, work, *stepper, *large, "--steps", str(AT[name]))
            code = run(name, work, *stepper, "--check", *([] if name in AT else large))
            good = good and code == 0 and row(name, args.stepper, work)
            if args.out:
                picture(name, work, args.out)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
