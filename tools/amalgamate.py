#!/usr/bin/env python3
"""amalgamate.py -- writes contact.h from src/MANIFEST, and refuses code that breaks the rules of the sources.

usage: python3 tools/amalgamate.py                 write contact.h
       python3 tools/amalgamate.py --check         rebuild in memory, compare bytes with contact.h; exit 1 when they differ
       python3 tools/amalgamate.py --map LINE      file:line in src/ that line LINE of contact.h comes from
       python3 tools/amalgamate.py --draft         write contact.h, ignoring files that are not in the manifest yet
       python3 tools/amalgamate.py --standalone    write build/contact_standalone.h with the machine's stb_ds.h inside

Method: files are copied line by line in the order of the manifest. Only three kinds of line are treated: an include guard or #pragma once is dropped, an
include of an own file is dropped (every file is there once) or, for .inl, replaced by that file's lines; all other lines stay unchanged.
Behind a .c file its macros are undefined.
Every refusal ends with a line `FIX:` that says what to do. Standard library only.
"""
import argparse
import hashlib
import os
import re
import sys
import textwrap

import reach

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SRC = os.path.join(ROOT, "src")
OUT = os.path.join(ROOT, "contact.h")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
DEFINE = re.compile(r"^\s*#\s*define\s+([A-Za-z_]\w*)")
UNDEF = re.compile(r"^\s*#\s*undef\s+([A-Za-z_]\w*)")
DIRECTIVE = re.compile(r"^\s*#\s*(if|ifdef|ifndef|endif)\b")
MARK = re.compile(r"""/\*|//|"(?:\\.|[^"\\])*\\?(?P<end>")?|'(?:\\.|[^'\\])*\\?(?P<end1>')?""")  # a comment, or a string to its end
WINDOWS = re.compile(r"^(?!\s*#).*\b(far|near|small|hyper|interface|pascal|cdecl)\b")  # macros of windows.h and what it includes
FILE_SCOPE = re.compile(r"^(static|CTI_INLINE|CTI_NOINLINE|CTI_FN)\b")
STANDS_ON = {"8_forms": "8_barrier"}  # a folder beside a stepper's that uses the stepper's files; the stepper calls it by function pointers
# files that stay complete, used or not: lanes, vectors and elementary functions, which have every operation in every type
VOCABULARY = ("src/1_math/simd", "src/1_math/lanes", "src/1_math/vec.h", "src/1_math/elem")
STB_SEARCH = [os.path.join(ROOT, "stb_ds.h"), "/usr/include/stb/stb_ds.h", "/usr/local/include/stb/stb_ds.h", "/usr/include/stb_ds.h",
              os.path.join(ROOT, "build/deps/root/usr/include/stb/stb_ds.h")]


class Refused(Exception):
    def __init__(self, what, fix):
        super().__init__("%s\nFIX: %s" % (what, fix))


def read(path):
    with open(os.path.join(SRC, path), "rb") as f:
        data = f.read()
    for number, line in enumerate(data.split(b"\n"), 1):
        where = "src/%s:%d" % (path, number)
        if b"\t" in line:
            raise Refused(where + ": a tab", "use spaces")
        if b"\r" in line:
            raise Refused(where + ": a carriage return", "save the file with unix line ends")
        if not line.isascii() or b"\x7f" in line:
            raise Refused(where + ": a character outside of ASCII", "write it in ASCII")
    if data and not data.endswith(b"\n"):
        raise Refused("src/%s: no newline at the end" % path, "add it")
    return data


class Entry:
    """A line of the manifest: name, and the words behind it. fast: CONTACT_OPTIMIZE 1 gives it -O2."""
    def __init__(self, name, words):
        self.name = name
        self.fast = "fast" in words
        unknown = [w for w in words if w != "fast"]
        if unknown:
            raise Refused("src/MANIFEST: %s behind %s" % (unknown[0], name), "the word there is fast")


def read_manifest():
    entries = []
    for line in read("MANIFEST").decode().splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        name = words[0]
        if any(e.name == name for e in entries):
            raise Refused("src/MANIFEST lists %s twice" % name, "remove one of the lines")
        if not os.path.exists(os.path.join(SRC, name)):
            raise Refused("src/MANIFEST lists %s, which does not exist" % name, "write the file or remove the line")
        entries.append(Entry(name, words[1:]))
    return entries


def floor_of(name):
    """public is below 0_base; the number is the floor."""
    head = name.split("/")[0]
    if head == "public":
        return -1
    if not head.split("_")[0].isdigit():
        raise Refused("src/%s is on no floor" % name, "put it into a folder N_name")
    return int(head.split("_")[0])


def check_listed(names, draft):
    for folder, _, files in sorted(os.walk(SRC)):
        for f in sorted(files):
            name = os.path.relpath(os.path.join(folder, f), SRC).replace(os.sep, "/")
            if name.endswith((".c", ".h")) and name not in names and not draft:
                raise Refused("src/%s is not in src/MANIFEST" % name, "add a line for it at its floor, after the files that it includes")
    last = -1
    for name in names:
        if floor_of(name) < last:
            raise Refused("src/MANIFEST: %s comes after a higher floor" % name, "order the lines by floor")
        last = floor_of(name)


def strip_comments(lines):
    """The lines without comments and with empty strings, for the checks only; line numbers stay."""
    out, inside = [], False
    for line in lines:
        kept, i = [], 0
        while i < len(line):
            if inside:
                end = line.find("*/", i)
                inside, i = end < 0, len(line) if end < 0 else end + 2
                continue
            m = MARK.search(line, i)
            kept.append(line[i:m.start()] if m else line[i:])
            if not m or m.group() == "//":
                break
            inside, i = m.group() == "/*", m.end()
            # an empty string, or half of one that does not end
            kept.append(" " if inside else m.group()[0] + (m.group()[0] if m.group("end") or m.group("end1") else ""))
        out.append("".join(kept))
    return out


def guard_lines(plain):
    """Indices of the three lines of an include guard, or () when the file has none."""
    code = [i for i, line in enumerate(plain) if line.strip()]
    if len(code) < 3:
        return ()
    first = re.match(r"^\s*#\s*ifndef\s+(\w+_(?:H|INCLUDED))\s*$", plain[code[0]])
    second = DEFINE.match(plain[code[1]])
    if not first or not second or second.group(1) != first.group(1) or not re.match(r"^\s*#\s*endif", plain[code[-1]]):
        return ()
    depth = 0
    for i in code:
        d = DIRECTIVE.match(plain[i])
        if d:
            depth += -1 if d.group(1) == "endif" else 1
            if depth == 0 and i != code[-1]:
                return ()
    return (code[0], code[1], code[-1])


class Builder:
    def __init__(self, standalone=False, draft=False):
        self.draft = draft
        entries = read_manifest()
        self.names = [e.name for e in entries]
        self.entry = {e.name: e for e in entries}
        self.order = {n: i for i, n in enumerate(self.names)}
        self.inputs = {}
        self.lines, self.origin = [], []
        self.macros = {}       # name -> file that defines it and has not undefined it
        self.all_macros = []
        self.statics = {}
        self.inl_used = set()
        self.standalone = standalone

    def text(self, name):
        if name not in self.inputs:
            self.inputs[name] = read(name)
        return self.inputs[name].decode().split("\n")[:-1]

    def put(self, text, where=None):
        for line in text.split("\n"):
            self.lines.append(line)
            self.origin.append(where or "tools/amalgamate.py")

    def check_line(self, name, number, plain, owner):
        where = "src/%s:%d" % (name, number)
        d = DEFINE.match(plain)
        if d:
            macro = d.group(1)
            allowed = ("CT_", "CONTACT_", "CTI_") if name.startswith("public/") else ("CTI_", "CONTACT_API_DEF")
            special = name == "0_base/stb_include.h" and macro in ("STBDS_NO_SHORT_NAMES", "STB_DS_IMPLEMENTATION")
            if not macro.startswith(allowed) and not special:
                raise Refused("%s: macro %s leaks" % (where, macro), "give it the prefix %s" % " or ".join(allowed))
            before = self.macros.get(macro)
            if before and before != owner and before != name:
                raise Refused("%s: macro %s is also defined in src/%s" % (where, macro, before), "rename one, or #undef it there")
            self.macros[macro] = owner
            if macro not in self.all_macros and not special and not name.startswith("public/"):
                self.all_macros.append(macro)
        u = UNDEF.match(plain)
        if u:
            self.macros.pop(u.group(1), None)

    def check_statics(self, name, plain, owner):
        """owner: the listed file that includes name; its .inl files may be alternatives, which the compiler checks."""
        text = "\n".join(plain).split("\n")
        for i, line in enumerate(text):
            if not FILE_SCOPE.match(line):
                continue
            head = " ".join(text[i:i + 4])
            head = re.split(r"[=;{]", head)[0]
            head = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head)
            m = re.search(r"([A-Za-z_]\w*\s*\(\s*\w+(?:\s*,\s*\w+)*\s*\)|[A-Za-z_]\w*)\s*\(", head) if "(" in head else None
            symbol = m.group(1) if m else re.split(r"[\[\s]+", re.sub(r"\[.*", "", head).strip())[-1].lstrip("*")
            is_fn_header = line.startswith("CTI_FN") and name.endswith(".h")
            if is_fn_header:
                continue
            before = self.statics.get(symbol)
            if before and before != owner:
                raise Refused("src/%s:%d: %s is also in src/%s" % (name, i + 1, symbol, before), "rename one: all files end in one translation unit")
            self.statics[symbol] = owner

    def check_include(self, name, number, target, listed):
        """Returns the path of an own file under src/, or None for a foreign one."""
        where = "src/%s:%d" % (name, number)
        path = os.path.normpath(os.path.join(os.path.dirname(name), target)).replace(os.sep, "/")
        if not os.path.exists(os.path.join(SRC, path)):
            if target == "stb_ds.h" and name == "0_base/stb_include.h":
                return None
            raise Refused('%s: "%s" is not in src/' % (where, target), "write the path relative to this file, or use <> for a system header")
        if floor_of(path) > floor_of(name):
            raise Refused("%s: upward include of src/%s" % (where, path),
                          "move what is needed to a lower floor, or call up through a struct of function pointers")
        folder, other = os.path.dirname(name), os.path.dirname(path)
        if folder.startswith("8_") and other.startswith("8_") and other not in ("8_step", folder, STANDS_ON.get(folder)):
            raise Refused("%s: include of src/%s, which is another stepper's" % (where, path), "move what both need to 8_step")
        if path.endswith(".inl"):
            return path
        if self.order[path] >= self.order[listed]:
            raise Refused("%s: src/%s comes later in src/MANIFEST (or includes itself)" % (where, path),
                          "list it earlier; if the two include each other, break the cycle")
        return path

    def emit(self, name, listed=None, stack=()):
        listed = listed or name
        if name in stack:
            raise Refused("src/%s includes itself through %s" % (name, " > ".join(stack)), "break the cycle")
        lines = self.text(name)
        plain = strip_comments(lines)
        guard = guard_lines(plain)
        if name not in self.inl_used:
            self.check_statics(name, plain, listed)
        if listed == name:
            self.put("")
            self.put("/* ---- %s ---- */" % name)
        for i, line in enumerate(lines):
            where = "src/%s:%d" % (name, i + 1)
            if i in guard or plain[i] == "#pragma once":
                continue
            if WINDOWS.match(plain[i]):
                raise Refused("%s: %s is a macro of windows.h" % (where, WINDOWS.match(plain[i]).group(1)), "take another name")
            m = INCLUDE.match(line) if plain[i].strip() else None
            if m:
                path = self.check_include(name, i + 1, m.group(1), listed)
                if path is None:
                    self.put(line, where)
                elif path.endswith(".inl"):
                    self.emit(path, listed, stack + (name,))
                    self.inl_used.add(path)
                continue
            self.check_line(name, i + 1, plain[i], listed)
            if self.standalone and name == "0_base/stb_include.h" and line.strip() == "#include CONTACT_STB_DS_H":
                self.put(self.stb_text(), "stb_ds.h:1")
                continue
            self.put(line, where)
        if listed == name and name.endswith(".c"):
            self.close(name)

    def close(self, name):
        """Undefines what a source file defined: in contact.h it would reach the files behind it, and the user."""
        for macro in [m for m, owner in self.macros.items() if owner == name]:
            self.put("#undef %s" % macro)
            del self.macros[macro]

    def stb_text(self):
        for path in STB_SEARCH:
            if os.path.exists(path):
                with open(path, encoding="latin-1", newline="") as f:
                    return f.read().replace("\r\n", "\n").replace("\t", "    ").rstrip("\n")
        raise Refused("stb_ds.h was not found in " + ", ".join(STB_SEARCH), "install libstb-dev or put stb_ds.h beside contact.h")

    def version(self):
        text = "\n".join(self.text("public/config.h"))
        found = [re.search(r"#define CT_VERSION_%s (\d+)" % part, text) for part in ("MAJOR", "MINOR", "PATCH")]
        if not all(found):
            raise Refused("src/public/config.h defines no CT_VERSION_MAJOR, _MINOR, _PATCH", "add them")
        return ".".join(m.group(1) for m in found)

    def exports(self):
        """Names of all functions that api.h declares, in its order."""
        names = []
        for line in strip_comments(self.text("public/api.h")):
            if line.startswith("CONTACT_API "):
                m = re.search(r"\b(ct_\w+)\s*\(", line)
                if not m:
                    raise Refused("src/public/api.h: no function name in: " + line, "keep CONTACT_API, the type and the name on one line")
                names.append(m.group(1))
        return names

    def build(self):
        check_listed(self.names, self.draft)
        public = [n for n in self.names if n.startswith("public/")]
        manual = self.text("public/manual.txt")
        if any("*/" in line or "/*" in line for line in manual):
            raise Refused("src/public/manual.txt contains a comment mark", "write it without")
        for n in self.names:
            self.text(n)
        body_start = (self.lines, self.origin)
        self.lines, self.origin = [], []
        self.put_public(public)
        self.put_implementation([n for n in self.names if n not in public])
        self.guard_switches()
        self.check_inl()
        body = (self.lines, self.origin)
        self.lines, self.origin = body_start
        digest = hashlib.sha256()
        for n in sorted(self.inputs):
            digest.update(n.encode() + b"\0" + self.inputs[n] + b"\0")
        self.put("/* contact.h -- version %s, made from src/ by tools/amalgamate.py; do not edit. Inputs %s."
                 % (self.version(), digest.hexdigest()[:16]))
        self.put("")
        for i, line in enumerate(manual):
            self.put(line, "src/public/manual.txt:%d" % (i + 1))
        self.put("*/")
        self.lines += body[0]
        self.origin += body[1]
        return "\n".join(self.lines) + "\n"

    def check_inl(self):
        for folder, _, files in sorted(os.walk(SRC)):
            for f in sorted(files):
                name = os.path.relpath(os.path.join(folder, f), SRC).replace(os.sep, "/")
                if name.endswith(".inl") and name not in self.inl_used and not self.draft:
                    raise Refused("src/%s is included by no file" % name, "include it or delete it")

    def put_public(self, public):
        self.put("#ifndef CT_CONTACT_H_INCLUDED\n#define CT_CONTACT_H_INCLUDED")
        for n in public:
            self.emit(n)
            if n == "public/config.h":
                self.put("\n/* The float build's exported names end in _f32, so that a mix of precisions is a link error. */\n#if CONTACT_REAL == 32")
                for e in self.exports():
                    self.put("#define %s %s_f32" % (e, e))
                self.put("#endif")
        self.put("\n#endif /* CT_CONTACT_H_INCLUDED */")

    def guard_switches(self):
        """Puts #if around what a CONTACT_WITH_ switch takes out, and around instances of templates that tests alone use; refuses other
        unused functions."""
        start = self.lines.index("#ifdef CONTACT_IMPLEMENTATION")
        raw = self.lines[start:]
        chunks = reach.reach(raw, strip_comments(raw), strip_comments(self.lines[:start]))
        drop, spare = set(), []
        unreached = reach.unreached(chunks)
        instances = set(c.names[0] for c in unreached if c.kind == "function" and ".inl:" in self.origin[start + c.last])
        for c in unreached:
            where = self.origin[start + c.last]
            if where.startswith(VOCABULARY):
                continue
            if c.names[0] in instances:
                spare.append(c)
                continue
            if c.kind == "function" and not self.draft:
                raise Refused("%s: nothing that the API calls reaches %s" % (where, c.names[0]),
                              "delete it")
            drop.update(range(c.first, c.last + 1))
        before, behind = {c.first: "#ifdef CTI_SPARE_INSTANCES" for c in spare}, {c.last: "#endif" for c in spare}
        conditions = {}  # of several switches: their names in contact.h
        for first, last, text in reach.guards(chunks):
            where = next(o for o in self.origin[start + last::-1] if o.startswith("src/"))
            if not where.startswith(VOCABULARY):
                before[first], behind[last] = "#if " + self.named(conditions, text, where), "#endif"
        lines, origin = self.lines, self.origin
        self.lines, self.origin = lines[:start], origin[:start]
        for i, line in enumerate(raw):
            if i in before:
                self.put(before[i])
            if line == CONDITIONS:
                self.put("/* Which switches ask for what stands below, by the first file that they ask for. */")
                for text, name in conditions.items():
                    self.put(" \\\n".join(textwrap.wrap("#define %s (%s)" % (name, text), 148, subsequent_indent="    ")))
            elif line == NO_CONDITIONS:
                self.put("\n".join("#undef %s" % name for name in conditions.values()))
            elif i not in drop:
                self.put(line, origin[start + i])
            if i in behind:
                self.put(behind[i])

    @staticmethod
    def named(conditions, text, where):
        """The text of a condition of one switch; the name of one of several, CTI_NEEDS_ and the file that it stands in first."""
        if "||" not in text and "&&" not in text:
            return text
        if text not in conditions:
            stem = "CTI_NEEDS_" + re.sub(r"\W", "_", os.path.basename(where.split(":")[0]).rsplit(".", 1)[0]).upper()
            alike = sum(re.sub(r"_\d+$", "", name) == stem for name in conditions.values())
            conditions[text] = "%s_%d" % (stem, alike + 1) if alike else stem
        return conditions[text]

    def put_implementation(self, names):
        self.put("")
        self.put("#ifdef CONTACT_IMPLEMENTATION\n#ifndef CT_CONTACT_IMPLEMENTATION_INCLUDED\n#define CT_CONTACT_IMPLEMENTATION_INCLUDED")
        self.put(re.sub("@(FAST|SMALL)@", lambda m: OPTIONS[m.group(1)], PROLOGUE))
        fast = False
        for n in names:
            if self.entry[n].fast != fast:
                fast = not fast
                self.put(SWITCH % OPTIONS["FAST" if fast else "SMALL"])
            self.emit(n)
        self.put("\n/* nothing private stays defined */")
        own = ["CTI_FN", "CTI_OPTIMIZED"]
        for macro in self.all_macros + own:
            if macro in self.macros or macro in own:
                self.put("#undef %s" % macro)
        self.put(NO_CONDITIONS)
        self.put(EPILOGUE)
        self.put("#endif /* CT_CONTACT_IMPLEMENTATION_INCLUDED */\n#endif /* CONTACT_IMPLEMENTATION */")


# gcc's options for files that are `fast` in the manifest, and for all others, with CONTACT_OPTIMIZE 1. Others get -Os without what pays in hot
# loops alone: a tenth less code than by -O1, in no more of the compiler's time, and no step is measurably slower
OPTIONS = {"FAST": '"O2", "fp-contract=off"',
           "SMALL": '"Os", "fp-contract=off", "ira-region=one", "no-tree-loop-optimize", "no-ivopts", "no-tree-dominator-opts", "no-tree-pta"'}

# lines that are replaced by the names of conditions, and by their end
CONDITIONS, NO_CONDITIONS = "@CONDITIONS@", "@NO_CONDITIONS@"

PROLOGUE = """\
#define CTI_FN static
/* All of the C library that is used, here, so that a user's extern "C" around the include does not reach the templates in it. */
#ifdef __cplusplus
extern "C++" {
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#if CONTACT_WITH_FILES
#include <locale.h>
#include <stdio.h>
#endif
}
#endif
/* Rounding bounds are proven for separate multiply and add: contraction is off from here to the end of the implementation. */
#if defined(__clang__)
#if defined(__x86_64__) || defined(__i386__)
#pragma float_control(push)
#endif
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC push_options
/* CONTACT_OPTIMIZE. The level stands in one pragma with the rest, or gcc takes __OPTIMIZE__ away, and with it the inlining of CTI_INLINE. g++
   never gives it back at -O0, hence CTI_OPTIMIZED. */
#if CONTACT_OPTIMIZE == 0 || defined(__OPTIMIZE_SIZE__) || defined(__TINYC__)
#pragma GCC optimize("fp-contract=off")
#elif CONTACT_OPTIMIZE == 1
#define CTI_OPTIMIZED 1
#pragma GCC optimize(@SMALL@)
#else
#define CTI_OPTIMIZED 2
#pragma GCC optimize(@FAST@)
#endif
#elif defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4505) /* operations on lanes and vectors that nothing uses: other compilers have an attribute for them */
#pragma fp_contract(off)
#if CONTACT_OPTIMIZE
#pragma optimize("gt", on)
#endif
#endif
""" + CONDITIONS

# between files of the two kinds; each begins from the user's options, since a pragma cannot undo another one around it. Not _Pragma in a macro: of
# three in one macro gcc 12 loses some at -O0
SWITCH = """
#if defined(CTI_OPTIMIZED) && CTI_OPTIMIZED == 1
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC optimize(%s)
#endif"""

EPILOGUE = """\
#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(pop)
#elif defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT /* what the compiler was told: there is no push and pop here */
#endif
#if defined(__clang__)
#elif defined(__GNUC__)
#pragma GCC pop_options
#elif defined(_MSC_VER)
#pragma optimize("", on)
#pragma warning(pop)
#endif"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".tmp", "wb") as f:
        f.write(text.encode("latin-1"))
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description="writes contact.h from src/MANIFEST")
    parser.add_argument("--check", action="store_true", help="compare contact.h with what would be written")
    parser.add_argument("--map", type=int, metavar="LINE", help="file:line in src/ of a line of contact.h")
    parser.add_argument("--standalone", action="store_true", help="write build/contact_standalone.h with stb_ds.h inside")
    parser.add_argument("--exports", action="store_true", help="list the public functions")
    parser.add_argument("--draft", action="store_true", help="pass over files that are not listed yet; --check never does")
    args = parser.parse_args()
    builder = Builder(args.standalone, args.draft and not args.check)
    text = builder.build()
    if args.exports:
        print("\n".join(builder.exports()))
    elif args.map is not None:
        if not 1 <= args.map <= len(builder.origin):
            raise Refused("contact.h has lines 1 to %d" % len(builder.origin), "give one of them")
        print(builder.origin[args.map - 1])
    elif args.check:
        old = open(OUT, "rb").read() if os.path.exists(OUT) else b""
        if old != text.encode("latin-1"):
            raise Refused("contact.h is not what src/ gives", "run python3 tools/amalgamate.py and commit contact.h")
        print("contact.h is fresh: %d lines" % len(builder.lines))
    else:
        path = os.path.join(ROOT, "build", "contact_standalone.h") if args.standalone else OUT
        write(path, text)
        print("%s: %d lines" % (os.path.relpath(path, ROOT), len(builder.lines)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refused:
        print("amalgamate: %s" % refused, file=sys.stderr)
        sys.exit(1)
