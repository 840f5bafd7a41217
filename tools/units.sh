#!/bin/sh
# units.sh -- units of compilation for the Makefile: sources of one folder, in the manifest's order, about 2,500 lines together, which takes a
# quarter of the time of each alone. A source that a test compiles anew is a unit of its own: it replaces that object alone.
#   usage: sh tools/units.sh        writes build/units/FOLDER_N.c where it is not so already, and prints FOLDER_N...
set -eu
cd "$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/.."
mkdir -p build/units
alone=$(sed -n 's|^#include "\.\./src/\(.*\.c\)".*|\1|p' tests/*.c)
sed 's/#.*//' src/MANIFEST | awk -v alone="$alone" '
# counts the lines of a source; undefs: what ends its macros, as the generator of contact.h does
function lines(path, n, s, w) {
    undefs = ""
    for (n = 0; (getline s < path) > 0; n++)
        if (s ~ /^#[ \t]*define[ \t]/) {
            sub(/^#[ \t]*define[ \t]+/, "", s)
            sub(/[^A-Za-z0-9_].*/, "", s)
            undefs = undefs "#undef " s "\n"
        }
    close(path)
    return n
}
function put(unit, text, path, before, s) {
    if (text == "")
        return
    path = "build/units/" unit ".c"
    for (before = ""; (getline s < path) > 0;)
        before = before s "\n"
    close(path)
    if (before != text) {
        printf "%s", text > path
        close(path)
    }
    print unit
}
BEGIN {
    n = split(alone, word)
    for (i = 1; i <= n; i++)
        own[word[i]] = 1
}
$1 ~ /\.c$/ {
    folder = $1
    sub(/\/.*/, "", folder)
    line = "#include \"../../src/" $1 "\"\n"
    if ($1 in own) {
        stem = $1
        gsub(/\/|\.c$/, "_", stem)
        put(stem, line)
        next
    }
    more = lines("src/" $1)
    if (folder != last || size + more > 2500) {
        put(unit, text)
        unit = folder "_" ++count[folder]
        text = ""
        size = 0
    }
    text = text line undefs
    size += more
    last = folder
}
END { put(unit, text) }'
