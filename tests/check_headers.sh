#!/bin/sh
# Every header and solution of an exercise compiles alone, without the precompiled header (lessons do so in
# check_changes.sh), and includes only what it may: each folder of src/ stands on the ones before it, and
# <...> names a standard header.
# Usage: check_headers.sh [FILE...]
set -u
[ $# -gt 0 ] || set -- src/*/*.hpp lessons/[0-9]*.cpp tests/exercises/*_solution.cpp
files=$BUILD/headers.$$
order="numbers model proof record show lessons tests"

compile_alone() {
    printf '%s\n' "$@" | grep -v '^lessons/' > "$files"
    echo "wanted $(grep -c . "$files")"
    [ ! -s "$files" ] || xargs -P "$JOBS" -n 1 sh -c '
        if echo "#include \"$1\"" | $COMPILE -I. -fsyntax-only -x c++ -; then
            echo "ok $1 compiles alone"
        else
            echo "FAILED $1 does not compile alone"
        fi' sh < "$files"
    rm -f "$files"
}

may_include() { # file, what it includes
    awk -v order="$order" -v file="$1" -v wanted="$2" 'BEGIN {
        count = split(order, folders, " ")
        for (i = 1; i <= count; i++) rank[folders[i]] = i
        split(file, from, "/"); split(wanted, to, "/")
        own = rank[from[1] == "src" ? from[2] : from[1]]
        exit !(own && rank[to[1]] && rank[to[1]] <= own)
    }'
}

include_graph() {
    echo "wanted $#"
    for file in "$@"; do
        wrong=
        for header in $(sed -n 's/^#include "\(.*\)"/\1/p' "$file"); do
            may_include "$file" "$header" || wrong="$wrong $header"
        done
        wrong=$wrong$(sed -n 's/^#include \(<.*[./].*>\)/ \1/p' "$file")
        if [ -z "$wrong" ]; then
            echo "ok $file includes what it may"
        else
            echo "FAILED $file includes$wrong; the order is: $order"
        fi
    done
}

# An auditor that shared the model's code would repeat its mistakes and call them confirmed.
audit_is_independent() {
    echo "wanted 2"
    for file in src/record/audit.hpp lessons/17_audit.cpp; do
        if $COMPILE -MM -x c++ "$file" | grep -q 'src/model/'; then
            echo "FAILED $file reaches src/model"
        else
            echo "ok $file reaches nothing of src/model"
        fi
    done
}

compile_alone "$@"
include_graph "$@"
audit_is_independent
