#!/usr/bin/env python3
"""Lecture notes on contact simulation, 4.1 to 4.5: constraints, barriers, penalties and layers keep one cube from falling through a plane.

usage: python3 notes.py [OUT.png]
The same cube falls onto the same plane in five ways. Left: the distance of its lowest vertex, over the thickness. A constraint keeps the thickness. A
penalty gives way by weight over stiffness, so that a soft one is deep and a stiff one is not. A barrier never reaches 0, and a stack of layers
neither. Right: the acceleration of a block on a slope against Coulomb's law, g (sin a - mu cos a), which begins at the angle of friction.
"""
import sys

import matplotlib
import numpy as np

import contact

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

H, G, MU = 0.01, 9.81, 0.4
WAYS = {"constraint (CMR)": dict(stepper="cmr"), "barrier": dict(stepper="barrier"), "layers": dict(stepper="layers"),
        "penalty, 1 kN/m": dict(stepper="penalty", penalty={"stiffness": 1e3}),
        "penalty, 100 kN/m": dict(stepper="penalty", penalty={"stiffness": 1e5})}


def fall(options, steps=80, dt=0.01):
    world = contact.World(thickness=H, **options)
    world.add_plane()
    cube = world.add_soft(contact.Mesh.box((0.2, 0.2, 0.2), (1, 1, 1)), young=1e5, damping_stiffness=0.01, position=(0, 0.18, 0))
    heights = []
    for _ in range(steps):
        world.step(dt)
        heights.append(cube.positions[:, 1].min() / H)
    return dt * np.arange(1, steps + 1), np.array(heights), cube.mass


def slide(angle, steps=20, dt=0.01):
    """The plane stays, gravity turns."""
    world = contact.World(friction=MU, thickness=1e-3, gravity=(G * np.sin(angle), -G * np.cos(angle), 0))
    world.add_plane()
    block = world.add_rigid(contact.Mesh.box((0.2, 0.1, 0.2), tets=False), position=(0, 0.051, 0))
    for _ in range(steps):
        world.step(dt)
    return block.momentum[0][0] / block.mass / world.time


def main():
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for name, options in WAYS.items():
        t, height, mass = fall(options)
        left.plot(t, height, label=name)
        print("%-18s at rest %.4f of the thickness, at least %.4f" % (name, height[-1], height.min()))
    left.axhline(0, color="k", lw=0.8)
    left.set(xlabel="time [s]", ylabel="lowest vertex / thickness", ylim=(-2.6, 4), title="a cube of %.0f kg falls onto a plane" % mass)
    left.legend(fontsize=8)
    angles = np.radians(np.arange(0, 46, 3))
    measured = np.array([slide(a) for a in angles])
    law = G * np.maximum(0, np.sin(angles) - MU * np.cos(angles))
    right.plot(np.degrees(angles), law, "k-", lw=0.8, label="Coulomb's law")
    right.plot(np.degrees(angles), measured, "o", ms=4, label="CMR and ICA")
    right.axvline(np.degrees(np.arctan(MU)), color="0.7", lw=0.8)
    right.set(xlabel="slope [degrees]", ylabel="acceleration [m/s^2]", title="a block on a slope, mu = %g" % MU)
    right.legend()
    print("acceleration on slopes: largest error %.1e m/s^2" % np.abs(measured - law).max())
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "notes.png", dpi=120)


if __name__ == "__main__":
    main()
