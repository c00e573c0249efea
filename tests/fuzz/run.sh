#!/bin/sh
# Feeds damaged files to the .npz reader for LIMIT seconds; `make fuzz` calls it. It says little, and
# ends in a verdict; a file on which the reader failed stays in build/fuzz.
set -u
case $LIMIT in
    '' | *[!0-9]* | 0*) echo "make fuzz: SECONDS is '$LIMIT'; wanted a whole number of at least 1." >&2; exit 2 ;;
esac
work=build/fuzz
echo "Damaged files go to the .npz reader, for $LIMIT s: it may read or refuse them, nothing else."
mkdir -p $work/corpus || exit 2
clang++ $STRICT -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Isrc \
    tests/fuzz/npz_fuzz.cpp -o $work/npz_fuzz > $work/log 2>&1 || {
    echo "make fuzz needs clang++ with its libFuzzer (Debian: apt-get install clang); $work/log says what failed." >&2
    exit 2
}
$work/npz_fuzz -max_total_time="$LIMIT" -max_len=4096 -timeout=5 -rss_limit_mb=512 -malloc_limit_mb=64 \
    -use_value_profile=1 -print_final_stats=1 -artifact_prefix=$work/ $work/corpus tests/fuzz/seeds > $work/log 2>&1
code=$?
echo "files read: $(sed -n 's/^stat::number_of_executed_units: *//p' $work/log)"
if [ $code -eq 0 ]; then
    echo "THE READER TAKES OR REFUSES EVERY FILE: YES"
    exit 0
fi
grep -m 1 -E 'ERROR:|runtime error:|ALARM' $work/log
sed -n 's/.*Test unit written to /the file: /p' $work/log
echo "THE READER TAKES OR REFUSES EVERY FILE: NO ($work/log has the whole story)"
exit 1
