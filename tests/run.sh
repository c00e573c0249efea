#!/bin/sh
# Runs every test and check of one mode; `make test` calls it. A check prints one line a result,
# "ok ...", "FAILED ..." or "skipped ..."; what failed or was skipped is shown, everything is counted.
# A check that goes through a list says "wanted N" first: how many results it will give. One that gives
# fewer, or none at all, fails.
# CHECKS names a selection; elsewhere is in it only if it is named.
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
    printf '%s\n' $names | JOBS=$share LOG=$log xargs -P 2 -n 1 sh -c '
        sh "tests/check_$1.sh" > "$LOG.$1" 2>&1 ||
            echo "FAILED check_$1.sh itself ended with code $?" >> "$LOG.$1"' sh
    for name in $names; do
        [ -f "$log.$name" ] || : > "$log.$name"
        awk -v name="$name" '/^(ok|FAILED|skipped) /{came++} /^wanted [0-9]+$/{wanted += $2}
            END{if (!came || came < wanted)
                print "FAILED check_" name ".sh gave " came + 0 " results, wanted " (wanted ? wanted : "at least 1")}' \
            "$log.$name" > "$log.few"
        cat "$log.few" >> "$log.$name"
        grep -Ev '^(ok |wanted [0-9]+$)' "$log.$name"
        awk -v name="$name" '/^ok /{p++} /^FAILED /{f++} /^skipped /{s++}
            END{printf "%-9s %4d passed, %d failed%s\n", name, p, f, s ? ", " s " skipped" : ""}' "$log.$name"
        cat "$log.$name" >> "$log"
        rm -f "$log.$name" "$log.few"
    done
}

run_checks units headers exercises lessons figures files docs debugger tools elsewhere
if grep -q '^FAILED ' "$log"; then
    echo "changes, checks, edits: not run; they damage a sound copy, and something failed before"
else
    run_checks changes checks edits
fi

awk '/^ok /{p++} /^FAILED /{f++} /^skipped /{s++}
     END{printf "%d passed, %d failed\n", p, f; exit !(p + s > 0 && f == 0)}' "$log"
