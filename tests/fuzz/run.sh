#!/bin/sh
# Feeds damaged files to the .npz reader for SECONDS seconds; `make fuzz` calls it.
set -u
mkdir -p build/fuzz/corpus
clang++ $STRICT -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Isrc \
    tests/fuzz/npz_fuzz.cpp -o build/fuzz/npz_fuzz || {
    echo 'make fuzz needs clang++ with its libFuzzer (Debian: apt-get install clang).' >&2
    exit 2
}
build/fuzz/npz_fuzz -max_total_time="$SECONDS" -max_len=4096 -timeout=5 -rss_limit_mb=512 \
    -malloc_limit_mb=64 -use_value_profile=1 -artifact_prefix=build/fuzz/ build/fuzz/corpus \
    tests/fuzz/seeds
