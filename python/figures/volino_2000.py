#!/usr/bin/env python3
"""Volino, Magnenat-Thalmann 2000: geometric corrections of all collisions at once (GLOBAL) and one after the other (SUCCESSIVE).

usage: python3 volino_2000.py [OUT.png]
Sheets of cloth fall upon each other and a plane under CT_STEPPER_GEOMETRIC. Drawn are the smallest distance, as a share of the thickness, and the
energy that is left, of both schemes. The paper: the successive scheme is simple, and does not find a common solution where collisions are many; the
global one does, by conjugate gradients.
"""
import sys
import time

import matplotlib
import numpy as np

import contact

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

LAYERS, STEPS, DT = 5, 120, 0.01


def fall(scheme):
    world = contact.World("geometric", thickness=0.01, friction=0.3, geometric={"scheme": scheme, "interaction_damping": 0.2})
    world.add_plane()
    for k in range(LAYERS):
        mesh = contact.Mesh.grid((0.6, 0.6), (8, 8))
        mesh.positions[:, 1] += 1e-3 * np.random.default_rng(k).standard_normal(len(mesh.positions))
        world.add_cloth(mesh, position=(0.02 * k, 0.02 + 0.02 * k, 0.01 * k), areal_density=0.3)
    rows, start = [], time.process_time()
    for _ in range(STEPS):
        r = world.step(DT)
        rows.append((r.thickness_kept, r.energy_kinetic, r.contacts, r.tangled))
    return np.array(rows, float).T, time.process_time() - start


def main():
    figure, axes = plt.subplots(3, 1, figsize=(8, 6.5), sharex=True)
    t = DT * np.arange(1, STEPS + 1)
    for scheme, mark in (("global", "-"), ("successive", "--")):
        (kept, kinetic, contacts, tangled), seconds = fall(scheme)
        axes[0].plot(t, kept, mark, label=scheme)
        axes[1].semilogy(t, np.maximum(kinetic, 1e-8), mark)
        axes[2].plot(t, contacts, mark)
        print("%-10s %.2f s of CPU; smallest distance %.2f of the thickness, in the mean %.2f; intersections %d; kinetic energy at the end %.1e J"
              % (scheme, seconds, kept.min(), kept.mean(), tangled.sum(), kinetic[-1]))
    axes[0].axhline(1, color="k", lw=0.8)
    axes[0].set(ylabel="distance / thickness", title="%d sheets of cloth upon each other" % LAYERS)
    axes[0].legend()
    axes[1].set(ylabel="kinetic energy [J]")
    axes[2].set(xlabel="time [s]", ylabel="contacts")
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "volino_2000.png", dpi=120)


if __name__ == "__main__":
    main()
