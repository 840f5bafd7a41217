#!/usr/bin/env python3
"""test_sentences.py -- the length of sentences and of documents: README, the manual, CHANGELOG, pages that teach.

usage: python3 tests/test_sentences.py [--list N]   prints the N longest sentences of every document, too
Refused: a sentence of more than 34 words or a document that is too long. Sentences of more than 25 words are counted, and so are those of other pages.
A word has a letter or a digit; code between backticks is one word. A cell of a table and an item of a list are sentences of their own.
Prints a line a check, "ok NAME" or "FAILED NAME: why"; exit 1 when one failed. Standard library only.
"""
import argparse
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LONG, MOST = 25, 34
# pages for a reader who begins; the other pages of docs/ are counted only
TEACH = ["start", "examples", "exercises", "extend", "units", "guarantees", "troubleshooting", "faq", "porting", "performance", "threads", "measured", "games", "events", "queries", "files", "methods", "locking", "switches", "policy", "comparison"]
SHORT = [("README.md", 150), ("src/public/manual.txt", 200), ("CHANGELOG.md", 100)]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def lines_of(text, manual):
    """Prose as paragraphs of lines: without code, tables are cells, headings and items begin anew."""
    paragraphs, fence = [[]], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fence = not fence
            paragraphs.append([])
        elif fence or re.match(r"\s*<", line) or (manual and re.match(r" {8}", line)) or (not manual and re.match(r" {4}\S", line) and not paragraphs[-1]):
            paragraphs.append([])
        elif line.lstrip().startswith("|"):
            paragraphs += [[cell] for cell in re.split(r"(?<!\\)\|", line)] + [[]]
        elif not line.strip() or line.startswith("#") or manual and re.match(r"[A-Z]", line):
            paragraphs += [[], [line], []]
        else:
            if re.match(r"\s*([-*]|\d+\.) ", line) or manual and re.match(r"    [A-Z]+_", line):
                paragraphs.append([])
            paragraphs[-1].append(line)
    return [" ".join(p) for p in paragraphs if p]


def sentences(text, manual=False):
    """(words, sentence) of a document."""
    for p in lines_of(text, manual):
        p = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", p)
        p = re.sub(r"`[^`]*`", "`x`", p)
        for s in re.split(r"(?<!\b[Ff]ig\.)(?<!\b[Ee]q\.)(?<!\b[Ss]ec\.)(?<=[.?!])[)\"*]*\s+", re.sub(r"^\s*([-*]|\d+\.) ", "", p)):
            words = [w for w in s.split() if re.search(r"\w", w)]
            if words:
                yield len(words), s.strip()


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, why))
    return ok


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", type=int, default=0)
    args = parser.parse_args()
    pages = sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
    strict = [name for name, _ in SHORT] + [p for p in pages if p[len("docs/"):-len(".md")] in TEACH or "/chapters/" in p]
    good, rest = True, [0, 0, 0]
    for path in strict + [p for p in pages if p not in strict and "/lab/" not in p and "/api/" not in p]:
        found = sorted(sentences(read(path), path.endswith(".txt")), reverse=True)
        long, worst = sum(n > LONG for n, _ in found), [s for s in found if s[0] > MOST]
        if path in strict:
            good &= check("%s: no sentence of more than %d words (%d of %d above %d)" % (path, MOST, long, len(found), LONG), not worst,
                          "; ".join("%d words: %s" % s for s in worst))
        else:
            rest = [rest[0] + len(found), rest[1] + long, rest[2] + len(worst)]
        for s in found[:args.list]:
            print("    %3d %s" % s)
    print("other pages: %d sentences, %d above %d words, %d above %d" % (rest[0], rest[1], LONG, rest[2], MOST))
    for path, most in SHORT:
        n = read(path).count("\n")
        good &= check("%s has at most %d lines" % (path, most), n <= most, "%d lines" % n)
    versions = re.split(r"^(?=## )", read("CHANGELOG.md"), flags=re.M)[1:]
    good &= check("CHANGELOG.md: a version takes at most 40 lines", max(v.count("\n") for v in versions) <= 40,
                  "%d lines" % max(v.count("\n") for v in versions))
    wide = [line for block in re.findall(r"```.*?```", read("README.md"), re.S) for line in block.split("\n") if len(line) > 90]
    good &= check("README.md: no line of code over 90 columns", not wide, "; ".join(wide))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
