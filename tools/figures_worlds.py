"""figures_worlds.py -- figures from the discrete stepper's scenes (Li 2015), and code that all figures of whole scenes share. Same contract as
figures_solvers.py, with its Bench."""
import json
import os
import subprocess
import sys

import figures_style as style
from figures_solvers import ROOT, TOOL, Missing, yes

WINDOW = 20  # steps of 30 ms


def scene(b, name, folder, changes=None, **options):
    """a scene of make_scenes.py with some of its keys changed; its path"""
    out = os.path.join(b.folder, folder)
    path = os.path.join(out, name, "scene.json")
    if not os.path.exists(path):
        command = [sys.executable, os.path.join(ROOT, "tools", "make_scenes.py"), "--out", out, "--only", name]
        for key, value in sorted(options.items()):
            command += ["--" + key.replace("_", "-"), str(value)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise Missing("scene %s (%s)" % (name, done.stderr.decode().strip().splitlines()[-1][:120] if done.stderr else "make_scenes.py"))
    with open(path) as f:
        data = json.load(f)
    data.update(changes or {})
    changed = os.path.join(out, name, "changed.json")
    with open(changed, "w") as f:
        json.dump(data, f)
    return changed


def run(b, path, *options):
    """lines of stats.jsonl and the summary"""
    out = os.path.join(b.folder, "run")
    done = subprocess.run([TOOL, "run", path, "--out", out, "--quiet", *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode == 1:
        raise Missing(done.stderr.decode().strip()[:160])
    with open(os.path.join(out, "stats.jsonl")) as f:
        lines = [json.loads(line) for line in f]
    with open(os.path.join(out, "summary.json")) as f:
        return lines, json.load(f)


def solve_ms(line):
    """CPU milliseconds of a step's solves: their share of the step's time on the clock, of its CPU time"""
    return line["cpu_ms"] * line["ms"]["solve"] / line["ms"]["total"] if line["ms"]["total"] > 0 else 0.0


def smooth(points, half=2):
    """means of five neighbours: a step's CPU time is measured in ticks"""
    return [(p[0], sum(q[1] for q in points[max(0, i - half):i + half + 1]) / len(points[max(0, i - half):i + half + 1])) for i,
        p in enumerate(points)]


# how li06 keeps rows: name of the curve, dcd.decouple, as printed
KEPT = (("one row a vertex, as printed", "random", True), ("all rows, as printed", "none", True), ("the deepest row a vertex", "deepest", False),
        ("rows with a vertex of their own", "pivot", False), ("all rows, on the multipliers", "none", False))


def li06(b):
    """as printed: algorithm 3 of the paper, which solves systems with J J' in every step when rows share vertices"""
    rows, curves, text = [], [], []
    steps = 80 if b.quick else 200
    for name, decouple, printed in KEPT:
        path = scene(b, "eight", "eight6", {"dcd": {"decouple": decouple}}, vertices=800 if b.quick else 5000)
        lines, summary = run(b, path, "--steps", str(steps), "--frames", "none", *(["--paper"] if printed else []))
        curves.append((name, smooth([(s["step"], max(solve_ms(s), 1e-3)) for s in lines])))
        rows += [(name, s["step"], s["contacts"], s["rows"], s["dropped"], s["solver_iterations"], solve_ms(s)) for s in lines]
        text.append((sum(solve_ms(s) for s in lines) / len(lines), max(solve_ms(s) for s in lines), summary["dropped"],
                     1e3 * max(s["penetration"] for s in lines)))
    b.csv("li06", ["rows_kept", "step", "contacts", "rows", "dropped", "iterations", "ms_solve"], rows)
    style.lines(b, "li06", [curves], ["step"], ["CPU ms of the solve"], logx=[False])
    one, all_rows, deepest, pivot, dual = text
    return {"title": "Li 2015, Fig. 6: overhead with and without decoupling",
            "shows": "Eight lizards fall together (the scene in the place of Fig. 5, %d tets in all, %d steps of 5 ms), milliseconds of the solve in "
                     "each step; the picture has means of five. \"As printed\" is `--paper`: algorithm 3, with one row a vertex at random, and with "
                     "all rows, for which equations 16, 18 and 20 are solved in every step." % (summary.get("tets", 0), len(lines)),
            "paper": "Decoupling makes the overhead many times smaller.",
            "see": "As printed: mean %.1f ms decoupled (worst %.0f), %.1f ms with all rows (worst %.0f): %.1f times as much. %d rows were "
                   "dropped, and the "
                   "deepest vertex was %.0f mm deep, %.0f with all; bodies that go into each other cost the decoupled runs rows later on. "
                   "Ours: mean %.1f ms "
                   "with the deepest row of a vertex, %.1f with those that have a vertex of their own (the default; %d dropped, %.0f mm deep), %.1f "
                   "with all rows on the multipliers (worst %.0f, %.0f mm)."
                   % (one[0], one[1], all_rows[0], all_rows[1], all_rows[0] / one[0], one[2], one[3], all_rows[3], deepest[0], pivot[0], pivot[2],
                       pivot[3], dual[0], dual[1], dual[3]),
            "claims": [["Fig. 6, section 5: decoupling makes the overhead many times smaller",
                        yes(all_rows[0] / one[0] >= 3, all_rows[0] / one[0] >= 1.5),
                        "as printed %.1f times the milliseconds without it" % (all_rows[0] / one[0])]]}


# how li07 steps: name of the curve, step, options of dcd. The paper names adaptive steps against tunnelling (section 5)
STEPPED = (("10 ms", 0.01, {"max_substeps": 1}), ("5 ms", 0.005, {"max_substeps": 1}),
           ("5 ms, adaptive", 0.005, {"max_substeps": 64, "substep_fraction": 0.1}),
           ("5 ms, adaptive, all rows", 0.005, {"max_substeps": 64, "substep_fraction": 0.1, "decouple": "none"}))


def li07(b):
    rows, curves, text, deep, mean, crossing = [], [], [], [], [], []
    for name, dt, options in STEPPED:
        path = scene(b, "eight", "eight", {"dt": dt, "dcd": options}, vertices=800 if b.quick else 1600)
        lines, summary = run(b, path, "--steps", str(int((0.5 if b.quick else 0.8) / dt)), "--frames", "none", "--check")
        curves.append((name, [(s["t"], max(1e3 * s["penetration"], 1e-4)) for s in lines]))
        rows += [(name, s["t"], s["penetration"], s["intersections"], s["substeps"]) for s in lines]
        late = lines[len(lines) // 2:]
        deep.append(1e3 * max(s["penetration"] for s in lines))
        mean.append(1e3 * sum(s["penetration"] for s in late) / len(late))
        crossing.append(sum(s["intersections"] for s in late) / len(late))
        text.append("%s: deepest vertex %.1f mm, %.1f on average over the second half, %.0f crossing pairs a step there, %.1f pieces a "
                    "step, %.1f s of CPU"
                    % (name, deep[-1], mean[-1], crossing[-1],
                       sum(s["substeps"] for s in lines) / len(lines), 1e-3 * sum(s["cpu_ms"] for s in lines)))
    b.csv("li07", ["run", "t", "penetration", "intersections", "substeps"], rows)
    style.lines(b, "li07", [curves], ["time [s]"], ["depth of the deepest vertex [mm]"], logx=[False], logy=[False])
    return {"title": "Li 2015, Fig. 7: thin parts at a large and at a small step",
            "shows": "Eight lizards with thin tails and legs: depth of the deepest vertex inside of a body, at 10 ms, at 5 ms, and at 5 ms "
                     "with adaptive "
                     "steps, cut where a vertex would go more than a tenth into a thin part (`dcd.substep_fraction` .1, `max_substeps` 64), which is "
                     "what the paper names against tunnelling.",
            "paper": "At 10 ms thin regions pass through each other and stay so; at 5 ms it is alleviated.",
            "see": "; ".join(text) + ". Pairs that cross while no vertex is inside are edges against edges, which vertices as constraints "
                                     "(equation 8) do "
                   "not see at any step.",
            "claims": [["Fig. 7: thin parts stay through each other at 10 ms, alleviated at 5 ms", yes(mean[1] < 0.8 * mean[0]),
                        "vertices are %.2f times as deep; %.0f pairs of triangles still cross" % (mean[1] / mean[0], crossing[1])],
                       ["section 5: tunnelling may be resolved by adaptive steps", yes(mean[2] < 0.1 * mean[0], mean[2] < 0.5 * mean[1]),
                        "%.2f times as deep as at 10 ms, with all rows besides %.2f; edges still cross" % (mean[2] / mean[0], mean[3] / mean[0])]]}


def positions(path):
    with open(path) as f:
        return [tuple(float(x) for x in line.split()[1:4]) for line in f if line.startswith("v ")]


def li12(b):
    rows, pictures, text, final = [], [], [], {}
    steps = 40 if b.quick else 60
    for tolerance in (1e-1, 1e-2, 1e-6):
        path = scene(b, "beam", "beam", {"solver_options": {"tolerance": tolerance}}, vertices=600 if b.quick else 1200)
        picture = os.path.join(b.folder, "beam_%g.png" % tolerance)
        lines, summary = run(b, path, "--steps", str(steps), "--frames", "obj", "--every", str(steps), "--render", picture)
        final[tolerance] = positions(os.path.join(b.folder, "run", "frame_%05d.obj" % steps))
        pictures.append(("tolerance %.0e" % tolerance, picture))
        rows += [(tolerance, s["step"], s["penetration"], s["energy"]["kinetic"], s["energy"]["elastic"], s["solver_iterations"]) for s in lines]
        text.append((tolerance, max(s["penetration"] for s in lines), sum(s["solver_iterations"] for s in lines) / max(1, summary["solves"])))
    off = {t: max(sum((a - c) ** 2 for a, c in zip(p, q)) ** 0.5 for p, q in zip(final[t], final[1e-6])) for t in (1e-1, 1e-2)}
    b.csv("li12", ["tolerance", "step", "penetration", "kinetic", "elastic", "iterations"], rows)
    style.images(b, "li12", pictures)
    return {"title": "Li 2015, Fig. 12: results at tolerances 1e-1 and 1e-2",
            "shows": "A beam across two bars after %d steps of 10 ms, the QPs solved to three tolerances." % steps,
            "paper": "At 1e-1 the result is not plausible, at 1e-2 it is.",
            "see": "; ".join("%.0e: deepest vertex %.1f mm, %.0f iterations a program" % (t, 1e3 * d, n) for t, d, n in text) +
                   ". Largest distance of a vertex to where it is at 1e-6: %.0f mm at 1e-1, %.0f mm at 1e-2." % (1e3 * off[1e-1], 1e3 * off[1e-2]),
            "claims": [["Fig. 12, section 6.2: not plausible at 1e-1", yes(text[0][1] > 1.5 * text[2][1]),
                        "%.0f mm deep instead of %.0f, %.0f mm away at the end" % (1e3 * text[0][1], 1e3 * text[2][1], 1e3 * off[1e-1])],
                       ["Fig. 12, section 6.2: plausible at 1e-2", yes(off[1e-2] < 0.02, text[1][1] < 1.2 * text[2][1]),
                        "as deep as the tight solution (%.1f and %.1f mm), but up to %.0f mm away from it" % (1e3 * text[1][1], 1e3 * text[2][1],
                         1e3 * off[1e-2])]]}


# Table 1 of the paper: vertices, tets, step [ms], share of conjugate steps [%], seconds a program, frames; what is in its place here
PAPER_TABLE = (("stairs", "Fig. 3", 46736, 160553, 10, 99.4, 36.4, 400), ("glass", "Fig. 4", 40107, 164419, 3, 99.1, 24.5, 600),
               ("eight", "Fig. 5", 11944, 41992, 5, 99.0, 5.13, 400), ("beam", "Fig. 12", 9537, 49152, 10, 99.8, 1.72, 200))
# runs of table1: steps of soft bodies, steps and Young's modulus [Pa] of stiff ones (none: too long at full size)
FRAMES = {"stairs": (40, 0, 0), "glass": (60, 0, 0), "eight": (120, 0, 0), "beam": (60, 30, 1e8)}


def table1_run(b, row, young, steps):
    """a scene of the table at its size: (vertices, tets, share of conjugate steps, seconds a program, steps, programs, most constraints,
    most dropped)"""
    path = scene(b, row[0], "table%g" % young, vertices=int(row[2] * b.scale), **({"young": young} if young else {}))
    lines, s = run(b, path, "--steps", str(steps), "--frames", "none")
    return (s["nodes"], s["tets"], 100.0 * s["cg_steps"] / max(1, s["solver_iterations"]), 1e-3 * sum(solve_ms(x) for x in lines if x["solves"]) /
            max(1, s["solves"]), len(lines), s["solves"], max(x["rows"] for x in lines), max(x["rows"] + x["dropped"] for x in lines))


def table1(b):
    rows, table = [], [["scene", "paper: vertices, tets, cg/it, s, frames", "bodies", "vertices, tets", "cg/it", "s a program", "frames, programs",
                        "most constraints (before decoupling)"]]
    for row in PAPER_TABLE:
        soft, stiff, young = FRAMES[row[0]]
        for kind, e, steps in (("soft", 0, 20 if b.quick else soft), ("stiff, %.0e Pa" % young, young, 10 if b.quick else stiff)):
            if not steps or (e and not stiff):
                continue
            r = table1_run(b, row, e, steps)
            rows.append((row[0], kind) + r)
            table.append(["%s (%s), %d ms" % (row[1], row[0], row[4]), "%d, %d, %.1f %%, %.2f, %d" % (row[2:4] + row[5:]), kind, "%d, %d" % r[:2],
                          "%.1f %%" % r[2], "%.3g" % r[3], "%d, %d" % r[4:6], "%d (%d)" % r[6:]])
    b.csv("table1", ["scene", "bodies", "vertices", "tets", "cg_percent", "seconds_a_program", "frames", "programs", "most_constraints",
        "before_decoupling"], rows)
    soft, stiff = [r[4] for r in rows if r[1] == "soft"], [r[4] for r in rows if r[1] != "soft"]
    glass = next(r for r in rows if r[0] == "glass")
    return {"title": "Li 2015, Table 1: its scenes",
            "shows": "Share of conjugate steps, seconds a program (estimate of |A| included). Bodies made here, with %s vertices, the first "
                     "frames of "
                     "its scenes; whole runs, and stiff bodies in all four scenes, are in [dcd.md](dcd.md)."
                     % ("the paper's number of" if b.scale == 1 else "%g of the paper's" % b.scale),
            "paper": "The second column (Core 2 E7500, 2.93 GHz).",
            "table": table,
            "see": "Programs of the soft bodies are short, and one to eight other steps belong to each. Seconds cannot be compared: the "
                   "paper names neither "
                   "materials nor tolerance.",
            "claims": [["Table 1: 99.0 to 99.8 % of the steps are conjugate ones", yes(min(soft) >= 98.9, min(stiff) >= 98.5),
                        "%.1f to %.1f %% with soft bodies, %.1f %% with a beam so stiff that programs are as long as the paper's"
                        % (min(soft), max(soft), min(stiff))],
                       ["Table 1: seconds a program", "not comparable",
                        "; ".join("%s %.3g s, paper %.3g s" % (r[0], r[5], p[6]) for r in rows if r[1] == "soft" for p in PAPER_TABLE
                                  if p[0] == r[0]) +
                        "; another machine, other materials"],
                       ["Fig. 4: 18,342 constraints in a step", yes(glass[9] >= 18000, glass[9] >= 1800),
                        "%d at most in %d frames before decoupling, %d behind it"
                        % (glass[9], glass[6], glass[8])]]}
