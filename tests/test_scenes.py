#!/usr/bin/env python3
"""test_scenes.py -- the first steps of acceptance scenes, every step tested for intersections: these break first when a change to the
contact solve is wrong.

Prints a line a check, "ok NAME", "FAILED NAME: why" or "SKIPPED NAME: what is missing"; exit 1 when one failed. Whole scenes: tools/accept.py.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
DATA = os.environ.get("CONTACT_DATA", os.path.join(ROOT, "..", "shared", "data"))
FAILED = []

# scene, steps, worst natural map, most steps that may end on their budget, most substeps, height of the centre of mass at the end
SCENES = [
    ("peers/S1_dt60", 40, 0.02, 33, 1, (0.1949, 0.001)),
    ("peers/S2", 110, 0.3, 38, 1, (0.2548, 0.002)),
    ("peers/S3_N8", 50, 0.01, 14, 1, (0.1964, 0.002)),
    ("ipc/other_2matsFall", 11, 0.05, 3, 16, (0.7672, 0.002)),
    ("ipc/other_matHouse_sharp", 31, 0.2, 31, 4, None),  # the way in which the house of cards falls is not fixed
]


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[:600]), flush=True)
    if not ok:
        FAILED.append(name)


def run(name, steps, residual, budget, substeps, height):
    path = os.path.join(DATA, "scenes", name, "scene.json")
    if not os.path.exists(path):
        print("SKIPPED %s: %s" % (name, os.path.relpath(path, ROOT)), flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="contact_test_") as out:
        p = subprocess.run([CONTACT, "run", path, "--stepper", "cmr", "--check", "--steps", str(steps), "--out", out, "--frames", "none", "--quiet"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
        check(name + " ends with exit code 0", p.returncode == 0, "%d %s" % (p.returncode, p.stdout.decode(errors="replace")))
        if p.returncode:
            return
        with open(os.path.join(out, "stats.jsonl")) as f:
            lines = [json.loads(line) for line in f]
    check(name + " ran all steps", len(lines) == steps, len(lines))
    check(name + " has no intersection", all(s["intersections"] == 0 for s in lines))
    check(name + " has no zone and nothing frozen", not any(s["zones"] or s["frozen"] for s in lines))
    check(name + " converges in every step", not any(s["status"] == "not_converged" for s in lines),
          [s["step"] for s in lines if s["status"] == "not_converged"])
    worst = max(lines, key=lambda s: s["residual"])
    check(name + " natural map", worst["residual"] <= residual, "%g in step %d" % (worst["residual"], worst["step"]))
    n = sum(s["status"] == "budget" for s in lines)
    check(name + " steps on their budget", n <= budget, n)
    n = max(s["substeps"] for s in lines)
    check(name + " substeps", n <= substeps, n)
    if height:
        y = lines[-1]["center_of_mass"][1]
        check(name + " height", abs(y - height[0]) <= height[1], y)


# show scenes of the barrier stepper, one of the layers stepper, and four of the explicit one, that take one to three seconds:
# scene, steps, share of steps that are ok or substepped
SHOW = [("slopes", 150, 1), ("masses", 200, 1), ("points", 40, 0.97), ("tumble", 60, 1),
        ("cylinders", 30, 1), ("board", 50, 1), ("seven", 20, 1), ("steel", 20, 1)]


def show(name, steps, share):
    with tempfile.TemporaryDirectory(prefix="contact_test_") as out:
        subprocess.check_call([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", out, "--only", name])
        p = subprocess.run([CONTACT, "run", os.path.join(out, name, "scene.json"), "--check", "--steps", str(steps), "--out", os.path.join(out, "run"),
                            "--frames", "none", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
        check("%s ends with exit code 0" % name, p.returncode == 0, "%d %s" % (p.returncode, p.stdout.decode(errors="replace")))
        if p.returncode:
            return
        with open(os.path.join(out, "run", "stats.jsonl")) as f:
            lines = [json.loads(line) for line in f]
    check("%s ran all steps" % name, len(lines) == steps, len(lines))
    check("%s has no intersection" % name, all(s["intersections"] == 0 for s in lines))
    good = sum(s["status"] in ("ok", "substepped") for s in lines)  # a corner that slips off an edge divides a step
    check("%s converges" % name, good >= share * steps, "%d of %d steps are ok or substepped" % (good, steps))


def main():
    for scene in SCENES:
        run(*scene)
    for scene in SHOW:
        show(*scene)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
