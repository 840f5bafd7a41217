#!/usr/bin/env python3
"""Otaduy, Tamstorf, Steinemann, Gross 2009, Fig. 6 left: full constraint anticipation (CA) against the iterative one (ICA).

usage: python3 otaduy_2009.py [OUT.png]
Columns of soft cubes fall onto a plane. After each run the contact problem of the last step is taken out of the world and solved anew, by CA (the
matrix between all contacts, then Gauss-Seidel) and by ICA as the paper prints it (nodes as clusters, plain relaxation). The paper: CA grows at best
with the square of the contacts, ICA about linearly. Right: how many rounds of constraint manifold refinement the steps took; the paper: at most
three in more than 90 %.
"""
import sys

import matplotlib
import numpy as np

import contact

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

MESH = contact.Mesh.box((0.2, 0.2, 0.2), (2, 2, 2))


def fall(columns, steps=40):
    """A world of columns of two cubes, and its reports."""
    world = contact.World(friction=0.5)
    world.add_plane()
    for k in range(columns):
        for level in range(2):
            world.add_soft(MESH, young=5e4, position=(0.21 * (k % 4), 0.11 + 0.23 * level, 0.21 * (k // 4)), name="%d.%d" % (k, level))
    return world, [world.step(0.01) for _ in range(steps)]


def seconds(problem, solver, **options):
    """The best of three solves."""
    return min(problem.solve(solver, tolerance=1e-3, **options).seconds for _ in range(3))


def main():
    sizes, ca, ica, rounds = [], [], [], []
    for columns in (2, 4, 8, 16, 32):
        world, reports = fall(columns)
        rounds += [r.cmr_rounds for r in reports]
        problem = world.problem()
        sizes.append(problem.contact_count)
        ca.append(seconds(problem, "ca"))
        ica.append(seconds(problem, "ica", plain=1))
        print("%3d contacts, %5d unknowns: CA %.2f ms, ICA %.2f ms" % (sizes[-1], problem.n, 1e3 * ca[-1], 1e3 * ica[-1]))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    for times, name, mark in ((ca, "CA", "s-"), (ica, "ICA as printed", "o-")):
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        left.loglog(sizes, 1e3 * np.array(times), mark, label="%s, slope %.2f" % (name, slope))
    left.set(xlabel="contacts", ylabel="solve [ms]", title="one solve")
    left.legend()
    values, counts = np.unique(rounds, return_counts=True)
    right.bar(values, 100 * counts / len(rounds))
    right.set(xlabel="rounds of constraint manifold refinement", ylabel="share of steps [%]", title="%d steps" % len(rounds), xticks=values)
    few = np.mean(np.array(rounds) <= 3)
    print("at most three rounds in %.1f %% of the steps" % (100 * few))
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "otaduy_2009.png", dpi=120)


if __name__ == "__main__":
    main()
