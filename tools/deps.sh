#!/bin/sh
# deps.sh -- makes sure that one library can be compiled against, and writes build/deps/NAME.mk for the Makefile.
#   usage: CC=cc sh tools/deps.sh cjson|stb|cmocka|python|view|webp
# python is numpy and what else the tests of python/ need: NUMPY_PYTHON names the interpreter that has it. Where there is none, and as another user
# than root, nothing is written, and those tests are skipped.
# view is SDL2 and OpenGL for `contact view` (CONTACT_VIEW), webp is libwebp for films (CONTACT_WEBP). They are taken where the compiler finds them; with
# FETCH=1, of which tests make use, and as root they are installed, with Xvfb. Else nothing is written, and the program refuses what needs them by name.
# Order: what the compiler finds; as root apt-get install; otherwise a private copy under build/deps (never sudo). If all fail: one line to run.
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
name=$1
CC=${CC:-cc}
dir=$root/build/deps
mkdir -p "$dir"
case $name in
cjson) packages="libcjson-dev libcjson1" upper=CJSON libs=-lcjson code='#include <cjson/cJSON.h>
int main(void) { cJSON_Delete(cJSON_Parse("{}")); return 0; }' ;;
stb) packages="libstb-dev" upper=STB libs= code='#include <stb/stb_ds.h>
#include <stb/stb_image_write.h>
int main(void) { return 0; }' ;;
cmocka) packages="libcmocka-dev libcmocka0" upper=CMOCKA libs=-lcmocka code='#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
static void t(void **s) { (void)s; assert_true(1); }
int main(void) { const struct CMUnitTest a[] = {cmocka_unit_test(t)}; return cmocka_run_group_tests(a, NULL, NULL); }' ;;
python) packages="python3-numpy python3-pycparser python3-meshio python3-matplotlib python3-setuptools python3-wheel python3-pip" upper= libs= code= ;;
view) packages="libsdl2-dev libgl-dev libgl1-mesa-dri xvfb" upper=VIEW libs="-lSDL2 -lGL" code='#define GL_GLEXT_PROTOTYPES
#include <SDL2/SDL.h>
#include <SDL2/SDL_opengl.h>
#undef main
int main(void) { glCreateShader(GL_VERTEX_SHADER); return (int)SDL_GetTicks(); }' ;;
webp) packages="libwebp-dev" upper=WEBP libs="-lwebpmux -lwebp" code='#include <webp/encode.h>
#include <webp/mux.h>
int main(void) { return WebPAnimEncoderNew(1, 1, NULL) == NULL; }' ;;
*) echo "deps.sh: unknown library $name (cjson, stb, cmocka, python, view, webp)" >&2; exit 1 ;;
esac

# works FLAGS... -- the small program compiles and links
works() {
    printf '%s\n' "$code" > "$dir/$name.try.c"
    # shellcheck disable=SC2086
    $CC "$@" "$dir/$name.try.c" -o "$dir/$name.try" $libs > "$dir/$name.log" 2>&1
}
done_with() { # CFLAGS LIBS
    rm -f "$dir/$name.try" "$dir/$name.try.c"
    printf '%s_CFLAGS := %s\n%s_LIBS := %s\n' "$upper" "$1" "$upper" "$2" > "$dir/$name.mk.tmp"
    mv "$dir/$name.mk.tmp" "$dir/$name.mk"
    exit 0
}
give_up() {
    echo "deps.sh: $name is missing and could not be fetched. Run this line, then make again:" >&2
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends libcjson-dev libstb-dev libcmocka-dev" >&2
    exit 1
}

install_packages() {
    echo "deps.sh: installing $packages" >&2
    # shellcheck disable=SC2086
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages; } >&2
}
# numpy_python MODULES -- the first interpreter that has them
numpy_python() {
    for p in "${PYTHON:-python3}" /usr/bin/python3; do
        if "$p" -c "import $1" > /dev/null 2>&1; then
            printf 'NUMPY_PYTHON := %s\n' "$(command -v "$p")" > "$dir/python.mk"
            exit 0
        fi
    done
}
if [ "$name" = python ]; then
    modules="numpy, pycparser, meshio, matplotlib, setuptools, wheel, pip"
    numpy_python "$modules"
    if command -v apt-get > /dev/null 2>&1 && [ "$(id -u)" = 0 ] && [ -z "${CONTACT_PRIVATE_DEPS:-}" ]; then
        install_packages && numpy_python "$modules"
    fi
    numpy_python "numpy, pycparser"
    exit 0
fi
if ! command -v "$CC" > /dev/null 2>&1; then
    echo "deps.sh: no C compiler '$CC'. Run: sudo apt-get install -y --no-install-recommends gcc libc6-dev make" >&2
    exit 1
fi
if [ "$name" = view ] || [ "$name" = webp ]; then
    if works; then done_with "-DCONTACT_$upper" "$libs"; fi
    if [ -n "${FETCH:-}" ] && command -v apt-get > /dev/null 2>&1 && [ "$(id -u)" = 0 ] && [ -z "${CONTACT_PRIVATE_DEPS:-}" ]; then
        install_packages && works && done_with "-DCONTACT_$upper" "$libs"
    fi
    rm -f "$dir/$name.try.c"
    exit 0
fi
if works; then done_with "" "$libs"; fi
command -v apt-get > /dev/null 2>&1 || give_up

if [ "$(id -u)" = 0 ] && [ -z "${CONTACT_PRIVATE_DEPS:-}" ]; then
    install_packages || give_up
    if works; then done_with "" "$libs"; fi
    give_up
fi

# private apt state: lists and packages under build/deps, unpacked to build/deps/root
echo "deps.sh: fetching $packages into build/deps (nothing is installed on the system)" >&2
mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial" "$dir/deb" "$dir/root"
apt_private() {
    apt-get -o Dir::State="$dir/state" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$dir/cache" \
        -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" "$@"
}
if [ ! -e "$dir/state/updated" ]; then
    apt_private update >&2 || give_up
    touch "$dir/state/updated"
fi
# shellcheck disable=SC2086
(cd "$dir/deb" && apt_private download $packages) >&2 || give_up
for p in $packages; do
    dpkg-deb -x "$(ls "$dir/deb/${p}"_*.deb | tail -n 1)" "$dir/root" || give_up
done
cflags="-I$dir/root/usr/include"
for l in "$dir/root"/usr/lib/*/lib*.so "$dir/root"/usr/lib/lib*.so; do
    [ -e "$l" ] && lib=$(dirname "$l")
done
ldflags=
if [ -n "$libs" ]; then ldflags="-L$lib -Wl,-rpath,$lib $libs"; fi
# shellcheck disable=SC2086
if works $cflags ${libs:+-L$lib -Wl,-rpath,$lib}; then done_with "$cflags" "$ldflags"; fi
cat "$dir/$name.log" >&2
give_up
