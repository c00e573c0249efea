#!/bin/sh
# "Change it and run it": makes every edit of every text on a scratch copy, builds the lesson, runs
# it, and looks for what the text promises.
#
#     <!-- edit FILE -->      the next ```diff block, made in FILE
#     <!-- then NN -->        the next ```text block stands so in what comes: the output of lesson NN,
#                             or the compiler's message
#
# Usage: check_changes.sh [TEXT...]
set -u
changes=$(cd "$BUILD" && pwd)/changes.$$
[ $# -gt 0 ] || set -- docs/[0-9]*.md

# For each edit of a text a folder NN.K with: where (text:line), file, old, new, wanted.
cut_edits() { # text
    awk -v folder="$changes/$(basename "$1" | sed 's/_.*//')" '
        function put(name, line) { if (k) print line > (folder "." k "/" name) }
        /^<!-- edit .* -->$/ { k++; system("mkdir -p " "\"" folder "." k "\""); put("file", $3); put("where", FILENAME ":" FNR); put("wanted", ""); next }
        /^<!-- then [0-9]+ -->$/ { promised = 1; put("lesson", $3); next }
        /^```/ { if (block) block = ""; else { block = substr($0, 4); if (block == "") block = "plain" }
                 if (!block) promised = 0
                 next }
        block == "diff" && /^-/ { put("old", substr($0, 2)) }
        block == "diff" && /^\+/ { put("new", substr($0, 2)) }
        block == "text" && promised { put("wanted", $0) }
        END { if (k < 2) print "FAILED " FILENAME " has " k + 0 " edits to try; wanted at least two" }' "$1"
}

rm -rf "$changes"
mkdir -p "$changes"
for text in "$@"; do
    cut_edits "$text"
done
ls -d "$changes"/*/ | xargs -P "$JOBS" -I{} sh tests/try_change.sh "{}"
rm -rf "$changes"
