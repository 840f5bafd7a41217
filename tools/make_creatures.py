#!/usr/bin/env python3
"""make_creatures.py -- soft bodies of tets from implicit surfaces, and fixed things for them to fall on: MSH 2.2 and OBJ.

usage: python3 tools/make_creatures.py --out DIR --shape dragon|rabbit|lizard|beam|stairs|glass|bowl|bars [--vertices 46000] [--name NAME] [--quiet]

A creature is a smooth union of round cones (body, head, limbs, tail, spikes). A body-centred lattice of tets is cut by its surface
(Labelle, Shewchuk: Isosurface stuffing, 2007): nodes near a crossing move onto it, other tets that are cut are split; then boundary nodes
are spread evenly over the surface as far as the quality of the tets allows. `--vertices` sets the lattice's resolution: the number of
nodes is within a few per cent of it. Deterministic, standard library only.
"""
import argparse
import math
import os
import sys

import make_meshes


# ---- implicit surfaces: lists of (a, b, radius at a, radius at b) ----

def mirrored(parts):
    """Parts and their mirror images in x."""
    return parts + [((-a[0],) + a[1:], (-b[0],) + b[1:], r, s) for a, b, r, s in parts]


def dragon():
    """Compact, so that it rolls: body, neck, head, a tail that is curled up, four legs, wings, spikes along the back."""
    parts = [((0, 0.02, -0.2), (0, 0.0, 0.2), 0.25, 0.28), ((0, 0.14, 0.34), (0, 0.34, 0.48), 0.14, 0.1),
             ((0, 0.38, 0.5), (0, 0.3, 0.72), 0.11, 0.06),
             ((0, -0.05, -0.38), (0.1, -0.1, -0.62), 0.14, 0.09), ((0.1, -0.1, -0.62), (0.34, -0.1, -0.7), 0.09, 0.055),
             ((0.34, -0.1, -0.7), (0.5, -0.08, -0.56), 0.055, 0.035)]
    parts += mirrored([((0.16, -0.1, 0.2), (0.26, -0.32, 0.27), 0.1, 0.07), ((0.26, -0.34, 0.27), (0.27, -0.35, 0.37), 0.065, 0.045),
                       ((0.16, -0.1, -0.22), (0.26, -0.32, -0.22), 0.11, 0.075), ((0.26, -0.34, -0.22), (0.27, -0.35, -0.12), 0.07, 0.05),
                       ((0.12, 0.18, 0.05), (0.48, 0.36, -0.05), 0.08, 0.035), ((0.48, 0.36, -0.05), (0.6, 0.16, -0.22), 0.035, 0.025),
                       ((0.06, 0.46, 0.47), (0.1, 0.58, 0.38), 0.035, 0.018)])
    for z, y, r in ((0.2, 0.26, 0.05), (0.04, 0.27, 0.055), (-0.12, 0.26, 0.055), (-0.28, 0.2, 0.05)):
        parts.append(((0, y - 0.04, z), (0, y + 0.13, z - 0.05), r, 0.018))
    return parts, 0.05


def rabbit():
    """Sits upright: body, head, long ears, four paws, a round tail."""
    parts = [((0, -0.12, -0.04), (0, 0.12, 0.02), 0.29, 0.22), ((0, 0.38, 0.08), (0, 0.36, 0.16), 0.18, 0.14),
             ((0, -0.2, -0.34), (0, -0.18, -0.36), 0.09, 0.09)]
    parts += mirrored([((0.08, 0.5, 0.06), (0.15, 0.9, -0.06), 0.06, 0.04), ((0.2, -0.28, 0.02), (0.22, -0.34, 0.28), 0.12, 0.08),
                       ((0.13, 0.08, 0.16), (0.15, -0.08, 0.32), 0.075, 0.06)])
    return parts, 0.04


def lizard():
    """Long: body, head, four limbs with feet, a tail as long as the rest, a crest of spikes."""
    parts = [((0, 0, -0.22), (0, 0.02, 0.2), 0.13, 0.14), ((0, 0.06, 0.34), (0, 0.08, 0.52), 0.11, 0.07),
             ((0, -0.01, -0.34), (0, 0.02, -0.68), 0.1, 0.06), ((0, 0.02, -0.68), (0, 0.12, -0.98), 0.06, 0.045)]
    parts += mirrored([((0.09, -0.04, 0.2), (0.3, -0.08, 0.26), 0.065, 0.05), ((0.3, -0.08, 0.26), (0.34, -0.22, 0.32), 0.055, 0.055),
                       ((0.09, -0.04, -0.22), (0.3, -0.08, -0.24), 0.07, 0.055), ((0.3, -0.08, -0.24), (0.34, -0.22, -0.18), 0.055, 0.055)])
    for z in (0.22, 0.04, -0.14, -0.32):
        parts.append(((0, 0.08, z), (0, 0.2, z - 0.03), 0.06, 0.04))
    return parts, 0.035


CREATURES = {"dragon": dragon, "rabbit": rabbit, "lizard": lizard}


class Surface:
    """f < 0 inside, about the distance; blended over `blend`."""

    def __init__(self, parts, blend):
        self.parts = []
        for a, b, r, s in parts:
            d = tuple(b[k] - a[k] for k in range(3))
            self.parts.append((a, d, 1.0 / max(1e-12, sum(x * x for x in d)), r, s - r))
        self.blend = blend
        self.lo = [min(min(a[k] - r, b[k] - s) for a, b, r, s in parts) for k in range(3)]
        self.hi = [max(max(a[k] + r, b[k] + s) for a, b, r, s in parts) for k in range(3)]

    def near(self, p, radius):
        """The parts that may affect f within the radius around p."""
        out = Surface.__new__(Surface)
        out.blend = self.blend
        most = self.plain(p) + 2 * radius + 2 * self.blend
        out.parts = [q for q in self.parts if self.one(q, p) <= most]
        return out

    @staticmethod
    def one(q, p):
        a, d, inv, r, dr = q
        x, y, z = p[0] - a[0], p[1] - a[1], p[2] - a[2]
        t = (x * d[0] + y * d[1] + z * d[2]) * inv
        t = 0.0 if t < 0 else (1.0 if t > 1 else t)
        x, y, z = x - t * d[0], y - t * d[1], z - t * d[2]
        return math.sqrt(x * x + y * y + z * z) - r - t * dr

    def plain(self, p):
        return min(self.one(q, p) for q in self.parts)

    def __call__(self, p):
        k, out = self.blend, 1e9
        for q in self.parts:
            f = self.one(q, p)
            h = k - abs(out - f)
            out = min(out, f) - (h * h / (4 * k) if h > 0 else 0)
        return out

    def gradient(self, p, step):
        g = [self((p[0] + step, p[1], p[2])) - self((p[0] - step, p[1], p[2])), self((p[0], p[1] + step, p[2])) - self((p[0], p[1] - step, p[2])),
             self((p[0], p[1], p[2] + step)) - self((p[0], p[1], p[2] - step))]
        n = math.sqrt(sum(x * x for x in g)) or 1.0
        return [x / n for x in g]


# ---- lattice ----

# the 12 tets around a cell's centre: each face with the neighbour's centre, over the face's four edges, half of them belong to the cell
AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def candidates(surface, a):
    """Cells of side a near to or inside of the surface, with the parts that affect f there; block by block."""
    block, cells = 4, []
    n = [int(math.ceil((surface.hi[k] - surface.lo[k]) / a)) + 2 for k in range(3)]
    origin = [(surface.hi[k] + surface.lo[k]) / 2 - n[k] * a / 2 for k in range(3)]
    for bx in range(0, n[0], block):
        for by in range(0, n[1], block):
            for bz in range(0, n[2], block):
                middle = tuple(origin[k] + (c + block / 2) * a for k, c in enumerate((bx, by, bz)))
                radius = a * (block / 2 + 1) * math.sqrt(3)
                if surface.plain(middle) > radius + surface.blend:
                    continue
                local = surface.near(middle, radius)
                cells += [((x, y, z), local) for x in range(bx, min(bx + block, n[0])) for y in range(by, min(by + block, n[1]))
                          for z in range(bz, min(bz + block, n[2]))]
    return origin, cells


def lattice(surface, a):
    """Nodes with f there, and tets, of a body-centred lattice around and inside of the surface. Nodes (2x, 2y, 2z) are corners, odd ones centres."""
    origin, cells = candidates(surface, a)
    half = a / 2
    index, nodes, tets, local_of = {}, [], [], []

    def number(q, local):
        if q not in index:
            index[q] = len(nodes)
            nodes.append((origin[0] + q[0] * half, origin[1] + q[1] * half, origin[2] + q[2] * half))
            local_of.append(local)
        return index[q]

    for (x, y, z), local in cells:
        c = (2 * x + 1, 2 * y + 1, 2 * z + 1)
        for k in range(3):  # towards the next cell along axis k: four tets around the line between the two centres
            e, u, v = AXES[k], AXES[(k + 1) % 3], AXES[(k + 2) % 3]
            d = tuple(c[i] + 2 * e[i] for i in range(3))
            ring = [tuple(c[i] + e[i] + s * u[i] + t * v[i] for i in range(3)) for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            for j in range(4):
                tets.append(tuple(number(q, local) for q in (c, d, ring[j], ring[(j + 1) % 4])))
    values = [local_of[i](p) for i, p in enumerate(nodes)]
    return nodes, values, [t for t in tets if min(values[v] for v in t) < 0], local_of


# ---- the lattice cut by the surface (Labelle, Shewchuk 2007) ----

def crossing(f, p, q, fp, fq):
    """Weight of q where the surface crosses the edge."""
    lo, hi, flo, fhi = 0.0, 1.0, fp, fq
    t = 0.5
    for _ in range(6):
        t = lo + (hi - lo) * min(0.9, max(0.1, flo / (flo - fhi)))
        g = f(tuple(p[k] + t * (q[k] - p[k]) for k in range(3)))
        if (g < 0) == (flo < 0):
            lo, flo = t, g
        else:
            hi, fhi = t, g
    return lo + (hi - lo) * flo / (flo - fhi) if flo != fhi else t


def split(prism):
    """A prism (a, b, c), (d, e, f), a above d and so on, as three tets; every quad by the diagonal from its least corner, as the neighbour's."""
    a, b, c, d, e, f = prism
    while a != min(prism):
        a, b, c, d, e, f = (b, c, a, e, f, d) if min(prism) in (a, b, c) else (d, f, e, a, c, b)
        prism = (a, b, c, d, e, f)
    out = [(a, d, e, f)]
    return out + ([(a, b, c, f), (a, b, f, e)] if min(b, f) < min(c, e) else [(a, b, c, e), (a, c, f, e)])


def stuffed(surface, a):
    """Nodes and tets of what is inside; boundary nodes are on the surface."""
    nodes, values, tets, local_of = lattice(surface, a)
    near = {}
    for t in tets:
        for i in range(4):
            for j in range(i):
                p, q = min(t[i], t[j]), max(t[i], t[j])
                if (values[p] < 0) != (values[q] < 0) and (p, q) not in near:
                    near[p, q] = crossing(local_of[p], nodes[p], nodes[q], values[p], values[q])
    # nodes that are close to a crossing of one of their edges go there
    closest, place, on = {}, list(nodes), [False] * len(nodes)
    for (p, q), w in near.items():
        length = math.dist(nodes[p], nodes[q])
        most = 0.25 if length > 0.95 * a else 0.41
        for v, s in ((p, w), (q, 1 - w)):
            if s < most and s * length < closest.get(v, (1e9,))[0]:
                closest[v] = (s * length, p, q)
    for v in sorted(closest):
        _, p, q = closest[v]
        if not on[p] and not on[q]:
            w = near[p, q]
            place[v] = tuple(nodes[p][k] + w * (nodes[q][k] - nodes[p][k]) for k in range(3))
            on[v] = True
    cut = {}

    def point(i, j):  # i inside, j outside or on the surface
        if on[j]:
            return j
        p, q = min(i, j), max(i, j)
        if (p, q) not in cut:
            w = near[p, q]
            cut[p, q] = len(place)
            place.append(tuple(nodes[p][k] + w * (nodes[q][k] - nodes[p][k]) for k in range(3)))
            local_of.append(local_of[p])
        return cut[p, q]

    out = []
    for t in tets:
        inside = [v for v in t if not on[v] and values[v] < 0]
        flat = [v for v in t if on[v]]
        outside = [v for v in t if not on[v] and values[v] >= 0]
        if not inside:
            continue
        if not outside:
            out.append(t)
        elif len(inside) == 1:
            out.append((inside[0],) + tuple(point(inside[0], v) for v in flat + outside))
        elif len(inside) == 3:
            out += split(tuple(inside) + tuple(point(v, outside[0]) for v in inside))
        elif len(outside) == 2:
            (i, j), (u, v) = inside, outside
            out += split((i, point(i, u), point(i, v), j, point(j, u), point(j, v)))
        else:
            (i, j), z, u = inside, flat[0], outside[0]
            k, l = point(i, u), point(j, u)
            out += [(i, j, l, z), (i, l, k, z)] if min(i, l) < min(j, k) else [(i, j, k, z), (j, l, k, z)]
    return place, out, local_of


def volume(p, q, r, s):
    a, b, c = [q[k] - p[k] for k in range(3)], [r[k] - p[k] for k in range(3)], [s[k] - p[k] for k in range(3)]
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6


def boundary(tets):
    faces = {}
    for a, b, c, d in tets:
        for f in ((b, c, d), (a, d, c), (a, b, d), (a, c, b)):
            key = tuple(sorted(f))
            faces[key] = None if key in faces else f
    return [f for f in faces.values() if f]


def largest_part(nodes, tets, local_of):
    """The largest set of tets that common nodes connect."""
    parent = list(range(len(nodes)))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for t in tets:
        for v in t[1:]:
            parent[root(v)] = root(t[0])
    size = {}
    for t in tets:
        size[root(t[0])] = size.get(root(t[0]), 0) + 1
    best = max(size, key=lambda k: (size[k], -k))
    tets = [t for t in tets if root(t[0]) == best]
    number, order = {}, []
    for t in tets:
        for v in t:
            if v not in number:
                number[v] = len(order)
                order.append(v)
    return [nodes[v] for v in order], [tuple(number[v] for v in t) for t in tets], [local_of[v] for v in order]


def relax(nodes, tets, local_of, a, turns=6):
    """Boundary nodes towards the middle of their neighbours on the boundary and back onto the surface, inner ones towards that of all, as far as
    no tet becomes worse than the worst of them were at first."""
    faces = boundary(tets)
    outer = set(v for f in faces for v in f)
    beside = [set() for _ in nodes]
    for f in faces:
        for k in range(3):
            beside[f[k]].update((f[(k + 1) % 3], f[(k + 2) % 3]))
    of = [[] for _ in nodes]
    for i, t in enumerate(tets):
        for v in t:
            of[v].append(i)
    nodes = list(nodes)

    def shape(t):
        p = [nodes[v] for v in t]
        edges = sum((p[i][k] - p[j][k]) ** 2 for i in range(4) for j in range(i) for k in range(3))
        return volume(*p) / edges ** 1.5

    quality = [shape(t) for t in tets]
    for _ in range(turns):
        for v in sorted(outer):
            p, ring = nodes[v], sorted(beside[v])
            if len(ring) < 3:
                continue
            f = local_of[v]
            q = tuple(0.5 * (p[k] + sum(nodes[w][k] for w in ring) / len(ring)) for k in range(3))
            for _ in range(2):
                g, d = f.gradient(q, 1e-3 * a), f(q)
                q = tuple(q[k] - d * g[k] for k in range(3))
            before = min(quality[i] for i in of[v])
            nodes[v] = q
            after = [shape(tets[i]) for i in of[v]]
            if min(after) < min(before, 0.0028):
                nodes[v] = p
            else:
                for i, x in zip(of[v], after):
                    quality[i] = x
    return nodes, min(quality)


def creature(parts, blend, vertices):
    surface = Surface(parts, blend)
    a = max(surface.hi[k] - surface.lo[k] for k in range(3)) / 14
    for _ in range(8):  # cell size for the number of nodes
        nodes, tets, local_of = stuffed(surface, a)
        nodes, tets, local_of = largest_part(nodes, tets, local_of)
        ratio = len(nodes) / float(vertices)
        if 0.96 < ratio < 1.04:
            break
        a *= ratio ** (1 / 3.0 if ratio > 0.2 else 0.36)
    tets = [t if volume(*(nodes[v] for v in t)) > 0 else (t[0], t[1], t[3], t[2]) for t in tets]
    return relax(nodes, tets, local_of, a)[0], tets


def beam(vertices):
    """A box of 1 x 1 x 2 with six tets a cell: 16 x 16 x 32 cells are 9,537 nodes and 49,152 tets."""
    n = max(2, round((vertices / 2.3) ** (1 / 3.0)))
    n = 16 if 9000 < vertices < 10000 else n
    size, cells = (1.0, 1.0, 2.0), (n, n, 2 * n)

    def number(x, y, z):
        return (z * (cells[1] + 1) + y) * (cells[0] + 1) + x

    nodes = [tuple(size[k] * (q[k] / float(cells[k]) - 0.5) for k in range(3)) for q in
             ((x, y, z) for z in range(cells[2] + 1) for y in range(cells[1] + 1) for x in range(cells[0] + 1))]
    tets = []
    for z in range(cells[2]):
        for y in range(cells[1]):
            for x in range(cells[0]):
                for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
                    q, t = [x, y, z], [number(x, y, z)]
                    for k in order:
                        q[k] += 1
                        t.append(number(*q))
                    tets.append(tuple(t))
    return nodes, [t if volume(*(nodes[v] for v in t)) > 0 else (t[0], t[1], t[3], t[2]) for t in tets]


# ---- fixed things ----

def voxels(filled, side):
    """The closed surface of cells (x, y, z): two triangles for every face with one neighbour."""
    index, vertices, triangles = {}, [], []

    def number(q):
        if q not in index:
            index[q] = len(vertices)
            vertices.append(tuple(side[k] * q[k] for k in range(3)))
        return index[q]

    for q in sorted(filled):
        for k in range(3):
            u, v = AXES[(k + 1) % 3], AXES[(k + 2) % 3]
            for end in (0, 1):
                if tuple(q[i] + (2 * end - 1) * AXES[k][i] for i in range(3)) in filled:
                    continue
                o = tuple(q[i] + end * AXES[k][i] for i in range(3))
                r = [number(tuple(o[i] + s * u[i] + t * v[i] for i in range(3))) for s, t in ((0, 0), (1, 0), (1, 1), (0, 1))]
                if not end:
                    r.reverse()
                triangles += [(r[0], r[1], r[2]), (r[0], r[2], r[3])] if sum(q) % 2 else [(r[0], r[1], r[3]), (r[1], r[2], r[3])]
    return vertices, triangles


def stairs(steps=7, rise=0.24, run=0.42, width=2.6):
    """Goes down along +z from a landing; the top of the landing is y = 0; solid, two rises thick at the lowest floor."""
    cell, per, deep = (0.13, rise / 2, run / 4), 4, 8
    filled, across = set(), int(round(width / cell[0]))
    for k in range(-1, steps + 4):
        top = -2 * min(max(k, 0), steps)
        for z in range((per * k if k >= 0 else -2 * per), per * (k + 1) if k >= 0 else 0):
            filled |= {(x, y, z) for x in range(across) for y in range(-2 * steps - deep, top)}
    vertices, triangles = voxels(filled, cell)
    return [(x - across * cell[0] / 2, y, z) for x, y, z in vertices], triangles


def glass(around=72):
    """A goblet: foot, stem, and a bowl with walls 0.05 thick that is open above."""
    line = [(0.1, 0.0), (0.2, 0.0), (0.3, 0.0), (0.34, 0.025), (0.3, 0.05), (0.2, 0.065), (0.1, 0.09), (0.07, 0.14), (0.06, 0.2), (0.06, 0.27),
            (0.08, 0.33), (0.16, 0.37), (0.25, 0.42), (0.32, 0.49), (0.36, 0.57), (0.38, 0.65), (0.39, 0.73), (0.395, 0.81), (0.4, 0.89), (0.4, 0.94),
            (0.393, 0.965), (0.375, 0.975), (0.357, 0.965), (0.35, 0.94), (0.35, 0.89), (0.345, 0.81), (0.34, 0.73), (0.33, 0.65), (0.31, 0.58),
            (0.27, 0.51), (0.21, 0.46), (0.13, 0.425), (0.06, 0.41), (0.02, 0.408)]
    return make_meshes.revolve(line, around, 1.0)


def bowl(around=64):
    """A wide bowl with walls 0.08 thick that is open above."""
    line = [(0.2, 0.0), (0.4, 0.0), (0.6, 0.0), (0.74, 0.04), (0.88, 0.12), (1.0, 0.23), (1.1, 0.36), (1.16, 0.48), (1.2, 0.6), (1.18, 0.63),
            (1.14, 0.63),
            (1.12, 0.6), (1.08, 0.5), (1.02, 0.4), (0.94, 0.3), (0.84, 0.21), (0.72, 0.14), (0.58, 0.1), (0.4, 0.08), (0.2, 0.075), (0.04, 0.075)]
    return make_meshes.revolve(line, around, 1.0)


def bars(radius=0.16, length=1.6, apart=1.0, around=20, along=24):
    """Two round bars along x."""
    vertices, triangles = [], []
    line = [(radius * 0.5, -length / 2)] + [(radius, -length / 2 + length * i / along) for i in range(along + 1)] + [(radius * 0.5, length / 2)]
    for z in (-apart / 2, apart / 2):
        v, t = make_meshes.revolve(line, around, 1.0)
        triangles += [tuple(len(vertices) + i for i in q) for q in t]
        vertices += [(y, -x, w + z) for x, y, w in v]
    return vertices, triangles


# ---- files ----

def write_msh(path, comment, nodes, tets):
    with open(path + ".tmp", "w", newline="\n") as f:
        f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\n%s\n$EndComments\n$Nodes\n%d\n" % (comment, len(nodes)))
        f.write("".join("%d %.9g %.9g %.9g\n" % ((i + 1,) + tuple(p)) for i, p in enumerate(nodes)))
        f.write("$EndNodes\n$Elements\n%d\n" % len(tets))
        f.write("".join("%d 4 0 %d %d %d %d\n" % ((i + 1,) + tuple(v + 1 for v in t)) for i, t in enumerate(tets)))
        f.write("$EndElements\n")
    os.replace(path + ".tmp", path)


def main(argv=None):
    p = argparse.ArgumentParser(description="soft bodies of tets and fixed things for them to fall on")
    p.add_argument("--out", required=True)
    p.add_argument("--shape", required=True, choices=sorted(CREATURES) + ["beam", "stairs", "glass", "bowl", "bars"])
    p.add_argument("--vertices", type=int, default=10000, help="of a soft body, about")
    p.add_argument("--name", help="of the file, without its ending; default: the shape")
    p.add_argument("--quiet", action="store_true")
    a = p.parse_args(argv)
    if a.vertices < 60:
        p.error("at least 60 vertices")
    os.makedirs(a.out, exist_ok=True)
    name = os.path.join(a.out, a.name or a.shape)
    if a.shape in CREATURES or a.shape == "beam":
        nodes, tets = beam(a.vertices) if a.shape == "beam" else creature(*CREATURES[a.shape](), vertices=a.vertices)
        write_msh(name + ".msh", a.shape, nodes, tets)
        if not a.quiet:
            print("%s: %d nodes, %d tets, volume %.4f" % (a.shape, len(nodes), len(tets), sum(volume(*(nodes[v] for v in t)) for t in tets)))
        return 0
    vertices, triangles = {"stairs": stairs, "glass": glass, "bowl": bowl, "bars": bars}[a.shape]()
    if a.shape != "bars":
        make_meshes.check_closed(a.shape, vertices, triangles)
    make_meshes.write_obj(name + ".obj", a.shape, vertices, triangles)
    if not a.quiet:
        print("%s: %d vertices, %d triangles" % (a.shape, len(vertices), len(triangles)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
