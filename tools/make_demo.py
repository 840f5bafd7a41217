#!/usr/bin/env python3
"""make_demo.py -- writes build/demo/demo.json and cube.msh (64 soft boxes that fall on a heap, and a cloth that is let go above it), runs the
scene with every step checked for intersections, and prints three numbers. Deterministic: an LCG with a fixed seed. Standard library only.

usage: python3 tools/make_demo.py [--write-only]
"""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "build", "demo")
CELLS, SIDE = 2, 0.2


class Random:
    def __init__(self, seed):
        self.state = seed

    def between(self, lo, hi):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return lo + (hi - lo) * ((self.state >> 33) / float(1 << 31))


def write_cube(path):
    """A cube of CELLS^3 cells, six tetrahedra each around the cell's diagonal, as Gmsh MSH 2.2."""
    n = CELLS + 1

    def number(i, j, k):
        return 1 + i + n * (j + n * k)

    points = [(SIDE * (i / CELLS - 0.5), SIDE * (j / CELLS - 0.5), SIDE * (k / CELLS - 0.5)) for k in range(n) for j in range(n) for i in range(n)]
    tets = []
    for k in range(CELLS):
        for j in range(CELLS):
            for i in range(CELLS):
                for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2), (2, 1, 0), (0, 2, 1)):
                    at = [i, j, k]
                    corners = [number(*at)]
                    for axis in order:
                        at[axis] += 1
                        corners.append(number(*at))
                    # odd permutations of the axes turn a tet inside out
                    if order in ((1, 0, 2), (2, 1, 0), (0, 2, 1)):
                        corners[2], corners[3] = corners[3], corners[2]
                    tets.append(corners)
    with open(path, "w") as f:
        f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(points))
        f.writelines("%d %.17g %.17g %.17g\n" % ((i + 1,) + p) for i, p in enumerate(points))
        f.write("$EndNodes\n$Elements\n%d\n" % len(tets))
        f.writelines("%d 4 2 1 1 %d %d %d %d\n" % ((i + 1,) + tuple(t)) for i, t in enumerate(tets))
        f.write("$EndElements\n")


def scene():
    random = Random(2024)
    bodies = [{"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 12}}}]
    for layer in range(4):
        shift = 0.08 if layer % 2 else -0.08
        for z in range(4):
            for x in range(4):
                bodies.append({
                    "name": "box_%d_%d_%d" % (x, layer, z), "type": "soft", "mesh": "cube.msh",
                    "material": {"model": "corotational", "young": 1e5, "poisson": 0.4, "density": 500, "damping": {"stiffness": 0.002}},
                    "transform": [{"rotate": [random.between(-12, 12), random.between(-20, 20), random.between(-12, 12)]},
                                  {"translate": [0.325 * (x - 1.5) + shift + random.between(-0.01, 0.01), 0.17 + 0.31 * layer, 0.325 * (z - 1.5) - shift + random.between(-0.01, 0.01)]}]})
    bodies.append({
        "name": "cloth", "type": "cloth", "shape": {"grid": {"size": [1.5, 1.5], "cells": [46, 46]}},
        "material": {"model": "springs", "stretch": 300, "shear": 60, "bend": 4e-4, "areal_density": 0.25, "damping": {"stiffness": 0.002}},
        "transform": [{"rotate": [0, 22, 0]}, {"translate": [0, 1.55, 0]}],
        "fix": [{"vertices": [0, 46, 47 * 46, 47 * 47 - 1], "until": 0.9}]})
    return {"name": "demo: 64 soft boxes under a cloth", "dt": 1 / 60, "duration": 3, "thickness": 4e-3, "friction": 0.5, "self_collision": True,
            "stepper": "cmr", "bodies": bodies, "output": {"camera": {"eye": [1.75, 1.45, 2.75], "target": [0.05, 0.14, 0.1], "fov": 38}}}


def main():
    os.makedirs(OUT, exist_ok=True)
    write_cube(os.path.join(OUT, "cube.msh"))
    with open(os.path.join(OUT, "demo.json"), "w") as f:
        json.dump(scene(), f, indent=1)
    if "--write-only" in sys.argv:
        return 0
    command = [os.path.join(ROOT, "build", "contact"), "run", os.path.join(OUT, "demo.json"), "--out", OUT, "--frames", "none", "--check", "--quiet",
               "--render", os.path.join(OUT, "demo.png")]
    print("64 soft boxes under a cloth, 180 steps of 1/60 s", flush=True)
    if sys.stderr.isatty():
        command.remove("--quiet")
    code = subprocess.call(command, stdout=subprocess.DEVNULL)
    if code:
        return code
    s = json.load(open(os.path.join(OUT, "summary.json")))
    print("picture   build/demo/demo.png\nsummary   build/demo/summary.json")
    print("median    %.1f ms a step" % s["median_cpu_ms"])
    print("contacts  %d at rest" % s["contacts"])
    print("intersections  %d" % s["intersections"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
