"""make_explicit.py -- scenes of the explicit stepper, with their meshes: cylinders, board, seven, steel. make_scenes.py writes them.

Hong, Choi, Lee 2006, section 5: two soft cylinders of about 500 tetrahedra in contact (their Fig. 4), a heavy metal ball on a stiff wooden board
(Fig. 3, of steel and wood, both deformable: `steel`; `board` has a board of rubber and a rigid ball, for longer runs), and contact in seven places
(the areas of Fig. 5).
"""
import math
import os

SPLIT = {0: ((0, 1, 2, 4), (3, 1, 7, 2), (5, 1, 4, 7), (6, 2, 7, 4), (1, 2, 4, 7)),
         1: ((1, 0, 5, 3), (2, 0, 3, 6), (4, 0, 6, 5), (7, 3, 5, 6), (0, 3, 6, 5))}


def lattice(cells, place):
    """vertices and tetrahedra of a box of cells, five in each, whose vertices `place` moves"""
    def number(i, j, k):
        return (i * (cells[1] + 1) + j) * (cells[2] + 1) + k
    points = [place(i / cells[0], j / cells[1], k / cells[2])
              for i in range(cells[0] + 1) for j in range(cells[1] + 1) for k in range(cells[2] + 1)]
    tets = []
    for i in range(cells[0]):
        for j in range(cells[1]):
            for k in range(cells[2]):
                corner = [number(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) for c in range(8)]
                for t in SPLIT[(i + j + k) % 2]:
                    t = [corner[c] for c in t]
                    a, b, c, d = (points[v] for v in t)
                    u, v, w = ([q[n] - a[n] for n in range(3)] for q in (b, c, d))
                    volume = (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]))
                    tets.append(t if volume > 0 else [t[0], t[2], t[1], t[3]])
    return points, tets


def write_msh(path, points, tets):
    with open(path, "w") as f:
        f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(points))
        for i, p in enumerate(points):
            f.write("%d %.9g %.9g %.9g\n" % (i + 1, p[0], p[1], p[2]))
        f.write("$EndNodes\n$Elements\n%d\n" % len(tets))
        for i, t in enumerate(tets):
            f.write("%d 4 0 %d %d %d %d\n" % (i + 1, t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1))
        f.write("$EndElements\n")


def cylinder(path, radius, length, around, along):
    """a cylinder along x; its cross-section is a square that is mapped to a disc"""
    def place(s, u, v):
        a, b = 2 * u - 1, 2 * v - 1
        return (length * (s - 0.5), radius * a * math.sqrt(1 - b * b / 2), radius * b * math.sqrt(1 - a * a / 2))
    write_msh(path, *lattice((along, around, around), place))


def ball(path, radius, cells):
    """a ball: a cube that is mapped to it"""
    def place(u, v, w):
        p = [2 * q - 1 for q in (u, v, w)]
        s = [q * q for q in p]
        return tuple(radius * p[k] * math.sqrt(1 - (s[(k + 1) % 3] + s[(k + 2) % 3]) / 2 + s[(k + 1) % 3] * s[(k + 2) % 3] / 3) for k in range(3))
    write_msh(path, *lattice((cells,) * 3, place))


def scene(name, dt, steps, seconds, bodies, camera, **more):
    out = {"name": name, "stepper": "explicit", "dt": dt, "duration": seconds or steps * dt, "thickness": 0.001, "friction": 0,
           "self_collision": False, "bodies": bodies, "output": {"camera": camera}}
    out.update(more)
    return out


def soft(name, young, poisson, density, transform, stiffness=0.002, **more):
    body = {"name": name, "type": "soft", "material": {"model": "hong_neohookean", "young": young, "poisson": poisson, "density": density,
                                                       "damping": {"mass": 0, "stiffness": stiffness}}, "transform": transform}
    body.update(more)
    return body


def post(name, size, at):
    return {"name": name, "type": "static", "shape": {"box": {"size": size, "cells": [1, 1, 1]}}, "transform": [{"translate": at}]}


def cylinders(folder, seconds, floor):
    """Two crossed cylinders of 480 tetrahedra; the lower one lies on two posts."""
    os.makedirs(folder, exist_ok=True)
    cylinder(os.path.join(folder, "cylinder.msh"), 0.02, 0.12, 4, 6)
    return scene("cylinders", 0.01, 60, seconds, [
        soft("lower", 1e5, 0.49, 1000, [{"translate": [0, 0.0405, 0]}], mesh="cylinder.msh"),
        soft("upper", 1e5, 0.49, 1000, [{"rotate": [0, 90, 0]}, {"translate": [0.002, 0.083, 0.001]}], mesh="cylinder.msh", velocity=[0, -1.2, 0]),
        post("left", [0.02, 0.02, 0.08], [-0.05, 0.01, 0]), post("right", [0.02, 0.02, 0.08], [0.05, 0.01, 0]), floor],
        {"eye": [0.16, 0.12, 0.2], "target": [0, 0.04, 0], "fov": 40})


def board(folder, seconds, floor):
    """A heavy ball falls on a stiff board across two posts."""
    os.makedirs(folder, exist_ok=True)
    return scene("board", 0.002, 50, seconds, [
        soft("board", 1e7, 0.3, 600, [{"translate": [0, 0.0561, 0]}], 1e-5, shape={"box": {"size": [0.4, 0.012, 0.1], "cells": [20, 2, 5]}}),
        {"name": "ball", "type": "rigid", "material": {"density": 7800}, "shape": {"sphere": {"radius": 0.02, "levels": 2}},
         "transform": [{"translate": [0.003, 0.0836, 0.002]}], "velocity": [0, -1, 0]},
        post("left", [0.02, 0.05, 0.12], [-0.17, 0.025, 0]), post("right", [0.02, 0.05, 0.12], [0.17, 0.025, 0]), floor],
        {"eye": [0.3, 0.2, 0.35], "target": [0, 0.06, 0], "fov": 40})


def steel(folder, seconds, floor):
    """The paper's Fig. 3: a steel ball strikes a wooden board across two posts. Both are deformable: 2e11 and 1e10 Pa."""
    os.makedirs(folder, exist_ok=True)
    ball(os.path.join(folder, "ball.msh"), 0.02, 4)
    return scene("steel", 1e-4, 40, seconds, [
        soft("board", 1e10, 0.3, 600, [{"translate": [0, 0.05601, 0]}], 1e-8, shape={"box": {"size": [0.3, 0.012, 0.08], "cells": [15, 2, 4]}}),
        soft("ball", 2e11, 0.29, 7800, [{"translate": [0.003, 0.0822, 0.002]}], 1e-9, mesh="ball.msh", velocity=[0, -1, 0]),
        post("left", [0.02, 0.05, 0.1], [-0.12, 0.025, 0]), post("right", [0.02, 0.05, 0.1], [0.12, 0.025, 0]), floor],
        {"eye": [0.3, 0.2, 0.35], "target": [0, 0.06, 0], "fov": 40})


def seven(folder, seconds, floor):
    """A soft slab falls on seven posts: seven contact areas."""
    os.makedirs(folder, exist_ok=True)
    posts = [post("post%d" % i, [0.012, 0.03, 0.012], [0.035 * math.cos(math.pi * i / 3) if i else 0, 0.015, 0.035 * math.sin(math.pi * i / 3) if i else 0])
             for i in range(7)]
    return scene("seven", 0.01, 60, seconds, [
        soft("slab", 1e5, 0.49, 1000, [{"translate": [0.002, 0.046, 0.001]}], shape={"box": {"size": [0.1, 0.03, 0.1], "cells": [10, 3, 10]}},
             velocity=[0, -0.5, 0])] + posts + [floor],
        {"eye": [0.16, 0.14, 0.2], "target": [0, 0.03, 0], "fov": 40})


SCENES = {"cylinders": cylinders, "board": board, "seven": seven, "steel": steel}
