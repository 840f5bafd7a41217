#!/usr/bin/env python3
"""test_tools.py -- the amalgamator's refusals and the command line: errors that name file and place, exit codes, files that a run writes.

Prints a line a check, "ok NAME", "FAILED NAME: why" or "SKIPPED NAME: what is missing"; exit 1 when one failed.
"""
import glob
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
FAILED = []

CUBE = {"name": "cube", "type": "soft", "shape": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}},
        "material": {"young": 1e5, "poisson": 0.3, "density": 1000}, "transform": [{"translate": [0, 0.15, 0]}]}
FLOOR = {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 4}}}


def scene(**changes):
    s = {"name": "test", "dt": 0.01, "duration": 0.1, "bodies": [json.loads(json.dumps(CUBE)), json.loads(json.dumps(FLOOR))]}
    s.update(changes)
    return s


def body(**changes):
    b = json.loads(json.dumps(CUBE))
    b.update(changes)
    return scene(bodies=[b, FLOOR])


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[:600]), flush=True)
    if not ok:
        FAILED.append(name)


def contact(*args, cwd=None, timeout=60):
    p = subprocess.run([CONTACT] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, timeout=timeout)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def run_scene(d, data, *args):
    path = os.path.join(d, "scene.json")
    with open(path, "w") as f:
        f.write(data if isinstance(data, str) else json.dumps(data))
    return contact("run", path, *args)


# ---- the amalgamator ----

def amalgamate(tree, *args):
    p = subprocess.run([sys.executable, os.path.join(tree, "tools", "amalgamate.py")] + list(args), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return p.returncode, p.stdout.decode()


B_C = '''#include "../0_base/a.h"
static int cti_b_local(void) { return 2; }
CONTACT_API_DEF int ct_one_two(void) { return cti_a() + cti_b_local(); }
'''
# two switches, a chain of uses, a template of two instances, of which one is used
SWITCHED = '''#include "../0_base/a.h"
#define CTI_BN(a, b) a##1_##b
#include "b.inl"
#undef CTI_BN
#define CTI_BN(a, b) a##2_##b
#include "b.inl"
#undef CTI_BN
/* deep */
static int cti_b_deep(int x) { return cti_b2_step(x); }
static int cti_b_first(int x) { return cti_b_deep(x); }
static int cti_b_second(int x) { return cti_b_deep(x) + 1; }

static int cti_b_always(int x) { return x; }
CONTACT_API_DEF int ct_one_two(void)
{
#if CONTACT_WITH_ICA
    return cti_b_first(1);
#endif
#if CONTACT_WITH_CA && CONTACT_WITH_CMR
    return cti_b_second(1);
#endif
    return cti_a() + cti_b_always(0);
}
'''
B_INL = "static int CTI_BN(cti_b, step)(int x) { return x; }\n"


def test_guards(fresh, tree):
    """Code that CONTACT_WITH_x 0 removes is between #if, and no other code is."""
    fresh({"src/1_math/b.c": SWITCHED, "src/1_math/b.inl": B_INL})
    code, out = amalgamate(tree)
    text = open(tree + "/contact.h").read() if code == 0 else out
    deep = "#if CTI_NEEDS_B\n/* deep */\nstatic int cti_b_deep"
    name = "#define CTI_NEEDS_B (CONTACT_WITH_CA && CONTACT_WITH_CMR || CONTACT_WITH_ICA)\n"
    check("amalgamate guards a chain", deep in text and name in text and "#undef CTI_NEEDS_B\n" in text and "#if CONTACT_WITH_ICA\nstatic int cti_b_first" in text, text[-1500:])
    check("amalgamate leaves the rest", "\n\nstatic int cti_b_always" in text, text[-1500:])
    spare = "#ifdef CTI_SPARE_INSTANCES\nstatic int CTI_BN(cti_b, step)"
    check("amalgamate takes an instance out that nothing uses", text.count(spare) == 1 and text.count("CTI_BN(cti_b, step)") == 2, text[-1500:])
    fresh({"src/1_math/b.c": SWITCHED.replace("return cti_b2_step(x)", "return cti_b2_step(x) + cti_b1_step(x)"), "src/1_math/b.inl": B_INL})
    code, out = amalgamate(tree)
    check("amalgamate keeps two that are used", code == 0 and "SPARE" not in open(tree + "/contact.h").read(), out)


def test_amalgamate(d):
    tree = os.path.join(d, "tree")

    def fresh(changes):
        shutil.rmtree(tree, ignore_errors=True)
        os.makedirs(tree + "/tools")
        for tool in ("amalgamate.py", "reach.py"):
            shutil.copy(os.path.join(ROOT, "tools", tool), tree + "/tools")
        files = {"src/MANIFEST": "public/config.h\npublic/api.h\n0_base/a.h\n0_base/a.c\n1_math/b.c\n",
                 "src/public/manual.txt": "a manual\n",
                 "src/public/config.h": "#define CT_VERSION_MAJOR 1\n#define CT_VERSION_MINOR 2\n#define CT_VERSION_PATCH 3\n",
                 "src/public/api.h": '#include "config.h"\nCONTACT_API int ct_one_two(void);\n',
                 "src/0_base/a.h": '#pragma once\n#include "../public/api.h"\n#define CTI_A_SHARED 1\nCTI_FN int cti_a(void);\n',
                 "src/0_base/a.c": '#include "a.h"\n#include <math.h>\n#define CTI_A_PRIVATE 1\n'
                                   'static int cti_a_local(void) { return CTI_A_PRIVATE; }\nCTI_FN int cti_a(void) { return cti_a_local(); }\n',
                 "src/1_math/b.c": B_C}
        files.update(changes)
        for name, text in files.items():
            if text is not None:
                path = os.path.join(tree, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as f:
                    f.write(text.encode("latin-1"))

    fresh({})
    code, out = amalgamate(tree)
    text = open(tree + "/contact.h").read() if code == 0 else ""
    check("amalgamate writes", code == 0, out)
    check("amalgamate content", text.startswith("/* contact.h -- version 1.2.3") and "#define ct_one_two ct_one_two_f32" in text
          and 0 < text.find("#undef CTI_A_PRIVATE") < text.find("cti_b_local") < text.find("#undef CTI_A_SHARED")
          and "#include <math.h>" in text and '"a.h"' not in text and "#pragma once" not in text and "a manual" in text, text[:300])
    check("amalgamate --check", amalgamate(tree, "--check")[0] == 0)
    line = text.split("\n").index("static int cti_b_local(void) { return 2; }") + 1
    check("amalgamate --map", amalgamate(tree, "--map", str(line))[1].strip() == "src/1_math/b.c:2")
    with open(tree + "/contact.h", "a") as f:
        f.write("\n")
    code, out = amalgamate(tree, "--check")
    check("amalgamate --check notices one byte", code == 1 and "FIX:" in out, out)
    a_c = '#include "a.h"\nCTI_FN int cti_a(void) { return 1; }\n'
    refused = {
        "a file that is not listed": {"src/0_base/lost.c": "static int x;\n"},
        "a listed file that is not there": {"src/0_base/a.c": None},
        "an upward include": {"src/1_math/b.h": "typedef int cti_b;\n", "src/0_base/a.c": '#include "../1_math/b.h"\n',
                              "src/MANIFEST": "public/config.h\npublic/api.h\n0_base/a.h\n0_base/a.c\n1_math/b.h\n1_math/b.c\n"},
        "an include of another stepper's file": {"src/8_b/b.h": "typedef int cti_b;\n", "src/8_c/c.h": '#include "../8_b/b.h"\n',
                                                 "src/MANIFEST": "public/config.h\npublic/api.h\n0_base/a.h\n0_base/a.c\n1_math/b.c\n"
                                                                 "8_b/b.h\n8_c/c.h\n"},
        "an include of a later file": {"src/MANIFEST": "public/config.h\npublic/api.h\n0_base/a.c\n0_base/a.h\n1_math/b.c\n"},
        "an unknown word in the manifest": {"src/MANIFEST": "public/config.h\npublic/api.h\n0_base/a.h\n0_base/a.c quick\n1_math/b.c\n"},
        "a function that nothing reaches": {"src/1_math/b.c": B_C + "static int cti_b_lost(void) { return cti_b_local(); }\n"},
        "two that reach only each other": {"src/1_math/b.c": B_C + "static int cti_b_p(int x);\nstatic int cti_b_q(int x) { return cti_b_p(x); }\n"
                                           "static int cti_b_p(int x) { return cti_b_q(x); }\n"},
        "a cycle of .inl": {"src/0_base/x.inl": '#include "x.inl"\n', "src/0_base/a.c": '#include "x.inl"\n'},
        "two static names alike": {"src/1_math/b.c": "static int cti_a_local(void) { return 2; }\n"},
        "a macro that leaks": {"src/1_math/b.c": "#define B_MACRO 1\n"},
        "one macro in two files": {"src/1_math/b.c": "#define CTI_A_SHARED 2\n"},
        "a name that windows.h defines": {"src/1_math/b.c": B_C + "static int cti_b_where(int far) { return far; }\n"},
        "a tab": {"src/1_math/b.c": "static int cti_b;\t\n"},
        "a carriage return": {"src/1_math/b.c": "static int cti_b;\r\n"},
        "a character outside of ASCII": {"src/1_math/b.c": "/* \xe4 */\n"},
        "a foreign include in quotes": {"src/1_math/b.c": '#include "other.h"\n'},
        "a floor out of order": {"src/MANIFEST": "public/config.h\npublic/api.h\n1_math/b.c\n0_base/a.h\n0_base/a.c\n",
                                 "src/1_math/b.c": "static int cti_b_local;\n"},
        "an .inl that nobody includes": {"src/1_math/b.inl": "\n"},
        "a comment mark in the manual": {"src/public/manual.txt": "a */ b\n"},
    }
    for name, changes in refused.items():
        fresh(changes)
        code, out = amalgamate(tree)
        check("amalgamate refuses " + name, code == 1 and "FIX:" in out and "Traceback" not in out, out)
    fresh({"src/0_base/a.c": a_c + "#define CTI_T int\n#include \"x.inl\"\n#undef CTI_T\n#define CTI_T long\n#include \"x.inl\"\n#undef CTI_T\n",
           "src/0_base/x.inl": "/* body of CTI_T */\n"})
    code, out = amalgamate(tree)
    check("amalgamate inlines .inl at each include", code == 0 and open(tree + "/contact.h").read().count("body of CTI_T") == 2, out)
    test_guards(fresh, tree)


# ---- scene errors ----

def test_scene_errors(d):
    cases = [
        ("dt 0", scene(dt=0), ["dt", "> 0"]),
        ("dt missing", {k: v for k, v in scene().items() if k != "dt"}, ["dt"]),
        ("dt as text", scene(dt="a"), ["dt", "number", "string"]),
        ("dt negative", scene(dt=-1), ["dt"]),
        ("dt infinite", json.dumps(scene()).replace('"dt": 0.01', '"dt": 1e999'), ["dt", "finite"]),
        ("unknown key", scene(colour=1), ["colour", "unknown key"]),
        ("misspelt key", scene(frictoin=1), ["frictoin", "'friction'"]),
        ("key twice", json.dumps(scene())[:-1] + ', "dt": 1}', ["dt", "twice"]),
        ("unknown body key", body(colour=1), ["bodies[0].colour", "unknown"]),
        ("unknown material key", body(material={"yong": 1}), ["bodies[0].material.yong", "'young'"]),
        ("young negative", body(material={"young": -5}), ["bodies[0].material.young", "> 0", "-5"]),
        ("poisson 0.5", body(material={"poisson": 0.5}), ["bodies[0].material.poisson", "< 0.5", "found 0.5"]),
        ("material of a static body", scene(bodies=[dict(FLOOR, material={"young": 5})]), ["bodies[0].material", "static"]),
        ("material of a kinematic body", scene(bodies=[{"type": "kinematic", "shape": {"box": {}}, "material": {}}]),
         ["bodies[0].material", "kinematic"]),
        ("cloth's key for soft", body(material={"stretch": 5, "young": 1e5}), ["bodies[0].material.stretch", "a soft body does not use", "young"]),
        ("solid's key for cloth", scene(bodies=[dict(SHEET, material={"density": 5})]), ["bodies[0].material.density", "springs", "areal_density"]),
        ("spring's key for membrane", scene(bodies=[dict(SHEET, material={"model": "membrane", "strain_limit": 0.1})]),
         ["bodies[0].material.strain_limit", "membrane"]),
        ("membrane's key for springs", scene(bodies=[dict(SHEET, material={"young": 1e5})]), ["bodies[0].material.young", "springs"]),
        ("bends of a rigid body", body(type="rigid", material={"bends": True}), ["bodies[0].material.bends", "a rigid body does not use"]),
        ("stiffness damping of a rigid body", body(type="rigid", material={"damping": {"stiffness": 1}}), ["bodies[0].material.damping.stiffness"]),
        ("axis of a ball", scene(joints=[{"type": "ball", "a": "x", "axis": [0, 0, 1]}]), ["joints[0].axis", "ball does not use"]),
        ("axis of a fixed joint", scene(joints=[{"type": "fixed", "a": "x", "axis": [0, 0, 1]}]), ["joints[0].axis", "fixed does not use"]),
        ("bad model", body(material={"model": "rubber"}), ["bodies[0].material.model", "corotational"]),
        ("cloth model for soft", body(material={"model": "springs"}), ["bodies[0].material.model"]),
        ("damping key", body(material={"damping": {"mas": 1}}), ["bodies[0].material.damping.mas", "'mass'"]),
        ("no bodies", scene(bodies=[]), ["bodies"]),
        ("bodies an object", scene(bodies={}), ["bodies", "array"]),
        ("body a number", scene(bodies=[3]), ["bodies[0]", "object"]),
        ("bad type", body(type="jelly"), ["bodies[0].type", "soft"]),
        ("mesh and shape", body(mesh="x.msh"), ["bodies[0]", "mesh", "shape"]),
        ("neither mesh nor shape", scene(bodies=[{"type": "soft"}]), ["bodies[0]", "mesh", "shape"]),
        ("missing mesh file", scene(bodies=[{"type": "soft", "mesh": "nothing.msh"}]), ["bodies[0]", "nothing.msh"]),
        ("gravity of two", scene(gravity=[0, 1]), ["gravity", "3"]),
        ("gravity with text", scene(gravity=[0, "a", 0]), ["gravity[1]", "number"]),
        ("transform twice in one", body(transform=[{"scale": [1, 1, 1], "rotate": [0, 0, 0]}]), ["bodies[0].transform[0]"]),
        ("scale 0", body(transform=[{"scale": [1, 0, 1]}]), ["bodies[0].transform[0]", "0"]),
        ("repeat 0", body(repeat={"count": [0, 1, 1], "spacing": [1, 1, 1]}), ["bodies[0].repeat.count[0]"]),
        ("repeat of a plane", scene(bodies=[CUBE, dict(FLOOR, repeat={"count": [2, 1, 1], "spacing": [1, 1, 1]})]), ["bodies[1].repeat", "plane"]),
        ("fix without a place", body(fix=[{"axes": "x"}]), ["bodies[0].fix[0]", "box"]),
        ("fix axes", body(fix=[{"vertices": [0], "axes": "xw"}]), ["bodies[0].fix[0].axes"]),
        ("fix vertex out of range", body(fix=[{"vertices": [0, 1000000]}]), ["bodies[0].fix[0].vertices[1]"]),
        ("fix vertex not whole", body(fix=[{"vertices": [0.5]}]), ["bodies[0].fix[0].vertices[0]"]),
        ("fix box inside out", body(fix=[{"box": [[1, 0, 0], [0, 1, 1]]}]), ["bodies[0].fix[0].box"]),
        ("plane of a soft body", body(shape={"plane": {}}), ["bodies[0].shape.plane", "static"]),
        ("grid of a soft body", body(shape={"grid": {"size": [1, 1], "cells": [2, 2]}}), ["bodies[0].shape.grid"]),
        ("cells 0", body(shape={"box": {"size": [1, 1, 1], "cells": [0, 1, 1]}}), ["bodies[0].shape.box.cells[0]"]),
        ("size 0", body(shape={"box": {"size": [1, 0, 1], "cells": [1, 1, 1]}}), ["bodies[0].shape.box", "> 0"]),
        ("rigid with fix", body(type="rigid", material={}, fix=[{"vertices": [0]}]), ["bodies[0].fix", "deformable bodies only"]),
        ("static with fix", scene(bodies=[CUBE, dict(FLOOR, fix=[{"vertices": [0]}])]), ["bodies[1].fix", "deformable bodies only"]),
        ("kinematic with fix", scene(bodies=[{"type": "kinematic", "shape": {"box": {}}, "fix": [{"vertices": [0]}]}]),
         ["bodies[0].fix", "deformable bodies only"]),
        ("fix box without a vertex", body(fix=[{"vertices": [0]}, {"box": [[9, 9, 9], [10, 10, 10]]}]), ["bodies[0].fix[1].box", "no vertex"]),
        ("fix of no vertices", body(fix=[{"vertices": []}]), ["bodies[0].fix[0].vertices", "no vertex"]),
        ("fix box beside all copies", body(repeat={"count": [2, 1, 1], "spacing": [1, 0, 0]}, fix=[{"box": [[0.4, 0, 0], [0.6, 1, 1]]}]),
         ["bodies[0].fix[0].box", "no vertex"]),
        ("rod of a sphere", scene(bodies=[{"type": "rod", "shape": {"sphere": {}}}]), ["bodies[0].shape.sphere", "a rod"]),
        ("soft body of a line", body(shape={"line": {"to": [1, 0, 0]}}), ["bodies[0].shape.line", "rod"]),
        ("line without length", scene(bodies=[{"type": "rod", "shape": {"line": {"from": [1, 0, 0], "to": [1, 0, 0]}}}]),
         ["bodies[0].shape.line", "other than"]),
        ("rod without torsion", scene(bodies=[{"type": "rod", "shape": {"line": {}}, "material": {"torsion": 0}}]), ["bodies[0]", "torsion"]),
        ("rod with a cloth's key", scene(bodies=[{"type": "rod", "shape": {"line": {}}, "material": {"shear": 1}}]), ["bodies[0].material", "shear"]),
        ("points with mass and density", scene(bodies=[{"type": "points", "shape": {"line": {}}, "material": {"mass": 1, "density": 1}}]),
         ["bodies[0].material", "not both"]),
        ("surface of a cloth", body(type="cloth", surface="x.obj"), ["bodies[0]", "surface", "soft bodies only"]),
        ("lattice without surface", body(lattice=0.1), ["bodies[0]", "surface"]),
        ("solver options", scene(solver_options={"cone": "round"}), ["solver_options.cone", "pyramid"]),
        ("stitch to nothing", scene(stitches=[{"a": ["x", 0], "b": ["y", 0]}]), ["stitches[0].a", "no body is named", "x"]),
        ("joint to a name nearly right", scene(joints=[{"type": "ball", "a": ["cubes", 0]}]), ["joints[0].a", '"cubes"', '"cube" meant']),
        ("stitch without a vertex", scene(stitches=[{"a": "x", "b": ["y", 0]}]), ["stitches[0].a", "vertex"]),
        ("stitch half vertex", scene(stitches=[{"a": ["x", 0.5], "b": ["y", 0]}]), ["stitches[0].a"]),
        ("stitch stiffness", scene(stitches=[{"a": ["x", 0], "b": ["y", 0], "stiffness": -1}]), ["stitches[0].stiffness"]),
        ("stitch of stiffness 0", scene(stitches=[{"a": ["x", 0], "b": ["y", 0], "stiffness": 0}]), ["stitches[0].stiffness", "> 0"]),
        ("joint of one of two names", scene(bodies=[CUBE, FLOOR, dict(FLOOR, name="cube")], joints=[{"type": "ball", "a": ["cube", 0]}]),
         ["joints[0].a", '"cube"', "bodies[0] and bodies[2]"]),
        ("stitch to one of two names", scene(bodies=[FLOOR, CUBE, dict(CUBE, name="c"), dict(CUBE, name="c_1_0_0", transform=[]),
                                                     dict(CUBE, name="c", repeat={"count": [2, 1, 1], "spacing": [1, 0, 0]})],
                                             stitches=[{"a": ["cube", 0], "b": ["c_1_0_0", 0]}]),
         ["stitches[0].b", '"c_1_0_0"', "bodies[3] and bodies[4]"]),
        ("joint type", scene(joints=[{"type": "bal", "a": "x"}]), ["joints[0].type", "ball, hinge, fixed or slider"]),
        ("joint of nothing", scene(joints=[{"type": "ball", "a": None}]), ["joints[0].a", "body"]),
        ("joint key", scene(joints=[{"type": "ball", "a": "x", "pont": [0, 0, 0]}]), ["joints[0].pont", "'point'"]),
        ("row mode", scene(row_mode="x"), ["row_mode", "anticipated or velocity"]),
        ("ccd limits step", scene(ccd_limits_step=1), ["ccd_limits_step", "true or false"]),
        ("restitution", scene(restitution=1.5), ["restitution"]),
        ("restitution of another stepper", scene(stepper="barrier", restitution=0.5), ["restitution", "CT_STEPPER_PENALTY"]),
        ("restitution law", scene(restitution_law="x"), ["restitution_law", "newton or poisson"]),
        ("penalty form", scene(stepper="penalty", penalty={"form": "x"}), ["penalty.form", "implicit or explicit"]),
        ("penalty key", scene(stepper="penalty", penalty={"stifness": 1}), ["penalty", "stifness"]),
        ("contact of a body", body(contact={"stiffness": 0}), ["bodies[0].contact.stiffness"]),
        ("refine unknown", scene(stepper="explicit", explicit={"refine": "element"}), ["explicit.refine", "none, surface or elements", '"element"']),
        ("program unknown", scene(stepper="explicit", explicit={"program": "interior"}), ["explicit.program", "active_set or interior_point", '"interior"']),
        ("rules unknown", scene(stepper="explicit", explicit={"rules": "nodes"}), ["explicit.rules", "region or node", '"nodes"']),
        ("refine a number", scene(stepper="explicit", explicit={"refine": 2}), ["explicit.refine", "string", "number"]),
        ("explicit key", scene(stepper="explicit", explicit={"refin": "elements"}), ["explicit.refin", "'refine'"]),
        ("layers clock", scene(layers={"clock": 0.75}), ["layers.clock", "0.5"]),
        ("layers key", scene(layers={"clok": 0.1}), ["layers", "'clock'"]),
        ("broad phase unknown", scene(broad_phase="trees"), ["broad_phase", "tree or hash", '"trees"', "'tree'"]),
        ("broad phase of another kind", scene(broad_phase=1), ["broad_phase", "string"]),
        ("stepper unknown", scene(stepper="cmrr"), ["stepper", "'cmr'"]),
        ("solver unknown", scene(solver="x"), ["solver", "ica"]),
        ("solver of another stepper", scene(solver="geometric_cg"), ["geometric_cg", "'geometric'", "'cmr'"]),
        ("friction unknown", scene(solver_options={"friction": "none"}), ["solver_options.friction", "anticipated"]),
        ("integrator unknown", scene(integrator="rk4"), ["integrator", "newmark"]),
        ("newton iterations 0", scene(newton_iterations=0), ["newton_iterations", "1", "100"]),
        ("newton iterations half", scene(newton_iterations=1.5), ["newton_iterations"]),
        ("camera", scene(output={"camera": {"target": [0, 0, 0]}}), ["output.camera.eye"]),
        ("subdivide 3", scene(output={"subdivide": 3}), ["output.subdivide", "0 to 2"]),
        ("subdivide half", scene(output={"subdivide": 0.5}), ["output.subdivide"]),
        ("root an array", "[]", ["object"]),
        ("empty file", "", ["line 1"]),
        ("cut off", '{"dt": 0.01,\n "bodies": [', ["line 2"]),
        ("comma too many", '{\n"dt": 0.01,\n}', ["line 3", "comma"]),
        ("comma too many in an array", '{"dt": 0.01, "bodies": [1, 2, ]}', ["comma before it is one too many"]),
        ("comma missing", '{"dt": 0.01 "bodies": []}', ["comma missing"]),
        ("comment", '{"dt": 0.01, // a step\n"bodies": []}', ["line 1", "no comments"]),
        ("quotes of Python", "{'dt': 0.01}", ["double quotes"]),
        ("key without quotes", "{dt: 0.01}", ["double quotes"]),
        ("number without a digit", '{"dt": .01}', ["0.5"]),
        ("model of a cloth", body(material={"model": "springs"}), ["bodies[0].material.model", "corotational", '"springs"']),
        ("thickness 0", body(thickness=0), ["bodies[0].thickness", "> 0"]),
        ("text after the end", json.dumps(scene()) + "\n x", ["line 2"]),
        ("byte 0 behind the end", json.dumps(scene()) + "\n\0{", ["line 2", "byte 0"]),
        ("byte 0 alone", "\0", ["line 1", "byte 0"]),
        ("NaN", json.dumps(scene()).replace("0.01", "NaN"), ["line 1"]),
    ]
    for name, data, words in cases:
        code, out, err = run_scene(d, data)
        missing = [w for w in ["scene.json"] + words if w not in err]
        check("scene: " + name, code == 1 and not missing and err.startswith("contact: ") and not out,
              "exit %d, missing %s in: %s" % (code, missing, err))
    code, out, err = contact("run", os.path.join(d, "none.json"))
    check("scene: no such file", code == 1 and "none.json" in err, err)
    code, out, err = run_scene(d, scene(dt=16.6), "--steps", "1")
    check("scene: milliseconds are warned of", code == 0 and "warning" in err and "16.6 seconds" in err and "0.0166" in err, err)


def test_scene_thickness(d):
    """a body's own thickness: a pair keeps the mean of both; a ball of 5 mm rests at 0.55 mm on a floor of 1 mm with 0.1 mm of its own"""
    ball = {"name": "ball", "type": "soft", "shape": {"box": {"size": [0.005] * 3, "cells": [2, 2, 2]}}, "thickness": 1e-4,
            "material": {"young": 1e5}, "transform": [{"translate": [0, 0.004, 0]}]}
    code, out, err = run_scene(d, scene(dt=0.002, bodies=[ball, FLOOR]), "--steps", "200", "--json")
    low = json.loads(out)["min_distance"] if code == 0 else -1
    check("scene: a body's own thickness", abs(low - 5.5e-4) < 1e-6, "%g %s" % (low, err))


def test_scene_accepts(d):
    """keys of all materials; two bodies of one name; a fix that finds vertices in one copy of its body, not in all"""
    held = body(repeat={"count": [2, 1, 1], "spacing": [1, 0, 0]}, fix=[{"box": [[0.8, 0, -1], [1.2, 1, 1]]}])
    out = os.path.join(d, "out")
    code, _, err = run_scene(d, held, "--steps", "1", "--out", out)
    x = [[float(c) for c in line.split()[1:]] for line in open(out + "/frame_00001.obj") if line.startswith("v ")] if code == 0 else []
    twins = scene(bodies=[CUBE, FLOOR, dict(FLOOR, name="floor")], joints=[{"type": "ball", "a": ["cube", 0]}])
    twins_code, _, twins_err = run_scene(d, twins, "--steps", "1")
    check("two bodies of a name that nothing refers to", twins_code == 0, twins_err)
    full = scene(bodies=[
        dict(CUBE, material={"model": "stvk", "young": 1e5, "poisson": 0.3, "density": 1e3, "damping": {"mass": 0, "stiffness": 0}, "bends": True}),
        dict(SHEET, name="a", material={"model": "membrane", "young": 1e5, "poisson": 0.3, "thickness": 1e-3, "bending": 0, "areal_density": 1,
                                        "damping": {"mass": 0, "stiffness": 0}}),
        dict(SHEET, name="b", material={"stretch": 1, "shear": 1, "bend": 0, "areal_density": 1, "strain_limit": 1, "damping": {"mass": 1}}),
        dict(CUBE, name="c", type="rigid", material={"density": 1e3, "damping": {"mass": 1}})])
    full_code, _, full_err = run_scene(d, full, "--steps", "0")
    check("materials with all of their keys", full_code == 0, full_err)
    check("repeat: a fix of one copy", x and max(p[1] for p in x[:27]) < 0.2499 and max(p[1] for p in x[27:54]) == 0.25, err)


def test_keyframes(d):
    """keyframes play in the natural order of their names; x of each is its place in it"""
    for i, name in enumerate(["a9_1", "a9_02", "a9_2", "a9_10", "a010_1", "a10_1", "a10_1x", "b"]):
        with open(os.path.join(d, name + ".obj"), "w") as f:
            f.write("v %d 0 0\nv %d 0 1\nv %d 1 0\nf 1 2 3\n" % (i, i, i))
    out = os.path.join(d, "out")
    code, _, err = run_scene(d, scene(bodies=[{"type": "kinematic", "keyframes": "*.obj", "keyframe_interval": 0.01}]), "--steps", "7", "--out", out)
    x = [float(open(out + "/frame_%05d.obj" % i).read().split()[3]) for i in range(8)] if code == 0 else []
    check("keyframes by number", all(abs(a - i) < 1e-9 for i, a in enumerate(x)) and len(x) == 8, x or err)


def parallel(s, t):
    """triangles that lie in parallel planes"""
    u, v, w = ([b - a for a, b in zip(p, q)] for p, q in ((s[0], s[1]), (s[0], s[2]), (t[0], t[1])))
    z = [b - a for a, b in zip(t[0], t[2])]
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    size = sum(c * c for c in n) ** 0.5
    return all(abs(sum(a * b for a, b in zip(n, e))) < 1e-12 * size for e in (w, z))


def test_plane_transform(d):
    """a plane slopes as a grid with the same transform, and mirrors that make half a turn act as the half turn"""
    ends = []  # the grid's contacts at a diagonal edge push the cube 0.2 mm aside
    for shape in [{"plane": {}}, {"grid": {"size": [6, 6], "cells": [2, 2]}}]:
        floor = {"type": "static", "shape": shape, "transform": [{"rotate": [0, 0, -45]}, {"scale": [1, 0.2, 1]}, {"translate": [0, -0.03, 0]}]}
        code, text, err = run_scene(d, scene(friction=0, bodies=[CUBE, floor]), "--steps", "50", "--json")
        ends.append(json.loads(text)["center_of_mass"] if code == 0 else err)
    check("a plane has its scale's slope", len(ends[0]) == 3 and all(abs(a - b) < 1e-3 for a, b in zip(*ends)) and ends[0][0] > 0.1, ends)
    move = [{"scale": [2, 0.5, -1]}, {"rotate": [20, 30, -45]}, {"scale": [-1, 0.2, 0.7]}, {"translate": [0.1, 0.2, 0.3]}]
    out = os.path.join(d, "out")
    code, _, err = run_scene(d, scene(bodies=[{"type": "static", "shape": shape, "transform": move} for shape in (
        {"plane": {"normal": [0, 1, 0], "offset": 0.3}}, {"grid": {}})]), "--steps", "0", "--out", out)
    x = [[float(c) for c in line.split()[1:]] for line in open(out + "/frame_00000.obj") if line.startswith("v ")] if code == 0 else []
    check("a plane is parallel to the grid's image", len(x) == 8 and parallel(x[:3], x[4:7]), x or err)
    ends = []
    for turn in [{"scale": [1, -1, -1]}, {"rotate": [180, 0, 0]}]:
        floor = {"type": "static", "shape": {"plane": {"normal": [0, -1, 0], "offset": 0.1}}, "transform": [turn, {"translate": [0, -0.1, 0]}]}
        code, text, err = run_scene(d, scene(bodies=[CUBE, floor]), "--steps", "30", "--json")
        ends.append(json.loads(text)["center_of_mass"] if code == 0 else err)
    check("a plane's free side is mirrored", ends[0] == ends[1] and abs(ends[0][1] - 0.1) < 0.01, ends)


def test_scene_mesh_errors(d):
    with open(os.path.join(d, "bad.obj"), "w") as f:
        f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
    code, _, err = run_scene(d, scene(bodies=[{"type": "cloth", "mesh": "bad.obj"}]))
    check("scene: mesh error names file and line", code == 1 and "bad.obj" in err and "4" in err, err)
    with open(os.path.join(d, "tri.obj"), "w") as f:
        f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    code, _, err = run_scene(d, scene(bodies=[{"type": "soft", "mesh": "tri.obj"}]))
    check("scene: soft body of triangles", code == 1 and "tetrahedra" in err, err)
    # a cube with its corners stored once a face: named, and whole with "weld"
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    with open(os.path.join(d, "split.obj"), "w") as f:
        for q in faces:
            f.writelines("v %d %d %d\n" % (c & 1, c >> 1 & 1, c >> 2) for c in q)
            f.write("f -4 -3 -2 -1\n")
    rigid = {"type": "rigid", "mesh": "split.obj", "material": {"density": 1000}}
    code, _, err = run_scene(d, scene(bodies=[rigid]))
    check("scene: split corners are named", code == 1 and "16 of 24 vertices" in err and "weld" in err, err)
    code, _, err = run_scene(d, scene(bodies=[dict(rigid, weld=0)]))
    check("scene: weld", code == 0, err)
    cloth = {"type": "cloth", "mesh": "split.obj", "material": {"model": "membrane", "young": 1e5, "poisson": 0.3, "thickness": 1e-3, "bending": 1e-5,
                                                               "areal_density": 0.2}}
    code, _, err = run_scene(d, scene(bodies=[cloth]), "--steps", "0")
    check("scene: split corners of a cloth are a warning", code == 0 and "16 of 24 vertices" in err, err)
    code, _, err = run_scene(d, scene(bodies=[dict(cloth, weld=1e-6)]), "--steps", "0")
    check("scene: a welded cloth", code == 0 and "vertices" not in err, err)
    code, _, err = run_scene(d, scene(bodies=[dict(CUBE, weld=0)]))
    check("scene: weld without a file", code == 1 and "weld" in err, err)
    code, _, err = run_scene(d, scene(bodies=[dict(rigid, weld=-1)]))
    check("scene: weld negative", code == 1 and "weld" in err, err)
    soft = {"type": "soft", "surface": "split.obj", "lattice": 0.5, "material": {"young": 1e5, "poisson": 0.3, "density": 1000}}
    code, _, err = run_scene(d, scene(bodies=[soft]), "--steps", "0")
    check("scene: lattice names split corners", code == 1 and "16 of 24 vertices" in err, err)
    code, _, err = run_scene(d, scene(bodies=[dict(soft, weld=0)]), "--steps", "0")
    check("scene: lattice of a welded surface", code == 0, err)
    with open(os.path.join(d, "bow.obj"), "w") as f:
        f.write("v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 1 0\nf 1 2 3 4\n")
    code, _, err = run_scene(d, scene(bodies=[dict(soft, surface="bow.obj")]))
    check("scene: lattice names a polygon that crosses itself", code == 1 and "bow.obj" in err and "line 5" in err and "crosses itself" in err, err)


# ---- runs ----

def test_run(d):
    out = os.path.join(d, "deep", "out")
    code, text, err = run_scene(d, scene(), "--out", out, "--check", "--json")
    check("run ends with 0", code == 0, err)
    if code:
        return
    names = sorted(os.listdir(out))
    check("run leaves whole files only", names == ["frame_%05d.obj" % i for i in range(11)] + ["stats.jsonl", "summary.json"], names)
    stats = [json.loads(line) for line in open(out + "/stats.jsonl")]
    keys = ["step", "t", "dt", "substeps", "status", "contacts", "rows", "cmr_rounds", "newton_iterations", "solver_iterations",
            "solver_sweeps", "solver_quick", "solver_fallbacks", "cg_steps", "linear_iterations", "solves", "dropped", "residual",
            "min_distance", "thickness_kept", "too_near",
            "penetration", "joint_error", "intersections", "zones", "frozen", "momentum_lost", "energy_gained",
            "energy", "account", "advanced", "updates", "windows", "rollbacks", "center_of_mass", "work", "ms", "cpu_ms"]
    check("stats.jsonl keys", len(stats) == 10 and all(list(s) == keys for s in stats), stats[:1])
    check("stats.jsonl inner keys", list(stats[0]["energy"]) == ["kinetic", "elastic", "gravity", "contact"]
          and list(stats[0]["account"]) == ["script", "pins", "joints", "recovery", "contact", "damping"]
          and list(stats[0]["ms"]) == ["prepare", "assemble", "unconstrained", "detect", "solve", "finish", "total"])
    check("stats.jsonl steps", [s["step"] for s in stats] == list(range(1, 11)) and all(s["intersections"] == 0 for s in stats))
    energy = [sum(s["energy"].values()) for s in stats]
    account = [a["script"] + a["pins"] + a["joints"] + a["recovery"] - a["contact"] - a["damping"] + s["energy_gained"]
               for s in stats for a in [s["account"]]]
    check("stats.jsonl account closes", all(abs(energy[i] - energy[i - 1] - account[i]) < 1e-6 * energy[0] for i in range(1, len(stats))),
          list(zip(energy, account)))
    summary = json.load(open(out + "/summary.json"))
    check("summary.json", summary == json.loads(text) and summary["steps"] == 10 and summary["name"] == "test" and summary["intersections"] == 0,
          summary)
    check("the cube fell", summary["center_of_mass"][1] < 0.149, summary["center_of_mass"])
    obj = open(out + "/frame_00010.obj").read()
    check("frame has a group a body", obj.count("\no ") + obj.startswith("o ") == 2 and "o cube\n" in obj and "o floor\n" in obj)
    first = open(out + "/frame_00000.obj").read().split("\n")[1]
    check("frame has 17 digits", first.startswith("v ") and all(float(x) == float("%.17g" % float(x)) for x in first.split()[1:]), first)
    code, text, _ = contact("check", out + "/frame_00000.obj", out + "/frame_00010.obj")
    check("check of frames", code == 0 and text.count("0 intersections") == 2, text)


def test_run_options(d):
    code, text, _ = run_scene(d, scene(), "--steps", "3", "--json")
    s = json.loads(text) if code == 0 else {}
    check("run without --check has null", s.get("intersections", 0) is None and s.get("steps") == 3, text)
    check("run without --out writes nothing", os.listdir(d).count("summary.json") == 0)
    steps = [json.loads(run_scene(d, scene(dt=0.03, duration=t), "--json")[1])["steps"] for t in (0, 0.01, 0.04, 0.05, 0.1)]
    check("duration / dt is rounded", steps == [0, 0, 1, 2, 3], steps)
    out = os.path.join(d, "o2")
    code, _, err = run_scene(d, scene(), "--out=" + out, "--frames", "vtk", "--every", "5", "--quiet")
    frames = ["frame_00000.vtk", "frame_00005.vtk", "frame_00010.vtk"]
    check("run --frames vtk --every 5", code == 0 and sorted(os.listdir(out)) == frames + ["stats.jsonl", "summary.json"],
          os.listdir(out) if code == 0 else err)
    code, _, err = run_scene(d, scene(stepper="barrier"), "--stepper", "cmr", "--steps", "1")
    check("--stepper overrides the scene", code == 0, err)
    printed = [run_scene(d, given, "--steps", "60", "--json", *options)[1] for given, options in
               ((scene(), ["--paper"]), (scene(solver_options={"termination": "paper"}), []), (scene(), []))]
    hashes = [json.loads(text)["hash"] if text else None for text in printed]
    check("--paper is the scene's termination", hashes[0] and hashes[0] == hashes[1] != hashes[2], hashes)
    for args, word in [(["--steps", "x"], "--steps"), (["--steps"], "--steps"), (["--every", "0"], "--every"), (["--frames", "png"], "--frames"),
                       (["--stepper", "cmrx"], "'cmr'"), (["--paper", "--solver", "pgs"], "PAPER"),
                       (["--solver", "nosuch"], "--solver"), (["--bogus"], "--bogus"), (["second.json"], "second.json"),
                       (["--render", "x.bmp"], ".png"), (["--threads", "0"], "--threads")]:
        code, _, err = run_scene(d, scene(), *args)
        check("run %s is refused" % " ".join(args), code == 1 and word in err, "%d %s" % (code, err))
    code, text, err = run_scene(d, scene(), "--render", os.path.join(d, "x.png"), "--steps", "1")
    png = open(os.path.join(d, "x.png"), "rb").read() if code == 0 else b""
    check("--render writes a PNG", png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", png[16:24]) == (1280, 720), err)
    many = body(repeat={"count": [2, 1, 2], "spacing": [0.4, 0, 0.4]})
    code, _, err = run_scene(d, many, "--out", os.path.join(d, "o3"), "--steps", "1")
    groups = [x[2:].strip() for x in open(os.path.join(d, "o3", "frame_00001.obj")) if x.startswith("o ")] if code == 0 else []
    check("repeat makes bodies", groups == ["cube_0_0_0", "cube_1_0_0", "cube_0_0_1", "cube_1_0_1", "floor"], groups or err)
    first = {}
    for name in ("o4", "o5"):
        run_scene(d, scene(), "--out", os.path.join(d, name), "--quiet")
        first[name] = open(os.path.join(d, name, "frame_00010.obj")).read()
    check("two runs give the same bytes", first["o4"] == first["o5"])


def test_run_again(d):
    """A shorter run leaves nothing of a longer one in its folder, and removes no file of another name."""
    out, dump = os.path.join(d, "again"), os.path.join(d, "problems")
    touching = body(transform=[{"translate": [0, 0.1005, 0]}])
    other = [".hidden", "frame_4.obj", "frame_00004.obj.txt", "frame_00004.vtk", "frame_0004x.obj", "frame_000004.obj", "my_frame_00004.obj",
             "step_4.cpb"]
    code, _, err = run_scene(d, touching, "--steps", "8", "--out", out, "--dump-problems", dump)
    check("a run with problems", code == 0 and len(os.listdir(dump)) == 8, (err, os.listdir(dump)))
    for name in other + ["frame_123456.obj"]:
        open(os.path.join(out, name), "w").close()
    code, _, err = run_scene(d, touching, "--steps", "3", "--out", out, "--dump-problems", dump)
    names = ["frame_%05d.obj" % i for i in range(4)] + ["stats.jsonl", "summary.json"]
    check("a shorter run into the same folder", code == 0 and sorted(os.listdir(out)) == sorted(names + other), (err, sorted(os.listdir(out))))
    check("problems of the shorter run", sorted(os.listdir(dump)) == ["step_%05d.cpb" % i for i in (1, 2, 3)], os.listdir(dump))
    run_scene(d, touching, "--steps", "1", "--out", out, "--frames", "none")
    check("a run without frames leaves frames", set(names) <= set(os.listdir(out)), os.listdir(out))
    run_scene(d, scene(dt=-1), "--out", out)
    check("a scene that is refused removes nothing", set(names) <= set(os.listdir(out)), os.listdir(out))
    os.mkdir(os.path.join(out, "frame_00009.obj"))
    code, _, err = run_scene(d, touching, "--steps", "3", "--out", out)
    check("what cannot be removed is named", code == 2 and "frame_00009.obj" in err, (code, err))
    again = os.path.join(d, "input")
    os.mkdir(again)
    with open(os.path.join(again, "frame_00007.obj"), "w") as f:
        f.write("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n")
    code, _, err = run_scene(d, scene(bodies=[{"type": "static", "mesh": os.path.join(again, "frame_00007.obj")}]), "--steps", "1", "--out", again)
    check("a run removes no mesh of its scene", code == 0 and "frame_00007.obj" in os.listdir(again), (code, err))


def test_newton_iterations(d):
    """a steel cube that tumbles: one linearization is not enough, and the key bounds their number"""
    steel = body(shape={"box": {"size": [0.02, 0.02, 0.02], "cells": [2, 2, 2]}}, material={"young": 2e11, "poisson": 0.3, "density": 7800},
                 transform=[{"rotate": [20, 0, 20]}, {"translate": [0, 0.2, 0]}])
    most = []
    for key in [{}, {"newton_iterations": 1}]:
        out = os.path.join(d, "newton%d" % len(most))
        code, _, err = run_scene(d, dict(steel, dt=1 / 60, **key), "--steps", "14", "--out", out, "--frames", "none", "--quiet")
        stats = [json.loads(line) for line in open(out + "/stats.jsonl")] if code == 0 else []
        check("newton_iterations %s" % (key or "by default"), len(stats) == 14, err)
        most.append([s for s in stats if s["substeps"] == 1 and s["status"] == "ok" and s["newton_iterations"] > 1])
    check("newton_iterations 1 is kept", most[0] and not most[1], most)


def test_refine(d):
    """each value of explicit.refine steps a cube on a box in its own way; true stands for "surface" """
    cube = dict(CUBE, transform=[{"translate": [0, 0.0999, 0]}])
    box = {"name": "box", "type": "static", "shape": {"box": {"size": [0.17, 0.1, 0.17], "cells": [1, 1, 1]}},
           "transform": [{"translate": [0.01, -0.05, 0.02]}]}
    end = {}
    for value in ["none", "surface", "elements", False, True]:
        code, text, err = run_scene(d, scene(stepper="explicit", friction=0, self_collision=False, duration=0.02, bodies=[cube, box],
                                             explicit={"refine": value}), "--json")
        check("refine %s runs" % value, code == 0, err)
        if code == 0:
            end[value] = json.loads(text)["center_of_mass"]
    check("refine: booleans", end.get(False) == end.get("none") and end.get(True) == end.get("surface"), end)
    check("refine: three ways", len({str(end.get(value)) for value in ["none", "surface", "elements"]}) == 3, end)


def test_frames_vtk(d):
    out = os.path.join(d, "o8")
    code, _, err = run_scene(d, scene(), "--out", out, "--steps", "2", "--frames", "vtk")
    names = sorted(os.listdir(out)) if code == 0 else []
    check("--frames vtk writes a file a step", names == ["frame_%05d.vtk" % i for i in range(3)] + ["stats.jsonl", "summary.json"], names or err)
    if not names:
        return
    run_scene(d, scene(), "--out", out + "b", "--steps", "2")
    vtk, obj = open(out + "/frame_00002.vtk").read(), open(out + "b/frame_00002.obj").read()
    points = [x for x in vtk.split("POINTS", 1)[1].split("\n")[1:] if len(x.split()) == 3][:29 + 2]
    check("--frames vtk: the same numbers as obj", points == [x[2:] for x in obj.split("\n") if x.startswith("v ")], points[:2])
    tables = vtk.split("LOOKUP_TABLE default\n")
    triangles, bodies, owners = vtk.count("\n3 "), tables[1].split("POINT_DATA")[0].split(), tables[2].split()
    check("--frames vtk: a body a triangle", triangles == obj.count("\nf ") and len(bodies) == triangles and bodies == sorted(bodies)
          and set(bodies) == {"0", "1"}
          and "CELL_DATA %d\nSCALARS body int 1" % triangles in vtk, (triangles, bodies[-4:]))
    check("--frames vtk: a body a vertex", owners == ["0"] * 27 + ["1"] * 4 and "POINT_DATA 31\nSCALARS body int 1" in vtk, owners)
    code, text, err = contact("check", out + "/frame_00002.vtk")
    check("--frames vtk: can be read", code == 0 and "%d triangles, 0 intersections" % triangles in text, text + err)


SHEET = {"name": "sheet", "type": "cloth", "shape": {"grid": {"size": [1, 1], "cells": [6, 6]}},
         "transform": [{"rotate": [0, 0, 30]}, {"translate": [0, 0.8, 0]}],
         "fix": [{"vertices": [0, 6]}], "material": {"model": "springs", "stretch": 500, "shear": 100, "bend": 1e-5, "areal_density": 0.2}}

# in place of ffmpeg: stores its arguments and the number of bytes it read; writes the last argument's file; its exit code is in the file `code`
FAKE = """#!/bin/sh
here=$(dirname "$0")
echo "$@" > "$here/arguments"
for last; do :; done
wc -c > "${last#file:}"
exit $(cat "$here/code")
"""


def test_small_creatures(d):
    """The size that quick figures request: eight lizards with a hundred vertices in all, fewer than one needs."""
    out = os.path.join(d, "creatures")
    p = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", out, "--only", "eight", "--vertices", "100"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    code, _, err = contact("run", os.path.join(out, "eight", "scene.json"), "--steps", "2", "--quiet")
    check("scene eight of few vertices is made and runs", p.returncode == 0 and code == 0, p.stdout.decode() + err)


def test_video(d):
    bin_dir = os.path.join(d, "bin")
    os.mkdir(bin_dir)
    with open(bin_dir + "/ffmpeg", "w") as f:
        f.write(FAKE)
    os.chmod(bin_dir + "/ffmpeg", 0o755)
    path, out, movie = os.path.join(d, "v.json"), os.path.join(d, "out"), os.path.join(d, "a b'c.mp4")
    picture = 3 * 1280 * 720

    def run(data, *args, code=0, search=bin_dir + ":" + os.environ["PATH"]):
        with open(path, "w") as f:
            json.dump(data, f)
        with open(bin_dir + "/code", "w") as f:
            f.write("%d\n" % code)
        p = subprocess.run([CONTACT, "run", path, "--render", movie, "--quiet"] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env=dict(os.environ, PATH=search), timeout=120)
        return p.returncode, p.stderr.decode()

    code, err = run(scene(), "--out", out, search=os.path.join(d, "none"))
    check("--render .mp4 without ffmpeg is refused before the run", code == 1 and "ffmpeg" in err and ".png" in err and not os.path.exists(out),
          (code, err))
    # dt, steps, pictures a second, pictures: from 24 to 60 a step each; every n-th, n times
    for dt, steps, rate, count in [(0.02, 2, 50, 3), (0.004, 11, 50, 3), (0.1, 1, 30, 4)]:
        code, err = run(scene(dt=dt, bodies=[SHEET], output={"subdivide": 1}), "--steps", str(steps))
        words = open(bin_dir + "/arguments").read().split()
        got = int(open(movie).read()) if code == 0 else 0
        check("--render .mp4: dt %g" % dt, code == 0 and got == count * picture and float(words[words.index("-framerate") + 1]) == rate
              and "yuv420p" in words and not os.path.exists(movie + ".tmp"), (code, err, got / picture, words))
        if code == 0:
            os.remove(movie)
    code, err = run(scene(bodies=[SHEET]), "--steps", "1", code=3)
    check("--render .mp4: ffmpeg fails", code == 2 and "ffmpeg" in err and not [x for x in os.listdir(d) if "mp4" in x], (code, err, os.listdir(d)))
    real = shutil.which("ffmpeg")
    search = os.environ["PATH"] if real and shutil.which("ffprobe") else bin_dir + ":" + os.environ["PATH"]
    # Ctrl-C as a terminal sends it: to the whole process group
    with open(path, "w") as f:
        json.dump(scene(dt=0.02, duration=1e4, bodies=[SHEET]), f)
    with open(bin_dir + "/code", "w") as f:
        f.write("0\n")
    p = subprocess.Popen([CONTACT, "run", path, "--render", movie, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=dict(os.environ, PATH=search),
                         start_new_session=True)
    time.sleep(1.5)
    os.killpg(p.pid, signal.SIGINT)
    try:
        p.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        p.kill()
    ok = p.returncode == 130 and os.path.exists(movie) and not os.path.exists(movie + ".tmp")
    text = ""
    if ok and search == os.environ["PATH"]:
        text = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,pix_fmt,nb_read_frames", "-of",
                               "csv=p=0", movie],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60).stdout.decode().strip()
        ok = text.startswith("h264,yuv420p,") and int(text.split(",")[2]) >= 1
    elif ok:
        ok = int(open(movie).read()) >= picture
    check("--render .mp4: Ctrl-C leaves a whole file", ok, (p.returncode, os.listdir(d), text))


def test_run_start(d):
    inside = body(repeat={"count": [2, 1, 1], "spacing": [0.1, 0, 0]})
    code, _, err = run_scene(d, inside, "--steps", "1")
    check("an intersecting start is warned of and goes on", code == 0 and "intersect" in err and "cube_0_0_0" in err and "cube_1_0_0" in err,
          "%d %s" % (code, err))
    fixed = body(fix=[{"box": [[-1, 0, -1], [1, 1, 1]], "motion": {"angular": [0, 90, 0]}}],
                 transform=[{"rotate": [0, 0, 90]}, {"translate": [0, 0.5, 0]}])
    code, _, err = run_scene(d, fixed, "--out", os.path.join(d, "o6"), "--steps", "100", "--every", "100")
    if code:
        check("a turning pin", False, err)
        return
    a = [[float(x) for x in v.split()[1:]] for v in open(os.path.join(d, "o6", "frame_00000.obj")) if v.startswith("v ")]
    b = [[float(x) for x in v.split()[1:]] for v in open(os.path.join(d, "o6", "frame_00100.obj")) if v.startswith("v ")]
    worst = max(max(abs(q[0] - p[2]), abs(q[1] - p[1]), abs(q[2] + p[0])) for p, q in zip(a[:27], b[:27]))
    check("a turning pin: 90 degrees a second about y for 1 s", worst < 1e-6, worst)


def test_interrupt(d):
    path = os.path.join(d, "long.json")
    with open(path, "w") as f:
        json.dump(scene(duration=1e5), f)
    out = os.path.join(d, "o7")
    p = subprocess.Popen([CONTACT, "run", path, "--out", out, "--every", "1000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.7)
    p.send_signal(signal.SIGINT)
    try:
        p.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        p.kill()
    names = sorted(os.listdir(out)) if os.path.isdir(out) else []
    ok = p.returncode == 130 and names == ["frame_00000.obj", "stats.jsonl", "summary.json"]
    if ok:
        s = json.load(open(out + "/summary.json"))
        ok = s["interrupted"] is True and s["steps"] == len([json.loads(x) for x in open(out + "/stats.jsonl")])
    check("Ctrl-C ends with 130 and whole files", ok, (p.returncode, names))


def test_other_commands(d):
    code, out, err = contact("info", "--json")
    info = json.loads(out) if code == 0 else {}
    check("info --json", code == 0 and info["real_bits"] == 64 and "cmr" in info["steppers"] and "ica" in info["solvers"], out + err)
    check("info", contact("info")[0] == 0 and contact("info", "--bogus")[0] == 1)
    code, _, err = contact("runn", "x.json")
    check("unknown command", code == 1 and "'run'" in err, err)
    check("no command", contact()[0] == 1)
    check("--help", contact("--help")[0] == 0)
    for command in ("run", "view", "render", "ccd", "solve", "check", "info"):
        options = set()
        for name in ["cmd_%s.c" % command] + ["render.c"] * (command in ("run", "view", "render")):
            with open(os.path.join(ROOT, "tools", name)) as f:
                options |= set(re.findall(r'"(--[a-z-]+)"', f.read()))
        text = contact(command, "--help")[1]
        said = set(re.findall(r"^  (--[a-z-]+)", text, re.M))
        shown = set(re.findall(r"--[a-z-]+", " ".join(re.findall(r"^ {28}contact (.*)$", text, re.M))))
        check("%s --help has every option and an example of it" % command, said == options and shown == options,
              (sorted(options ^ said), sorted(options ^ shown)))
    cross = os.path.join(d, "cross.obj")
    with open(cross, "w") as f:
        f.write("v -1 0 -1\nv 1 0 -1\nv 0 0 1\nv 0 -1 0\nv 0.1 1 0\nv -0.1 1 0.1\nf 1 2 3\nf 4 5 6\n")
    code, out, err = contact("check", cross)
    check("check finds a crossing", code == 3 and "intersections" in out, (code, out, err))
    code, out, err = contact("check", os.path.join(d, "nothing.obj"))
    check("check of a missing file", code == 1 and "nothing.obj" in err, (code, err))
    code, _, err = contact("check", cross, os.path.join(d, "nothing.obj"))
    check("check: bad input outweighs", code == 1)


def write_chain(path, n):
    """a QP: a chain of n points between walls of springs, pushed down, the y of each at least -0.5: CPB"""
    p, index, blocks = [0], [], []
    for k in range(n):
        index.append(k)
        blocks += [2.05, 0, 0, 0, 2.05, 0, 0, 0, 2.05]
        if k + 1 < n:
            index.append(k + 1)
            blocks += [-1, 0, 0, 0, -1, 0, 0, 0, -1]
        p.append(len(index))
    arrays = [("A.dim", "i", [n, n]), ("A.p", "i", p), ("A.i", "i", index), ("A.x", "d", blocks), ("b", "d", [0.3, -1, 0.3] * n),
              ("J.dim", "i", [n, 3 * n]), ("J.p", "i", list(range(n + 1))), ("J.i", "i", [3 * k + 1 for k in range(n)]), ("J.x", "d", [1] * n),
              ("c", "d", [-0.5] * n)]
    with open(path, "wb") as f:
        f.write(b"CPB1\0\0\0\0" + struct.pack("<II", 3, len(arrays)))
        for name, kind, data in arrays:
            raw = struct.pack("<%d%s" % (len(data), kind), *data)
            f.write(name.encode().ljust(16, b"\0") + struct.pack("<IIQ", kind == "d", 0, len(data)) + raw + b"\0" * (-len(raw) % 8))


def read_trace(path):
    with open(path) as f:
        head, lines = f.readline().strip().split(","), [line.strip().split(",") for line in f]
    return head, [dict(zip(head, line)) for line in lines]


def test_solve_trace(d):
    problem, out = os.path.join(d, "chain.cpb"), os.path.join(d, "trace.csv")
    write_chain(problem, 12)
    iterations = {}
    for name, options in (("ica", []), ("ica", ["--plain"]), ("mprgp", []), ("pgs", [])):
        code, text, err = contact("solve", problem, "--solver", name, "--tol", "1e-8", "--trace", out, "--json", *options)
        label = "solve --trace, %s %s" % (name, " ".join(options))
        if code != 0:
            check(label, False, text + err)
            continue
        result = json.loads(text)
        head, lines = read_trace(out)
        ends = [float(x["residual"]) for x in lines]
        check(label + ": lines", head == ["file", "solver", "iteration", "seconds", "residual", "dynamics", "natural", "gap", "objective"]
              and len(lines) > 2 and all(x["file"] == "chain.cpb" and x["solver"] == name for x in lines), lines[:2])
        check(label + ": grows", all(int(a["iteration"]) <= int(b["iteration"]) and float(a["seconds"]) <= float(b["seconds"])
                                     for a, b in zip(lines, lines[1:])), lines)
        check(label + ": ends where the solve ends", int(lines[-1]["iteration"]) == result["iterations"]
              and abs(ends[-1] - result["residual"]) <= 1e-8 * result["residual"] and ends[-1] <= 1e-8 and ends[0] > 1e-3
              and abs(float(lines[-1]["objective"]) - result["objective"]) <= 1e-8 * abs(result["objective"]), (lines[-1], result))
        iterations[name + "".join(options)] = result["iterations"]
    check("solve --plain takes more iterations", iterations.get("ica--plain", 0) > iterations.get("ica", 0) > 0, iterations)
    code, text, err = contact("solve", problem, "--solver", "ica", "--paper", "--json")
    check("solve --paper ends by its own rule", json.loads(text)["iterations"] not in iterations.values() if text else False, (text, err))
    code, _, err = contact("solve", problem, problem, "--solver", "all", "--trace", out)
    head, lines = read_trace(out)
    check("solve --trace of all solvers", code == 0 and {"ica", "mprgp", "ca"} <= {x["solver"] for x in lines}, err)
    code, _, err = contact("solve", problem, "--trace", os.path.join(d, "no", "such", "t.csv"))
    check("solve --trace where nothing can be written", code == 1 and "t.csv" in err, (code, err))
    code, _, err = contact("solve", problem, "--trace")
    check("solve --trace without a file", code == 1 and "--trace" in err, (code, err))
    check("solve leaves no temporary file", not [n for n in os.listdir(d) if n.endswith(".tmp")])


# ---- meshes for scenes ----

def read_obj(path):
    v, f = [], []
    with open(path) as lines:
        for line in lines:
            w = line.split()
            if w and w[0] == "v":
                v.append(tuple(float(x) for x in w[1:]))
            elif w and w[0] == "f":
                f.append(tuple(int(x) - 1 for x in w[1:]))
    return v, f


def volume(v, f):
    total = 0
    for t in f:
        a, b, c = (v[i] for i in t)
        total += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    return total / 6


def test_make_meshes(d):
    tool = os.path.join(ROOT, "tools", "make_meshes.py")
    names = []
    for k in range(2):
        out = os.path.join(d, "meshes%d" % k)
        p = subprocess.run([sys.executable, tool, "--out", out, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        check("make_meshes runs", p.returncode == 0 and not p.stdout, p.stdout.decode())
        names.append(sorted(os.listdir(out)))
    same = names[0] == names[1] and all(open(os.path.join(d, "meshes0", n)).read() == open(os.path.join(d, "meshes1", n)).read() for n in names[0])
    check("make_meshes is deterministic", same)
    letters = [n for n in names[0] if n.startswith("letter_")]
    holes = {"A": 1, "B": 2, "D": 1, "O": 1, "P": 1, "R": 1, "8": 2, "0": 1}
    check("make_meshes: letters", len(letters) >= 10 and all("letter_%s.obj" % g in letters for g in holes), letters)
    bad = []
    for name in letters + ["figure.obj", "box.obj", "wall.obj", "slab.obj"]:
        v, f = read_obj(os.path.join(d, "meshes0", name))
        edges = [(t[k], t[(k + 1) % 3]) for t in f for k in range(3)]
        there = set(edges)
        glyph = name[7] if name in letters else ""
        if len(there) != len(edges) or any((b, a) not in there for a, b in edges):
            bad.append(name + ": not closed")
        if len(v) - len(edges) // 2 + len(f) != 2 - 2 * holes.get(glyph, 0):
            bad.append(name + ": holes")
        if volume(v, f) <= 0 or len(set(v)) != len(v):
            bad.append(name + ": volume, or a vertex twice")
        if glyph and not 150 <= len(v) <= 400:
            bad.append("%s: %d vertices" % (name, len(v)))
    check("make_meshes: closed, oriented, with holes", not bad, bad)
    v, f = read_obj(os.path.join(d, "meshes0", "letter_E.obj"))
    check("make_meshes: volume of E", abs(volume(v, f) - 0.2 * 0.4258) < 1e-6, volume(v, f))
    code, out, err = contact("check", *[os.path.join(d, "meshes0", n) for n in names[0]])
    check("make_meshes: no intersections", code == 0 and out.count(" 0 intersections") == len(names[0]), (code, out, err))
    v, f = read_obj(os.path.join(d, "meshes0", "skirt.obj"))
    w, g = read_obj(os.path.join(d, "meshes0", "figure.obj"))
    both = os.path.join(d, "both.obj")
    with open(both, "w") as o:
        o.writelines("v %.9g %.9g %.9g\n" % p for p in v + w)
        o.writelines("f %d %d %d\n" % tuple(i + 1 for i in t) for t in f)
        o.writelines("f %d %d %d\n" % tuple(i + 1 + len(v) for i in t) for t in g)
    code, out, err = contact("check", both)
    check("make_meshes: the skirt is free of the figure", code == 0 and len(v) == 16800, (code, out, err, len(v)))
    p = subprocess.run([sys.executable, tool, "--out", d, "--glyphs", "A?"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("make_meshes: a glyph without outline", p.returncode == 2 and b"'?'" in p.stdout, p.stdout.decode())
    p = subprocess.run([sys.executable, tool, "--out", d, "--only", "skirt", "--layers", "2", "--around", "9", "--down", "5", "--quiet"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    v, f = read_obj(os.path.join(d, "skirt.obj"))
    check("make_meshes: a skirt by numbers", p.returncode == 0 and len(v) == 90 and len(f) == 2 * 2 * 9 * 4, (p.stdout.decode(), len(v), len(f)))


def test_names(d):
    """Every name of the library that documents, examples and public comments use is declared; a name may end in _ or have *s in it."""
    def read(path):
        with open(os.path.join(ROOT, path), errors="replace") as f:
            return f.read()

    def files(folder, *ends):
        return [os.path.relpath(os.path.join(at, n), ROOT) for at, _, names in os.walk(os.path.join(ROOT, folder)) for n in names if n.endswith(ends)]

    public = ["src/public/" + n for n in ("config.h", "methods.h", "steppers.h", "types.h", "api.h")]
    source = "".join(read(f) for f in files("src", ".h", ".c", ".inl"))
    declared = re.sub(r"/\*.*?\*/", " ", "".join(read(f) for f in public), flags=re.S)
    names = {"ct_": set(re.findall(r"\bct_\w+", declared)), "CT_": set(re.findall(r"\bCT_\w+", declared + re.sub(r"/\*.*?\*/", " ", source, flags=re.S))),
             "cti_": set(re.findall(r"\bcti_\w+", re.sub(r"/\*.*?\*/", " ", source, flags=re.S)))}
    wrong, count = [], 0
    for f in ["README.md", "CHANGELOG.md", "src/public/manual.txt"] + public + files("docs", ".md") + files("examples", ".md", ".c", ".cc"):
        text = re.sub(r"<!-- new .*?^```\n|^```diff\n.*?^```\n", "", read(f), flags=re.S | re.M)  # what a page adds to the source
        for m in re.finditer(r"(?<![\w/])(ct_|cti_|CT_)[\w*]*", text):
            pattern = re.compile(m.group(0).rstrip("*").replace("*", r"\w*") + (r"\w*$" if m.group(0)[-1] in "_*" else "$"))
            count += 1
            if m.group(0) not in names[m.group(1)] and not any(pattern.match(n) for n in names[m.group(1)]):
                wrong.append("%s:%d: %s" % (f, text.count("\n", 0, m.start()) + 1, m.group(0)))
    check("names in documents are declared", not wrong and count > 500, "; ".join(wrong) or count)


def test_policy(d):
    """Every tuned number of every list can be set by its name, and has that name alone."""
    main_c, program = os.path.join(d, "main.c"), os.path.join(d, "policy")
    with open(main_c, "w") as f:
        f.write("int contact_main(int argc, char **argv) { return argc + (argv == 0); }\n")
    cc = ["cc", "-std=c99", "-O0", "-DCTI_POLICY_MUTABLE"] + os.environ.get("STB_CFLAGS", "").split()
    made = subprocess.run(cc + [os.path.join(ROOT, "bench", "policy.c"), main_c, "-lm", "-o", program], capture_output=True, text=True)
    check("bench/policy.c: compiled", made.returncode == 0, made.stderr)
    if made.returncode:
        return
    names = [line.split("\t")[0] for line in subprocess.run([program, "--list"], capture_output=True, text=True).stdout.splitlines()]
    lists = "".join(re.sub(r"/\*.*?\*/|#ifdef .*?#else", " ", open(f).read(), flags=re.S) for f in glob.glob(os.path.join(ROOT, "src", "*", "*polic*.h")))
    lines = len(re.findall(r"^\s+X\((?:int|ct_real|double), \w+,", lists, re.M))
    check("each tuned number can be set by its name", len(set(names)) == len(names) == lines and lines > 100, "%d names, %d lines" % (len(set(names)), lines))


def main():
    tests = [test_amalgamate, test_names, test_policy]
    if os.path.exists(CONTACT):
        tests += [test_scene_errors, test_scene_thickness, test_scene_accepts, test_keyframes, test_plane_transform, test_scene_mesh_errors, test_run,
                  test_run_options, test_run_again, test_newton_iterations, test_refine, test_frames_vtk,
                  test_small_creatures, test_video,
                  test_run_start, test_interrupt, test_other_commands, test_solve_trace, test_make_meshes]
    else:
        print("FAILED command line: %s was not built" % CONTACT)
        FAILED.append("build")
    for t in tests:
        with tempfile.TemporaryDirectory(prefix="contact_tools_") as d:
            try:
                t(d)
            except Exception as e:  # a failing test must not prevent the others
                check(t.__name__, False, repr(e))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
