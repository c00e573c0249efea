#!/bin/sh
# Runs every test and check of one mode; `make test` calls it. A check prints one line a result,
# "ok ..." or "FAILED ..."; what failed is shown, everything is counted. CHECKS names a selection.
set -u
log=$BUILD/test.log
: > "$log"

for name in ${CHECKS:-units lessons figures docs headers exercises checks edits}; do
    case $name in checks | edits) # these damage a sound copy: without one they would only confuse
        if grep -q '^FAILED ' "$log"; then
            echo "$name: not run, since something failed before"
            continue
        fi ;;
    esac
    sh "tests/check_$name.sh" > "$log.part" 2>&1 ||
        echo "FAILED check_$name.sh itself ended with code $?" >> "$log.part"
    grep -v '^ok ' "$log.part"
    awk -v name="$name" '/^ok /{p++} /^FAILED /{f++}
        END{printf "%-9s %4d passed, %d failed\n", name, p, f}' "$log.part"
    cat "$log.part" >> "$log"
done
rm -f "$log.part"

awk '/^ok /{p++} /^FAILED /{f++}
     END{printf "%d passed, %d failed\n", p, f; exit !(p > 0 && f == 0)}' "$log"
