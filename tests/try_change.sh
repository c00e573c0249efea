#!/bin/sh
# Makes one edit of a text on a scratch copy, builds the lesson, runs it, and compares.
# Usage: try_change.sh FOLDER, a folder that check_changes.sh has cut out of the text
set -u
here=$(pwd)
change=$1
number=$(cat "$change/lesson" 2>/dev/null) || { echo "FAILED $(cat "$change/where"): the edit promises no output"; exit; }
where=$(cat "$change/where")
file=$(cat "$change/file")
mkdir "$change/tree" && cp -R src lessons "$change/tree" && cd "$change/tree" || exit
touch "$change/new"
old=$(cat "$change/old") new=$(cat "$change/new") awk '
    function trimmed(text) { sub(/^ +/, "", text); return text }
    BEGIN { count = split(ENVIRON["old"], old, "\n"); new = ENVIRON["new"] }
    { line[NR] = $0 }
    END {
        for (i = 1; i <= NR; i++) {
            for (n = 0; n < count && trimmed(line[i + n]) == trimmed(old[n + 1]); n++) ;
            if (n < count || found) { print line[i]; continue }
            found = 1
            i += count - 1
            if (new != "") print new
        }
        exit !found
    }' "$here/$file" > "$file" || {
    echo "FAILED $where: its line is not there in $file"
    exit
}
for lesson in lessons/"$number"_*.cpp $([ "$number" = 17 ] && echo lessons/16_*.cpp); do
    $COMPILE -g0 "$lesson" -o "$(basename "$lesson" .cpp)" # without the compiled headers, and so sooner
done > "$change/output" 2>&1
program=$(ls "$number"_* 2>/dev/null) && "./$program" >> "$change/output" 2>&1
awk -v where="$where" '
    FNR == NR { wanted = wanted $0 "\n"; next }
    { output = output $0 "\n" }
    END { if (index("\n" output, wanted)) print "ok " where
          else print "what came:\n" output "FAILED " where ": what the edit promises did not come" }' \
    "$change/wanted" "$change/output"
cd / && rm -rf "$change/tree"
