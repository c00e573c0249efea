#!/bin/sh
# "Change it and run it": makes every edit of every text on a scratch copy, builds the lesson, runs
# it, and looks for what the text promises.
#
#     <!-- edit FILE -->            the next ```diff block, made in FILE
#     <!-- then NN -->              the next ```text block stands so in what comes, the output of lesson
#                                   NN or the compiler's message, and does not come without the edit
#     <!-- then NN unchanged -->    it stands so in what comes, with the edit as without it
#
# Usage: check_changes.sh [TEXT...]
set -u
changes=$(cd "$BUILD" && pwd)/changes.$$
[ $# -gt 0 ] || set -- docs/[0-9]*.md

count_edits() { grep -c '^<!-- edit .* -->$' "$1"; }

# For each edit of a text a folder NN.K with: where (text:line), file, old, new, lesson, kind, wanted.
cut_edits() { # text
    folder=$changes/$(basename "$1" | sed 's/_.*//')
    edits=$(count_edits "$1")
    [ "$edits" -ge 2 ] || echo "FAILED $1 has $edits edits to try; wanted at least two"
    while [ "$edits" -gt 0 ]; do
        mkdir "$folder.$edits"
        edits=$((edits - 1))
    done
    folder=$folder awk '
        function put(name, line) { if (k) print line > (ENVIRON["folder"] "." k "/" name) }
        /^<!-- edit .* -->$/ { k++; put("file", $3); put("where", FILENAME ":" FNR); next }
        /^<!-- then [0-9]+( unchanged)? -->$/ { promised = 1; put("lesson", $3); put("kind", $4); next }
        /^```/ { if (block) block = ""; else { block = substr($0, 4); if (block == "") block = "plain" }
                 if (!block) promised = 0
                 next }
        block == "diff" && /^-/ { put("old", substr($0, 2)) }
        block == "diff" && /^\+/ { put("new", substr($0, 2)) }
        block == "text" && promised { put("wanted", $0) }' "$1"
}

rm -rf "$changes"
mkdir -p "$changes"
wanted=0
for text in "$@"; do
    cut_edits "$text"
    wanted=$((wanted + $(count_edits "$text")))
done
ls "$changes" | xargs -P "$JOBS" -n 1 sh -c 'sh tests/try_change.sh "$0/$1"' "$changes" |
    awk -v wanted="$wanted" '
        { print }
        /^(ok|FAILED) [^ ]+:[0-9]+/ { results++ }
        END { if (!wanted || results < wanted)
                  print "FAILED check_changes: " results + 0 " results of " wanted " edits" }'
rm -rf "$changes"
