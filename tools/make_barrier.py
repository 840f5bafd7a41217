"""make_barrier.py -- the show scenes of the barrier stepper for make_scenes.py: a mat that is twisted, a ball pushed through a funnel, a house of
cards, an arch, slopes at and beside the angle of friction, balls on points and on knives, shots of 10, 100 and 1000 m/s, rollers, masses of a
millionth of what they carry. Each function writes its meshes into a folder and returns the scene. Standard library only.
"""
import math
import os
import random


def write_obj(folder, name, points, faces):
    """faces: polygons, split into fans; segments where they have two vertices"""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path + ".tmp", "w") as f:
        for p in points:
            f.write("v %.9g %.9g %.9g\n" % tuple(p))
        for q in faces:
            if len(q) == 2:
                f.write("l %d %d\n" % (q[0] + 1, q[1] + 1))
            for i in range(1, len(q) - 1):
                f.write("f %d %d %d\n" % (q[0] + 1, q[i] + 1, q[i + 1] + 1))
    os.replace(path + ".tmp", path)
    return name


def revolved(profile, around):
    """a surface of revolution about y: points and quadrilaterals of the profile's (radius, height)"""
    points, faces = [], []
    for r, y in profile:
        points += [[r * math.cos(2 * math.pi * k / around), y, r * math.sin(2 * math.pi * k / around)] for k in range(around)]
    for i in range(len(profile) - 1):
        for k in range(around):
            a, b = i * around + k, i * around + (k + 1) % around
            faces.append([a, a + around, b + around, b])
    return points, faces


def roll(radius, length, around):
    """a closed cylinder along x"""
    points, faces = [], []
    for x in (-length / 2, length / 2):
        points += [[x, radius * math.cos(2 * math.pi * k / around), radius * math.sin(2 * math.pi * k / around)] for k in range(around)]
    for k in range(around):
        j = (k + 1) % around
        faces.append([k, around + k, around + j, j])
    ends = len(points)
    points += [[-length / 2, 0, 0], [length / 2, 0, 0]]
    for k in range(around):
        j = (k + 1) % around
        faces += [[ends, k, j], [ends + 1, around + j, around + k]]
    return points, faces


def scene(name, dt, seconds, bodies, camera, **more):
    out = {"name": name, "stepper": "barrier", "dt": dt, "duration": seconds, "friction": 0.4, "thickness": 0.001, "bodies": bodies,
           "output": {"camera": camera}}
    out.update(more)
    return out


def soft(name, shape, young, place, **more):
    material = {"model": "stable_neohookean", "young": young, "poisson": 0.4, "density": 1000, "damping": {"mass": 0, "stiffness": 0.001}}
    return dict({"name": name, "type": "soft", "shape": shape, "material": material, "transform": place}, **more)


def rigid(name, shape, density, place, **more):
    return dict({"name": name, "type": "rigid", "shape": shape, "material": {"density": density}, "transform": place}, **more)


def box(size, cells=(1, 1, 1)):
    return {"box": {"size": list(size), "cells": list(cells)}}


def twist(folder, seconds, plane, cells=40):
    """A mat whose ends turn against each other, four times and a half."""
    length, half = 1.0, 0.5
    turn = [[{"linear": [0, 0, 0], "angular": [s * 90, 0, 0], "center": [s * half, 0, 0], "duration": 9}, {"linear": [0, 0, 0]}] for s in (-1, 1)]
    ends = [{"box": [[s * half - 1e-4, -1, -1], [s * half + 1e-4, 1, 1]], "motion": turn[s > 0]} for s in (-1, 1)]
    mat = soft("mat", box([length, 0.02, 0.6], [cells, 1, cells * 3 // 5]), 2e4, [], fix=ends)
    mat["material"]["damping"]["stiffness"] = 0.02
    return scene("twist", 0.04, seconds or 9, [mat], {"eye": [0.5, 0.75, 1.5], "target": [0, -0.02, 0], "fov": 36}, gravity=[0, 0, 0],
                 thickness=0.002, friction=0.2)


def funnel(folder, seconds, plane):
    """A soft ball of 36 cm is pushed through a throat of 20 cm."""
    profile = [(0.34, 0.62), (0.30, 0.5), (0.2, 0.3), (0.12, 0.16), (0.1, 0.1), (0.1, -0.06)]
    write_obj(folder, "funnel.obj", *revolved(profile, 40))
    ball = soft("ball", {"sphere": {"radius": 0.18, "levels": 3}}, 3e4, [{"translate": [0, 0.62, 0]}], lattice=0.06)
    ball["surface"], ball["shape"] = None, None
    write_obj(folder, "rod.obj", *revolved([(0.0005, 0.9), (0.075, 0.9), (0.075, 0.02), (0.06, 0), (0.0005, 0)], 24))
    points, faces = sphere(0.18, 3)
    write_obj(folder, "ball.obj", points, faces)
    ball = {k: v for k, v in ball.items() if v is not None}
    ball["surface"] = "ball.obj"
    push = [{"linear": [0, 0, 0], "duration": 0.4}, {"linear": [0, -0.4, 0], "duration": 2.1}, {"linear": [0, 0, 0]}]
    return scene("funnel", 0.01, seconds or 3, [
        ball, {"name": "funnel", "type": "static", "mesh": "funnel.obj"},
        {"name": "ram", "type": "kinematic", "mesh": "rod.obj", "transform": [{"translate": [0, 0.83, 0]}], "motion": push},
        {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": -0.5, "size": 5}}}],
        {"eye": [1.25, 0.85, 1.65], "target": [0, 0.13, 0], "fov": 38}, friction=0.1, thickness=0.002)


def sphere(radius, levels):
    """an icosahedron whose faces are split"""
    g = (1 + math.sqrt(5)) / 2
    points = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g],
              [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]]
    faces = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
             [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]]
    for _ in range(levels):
        middle, new = {}, []
        for q in faces:
            m = []
            for a, b in ((q[0], q[1]), (q[1], q[2]), (q[2], q[0])):
                key = (min(a, b), max(a, b))
                if key not in middle:
                    middle[key] = len(points)
                    points.append([(x + y) / 2 for x, y in zip(points[a], points[b])])
                m.append(middle[key])
            new += [[q[0], m[0], m[2]], [q[1], m[1], m[0]], [q[2], m[2], m[1]], m]
        faces = new
        points = [[radius * x / math.dist(p, [0, 0, 0]) for x in p] for p in points]
    return points, faces


def cards(folder, seconds, plane):
    """A house of cards: three storeys of leaning pairs, with decks between them; then a ball hits it."""
    size, gap, lean = [0.06, 0.001, 0.09], 0.0006, 62.0
    c, s = math.cos(math.radians(lean)), math.sin(math.radians(lean))
    high, wide = size[0] * s + size[1] * c, size[0] * c
    pitch, bodies, y = 2 * wide + 0.012, [], 0.0
    for storey in range(3):
        pairs = 3 - storey
        y += gap
        for i in range(pairs):
            x = (i - (pairs - 1) / 2) * pitch
            for side in (-1, 1):
                off = wide / 2 + size[1] * s / 2 + gap / 2
                bodies.append(rigid("card%d" % len(bodies), box(size), 900,
                                    [{"rotate": [0, 0, -side * lean]}, {"translate": [x + side * off, y + high / 2, 0]}]))
        y += high + gap
        if storey == 2:
            break
        for i in range(pairs - 1):
            x = (i - (pairs - 2) / 2) * pitch
            deck = [pitch * 0.98, 0.001, 0.09] if pairs > 2 else [pitch * 1.2, 0.001, 0.09]
            bodies.append(rigid("deck%d" % len(bodies), box(deck), 900, [{"translate": [x, y + 0.0005, 0]}]))
        y += 0.001
    bodies.append(plane)
    return scene("cards", 0.01, seconds or 2, bodies, {"eye": [0.16, 0.2, 0.42], "target": [0, 0.07, 0], "fov": 36}, friction=0.8, thickness=0.001,
                 barrier={"friction_velocity": 1e-4, "newton_tolerance": 1e-4, "friction_iterations": 0})


def arch(folder, seconds, plane):
    """A half circle of 15 stones that only pressure and friction hold; the two outermost stand on the ground."""
    n, inner, outer, depth, gap = 15, 0.8, 1.0, 0.25, 0.0007
    bodies = []
    for i in range(n):
        lo, hi = math.pi * i / n, math.pi * (i + 1) / n
        points = []
        for z in (-depth / 2, depth / 2):
            for r, a, s in ((inner, lo, 1), (outer, lo, 1), (outer, hi, -1), (inner, hi, -1)):
                points.append([r * math.cos(a) - s * gap / 2 * math.sin(a), r * math.sin(a) + s * gap / 2 * math.cos(a) + gap, z])
        faces = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
        write_obj(folder, "stone%d.obj" % i, points, faces)
        bodies.append({"name": "stone%d" % i, "type": "rigid", "mesh": "stone%d.obj" % i, "material": {"density": 2300}})
    bodies.append(plane)
    return scene("arch", 0.01, seconds or 2, bodies, {"eye": [1.1, 0.9, 2.6], "target": [0, 0.45, 0], "fov": 34}, friction=0.6, thickness=0.001,
                 barrier={"friction_velocity": 1e-4, "newton_tolerance": 1e-4, "friction_iterations": 0})


def slopes(folder, seconds, plane):
    """Three crates on a slope of tan 0.5, with coefficients of friction 0.45, 0.5 and 0.55."""
    angle, bodies = math.degrees(math.atan(0.5)), []
    for i, mu in enumerate((0.45, 0.5, 0.55)):
        lift = 0.0505 + 1e-4
        bodies.append(rigid("crate_%g" % mu, box([0.1, 0.1, 0.1], [2, 2, 2]), 500,
                            [{"translate": [0, lift, (i - 1) * 0.22]}, {"rotate": [0, 0, angle]}, {"translate": [0.25, 0.125, 0]}], friction=mu))
    bodies.append(dict({"name": "ramp", "type": "static", "shape": box([1.2, 0.02, 0.75]), "friction": 1},
                       transform=[{"translate": [0, -0.01, 0]}, {"rotate": [0, 0, angle]}]))
    for b in bodies[:-1]:
        b["friction"] = b["friction"] ** 2  # a pair has the root of the product
    bodies.append({"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": -0.35, "size": 5}}})
    return scene("slopes", 0.01, seconds or 1.5, bodies, {"eye": [-1.15, 0.75, 1.45], "target": [0.0, -0.06, 0], "fov": 36},
                 barrier={"friction_velocity": 1e-4, "newton_tolerance": 1e-4, "friction_iterations": 0})


def points(folder, seconds, plane):
    """Soft balls fall on the points of needles and on the edges of knives, neither of which has a thickness."""
    rng = random.Random(2)
    nails = []
    for i in range(-3, 4):
        for j in range(-3, 4):
            x, z = -0.34 + 0.06 * i + rng.uniform(-.004, .004), 0.06 * j + rng.uniform(-.004, .004)
            nails += [[x, 0.02, z], [x, 0.2, z]]
    write_obj(folder, "nails.obj", nails, [[2 * i, 2 * i + 1] for i in range(len(nails) // 2)])
    blades, faces = [], []
    for i in range(-3, 4):
        blades += [[0.34 + 0.07 * i, 0.02, -0.22], [0.34 + 0.07 * i, 0.02, 0.22], [0.34 + 0.07 * i, 0.2, 0.22], [0.34 + 0.07 * i, 0.2, -0.22]]
        faces.append([len(blades) - 4 + k for k in range(4)])
    write_obj(folder, "knives.obj", blades, faces)
    ball, skin = sphere(0.16, 3)
    write_obj(folder, "ball.obj", ball, skin)
    bodies = []
    for name, x in (("left", -0.34), ("right", 0.34)):
        b = soft(name, None, 2e4, [{"translate": [x, 0.5, 0]}], lattice=0.055, surface="ball.obj")
        del b["shape"]
        bodies.append(b)
    bodies += [{"name": "nails", "type": "static", "mesh": "nails.obj"}, {"name": "knives", "type": "static", "mesh": "knives.obj"}, plane]
    return scene("points", 0.01, seconds or 1.5, bodies, {"eye": [0.9, 0.85, 1.5], "target": [0, 0.2, 0], "fov": 36}, thickness=0.002)


def shots(folder, seconds, plane):
    """Soft balls hit walls without a thickness at 10, 100 and 1000 m/s: 0.1, 1 and 10 m in the first step."""
    bodies = []
    ball, skin = sphere(0.12, 2)
    write_obj(folder, "ball.obj", ball, skin)
    for i, speed in enumerate((10, 100, 1000)):
        z = (i - 1) * 0.55
        b = soft("ball%d" % speed, None, 1e6, [{"translate": [-0.25, 0.4, z]}], lattice=0.06, surface="ball.obj", velocity=[speed, 0, 0])
        del b["shape"]
        bodies.append(b)
        write_obj(folder, "wall%d.obj" % i, [[0, 0.05, z - 0.24], [0, 0.05, z + 0.24], [0, 0.75, z + 0.24], [0, 0.75, z - 0.24]], [[0, 1, 2, 3]])
        bodies.append({"name": "wall%d" % i, "type": "static", "mesh": "wall%d.obj" % i})
    bodies.append(plane)
    return scene("shots", 0.01, seconds or 0.2, bodies, {"eye": [-1.9, 0.9, 1.35], "target": [-0.1, 0.36, 0], "fov": 40}, thickness=0.002)


def rollers(folder, seconds, plane):
    """Two rollers draw a soft bar through a gap of half its height by friction alone."""
    points, faces = roll(0.2, 0.5, 48)
    write_obj(folder, "roll.obj", points, faces)
    bodies = [soft("bar", box([0.24, 0.16, 0.7], [6, 4, 16]), 3e4, [{"translate": [0, 0.3, -0.43]}], velocity=[0, 0, 0.3])]
    for name, sign in (("lower", -1), ("upper", 1)):
        at = [0, 0.3 + sign * (0.2 + 0.045), 0.05]
        bodies.append({"name": name, "type": "kinematic", "mesh": "roll.obj", "transform": [{"translate": at}],
                       "motion": {"linear": [0, 0, 0], "angular": [-sign * 90, 0, 0], "center": at}})
    bodies.append({"name": "table", "type": "static", "shape": box([0.4, 0.02, 0.72], [2, 1, 4]), "friction": 0.02,
                   "transform": [{"translate": [0, 0.205, -0.52]}]})
    bodies.append({"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": -0.2, "size": 5}}})
    return scene("rollers", 0.01, seconds or 3, bodies, {"eye": [1.6, 0.85, 1.25], "target": [0, 0.2, 0.05], "fov": 36},
                 friction=0.8, thickness=0.002)


def masses(folder, seconds, plane):
    """Crates of 8 g carry blocks of 8 g, of 8 kg and of 8 t."""
    bodies = []
    for i, ratio in enumerate((1, 1e3, 1e6)):
        x = (i - 1) * 0.5
        bodies.append(rigid("crate%d" % i, box([0.2, 0.2, 0.2], [2, 2, 2]), 1, [{"rotate": [0, 15, 0]}, {"translate": [x, 0.1007, 0]}]))
        bodies.append(rigid("block%d" % i, box([0.24, 0.24, 0.24], [2, 2, 2]), ratio * 0.5787,
                            [{"rotate": [0, -20, 0]}, {"translate": [x, 0.3215, 0]}]))
    bodies.append(plane)
    return scene("masses", 0.01, seconds or 2, bodies, {"eye": [0.9, 0.8, 1.6], "target": [0, 0.2, 0], "fov": 36})


SCENES = {f.__name__: f for f in (twist, funnel, cards, arch, slopes, points, shots, rollers, masses)}
