#!/usr/bin/env python3
"""figures_explicit.py -- the figures of docs/explicit.md: docs/explicit_depths.svg, explicit_penalty.svg, explicit_inside.svg.

usage: python3 tools/figures_explicit.py [--out docs]

Hong, Choi, Lee 2006: their Fig. 5 (penetration of contacts over time, in seven areas), the comparison with penalty forces of their section 1, and
the internal view of two cylinders of section 5. The data are of build/bench/trace_explicit (make build/bench/trace_explicit). Standard library
only.
"""
import argparse
import math
import os
import subprocess
import tempfile

import make_explicit

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TRACE = os.path.join(ROOT, "build", "bench", "trace_explicit")
COLORS = ("#1f5fa8", "#c8501e", "#2f8f4e", "#7a4fa0", "#a08a1c", "#c2447c", "#1fa3a3")
LEGAL, FINE, LEAST = 1e-3, 1e-4, 1e-12
REST = 1e-6  # [edges] above the surface: where contacts are at rest
BIN = 0.01  # [s] of which the deepest penetration of each contact is drawn


def run(*arguments):
    return subprocess.run((TRACE,) + arguments, check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


class Figure:
    """a drawing with axes; x and y are given in their own units"""
    def __init__(self, width, height, x, y, log=False):
        self.size, self.log = (width, height), log
        self.box = (62, 14, width - 14, height - 44)
        self.x, self.y = x, tuple(math.log10(v) for v in y) if log else y
        self.parts = []

    def at(self, x, y):
        y = math.log10(y) if self.log else y
        l, t, r, b = self.box
        return (l + (x - self.x[0]) / (self.x[1] - self.x[0]) * (r - l), b - (y - self.y[0]) / (self.y[1] - self.y[0]) * (b - t))

    def text(self, x, y, words, anchor="middle", color="#222", size=12):
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s" font-size="%d">%s</text>' % (x, y, anchor, color, size, words))

    def axes(self, xs, ys, xname, yname):
        l, t, r, b = self.box
        for v, label in xs:
            p = self.at(v, 10 ** self.y[0] if self.log else self.y[0])
            self.parts.append('<path d="M%.1f %.1fV%.1f" stroke="#ddd"/>' % (p[0], t, b))
            self.text(p[0], b + 15, label)
        for v, label in ys:
            p = self.at(self.x[0], v)
            self.parts.append('<path d="M%.1f %.1fH%.1f" stroke="#ddd"/>' % (l, p[1], r))
            self.text(l - 5, p[1] + 4, label, "end")
        self.parts.append('<path d="M%.1f %.1fV%.1fH%.1f" fill="none" stroke="#222"/>' % (l, t, b, r))
        self.text((l + r) / 2, b + 34, xname)
        self.parts.append('<text transform="translate(14 %.1f) rotate(-90)" text-anchor="middle" fill="#222" font-size="12">%s</text>'
                          % ((t + b) / 2, yname))

    def line(self, points, color, dash="", width=1.5):
        d, last = [], None
        for x, y in points:
            p = "%.1f %.1f" % self.at(x, y)
            if p != last:
                d.append(p)
            last = p
        self.parts.append('<path d="M%s" fill="none" stroke="%s" stroke-width="%g"%s/>'
                          % ("L".join(d), color, width, ' stroke-dasharray="%s"' % dash if dash else ""))

    def dots(self, points, color, size):
        d = "".join("M%.1f %.1fh0" % self.at(x, y) for x, y in points)
        if d:
            self.parts.append('<path d="%s" stroke="%s" stroke-width="%g" stroke-linecap="round"/>' % (d, color, size))

    def write(self, path):
        with open(path, "w") as f:
            f.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif">' % self.size)
            f.write('<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def depths(out):
    """penetration by contact and time before nodes are moved back, in seven areas"""
    held, first, count, deep, deepest, contacts = {}, {}, 0, 0, 0.0, set()
    for line in run("depths"):
        t, area, vertex, depth, is_held, _ = line.split()
        t, depth = float(t), -float(depth)
        away = abs(-depth - REST)
        key = (int(t / BIN), int(area), int(vertex))
        contacts.add(key[1:])
        if int(is_held):
            count, deep = count + 1, deep + (depth > FINE)
            held[key] = max(held.get(key, 0), away)
            deepest = max(deepest, depth)
        else:
            first[key] = max(first.get(key, 0), away)
    f = Figure(760, 420, (0, 0.4), (LEAST, 0.1), log=True)
    f.axes([(v / 10, "%.1f" % (v / 10)) for v in range(5)], [(10.0 ** k, "1e%d" % k) for k in range(-12, 0, 1)], "time [s]",
           "distance from the place of rest [edges]")
    f.line([(0, LEGAL), (0.4, LEGAL)], "#b00", "6 3", 1)
    f.line([(0, FINE), (0.4, FINE)], "#b00", "2 3", 1)
    for a in range(7):
        for found, size in ((held, 2.4), (first, 5)):
            f.dots([((k[0] + 0.1 + 0.12 * a) * BIN, max(d, LEAST)) for k, d in found.items() if k[1] == a + 1 and d > 0 and k[0] < round(0.4 / BIN)],
                   COLORS[a], size)
    f.text(740, f.at(0, LEGAL)[1] - 4, "legal penetration", "end", "#b00")
    f.write(os.path.join(out, "explicit_depths.svg"))
    print("depths: %d vertices and areas, %d held contacts in all steps, %d deeper than 1e-4 edges, the deepest %.2g, at most %.2g from rest; "
          "first touches up to %.2g"
          % (len(contacts), count, deep, deepest, max(held.values()), max(first.values())))


def penalty(out):
    """height of one contact node"""
    curves = [("explicit stepper", run("heights", "explicit"), "#1f5fa8", "")]
    for k, dash in (("100", "2 3"), ("1000", "6 3"), ("10000", "8 2 2 2")):
        curves.append(("penalty, %s N/m" % k, run("heights", "penalty", k), "#c8501e", dash))
    f = Figure(760, 420, (0, 0.2), (-1.3, 2.1))
    f.axes([(v / 20, "%.2f" % (v / 20)) for v in range(5)], [(v / 2, "%.1f" % (v / 2)) for v in range(-2, 5)], "time [s]", "height of a node [mm]")
    for i, (name, lines, color, dash) in enumerate(curves):
        data = [line.split() for line in lines]
        f.line([(float(t), 1e3 * float(y)) for t, y, _ in data if float(t) <= 0.2], color, dash)
        y = 40 + 18 * i
        f.parts.append('<path d="M430 %dH470" stroke="%s" stroke-width="1.5"%s/>' % (y - 4, color, ' stroke-dasharray="%s"' % dash if dash else ""))
        f.text(478, y, "%s: %s steps" % (name, data[-1][2]), "start")
        print("penalty: %s: %s steps in 0.3 s, lowest %.3g mm" % (name, data[-1][2], min(1e3 * float(r[1]) for r in data)))
    f.write(os.path.join(out, "explicit_penalty.svg"))


def volume(p):
    u, v, w = ([q[k] - p[0][k] for k in range(3)] for q in p[1:])
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6


def cut(p, plane):
    """points of a tetrahedron in the plane z = x + plane, in the order of a polygon around their middle; coordinates along and above"""
    s = [q[2] - q[0] - plane for q in p]
    found = []
    for i in range(4):
        for j in range(i):
            if (s[i] < 0) != (s[j] < 0):
                w = s[i] / (s[i] - s[j])
                q = [p[i][k] + w * (p[j][k] - p[i][k]) for k in range(3)]
                found.append(((q[0] + q[2]) / math.sqrt(2), q[1]))
    if len(found) < 3:
        return []
    m = [sum(q[k] for q in found) / len(found) for k in (0, 1)]
    return sorted(found, key=lambda q: math.atan2(q[1] - m[1], q[0] - m[0]))


def inside(out):
    """a section between the axes of two crossed cylinders, elements colored by their change of volume"""
    with tempfile.TemporaryDirectory() as folder:
        mesh = os.path.join(folder, "cylinder.msh")
        make_explicit.cylinder(mesh, 0.02, 0.12, 4, 6)
        lines = run("inside", mesh)
    f = Figure(760, 420, (-0.066, 0.066), (0.02, 0.09))
    at = 0
    for body in range(2):
        n, m = (int(v) for v in lines[at].split())
        nodes = [[float(v) for v in line.split()] for line in lines[at + 1:at + 1 + n]]
        tets = [[int(v) for v in line.split()] for line in lines[at + 1 + n:at + 1 + n + m]]
        at += 1 + n + m
        now, rest = sum(volume([nodes[v][:3] for v in t]) for t in tets), sum(volume([nodes[v][3:] for v in t]) for t in tets)
        ratios = []
        for t in tets:
            p = [nodes[v][:3] for v in t]
            ratio = volume(p) / volume([nodes[v][3:] for v in t])
            ratios.append(ratio)
            polygon = cut(p, 0.0)
            if not polygon:
                continue
            shade = max(-1.0, min(1.0, (ratio - 1) / 0.3))
            base = (150, 190, 235) if body == 0 else (245, 200, 150)
            color = tuple(int(c * (1 + 0.35 * min(shade, 0)) + (255 - c) * 0.6 * max(shade, 0)) for c in base)
            f.parts.append('<path d="M%sZ" fill="#%02x%02x%02x" stroke="#333" stroke-width=".6"/>'
                           % (("L".join("%.1f %.1f" % f.at(*q) for q in polygon),) + color))
        print("inside: volume of cylinder %d: %+.2e; elements from %.2f to %.2f" % (body, now / rest - 1, min(ratios), max(ratios)))
    f.write(os.path.join(out, "explicit_inside.svg"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=os.path.join(ROOT, "docs"))
    out = parser.parse_args().out
    depths(out)
    penalty(out)
    inside(out)


if __name__ == "__main__":
    main()
