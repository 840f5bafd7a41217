#!/usr/bin/env python3
"""solver_table.py -- writes the table of docs/solvers.md from results of `contact solve`.

  python3 tools/solver_table.py [--data DIR] [--limit S] [--write]     prints the table; --write puts it between the page's two marks

Seconds are process CPU time for solving and judging, without reading the file, at tolerance 1e-8. `-`: the solver does not take the problem;
a word: another outcome (failed, ray); `>S`: the time limit ended it."""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(HERE, "docs", "solvers.md")
FIRST, LAST = "<!-- table: tools/solver_table.py -->", "<!-- end of table -->"
SOLVERS = ["auto", "ca", "interior", "active_set", "mprgp", "newton", "admm", "pgs", "lemke", "boxed", "ica"]
FILES = ["qp/vf_cpl_3k.cpb", "qp/slab_cpl_3k.cpb", "qp/stiff_3k.cpb", "qp/quasi_3k.cpb", "qp/redundant_3k.cpb", "qp/vf_dec_3k.cpb",
         "qp/stack_10k.cpb",
         "qp/stiff_10k.cpb", "qp/INFEASIBLE_3k.cpb", "mm/YAO.cpb", "mm/KSIP.cpb", "mm/DUAL1.cpb", "fc/G_fem_vf_1k.cpb", "fc/G_fem_stick_2k.cpb",
         "fc/G_fem_stack_3k.cpb", "fc/L_BoxesStack_fclibtest.cpb", "fc/L_Capsules-i103-990.cpb", "fc/L_OneObject-i1028-138.cpb",
         "fc/G_spheres-in-a-box-98-i10000-256-10.cpb", "lcp/pmat_nonsym_64.lcp", "lcp/murty_16.lcp", "lcp/rigid_box5_stack.lcp",
         "lcp/boxed_NESpheres_30_1.blcp", "lcp/boxed_spd_40.blcp"]


def solve(tool, path, limit):
    out = subprocess.run([tool, "solve", path, "--solver", "all", "--tol", "1e-8", "--time-limit", str(limit), "--json"], stdout=subprocess.PIPE,
                         check=False).stdout
    return {r["solver"]: r for r in map(json.loads, out.decode().splitlines())}


def cell(r, limit):
    if r is None or r["status"] == "not_applicable":
        return "-"
    if r["status"] == "budget" and r["seconds"] >= limit:
        return f">{limit:g}"
    if r["status"] not in ("solved", "infeasible"):
        return r["status"]
    return f"{r['seconds']:.2g}" if r["seconds"] >= 1e-3 else f"{r['seconds']:.4f}"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--data", default=os.environ.get("CONTACT_DATA", os.path.join(HERE, "..", "shared", "data")))
    p.add_argument("--tool", default=os.path.join(HERE, "build", "contact"))
    p.add_argument("--limit", type=float, default=2)
    p.add_argument("--write", action="store_true")
    args = p.parse_args()
    lines = ["| file | " + " | ".join(SOLVERS) + " |", "|---" * (len(SOLVERS) + 1) + "|"]
    for name in FILES:
        path = os.path.join(args.data, "problems", name)
        if not os.path.exists(path):
            sys.exit(f"solver_table: {path} is missing (--data)")
        got = solve(args.tool, path, args.limit)
        lines.append(f"| {os.path.basename(name)} | " + " | ".join(cell(got.get(s), args.limit) for s in SOLVERS) + " |")
        print(lines[-1], file=sys.stderr)
    table = "\n".join(lines)
    if not args.write:
        print(table)
        return
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    head, rest = text.split(FIRST, 1)
    with open(PAGE + ".tmp", "w", encoding="utf-8") as f:
        f.write(head + FIRST + "\n" + table + "\n" + LAST + rest.split(LAST, 1)[1])
    os.replace(PAGE + ".tmp", PAGE)


if __name__ == "__main__":
    main()
