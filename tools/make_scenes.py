#!/usr/bin/env python3
"""make_scenes.py -- writes the show scenes with their meshes: letters, cloth_drop, cloth_drop_slippery, skirt, unified, press; for the discrete
stepper stairs, glass, eight, beam; of rods and points knots, net, sand, chain (make_rods.py); for the geometric
stepper pile, ribbon, elastics; for the layers stepper drape, tumble (make_layers.py); for the penalty stepper springs; for the explicit
stepper cylinders, board, seven, steel (make_explicit.py).

usage: python3 tools/make_scenes.py --out DIR [--only NAME[,NAME]] [--letters 164] [--lattice 0.0] [--seconds S] [--vertices N]

DIR gets NAME/scene.json and the meshes that it names; nothing there is deleted. `--letters` and `--lattice` (cell size of the tets around a
letter one unit high) make the variants that the measurements of cost against contacts and resolution take; `--seconds` cuts a scene short.
Deterministic, standard library only. The scenes follow Otaduy, Tamstorf, Steinemann, Gross 2009, section 6: letters of about 140 tets in layers
that are dropped and then compressed by walls (their Fig. 7), falling cloth (Fig. 5), layers of a skirt on a body that turns (Fig. 1), rigid bodies,
soft bodies and cloth in one pile (Fig. 4).
"""
import argparse
import json
import math
import os
import random

import make_barrier
import make_creatures
import make_explicit
import make_layers
import make_meshes
import make_rods

GLYPHS = "ABDOPRSEX8TCUH"
LATTICE = 0.155  # cells of this size around a letter one unit high make about 140 tets


def write(folder, name, scene):
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    temporary = os.path.join(path, "scene.json.tmp")
    with open(temporary, "w") as f:
        json.dump(scene, f, indent=1)
        f.write("\n")
    os.replace(temporary, os.path.join(path, "scene.json"))


def meshes(folder, name, *arguments):
    make_meshes.main(["--out", os.path.join(folder, name), "--quiet"] + list(arguments))


def plane(size=6):
    return {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": size}}}


def letters(args):
    """Layers of letters that lie flat, each turned about the vertical, a little tilted; four walls keep them and push in when they rest."""
    rng = random.Random(7)
    height, gap, per_row = 0.3, 0.43, args.per_row
    half = 0.435 * per_row / 2
    count = args.letters
    cell = (args.lattice or LATTICE) * height
    bodies = []
    for i in range(count):
        layer, place = divmod(i, per_row * per_row)
        row, column = divmod(place, per_row)
        glyph = GLYPHS[(i * 5 + layer) % len(GLYPHS)]
        x = (column - (per_row - 1) / 2) * gap
        z = (row - (per_row - 1) / 2) * gap
        bodies.append({
            "name": "%s%d" % (glyph, i), "type": "soft", "surface": "letter_%s.obj" % glyph, "lattice": cell / height,
            "material": {"model": "corotational", "young": args.young or 5e4, "poisson": 0.3, "density": 200},
            "transform": [{"scale": [height] * 3}, {"rotate": [90 + rng.uniform(-8, 8), 0, 0]}, {"rotate": [0, rng.uniform(0, 360), 0]},
                          {"translate": [x, 0.12 + 0.2 * layer, z]}]})
    wall, tall = 0.1, 0.75
    start, rest = half + 0.15 + wall / 2, args.rest
    for name, axis, sign in (("left", 0, -1), ("right", 0, 1), ("back", 2, -1), ("front", 2, 1)):
        size, at, speed = [0.76 + 2 * half, tall, 0.76 + 2 * half], [0, tall / 2 + 0.005, 0], [0, 0, 0]
        size[axis], at[axis], speed[axis] = wall, sign * start, -sign * 0.04
        if axis == 2:  # two walls move between the two others
            size[0] = 2 * (start - wall / 2) - 0.02
            speed = [0, 0, -sign * 0.04]
        moving = axis == 2
        bodies.append({"name": name, "type": "kinematic", "shape": {"box": {"size": size, "cells": [1, 1, 1]}}, "transform": [{"translate": at}],
                       "motion": [{"linear": [0, 0, 0], "duration": rest}, {"linear": speed if moving else [0, 0, 0], "duration": 8},
                                  {"linear": [0, 0, 0]}]})
    bodies.append(plane())
    return {"name": "letters", "dt": 0.03, "solver_options": {"max_sweeps": 100}, "duration": args.seconds or 40, "friction": 0.4, "thickness": 0.003,
            "bodies": bodies,
            "output": {"camera": {"eye": [1.5, 3.0, 2.6], "target": [0, 0.25, 0], "fov": 36}}}


def cloth_drop(args, friction=0.6):
    return {"name": "cloth_drop" if friction > 0.3 else "cloth_drop_slippery", "dt": 0.004, "duration": args.seconds or 4, "friction": friction,
            "thickness": 0.002,
            "bodies": [
                {"name": "sheet", "type": "cloth", "shape": {"grid": {"size": [1, 1], "cells": [49, 49]}},
                 "material": {"model": "springs", "stretch": 200, "shear": 50, "bend": 1e-3, "areal_density": 0.2,
                              "damping": {"mass": 0, "stiffness": 0.002}},
                 "transform": [{"rotate": [82, 0, 6]}, {"translate": [0, 0.62, 0]}]},
                plane()],
            "output": {"subdivide": 1, "camera": {"eye": [0.95, 0.85, 1.05], "target": [0.06, 0.1, -0.02], "fov": 36}}}


def skirt(args):
    """Six layers on a figure that steps sideways and turns once around in under a second."""
    step, turn = 0.8, 0.9
    motion = [{"linear": [0, 0, 0], "duration": 0.5}, {"linear": [0.25, 0, 0], "duration": step},
              {"linear": [0, 0, 0], "angular": [0, 360 / turn, 0], "center": [0.25 * step, 0, 0], "duration": turn},
              {"linear": [0, 0, 0]}]
    bodies = []
    for k in range(6):
        bodies.append({"name": "layer%d" % k, "type": "cloth", "mesh": "skirt_%d.obj" % k,
                       "material": {"model": "springs", "stretch": 120, "shear": 40, "bend": 5e-4, "areal_density": 0.15,
                                    "damping": {"mass": 0, "stiffness": 0.002}},
                       "fix": [{"vertices": list(range(70)), "motion": motion}]})
    bodies.append({"name": "figure", "type": "kinematic", "mesh": "figure.obj", "motion": motion})
    return {"name": "skirt", "dt": 0.002, "duration": args.seconds or 5, "friction": 0.3, "thickness": 0.001, "bodies": bodies,
            "output": {"subdivide": 1, "ground": 0.42, "camera": {"eye": [0.75, 0.54, 1.58], "target": [0.22, 0.88, 0], "fov": 40}}}


def unified(args):
    """Rigid crates and balls, soft boxes and sheets dropped on each other in turn."""
    rng = random.Random(3)
    soft = {"model": "corotational", "young": 1e4, "poisson": 0.35, "density": 80}
    bodies = []
    for layer in range(4):
        y = 0.24 + layer * 0.68
        for i in range(4):
            x, z = (i % 2 - 0.5) * 0.42 + rng.uniform(-0.02, 0.02), (i // 2 - 0.5) * 0.42 + rng.uniform(-0.02, 0.02)
            turn = [{"rotate": [rng.uniform(-20, 20), rng.uniform(0, 90), rng.uniform(-20, 20)]}, {"translate": [x, y, z]}]
            if i % 2 == layer % 2:
                bodies.append({"name": "jelly%d_%d" % (layer, i), "type": "soft", "shape": {"box": {"size": [0.26, 0.2, 0.26], "cells": [4, 4, 4]}},
                               "material": soft, "transform": turn})
            elif i < 2:
                bodies.append({"name": "crate%d_%d" % (layer, i), "type": "rigid", "shape": {"box": {"size": [0.26, 0.2, 0.24], "cells": [2, 2, 2]}},
                               "material": {"density": 60}, "transform": turn})
            else:
                bodies.append({"name": "ball%d_%d" % (layer, i), "type": "rigid", "shape": {"sphere": {"radius": 0.13, "levels": 2}},
                               "material": {"density": 60}, "transform": turn})
        bodies.append({"name": "sheet%d" % layer, "type": "cloth", "shape": {"grid": {"size": [1, 1], "cells": [24, 24]}},
                       "material": {"model": "springs", "stretch": 150, "shear": 40, "bend": 1e-3, "areal_density": 0.8,
                                    "damping": {"mass": 0, "stiffness": 0.002}},
                       "transform": [{"translate": [0, y + 0.34, 0]}]})
    bodies.append(plane())
    return {"name": "unified", "dt": 0.01, "duration": args.seconds or 6, "friction": 0.5, "thickness": 0.003, "bodies": bodies,
            "output": {"subdivide": 1, "camera": {"eye": [1.6, 1.5, 2.35], "target": [0.12, 0.2, 0.3], "fov": 36}}}


def press(args):
    """A sheet between a soft block and a rigid plate that a kinematic ram drives down, sideways and up again."""
    motion = [{"linear": [0, -0.12, 0], "duration": 1.5}, {"linear": [0.08, 0, 0], "duration": 1.0}, {"linear": [0, 0.15, 0], "duration": 1.0},
              {"linear": [0, 0, 0]}]
    bodies = [
        {"name": "block", "type": "soft", "shape": {"box": {"size": [0.5, 0.25, 0.5], "cells": [8, 4, 8]}},
         "material": {"model": "stable_neohookean", "young": 4e4, "poisson": 0.4, "density": 600},
         "transform": [{"translate": [0, 0.13, 0]}]},
        {"name": "sheet", "type": "cloth", "shape": {"grid": {"size": [0.8, 0.8], "cells": [40, 40]}},
         "material": {"model": "springs", "stretch": 200, "shear": 60, "bend": 1e-3, "areal_density": 0.2,
                      "damping": {"mass": 0, "stiffness": 0.002}}, "transform": [{"translate": [0, 0.28, 0]}]},
        {"name": "plate", "type": "rigid", "shape": {"box": {"size": [0.3, 0.04, 0.3], "cells": [3, 1, 3]}}, "material": {"density": 2000},
         "transform": [{"rotate": [0, 20, 0]}, {"translate": [0, 0.33, 0]}]},
        {"name": "ram", "type": "kinematic", "shape": {"box": {"size": [0.12, 0.3, 0.12], "cells": [2, 3, 2]}},
         "transform": [{"translate": [0, 0.55, 0]}], "motion": motion},
        plane()]
    return {"name": "press", "dt": 0.01, "duration": args.seconds or 4, "friction": 0.5, "thickness": 0.002, "bodies": bodies,
            "output": {"subdivide": 1, "camera": {"eye": [0.85, 0.7, 1.1], "target": [0.03, 0.19, 0], "fov": 36}}}


SCENES = {
    "letters": (letters, ["--only", "letters", "--glyphs", GLYPHS, "--resolution", "0.2"]),
    "cloth_drop": (cloth_drop, None),
    "cloth_drop_slippery": (lambda a: cloth_drop(a, 0.1), None),
    "skirt": (skirt, ["--only", "skirt,figure"]),
    "unified": (unified, None),
    "press": (press, None),
}


# ---- the discrete stepper: Li, Pan, Huang, Bao, Jin 2015, section 6, with bodies made here in place of theirs ----

def discrete(name, dt, steps, args, bodies, camera, **more):
    scene = {"name": name, "stepper": "dcd", "solver": "mprgp", "dt": dt, "duration": args.seconds or steps * dt, "thickness": 0.002, "friction": 0,
             "bodies": bodies, "output": {"camera": camera}}
    for body in bodies:
        if args.young and body["type"] == "soft":
            body["material"]["young"] = args.young
    scene.update(more)
    return scene


def soft(name, mesh, young, transform, **more):
    body = {"name": name, "type": "soft", "mesh": mesh, "material": {"model": "corotational", "young": young, "poisson": 0.4, "density": 1000,
                                                                     "damping": {"mass": 0, "stiffness": 0.002}}, "transform": transform}
    body.update(more)
    return body


def stairs(args):
    """A dragon rolls down stairs (their Fig. 3: 46,736 vertices, 10 ms, 400 steps)."""
    return discrete("stairs", 0.01, 400, args, [
        soft("dragon", "dragon.msh", 1e5, [{"rotate": [20, 90, 0]}, {"translate": [0, 0.62, -0.1]}], velocity=[0, 0, 1.6],
             angular_velocity=[260, 0, 0]),
        {"name": "stairs", "type": "static", "mesh": "stairs.obj"},
        {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": -1.7, "size": 14}}}],
        {"eye": [4.6, 1.2, 5.0], "target": [0, -0.95, 2.0], "fov": 40})


def goblet(args):
    """A rabbit is thrown onto a fixed glass (their Fig. 4: 40,107 vertices, 3 ms, 600 steps)."""
    return discrete("glass", 0.003, 600, args, [
        soft("rabbit", "rabbit.msh", 1.5e5, [{"rotate": [12, 25, 8]}, {"translate": [0.03, 1.62, 0]}], velocity=[0, -4, 0]),
        {"name": "glass", "type": "static", "mesh": "glass.obj"}, plane(5)],
        {"eye": [1.5, 1.5, 2.1], "target": [0, 0.68, 0], "fov": 40})


def eight(args):
    """Eight lizards fall into a bowl (their Fig. 5: 11,944 vertices, 5 ms, 400 steps)."""
    rng = random.Random(11)
    bodies = []
    for i in range(8):
        turn = [{"rotate": [rng.uniform(-25, 25), rng.uniform(0, 360), rng.uniform(-25, 25)]},
                {"translate": [rng.uniform(-0.15, 0.15), 0.75 + 0.62 * i, rng.uniform(-0.15, 0.15)]}]
        bodies.append(soft("lizard%d" % i, "lizard.msh", 2e5, turn, velocity=[0, -1 - 0.2 * i, 0]))
    return discrete("eight", 0.005, 400, args, bodies + [{"name": "bowl", "type": "static", "mesh": "bowl.obj"}, plane(6)],
                    {"eye": [1.9, 2.0, 2.5], "target": [0, 0.3, 0], "fov": 38})


def bending(args):
    """A beam falls across two bars (their Fig. 12: 9,537 vertices, 49,152 tets, 10 ms, 200 steps)."""
    return discrete("beam", 0.01, 200, args, [
        soft("beam", "beam.msh", 1.5e5, [{"scale": [0.5, 0.5, 0.9]}, {"rotate": [4, 0, 0]}, {"translate": [0, 1.02, 0]}]),
        {"name": "bars", "type": "static", "mesh": "bars.obj", "transform": [{"translate": [0, 0.5, 0]}]}, plane(5)],
        {"eye": [2.4, 1.2, 1.7], "target": [0, 0.45, 0], "fov": 40})


CREATURES = {"stairs": [("dragon", 46700, 1), ("stairs", 0, 1)], "glass": [("rabbit", 40100, 1), ("glass", 0, 1)],
             "eight": [("lizard", 11944, 8), ("bowl", 0, 1)],
             "beam": [("beam", 9537, 1), ("bars", 0, 1)]}
SCENES.update({"stairs": (stairs, None), "glass": (goblet, None), "eight": (eight, None), "beam": (bending, None)})
for thin in (make_rods.knots, make_rods.net, make_rods.sand, make_rods.chain):
    SCENES[thin.__name__] = (lambda a, thin=thin: thin(os.path.join(a.out, thin.__name__), a.seconds, plane()), None)

for thing in make_barrier.SCENES:
    SCENES[thing] = (lambda a, thing=thing: make_barrier.SCENES[thing](os.path.join(a.out, thing), a.seconds, plane(), **(
        {"cells": a.cells} if thing == "twist" and a.cells else {})), None)


# ---- the geometric stepper: Volino, Magnenat-Thalmann 2000, section 5 ----

def geometric(name, dt, steps, args, bodies, camera, **more):
    scene = {"name": name, "stepper": "geometric", "dt": dt, "duration": args.seconds or steps * dt, "thickness": 0.004, "friction": 0.8,
             "bodies": bodies, "output": {"camera": camera}}
    scene.update(more)
    return scene


def pile(args):
    """Rectangles of 132 triangles fall on a floor, one after the other (their Fig. 12: 34 of them, high friction)."""
    bodies = [plane(4)]
    for i in range(34):
        bodies.append({"name": "layer%d" % i, "type": "cloth", "shape": {"grid": {"size": [0.2, 0.3], "cells": [6, 11]}},
                       "material": {"model": "membrane", "areal_density": 0.2},
                       "transform": [{"translate": [0.003 * (i * 7 % 5), 0.01 + 0.01 * i, 0.003 * (i * 3 % 5)]}]})
    return geometric("pile", 0.01, 150, args, bodies, {"eye": [0.5, 0.4, 0.6], "target": [0.1, 0.08, 0.15], "fov": 35})


def ribbon(args):
    """A long ribbon falls through air on a floor and folds; after half of the time friction ends (their Fig. 13: 11,500 triangles, 1600 frames).
    Its bending makes folds of some 5 cm, which cells of 1 cm can follow."""
    return geometric("ribbon", 0.01, 1600, args, [
        plane(4), {"name": "ribbon", "type": "cloth", "shape": {"grid": {"size": [0.1, 5.75], "cells": [10, 575]}},
                   "material": {"model": "membrane", "areal_density": 0.2, "bending": 2e-4, "damping": {"mass": 5}},
                   "transform": [{"rotate": [88, 0, 0]}, {"translate": [0, 2.95, 0]}]}],
        {"eye": [1.2, 0.8, 1.6], "target": [0, 0.2, 0], "fov": 40}, friction_until=(args.seconds or 16) / 2)


def elastics(args):
    """Two panels on both sides of a ball: elastics pull their sides and shoulders together, while their upper edges are held at one height."""
    nx, ny, bodies, pairs = 20, 28, [plane(4)], []
    bodies.append({"name": "ball", "type": "static", "shape": {"sphere": {"radius": 0.09, "levels": 3}}, "transform": [{"translate": [0, 0.62, 0]}]})
    for name, z in (("front", 0.13), ("back", -0.13)):
        bodies.append({"name": name, "type": "cloth", "shape": {"grid": {"size": [0.4, 0.56], "cells": [nx, ny]}},
                       "material": {"model": "membrane", "areal_density": 0.2},
                       "transform": [{"rotate": [90, 0, 0]}, {"translate": [0, 0.47, z]}],
                       "fix": [{"vertices": list(range(nx + 1)), "axes": "y"}]})
    for j in range(ny + 1):
        for i in range(nx + 1):
            if (i in (0, nx) and j < 22) or (j == 0 and (i < 9 or i > nx - 9)):
                pairs.append({"a": ["front", j * (nx + 1) + i], "b": ["back", j * (nx + 1) + i]})
    return geometric("elastics", 0.01, 200, args, bodies, {"eye": [0.7, 0.8, 1.2], "target": [0, 0.45, 0], "fov": 40}, stitches=pairs)


SCENES.update({"pile": (pile, None), "ribbon": (ribbon, None), "elastics": (elastics, None)})

for layered in make_layers.SCENES:
    SCENES[layered] = (lambda a, layered=layered: make_layers.SCENES[layered](os.path.join(a.out, layered), a.seconds, plane(4)), None)


# ---- the penalty stepper ----

def springs(args):
    """Balls and boxes on a slope of 20 degrees: rigid and soft boxes hold or slide by their friction, balls roll (docs/penalty.md)."""
    bodies = [{"name": "slope", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 5}}, "friction": 1,
               "transform": [{"rotate": [0, 0, -20]}]}]
    soft = {"model": "corotational", "young": 2e5, "poisson": 0.3, "density": 1000, "damping": {"stiffness": 0.002}}
    for i, (kind, shape, friction) in enumerate([("rigid", "box", 0.25), ("soft", "box", 0.25), ("rigid", "box", 0.04), ("soft", "box", 0.04),
                                                 ("rigid", "sphere", 0.25), ("rigid", "sphere", 0.04)]):
        size = {"box": {"size": [0.2] * 3, "cells": [2, 2, 2]}} if shape == "box" else {"sphere": {"radius": 0.1, "levels": 2}}
        bodies.append({"name": "%s_%s%d" % (kind, shape, i), "type": kind, "shape": size, "friction": friction,
                       "material": soft if kind == "soft" else {"density": 1000},
                       "transform": [{"translate": [-0.4, 0.105, 0.35 * (i - 2.5)]}, {"rotate": [0, 0, -20]}]})
    return {"name": "springs", "stepper": "penalty", "dt": 0.01, "duration": args.seconds or 1, "thickness": 0.002, "friction": 1,
            "bodies": bodies, "output": {"camera": {"eye": [0.8, 1.6, 3.2], "target": [0.3, -0.1, 0], "fov": 38}}}


SCENES["springs"] = (springs, None)

for thing in make_explicit.SCENES:
    SCENES[thing] = (lambda a, thing=thing: make_explicit.SCENES[thing](os.path.join(a.out, thing), a.seconds, plane(1)), None)


def creatures(args, name):
    for shape, vertices, bodies in CREATURES[name]:
        count = (args.vertices if args.vertices and vertices else vertices) or 60
        make_creatures.main(["--out", os.path.join(args.out, name), "--shape", shape, "--vertices", str(max(count // bodies, 60)), "--quiet"])


def main():
    p = argparse.ArgumentParser(description="show scenes with their meshes")
    p.add_argument("--out", required=True)
    p.add_argument("--only", default=",".join(SCENES))
    p.add_argument("--letters", type=int, default=164)
    p.add_argument("--per-row", type=int, default=4, help="letters in a row of a layer")
    p.add_argument("--lattice", type=float, default=0.0)
    p.add_argument("--rest", type=float, default=22.0, help="seconds until the walls push the letters together, for eight seconds")
    p.add_argument("--seconds", type=float, default=0.0)
    p.add_argument("--cells", type=int, default=0, help="of the mat of twist, along its length; 0: 40")
    p.add_argument("--vertices", type=int, default=0, help="of the soft bodies of stairs, glass, eight and beam, about; 0: as in the paper")
    p.add_argument("--young", type=float, default=0.0,
                   help="Young's modulus [Pa] of the letters, and of the soft bodies of stairs, glass, eight and beam")
    args = p.parse_args()
    for name in args.only.split(","):
        if name not in SCENES:
            p.error("unknown scene %s; expected some of %s" % (name, ", ".join(SCENES)))
        make, parts = SCENES[name]
        if parts:
            for only in parts[1].split(","):
                meshes(args.out, name, "--only", only, *parts[2:])
        if name in CREATURES:
            creatures(args, name)
        write(args.out, name, make(args))


if __name__ == "__main__":
    main()
