#!/usr/bin/env python3
"""Hong, Choi, Lee 2006: lengths of adaptive Runge-Kutta steps and penetrations, while soft bodies fall onto each other.

usage: python3 hong_2006.py [OUT.png]
Two soft cubes and a plane under CT_STEPPER_EXPLICIT. Steps of the Runge-Kutta method become short at impacts, where accelerations jump, and long
again. Contacts that exist penetrate by less than the paper's legal 1/1000 of an edge before their nodes are moved back; new ones by more.
"""
import sys

import matplotlib
import numpy as np

import contact

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

EDGE, DT = 0.1, 0.01


def main():
    world = contact.World("explicit")
    world.add_plane()
    mesh = contact.Mesh.box((0.2, 0.2, 0.2), (2, 2, 2))
    for k in range(2):
        world.add_soft(mesh, model="hong_neohookean", young=2e4, poisson=0.4, damping_mass=1, position=(0.03 * k, 0.13 + 0.26 * k, 0.02 * k))
    time, lengths, old, new, energy = [], [], [], [], []
    for _ in range(60):
        report = world.step(DT)
        rk = report.rk
        time.append(world.time)
        lengths.append((rk.dt_least, rk.dt_most))
        old.append(rk.penetration_held / EDGE)
        new.append(rk.penetration_first / EDGE)
        energy.append(report.energy_kinetic + report.energy_elastic + report.energy_gravity)
    low, high = np.array(lengths).T
    figure, axes = plt.subplots(3, 1, figsize=(8, 6.5), sharex=True)
    axes[0].fill_between(time, 1e3 * low, 1e3 * high, alpha=0.4)
    axes[0].plot(time, 1e3 * low, lw=0.8)
    axes[0].set(ylabel="Runge-Kutta step [ms]", yscale="log", title="two soft cubes fall onto a plane")
    for depth, name in ((new, "first touches"), (old, "contacts that exist")):
        axes[1].semilogy(time, np.maximum(depth, 1e-8), ".", ms=3, label=name)
    axes[1].axhline(1e-3, color="k", lw=0.8, label="legal")
    axes[1].set(ylabel="penetration / edge")
    axes[1].legend()
    axes[2].plot(time, energy)
    axes[2].set(xlabel="time [s]", ylabel="energy [J]")
    print("steps from %.4f to %.4f ms; existing contacts penetrate by at most %.1e edges, new ones by %.1e; energy %.2f to %.2f J"
          % (1e3 * low.min(), 1e3 * high.max(), max(old), max(new), energy[0], energy[-1]))
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "hong_2006.png", dpi=120)


if __name__ == "__main__":
    main()
