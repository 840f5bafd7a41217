#!/usr/bin/env python3
"""test_sweep.py -- contact sweep: 200 slopes give the friction cone; the table is the same from one process, from GNU parallel, from two of mpirun,
and after a kill; the Slurm script is a script.

Prints a line a check, "ok NAME", "FAILED NAME: why" or "SKIPPED NAME: what is missing"; exit 1 when one failed.
"""
import csv
import glob
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
FAILED = []
MU, STEPS, DT = 0.5, 40, 0.01
ANGLES, AROUND = [10 + 1.65 * i for i in range(20)], 10


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[:600]), flush=True)
    if not ok:
        FAILED.append(name)


def run(args, **more):
    p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **more)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def sweep(d, *args):
    return run([CONTACT, "sweep", d + "/cone.json"] + list(args))


def write(d, name, data):
    with open(os.path.join(d, name), "w") as f:
        json.dump(data, f)


def table(folder):
    try:
        return open(folder + "/table.csv").read()
    except OSError as e:
        return str(e)


def check_cone(text):
    """a block slides where gravity leaves the cone of friction, as far as Coulomb's law says"""
    rows = list(csv.DictReader(text.splitlines()))
    wrong, worst = [], 0
    for row in rows:
        g = json.loads(row["gravity"])
        across, down = math.hypot(g[0], g[2]), -g[1]
        angle = math.degrees(math.atan2(across, down))
        moved = math.hypot(float(row["center_of_mass.x"]), float(row["center_of_mass.z"]))
        # steps of implicit Euler: a dt^2 n (n + 1) / 2
        want = max(0, across - MU * down) * DT * DT * STEPS * (STEPS + 1) / 2
        worst = max(worst, abs(moved - want))
        if abs(angle - math.degrees(math.atan(MU))) > 0.2 and (moved > 1e-4) != (math.tan(math.radians(angle)) > MU):
            wrong.append((angle, moved))
    check("200 slopes give the friction cone", len(rows) == 200 and not wrong and all(r["exit"] == "0" for r in rows), wrong or len(rows))
    check("blocks slide as far as Coulomb's law says", worst < 0.01, worst)


def check_kill(d, whole):
    """killed half-way, the same command again runs what is missing"""
    p = subprocess.Popen([CONTACT, "sweep", d + "/cone.json", "--out", d + "/killed"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.time() + 60
    while len(glob.glob(d + "/killed/case_*.json")) < 80 and time.time() < end and p.poll() is None:
        time.sleep(0.002)
    p.send_signal(signal.SIGKILL)
    p.wait()
    done = len(glob.glob(d + "/killed/case_*.json"))
    code, _, err = sweep(d, "--out", d + "/killed", "--merge")
    check("a merge of a part says what is missing", done < 200 and code == 2 and "%d cases have no result" % (200 - done) in err, (done, err))
    old = {p: os.stat(p).st_mtime_ns for p in glob.glob(d + "/killed/case_*.json")}
    code, _, err = sweep(d, "--out", d + "/killed")
    check("a sweep that was killed goes on", code == 0 and table(d + "/killed") == whole, err)
    check("what was there is not run again", all(os.stat(p).st_mtime_ns == t for p, t in old.items()))
    left = [p for p in os.listdir(d + "/killed") if not (p.startswith("case_") and p.endswith(".json")) and p != "table.csv"]
    check("no file is left over but of the case that was killed", len(left) <= 1, left)


def check_many(d, whole):
    if shutil.which("mpirun"):
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        code, _, err = run(["mpirun", "--oversubscribe", "-n", "2", CONTACT, "sweep", d + "/cone.json", "--out", d + "/mpi"], env=env)
        check("two ranks run all cases", code == 0 and len(glob.glob(d + "/mpi/case_*.json")) == 200, err)
        sweep(d, "--out", d + "/mpi", "--merge")
        check("the table of mpirun is the same", table(d + "/mpi") == whole)
    else:
        print("SKIPPED sweep by mpirun: needs the Debian package openmpi-bin")
    code, out, _ = sweep(d, "--out", d + "/parallel", "--list")
    check("--list prints a command a case", code == 0 and len(out.splitlines()) == 200)
    if shutil.which("parallel"):
        code, _, err = run(["parallel", "-j", "2"], input=out.encode(), env=dict(os.environ, HOME=d))
        sweep(d, "--out", d + "/parallel", "--merge")
        check("the table of GNU parallel is the same", code == 0 and table(d + "/parallel") == whole, err)
    else:
        print("SKIPPED sweep by GNU parallel: needs the Debian package parallel")
    code, out, _ = sweep(d, "--out", d + "/a folder's", "--slurm")
    with open(d + "/slurm.sh", "w") as f:
        f.write(out)
    code2, _, err = run(["bash", "-n", d + "/slurm.sh"])
    check("the Slurm script is one", code == 0 and code2 == 0 and "#SBATCH --array=0-199" in out, err)
    code, _, err = run(["sh", d + "/slurm.sh"], env=dict(os.environ, SLURM_ARRAY_TASK_ID="7"))
    check("the Slurm script runs a case", code == 0 and os.listdir(d + "/a folder's") == ["case_000007.json"], err)


def check_changes(d):
    """grids, ranges; a changed scene is run again; mistakes"""
    vary = [{"key": "friction", "from": 0, "to": 1, "count": 3}, {"keys": ["dt", "thickness"], "values": [[0.01, 1e-3], [0.02, 2e-3]]}]
    write(d, "grid.json", {"scene": "cone_scene.json", "steps": 2, "options": ["--stepper", "barrier"], "vary": vary})
    code, _, err = run([CONTACT, "sweep", d + "/grid.json", "--out", d + "/grid"])
    rows = list(csv.DictReader(table(d + "/grid").splitlines()))
    first = [("0", "0.01", "0.001"), ("0", "0.02", "0.002"), ("0.5", "0.01", "0.001")]
    check("a grid has the product of its axes, the last fastest", code == 0 and
          [(r["friction"], r["dt"], r["thickness"]) for r in rows][:3] == first and len(rows) == 6 and
          {r["stepper"] for r in rows} == {"barrier"}, err or rows)
    before = table(d + "/grid")
    write(d, "cone_scene.json", dict(json.load(open(d + "/cone_scene.json")), gravity=[0, -1, 0]))
    run([CONTACT, "sweep", d + "/grid.json", "--out", d + "/grid"])
    check("cases of a scene that was changed are run again", table(d + "/grid") != before)
    for name, change, words in (("no scene", {"scene": None}, ["scene"]), ("misspelt", {"vari": []}, ["vari", "'vary'"]),
                                ("nothing varies", {"vary": []}, ["vary", "expected"]),
                                ("range without an end", {"vary": [{"key": "dt", "from": 0, "count": 3}]}, ["vary[0]", '"to"']),
                                ("tuples of another length", {"vary": [{"keys": ["dt", "friction"], "values": [[1]]}]}, ["vary[0]", "2 values"]),
                                ("a key that scenes do not have", {"vary": [{"key": "frictoin", "values": [1]}]},
                                 ["frictoin", "'friction'", "case 0"])):
        write(d, "bad.json", dict(json.load(open(d + "/grid.json")), **change))
        code, _, err = run([CONTACT, "sweep", d + "/bad.json", "--out", d + "/bad"])
        check("sweep refuses: " + name, code == 1 and not [w for w in words if w not in err], err)
    code, _, err = run([CONTACT, "sweep", d + "/grid.json"])
    check("sweep needs a folder", code == 1 and "--out DIR" in err, err)
    code, _, err = run([CONTACT, "sweep", d + "/grid.json", "--out", d + "/grid", "--case", "6"])
    check("sweep names a case that there is not", code == 1 and "--case 6" in err and "below 6" in err, err)


def check_page(d):
    """the sweep of docs/files.md"""
    page = open(os.path.join(ROOT, "docs", "files.md")).read()
    data = json.loads(page[page.index("```json") + 7:].split("```")[0])
    data.update(scene=os.path.join(ROOT, "docs", data["scene"]), steps=1)
    write(d, "page.json", data)
    code, out, err = run([CONTACT, "sweep", d + "/page.json", "--out", d + "/page"])
    check("the sweep of docs/files.md runs", code == 0 and "22 of 22 cases" in out, err)


def main():
    with tempfile.TemporaryDirectory(prefix="contact_test_") as d:
        write(d, "cone_scene.json", {"name": "cone", "dt": DT, "duration": DT * STEPS, "friction": MU, "bodies": [
            {"name": "block", "type": "rigid", "shape": {"box": {"size": [0.3, 0.05, 0.3], "cells": [1, 1, 1]}},
             "transform": [{"translate": [0, 0.0255, 0]}]},
            {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 4}}}]})
        directions = [(math.radians(a), 2 * math.pi * i / AROUND) for a in ANGLES for i in range(AROUND)]
        write(d, "cone.json", {"scene": "cone_scene.json", "vary": [{"key": "gravity", "values": [
            [9.81 * math.sin(a) * math.cos(b), -9.81 * math.cos(a), 9.81 * math.sin(a) * math.sin(b)] for a, b in directions]}]})
        code, out, err = sweep(d, "--out", d + "/one")
        check("contact sweep runs 200 cases", code == 0 and "200 of 200 cases" in out, err)
        whole = table(d + "/one")
        check_cone(whole)
        check_kill(d, whole)
        check_many(d, whole)
        check_changes(d)
        check_page(d)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
