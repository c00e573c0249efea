#!/bin/sh
# The checks of the exercises notice what they ought to. For each exercise: as it starts it is not
# solved, the solution is, and every wrong variant is caught by a message that names the mistake.
# Start and variants are made from the solution (tests/exercises/NN_variants.txt), so that a
# learner's own file may be solved, wrong or gone. Then the script behind make exercise-NN, on a copy.
# Usage: check_exercises.sh [NN...] [script]; without one, all, in parallel.
set -u
tests=tests/exercises

variants_of() { echo solution && sed -n 's/^variant: //p' "$tests/$1_variants.txt"; }

# The solution with the lines of a variant exchanged; `into:` lines without a `line:` fill the place.
make_variant() { # number, variant
    awk -v wanted="$2" '
        FNR == NR && sub(/^variant: /, "") { current = $0 == wanted; next }
        FNR == NR && !current { next }
        FNR == NR && sub(/^line: /, "") { line = $0; lines++; next }
        FNR == NR && sub(/^into: ?/, "") {
            if (line == "") whole = whole $0 "\n"; else into[line] = $0
            line = ""; next }
        FNR == NR { next }
        /---- to here/ { inside = 0 }
        { text = $0; sub(/^ +/, "", text) }
        inside && whole != "" { next }
        inside && text in into { print into[text]; found += !(text in seen); seen[text]; next }
        { print }
        /---- your code from here/ { inside = 1; printf "%s", whole }
        END { exit found != lines }' "$tests/$1_variants.txt" "$tests/$1_solution.cpp"
}

# All variants in one program, each in a namespace of its own, which is several times faster.
one_program() { # number, folder, count
    grep -h '^#include' "$tests/$1_test.cpp" "$tests/$1_solution.cpp" | grep -v EXERCISE | sort -u
    i=0
    while [ $i -lt "$3" ]; do
        printf '%s\n' "namespace variant_$i {" "#define EXERCISE \"$2/$i.cpp\"" \
            "#include \"$tests/$1_test.cpp\"" '#undef EXERCISE' '}'
        i=$((i + 1))
    done
    echo 'int main(int, char** argv) {'
    i=0
    while [ $i -lt "$3" ]; do
        echo "    if (argv[1] == std::string(\"$i\")) return variant_$i::main();"
        i=$((i + 1))
    done
    echo '}'
}

judge() { # number, variant, program, its argument
    "$3" "$4" > "$3.out" 2>&1
    code=$?
    says=$(awk -v wanted="$2" 'sub(/^variant: /, "") { name = $0 } name == wanted && sub(/^says: /, "")' \
        "$tests/$1_variants.txt")
    if [ "$2" = solution ]; then
        if [ $code = 0 ] && [ ! -s "$3.out" ]; then
            echo "ok exercise $1: the solution passes"
        else
            cat "$3.out"
            echo "FAILED exercise $1: the solution does not pass"
        fi
    elif [ $code = 1 ] && [ -n "$says" ] && grep -qF -- "$says" "$3.out"; then
        echo "ok exercise $1: $2: $says"
    else
        cat "$3.out"
        echo "FAILED exercise $1: $2: exit code $code, wanted 1 and the words: $says"
    fi
}

# Outside of the marked place learners may add what they include, and nothing else.
same_outside() { # number
    file=$(echo "lessons/exercises/$1"_*.cpp)
    [ -f "$file" ] || return 0
    for side in "$file" "$tests/$1_solution.cpp"; do
        sed '/---- your code from here/,/---- to here/d' "$side" > "$folder/$(basename "$side").outside"
    done
    if diff "$folder/$1_solution.cpp.outside" "$folder/$(basename "$file").outside" |
        grep '^[<>]' | grep -v '^> #include'; then
        echo "FAILED exercise $1: $file is not its solution (<) outside of the marked place"
    else
        echo "ok exercise $1: $file is its solution outside of the marked place"
    fi
}

check_exercise() { # number
    folder=$BUILD/exercises/check_$1
    rm -rf "$folder"
    mkdir -p "$folder"
    same_outside "$1"
    count=0
    variants_of "$1" > "$folder/variants"
    while IFS= read -r variant; do
        make_variant "$1" "$variant" > "$folder/$count.cpp" ||
            echo "FAILED exercise $1: a line of the variant '$variant' is not in the solution"
        count=$((count + 1))
    done < "$folder/variants"
    [ $count -ge 5 ] || echo "FAILED exercise $1: it has fewer than three wrong variants"
    [ "$(grep -c . "$tests/$1_hints.txt")" = 2 ] || echo "FAILED exercise $1: wanted two hints"
    one_program "$1" "$folder" $count > "$folder/all.cpp"
    if ! $COMPILE -g0 -Wno-unused-parameter -Wno-unused-variable -I. -I$tests -include "$BUILD/standard.hpp" \
        "$folder/all.cpp" -o "$folder/all"; then
        echo "FAILED exercise $1: its start or one of its variants does not compile"
        return
    fi
    count=0
    while IFS= read -r variant; do
        judge "$1" "$variant" "$folder/all" $count
        count=$((count + 1))
    done < "$folder/variants"
    rm -rf "$folder"
}

# says WHAT, EXIT CODE, WORDS, COMMAND...: the command ends so and prints the words.
says() {
    what=$1 wanted=$2 words=$3
    shift 3
    "$@" > report 2>&1
    code=$?
    if [ $code = "$wanted" ] && grep -qF -- "$words" report; then
        echo "ok exercises: $what"
    else
        cat report
        echo "FAILED exercises: $what: exit code $code, wanted $wanted and the words: $words"
    fi
}

exercise() { BUILD=$here/$BUILD JOBS=2 sh tests/exercises/exercise.sh "$@"; }

# A watch is started on the unsolved file; the solution is saved while it watches.
watch_until_solved() {
    exercise watch-01 > watched 2>&1 &
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -q 'A hint' watched && break
        sleep 1
    done
    cp "$tests/01_solution.cpp" "$file"
    wait $!
    code=$?
    cat watched
    return $code
}

check_script() { # in a copy with two exercises, in a path with a blank
    here=$(pwd)
    copy="$here/$BUILD/exercises/a copy"
    rm -rf "$copy"
    mkdir -p "$copy/lessons/exercises" "$copy/$tests"
    cp -R src "$copy"
    cp lessons/[0-9]*.cpp "$copy/lessons"
    cp $tests/*.sh $tests/*.hpp $tests/01_* $tests/03_* "$copy/$tests"
    file=lessons/exercises/01_x.cpp
    cd "$copy" || exit 1
    make_variant 01 start > start
    make_variant 03 start > lessons/exercises/03_x.cpp

    cp start $file
    says "the start is not solved" 1 "$file: not solved yet." exercise exercise-1
    says "a watch sees the solution, and says what comes next" 0 \
        "Next: make lesson-02. The next exercise: make exercise-03." watch_until_solved
    says "one of two is solved" 0 "[#.] 1 of 2 solved; next: make exercise-03" exercise progress
    sed 's/sum += a(i, k)/sum += c(i, k)/' $tests/01_solution.cpp > $file
    says "where it does not compile" 1 "  $file:21: " exercise exercise-01
    [ "$(wc -l < report)" -le 8 ] || echo "FAILED exercises: a page of errors"
    sed 's/sum += a(i, k) \*/std::cout << b;&/' $tests/01_solution.cpp > $file
    says "an error inside a template" 1 "  $file:21: " exercise exercise-01
    [ "$(wc -l < report)" -le 9 ] || echo "FAILED exercises: a page of errors"
    sed 's/rows_meet_rows(/rows(/' $tests/01_solution.cpp > $file
    says "another name" 1 "outside of the marked place" exercise exercise-01
    sed 's/++k)/k += 0)/' $tests/01_solution.cpp > $file
    SECONDS_ALLOWED=1 says "an endless loop" 1 "does not come to an end" exercise exercise-01
    sed 's/return result/std::abort()/' $tests/01_solution.cpp > $file
    says "a crash" 1 "$file: crashes." exercise exercise-01
    rm $file
    says "a missing file" 1 "git checkout -- 'lessons/exercises/01_*'" exercise exercise-01
    says "nothing is solved, and a file is missing" 0 "[..] 0 of 2 solved; next: make exercise-01" \
        exercise progress
    cp $tests/01_solution.cpp $file
    cp $tests/03_solution.cpp lessons/exercises/03_x.cpp
    says "all are solved" 0 "[##] 2 of 2 solved: all solved" exercise progress
    cp start $file
    says "a hint" 0 "make hint-01 LEVEL=2" exercise hint-01
    LEVEL=2 says "a second hint" 0 "result(i, j)" exercise hint-01
    says "a solution" 0 "+                sum += a(i, k) * b(j, k);" exercise solution-01
    says "no such exercise" 2 "  03  two waves for every pair of channels" exercise exercise-99
    cd "$here" || exit 1
    rm -rf "$copy"
}

if [ $# -gt 0 ]; then
    for number in "$@"; do
        if [ "$number" = script ]; then check_script; else check_exercise "$number"; fi
    done
else
    { echo script && for test in $tests/[0-9]*_test.cpp; do basename "$test" _test.cpp; done; } |
        xargs -P "$JOBS" -n 1 sh -c 'sh "$0" "$1" > "$BUILD/exercises.$1" 2>&1 ||
            echo "FAILED exercises: check_exercises.sh $1 ended with code $?" >> "$BUILD/exercises.$1"' "$0"
    cat "$BUILD"/exercises.*
    rm -f "$BUILD"/exercises.*
fi
