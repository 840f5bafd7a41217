#!/usr/bin/env python3
"""make_meshes.py -- writes meshes for scenes as OBJ: extruded letters with holes, a skirt of several layers, a body of revolution with waist
and hips, boxes. Closed surfaces are checked here (every edge in two triangles of opposite direction, positive volume); crossings are for
`contact check`. Deterministic, standard library only.

usage: python3 tools/make_meshes.py --out DIR [--glyphs ABC] [--height 1] [--depth 0.2] [--resolution 0.085]
                                    [--layers 6] [--around 70] [--down 40] [--only letters|skirt|figure|boxes] [--quiet]

A letter is an outline of straight lines and arcs (counter-clockwise, holes clockwise; y up, one unit high), cut into segments of about the
resolution. A cap is the outline's ear clipping, with points on a hexagonal grid put in, flipped until it is the constrained Delaunay
triangulation; all signs are taken on integers (millionths of a unit), so that they are exact. Letters lie in the xy plane, centred.
A skirt's vertices go ring by ring from the waist down, layer after layer: the first `around` of each layer are its waist.
"""
import argparse
import math
import os
import sys

UNIT = 1000000  # integers per unit of length


# ---- outlines ----

class Arc:
    """Points of an ellipse from angle a to b in degrees, ends included."""

    def __init__(self, cx, cy, rx, ry, a, b):
        self.c, self.r, self.a, self.b = (cx, cy), (rx, ry), a, b

    def at(self, t):
        w = math.radians(self.a + (self.b - self.a) * t)
        return self.c[0] + self.r[0] * math.cos(w), self.c[1] + self.r[1] * math.sin(w)

    def points(self, resolution):
        fine = [self.at(i / 64.0) for i in range(65)]
        length = sum(math.dist(fine[i], fine[i + 1]) for i in range(64))
        n = max(2, round(length / resolution), round(abs(self.b - self.a) / 30.0))
        return [self.at(i / n) for i in range(n + 1)]


def rectangle(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def hole(*path):
    """A hole is written counter-clockwise, as an outline, and turned when it is cut into segments."""
    return ("hole",) + path


def ellipse(cx, cy, rx, ry):
    return (Arc(cx, cy, rx, ry, 0, 360),)


def ribbon(arcs, half):
    """A band around arcs that follow each other: for letters that are one stroke."""
    line = []
    for a in arcs:
        n = max(5, round(abs(a.b - a.a) / 30.0))
        line += [a.at(i / n) for i in range(0 if not line else 1, n + 1)]
    left, right = [], []
    for i, p in enumerate(line):
        q, r = line[max(i - 1, 0)], line[min(i + 1, len(line) - 1)]
        d = math.dist(q, r)
        nx, ny = -(r[1] - q[1]) / d * half, (r[0] - q[0]) / d * half
        left.append((p[0] + nx, p[1] + ny))
        right.append((p[0] - nx, p[1] - ny))
    return tuple(right + left[::-1])


GLYPHS = {
    "A": [((0, 0), (0.19, 0), (0.256, 0.2), (0.644, 0.2), (0.71, 0), (0.9, 0), (0.57, 1), (0.33, 1)),
          hole((0.309, 0.36), (0.591, 0.36), (0.45, 0.788))],
    "B": [((0, 0), (0.4, 0), Arc(0.4, 0.28, 0.35, 0.28, -90, 60), Arc(0.4, 0.745, 0.29, 0.255, -50, 90), (0, 1)),
          hole((0.18, 0.16), (0.4, 0.16), Arc(0.4, 0.28, 0.17, 0.12, -90, 90), (0.18, 0.4)),
          hole((0.18, 0.62), (0.4, 0.62), Arc(0.4, 0.73, 0.13, 0.11, -90, 90), (0.18, 0.84))],
    "C": [(Arc(0.42, 0.5, 0.42, 0.5, 45, 315), Arc(0.42, 0.5, 0.24, 0.32, 315, 45))],
    "D": [((0, 0), (0.35, 0), Arc(0.35, 0.5, 0.42, 0.5, -90, 90), (0, 1)),
          hole((0.19, 0.18), (0.35, 0.18), Arc(0.35, 0.5, 0.23, 0.32, -90, 90), (0.19, 0.82))],
    "E": [((0, 0), (0.65, 0), (0.65, 0.18), (0.19, 0.18), (0.19, 0.41), (0.58, 0.41), (0.58, 0.59), (0.19, 0.59), (0.19, 0.82), (0.65, 0.82),
           (0.65, 1), (0, 1))],
    "F": [((0, 0), (0.19, 0), (0.19, 0.4), (0.56, 0.4), (0.56, 0.58), (0.19, 0.58), (0.19, 0.82), (0.65, 0.82), (0.65, 1), (0, 1))],
    "H": [((0, 0), (0.19, 0), (0.19, 0.41), (0.56, 0.41), (0.56, 0), (0.75, 0), (0.75, 1), (0.56, 1), (0.56, 0.59), (0.19, 0.59), (0.19, 1),
           (0, 1))],
    "L": [((0, 0), (0.65, 0), (0.65, 0.18), (0.19, 0.18), (0.19, 1), (0, 1))],
    "N": [((0, 0), (0.19, 0), (0.19, 0.66), (0.58, 0), (0.77, 0), (0.77, 1), (0.58, 1), (0.58, 0.34), (0.19, 1), (0, 1))],
    "O": [ellipse(0.44, 0.5, 0.44, 0.5), hole(*ellipse(0.44, 0.5, 0.25, 0.31))],
    "P": [((0, 0), (0.19, 0), (0.19, 0.36), (0.36, 0.36), Arc(0.36, 0.68, 0.34, 0.32, -90, 90), (0, 1)),
          hole((0.19, 0.53), (0.36, 0.53), Arc(0.36, 0.68, 0.16, 0.15, -90, 90), (0.19, 0.83))],
    "R": [((0, 0), (0.19, 0), (0.19, 0.36), (0.3, 0.36), (0.5, 0), (0.72, 0), (0.5, 0.39), Arc(0.37, 0.68, 0.33, 0.32, -60, 90), (0, 1)),
          hole((0.19, 0.53), (0.36, 0.53), Arc(0.36, 0.68, 0.16, 0.15, -90, 90), (0.19, 0.83))],
    "S": [ribbon((Arc(0.36, 0.71, 0.27, 0.2, 25, 270), Arc(0.36, 0.3, 0.27, 0.21, 90, -155)), 0.09)],
    "T": [((0.26, 0), (0.45, 0), (0.45, 0.82), (0.71, 0.82), (0.71, 1), (0, 1), (0, 0.82), (0.26, 0.82))],
    "U": [(Arc(0.37, 0.37, 0.37, 0.37, 180, 360), (0.74, 1), (0.55, 1), Arc(0.37, 0.37, 0.18, 0.18, 360, 180), (0.19, 1), (0, 1))],
    "X": [((0, 0), (0.22, 0), (0.4, 0.32), (0.58, 0), (0.8, 0), (0.52, 0.5), (0.8, 1), (0.58, 1), (0.4, 0.68), (0.22, 1), (0, 1),
           (0.28, 0.5))],
    "Y": [((0.3, 0), (0.5, 0), (0.5, 0.42), (0.8, 1), (0.59, 1), (0.4, 0.62), (0.21, 1), (0, 1), (0.3, 0.42))],
    "Z": [((0, 0), (0.7, 0), (0.7, 0.18), (0.26, 0.18), (0.7, 0.84), (0.7, 1), (0, 1), (0, 0.82), (0.44, 0.82), (0, 0.16))],
    "0": [ellipse(0.36, 0.5, 0.36, 0.5), hole(*ellipse(0.36, 0.5, 0.18, 0.32))],
    "8": [(Arc(0.4, 0.28, 0.38, 0.28, 120, 420), Arc(0.4, 0.745, 0.32, 0.255, -50, 230)),
          hole(*ellipse(0.4, 0.27, 0.19, 0.12)), hole(*ellipse(0.4, 0.745, 0.145, 0.105))],
}


def segments(path, resolution):
    """Corner points and arcs to points no farther apart than about the resolution, as integers; none twice."""
    corners = []
    for p in path:
        corners += [(q, isinstance(p, Arc)) for q in (p.points(resolution) if isinstance(p, Arc) else [p])]
    out = []
    for i, (p, curved) in enumerate(corners):
        q, also = corners[(i + 1) % len(corners)]
        n = 1 if curved and also and math.dist(p, q) < 1.5 * resolution else max(1, round(math.dist(p, q) / resolution))
        out += [(p[0] + (q[0] - p[0]) * k / n, p[1] + (q[1] - p[1]) * k / n) for k in range(n)]
    points = [(round(x * UNIT), round(y * UNIT)) for x, y in out]
    return [p for i, p in enumerate(points) if p != points[i - 1]]


def area2(points):
    return sum(points[i - 1][0] * p[1] - p[0] * points[i - 1][1] for i, p in enumerate(points))


def outline(glyph, resolution):
    """Loops of integer points: outer ones counter-clockwise, holes clockwise."""
    loops = []
    for path in GLYPHS[glyph]:
        is_hole = path[0] == "hole"
        loop = segments(path[1:] if is_hole else path, resolution)
        if (area2(loop) < 0) != is_hole:
            loop.reverse()
        loops.append(loop)
    return loops


# ---- triangles of a polygon with holes; points are integers, signs are exact ----

def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def on_segment(a, b, p):
    return turn(a, b, p) == 0 and min(a[0], b[0]) <= p[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])


def crosses(a, b, c, d):
    """Have two closed segments a point in common?"""
    s, t, u, v = turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)
    if ((s > 0 > t) or (s < 0 < t)) and ((u > 0 > v) or (u < 0 < v)):
        return True
    return on_segment(a, b, c) or on_segment(a, b, d) or on_segment(c, d, a) or on_segment(c, d, b)


def in_cone(p, polygon, i, q):
    """Does the segment from corner i to q start into the polygon?"""
    a, b, c = p[polygon[i - 1]], p[polygon[i]], p[polygon[(i + 1) % len(polygon)]]
    if turn(a, b, c) > 0:
        return turn(a, b, q) > 0 and turn(b, c, q) > 0
    return not (turn(a, b, q) <= 0 and turn(b, c, q) <= 0)


def bridge(p, polygon, inner):
    """The hole `inner` becomes part of the polygon by the shortest bridge that meets no edge."""
    loops = [polygon, inner]
    edges = [(loop[k - 1], loop[k]) for loop in loops for k in range(len(loop))]
    best = None
    for i, a in enumerate(polygon):
        for j, b in enumerate(inner):
            d = (p[a][0] - p[b][0]) ** 2 + (p[a][1] - p[b][1]) ** 2
            if best and best[0] <= d:
                continue
            if not in_cone(p, polygon, i, p[b]) or not in_cone(p, inner, j, p[a]):
                continue
            if any(a not in e and b not in e and crosses(p[a], p[b], p[e[0]], p[e[1]]) for e in edges):
                continue
            best = (d, i, j)
    if not best:
        raise ValueError("no bridge to a hole")
    _, i, j = best
    return polygon[:i + 1] + inner[j:] + inner[:j + 1] + polygon[i:]


def clip_ears(p, polygon):
    """Triangles of a polygon without holes; corners may be repeated by bridges."""
    polygon, out, i = list(polygon), [], 0
    tries = 0
    while len(polygon) > 3:
        n = len(polygon)
        a, b, c = polygon[i % n - 1], polygon[i % n], polygon[(i + 1) % n]
        ear = turn(p[a], p[b], p[c]) > 0
        if ear:
            for v in polygon:
                if v not in (a, b, c) and turn(p[a], p[b], p[v]) >= 0 and turn(p[b], p[c], p[v]) >= 0 and turn(p[c], p[a], p[v]) >= 0:
                    ear = False
                    break
        if ear:
            out.append((a, b, c))
            del polygon[i % n]
            tries = 0
        else:
            tries += 1
            if tries > n:
                raise ValueError("no ear is left")
        i = i % n + 1
    out.append(tuple(polygon))
    return out


def in_circle(a, b, c, d):
    """Is d inside of the circle around the counter-clockwise a, b, c?"""
    m = [(q[0] - d[0], q[1] - d[1]) for q in (a, b, c)]
    s = [x * x + y * y for x, y in m]
    return (m[0][0] * (m[1][1] * s[2] - s[1] * m[2][1]) - m[0][1] * (m[1][0] * s[2] - s[1] * m[2][0]) +
            s[0] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])) > 0


def flip_edges(p, triangles, fixed):
    """Lawson's flips: the constrained Delaunay triangulation. fixed: edges of the outline, as (low, high)."""
    third = {}
    for a, b, c in triangles:
        third[a, b], third[b, c], third[c, a] = c, a, b
    stack = sorted((a, b) for a, b in third if a < b)
    while stack:
        a, b = stack.pop()
        if (min(a, b), max(a, b)) in fixed or (a, b) not in third or (b, a) not in third:
            continue
        c, d = third[a, b], third[b, a]
        if not in_circle(p[a], p[b], p[c], p[d]) or turn(p[d], p[b], p[c]) <= 0 or turn(p[c], p[a], p[d]) <= 0:
            continue
        del third[a, b], third[b, a]
        third[d, b], third[b, c], third[c, d] = c, d, b
        third[c, a], third[a, d], third[d, c] = d, c, a
        stack += [(a, d), (d, b), (b, c), (c, a)]
    return sorted((a, b, c) for (a, b), c in third.items() if a < b and a < c)


def split(p, triangles, v):
    """Puts point v into the triangle that holds it; 0: it lies on an edge."""
    for i, (a, b, c) in enumerate(triangles):
        s = (turn(p[a], p[b], p[v]), turn(p[b], p[c], p[v]), turn(p[c], p[a], p[v]))
        if min(s) > 0:
            triangles[i:i + 1] = [(a, b, v), (b, c, v), (c, a, v)]
            return True
        if min(s) == 0:
            return False
    return False


def inner_points(loops, step):
    """Points of a hexagonal grid inside and not near the outline."""
    xs, ys = [q[0] for loop in loops for q in loop], [q[1] for loop in loops for q in loop]
    edges = [(loop[k - 1], loop[k]) for loop in loops for k in range(len(loop))]
    out, row, y = [], 0, min(ys) + step // 2
    while y < max(ys):
        x = min(xs) + (step // 2 if row % 2 else step)
        while x < max(xs):
            inside, near = False, False
            for a, b in edges:
                if (a[1] > y) != (b[1] > y) and (turn(a, b, (x, y)) > 0) == (b[1] > a[1]):
                    inside = not inside
                d = (b[0] - a[0], b[1] - a[1])
                t = max(0.0, min(1.0, ((x - a[0]) * d[0] + (y - a[1]) * d[1]) / float(d[0] * d[0] + d[1] * d[1])))
                near = near or math.hypot(a[0] + t * d[0] - x, a[1] + t * d[1] - y) < 0.6 * step
            if inside and not near:
                out.append((x, y))
            x += step
        y += int(0.866 * step)
        row += 1
    return out


def triangulate(loops, step):
    """Points, triangles and loops as numbers of points; the loops' points come first."""
    points, numbers = [], []
    for loop in loops:
        numbers.append(list(range(len(points), len(points) + len(loop))))
        points += loop
    edges = [(a[k - 1], a[k]) for a in numbers for k in range(len(a))]
    for i, e in enumerate(edges):
        for f in edges[:i]:
            if not set(e) & set(f) and crosses(points[e[0]], points[e[1]], points[f[0]], points[f[1]]):
                raise ValueError("the outline crosses itself near %s" % (points[e[0]],))
    polygon = numbers[0]
    for inner in sorted(numbers[1:], key=lambda a: -max(points[v][0] for v in a)):
        polygon = bridge(points, polygon, inner)
    triangles = clip_ears(points, polygon)
    for q in inner_points(loops, step):
        for shift in range(5):
            points.append((q[0] + 7 * shift, q[1] + 13 * shift))
            if split(points, triangles, len(points) - 1):
                break
            points.pop()
    triangles = flip_edges(points, triangles, {(min(e), max(e)) for e in edges})
    if sum(area2([points[v] for v in t]) for t in triangles) != sum(area2(loop) for loop in loops):
        raise ValueError("the triangles do not fill the outline")
    if min(area2([points[v] for v in t]) for t in triangles) <= 0:
        raise ValueError("a triangle is flat or turned")
    return points, triangles, numbers


# ---- solids ----

def extrude(glyph, height, depth, resolution):
    """Front and back cap, and walls between them."""
    points, cap, loops = triangulate(outline(glyph, resolution / height), max(1, round(resolution / height * UNIT)))
    x0, x1 = min(p[0] for p in points), max(p[0] for p in points)
    flat = [((p[0] - (x0 + x1) / 2.0) / UNIT * height, (p[1] / float(UNIT) - 0.5) * height) for p in points]
    n, layers = len(points), max(1, round(depth / resolution))
    vertices = [(x, y, depth / 2) for x, y in flat] + [(x, y, -depth / 2) for x, y in flat]
    triangles = list(cap) + [(n + a, n + c, n + b) for a, b, c in cap]
    rim = sum(len(loop) for loop in loops)

    def number(v, layer):
        """A point of the outline on a layer: 0 in front, `layers` at the back."""
        return v if layer == 0 else (n + v if layer == layers else 2 * n + (layer - 1) * rim + v)

    for layer in range(1, layers):
        vertices += [(flat[v][0], flat[v][1], depth / 2 - depth * layer / layers) for v in range(rim)]
    for loop in loops:
        for k in range(len(loop)):
            for layer in range(layers):
                a, b = number(loop[k - 1], layer), number(loop[k], layer)
                c, d = number(loop[k - 1], layer + 1), number(loop[k], layer + 1)
                triangles += [(a, c, b), (b, c, d)] if (k + layer) % 2 else [(a, c, d), (a, d, b)]
    return vertices, triangles


def revolve(profile, around, squash):
    """A closed surface around the y axis: profile from the bottom up, (radius, y); poles at both ends. z is scaled by squash."""
    vertices = [(0.0, profile[0][1], 0.0)]
    for r, y in profile:
        for i in range(around):
            w = 2 * math.pi * i / around
            vertices.append((r * math.cos(w), y, squash * r * math.sin(w)))
    vertices.append((0.0, profile[-1][1], 0.0))
    triangles, last = [], len(vertices) - 1
    for i in range(around):
        j = (i + 1) % around
        triangles += [(0, 1 + i, 1 + j), (last, last - around + j, last - around + i)]
        for k in range(len(profile) - 1):
            a, b, c, d = 1 + k * around + i, 1 + k * around + j, 1 + (k + 1) * around + i, 1 + (k + 1) * around + j
            triangles += [(a, c, b), (b, c, d)] if (i + k) % 2 else [(a, c, d), (a, d, b)]
    return vertices, triangles


SQUASH = 0.85  # depth over width of the figure and of the skirt


def smooth(knots, y):
    """A curve through (y, radius): cubic with the slopes of neighbours (Catmull-Rom)."""
    k = max(i for i in range(len(knots) - 1) if i == 0 or knots[i][0] <= y)
    (y0, r0), (y1, r1) = knots[k], knots[k + 1]

    def slope(i):
        a, b = knots[max(i - 1, 0)], knots[min(i + 1, len(knots) - 1)]
        return (b[1] - a[1]) / (b[0] - a[0])

    h = y1 - y0
    t = (y - y0) / h
    return (r0 * (1 + 2 * t) * (1 - t) ** 2 + r1 * t * t * (3 - 2 * t) + slope(k) * h * t * (1 - t) ** 2 + slope(k + 1) * h * t * t * (t - 1))


def figure(around=40, rings=40):
    """Thighs, hips, waist and chest in one."""
    knots = [(0.45, 0.12), (0.65, 0.15), (0.85, 0.175), (1.05, 0.125), (1.2, 0.14), (1.35, 0.155)]
    profile = []
    for i in range(rings + 1):
        y = 0.45 + 0.9 * i / rings
        profile.append((smooth(knots, y), y))
    # ends are rounded by two rings each
    profile = [(0.05, 0.43), (0.09, 0.435)] + profile + [(0.11, 1.37), (0.06, 1.375)]
    return revolve(profile, around, SQUASH)


def skirt(layers, around, down, gap=0.006):
    """Layers of cones around the figure: waist at y = 1.04, hem at 0.5; layer 0 is the inner one. Triangles face outward."""
    vertices, triangles, per = [], [], around * down
    for layer in range(layers):
        for k in range(down):
            t = k / float(down - 1)
            # a waistband that goes over into the flare
            r = 0.135 + 0.25 * (t * t / (t + 0.12) * 1.12) + gap * layer * (1 + t)
            for i in range(around):
                w = 2 * math.pi * (i + 0.5 * (layer % 2)) / around
                vertices.append((r * math.cos(w), 1.04 - 0.54 * t, SQUASH * r * math.sin(w)))
        for k in range(down - 1):
            for i in range(around):
                a, b = layer * per + k * around + i, layer * per + k * around + (i + 1) % around
                c, d = a + around, b + around
                triangles += [(a, b, c), (b, d, c)] if (i + k) % 2 else [(a, b, d), (a, d, c)]
    return vertices, triangles


def box(size, cells):
    """A box centred at the origin, its sides cut into cells."""
    index, vertices, triangles = {}, [], []

    def number(*at):
        if at not in index:
            index[at] = len(vertices)
            vertices.append(tuple(size[k] * (at[k] / float(cells[k]) - 0.5) for k in range(3)))
        return index[at]

    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        for end in (0, cells[axis]):
            for i in range(cells[b]):
                for j in range(cells[c]):
                    q = []
                    for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        at = [0, 0, 0]
                        at[axis], at[b], at[c] = end, i + di, j + dj
                        q.append(number(*at))
                    if end == 0:
                        q.reverse()
                    triangles += [(q[0], q[1], q[2]), (q[0], q[2], q[3])]
    return vertices, triangles


# ---- checks and files ----

def volume(vertices, triangles):
    total = 0.0
    for t in triangles:
        a, b, c = (vertices[v] for v in t)
        total += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
    return total


def check_closed(name, vertices, triangles):
    """Every directed edge once, with its opposite; one fan of triangles at every vertex; positive volume."""
    edges = {}
    for t in triangles:
        for k in range(3):
            e = (t[k], t[(k + 1) % 3])
            if e in edges:
                raise ValueError("%s: edge %d %d is there twice" % (name, e[0], e[1]))
            edges[e] = t[(k + 2) % 3]
    for a, b in edges:
        if (b, a) not in edges:
            raise ValueError("%s: edge %d %d has one triangle" % (name, a, b))
    degree = [0] * len(vertices)
    for a, _ in edges:
        degree[a] += 1
    start = {}
    for a, b in edges:
        start[a] = b
    for v, n in enumerate(degree):
        if n == 0:
            raise ValueError("%s: vertex %d is not used" % (name, v))
        b, around = start[v], 0
        while around <= n:
            b, around = edges[v, b], around + 1
            if b == start[v]:
                break
        if around != n:
            raise ValueError("%s: more than one fan at vertex %d" % (name, v))
    if volume(vertices, triangles) <= 0:
        raise ValueError("%s: its volume is not positive" % name)


def least_angle(vertices, triangles):
    least = 180.0
    for t in triangles:
        for k in range(3):
            a, b, c = (vertices[t[(k + j) % 3]] for j in range(3))
            u, v = [b[i] - a[i] for i in range(3)], [c[i] - a[i] for i in range(3)]
            dot = sum(u[i] * v[i] for i in range(3)) / (math.hypot(*u) * math.hypot(*v))
            least = min(least, math.degrees(math.acos(max(-1.0, min(1.0, dot)))))
    return least


def write_obj(path, comment, vertices, triangles):
    with open(path, "w", newline="\n") as f:
        f.write("# %s\n" % comment)
        for v in vertices:
            f.write("v %.7g %.7g %.7g\n" % tuple(x if abs(x) > 1e-12 else 0.0 for x in v))
        for t in triangles:
            f.write("f %d %d %d\n" % tuple(v + 1 for v in t))


def meshes(a):
    """(name, comment, vertices, triangles, closed) of everything that is asked for."""
    if a.only in (None, "letters"):
        for g in a.glyphs:
            yield ("letter_" + g, "the letter %s, %g high, %g deep" % (g, a.height, a.depth)) + extrude(g, a.height, a.depth, a.resolution) + (True,)
    if a.only in (None, "skirt"):
        about = "skirt, %d layer(s) of %d vertices around by %d rings; the first %d of a layer are its waist"
        yield ("skirt", about % (a.layers, a.around, a.down, a.around)) + skirt(a.layers, a.around, a.down) + (False,)
        v, t = skirt(a.layers, a.around, a.down)
        per, faces = a.around * a.down, len(t) // a.layers
        for k in range(a.layers):
            yield ("skirt_%d" % k, about % (1, a.around, a.down, a.around), v[k * per:(k + 1) * per],
                   [tuple(i - k * per for i in f) for f in t[k * faces:(k + 1) * faces]], False)
    if a.only in (None, "figure"):
        yield ("figure", "thighs, hips, waist and chest around the y axis") + figure() + (True,)
    if a.only in (None, "boxes"):
        yield ("box", "box of size 1") + box((1, 1, 1), (2, 2, 2)) + (True,)
        yield ("wall", "wall, 2 wide, 1 high, 0.1 deep") + box((2, 1, 0.1), (10, 5, 1)) + (True,)
        yield ("slab", "slab, 2 by 0.1 by 2") + box((2, 0.1, 2), (10, 1, 10)) + (True,)


def main(argv=None):
    p = argparse.ArgumentParser(description="meshes for scenes")
    p.add_argument("--out", required=True)
    p.add_argument("--glyphs", default="".join(GLYPHS))
    p.add_argument("--height", type=float, default=1.0)
    p.add_argument("--depth", type=float, default=0.2)
    p.add_argument("--resolution", type=float, default=0.085)
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--around", type=int, default=70)
    p.add_argument("--down", type=int, default=40)
    p.add_argument("--only", choices=["letters", "skirt", "figure", "boxes"])
    p.add_argument("--quiet", action="store_true")
    a = p.parse_args(argv)
    for g in a.glyphs:
        if g not in GLYPHS:
            p.error("no outline for '%s'; there are %s" % (g, "".join(GLYPHS)))
    if not (a.height > 0 and a.depth > 0 and a.resolution > 0) or a.layers < 1 or a.around < 3 or a.down < 2:
        p.error("sizes have to be positive; layers >= 1, around >= 3, down >= 2")
    os.makedirs(a.out, exist_ok=True)
    for name, comment, vertices, triangles, closed in meshes(a):
        if closed:
            check_closed(name, vertices, triangles)
        write_obj(os.path.join(a.out, name + ".obj"), comment, vertices, triangles)
        if not a.quiet:
            print("%-9s %6d vertices %6d triangles  least angle %4.1f" % (name, len(vertices), len(triangles), least_angle(vertices, triangles)) +
                  ("  volume %.4f" % volume(vertices, triangles) if closed else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
