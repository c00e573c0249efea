#!/bin/sh
# Runs every test and check of one mode; `make test` calls it. A check prints one line a result,
# "ok ..." or "FAILED ..."; what failed is shown, everything is counted.
set -u
log=$BUILD/test.log
: > "$log"

check() {
    title=$1
    shift
    sh "$@" > "$log.part" 2>&1 || echo "FAILED $title: the check itself ended with code $?" >> "$log.part"
    grep -v '^ok ' "$log.part"
    awk -v title="$title" '/^ok /{p++} /^FAILED /{f++} END{printf "%-22s %3d passed, %d failed\n", title, p, f}' "$log.part"
    cat "$log.part" >> "$log"
}

check "unit tests"           tests/check_units.sh
check "lessons"              tests/check_lessons.sh
check "figures"              tests/check_figures.sh
check "texts"                tests/check_docs.sh
check "headers"              tests/check_headers.sh
check "the checks themselves" tests/check_checks.sh
check "edited lines"         tests/check_edits.sh ${EDITS-mask_removed mask_one_too_far}
rm -f "$log.part"

awk '/^ok /{p++} /^FAILED /{f++} END{printf "%d passed, %d failed\n", p, f; exit !(p > 0 && f == 0)}' "$log"
