#!/bin/sh
# run_fuzz.sh SECONDS JOBS NAME... -- runs the fuzzers build/fuzz/NAME, each for SECONDS, JOBS at a time; what they find is kept in build/fuzz/found.
# Exit code 1 when one of them found a crash, a leak, an input that takes more than 5 s or more than 1 GB.
seconds=$1 jobs=$2
shift 2
total=$# bad=0
mkdir -p build/fuzz/corpus build/fuzz/found build/fuzz/log
build/fuzz/seeds build/fuzz/corpus || exit 2
for kind in msh mesh meshb vtu gltf glb; do
    mkdir -p build/fuzz/corpus/$kind && cp tests/data/*.$kind build/fuzz/corpus/$kind/
done
mkdir -p build/fuzz/corpus/scene && cp examples/scenes/*.json build/fuzz/corpus/scene/
run_one() {
    build/fuzz/"$1" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -max_len=4096 -print_final_stats=1 \
        -artifact_prefix=build/fuzz/found/"$1"_ build/fuzz/corpus/"$1" >build/fuzz/log/"$1".txt 2>&1
    echo $? >build/fuzz/log/"$1".code
}
while [ $# -gt 0 ]; do
    at=0
    batch=
    while [ $# -gt 0 ] && [ $at -lt "$jobs" ]; do
        run_one "$1" &
        batch="$batch $1"
        shift
        at=$((at + 1))
    done
    wait
    for name in $batch; do
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' build/fuzz/log/"$name".txt)
        most=$(sed -n 's/^stat::peak_rss_mb: *//p' build/fuzz/log/"$name".txt)
        slow=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' build/fuzz/log/"$name".txt)
        if [ "$(cat build/fuzz/log/"$name".code)" = 0 ]; then
            echo "  fuzz $name: $runs inputs in $seconds s, at most $most MB, slowest $slow s: nothing found"
        else
            bad=$((bad + 1))
            echo "  fuzz $name: FAILED, see build/fuzz/log/$name.txt; the input is in build/fuzz/found"
            grep -m 3 -E 'ERROR|runtime error|SUMMARY' build/fuzz/log/"$name".txt
        fi
    done
done
rm -f /dev/shm/contact_fuzz_* /tmp/contact_fuzz_*
echo "$((total - bad)) passed, $bad failed, 0 skipped"
[ $bad = 0 ]
