#!/bin/sh
# Makes one edit of a text on a scratch copy, builds the lesson, runs it, and compares.
# Usage: try_change.sh FOLDER, a folder that check_changes.sh has cut out of the text
set -u
here=$(pwd)
change=$1
where=$(cat "$change/where")
file=$(cat "$change/file")
[ -s "$change/lesson" ] && [ -s "$change/wanted" ] || { echo "FAILED $where: the edit promises no output"; exit; }
number=$(cat "$change/lesson")
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
awk -v where="$where" -v kind="$(cat "$change/kind")" '
    FNR == 1 { file++ }
    { text[file] = text[file] $0 "\n" }
    END {
        wanted = "\n" text[1]
        before = index("\n" text[2], wanted); after = index("\n" text[3], wanted)
        if (!after) print "what came:\n" text[3] "FAILED " where ": what the edit promises did not come"
        else if (before && kind != "unchanged")
            print "FAILED " where ": what the edit promises comes without the edit as well"
        else if (!before && kind == "unchanged")
            print "FAILED " where ": what the edit is to leave unchanged is not printed without it"
        else print "ok " where
    }' "$change/wanted" lessons/"$number"_*.expected "$change/output"
cd / && rm -rf "$change/tree"
