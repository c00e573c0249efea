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
here=$(pwd)
changes=$here/$BUILD/changes
export here
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

cat > "$here/$BUILD/try_change.sh" <<'TRY'
# Makes one edit, builds, runs, compares. Argument: the folder that cut_edits made.
change=$1
number=$(cat "$change/lesson" 2>/dev/null) || { echo "FAILED $(cat "$change/where"): the edit promises no output"; exit; }
where=$(cat "$change/where")
file=$(cat "$change/file")
mkdir "$change/tree" && cp -R src lessons "$change/tree" && cd "$change/tree" || exit
touch "$change/new"
old=$(cat "$change/old") new=$(cat "$change/new") awk '
    BEGIN { old = ENVIRON["old"]; new = ENVIRON["new"]; sub(/^ +/, "", old) }
    { text = $0; sub(/^ +/, "", text)
      if (text == old && !found) { found = 1; if (new != "") print new } else print }
    END { exit !found }' "$here/$file" > "$file" || {
    echo "FAILED $where: its line is not there in $file"
    exit
}
for lesson in lessons/"$number"_*.cpp $([ "$number" = 17 ] && echo lessons/16_*.cpp); do
    $COMPILE -include "$here/$BUILD/standard.hpp" "$lesson" -o "$(basename "$lesson" .cpp)"
done > "$change/output" 2>&1
program=$(ls "$number"_* 2>/dev/null) && "./$program" >> "$change/output" 2>&1
awk -v where="$where" '
    FNR == NR { wanted = wanted $0 "\n"; next }
    { output = output $0 "\n" }
    END { if (index("\n" output, wanted)) print "ok " where
          else print "what came:\n" output "FAILED " where ": what the edit promises did not come" }' \
    "$change/wanted" "$change/output"
cd / && rm -rf "$change/tree"
TRY

rm -rf "$changes"
mkdir -p "$changes"
for text in "$@"; do
    cut_edits "$text"
done
ls -d "$changes"/*/ | xargs -P "$JOBS" -I{} sh "$here/$BUILD/try_change.sh" "{}"
rm -rf "$changes" "$here/$BUILD/try_change.sh"
