#!/bin/sh
# The checks of the exercises notice what they ought to. For each exercise: as it starts it is not
# solved, the solution is, and every wrong variant is caught by a message that names the mistake.
# Start and variants are made from the solution (tests/exercises/NN_variants.txt), so that a
# learner's own file may be solved, wrong or gone. Then the script behind make exercise-NN, on a copy.
# Usage: check_exercises.sh [NN...] [script broken edited library starts]; without one, all but starts, in
# parallel.
set -u
tests=tests/exercises

variants_of() { echo solution && sed -n 's/^variant: //p' "$tests/$1_variants.txt"; }

make_variant() { awk -v wanted="$2" -f $tests/variant.awk "$tests/$1_variants.txt" "$tests/$1_solution.cpp"; } # number, variant

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
    rm -f "$3.verdict"
    echo "$3.verdict" | "$3" "$4" > "$3.out" 2>&1
    verdict=$(cat "$3.verdict")
    says=$(awk -v wanted="$2" 'sub(/^variant: /, "") { name = $0 } name == wanted && sub(/^says: /, "")' \
        "$tests/$1_variants.txt")
    if [ "$2" = solution ] || [ "$says" = solved ]; then
        if [ "$verdict" = solved ] && [ ! -s "$3.out" ]; then
            echo "ok exercise $1: $2 passes"
        else
            cat "$3.out"
            echo "FAILED exercise $1: $2 does not pass"
        fi
    elif [ "$verdict" = "not solved" ] && [ -n "$says" ] && grep -qF -- "$says" "$3.out"; then
        echo "ok exercise $1: $2: $says"
    else
        cat "$3.out"
        echo "FAILED exercise $1: $2: the verdict is '$verdict', wanted 'not solved' and the words: $says"
    fi
}

check_exercise() { # number
    folder=$BUILD/exercises/check_$1
    rm -rf "$folder"
    mkdir -p "$folder"
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
    if ! $COMPILE -g0 -Wno-unused-parameter -Wno-unused-variable -iquote $tests/library -I. -I$tests \
        -include "$BUILD/standard.hpp" "$folder/all.cpp" -o "$folder/all"; then
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

# A watch is started on the unsolved file; the solution is saved while it watches. It gets half a minute.
watch_until_solved() {
    exercise watch-01 > watched 2>&1 &
    watch=$!
    for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        [ "$second" != 30 ] || kill $watch
        kill -0 $watch 2>/dev/null || break
        ! grep -q 'A hint' watched || cp "$tests/01_solution.cpp" "$file"
        sleep 1
    done
    wait $watch
    code=$?
    cat watched
    return $code
}

# A copy of the project with some exercises as they start, in a path with a blank.
enter_a_copy() { # name, numbers
    here=$(pwd)
    copy="$here/$BUILD/exercises/a copy $1"
    rm -rf "$copy"
    mkdir -p "$copy/lessons/exercises" "$copy/$tests"
    cp -R src "$copy"
    cp lessons/[0-9]*.cpp "$copy/lessons"
    cp Makefile "$copy" 2>/dev/null # it is not there in a damaged copy
    cp tests/need_compiler.sh tests/machine.mk "$copy/tests"
    cp -R $tests/*.* $tests/library "$copy/$tests"
    cd "$copy" || exit 1
    for test in $tests/[0-9]*_test.cpp; do
        number=$(basename "$test" _test.cpp)
        case " $2 " in
            *" $number "*) make_variant "$number" start > "$(file_of "$number")" ;;
            *) rm "$tests/${number}"_* ;;
        esac
    done
    file=$(file_of "${2%% *}")
}

leave_the_copy() {
    cd "$here" || exit 1
    rm -rf "$copy"
}

file_of() { sed -n 's/^file: //p' "$tests/$1_variants.txt"; }

# The file of exercise 01 with this between the marks.
answer() { # C++
    make_variant 01 start | body=$1 awk '/---- to here/ { inside = 0 } !inside { print }
        /---- your code from here/ { inside = 1; print ENVIRON["body"] }' > "$file"
}

check_script() {
    enter_a_copy script "01 03"
    cp "$file" start
    says "the start is not solved" 1 "$file: not solved yet." exercise exercise-1
    says "a watch sees the solution, and says what comes next" 0 \
        "Next: make lesson-02. The next exercise: make exercise-03." watch_until_solved
    says "one of two is solved" 0 "[#.] 1 of 2 solved; next: make exercise-03" exercise progress
    cp start "$file"
    cp $tests/01_solution.cpp lessons/exercises/01_backup.cpp
    says "a copy beside an exercise is not taken for it" 1 "$file: not solved yet." exercise exercise-01
    sed 's/sum += a(i, k)/sum += c(i, k)/' $tests/01_solution.cpp > "$file"
    says "where it does not compile" 1 "  $file:21: " exercise exercise-01
    [ "$(wc -l < report)" -le 8 ] || echo "FAILED exercises: a page of errors"
    sed 's/sum += a(i, k) \*/std::cout << b;&/' $tests/01_solution.cpp > "$file"
    says "an error inside a template" 1 "  $file:21: " exercise exercise-01
    [ "$(wc -l < report)" -le 9 ] || echo "FAILED exercises: a page of errors"
    sed 's/rows_meet_rows(/rows(/' $tests/01_solution.cpp > "$file"
    says "another name" 1 "outside of the marked place" exercise exercise-01
    sed 's/sum += a(i, k)/sum = a(i, k)/; s/ *$/ /; s/$/\r/' $tests/01_solution.cpp > "$file"
    says "line ends and blanks of another editor" 1 'Only the last term' exercise exercise-01
    ! grep 'outside of the marked place' report || echo "FAILED exercises: line ends are no difference"
    says "an exercise is brought back, and one's own kept" 0 "Yours is kept in $file.yours" exercise reset-01
    cmp start "$file" || echo "FAILED exercises: reset-01 brought another file"
    rm "$file"
    says "a missing file" 1 "make reset-01 brings it back" exercise exercise-01
    says "nothing is solved, and a file is missing" 0 "[..] 0 of 2 solved; next: make exercise-01" \
        exercise progress
    cp $tests/01_solution.cpp "$file"
    cp $tests/03_solution.cpp "$(file_of 03)"
    says "all are solved" 0 "[##] 2 of 2 solved: all solved" exercise progress
    cp start "$file"
    says "a hint" 0 "make hint-01 LEVEL=2" exercise hint-01
    LEVEL=2 says "a second hint" 0 "result(i, j)" exercise hint-01
    says "a solution" 0 "+                sum += a(i, k) * b(j, k);" exercise solution-01
    says "no such exercise" 2 "  03  two waves for every pair of channels" exercise exercise-99
    says "a hint needs neither compiler nor room" 0 "make hint-01 LEVEL=2" \
        env -u MAKEFLAGS make hint-01 CXX=no_compiler BUILD=/dev/null/build
    says "a folder that cannot be written is named" 2 "Nothing can be written in /dev/null/build" \
        env -u MAKEFLAGS make exercise-01 BUILD=/dev/null/build
    printf '%s\n' 'echo "as: error writing to -: No space left on device" >&2; exit 1' > full
    COMPILE="sh full" says "a full disk is not the learner's mistake" 2 "Is the disk full?" \
        exercise exercise-01
    COMPILE="sh full" says "nor are all exercises solved on it" 2 "2 of 2 could not be checked" \
        exercise progress
    leave_the_copy
}

# What ends a program in another way than by its verdict.
check_broken() {
    enter_a_copy broken "01 08"
    for way in 'std::exit(0);' 'std::cout << "solved" << std::endl; std::_Exit(1);'; do
        answer "$way"
        says "no exercise is solved by $way" 1 "Is there a std::exit?" exercise exercise-01
    done
    answer 'for (int i = 0; i < 2;) i = 0; return a;'
    SECONDS_ALLOWED=1 says "an endless loop" 1 "does not come to an end" exercise exercise-01
    answer 'std::this_thread::sleep_for(std::chrono::seconds(60)); return a;'
    { echo '#include <thread>' && cat "$file"; } > x && mv x "$file"
    SECONDS_ALLOWED=1 says "a program that sleeps" 1 "does not come to an end" exercise exercise-01
    answer 'std::string all; while (std::getline(std::cin, all)) {} return a;'
    says "nothing waits for input" 1 "$file: not solved yet." exercise exercise-01
    answer 'while (true) std::cout << "words without end\n";'
    says "a program that prints without end" 1 "prints without end" exercise exercise-01
    answer 'std::abort();'
    says "an abort" 1 "by std::abort" exercise exercise-01
    answer 'int zero = 0; return Matrix(a.rows / zero, b.rows);'
    says "a whole number divided by 0" 1 "      int zero = 0;" exercise exercise-01
    grep -q '^A whole number was divided by 0' report || cat report # as some processors do not notice
    answer 'const Matrix* nothing = nullptr; return *nothing;'
    says "a null pointer" 1 "Is a null pointer followed" exercise exercise-01
    sed 's/a(i, k) \* b(j, k)/a.values[i * a.cols + k + 1] * b(j, k)/' $tests/01_solution.cpp > "$file"
    says "an index of a vector one too far" 1 "  $file:21" exercise exercise-01
    sed 's/a(i, k) \* b(j, k)/a.row(i)[k + 1] * b(j, k)/' $tests/01_solution.cpp > "$file"
    says "an index of a row one too far" 1 "An index lies outside of its vector or row" exercise exercise-01
    sed 's/for (double& x : result.values)/for (std::size_t i = 0; i <= result.values.size(); ++i)/
        s/ x = 0.5/ double\& x = result.values[i]; x = 0.5/' $tests/08_solution.cpp |
        sed 's/^ *double& x/{ &/; s/sqrt2));/& }/' > "$(file_of 08)"
    says "an element behind the last one" 1 "$(file_of 08): reads outside of a row." exercise exercise-08
    answer 'int n = 0; for (std::size_t i = 0; i < a.rows; ++i) if (n < a.rows) n++; if (n = 1) n == 2; return a;'
    says "the warning that matters" 1 "suggest parentheses" exercise exercise-01
    answer 'Matrix result(a.rows, b.rows);'
    says "a missing return and no other cause" 1 "Whatever came, came by chance" exercise exercise-01
    leave_the_copy
}

# Edits of three lessons that were not undone: they make no wrong answer right, and no right one wrong.
check_edited() {
    enter_a_copy edited "05 07 08 14"
    sed 's/0.5 \* x \* (1.0 + std::erf.*/std::max(0.0, x);/; s|squares / width|squares / (width - 1)|' \
        src/model/operations.hpp > x && mv x src/model/operations.hpp
    sed 's/s <= t)/s <= t + 1)/' src/model/mask.hpp > x && mv x src/model/mask.hpp
    says "ReLU is no GELU, whatever src/ says" 1 "This is ReLU" exercise exercise-08
    sed 's|squares / C;|squares / (C - 1);|' $tests/07_solution.cpp > "$(file_of 07)"
    says "C - 1 is no C, whatever src/ says" 1 "The variance was divided by C - 1" exercise exercise-07
    cp $tests/05_solution.cpp "$(file_of 05)"
    says "attention is right under another mask in src/" 0 "is solved." exercise exercise-05
    cp $tests/14_solution.cpp "$(file_of 14)"
    says "so is a cache, and what is edited is named" 0 \
        "(Not as it was: src/model/mask.hpp src/model/operations.hpp." exercise exercise-14
    echo "no C++" >> src/numbers/matrix.hpp
    says "not even a broken library matters" 0 "is solved." exercise exercise-14
    says "what was edited is brought back" 0 "src/model/mask.hpp is as it was." exercise undo
    diff -r "$here/src" src || echo "FAILED exercises: make undo left an edit"
    says "and is not spoken of any more" 0 "is solved." exercise exercise-14
    ! grep 'Not as it was' report || echo "FAILED exercises: an edit is named that was undone"
    leave_the_copy
}

# The headers that checks are compiled with are those of src/, and are all that is included.
check_library() {
    for header in $(sed -n 's/^#include "\([a-z]*\/.*\)"/\1/p' $tests/*.cpp $tests/*.hpp $tests/library/*/*.hpp | sort -u); do
        if cmp -s "src/$header" "$tests/library/$header"; then
            echo "ok $tests/library/$header is that of src/"
        else
            echo "FAILED $tests/library/$header is not src/$header: make undo, or, if the change is to stay," \
                "sh tests/exercises/exercise.sh library"
        fi
    done
}

# The exercises are as they start: of a fresh checkout only, since a learner's may be in any state.
check_starts() {
    for test in $tests/[0-9]*_test.cpp; do
        number=$(basename "$test" _test.cpp)
        file=$(file_of "$number")
        if make_variant "$number" start | diff -u - "$file"; then
            echo "ok exercise $number: $file is its start"
        else
            echo "FAILED exercise $number: $file is not the variant 'start' of its solution"
        fi
    done
}

if [ $# -gt 0 ]; then
    for number in "$@"; do
        case $number in
            [0-9]*) check_exercise "$number" ;;
            *) "check_$number" ;;
        esac
    done
else
    { printf '%s\n' broken script edited library
      for test in $tests/[0-9]*_test.cpp; do basename "$test" _test.cpp; done; } |
        xargs -P "$JOBS" -n 1 sh -c 'sh "$0" "$1" > "$BUILD/exercises.$1" 2>&1 ||
            echo "FAILED exercises: check_exercises.sh $1 ended with code $?" >> "$BUILD/exercises.$1"' "$0"
    cat "$BUILD"/exercises.*
    rm -f "$BUILD"/exercises.*
fi
