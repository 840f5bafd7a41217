"""make_layers.py -- show scenes of the layers stepper for make_scenes.py: drape, a sheet that falls on a ball; tumble, balls and boxes on a slope."""
import math
import os


def icosphere(path, radius, levels):
    """Writes a sphere of 20 * 4^levels triangles."""
    g = (1 + 5 ** 0.5) / 2
    v = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1),
         (-g, 0, 1)]
    f = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2),
         (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]

    def unit(p):
        n = math.sqrt(sum(x * x for x in p))
        return tuple(x / n for x in p)
    v = [unit(p) for p in v]
    for _ in range(levels):
        middle, out = {}, []

        def half(a, b):
            key = (min(a, b), max(a, b))
            if key not in middle:
                middle[key] = len(v)
                v.append(unit(tuple((v[a][k] + v[b][k]) / 2 for k in range(3))))
            return middle[key]
        for a, b, c in f:
            ab, bc, ca = half(a, b), half(b, c), half(c, a)
            out += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        f = out
    with open(path, "w") as o:
        o.writelines("v %.9g %.9g %.9g\n" % tuple(radius * x for x in p) for p in v)
        o.writelines("f %d %d %d\n" % tuple(i + 1 for i in t) for t in f)


def scene(name, seconds, duration, bodies, camera, **more):
    s = {"name": name, "stepper": "layers", "dt": 0.01, "duration": seconds or duration, "thickness": 2e-3, "friction": 0.3, "bodies": bodies,
         "output": {"camera": camera}}
    s.update(more)
    return s


def drape(folder, seconds, plane):
    """A sheet of 30 x 30 cells falls on a ball."""
    return scene("drape", seconds, 1.5, [
        {"name": "cloth", "type": "cloth", "shape": {"grid": {"size": [1, 1], "cells": [30, 30]}},
         "material": {"model": "membrane", "areal_density": 0.2}, "transform": [{"translate": [0, 0.6, 0]}]},
        {"name": "ball", "type": "static", "shape": {"sphere": {"radius": 0.25, "levels": 3}}, "transform": [{"translate": [0, 0.3, 0]}]}, plane],
        {"eye": [1.0, 0.9, 1.5], "target": [0, 0.3, 0], "fov": 36})


def tumble(folder, seconds, plane):
    """Soft boxes, which friction holds, and soft balls, which roll into them, on a slope of 20 degrees."""
    os.makedirs(folder, exist_ok=True)
    icosphere(os.path.join(folder, "ball.obj"), 0.1, 2)
    soft = {"young": 1e5, "poisson": 0.3, "density": 1000, "damping": {"stiffness": 0.001}}
    bodies = [plane]
    bodies[0]["transform"] = [{"rotate": [0, 0, -20]}]
    for i in range(3):
        bodies.append({"name": "box%d" % i, "type": "soft", "shape": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "material": soft,
                       "transform": [{"translate": [0.1 * (i % 2), 0.103, 0.26 * (i - 1)]}, {"rotate": [0, 0, -20]}]})
        bodies.append({"name": "ball%d" % i, "type": "soft", "surface": "ball.obj", "lattice": 0.07, "material": soft,
                       "transform": [{"rotate": [10 * i, 20 * i, 0]}, {"translate": [-0.6 - 0.1 * i, 0.103, 0.26 * (i - 1) + 0.05]},
                                     {"rotate": [0, 0, -20]}]})
    return scene("tumble", seconds, 2, bodies, {"eye": [0.9, 1.0, 1.9], "target": [-0.1, 0.05, 0], "fov": 24}, friction=0.8)


SCENES = {"drape": drape, "tumble": tumble}
