#!/usr/bin/env python3
"""Li, Pan, Huang, Bao, Jin 2015: how fast MPRGP converges on the quadratic program of a step, beside other solvers.

usage: python3 li_2015.py [OUT.png]
Soft cubes that have fallen onto each other give one step's problem. Its normal rows make the program min 1/2 x'A x - b'x, J x + w >= 0 of the paper
(eq. 9). Every solver is traced, and one judge measures each iterate: MPRGP changes many rows at once, an active set method one after the other, and
projected Gauss-Seidel creeps.
"""
import sys

import matplotlib

import contact

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def program():
    """Normal rows alone: every third one."""
    world = contact.World(friction=0)
    world.add_plane()
    mesh = contact.Mesh.box((0.3, 0.2, 0.3), (4, 2, 4))
    for k in range(4):
        world.add_soft(mesh, young=2e4, position=(0.02 * k, 0.105 + 0.21 * k, 0.01 * k))
    for _ in range(25):
        world.step(0.01)
    arrays = world.problem().arrays()
    J = arrays["J"]
    normal = J.rows() % 3 == 0
    rows = contact.cpb.from_entries(J.rows()[normal] // 3, J.indices[normal], J.data[normal], (J.shape[0] // 3, J.shape[1]))
    return contact.Problem.qp(arrays["A"], arrays["b"], rows, arrays["w"][::3])


def main():
    problem = program()
    print(problem)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for solver, mark in (("mprgp", "-"), ("active_set", "-."), ("pgs", ":"), ("interior", "--")):
        traced = []
        end = problem.solve(solver, tolerance=1e-8, budget=400, trace=traced.append)
        steps = [s.iterations for s in traced] + [end.iterations]
        errors = [max(s.residual, 1e-16) for s in traced] + [max(end.residual, 1e-16)]
        left.semilogy(steps, errors, mark, label=solver)
        right.semilogy([1e3 * s.seconds for s in traced] + [1e3 * end.seconds], errors, mark, label=solver)
        print("%-10s %s, %d iterations, residual %.1e, %.1f ms" % (solver, end.outcome.name.lower(), end.iterations, end.residual, 1e3 * end.seconds))
    left.set(xlabel="iterations", ylabel="residual (relative)", title="%d unknowns, %d rows" % (problem.n, problem.m), xscale="symlog")
    right.set(xlabel="time [ms]", xscale="log")
    left.legend()
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "li_2015.png", dpi=120)


if __name__ == "__main__":
    main()
