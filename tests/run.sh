#!/bin/sh
# Runs every test and check of one mode; `make test` calls it. A check prints one line a result,
# "ok ...", "FAILED ..." or "skipped ..."; what failed or was skipped is shown, everything is counted.
# CHECKS names a selection.
set -u
log=$BUILD/test.log
: > "$log"
wanted=" ${CHECKS:-units lessons figures files docs headers debugger tools exercises changes checks edits} "

# Checks that are wanted, side by side, each on its share of the processors; then what they said.
run_checks() { # names
    names=
    for name in "$@"; do
        case $wanted in *" $name "*) names="$names $name" ;; esac
    done
    [ -n "$names" ] || return 0
    share=$JOBS
    [ "$#" -eq 1 ] || share=$(((JOBS + 1) / 2))
    printf '%s\n' $names | JOBS=$share LOG=$log xargs -P 2 -I{} sh -c '
        sh tests/check_{}.sh > "$LOG.{}" 2>&1 || echo "FAILED check_{}.sh itself ended with code $?" >> "$LOG.{}"'
    for name in $names; do
        grep -v '^ok ' "$log.$name"
        awk -v name="$name" '/^ok /{p++} /^FAILED /{f++} /^skipped /{s++}
            END{printf "%-9s %4d passed, %d failed%s\n", name, p, f, s ? ", " s " skipped" : ""}' "$log.$name"
        cat "$log.$name" >> "$log"
        rm -f "$log.$name"
    done
}

run_checks units # alone, since one of them measures speed
run_checks headers exercises lessons figures files docs debugger tools
if grep -q '^FAILED ' "$log"; then
    echo "changes, checks, edits: not run; they damage a sound copy, and something failed before"
else
    run_checks changes checks edits
fi

awk '/^ok /{p++} /^FAILED /{f++} /^skipped /{s++}
     END{printf "%d passed, %d failed\n", p, f; exit !(p + s > 0 && f == 0)}' "$log"
