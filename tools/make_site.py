#!/usr/bin/env python3
"""make_site.py -- the static site: pages of the repository and a reference made from the header, by mkdocs, which fails on any warning.

usage: python3 tools/make_site.py [--out build/site]
Pages keep their paths, so that a link is the same on GitHub and here. Needs mkdocs (Debian: apt-get install mkdocs). Standard library only.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PUBLIC = [("api.h", "Functions"), ("types.h", "Types"), ("steppers.h", "Options of steppers")]


def copy_pages(pages):
    """docs/ as it is, README and CHANGELOG, and every other file that a page links to."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "docs"), os.path.join(pages, "docs"))
    found = ["README.md", "CHANGELOG.md", "examples/README.md"] + [os.path.relpath(os.path.join(at, n), ROOT) for at, _, names in
                                                                  os.walk(os.path.join(ROOT, "docs")) for n in names if n.endswith(".md")]
    for page in found:
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            text = f.read()
        links = re.findall(r"\]\(([^)\s#]+)", re.sub(r"`[^`\n]*`", "", text))
        for path in [page] + [os.path.normpath(os.path.join(os.path.dirname(page), link)) for link in links if "://" not in link]:
            target = os.path.join(pages, path)
            if os.path.isfile(os.path.join(ROOT, path)) and not os.path.exists(target):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy(os.path.join(ROOT, path), target)


def entries(text):
    """(section, comment, code) of a public header: a comment and the declarations below it."""
    section, comment, code = "", "", []
    for part in re.split(r"(^/\*.*?\*/\n|^#.*?(?<!\\)\n)", text, flags=re.S | re.M):
        head = re.match(r"/\* -+ (.*?) -+ \*/", part)
        if head or part.startswith("/*"):
            if "".join(code).strip():
                yield section, comment, "".join(code).strip("\n")
            code, comment = [], "" if head else re.sub(r"\n   ?", "\n", part[2:].rsplit("*/", 1)[0].strip())
            section = head.group(1).split(":")[0].capitalize() if head else section
        elif part.startswith("#define CT_") and "_INCLUDED" not in part:
            code.append(part)
        elif not part.startswith("#") and 'extern "C"' not in part and part.strip() not in ("", "}"):
            code.append(part.strip("\n") + "\n")
    if "".join(code).strip():
        yield section, comment, "".join(code).strip("\n")


def reference(pages):
    for name, title in PUBLIC:
        with open(os.path.join(ROOT, "src", "public", name), encoding="utf-8") as f:
            text = f.read()
        text = text[text.index("*/") + 3:]  # what the file is
        out, section = ["# %s\n\nMade from `src/public/%s`, which is a part of contact.h.\n" % (title, name)], ""
        for at, comment, code in entries(text):
            if at != section:
                section = at
                out.append("## %s\n" % section)
            names = re.findall(r"\b(ct_\w+)\(", code) if name == "api.h" else re.findall(r"^\} (ct_\w+);|^typedef [^{;]*?\b(ct_\w+);", code, re.M)
            names = [n if isinstance(n, str) else n[0] or n[1] for n in names]
            out.append("### %s\n" % ", ".join(dict.fromkeys(names)) if names else "")
            said = re.sub(r"^[\w ,.*]*? -- ", "", comment, count=1)
            if said:
                out.append("<p>%s</p>\n" % said.replace("&", "&amp;").replace("<", "&lt;").replace("\n   ", "<br>"))
            out.append("```c\n%s\n```\n" % code.replace("CONTACT_API ", ""))
        os.makedirs(os.path.join(pages, "docs", "api"), exist_ok=True)
        with open(os.path.join(pages, "docs", "api", name.replace(".h", ".md")), "w", encoding="utf-8") as f:
            f.write("\n".join(out))


EXTRA = """jQuery(function () {
    SphinxRtdTheme.Navigation.enable(true);
    jQuery(".rst-content table").addClass("docutils");
});
"""


def complete(out):
    """The pages of Debian's mkdocs 1.4.2 ask for two scripts of the theme that its package has not, or has by another name."""
    jquery, extra = os.path.join(out, "js", "jquery-3.6.0.min.js"), os.path.join(out, "js", "theme_extra.js")
    if not os.path.exists(jquery):
        shutil.copy(glob.glob(os.path.join(out, "js", "jquery-*.js"))[0], jquery)
    if not os.path.exists(extra):
        with open(extra, "w") as f:
            f.write(EXTRA)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "site"))
    out = os.path.abspath(parser.parse_args().out)
    if not shutil.which("mkdocs"):
        raise SystemExit("make_site.py: mkdocs is not installed\nFIX: apt-get install mkdocs")
    pages, config = out + "_pages", out + "_mkdocs.yml"
    os.makedirs(os.path.dirname(out), exist_ok=True)
    copy_pages(pages)
    reference(pages)
    with open(os.path.join(ROOT, "mkdocs.yml"), encoding="utf-8") as f:
        text = re.sub(r"^docs_dir: .*", "docs_dir: " + pages, f.read(), flags=re.M)
    text = "".join(line for line in text.splitlines(True) if not line.rstrip().endswith(".md") or os.path.exists(os.path.join(pages, line.split(": ")[-1].strip())))
    with open(config, "w", encoding="utf-8") as f:
        f.write(re.sub(r"^site_dir: .*", "site_dir: " + out, text, flags=re.M))
    p = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--clean", "--config-file", config], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = [line for line in p.stdout.split("\n") if line.strip()]
    if p.returncode or any("WARNING" in line for line in said):
        print("\n".join(said))
        raise SystemExit("make_site.py: mkdocs ended with %d\nFIX: what it says above" % p.returncode)
    complete(out)
    shutil.rmtree(pages)
    os.remove(config)
    print("%s/index.html" % os.path.relpath(out, os.getcwd()))


if __name__ == "__main__":
    sys.exit(main())
