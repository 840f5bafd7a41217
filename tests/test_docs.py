#!/usr/bin/env python3
"""test_docs.py -- what documents say: links, pictures, files, C code, quotations, commands and the site.

usage: python3 tests/test_docs.py [--only NAME[,NAME]]
links      each link of README, CHANGELOG, docs/ and examples/README.md leads to a file, and its anchor to a heading, both on GitHub and on the site
files      each path of the repository between backticks is there
code       each block ```c compiles (-fsyntax-only, against src/public/api.h); declarations that it takes for granted are in PRELUDE
quotes     each block ```c below `<!-- quote FILE -->` is in that file, line for line
commands   each line `$ build/contact ...` of a block ```console runs and ends with 0
programs   the solutions of docs/exercises.md compile without a warning, run and end with 0
extend     the laws and the solver of docs/extend.md, added to copies of the source, do what the page says
drawings   each .svg of docs/ is a complete document
site       `make site` builds without a warning, where mkdocs is installed; nothing in it is loaded from elsewhere
Names of the library's functions in documents are tests/test_tools.py's, lengths of sentences tests/test_sentences.py's.
Prints a line a check, "ok NAME", "FAILED NAME: why" or "SKIPPED NAME: what is missing"; exit 1 when one failed. Standard library only.
"""
import argparse
import functools
import glob
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unicodedata
import xml.dom.minidom

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "CHANGELOG.md", "examples/README.md"] + sorted(
    os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
FAILED = []

# what a program around a piece of code has
PRELUDE = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 8, ENEMIES = 1, WALLS = 2 };
extern double *my_x, *my_r; extern int m;
typedef struct pen pen;
void on_touch(ct_body_id a, ct_body_id b, const ct_real *p); void on_leave(ct_body_id a, ct_body_id b);
void play(const ct_real *p, ct_real speed, ct_real impulse); void crack(ct_body_id a, ct_body_id b, const ct_real *impulse); void open_for(ct_body_id b);
void my_line(pen *user, const ct_real *a, const ct_real *b, uint32_t color);
"""
LOCAL = """
    ct_world *world, *w; ct_world_desc wd; ct_error_info error; ct_step_report report; ct_mesh mesh; ct_events e; ct_material *material;
    ct_body_id ghost, hero, jelly, gate, cape, flag, floor, body, crate, ball, ground; ct_joint_id joint, door, wheel, knee, drag; ct_problem *problem;
    ct_real x[3 * N], v[3 * N], positions[3 * N], normals[3 * N], position[3], quaternion[4], place[3], eye[3], way[3], force[3], torque[3], angle;
    ct_real dt, stiffness, damping; int i, n, picked; pen *renderer; void *buffer, *state; size_t size;
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[:1500]), flush=True)
    if not ok:
        FAILED.append(name)


def prose(text):
    """The text without blocks of code and code between backticks."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^( *)```.*?^\1```", "", text, flags=re.S | re.M))


def anchors(path):
    """Headings as GitHub and as mkdocs name them: a link has to suit both."""
    github, site = set(), set()
    for h in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", read(path), flags=re.S | re.M), re.M):
        h = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", h).replace("`", "").strip()
        github.add(re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-"))
        plain = unicodedata.normalize("NFKD", h).encode("ascii", "ignore").decode()
        site.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower()))
    return github, site


def test_links(d):
    wrong, count = [], 0
    for page in PAGES:
        text = prose(read(page))
        for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"(?:src|href)=\"([^\"]+)\"", text):
            if re.match(r"https?://|mailto:", target):
                continue
            count += 1
            file, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
            if not os.path.exists(os.path.join(ROOT, path)):
                wrong.append("%s: %s" % (page, target))
            elif anchor and not all(anchor in names for names in anchors(path)):
                wrong.append("%s: %s: no such heading" % (page, target))
    check("links lead somewhere", not wrong and count > 200, "; ".join(wrong) or count)


def test_files(d):
    wrong, count = [], 0
    for page in PAGES:
        for path in re.findall(r"`((?:src|tests|tools|examples|bench|docs|cmake)/[\w./-]+\.(?:c|h|cc|py|inl|md|json|txt|svg|png|sh))`", read(page)):
            count += 1
            if not os.path.exists(os.path.join(ROOT, path)) and not os.path.exists(os.path.join(ROOT, "src", path)):
                wrong.append("%s: %s" % (page, path))
    check("files that documents name are there", not wrong and count > 50, "; ".join(wrong) or count)


def blocks(page, language):
    """(what stands before it, text) of each block of code."""
    for m in re.finditer(r"((?:^<!--[^\n]*-->\n)*)^```%s\n(.*?)^```" % language, read(page), re.S | re.M):
        yield m.group(1), m.group(2)


def test_code(d):
    wrong, count = [], 0
    cc = ["cc", "-std=c99", "-fsyntax-only", "-w", "-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types", "-Werror=int-conversion",
          "-DCONTACT_THREADS=1", "-I", os.path.join(ROOT, "src", "public"), "-I", d]
    with open(os.path.join(d, "contact.h"), "w") as f:
        f.write('#include "api.h"\n')
    for page in PAGES:
        text = '#include "contact.h"\n' + PRELUDE
        for k, (before, code) in enumerate(blocks(page, "c")):
            if "quote" in before or "new src" in before:
                continue
            count += 1
            if "int main(" in code:
                with open(os.path.join(d, "program.c"), "w") as f:
                    f.write(code.replace("#define CONTACT_IMPLEMENTATION\n", ""))
                p = subprocess.run(cc + [os.path.join(d, "program.c")], capture_output=True, text=True)
                wrong += ["%s: %s" % (page, p.stderr)] if p.returncode else []
                continue
            lines = [line for line in code.split("\n") if not line.startswith("...")]
            top = [i for i, line in enumerate(lines) if re.match(r"static .*\) *\{.*\}$|enum \{|#include|#define", line)]
            text += "".join(lines[i] + "\n" for i in top if not lines[i].startswith("enum"))
            text += "static void block_%d(void)\n{%s    {\n#line 1 \"%s, block %d\"\n%s\n    }\n}\n" % (
                k, LOCAL, page, k, "\n".join("" if i in top and not lines[i].startswith("enum") else line for i, line in enumerate(lines)))
        with open(os.path.join(d, "page.c"), "w") as f:
            f.write(text)
        p = subprocess.run(cc + [os.path.join(d, "page.c")], capture_output=True, text=True)
        wrong += ["\n".join(line for line in p.stderr.split("\n") if "error" in line)] if p.returncode else []
    check("C code in documents compiles", not wrong and count > 10, "; ".join(wrong) or count)


def test_quotes(d):
    wrong, count = [], 0
    for page in PAGES:
        for before, code in blocks(page, "c"):
            m = re.search(r"<!-- quote (\S+) -->", before)
            if m:
                count += 1
                source = read(m.group(1)) if os.path.exists(os.path.join(ROOT, m.group(1))) else ""
                for part in re.split(r"^ *\.\.\.\n", code, flags=re.M):
                    if part.strip() and part not in source:
                        wrong.append("%s: %s has no longer: %s" % (page, m.group(1), part[:200]))
    check("quotations of the source are fresh", not wrong and count > 5, "; ".join(wrong) or count)


def test_commands(d):
    if not os.path.exists(os.path.join(ROOT, "build", "contact")):
        check("commands of documents run", False, "build/contact was not built")
        return
    wrong, count = [], 0
    for page in PAGES:
        for _, text in blocks(page, "console"):
            for command in re.findall(r"^\$ (build/contact .*|cp .*|python3 tools/.*)$", text, re.M):
                count += 1
                p = subprocess.run(["sh", "-c", command.replace("/tmp/", d + "/")], cwd=ROOT, capture_output=True, text=True, timeout=120)
                if p.returncode:
                    wrong.append("%s: %s: %s" % (page, command, p.stderr or p.stdout[-300:]))
    check("commands of documents run", not wrong and count > 5, "; ".join(wrong) or count)


def test_programs(d):
    """A solution: `<!-- program NAME ARGUMENTS -->` above its block. The commands of its page run before."""
    wrong, count = [], 0
    library = os.path.join(ROOT, "build", "libcontact_dev.a")
    for page in PAGES:
        found = [(m.group(1).split(), code) for language in ("c", "python") for before, code in blocks(page, language)
                 for m in [re.search(r"<!-- program (.*?) -->", before)] if m]
        for _, text in blocks(page, "console") if found else []:
            for command in re.findall(r"^\$ (build/contact .*)$", text, re.M):
                subprocess.run(["sh", "-c", command.replace("/tmp/", d + "/")], cwd=ROOT, capture_output=True, timeout=120)
        for words, code in found:
            count += 1
            path = os.path.join(d, words[0])
            with open(path, "w") as f:
                f.write(code)
            run = [sys.executable, path] + [w.replace("/tmp/", d + "/") for w in words[1:]]
            if path.endswith(".c"):
                p = subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-I", ROOT, path, library, "-pthread", "-lm", "-o", path + ".run"], capture_output=True, text=True)
                if p.returncode or p.stderr.strip():
                    wrong.append("%s: %s: %s" % (page, words[0], p.stderr))
                    continue
                run = [path + ".run"]
            p = subprocess.run(run, capture_output=True, text=True, timeout=120)
            if p.returncode or not p.stdout.strip():
                wrong.append("%s: %s: exit %d, %s" % (page, words[0], p.returncode, p.stdout + p.stderr))
    check("programs of documents are right", not wrong and count > 4, "; ".join(wrong) or count)


def test_extend(d):
    """Each friction law of docs/extend.md is added to a copy of the source, and the solver to that of the last one; their programs run with them."""
    laws = [m.group(1) for before, _ in blocks("docs/extend.md", "diff") for m in [re.search(r"<!-- law (\S+) -->", before)] if m]
    check("docs/extend.md has friction laws", len(laws) == 2, laws)
    for law in laws:
        os.mkdir(os.path.join(d, law))
        extended(os.path.join(d, law), law, law == laws[-1])


def extended(d, law, has_solver):
    """A copy of the source with one law of docs/extend.md, and its program; with the solver also examples/problem.c."""
    for folder in ("src", "tools"):
        shutil.copytree(os.path.join(ROOT, folder), os.path.join(d, folder))
    programs = {"problem.c": read("examples/problem.c").replace("CT_SOLVER_AUTO", "CT_SOLVER_JACOBI").replace("#define CONTACT_IMPLEMENTATION\n", "")}
    programs = programs if has_solver else {}
    for before, code in blocks("docs/extend.md", "c"):
        m = re.search(r"<!-- (new|extend) (\S+) -->", before)
        if m and m.group(1) == "extend" and m.group(2) == law + ".c":
            programs[m.group(2)] = code
        elif m and m.group(1) == "new" and has_solver:
            with open(os.path.join(d, m.group(2)), "w") as f:
                f.write(code)
    for k, (before, code) in enumerate(blocks("docs/extend.md", "diff")):
        if "<!-- law " + law not in before if "<!-- law " in before else not has_solver:
            continue
        with open(os.path.join(d, "change.diff"), "w") as f:
            f.write(code)
        said = subprocess.run(["git", "apply", "-C1", "change.diff"], cwd=d, capture_output=True, text=True)
        check("change %d of docs/extend.md applies" % k, said.returncode == 0, said.stderr)
    with open(os.path.join(d, "contact.c"), "w") as f:
        f.write('#define CONTACT_IMPLEMENTATION\n#include "contact.h"\n')
    cc = ["cc", "-std=c99", "-O0", "-w", "-I."] + os.environ.get("STB_CFLAGS", "-isystem /usr/include/stb").split()
    off = ["-DCONTACT_WITH_%s=0" % s for s in ("DCD", "BARRIER", "LAYERS", "PENALTY", "GEOMETRIC", "EXPLICIT", "FORMS", "MESHING", "QUERIES")]
    commands = [[sys.executable, "tools/amalgamate.py"], cc + ["-DCONTACT_OPTIMIZE=0"] + off + ["-c", "contact.c"]]
    for name, code in programs.items():
        with open(os.path.join(d, name), "w") as f:
            f.write(code)
        commands += [cc + [name, "contact.o", "-lm", "-o", name + ".run"], ["./" + name + ".run"]]
    out = ""
    for command in commands:
        said = subprocess.run(command, cwd=d, capture_output=True, text=True)
        out += said.stdout
        if said.returncode:
            break
    check("docs/extend.md: %s%s" % (law, ", and the solver" if has_solver else ""), said.returncode == 0 and ("solved by jacobi" in out) == has_solver,
          said.stderr[-500:] + out[-300:])


def test_drawings(d):
    wrong, count = [], 0
    for path in glob.glob(os.path.join(ROOT, "docs", "**", "*.svg"), recursive=True):
        count += 1
        try:
            svg = xml.dom.minidom.parse(path).documentElement
            if svg.tagName != "svg" or not svg.getElementsByTagName("title") and "/chapters/" in path:
                wrong.append(os.path.relpath(path, ROOT) + ": no title")
        except Exception as e:
            wrong.append("%s: %s" % (os.path.relpath(path, ROOT), e))
    check("drawings are whole", not wrong and count > 3, "; ".join(wrong) or count)


def test_site(d):
    if not shutil.which("mkdocs"):
        print("SKIPPED site: mkdocs is not installed (apt-get install mkdocs)")
        return
    p = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "make_site.py"), "--out", os.path.join(d, "site")], capture_output=True, text=True)
    check("the site builds without a warning", p.returncode == 0, p.stdout[-800:] + p.stderr[-800:])
    if p.returncode:
        return
    pages, wrong = glob.glob(os.path.join(d, "site", "**", "*.html"), recursive=True), []
    for page in pages:
        with open(page, encoding="utf-8") as f:
            text = re.sub(r"<!--.*?-->", "", f.read(), flags=re.S)
        for u in re.findall(r"(?:src|href)=\"([^\":?#]+)[\"#?]", text):
            if not os.path.exists(os.path.join(os.path.dirname(page), u)) and not page.endswith("404.html"):
                wrong.append("%s: %s is missing" % (os.path.relpath(page, d), u))
        wrong += ["%s: %s" % (os.path.relpath(page, d), u) for u in re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"((?:https?:)?//[^\"]+)\"", text)]
    check("the site has all that it loads, and loads nothing from elsewhere", not wrong and len(pages) > 40, "; ".join(sorted(set(wrong))[:9]) or len(pages))
    open_in_chromium(os.path.join(d, "site"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def open_in_chromium(site):
    """Three pages in a browser: they have their heading and picture, and nothing is missing or fails."""
    browser = shutil.which("chromium")
    if not browser:
        print("SKIPPED the site in Chromium: chromium is not installed (apt-get install chromium)")
        return
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for page, words in (("index.html", "Twelve lines"), ("docs/chapters/barrier.html", "barrier.svg"), ("docs/api/api.html", "ct_world_step")):
        p = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--user-data-dir=" + site + "_profile",
                            "--dump-dom", "http://127.0.0.1:%d/%s" % (server.server_port, page)], capture_output=True, text=True, timeout=60)
        said = [line for line in p.stderr.split("\n") if "CONSOLE" in line and re.search(r"Uncaught|Failed|rror", line)]
        check("Chromium opens " + page, p.returncode == 0 and words in p.stdout and not said, "; ".join(said) or p.stderr[-300:])
    server.shutdown()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    only = ["test_" + n for n in parser.parse_args().only.split(",") if n]
    for t in (test_links, test_files, test_code, test_quotes, test_commands, test_programs, test_extend, test_drawings, test_site):
        if not only or t.__name__ in only:
            with tempfile.TemporaryDirectory(prefix="contact_docs_") as d:
                try:
                    t(d)
                except Exception as e:  # a failing test must not prevent the others
                    check(t.__name__, False, repr(e))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
