#!/usr/bin/env python3
"""test_open.py -- files that a run writes are opened by the programs that they are for: VTU and its series by VTK and meshio, glTF by its
specification, statistics by csv. Positions are those of the frames in OBJ.

Prints a line a check, "ok NAME", "FAILED NAME: why" or "SKIPPED NAME: what is missing"; exit 1 when one failed.
"""
import csv
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
FAILED = []
STEPS, EVERY = 30, 5

# a body of each kind; the jelly's law has a stress in closed form
SCENE = {"name": "mix", "dt": 0.01, "bodies": [
    {"name": "crate", "type": "rigid", "shape": {"box": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}},
     "transform": [{"rotate": [20, 10, 30]}, {"translate": [0, 0.3, 0]}], "angular_velocity": [200, 400, 100]},
    {"name": "jelly", "type": "soft", "shape": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "transform": [{"translate": [0.5, 0.12, 0]}],
     "material": {"model": "neohookean", "young": 2e4, "poisson": 0.3}},
    {"name": "ball", "type": "soft", "surface": "ball.obj", "lattice": 0.1, "transform": [{"translate": [0, 0.3, 1]}]},
    {"name": "sheet", "type": "cloth", "shape": {"grid": {"size": [0.3, 0.3], "cells": [4, 4]}}, "transform": [{"translate": [-0.5, 0.2, 0]}],
     "material": {"model": "membrane"}},
    {"name": "net", "type": "cloth", "shape": {"grid": {"size": [0.3, 0.3], "cells": [2, 2]}}, "transform": [{"translate": [-0.5, 0.2, 1]}]},
    {"name": "rope", "type": "rod", "shape": {"line": {"from": [0, 0.5, 0.5], "to": [0.5, 0.5, 0.5], "count": 6}}},
    {"name": "dust", "type": "points", "shape": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}, "transform": [{"translate": [0, 0.4, -0.5]}]},
    {"name": "arm", "type": "kinematic", "shape": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}, "transform": [{"translate": [1, 0.2, 0.5]}],
     "motion": {"angular": [0, 180, 0], "center": [1.2, 0.2, 0.5]}},
    {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 4}}}]}


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[:600]), flush=True)
    if not ok:
        FAILED.append(name)


def contact(*args):
    p = subprocess.run([CONTACT] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def octahedron(path):
    with open(path, "w") as f:
        f.write("v .15 0 0\nv -.15 0 0\nv 0 .15 0\nv 0 -.15 0\nv 0 0 .15\nv 0 0 -.15\n")
        f.write("".join("f %s\n" % t for t in ("1 3 5", "3 2 5", "2 4 5", "4 1 5", "3 1 6", "2 3 6", "4 2 6", "1 4 6")))


def run(d, kind, *options):
    """the folder of a run with frames of one kind"""
    out = os.path.join(d, kind)
    code, _, err = contact("run", os.path.join(d, "scene.json"), "--out", out, "--frames", kind, "--steps", str(STEPS), "--every", str(EVERY),
                           "--quiet", *options)
    check("run with --frames " + kind, code == 0, err)
    return out


def obj_bodies(path):
    """{name: [[x, y, z]]} of a frame"""
    bodies = {}
    for line in open(path):
        if line.startswith("o "):
            here = bodies.setdefault(line[2:].strip(), [])
        elif line.startswith("v "):
            here.append([float(c) for c in line.split()[1:]])
    return bodies


# ---- VTU, read by VTK and meshio in a Python that has them ----

READ_VTU = r'''
import json, sys, numpy, vtk, meshio
from vtk.util.numpy_support import vtk_to_numpy
out = []
for path in sys.argv[1:]:
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    g = reader.GetOutput()
    m = meshio.read(path)
    points, cells = g.GetPointData(), g.GetCellData()
    array = lambda data, name: vtk_to_numpy(data.GetArray(name))
    types = vtk_to_numpy(g.GetCellTypesArray())
    same = numpy.array_equal(m.points, vtk_to_numpy(g.GetPoints().GetData())) and len(types) == sum(len(c.data) for c in m.cells)
    for name in ("body", "velocity", "contact_impulse"):
        same = same and numpy.array_equal(m.point_data[name].reshape(-1), array(points, name).reshape(-1))
    for name in ("body", "part", "stress"):
        same = same and numpy.array_equal(numpy.concatenate(m.cell_data[name]).reshape(-1), array(cells, name).reshape(-1), equal_nan=True)
    corners = [[g.GetCell(i).GetPointId(k) for k in range(g.GetCell(i).GetNumberOfPoints())] for i in range(g.GetNumberOfCells())]
    stress = array(cells, "stress")
    out.append({"time": g.GetFieldData().GetArray("TimeValue").GetValue(0), "same": bool(same), "points": m.points.tolist(), "types": types.tolist(),
                "body": array(points, "body").tolist(), "velocity": array(points, "velocity").tolist(),
                "impulse": array(points, "contact_impulse").tolist(), "cell_body": array(cells, "body").tolist(),
                "part": array(cells, "part").tolist(), "stress": [None if numpy.isnan(s).any() else s.tolist() for s in stress], "corners": corners})
print(json.dumps(out))
'''


def python_with(*modules):
    """a Python that has the modules, or None"""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import " + ", ".join(modules)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                return python
        except OSError:
            pass
    return None


def cauchy(rest, now, corners, young, poisson):
    """stress of a compressible neo-Hookean tet, mu (F F' - 1) / J + lambda log J / J (Bonet and Wood, ch. 6), as xx yy zz xy yz xz"""
    mu, la = young / 2 / (1 + poisson), young * poisson / (1 + poisson) / (1 - 2 * poisson)
    a = [[rest[corners[k + 1]][i] - rest[corners[0]][i] for k in range(3)] for i in range(3)]
    b = [[now[corners[k + 1]][i] - now[corners[0]][i] for k in range(3)] for i in range(3)]

    def det(m):
        return sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3))
    d = det(a)
    inverse = [[(a[(j + 1) % 3][(i + 1) % 3] * a[(j + 2) % 3][(i + 2) % 3] - a[(j + 1) % 3][(i + 2) % 3] * a[(j + 2) % 3][(i + 1) % 3]) / d
                for j in range(3)] for i in range(3)]
    F = [[sum(b[i][k] * inverse[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    J = det(F)
    s = [[(mu * (sum(F[i][k] * F[j][k] for k in range(3)) - (i == j)) + (i == j) * la * math.log(J)) / J for j in range(3)] for i in range(3)]
    return [s[0][0], s[1][1], s[2][2], s[0][1], s[1][2], s[0][2]]


def check_vtu(d, obj):
    out = run(d, "vtu", "--csv")
    listed = [(float(e.get("timestep")), e.get("file")) for e in xml.etree.ElementTree.parse(out + "/frames.pvd").iter("DataSet")]
    numbers = list(range(0, STEPS + 1, EVERY))
    check("frames.pvd lists the frames with their times", [f for _, f in listed] == ["frame_%05d.vtu" % n for n in numbers] and
          all(abs(t - 0.01 * n) < 1e-7 for (t, _), n in zip(listed, numbers)) and
          sorted(f for f in os.listdir(out) if f.endswith(".vtu")) == [f for _, f in listed], listed)
    python = python_with("vtk", "meshio")
    if not python:
        print("SKIPPED VTU is read: needs the Debian packages python3-vtk9 and python3-meshio")
        return
    p = subprocess.run([python, "-c", READ_VTU] + [os.path.join(out, f) for _, f in listed], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=120)
    check("VTK and meshio read each frame without a word", p.returncode == 0 and not p.stderr, p.stderr.decode())
    frames = json.loads(p.stdout)
    check("VTK and meshio read the same numbers", all(f["same"] for f in frames))
    names = [b["name"] for b in SCENE["bodies"]]
    counts = {n: len(x) for n, x in obj_bodies(obj % 0).items()}
    for f, n in zip(frames, numbers):
        now = obj_bodies(obj % n)
        mine = {name: [x for x, b in zip(f["points"], f["body"]) if names[b] == name] for name in names}
        ok = abs(f["time"] - 0.01 * n) < 1e-7 and all(mine[k][:counts[k]] == now[k] for k in names)
        ok or check("frame %d has the time and the bits of the OBJ frame" % n, False, f["time"])
    check("frames have times and positions of the OBJ frames, bit for bit", ok)
    check_fields(frames[0], frames[-1], names)


def check_fields(first, last, names):
    kinds = {n: sorted(set(t for t, b in zip(last["types"], last["cell_body"]) if names[b] == n)) for n in names}
    want = {"crate": [5], "jelly": [10], "ball": [5, 10], "sheet": [5], "net": [5], "rope": [3], "dust": [1], "arm": [5], "floor": [5]}
    check("cells are tets, triangles, segments and points", kinds == want, kinds)
    have = sorted(set(names[b] for s, b in zip(last["stress"], last["cell_body"]) if s))
    check("stress is there for soft bodies and membranes, NaN elsewhere", have == ["ball", "jelly", "sheet"], have)
    worst, most = 0, 0
    for corners, b, s in zip(last["corners"], last["cell_body"], last["stress"]):
        if names[b] == "jelly":
            want = cauchy(first["points"], last["points"], corners, 2e4, 0.3)
            worst, most = max([worst] + [abs(x - y) for x, y in zip(s, want)]), max([most] + [abs(x) for x in want])
    check("stress is that of the law at the frame's positions", most > 10 and worst < 1e-5 * most, "%g of %g" % (worst, most))
    total = [sum(j[k] for j in last["impulse"]) for k in range(3)]
    jelly = sum(j[1] for j, b in zip(last["impulse"], last["body"]) if names[b] == "jelly")
    check("contact impulses push the jelly up, and are opposite in pairs but for the plane's", jelly > 1e-3 and total[1] > 0, (jelly, total))
    still = [v for v, b in zip(last["velocity"], last["body"]) if names[b] == "floor"]
    arm = max(math.dist(v, [0, 0, 0]) for v, b in zip(last["velocity"], last["body"]) if names[b] == "arm")
    check("velocities are the bodies'", all(v == [0, 0, 0] for v in still) and abs(arm - math.pi * math.dist([0.05 + 0.2, 0.05], [0, 0])) < 0.02, arm)


# ---- glTF: the specification's rules for what is in the file, and the positions it stands for ----

class Glb:
    SIZES = {5121: 1, 5123: 2, 5125: 4, 5126: 4}
    WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}

    def __init__(self, path):
        data = open(path, "rb").read()
        magic, version, length, n, kind = struct.unpack_from("<5I", data)
        self.head = (magic, version, length == len(data), kind, n % 4)
        self.json = json.loads(data[20:20 + n].decode())
        m, kind = struct.unpack_from("<2I", data, 20 + n)
        self.head += (kind, m % 4, 28 + n + m == length)
        self.bytes = data[28 + n:]

    def values(self, number):
        a = self.json["accessors"][number]
        view = self.json["bufferViews"][a["bufferView"]]
        width, size = self.WIDTHS[a["type"]], self.SIZES[a["componentType"]]
        stride = view.get("byteStride", width * size)
        at = view["byteOffset"] + a.get("byteOffset", 0)
        if at % size or a.get("byteOffset", 0) + stride * (a["count"] - 1) + width * size > view["byteLength"]:
            raise ValueError("accessor %d is not in its view" % number)
        return [list(struct.unpack_from("<%d%s" % (width, "f" if a["componentType"] == 5126 else "I"), self.bytes, at + stride * i))
                for i in range(a["count"])]


def turn(q, x):
    """x turned by the quaternion x y z w"""
    u, w = q[:3], q[3]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * c for c in cross(u, x)]
    return [x[i] + w * t[i] + cross(u, t)[i] for i in range(3)]


READ_GLTF = r'''
import json, sys, vtk
from vtk.util.numpy_support import vtk_to_numpy
reader = vtk.vtkGLTFReader()
reader.SetFileName(sys.argv[1])
reader.Update()
points, it = [], reader.GetOutput().NewIterator()
while not it.IsDoneWithTraversal():
    points += vtk_to_numpy(it.GetCurrentDataObject().GetPoints().GetData()).tolist()
    it.GoToNextItem()
print(json.dumps({"animations": reader.GetNumberOfAnimations(), "points": points}))
'''


def check_gltf(d, obj):
    out = run(d, "gltf")
    check("a run with --frames gltf writes one file", sorted(os.listdir(out)) == ["animation.glb", "stats.jsonl", "summary.json"], os.listdir(out))
    g = Glb(out + "/animation.glb")
    check("GLB: head, chunks and their lengths", g.head == (0x46546c67, 2, True, 0x4e4f534a, 0, 0x004e4942, 0, True), g.head)
    j = g.json
    views = j["bufferViews"]
    check("buffer: views lie in it, one after the other", len(j["buffers"]) == 1 and j["buffers"][0]["byteLength"] == len(g.bytes) and
          all(v["byteOffset"] + v["byteLength"] <= w["byteOffset"] for v, w in zip(views, views[1:])) and
          views[-1]["byteOffset"] + views[-1]["byteLength"] == len(g.bytes))
    positions = [p["attributes"]["POSITION"] for m in j["meshes"] for p in m["primitives"]]
    targets = [t["POSITION"] for m in j["meshes"] for p in m["primitives"] for t in p.get("targets", [])]
    inputs = [s["input"] for s in j["animations"][0]["samplers"]]
    bad = []
    for a in positions + targets + inputs:
        x, says = list(zip(*g.values(a))), j["accessors"][a]
        if any(abs(p - min(c)) > 1e-8 or abs(q - max(c)) > 1e-8 for p, q, c in zip(says["min"], says["max"], x)):
            bad.append(a)
    check("accessors of positions and times have their limits", not bad, bad)
    check("indices are below the number of vertices", all(
        max(i[0] for i in g.values(p["indices"])) < j["accessors"][p["attributes"]["POSITION"]]["count"]
        for m in j["meshes"] for p in m["primitives"] if "indices" in p))
    times = [t[0] for t in g.values(inputs[0])]
    check("one clock, in seconds", len(set(inputs)) == 1 and all(abs(t - 0.01 * EVERY * i) < 1e-6 for i, t in enumerate(times)) and
          len(times) == STEPS // EVERY + 1, times)
    check_motion(g, obj, len(times))
    python = python_with("vtk")
    if python:
        p = subprocess.run([python, "-c", READ_GLTF, out + "/animation.glb"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        said = json.loads(p.stdout or "{}")
        first = [x for body in obj_bodies(obj % 0).values() for x in body]
        check("VTK opens the glTF file", p.returncode == 0 and not p.stderr and said["animations"] == 1 and len(said["points"]) == len(first),
              p.stderr.decode())
        check("VTK sees the start where it is", max(min(math.dist(a, b) for b in first) for a in said.get("points", [[1e9] * 3])) < 1e-6)
    else:
        print("SKIPPED VTK opens the glTF file: needs the Debian package python3-vtk9")


def check_motion(g, obj, n):
    """positions of every body in every frame, computed as a viewer does"""
    j = g.json
    tracks = {}
    for c in j["animations"][0]["channels"]:
        tracks[c["target"]["node"], c["target"]["path"]] = g.values(j["animations"][0]["samplers"][c["sampler"]]["output"])
    paths = {j["nodes"][node]["name"]: sorted(p for m, p in tracks if m == node) for node, _ in tracks}
    check("rigid bodies move as nodes, others by targets", paths == {
        "crate": ["rotation", "translation"], "arm": ["rotation", "translation"], "jelly": ["weights"], "ball": ["weights"], "sheet": ["weights"],
        "net": ["weights"], "rope": ["weights"], "dust": ["weights"]}, paths)
    check("quaternions have length 1", all(abs(math.dist(q, [0] * 4) - 1) < 1e-6 for (_, p), t in tracks.items() if p == "rotation" for q in t))
    worst = 0
    for f in range(n):
        now = obj_bodies(obj % (f * EVERY))
        for number, node in enumerate(j["nodes"]):
            p = j["meshes"][node["mesh"]]["primitives"][0]
            x = g.values(p["attributes"]["POSITION"])
            if (number, "weights") in tracks:
                k = len(p["targets"])
                w = [v[0] for v in tracks[number, "weights"][f * k:(f + 1) * k]]
                for t, share in zip(p["targets"], w):
                    x = [[a + share * b for a, b in zip(u, v)] for u, v in zip(x, g.values(t["POSITION"]))] if share else x
            q = tracks.get((number, "rotation"), [node.get("rotation", [0, 0, 0, 1])] * n)[f]
            move = tracks.get((number, "translation"), [node.get("translation", [0, 0, 0])] * n)[f]
            x = [[a + b for a, b in zip(turn(q, v), move)] for v in x]
            worst = max([worst] + [math.dist(a, b) for a, b in zip(x, now[node["name"]])] + [abs(len(x) - len(now[node["name"]]))])
    check("every body is in every frame where the OBJ frame has it", worst < 1e-6, worst)


# ---- statistics ----

def flat(o, prefix=""):
    for k, v in (o.items() if isinstance(o, dict) else zip("xyz", o)):
        name = prefix + ("." if prefix else "") + k
        if isinstance(v, (dict, list)):
            yield from flat(v, name)
        else:
            yield name, v


def check_csv(d):
    lines = [dict(flat(json.loads(s))) for s in open(d + "/vtu/stats.jsonl")]
    rows = list(csv.DictReader(open(d + "/vtu/stats.csv")))
    same = len(rows) == len(lines) == STEPS and all(set(r) == set(s) for r, s in zip(rows, lines))
    for r, s in zip(rows, lines) if same else ():
        for k, v in s.items():
            same = same and (r[k] == "" if v is None else r[k] == v if isinstance(v, str) else float(r[k]) == v)
    check("stats.csv has the numbers of stats.jsonl", same)
    code, _, err = contact("run", d + "/scene.json", "--csv", "--steps", "1")
    check("--csv without --out is refused", code == 1 and "--csv: expected --out DIR" in err, err)


def check_round_trip(d):
    """a frame is the mesh of another scene: VTU with the same bits, glTF within a float"""
    jelly = [b for b in SCENE["bodies"] if b["name"] == "jelly"]
    for kind, name, tolerance in (("vtu", "frame_00003.vtu", 0), ("gltf", "animation.glb", 1e-7)):
        with open(d + "/one.json", "w") as f:
            json.dump({"dt": 0.01, "bodies": jelly}, f)
        code, _, err = contact("run", d + "/one.json", "--steps", "3", "--frames", kind, "--out", d + "/first", "--quiet")
        code2, _, err2 = contact("run", d + "/one.json", "--steps", "3", "--frames", "obj", "--out", d + "/same", "--quiet")
        back = {"type": "soft" if kind == "vtu" else "static", "mesh": "first/" + name}
        with open(d + "/two.json", "w") as f:
            json.dump({"dt": 0.01, "bodies": [back]}, f)
        code3, _, err3 = contact("run", d + "/two.json", "--steps", "0", "--frames", "obj", "--out", d + "/second", "--quiet")
        # glTF begins with the first frame; what comes later are its targets
        want = obj_bodies(d + "/same/frame_0000%d.obj" % (3 if kind == "vtu" else 0))["jelly"] if code2 == 0 else []
        got = obj_bodies(d + "/second/frame_00000.obj")["body0"] if code3 == 0 else []
        worst = max([math.dist(p, q) for p, q in zip(want, got)] + [abs(len(want) - len(got)), 0 if want else 1])
        if kind == "vtu":
            code4, out, _ = contact("check", d + "/first/" + name)
            check("contact check tests the surface of tets", code4 == 0 and "27 vertices, 48 triangles, 0 intersections" in out, out)
        check("round trip of " + kind, code == 0 and worst <= tolerance, (worst, err, err2, err3))


def check_again(d):
    """a shorter run into the same folder leaves no frame of the longer one"""
    for kind, last in (("vtu", "frame_%05d.vtu"), ("gltf", "animation.glb")):
        code, _, err = contact("run", d + "/scene.json", "--out", d + "/" + kind, "--frames", kind, "--steps", "2", "--quiet")
        names = sorted(os.listdir(d + "/" + kind))
        want = [last % i for i in range(3)] + ["frames.pvd"] if kind == "vtu" else [last]
        check("frames of an earlier run are gone: " + kind, code == 0 and names == sorted(want + ["stats.jsonl", "summary.json"]), err or names)


def main():
    with tempfile.TemporaryDirectory(prefix="contact_test_") as d:
        with open(d + "/scene.json", "w") as f:
            json.dump(SCENE, f)
        octahedron(d + "/ball.obj")
        obj = run(d, "obj") + "/frame_%05d.obj"
        check_vtu(d, obj)
        check_gltf(d, obj)
        check_csv(d)
        check_round_trip(d)
        check_again(d)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
