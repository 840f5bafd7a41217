#!/usr/bin/env python3
"""make_problems.py -- contact QPs of two soft boxes, of any size, as CPB files.

usage: make_problems.py --cells N [--young 1e7] [--upper 1] [--dt 0.01] [--out FILE.cpb]

A lower box on the plane y = 0 and an upper one falling and turning onto it, N x N x N cells of six tets each (the upper one N - 1 in each
direction, and its grid does not match), linear elasticity. Unknowns are the displacements x of one implicit step of length dt,

    min 1/2 x'A x - b'x,   A = M / dt^2 + K,   b = M (v / dt + g) - K u,   J x + g0 >= 0,

u the displacement that the boxes start with, with a row for each vertex of the bottom against the plane and, both ways, for each vertex of the
interface against the triangle above or below it (weights 1, -w1, -w2, -w3), so that rows are coupled; half of them, more or less, are active.
Needs numpy (Debian: python3-numpy).
"""
import argparse
import os
import struct
import sys

DENSITY, GRAVITY = 1000.0, 9.81


def grid(np, n, size, origin):
    axes = [origin[k] + size[k] * np.arange(n + 1) / n for k in range(3)]
    x, y, z = np.meshgrid(*axes, indexing="ij")
    return np.stack([x, y, z], axis=-1).reshape(-1, 3)


def corner_tets():
    """six tets of a cell around its diagonal, as corners (bits z y x -> offsets)"""
    out = []
    for a, b in ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)):
        one, two = [0, 0, 0], [0, 0, 0]
        one[a] = 1
        two[a] = two[b] = 1
        out.append([(0, 0, 0), tuple(one), tuple(two), (1, 1, 1)])
    return out


def element(np, corners, h, young, poisson):
    """stiffness [4][4][3][3] and volume of a tet"""
    p = np.array(corners, float) * h
    d = (p[1:] - p[0]).T
    volume = abs(np.linalg.det(d)) / 6
    inverse = np.linalg.inv(d)
    g = np.vstack([-inverse.sum(axis=0), inverse])
    lam, mu = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    k = np.zeros((4, 4, 3, 3))
    for a in range(4):
        for b in range(4):
            k[a, b] = volume * (lam * np.outer(g[a], g[b]) + mu * np.outer(g[b], g[a]) + mu * g[a].dot(g[b]) * np.eye(3))
    return k, volume


def body(np, n, size, young, poisson, dt):
    """upper block triangle of A as (rows, columns, blocks), and the lumped mass"""
    h = np.array(size) / n
    side = n + 1
    index = np.arange(side ** 3).reshape(side, side, side)
    stencil, mass = {}, np.zeros((side, side, side))

    def part(corner):
        return tuple(slice(c, c + n) for c in corner)
    for corners in corner_tets():
        k, volume = element(np, corners, h, young, poisson)
        for a in range(4):
            mass[part(corners[a])] += DENSITY * volume / 4
            for b in range(4):
                offset = tuple(corners[b][i] - corners[a][i] for i in range(3))
                if offset < (0, 0, 0):
                    continue
                table = stencil.setdefault(offset, np.zeros((side, side, side, 3, 3)))
                table[part(corners[a])] += k[a, b]
    stencil[(0, 0, 0)] += mass[..., None, None] / dt ** 2 * np.eye(3)
    rows, columns, blocks = [], [], []
    for offset, table in stencil.items():
        here = tuple(slice(max(0, -o), side - max(0, o)) for o in offset)
        there = tuple(slice(max(0, o), side - max(0, -o)) for o in offset)
        rows.append(index[here].ravel()), columns.append(index[there].ravel()), blocks.append(table[here].reshape(-1, 3, 3))
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(blocks), mass.ravel()


def touch(np, points, chosen, n, size, origin, base):
    """nodes and weights of the triangle of a face grid (nodes `base` [n+1][n+1]) that lies over or under each chosen point"""
    u = (points[chosen, 0] - origin[0]) / size[0] * n
    w = (points[chosen, 2] - origin[2]) / size[2] * n
    inside = (u >= 0) & (u <= n) & (w >= 0) & (w <= n)
    chosen, u, w = chosen[inside], u[inside], w[inside]
    i, k = np.minimum(u.astype(int), n - 1), np.minimum(w.astype(int), n - 1)
    s, t = u - i, w - k
    low = s >= t  # diagonal from (0, 0) to (1, 1), as the tets have it
    nodes = np.stack([base[i, k], np.where(low, base[i + 1, k], base[i, k + 1]), base[i + 1, k + 1]], axis=1)
    weights = np.stack([1 - np.maximum(s, t), np.abs(s - t), np.minimum(s, t)], axis=1)
    return chosen, nodes, weights


def deformed(np, x):
    """a smooth displacement of some millimetres: bodies of a running simulation are not at rest"""
    p = 2 * np.pi * x
    return 0.003 * np.stack([np.sin(p[:, 1]) * np.cos(0.5 * p[:, 2]) + 0.5 * np.sin(1.5 * p[:, 2]),
                             0.5 * np.sin(p[:, 0] + 0.4) * np.cos(0.5 * p[:, 1]),
                             np.cos(1.5 * p[:, 0]) * np.sin(0.5 * p[:, 1]) + 0.3 * np.sin(2 * p[:, 0])], axis=1)


def product(np, rows, columns, blocks, x):
    """A x from the upper block triangle"""
    y = np.zeros_like(x)
    np.add.at(y, rows, np.einsum("kij,kj->ki", blocks, x[columns]))
    off = rows != columns
    np.add.at(y, columns[off], np.einsum("kji,kj->ki", blocks[off], x[rows[off]]))
    return y


def make(cells, young, dt, upper=1.0, poisson=0.4):
    import numpy as np
    n = (cells, cells - 1)
    size = ((1.0, 1.0, 1.0), (0.83, 0.83, 0.83))
    origin = ((0.0, 0.0, 0.0), (0.061, 1.002, 0.047))
    nodes, rows, columns, blocks, mass, first = [], [], [], [], [], [0]
    for k in range(2):
        nodes.append(grid(np, n[k], size[k], origin[k]))
        r, c, b, m = body(np, n[k], size[k], young * (upper if k else 1), poisson, dt)
        rows.append(r + first[k]), columns.append(c + first[k]), blocks.append(b), mass.append(m)
        first.append(first[k] + len(nodes[k]))
    x, mass = np.concatenate(nodes), np.concatenate(mass)
    rows, columns, blocks = np.concatenate(rows), np.concatenate(columns), np.concatenate(blocks)
    order = np.lexsort((columns, rows))
    rows, columns, blocks = rows[order], columns[order], blocks[order]
    # the upper box falls, and turns about an axis in the plane, so that one side lands and the other does not yet
    v = np.zeros_like(x)
    upper = slice(first[1], first[2])
    center = x[upper].mean(axis=0)
    v[upper] = np.array([0.0, -0.25, 0.0]) + np.cross(np.array([0.0, 0.3, 0.5]), x[upper] - center)
    u = deformed(np, x)
    b = mass[:, None] * (v / dt + np.array([0.0, -GRAVITY, 0.0])) - (product(np, rows, columns, blocks, u) - mass[:, None] / dt ** 2 * u)
    flat, x = x, x + u
    at = [np.arange(first[k], first[k + 1]).reshape([n[k] + 1] * 3) for k in range(2)]
    lines = [(np.array([i]), np.array([1.0]), x[i, 1] + 0.0) for i in at[0][:, 0, :].ravel()]
    sides = ((at[1][:, 0, :].ravel(), 0, at[0][:, -1, :], 1.0), (at[0][:, -1, :].ravel(), 1, at[1][:, 0, :], -1.0))
    for chosen, k, base, sign in sides:
        for i, tri, weights in zip(*touch(np, flat, chosen, n[k], size[k], origin[k], base)):
            keep = weights > 1e-12
            gap = sign * (x[i, 1] - weights.dot(x[tri, 1]))
            lines.append((np.concatenate([[i], tri[keep]]), sign * np.concatenate([[1.0], -weights[keep]]), gap))
    return np, x.shape[0], rows, columns, blocks, b.ravel(), lines


def write(path, np, n, rows, columns, blocks, b, lines):
    arrays = [("A.dim", 0, [n, n]), ("A.p", 0, np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])), ("A.i", 0, columns),
              ("A.x", 1, blocks.ravel()), ("b", 1, b)]
    p, index, value = [0], [], []
    for where, weight, _ in lines:  # normal (0, 1, 0)
        order = np.argsort(where)
        index.extend(3 * where[order] + 1), value.extend(weight[order])
        p.append(len(index))
    arrays += [("J.dim", 0, [len(lines), 3 * n]), ("J.p", 0, p), ("J.i", 0, index), ("J.x", 1, value), ("c", 1, [-g for _, _, g in lines])]
    with open(path + ".tmp", "wb") as f:
        f.write(b"CPB1\0\0\0\0" + struct.pack("<II", 3, len(arrays)))
        for name, kind, data in arrays:
            data = np.ascontiguousarray(data, dtype="<f8" if kind else "<i4")
            f.write(name.encode().ljust(16, b"\0") + struct.pack("<IIQ", kind, 0, data.size))
            raw = data.tobytes()
            f.write(raw + b"\0" * (-len(raw) % 8))
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=10)
    parser.add_argument("--young", type=float, default=1e7)
    parser.add_argument("--upper", type=float, default=1.0, help="stiffness of the upper box relative to the lower one")
    parser.add_argument("--dt", type=float, default=0.01)
    parser.add_argument("--out", default="boxes.cpb")
    args = parser.parse_args()
    if args.cells < 2:
        sys.exit("make_problems.py: --cells: expected 2 or more")
    write(args.out, *make(args.cells, args.young, args.dt, args.upper))


if __name__ == "__main__":
    main()
