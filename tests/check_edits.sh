#!/bin/sh
# Mutation tests: makes edits from tests/edits.txt on a scratch copy of src/, builds the unit tests
# against it, and compares the tests that fail with those that carry the edit's name as a label.
# Usage: check_edits.sh NAME...  or  check_edits.sh all; without a name, one edit of the mask.
set -u
compiled=$BUILD/edits.$$ # one's own: another process may try the same edit
trap 'rm -rf "$compiled"' EXIT
trap 'exit 130' INT TERM

edit_names() { sed -n 's/^edit: //p' tests/edits.txt; }

apply_edit() { # name, folder that holds src/
    awk -v name="$1" '
        FNR == NR && sub(/^edit: /, "") { current = $0; next }
        FNR == NR && current == name && sub(/^file: /, "") { next }
        FNR == NR && current == name && sub(/^line: /, "") { line = $0; next }
        FNR == NR && current == name && sub(/^into: /, "") { into = $0; next }
        FNR == NR { next }
        { text = $0; sub(/^ +/, "", text)
          if (text == line) { sub(/[^ ].*/, ""); print $0 into; found++ } else print }
        END { exit found != 1 }' tests/edits.txt "$3" > "$2/$3"
}

file_of() { awk -v name="$1" 'sub(/^edit: /, "") { n = $0 } n == name && sub(/^file: /, "")' tests/edits.txt; }

# The unit tests that fail, or that carry a label, one name a line.
tests_that() { # failed | passed, program, options
    outcome=$1
    shift
    "$@" --log_level=nothing --report_level=detailed --report_sink="$compiled/report" >/dev/null 2>&1
    case $outcome in
        failed) awk '/Test case ".*" / && !/has passed/ { print $3 }' "$compiled/report" ;;
        passed) awk '/Test case ".*" has passed/ { print $3 }' "$compiled/report" ;;
    esac | sort
}

# Only the tests that include the edited file can notice; they alone are compiled, linked and run.
build_with_edit() { # name, edited file
    scratch=$compiled/$1
    objects=$BUILD/tests/main.o
    sources=
    for source in tests/*/[a-z]*_test.cpp; do
        unit=${source#tests/}
        unit=${unit%.cpp}
        if grep -q "$2" "$BUILD/tests/$unit.d"; then
            sources="$sources $unit"
            objects="$objects $scratch/$(echo "$unit" | tr / _).o"
        fi
    done
    edited=$(echo "$COMPILE" | sed "s|-Isrc|-I$scratch/src|")
    printf '%s\n' $sources | edited=$edited scratch=$scratch xargs -P "$JOBS" -n 1 sh -c '
        $edited -w -g0 -DBOOST_TEST_DYN_LINK ${BOOST:-} -Itests -include "$BUILD/standard.hpp" -c "tests/$1.cpp" \
            -o "$scratch/$(echo "$1" | tr / _).o"' sh || return 1
    $COMPILE $objects ${TEST_LINK:--lboost_unit_test_framework} -o "$scratch/unit_tests"
}

try_edit() { # name
    name=$1
    file=$(file_of "$name")
    mkdir -p "$compiled/$name"
    cp -R src "$compiled/$name/src"
    if ! apply_edit "$name" "$compiled/$name" "$file"; then
        echo "FAILED edit $name: its line is not there, or not once, in $file"
    elif ! build_with_edit "$name" "$file"; then
        echo "FAILED edit $name: the edited source does not compile"
    else
        tests_that passed "$BUILD/unit_tests" --run_test="@$name" > "$compiled/guards"
        tests_that failed "$compiled/$name/unit_tests" > "$compiled/failed"
        if [ -s "$compiled/guards" ] && diff "$compiled/guards" "$compiled/failed"; then
            echo "ok edit $name: its $(wc -l < "$compiled/guards" | tr -d ' ') guards fail, and no other test"
        else
            echo "FAILED edit $name: guards (<) and failing tests (>) differ, or there is no guard"
        fi
    fi
    rm -rf "${compiled:?}/$name"
}

[ $# -gt 0 ] || set -- ${EDITS:-mask_one_too_far}
[ "$*" = all ] && set -- $(edit_names)
echo "wanted $#"
for name in "$@"; do
    try_edit "$name"
done
