"""make_rods.py -- the show scenes of rods and points for make_scenes.py: knots that scripts pull tight, a net that falls over a ball, sand on a
hanging cloth, a chain of rings. Each function writes its meshes into a folder and returns the scene. Standard library only.
"""
import math
import os
import random


def write_obj(folder, name, lines):
    """lines: (points, closed) each; points alone where closed is None"""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path + ".tmp", "w") as f:
        first = 1
        for points, closed in lines:
            for p in points:
                f.write("v %.9g %.9g %.9g\n" % tuple(p))
            numbers = [str(first + i) for i in range(len(points))] + ([str(first)] if closed else [])
            f.write("\n".join("p " + n for n in numbers) + "\n" if closed is None else "l " + " ".join(numbers) + "\n")
            first += len(points)
    os.replace(path + ".tmp", path)


def resample(points, length):
    """points a distance of about `length` apart along a polyline"""
    total = sum(math.dist(p, q) for p, q in zip(points, points[1:]))
    n = max(2, round(total / length))
    step, need, out = total / n, total / n, [points[0]]
    for p, q in zip(points, points[1:]):
        d = math.dist(p, q)
        while need <= d * (1 + 1e-12) and len(out) < n:
            out.append([a + (b - a) * need / d for a, b in zip(p, q)])
            need += step
        need -= d
    return out + [points[-1]]


def overhand(scale, tail, length):
    """an overhand knot: a trefoil that is cut at its outermost point, with straight ends along x"""
    def at(f):
        r = 2 + math.cos(3 * f)
        return [r * math.sin(2 * f) * scale, math.sin(3 * f) * scale, r * math.cos(2 * f) * scale]
    a, b, fine = 0.12, 2 * math.pi - 0.12, 4000
    loop = [at(a + (b - a) * i / fine) for i in range(fine + 1)]
    side = 1 if loop[0][0] < loop[1][0] else -1
    ends = [[[p[0] - s * side * tail * t / 40, p[1], p[2]] for t in range(1, 41)] for p, s in ((loop[0], 1), (loop[-1], -1))]
    return resample(ends[0][::-1] + loop + ends[1], length), side


def knots(folder, seconds, plane):
    """Three ropes with an overhand knot each, from limp to stiff, that scripts pull tight."""
    points, side = overhand(0.08, 0.35, 0.02)
    write_obj(folder, "knot.obj", [(points, False)])
    n, bodies = len(points), []
    for i, young in enumerate((2e5, 1e6, 5e6)):
        pull = [[{"linear": [s * side * 0.23, 0, 0], "duration": 4}, {"linear": [0, 0, 0]}] for s in (-1, 1)]
        bodies.append({"name": "rope%d" % i, "type": "rod", "mesh": "knot.obj", "transform": [{"translate": [0, 0.5, 0.8 * (1 - i)]}],
                       "material": {"radius": 0.012, "young": young, "density": 1000, "curvature": 0, "stretch": 2000,
                                    "damping": {"mass": 0.5, "stiffness": 0.002}},
                       "fix": [{"vertices": [0, 1], "motion": pull[0]}, {"vertices": [n - 2, n - 1], "motion": pull[1]}]})
    return {"name": "knots", "dt": 0.01, "duration": seconds or 5, "friction": 0.3, "thickness": 0.002, "bodies": bodies + [plane],
            "output": {"camera": {"eye": [0.6, 1.6, 2.9], "target": [0, 0.35, 0.1], "fov": 40}}}


def net(folder, seconds, plane):
    """A net without bending stiffness falls over a ball."""
    return {"name": "net", "dt": 0.01, "duration": seconds or 3, "friction": 0.4, "thickness": 0.002, "bodies": [
        {"name": "net", "type": "rod", "shape": {"net": {"size": [1, 1], "cells": [16, 16]}}, "transform": [{"translate": [0, 0.75, 0]}],
         "material": {"radius": 0.004, "bend": 0, "torsion": 0, "stretch": 2000, "line_density": 0.01,
                      "damping": {"mass": 0.1, "stiffness": 0.002}}},
        {"name": "ball", "type": "static", "shape": {"sphere": {"radius": 0.25, "levels": 3}}, "transform": [{"translate": [0.03, 0.4, 0.02]}]},
        plane], "output": {"camera": {"eye": [1.2, 1.1, 1.4], "target": [0, 0.35, 0], "fov": 36}}}


def sand(folder, seconds, plane):
    """324 grains fall onto a cloth that hangs by its corners."""
    rng = random.Random(1)
    grains = [[0.045 * (i - 2.5) + rng.uniform(-.004, .004), 0.56 + 0.042 * j + rng.uniform(-.002, .002), 0.045 * (k - 2.5)
               + rng.uniform(-.004, .004)]
              for j in range(9) for i in range(6) for k in range(6)]
    write_obj(folder, "grains.obj", [(grains, None)])
    return {"name": "sand", "dt": 0.005, "duration": seconds or 2, "friction": 0.15, "thickness": 0.002, "bodies": [
        {"name": "grains", "type": "points", "mesh": "grains.obj", "material": {"radius": 0.018, "density": 1500}},
        {"name": "sheet", "type": "cloth", "shape": {"grid": {"size": [1, 1], "cells": [20, 20]}}, "transform": [{"translate": [0, 0.5, 0]}],
         "material": {"model": "springs", "stretch": 800, "shear": 200, "bend": 1e-3, "areal_density": 0.3},
         "fix": [{"vertices": [0, 20, 420, 440]}]},
        plane], "output": {"camera": {"eye": [1.0, 1.2, 1.2], "target": [0, 0.35, 0], "fov": 36}}}


def chain(folder, seconds, plane):
    """Ten closed rods linked to a chain; the first is held, and the last swings free until it hangs."""
    radius, rod, sides, bodies = 0.06, 0.008, 24, []
    pitch = 2 * (radius - 1.3 * rod)
    for i in range(10):
        ring = []
        for k in range(sides):
            a, u = 2 * math.pi * k / sides, radius
            x, y = u * math.cos(a), u * math.sin(a)
            ring.append([x, y, 0] if i % 2 == 0 else [x, 0, y])
        write_obj(folder, "ring%d.obj" % (i % 2), [(ring, True)])
        bodies.append({"name": "ring%d" % i, "type": "rod", "mesh": "ring%d.obj" % (i % 2), "transform": [{"translate": [pitch * i, 1.4, 0]}],
                       "material": {"radius": rod, "young": 5e8, "density": 2000, "damping": {"mass": 0.2, "stiffness": 1e-4}}})
    bodies[0]["fix"] = [{"vertices": list(range(sides // 2 - 3, sides // 2 + 4))}]
    return {"name": "chain", "dt": 0.005, "duration": seconds or 3, "friction": 0.2, "thickness": 0.002, "bodies": bodies + [plane],
            "output": {"camera": {"eye": [0.3, 1.15, 2.2], "target": [0.02, 0.95, 0], "fov": 32}}}
