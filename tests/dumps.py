#!/usr/bin/env python3
"""dumps.py -- contact problems that worlds dump, through every solver of a build with sanitizers: no crash, none called solved that the
law refutes, none refused by the solvers that take every such problem. Without sanitizers ICA solves 95 % of the problems whose steps the world
solved, in 3 s each.

usage: dumps.py [--short] [--table] [--each N] [--seconds S] [SCENE...]      without names all scenes
Runs scenes with `contact run --dump-problems`, chooses N problems of each, evenly over time, and solves them with `contact solve --solver all`.
The judge here is written anew from the law of docs/solvers.md: A x = b + J'r, u = J x + w, |r - P_K(r - D u^)|, for x and r as dumped. --short: few
problems of small scenes (`make test`). --table: a table for docs, with the build without sanitizers. Lines "ok NAME", "FAILED NAME: why",
"SKIPPED NAME: what is missing"; exit 1 when one failed. Standard library only.
"""
import argparse
import array
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("CONTACT_DATA", os.path.join(ROOT, "..", "shared", "data"))
OWN = os.path.join(ROOT, "examples", "scenes")
# scene, steps
SHORT = [(os.path.join(OWN, "two_cubes.json"), 60), (os.path.join(OWN, "slope.json"), 40), (os.path.join(OWN, "overlap.json"), 60)]
LONG = [(os.path.join(OWN, n + ".json"), k) for n, k in (("two_cubes", 150), ("slope", 150), ("cloth_on_sphere", 150), ("overlap", 150),
                                                         ("pinch", 120))] \
    + [(os.path.join(DATA, "scenes", *n.split("/"), "scene.json"), k) for n, k in (("peers/S1_dt60", 30), ("peers/S2", 110), ("peers/S3_N4", 60),
                                                                                   ("peers/S3_N8", 40), ("ipc/other_2matsFall", 30))]
TAKES_ALL = ("auto", "ica", "newton", "pgs", "admm", "interior")
TOLERANCE = 1e-8
FAILED = []


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[-900:]), flush=True)
    if not ok:
        FAILED.append(name)


def read_cpb(path):
    """The arrays of a CPB file (docs/cpb.md)."""
    data = open(path, "rb").read()
    n, at, out = struct.unpack_from("<I", data, 12)[0], 16, {}
    for _ in range(n):
        name, dtype, _, count = struct.unpack_from("<16sIIQ", data, at)
        size = count * (8 if dtype else 4)
        values = array.array("d" if dtype else "i")
        values.frombytes(data[at + 32:at + 32 + size])
        out[name.rstrip(b"\0").decode()] = values
        at += 32 + (size + 7) // 8 * 8
    return out


def read_answer(path):
    words = open(path).read().split()
    n = int(words[1])
    return [float(v) for v in words[2:2 + n]], [float(v) for v in words[4 + n:]]


def project(mu, r):
    """r to the nearest point of |r_t| <= mu r_n."""
    t = (r[1] * r[1] + r[2] * r[2]) ** 0.5
    if t <= mu * r[0]:
        return r
    if mu * t <= -r[0]:
        return [0, 0, 0]
    n = (r[0] + mu * t) / (1 + mu * mu)
    return [n, mu * n * r[1] / t, mu * n * r[2] / t]


def natural(q, x, r):
    """(|A x - b - J'r| and |r - P_K(r - D u^)|, each relative to the larger of its terms; D_i from A's diagonal, J_i diag(A)^-1 J_i'). H is J'."""
    n, m = q["H.dim"]
    u, own = list(q["w"]), [0.0] * m
    g, size = [-b for b in q["f"]], max([abs(b) for b in q["f"]] + [1e-300])
    diagonal = [0.0] * n
    if "A.p" in q:
        p, cols, val = q["A.p"], q["A.i"], q["A.x"]
        entries = ((3 * i + e // 3, 3 * cols[k] + e % 3, val[9 * k + e], i != cols[k])
                   for i in range(len(p) - 1) for k in range(p[i], p[i + 1]) for e in range(9))
    else:
        p, cols, val = q["M.p"], q["M.i"], q["M.x"]
        upper = all(cols[k] >= i for i in range(len(p) - 1) for k in range(p[i], p[i + 1]))
        entries = ((i, cols[k], val[k], upper and i != cols[k]) for i in range(len(p) - 1) for k in range(p[i], p[i + 1]))
    for i, j, a, mirrored in entries:
        g[i] += a * x[j]
        size = max(size, abs(a * x[j]))
        if mirrored:
            g[j] += a * x[i]
        if i == j:
            diagonal[i] += a
    for i in range(n):
        for k in range(q["H.p"][i], q["H.p"][i + 1]):
            j, h = q["H.i"][k], q["H.x"][k]
            u[j] += h * x[i]
            g[i] -= h * r[j]
            size = max(size, abs(h * r[j]))
            own[j] += h * h / diagonal[i]
    worst, large, speed = 0.0, 0.0, max([abs(v) for v in u] + [abs(v) for v in q["w"]] + [1e-300])
    for i in range(m // 3):
        mu, trace = q["mu"][i], sum(own[3 * i:3 * i + 3])
        d = 3 / trace if trace > 0 else 1
        ui, ri = u[3 * i:3 * i + 3], r[3 * i:3 * i + 3]
        ui[0] += mu * (ui[1] ** 2 + ui[2] ** 2) ** 0.5
        z = project(mu, [a - d * b for a, b in zip(ri, ui)])
        worst = max(worst, max(abs(a - b) for a, b in zip(ri, z)))
        large = max(large, max(abs(a) for a in ri), d * speed)
    return max(abs(v) for v in g) / size, worst / max(large, 1e-300)


def dump(tool, scene, steps, each, out):
    """(exit code, the chosen files, the steps that the world solved)"""
    p = subprocess.run([tool, "run", scene, "--stepper", "cmr", "--steps", str(steps), "--dump-problems", out, "--out", out,
                        "--frames", "none", "--quiet"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1200)
    stats = os.path.join(out, "stats.jsonl")
    solved = {s["step"] for s in map(json.loads, open(stats)) if s["status"] in ("ok", "substepped")} if os.path.exists(stats) else set()
    files = sorted(glob.glob(os.path.join(out, "*.cpb")))
    with_rows = [f for f in files if struct.unpack_from("<I", open(f, "rb").read(16), 12)[0] and len(read_cpb(f)["mu"]) > 0]
    stride = max(1, len(with_rows) / each)
    return p.returncode, [with_rows[int((i + 0.5) * stride)] for i in range(min(each, len(with_rows)))], solved


def solve(tool, path, solver, seconds, out):
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:handle_sigill=1")
    p = subprocess.run([tool, "solve", path, "--solver", solver, "--time-limit", str(seconds), "--tol", str(TOLERANCE), "--json", "--dump", out],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1200, env=env)
    lines = [json.loads(s) for s in p.stdout.decode().splitlines() if s.startswith("{")]
    return p.returncode, p.stderr.decode(errors="replace"), lines


def one(tool, name, path, seconds, out, counts):
    code, said, lines = solve(tool, path, "all", seconds, out)
    name += "/" + os.path.basename(path)
    check(name + " ends without a crash", code in (0, 2) and "Sanitizer" not in said and "runtime error" not in said, "%d %s" % (code, said))
    refused = [s["solver"] for s in lines if s["status"] == "not_applicable" and s["solver"] in TAKES_ALL]
    check(name + " is refused by none of " + ", ".join(TAKES_ALL), not refused and len(lines) >= len(TAKES_ALL), refused)
    problem, wrong = read_cpb(path), []
    for s in lines:
        counts.setdefault(s["solver"], {}).setdefault(s["status"], []).append(s["seconds"])
        if s["status"] == "solved":
            x, r = read_answer(os.path.join(out, "%s.%s.txt" % (os.path.basename(path), s["solver"])))
            dynamics, law = natural(problem, x, r)
            if not (dynamics <= 100 * TOLERANCE and law <= 100 * TOLERANCE):
                wrong.append("%s dynamics %.1e law %.1e" % (s["solver"], dynamics, law))
    check(name + " no solution is refuted", not wrong, "; ".join(wrong))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("scenes", nargs="*")
    args = parser.parse_args()
    plain, sane = os.path.join(ROOT, "build", "contact"), os.path.join(ROOT, "build", "contact_asan")
    each, seconds = args.each or (7 if args.short else 20), args.seconds or (0.5 if args.short else 1)
    total, of_world, of_ica = {}, 0, 0
    for scene, steps in SHORT if args.short else LONG:
        name = os.path.basename(scene)[:-5]
        name = os.path.basename(os.path.dirname(scene)) if name == "scene" else name
        if args.scenes and name not in args.scenes:
            continue
        if not os.path.exists(scene):
            print("SKIPPED %s: %s" % (name, os.path.relpath(scene, ROOT)), flush=True)
            continue
        with tempfile.TemporaryDirectory(prefix="contact_dumps_") as out:
            code, files, solved = dump(plain, scene, steps, each, out)
            check(name + " dumps problems", code == 0 and files, code)
            counts = {}
            for path in files:
                one(plain if args.table else sane, name, path, seconds, out, counts)
                if int(os.path.basename(path)[5:10]) in solved:
                    of_world += 1
                    of_ica += solve(plain, path, "ica", 3, out)[2][0]["status"] == "solved"
            total[name] = (len(files), counts)
            print("%s: %d problems; solved, of those not refused: %s" % (name, len(files), ", ".join(
                "%s %d of %d" % (s, len(c.get("solved", [])), sum(map(len, c.values())) - len(c.get("not_applicable", [])))
                for s, c in counts.items())), flush=True)
    if total:
        check("ica solves 95 %% of the problems of solved steps: %d of %d" % (of_ica, of_world), of_ica >= 0.95 * of_world > 0)
    if args.table:
        solvers = [s for s in next(iter(total.values()))[1]] if total else []
        print("\n| scene | problems | " + " | ".join("`%s`" % s for s in solvers) + " |\n|" + "---|" * (2 + len(solvers)))
        for name, (n, counts) in total.items():
            print("| %s | %d | " % (name, n) + " | ".join(str(len(counts.get(s, {}).get("solved", []))) for s in solvers) + " |")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
