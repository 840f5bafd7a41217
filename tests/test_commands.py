#!/usr/bin/env python3
"""test_commands.py -- contact init, contact import, contact scene, run --set: the schema of scenes has the keys of the reader, no more and no less; scenes
that are made for meshes run; and 25 typical mistakes on the command line, each of which is told with its culprit and its cure.

Prints a line a check, "ok NAME", "FAILED NAME: why" or "SKIPPED NAME: what is missing"; exit 1 when one failed. --mistakes prints their table.
"""
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
FAILED = []


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[:600]), flush=True)
    if not ok:
        FAILED.append(name)


def contact(*args, cwd=None):
    p = subprocess.run([CONTACT] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, timeout=60)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


# ---- the schema ----

# a scene with every object that a scene may have, of each kind one
WHOLE = {
    "dt": 1, "solver_options": {}, "dcd": {}, "barrier": {}, "layers": {}, "geometric": {}, "penalty": {}, "explicit": {},
    "output": {"camera": {"eye": [0, 0, 1]}}, "joints": [{"type": "hinge", "a": "x"}], "stitches": [{"a": ["x", 0], "b": ["x", 0]}],
    "bodies": [
        {"type": "soft", "shape": {"box": {}}, "material": {"damping": {}}, "transform": [{"scale": [1, 1, 1]}], "repeat": {}, "contact": {},
         "filter": {}, "air": {}, "fix": [{"vertices": [0], "motion": {}}, {"vertices": [0], "motion": [{}]}]},
        {"type": "cloth", "shape": {"grid": {}}, "material": {}}, {"type": "rigid", "shape": {"sphere": {}}, "material": {}},
        {"type": "static", "shape": {"plane": {}}}, {"type": "rod", "shape": {"line": {}}, "material": {"damping": {}}},
        {"type": "points", "shape": {"net": {}}, "material": {"damping": {}}}, {"type": "kinematic", "mesh": "x", "motion": {}},
        {"type": "kinematic", "mesh": "x", "motion": [{}]}]}


def objects(value, path=()):
    """the paths of all objects in a value"""
    if isinstance(value, dict):
        yield path
    for k, v in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(v, path + (k,))


def plain(path):
    text = ""
    for k in path:
        text += "[]" if isinstance(k, int) else ("." if text else "") + k
    return text


def reader_keys(d):
    """{path: keys}, as the reader's errors list them"""
    keys = {}
    for path in objects(WHOLE):
        scene = json.loads(json.dumps(WHOLE))
        at = scene
        for k in path:
            at = at[k]
        at["qqqqqqqqqqqq"] = 1
        with open(d + "/keys.json", "w") as f:
            json.dump(scene, f)
        code, _, err = contact("scene", d + "/keys.json")
        said = re.search(r"qqqqqqqqqqqq: unknown key; expected one of: (.*)", err)
        keys.setdefault(plain(path), set()).update(said.group(1).split() if said else ["NOT REFUSED: " + err])
    return keys


def schema_keys(schema, path=""):
    for s in schema.get("anyOf", [schema]):
        if s.get("type") == "object":
            yield path, set(s["properties"])
            for k, v in s["properties"].items():
                yield from schema_keys(v, path + ("." if path else "") + k)
        elif s.get("type") == "array" and "items" in s:
            yield from schema_keys(s["items"], path + "[]")


def check_schema(d):
    code, out, err = contact("scene", "--schema")
    check("contact scene --schema prints JSON", code == 0 and out.startswith("{") and not err, err)
    schema = json.loads(out)
    mine, theirs = {}, reader_keys(d)
    for path, keys in schema_keys(schema):
        mine.setdefault(path, set()).update(keys)
    for path in sorted(set(mine) | set(theirs)):
        if mine.get(path) != theirs.get(path):
            check("the schema's keys are the reader's: " + (path or "the scene"), False, (sorted(mine.get(path, [])), sorted(theirs.get(path, []))))
    check("the schema has the objects and keys of the reader", mine == theirs)
    # what the reader's sources list is there, so that no object is left out on both sides
    source = "".join(open(p).read() for p in glob.glob(os.path.join(ROOT, "tools", "scene*.c")) + [os.path.join(ROOT, "tools", "thin.c")])
    lists = [s for call in re.findall(r'json_in_keys\(([^;{]*)', source) for s in re.findall(r'"([^"]*)"', re.sub(r'"\s*"', "", call))]
    lost = [s for s in lists if s not in mine and not any(set(s.split()) <= keys for keys in mine.values())]
    check("the schema has each list of keys in the sources", len(lists) > 20 and not lost, lost)
    check_validator(d, schema)


VALIDATE = r'''
import json, sys, jsonschema
schema, scenes = json.load(open(sys.argv[1])), sys.argv[2:]
jsonschema.Draft7Validator.check_schema(schema)
v = jsonschema.Draft7Validator(schema)
print(json.dumps([[str(e.message)[:200] for e in v.iter_errors(json.load(open(p)))] for p in scenes]))
'''


def check_validator(d, schema):
    python = next((p for p in (sys.executable, "/usr/bin/python3") if os.path.exists(p) and subprocess.run(
        [p, "-c", "import jsonschema"], stderr=subprocess.DEVNULL).returncode == 0), None)
    if not python:
        print("SKIPPED the schema takes scenes: needs the Debian package python3-jsonschema")
        return
    changes = [{"colour": 1}, {"dt": 0}, {"dt": "a"}, {"gravity": [0, 1]}, {"stepper": "cmrr"}, {"bodies": {}}, {"joints": [{"type": "x"}]},
               {"barrier": {"dhat": -1}}, {"newton_iterations": 1.5}, {"self_collision": 1}, {"solver_options": {"cone": "round"}},
               {"bodies": [{"type": "soft", "material": {"yong": 1}}]}, {"bodies": [{"type": "soft", "material": {"poisson": 0.51}}]},
               {"bodies": [{"type": "soft", "transform": [{"scale": [1, 1]}]}]}, {"explicit": {"refine": 2}}]
    bad = [dict(WHOLE, **c) for c in changes] + [{"bodies": WHOLE["bodies"]}]
    scenes = glob.glob(os.path.join(ROOT, "examples", "scenes", "*.json")) + glob.glob(os.path.join(ROOT, "bench", "scenes", "*.json"))
    with open(d + "/schema.json", "w") as f:
        json.dump(schema, f)
    for i, b in enumerate(bad):
        with open(d + "/bad%d.json" % i, "w") as f:
            json.dump(b, f)
    p = subprocess.run([python, "-c", VALIDATE, d + "/schema.json"] + scenes + [d + "/bad%d.json" % i for i in range(len(bad))],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    check("jsonschema takes the schema", p.returncode == 0, p.stderr.decode())
    found = json.loads(p.stdout or "[]")
    check("all scenes of the repository are valid", len(scenes) > 7 and not any(found[:len(scenes)]), found[:len(scenes)])
    check("the reader and the schema refuse the same mistakes", all(found[len(scenes):]) and
          all(contact("scene", d + "/bad%d.json" % i)[0] == 1 for i in range(len(bad))), found[len(scenes):])
    code, out, err = contact("scene", *scenes)
    check("contact scene reads all scenes", code == 0 and len(out.splitlines()) == len(scenes), err)


# ---- run --set ----

def check_set(d):
    scene = {"dt": 0.01, "duration": 0.1, "bodies": [{"name": "cube", "type": "soft", "shape": {"box": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}},
                                     "transform": [{"translate": [0, 5, 0]}]},
                                    {"name": "floor", "type": "static", "shape": {"plane": {}}}]}
    with open(d + "/scene.json", "w") as f:
        json.dump(scene, f)

    def fall(*sets):
        code, out, err = contact("run", d + "/scene.json", "--steps", "10", "--json", *[w for s in sets for w in ("--set", s)])
        return json.loads(out)["center_of_mass"][1] if code == 0 else err
    free = fall()
    check("--set of a vector", abs((fall("gravity=[0,-1,0]") - 5) * 9.81 - (free - 5)) < 1e-5, free)
    check("--set of a body by number and by name", abs(fall("bodies[0].velocity=[0,1,0]") - 0.1 - free) < 1e-5 and
          fall("bodies[0].velocity=[0,1,0]") == fall("bodies[cube].velocity=[0,1,0]"), free)
    made = fall("stepper=barrier", "barrier.dhat=1e-3")
    check("--set makes what is missing", isinstance(made, float), made)
    check("the last --set holds", fall("gravity=[0,-5,0]", "gravity=[0,-9.81,0]") == free)
    check("--set of an element of an array", fall("gravity=[0,-5,0]", "gravity[1]=-9.81") == free, fall("gravity=[0,-5,0]", "gravity[1]=-9.81"))


# ---- contact init ----

def check_init(d):
    data = os.path.join(ROOT, "tests", "data")
    rope = d + "/rope.obj"
    with open(rope, "w") as f:
        f.write("".join("v %g 0 0\n" % (0.1 * i) for i in range(6)) + "l 1 2 3 4 5 6\n")
    double = d + "/double.obj"  # a cube of which each face has corners of its own, seen from outside
    with open(double, "w") as f:
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            for side in (0, 1):
                for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)) if side else ((0, 0), (0, 1), (1, 1), (1, 0)):
                    x = [0, 0, 0]
                    x[a], x[b], x[c] = side, u, v
                    f.write("v %d %d %d\n" % tuple(x))
        f.write("".join("f %d %d %d %d\n" % tuple(range(4 * i + 1, 4 * i + 5)) for i in range(6)))
    inside_out, big = d + "/inside_out.obj", d + "/big.obj"
    text = open(double).read()
    with open(inside_out, "w") as f:
        f.write(re.sub(r"f (\d+) (\d+) (\d+) (\d+)", r"f \4 \3 \2 \1", text))
    with open(big, "w") as f:
        f.write(re.sub(r"v (\d) (\d) (\d)", r"v \g<1>00 \g<2>00 \g<3>00", text))
    # a cube of 100 units, in mm: the scene is that of a cube of 0.1 m, whose lattice has units of the file
    made = [json.loads(contact("init", mesh, *options)[1]) for mesh, options in ((double, ["--scale", "0.1"]), (big, ["--scale", "0.001"]))]
    cells = [s["bodies"][0].pop("lattice") for s in made]
    scales = [s["bodies"][0].pop("transform")[0]["scale"] for s in made]
    for s in made:
        del s["name"], s["bodies"][0]["surface"]
    check("init --scale: the same cube in two units", made[0] == made[1] and abs(cells[1] / cells[0] - 100) < 1e-9 and scales == [[0.1] * 3, [0.001] * 3],
          (made, cells, scales))
    for wrong in ("0", "-1", "mm", "1e-3mm"):
        code, out, err = contact("init", big, "--scale", wrong)
        check("init --scale %s" % wrong, code == 1 and not out and "--scale" in err and "0.001" in err, err)
    cases = [(data + "/gmsh.mesh", [], "soft", ["24 tets"]), (data + "/assimp.glb", [], "soft", ["12 triangles"]), (rope, [], "rod", ["5 segments"]),
             (double, [], "soft", ["16 vertices repeat", "weld"]), (data + "/assimp.glb", ["--type", "rigid"], "rigid", []),
             (data + "/meshio_zlib.vtu", ["--type", "cloth"], "cloth", []), (big, [], "soft", ["100 m long", "0.001 for mm"]), (big, ["--scale", "0.001"], "soft", ["0.1 x 0.1 x 0.1 m"])]
    for mesh, options, kind, words in cases:
        name = "init %s %s" % (os.path.basename(mesh), " ".join(options))
        code, out, err = contact("init", mesh, *options)
        with open(d + "/made.json", "w") as f:
            f.write(out)
        check(name, code == 0 and json.loads(out)["bodies"][0]["type"] == kind and not [w for w in words if w not in err], err)
        code, _, err = contact("run", d + "/made.json", "--steps", "3", "--check", "--quiet", "--out", d + "/made", "--frames", "none")
        lines = [json.loads(s)["status"] for s in open(d + "/made/stats.jsonl")] if code == 0 else []
        check(name + ": its scene runs", code == 0 and len(lines) == 3 and set(lines) <= {"ok", "substepped"}, err or lines)
    code, out, err = contact("init", inside_out)
    check("init refuses a solid inside out, and names another type", code == 1 and not out and "--type cloth" in err and "inside out" in err, err)
    check_init_paths(d)


def check_init_paths(d):
    """The mesh's path is from the scene's folder, wherever the command runs."""
    for folder in ("here/meshes", "here/scenes/deep", "elsewhere"):
        os.makedirs(os.path.join(d, folder))
    with open(d + "/here/meshes/rope.obj", "w") as f:
        f.write("v 0 0 0\nv 0.1 0 0\nv 0.2 0 0\nl 1 2 3\n")
    absolute = d + "/here/meshes/rope.obj"
    cases = [("here", "meshes/rope.obj", "scenes/deep/a.json", "../../meshes/rope.obj"), ("here", "meshes/rope.obj", "meshes/a.json", "rope.obj"),
             ("here", "meshes/rope.obj", "a.json", "meshes/rope.obj"), ("elsewhere", "../here/meshes/rope.obj", d + "/here/a.json", "meshes/rope.obj"),
             ("here/meshes", "rope.obj", "../a.json", "meshes/rope.obj"), ("here", absolute, "scenes/a.json", absolute)]
    for cwd, mesh, scene, path in cases:
        code, out, err = contact("init", mesh, "-o", scene, cwd=os.path.join(d, cwd))
        at = os.path.join(d, cwd, scene)
        found = json.load(open(at))["bodies"][0]["mesh"] if code == 0 else None
        check("init %s -o %s: %s" % (mesh.replace(d, "D"), scene.replace(d, "D"), path.replace(d, "D")), found == path and not out, (found, err))
        code, _, err = contact("run", at, "--steps", "1", "--quiet")
        check("the scene runs from another folder", code == 0, err)
    code, out, err = contact("init", "meshes/rope.obj", "-o", "no/such/a.json", cwd=d + "/here")
    check("init -o into a folder that is not there", code != 0 and "no/such/a.json" in err and "No such file" in err, err)


# ---- contact import ----

TEXT = """# two bodies of one mesh
energy FCR
timeIntegration BE
size 2
time 0.1 0.02
density 500
stiffness 2e5 0.3
script fall
view orthographic

shapes input 2
# a comment between shapes

meshes/box.msh  1 0 0  0 0 90  1 1 1  initVel 0 -1 0 0 90 0  DBC -0.1 -0.1 -0.1 1.1 0.1 1.1 0 0.5 0 0 0 0 0 0.06
meshes/box.msh  5 0 0  0 0 0  2 1 1  material 800 1e6 0.4 \\
    NBC 0 0 0 1 1 1 0 -9 0
ground 0.2 -3
halfSpace 0 -4 -9  0 0 2  50 0.5
meshCO meshes/wall.obj 0 -5 0  4 50 0.25 rotate 0 0 90
selfFric 0.5
constraintSolver interiorPoint
section SQP QP
time 9 1e-3
section end
tuning 6
0
1e-2
1e-4
1e-9
1e-5
1e-5
rotateModle 1 0 0 90
dampingRatio 0.4
"""
BOX = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
8
%s$EndNodes
$Elements
5
%s$EndElements
"""


def write_import(d, text):
    os.makedirs(d + "/ipc/scripts", exist_ok=True)
    os.makedirs(d + "/ipc/meshes", exist_ok=True)
    corners = [(i & 1, i >> 1 & 1, i >> 2) for i in range(8)]
    tets = [(0, 1, 2, 4), (3, 2, 1, 7), (5, 4, 7, 1), (6, 7, 4, 2), (1, 2, 4, 7)]
    with open(d + "/ipc/meshes/box.msh", "w") as f:
        f.write(BOX % ("".join("%d %d %d %d\n" % ((i + 1,) + c) for i, c in enumerate(corners)),
                       "".join("%d 4 2 0 1 %d %d %d %d\n" % ((i + 1,) + tuple(k + 1 for k in t)) for i, t in enumerate(tets))))
    with open(d + "/ipc/meshes/wall.obj", "w") as f:
        f.write("v 0 0 0\nv 8 0 0\nv 8 0 8\nv 0 0 8\nf 1 3 2\nf 1 4 3\n")
    with open(d + "/ipc/scripts/two.txt", "w") as f:
        f.write(text)


def placed(body, x):
    """A vertex after the body's transform."""
    for step in body["transform"]:
        (kind, v), = step.items()
        if kind == "rotate":
            for k in range(3):
                c, n, i, j = math.cos(math.radians(v[k])), math.sin(math.radians(v[k])), (k + 1) % 3, (k + 2) % 3
                x = [c * x[i] - n * x[j] if m == i else n * x[i] + c * x[j] if m == j else x[m] for m in range(3)]
        else:
            x = [a * b if kind == "scale" else a + b for a, b in zip(x, v)]
    return x


def near(a, b):
    return len(a) == len(b) and all(abs(x - y) < 1e-9 for x, y in zip(a, b))


def check_import(d):
    """A text scene of IPC. Its shapes are boxes of x -> [0, 1] and [5, 7]: 7 m long, so size 2 scales by 2 / 7, and the lowest corner goes to 0."""
    write_import(d, TEXT)
    code, out, err = contact("import", "ipc/scripts/two.txt", "-o", "imported/two.json", cwd=d)
    check("import -o into a folder that is not there", code != 0 and "imported/two.json" in err, err)
    os.makedirs(d + "/imported")
    code, out, err = contact("import", "ipc/scripts/two.txt", "-o", "imported/two.json", cwd=d)
    if code:
        return check("import", False, err)
    s = json.load(open(d + "/imported/two.json"))
    bodies, k = s["bodies"], 2 / 7
    diagonal = math.sqrt(7 * 7 + 1 + 1) * k
    check("import: time, stepper, friction of bodies", (s["dt"], s["duration"], s["stepper"], s["friction"]) == (0.02, 0.1, "barrier", 0.5), s)
    check("import: distances are shares of the diagonal", near([s["barrier"]["dhat"] / diagonal, s["barrier"]["friction_velocity"] / diagonal], [1e-4, 1e-5])
          or abs(s["barrier"]["dhat"] / diagonal / 1e-4 - 1) < 1e-5, s["barrier"])
    check("import: materials", [b["material"] for b in bodies[:2]] == [{"model": "corotational", "young": 2e5, "poisson": 0.3, "density": 500},
                                                                         {"model": "corotational", "young": 1e6, "poisson": 0.4, "density": 800}], bodies)
    up = diagonal / 2  # script fall
    check("import: positions", near(placed(bodies[0], [1, 0, 0]), [k * 1, k * 1 + up, 0]) and near(placed(bodies[0], [0, 1, 1]), [0, up, k])
          and near(placed(bodies[1], [1, 1, 0]), [2, k + up, 0]), bodies)
    fix = bodies[0]["fix"]
    check("import: a box of fixed vertices", [sorted(f["vertices"]) for f in fix] == [[0, 1, 4, 5]] and fix[0]["until"] == 0.06
          and fix[0]["motion"]["linear"] == [0, 0.5, 0] and near(fix[0]["motion"]["center"], [k * 1, k * 0.5 + up, k / 2]), fix)
    check("import: velocities", bodies[0]["velocity"] == [0, -1, 0] and bodies[0]["angular_velocity"] == [0, 90, 0], bodies[0])
    planes = [(b["shape"]["plane"]["normal"], b["shape"]["plane"]["offset"], round(math.sqrt(b["friction"] * 0.5), 9)) for b in bodies if "shape" in b]
    check("import: planes, and each pair's friction", planes == [([0, 1, 0], -3, 0.2), ([0, 0, 1], -9, 0.5)], planes)
    wall = [b for b in bodies if b["name"].startswith("wall")][0]
    check("import: a collider is about its middle and has its size", wall["type"] == "static" and near(placed(wall, [0, 0, 0]), [0, -7, -2])
          and near(placed(wall, [8, 0, 8]), [0, -3, 2]) and abs(math.sqrt(wall["friction"] * 0.5) - 0.25) < 1e-9, wall)
    told = [("two.txt:32: unknown keyword 'rotateModle'", 1), ("two.txt:33: dampingRatio", 1), ("two.txt:16: NBC", 1), ("view (9)", 1), ("SQP", 0)]
    check("import names what is left out, with its line", all(err.count(w) == n for w, n in told), err)
    code, out, err = contact("run", "imported/two.json", "--steps", "4", "--check", "--quiet", cwd=d)
    check("import: the scene runs", code == 0, err)
    code, out, err = contact("import", "ipc/scripts/two.txt", cwd=d)
    check("import prints without -o", code == 0 and json.loads(out)["bodies"][0]["mesh"] == "ipc/scripts/../meshes/box.msh", out[:300])
    for old, new, words in [("box.msh  1 0 0", "bix.msh  1 0 0", ["two.txt:14:", "meshes/bix.msh", "no such file"]),
                            ("stiffness 2e5 0.3", "stiffness 2e5", ["two.txt:7:", "stiffness", "expected 2 numbers, found 1"]),
                            ("time 0.1 0.02", "time 0.1 fast", ["two.txt:5:", "expected a number, found 'fast'"]),
                            ("energy FCR", "energy SVK", ["two.txt:2:", "energy", "unknown word 'SVK'"]),
                            ("energy FCR", "energy", ["two.txt:2:", "energy", "unknown word ''"]),
                            ("shapes input 2", "shapes input 40", ["two.txt:17:", "ground", "no such file"]),
                            ("tuning 6", "tuning 600000", ["two.txt:25:", "from 0 to 100000", "600000"])]:
        write_import(d, TEXT.replace(old, new))
        code, out, err = contact("import", "ipc/scripts/two.txt", cwd=d)
        last = err.splitlines()[-1] if err else ""
        check("import: " + new, code == 1 and not out and all(w in last for w in words), err)
    code, out, err = contact("import", "README.md", cwd=ROOT)
    check("import of another text", code == 1 and "is this a text scene of IPC?" in err, err)


# ---- mistakes ----

# arguments, and what is said: the culprit, the cure
MISTAKES = [
    (["rnu", "SCENE"], ["'rnu'", "is 'run' meant"]),
    (["--hlep"], ["'--hlep'", "is '--help' meant"]),
    (["run"], ["run", "expected SCENE.json"]),
    (["run", "scne.json"], ["scne.json", "No such file", "is 'scene.json' meant"]),
    (["run", "."], [".:", "is a folder", "expected a scene"]),
    (["run", "MESH"], ["is a mesh", "contact init"]),
    (["run", "SCENE", "SCENE"], ["one scene", "scene.json"]),
    (["run", "SCENE", "--stps", "3"], ["--stps", "is '--steps' meant"]),
    (["run", "SCENE", "--steps", "ten"], ["--steps", "whole number", "'ten'"]),
    (["run", "SCENE", "--steps"], ["--steps", "needs a value"]),
    (["run", "SCENE", "--threads", "0"], ["--threads", "from 1 to 256"]),
    (["run", "SCENE", "--stepper", "cmrr"], ["--stepper", "'cmrr'", "is 'cmr' meant"]),
    (["run", "SCENE", "--solver", "gauss"], ["--solver", "'gauss'", "expected one of", "pgs"]),
    (["run", "SCENE", "--frames", "ply"], ["--frames", "'ply'", "obj, vtk, vtu, gltf or none"]),
    (["run", "SCENE", "--render", "film.avi"], ["--render", "film.avi", ".png, .gif, .webp or .mp4"]),
    (["run", "SCENE", "--out", "scene.json"], ["scene.json", "is a file", "expected a folder"]),
    (["run", "SCENE", "--csv"], ["--csv", "--out DIR"]),
    (["run", "SCENE", "--set", "friction"], ["--set friction", "KEY=VALUE"]),
    (["run", "SCENE", "--set", "bodies[9].friction=1"], ["--set bodies", "index below 2", "9"]),
    (["run", "SCENE", "--set", "bodies.0.friction=1"], ["--set bodies", "is a list", "bodies[0]"]),
    (["run", "SCENE", "--set", "bodies[cueb].friction=1"], ["--set bodies", "one of the names cube, floor"]),
    (["run", "SCENE", "--set", "frictoin=1"], ["--set", "frictoin", "is 'friction' meant"]),
    (["render", ".", "--out", "x.png"], ["render", "unknown option '--out'", "--help lists them"]),
    (["check", "README.md"], ["README.md", "must end in", ".obj"]),
    (["solve", "none.cpb", "--solver", "newtn"], ["'newtn'", "is 'newton' meant"]),
    (["ccd", "--kind", "vv", "a.csv"], ["--kind", "vv", "expected vf or ee"]),
    (["init", "box.mehs"], ["box.mehs", "must end in", ".mesh"]),
]


def check_mistakes(d, printing=False):
    """docs/mistakes.md has a row for each: the command, the first line of what it says."""
    check("27 mistakes", len(MISTAKES) == 27)
    mesh = os.path.join(ROOT, "tests", "data", "gmsh.mesh")
    with open(os.path.join(ROOT, "docs", "mistakes.md"), encoding="utf-8") as f:
        page = f.read()
    for args, words in MISTAKES:
        row = "| `contact %s` | %s |" % (" ".join(args).replace("SCENE", "scene.json").replace("MESH", "gmsh.mesh"),
                                         contact(*[{"SCENE": "scene.json", "MESH": mesh}.get(a, a) for a in args], cwd=d)[2].split("\n")[0]
                                         .replace(mesh, "gmsh.mesh").replace("|", "\\|"))
        if printing:
            print(row)
            continue
        check("docs/mistakes.md has contact " + " ".join(args), row in page, row)
        code, out, err = contact(*[{"SCENE": "scene.json", "MESH": mesh}.get(a, a) for a in args], cwd=d)
        missing = [w for w in words if w not in err.splitlines()[0]] if err else words
        check("mistake: contact " + " ".join(args), code == 1 and not missing and err.startswith("contact: "),
              "exit %d, missing %s in: %s" % (code, missing, err))


def main():
    with tempfile.TemporaryDirectory(prefix="contact_test_") as d:
        if "--mistakes" in sys.argv:
            check_set(d)
            return check_mistakes(d, True)
        check_schema(d)
        check_set(d)
        check_init(d)
        check_import(d)
        check_mistakes(d)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
