#!/bin/sh
# deps.sh -- makes sure that one library can be compiled against, and writes build/deps/NAME.mk for the Makefile.
#   usage: CC=cc sh tools/deps.sh cjson|stb|cmocka
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
*) echo "deps.sh: unknown library $name (cjson, stb, cmocka)" >&2; exit 1 ;;
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

if ! command -v "$CC" > /dev/null 2>&1; then
    echo "deps.sh: no C compiler '$CC'. Run: sudo apt-get install -y --no-install-recommends gcc libc6-dev make" >&2
    exit 1
fi
if works; then done_with "" "$libs"; fi
command -v apt-get > /dev/null 2>&1 || give_up

if [ "$(id -u)" = 0 ] && [ -z "${CONTACT_PRIVATE_DEPS:-}" ]; then
    echo "deps.sh: installing $packages" >&2
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages; } >&2 || give_up
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
