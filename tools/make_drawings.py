#!/usr/bin/env python3
"""make_drawings.py -- the drawings of docs/chapters: contact, cone, rounds, sweeps, faces, barrier, layers, corrections, move-back, anchor.

usage: python3 tools/make_drawings.py [--out docs/chapters]
Every curve is computed from the equation of its chapter. Standard library only; the same bytes in every run.
"""
import argparse
import math
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INK, BLUE, RED, GREEN, GREY, PALE = "#222222", "#2f6db3", "#c0392b", "#2e8b57", "#8a8a8a", "#dfe7ef"


class Drawing:
    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def add(self, text):
        self.parts.append("  " + text)

    def path(self, points, color=INK, width=2, fill="none", dash="", closed=False):
        d = "M" + " L".join("%.1f %.1f" % p for p in points) + (" Z" if closed else "")
        self.add('<path d="%s" stroke="%s" stroke-width="%g" fill="%s"%s/>' % (d, color, width, fill, ' stroke-dasharray="%s"' % dash if dash else ""))

    def area(self, points, fill=PALE, color=INK):
        self.path(points, color, 1.5, fill, closed=True)

    def dot(self, x, y, color=INK, r=4):
        self.add('<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"/>' % (x, y, r, color))

    def text(self, x, y, s, color=INK, anchor="start", size=14):
        self.add('<text x="%.1f" y="%.1f" fill="%s" font-size="%d" text-anchor="%s">%s</text>' % (x, y, color, size, anchor, s))

    def arrow(self, a, b, color=INK, width=2, dash=""):
        """From a to b, with a head."""
        length = math.hypot(b[0] - a[0], b[1] - a[1])
        u = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
        back = (b[0] - 9 * u[0], b[1] - 9 * u[1])
        self.path([a, back], color, width, dash=dash)
        self.area([b, (back[0] - 4 * u[1], back[1] + 4 * u[0]), (back[0] + 4 * u[1], back[1] - 4 * u[0])], color, color)

    def write(self, path):
        w, h = self.size
        head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif">' % (w, h, w, h)
        with open(path, "w") as f:
            f.write("\n".join([head, "  <title>%s</title>" % self.title, '  <rect width="%d" height="%d" fill="white"/>' % (w, h)] + self.parts + ["</svg>", ""]))


def blob(cx, cy, rx, ry, wobble=0.0, n=60):
    return [(cx + rx * math.cos(t) * (1 + wobble * math.cos(3 * t)), cy + ry * math.sin(t)) for t in (2 * math.pi * i / n for i in range(n))]


def contact(out):
    d = Drawing(560, 300, "A contact: the closest points of two surfaces, the normal between them, the gap, and weights on the nodes around")
    d.area([(40, 230), (520, 230), (520, 290), (40, 290)])
    d.area([(160, 30), (300, 60), (255, 180)], "#f3e3cf")
    d.dot(255, 180, RED)
    d.dot(255, 230, RED)
    d.path([(255, 180), (255, 230)], GREY, 1, dash="4 3")
    d.arrow((255, 230), (255, 140), BLUE, 2.5)
    d.text(263, 150, "n, the normal", BLUE)
    d.text(268, 212, "gap g = n . (x_a - x_b) - thickness", INK)
    d.arrow((255, 230), (345, 230), GREEN, 2.5)
    d.text(350, 248, "t, a tangent", GREEN)
    for x, label, anchor in ((80, "weight .64", "start"), (480, "weight .36", "end")):
        d.dot(x, 230)
        d.text(x, 262, label, INK, anchor, 13)
    d.text(180, 28, "body a", INK)
    d.text(46, 284, "body b", INK)
    d.write(out)


def cone(out):
    d = Drawing(620, 260, "Coulomb's cone: three states of a contact: open, sticking, sliding")
    for k, (label, r, u) in enumerate((("open: r = 0, u_n > 0", None, (0.25, 1.0)), ("sticks: u = 0, r inside", (0.22, 0.85), None),
                                       ("slides: r on the cone, against u", (0.55, 0.92), (-1.0, 0.0)))):
        x, y = 105 + 205 * k, 200
        d.area([(x, y), (x - 84, y - 140), (x + 84, y - 140)], PALE, GREY)
        d.path([(x - 95, y), (x + 95, y)])
        d.path([(x, y), (x, y - 150)], GREY, 1, dash="4 3")
        if r:
            d.arrow((x, y), (x + 150 * r[0], y - 150 * r[1]), BLUE, 2.5)
            d.text(x + 75 * r[0] + 10, y - 75 * r[1] + 12, "r", BLUE)
        if u:
            d.arrow((x, y), (x + 80 * u[0], y - 80 * u[1]), RED, 2.5)
            d.text(x + 80 * u[0] + 6, y - 80 * u[1] - (8 if u[1] == 0 else 0), "u", RED)
        if not r:
            d.dot(x, y, BLUE)
        if not u:
            d.dot(x, y, RED)
        d.text(x, 238, label, INK, "middle", 13)
    d.text(12, 40, "half width: mu", GREY, size=13)
    d.write(out)


def rounds(out):
    d = Drawing(640, 230, "Constraint manifold refinement: the free motion crosses a corner, detection adds a contact, the next solve goes around")
    labels = ("1. motion without contacts", "2. detection: a new contact", "3. solved again: free")
    for k, label in enumerate(labels):
        x = 20 + 210 * k
        d.area([(x, 180), (x + 95, 180), (x + 115, 90), (x + 135, 180), (x + 190, 180), (x + 190, 200), (x, 200)])
        start, free = (x + 30, 60), (x + 165, 165)
        hit = (x + 111.5, 123.4 - 16)
        d.dot(start[0], start[1])
        if k < 2:
            d.arrow(start, free, RED if k == 0 else GREY, 2, "5 3" if k else "")
        if k == 1:
            d.dot(x + 109, 121, RED, 5)
            d.arrow((x + 109, 121), (x + 66, 111), BLUE, 2.5)
            d.text(x + 56, 103, "n", BLUE)
        if k == 2:
            d.arrow(start, (x + 92, 160), GREEN, 2.5)
        d.text(x + 95, 222, label, INK, "middle", 13)
        del hit
    d.write(out)


def sweeps(out):
    """Projected Gauss-Seidel on lambda >= 0, two contacts: B lambda = c, one multiplier after the other."""
    B, c = ((2.0, 1.3), (1.3, 2.0)), (3.2, 2.9)
    d = Drawing(520, 360, "Gauss-Seidel on two contacts: one multiplier after the other goes to its own line, never below zero")
    ox, oy, s = 60, 310, 170

    def at(l):
        return ox + s * l[0], oy - s * l[1]
    d.arrow((ox, oy), (ox + 440, oy))
    d.arrow((ox, oy), (ox, 20))
    d.text(ox + 440, oy + 24, "lambda 1", INK, "end")
    d.text(ox + 8, 30, "lambda 2")
    d.path([at((c[0] / B[0][0] - B[0][1] / B[0][0] * y, y)) for y in (0, 1.6)], BLUE, 1.5)
    d.path([at((x, c[1] / B[1][1] - B[1][0] / B[1][1] * x)) for x in (0, 2.1)], GREEN, 1.5)
    d.text(at((0.72, 1.4))[0], at((0.72, 1.4))[1], "contact 1 stops: u_1 = 0", BLUE, size=13)
    d.text(at((1.7, 0.42))[0], at((1.7, 0.42))[1], "contact 2 stops", GREEN, size=13)
    l, way = [0.0, 0.0], [at((0, 0))]
    for _ in range(7):
        for i in (0, 1):
            l[i] = max(0.0, l[i] + (c[i] - B[i][0] * l[0] - B[i][1] * l[1]) / B[i][i])
            way.append(at(l))
    d.path(way, RED, 2)
    for p in way[:7]:
        d.dot(p[0], p[1], RED, 3)
    d.text(way[0][0] + 8, way[0][1] - 8, "start", RED, size=13)
    d.text(way[-1][0] - 12, way[-1][1] - 40, "both", RED, "end", 13)
    d.write(out)


def faces(out):
    """MPRGP on a box in the plane: the gradient splits where a bound is active."""
    d = Drawing(560, 300, "MPRGP: at a face the gradient splits into a free part along it and a chopped part that leaves it")
    ox, oy = 70, 240
    d.area([(ox, oy), (520, oy), (520, 40), (ox, 40)], "#eef4ea", GREY)
    for r in (22, 44, 66, 88, 110):
        d.path(blob(330, 275, 2.1 * r, 0.75 * r), GREY, 0.8)
    d.add('<rect x="0" y="242" width="560" height="58" fill="white"/>')
    d.path([(ox, oy), (520, oy)], INK, 2.5)
    d.text(ox + 4, oy + 22, "x_2 = 0, a bound: here a contact touches", size=13)
    p = (160, oy)
    d.dot(p[0], p[1], RED, 5)
    d.arrow(p, (245, oy), BLUE, 3)
    d.text(180, oy - 12, "free: move along the face", BLUE, size=13)
    q = (300, 110)
    d.dot(q[0], q[1], RED, 5)
    d.arrow(q, (316, 185), GREEN, 3)
    d.text(326, 140, "inside: conjugate gradients", GREEN, size=13)
    d.arrow((316, 185), (326, oy), GREEN, 3, "5 3")
    d.text(334, 216, "cut at the face: expansion", size=13)
    d.arrow((100, oy), (100, 190), RED, 3)
    d.text(86, 180, "chopped: let go (proportioning)", RED, size=13)
    d.write(out)


def barrier(out):
    d = Drawing(560, 320, "The barrier b(d) = -(d - h)^2 ln(d / h) beside a penalty spring")
    ox, oy, sx, sy = 60, 270, 400, 520
    d.arrow((ox, oy), (ox + 470, oy))
    d.arrow((ox, oy), (ox, 20))
    d.text(ox + 470, oy + 24, "distance d", INK, "end")
    d.text(ox + 8, 30, "energy")
    d.path([(ox + sx, oy), (ox + sx, oy - 30)], GREY, 1, dash="4 3")
    d.text(ox + sx - 14, oy + 20, "h")
    b = [(ox + sx * t, oy - sy * -(t - 1) ** 2 * math.log(t) / 1.0) for t in (i / 300 for i in range(1, 301))]
    d.path([p for p in b if p[1] > 30], BLUE, 2.5)
    d.text(ox + 165, 60, "barrier: no end at 0, so nothing gets through", BLUE, size=13)
    d.path([(ox + sx * t, oy - sy * 0.18 * (1 - t) ** 2) for t in (i / 100 for i in range(101))], RED, 2.5)
    d.text(ox + 12, oy - 14, "spring: finite at 0", RED, size=13)
    d.write(out)


def layers(out):
    """Force of all layers of the stack: thickness l^-1/4, stiffness l^3 (layers_law.c)."""
    d = Drawing(560, 330, "Layers: springs that begin nearer and nearer and are stiffer and stiffer; the sum has no bound")
    ox, oy, sx, sy = 60, 280, 430, 40
    d.arrow((ox, oy), (ox + 480, oy))
    d.arrow((ox, oy), (ox, 20))
    d.text(ox + 480, oy + 38, "distance", INK, "end")
    d.text(ox + 8, 30, "force")
    for l in range(1, 7):
        x = ox + sx * l ** -0.25
        d.path([(x, oy), (x, oy + 6)], INK, 1)
        d.text(x, oy + 20, str(l), INK, "middle", 12)
    for l in range(1, 6):
        line = [(ox + sx * s, oy - sy * l ** 3 * (l ** -0.25 - s)) for s in (l ** -0.25, l ** -0.25 - min(0.24, 5.8 / l ** 3))]
        d.path(line, GREY, 1.2)
    total = []
    for i in range(400):
        s = 1 - 0.45 * i / 400
        f = sum(l ** 3 * (l ** -0.25 - s) for l in range(1, 40) if l ** -0.25 > s)
        if oy - sy * f > 30:
            total.append((ox + sx * s, oy - sy * f))
    d.path(total, BLUE, 2.5)
    d.text(70, 60, "sum of all layers", BLUE)
    d.text(70, 250, "each layer alone", GREY)
    d.write(out)


def corrections(out):
    d = Drawing(620, 230, "A correction: a pair that is too near is parted, each vertex by its weight over its mass")
    for k, (gap, label) in enumerate(((16, "before: nearer than the thickness"), (62, "after: at the thickness"))):
        x, y = 40 + 300 * k, 150 + (16 if k else 0)
        up = y - gap
        ends = (y, y - (0 if not k else 0))
        d.path([(x, ends[0]), (x + 230, ends[1])], INK, 3)
        d.dot(x, y)
        d.dot(x + 230, y)
        d.dot(x + 90, up, BLUE, 5)
        d.path([(x + 90, up), (x + 90, y)], GREY, 1, dash="4 3")
        if not k:
            d.arrow((x + 90, up - 4), (x + 90, up - 44), RED, 2.5)
            d.arrow((x, y + 4), (x, y + 34), RED, 2.5)
            d.arrow((x + 230, y + 4), (x + 230, y + 22), RED, 2.5)
            d.text(x + 98, up - 30, "S = 1", RED, size=13)
            d.text(x + 8, y + 30, "S = -.61", RED, size=13)
            d.text(x + 170, y + 38, "S = -.39", RED, size=13)
        d.text(x + 115, 216, label, INK, "middle", 13)
    d.write(out)


def moveback(out):
    d = Drawing(620, 230, "Move-back: a node that has penetrated is put onto the surface along its normal, then accelerations must not lead inside")
    for k, label in enumerate(("penetrated after a step", "moved back along n", "force until d'' is not negative")):
        x = 20 + 205 * k
        d.area([(x, 130), (x + 180, 130), (x + 180, 190), (x, 190)])
        y = 156 if k == 0 else 130
        d.path([(x + 50, 60), (x + 90, y), (x + 130, 60)], INK, 2, "#f3e3cf")
        d.dot(x + 90, y, RED, 5)
        if k == 1:
            d.arrow((x + 90, 156), (x + 90, 134), BLUE, 2.5)
            d.text(x + 98, 158, "n", BLUE)
        if k == 2:
            d.arrow((x + 82, 130), (x + 82, 82), GREEN, 2.5)
            d.text(x + 58, 100, "f", GREEN)
            d.arrow((x + 98, 130), (x + 98, 172), GREY, 2, "5 3")
            d.text(x + 106, 168, "d'' without f", GREY, size=12)
        d.text(x + 90, 214, label, INK, "middle", 13)
    d.write(out)


def anchor(out):
    d = Drawing(560, 240, "The anchor: a spring to the place where the contact began, dragged along beyond mu times the normal force")
    d.path([(30, 180), (530, 180)], INK, 3)
    for k, (x0, slip, label) in enumerate(((60, 62, "holds: k s is below mu f_n"), (300, 96, "slides: the anchor follows"))):
        d.area([(x0 + slip - 30, 120), (x0 + slip + 50, 120), (x0 + slip + 50, 178), (x0 + slip - 30, 178)], "#f3e3cf")
        d.dot(x0, 180, RED, 5)
        d.text(x0, 202, "a", RED, "middle")
        spring = [(x0 + (slip - 30) * i / 12, 162 + (0 if i in (0, 12) else 6 if i % 2 else -6)) for i in range(13)]
        d.path([(x0, 180)] + spring, BLUE, 2)
        d.arrow((x0 + slip + 10, 100), (x0 + slip + 70, 100), GREY)
        if k:
            d.arrow((x0 - 8, 212), (x0 + 40, 212), RED)
        d.text(x0 + 40, 232, label, INK, "middle", 13)
    d.write(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "chapters"))
    out = parser.parse_args().out
    for draw in (contact, cone, rounds, sweeps, faces, barrier, layers, corrections, moveback, anchor):
        draw(os.path.join(out, draw.__name__ + ".svg"))


if __name__ == "__main__":
    main()
