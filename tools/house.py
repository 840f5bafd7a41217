#!/usr/bin/env python3
"""house.py -- figures of how the sources are built: sizes, functions, structs, tuned numbers, folders.

usage: python3 tools/house.py [--against REV] [--long] [--check]
--against REV   the same figures of another revision in a second column
--long          also lists the names behind the figures: the longest functions, the widest structs, the tuned numbers by file
--check         prints the figures above their LIMITS alone; exit 1 where there is one

Counted are the .c, .h and .inl files under src/. A function begins at the start of a line; its body is between a line `{` and a line `}`,
and its length includes both. A token is an identifier, a number, a string or an operator; comments have none. A code line has at least one
token that is no brace. A tuned number is an object macro or an enumerator with a number as its value, or a line of a list of tuned numbers
(0_base/tuned.h), where contacts are solved and steps are taken: 3_solve, 4_programs, 8_step, 8_cmr, 8_dcd, 8_barrier, 8_forms, 8_layers, 8_geometric,
8_penalty, 8_explicit. Codes and bits of masks
(CODES) are no tuned numbers. Standard library and git only.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.S)
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\.?\d[\w.]*(?:[eEpP][+-]\d+)?|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|'
                   r'<<|>>|##|\.\.\.|[^\s\w]')
HEAD = re.compile(r"^[A-Za-z_][^;={}\n]*\([^;{}\n]*(?:\n[ \t][^;{}\n]*)*\)[ \t]*\n\{\n", re.M)
TEMPLATE = re.compile(r"\bCTI_TN\((\w+), (\w+)\)")  # the name of a function or type that is made for two number types
STRUCT = re.compile(r"^typedef struct (\w+) \{(.*?)\n\} \w+;", re.M | re.S)
MACRO = re.compile(r"^#define (CTI_\w+) +(?:CTI_R\()?\(?-?[\d.][\w.+-]*\)?\)?\s*$", re.M)
ENUM = re.compile(r"enum(?: \w+)? \{([^}]*)\}")
TUNED = ("3_solve", "4_programs", "8_step", "8_cmr", "8_dcd", "8_barrier", "8_forms", "8_layers", "8_geometric", "8_penalty", "8_explicit")
LIST = re.compile(r"^#define CTI_TUNED_(\w+)\(X\)(.*?[^\\])$", re.M | re.S)
# names with a number that is a code, a bit, or what a shape of data needs: no other value would be better or worse
CODES = {"CTI_HELD_REPAIR", "CTI_HELD_IMPLAUSIBLE", "CTI_HELD_RESTED", "CTI_PART_EXCLUDED", "CTI_ENERGY_TOUCHED", "CTI_ENERGY_JOINED",
         "CTI_ENERGY_LEFT", "CTI_CMR_HIT", "CTI_CMR_OTHER", "CTI_ROW_TERMS", "CTI_PARTS_DEPTH", "CTI_PENALTY_LEVELS",
         "CTI_PROGRAM_LOCAL", "CTI_PROGRAM_GLOBAL", "CTI_PROGRAM_QP", "CTI_PROGRAM_LCP", "CTI_STEPPER_ENDS_APART", "CTI_STEPPER_NEEDS_FACTORS",
         "CTI_STEPPER_CUTS", "CTI_STEPPER_PRINTED", "CTI_STEPPER_HALFWAY", "CTI_LINKAGE_ALONE", "CTI_LINKAGE_LOADED", "CTI_LINKAGE_FORCED", "CTI_BARRIER_OLD_HESSIAN",
         "CTI_BARRIER_OLD_ANALYSIS", "CTI_BARRIER_OLD_FACTOR"}

# what no figure may exceed. Lower a limit when the sources go below it; raise that of lines with a row of docs/methods.md that the lines buy
LIMITS = {"lines": 94791, "lines over 150 columns": 0, "functions over 60 lines": 0, "functions over 8 parameters": 0, "tuned numbers outside of policy": 0}


def without_comments(text):
    """comments as blanks, lines kept"""
    def blank(m):
        s = m.group(0)
        return s if s[0] != "/" else re.sub(r"[^\n]", " ", s)
    return COMMENT.sub(blank, text)


def files_of(revision):
    """{path under src: text}"""
    if not revision:
        found = {}
        for folder, _, names in os.walk(os.path.join(ROOT, "src")):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith((".c", ".h", ".inl")):
                    with open(path, encoding="ascii") as f:
                        found[os.path.relpath(path, os.path.join(ROOT, "src"))] = f.read()
        return found
    git = ["git", "-C", ROOT]
    names = subprocess.run(git + ["ls-tree", "-r", "--name-only", revision, "src"], check=True, capture_output=True, text=True).stdout.split()
    return {n[4:]: subprocess.run(git + ["show", revision + ":" + n], check=True, capture_output=True, text=True).stdout
            for n in names if n.endswith((".c", ".h", ".inl"))}


def split_top(text):
    """parts between commas that are in no bracket"""
    depth, parts, last = 0, [], 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    return [p.strip() for p in parts + [text[last:]] if p.strip()]


def functions_of(path, code):
    """(lines, parameters, name, path) of each"""
    found = []
    for m in HEAD.finditer(code):
        head = TEMPLATE.sub(r"\1_\2", m.group(0)[:m.group(0).rindex(")")])
        end = code.find("\n}\n", m.end() - 1)
        at = head.index("(")
        name = re.findall(r"\w+", head[:at])
        inside = split_top(head[at + 1:])
        if end >= 0 and name and not head.startswith(("#", "typedef")):
            found.append((code[m.start():end + 2].count("\n") + 1, 0 if inside == ["void"] else len(inside), name[-1], path))
    return found


def structs_of(path, code):
    """(fields, name, path) of each"""
    found = []
    for m in STRUCT.finditer(code):
        body = re.sub(r"\{[^{}]*\}", "", m.group(2))
        found.append((sum(len(split_top(line)) for line in body.split(";") if line.strip()), m.group(1), path))
    return found


def groups_of(code):
    """{name of a list: names of its numbers}; alternatives of one list, behind #if, count once"""
    return {m.group(1): re.findall(r"\bX\(\w+, (\w+),", m.group(2)) for m in LIST.finditer(code)}


def tuned_of(path, code):
    """names of tuned numbers"""
    names = [m.group(1) for m in MACRO.finditer(code)]
    for m in ENUM.finditer(code):
        names += [re.match(r"\w+", e).group(0) for e in split_top(m.group(1)) if re.match(r"CTI_\w+ *= *-?\d", e)]
    for group, members in groups_of(code).items():
        names += ["%s.%s" % (group.lower(), n) for n in members]
    return [n for n in dict.fromkeys(names) if n not in CODES]


class House:
    def __init__(self, files):
        self.lines = self.code_lines = self.tokens = self.wide = 0
        self.functions, self.structs, self.tuned, self.groups = [], [], {}, {}
        self.folders = collections.Counter()
        for path, text in sorted(files.items()):
            code = without_comments(text)
            self.lines += text.count("\n")
            self.wide += sum(len(line) > 150 for line in text.split("\n"))
            for line in code.split("\n"):
                count = len(TOKEN.findall(line))
                self.tokens += count
                self.code_lines += bool(line.strip(" {};"))
            self.folders[os.path.dirname(path)] += 1
            self.functions += functions_of(path, code)
            self.structs += structs_of(path, code)
            if path.startswith(TUNED):
                self.tuned[path] = tuned_of(path, code)
                self.groups.update(groups_of(code))

    def step_structs(self):
        return [s for s in self.structs if s[2].startswith(TUNED)]

    def figures(self):
        tuned = sum(len(names) for path, names in self.tuned.items())
        outside = sum(len(names) for path, names in self.tuned.items() if "policy" not in os.path.basename(path))
        solves = sum(len(names) for path, names in self.tuned.items() if path.startswith(("3_solve", "8_step", "8_cmr"))
                     and "policy" not in os.path.basename(path))
        return [
            ("lines", self.lines),
            ("lines over 150 columns", self.wide),
            ("code lines", self.code_lines),
            ("tokens", self.tokens),
            ("tokens a code line", "%.1f" % (self.tokens / max(1, self.code_lines))),
            ("functions", len(self.functions)),
            ("lines of the longest function", max(f[0] for f in self.functions)),
            ("functions over 60 lines", sum(f[0] > 60 for f in self.functions)),
            ("functions over 8 parameters", sum(f[1] > 8 for f in self.functions)),
            ("fields of the widest struct of solves and steps", max(s[0] for s in self.step_structs())),
            ("structs of over 20 fields there", sum(s[0] > 20 for s in self.step_structs())),
            ("tuned numbers there", tuned),
            ("tuned numbers outside of policy", outside),
            ("tuned numbers of 3_solve and 8_step outside of policy", solves),
            ("groups of tuned numbers", len(self.groups)),
            ("numbers in the largest group", max([len(g) for g in self.groups.values()] or [0])),
        ] + [("files in " + f, n) for f, n in sorted(self.folders.items())]


def print_names(house):
    print("\nlongest functions")
    for lines, _, name, path in sorted(house.functions, reverse=True)[:10]:
        print("  %3d %s (%s)" % (lines, name, path))
    print("functions over 8 parameters")
    for _, parameters, name, path in sorted((f for f in house.functions if f[1] > 8), key=lambda f: -f[1]):
        print("  %3d %s (%s)" % (parameters, name, path))
    print("structs of over 20 fields in solves and steps")
    for fields, name, path in sorted((s for s in house.step_structs() if s[0] > 20), reverse=True):
        print("  %3d %s (%s)" % (fields, name, path))
    print("tuned numbers by file")
    for path, names in sorted(house.tuned.items(), key=lambda item: -len(item[1])):
        if names:
            print("  %3d %s: %s" % (len(names), path, " ".join(names)))


def main():
    parser = argparse.ArgumentParser(description="figures of how the sources are built")
    parser.add_argument("--against", default="", metavar="REV", help="a second column with the figures of another revision")
    parser.add_argument("--long", action="store_true", help="the names behind the figures")
    parser.add_argument("--check", action="store_true", help="compare with the limits")
    arguments = parser.parse_args()
    house = House(files_of(""))
    if arguments.check:
        above = [(name, value, LIMITS[name]) for name, value in house.figures() if name in LIMITS and value > LIMITS[name]]
        for name, value, limit in above:
            print("house.py: %s: %d, the limit is %d. FIX: take out as much, or see LIMITS in tools/house.py" % (name, value, limit))
        sys.exit(bool(above))
    try:
        other = dict(House(files_of(arguments.against)).figures()) if arguments.against else {}
    except subprocess.CalledProcessError as e:
        sys.exit("house.py: %s: %s" % (arguments.against, e.stderr.strip()))
    now = house.figures()
    names = [name for name, _ in now] + [name for name in other if name not in dict(now)]
    if other:
        print("%-52s %10s %10s" % ("", arguments.against[:10], "now"))
    for name in names:
        if other:
            print("%-52s %10s %10s" % (name, other.get(name, "-"), dict(now).get(name, "-")))
        else:
            print("%-52s %10s" % (name, dict(now)[name]))
    if arguments.long:
        print_names(house)


if __name__ == "__main__":
    main()
