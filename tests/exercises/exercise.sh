#!/bin/sh
# The exercises: exercise-NN checks the learner's file, watch-NN does so at every save, hint-NN
# (LEVEL=2: a second one) and solution-NN show, reset-NN brings the file back as it was, progress
# tries them all, undo takes back what was changed in src/; make calls it with one of these words.
# Exit codes: 0 solved or shown, 1 not solved yet, 2 it cannot be done. Nothing is remembered: every
# call looks at the files themselves.
#
# A check is compiled with tests/exercises/library, a copy of the headers in src/ that exercises
# include, so that an edit of a lesson which was not undone cannot make a wrong answer right or a
# right one wrong. Whoever changes these headers for good renews it: sh tests/exercises/exercise.sh library
set -u
tests=tests/exercises
library=$tests/library
work=$BUILD/exercises/$$
verdict=$work/$(od -An -N8 -tx1 /dev/urandom 2>/dev/null | tr -d ' ').$$ # the file that a check ends in
watchdog=
trap '[ -z "$watchdog" ] || kill "$watchdog" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

numbers() { for test in $tests/[0-9]*_test.cpp; do basename "$test" _test.cpp; done; }
after() { awk -v own="$1" '$1 > own && !found++'; } # the first number of a list behind one's own
file_of() { sed -n 's/^file: //p' "$tests/$1_variants.txt"; }
title_of() { sed -n '1s/^\/\/ Exercise [0-9]*: //p' "$tests/$1_solution.cpp"; }
start_of() { awk -v wanted=start -f $tests/variant.awk "$tests/$1_variants.txt" "$tests/$1_solution.cpp"; }

# What is outside of the marked place, whatever an editor has made of line ends and trailing blanks.
outside_place() { sed '/---- your code from here/,/---- to here/d' "$1" | tr -d '\r' | sed 's/ *$//'; }

# The headers of src/ that are not what exercises are checked with.
edited() {
    (cd $library && find . -name '*.hpp') | sort | while read -r header; do
        cmp -s "$library/$header" "src/$header" || echo "src/${header#./}"
    done
}

# Can anything be written where exercises are compiled? On a full disk folders can still be made.
room() { mkdir -p "$work" 2>/dev/null && echo probe 2>/dev/null > "$work/probe" && [ -s "$work/probe" ]; }

prepare() {
    room && return
    echo "An exercise is compiled in $BUILD/, where nothing can be written: is the disk full, or the" \
        "folder another user's? make $call BUILD=/tmp/glassbox compiles elsewhere." >&2
    exit 2
}

build() { # number, file, program, more flags
    check=$tests/$1_test.cpp mine=$2 program=$3
    shift 3
    LC_ALL=C $COMPILE -Wno-unused-parameter -Wno-conversion -Wno-sign-compare -Wno-error -iquote $library -I. \
        -include "$BUILD/standard.hpp" "$@" "-DEXERCISE=\"$mine\"" "$check" -o "$work/$program" \
        2> "$work/$program.log"
}

# Runs a check. It reads from its standard input the name of the file into which it writes its
# verdict at its very end, and nobody else knows that name. An endless loop ends after ten seconds
# of computing, whatever waits after thirty (timeout is not everywhere, ulimit is); what takes
# memory or prints without end is stopped as well.
run() { # program, memory in kB or unlimited
    seconds=${SECONDS_ALLOWED:-10}
    (
        trap 'kill "$!"; exit' TERM
        sleep $((3 * seconds)) & # and that is all of its own time
        wait $!
        kill -9 "$(cat "$work/$1.pid")"
    ) > /dev/null 2>&1 &
    watchdog=$!
    echo "$verdict" | ( # the inner shell names a signal that ends the program, to nobody
        (
            ulimit -S -t "$seconds"
            ulimit -f 20000
            ulimit -c 0
            ulimit -v "$2"
            export ASAN_OPTIONS=handle_abort=1:detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
            exec sh -c 'echo $$ > "$0.pid" && exec "$0"' "$work/$1" > "$work/$1.out" 2>&1
        )
        exit $?
    ) 2>/dev/null
    code=$?
    kill "$watchdog" 2>/dev/null
    watchdog=
    return $code
}

memory() { case $COMPILE in *-fsanitize*) echo unlimited ;; *) echo 4000000 ;; esac; }

state_of() { # number, file; sets $state
    if [ ! -f "$2" ]; then
        state=missing
    elif ! build "$1" "$2" "$1"; then
        state="does not compile"
        room && ! grep -q 'No space left\|Read-only file\|quota exceeded' "$work/$1.log" ||
            state="cannot be compiled"
    else
        run "$1" "$(memory)"
        code=$?
        said=$(cat "$verdict" 2>/dev/null)
        rm -f "$verdict"
        case $said-$code in
            solved-0) state=solved ;;
            "not solved"-1) state="not solved yet" ;;
            *-137 | *-152) state="does not come to an end" ;;
            *-153) state="prints without end" ;;
            *) how_it_broke "$1" ;;
        esac
    fi
}

# Sets $state by the signal that ended the program, and by what the library said before.
how_it_broke() { # number
    case $code in
        0 | 1) room && state="ends the program" || state="cannot be compiled" ;;
        134) state=aborts ;;
        136) state="divides by 0" ;;
        132 | 133 | 135 | 138 | 139) state=crashes ;;
        *) state="ends the program" ;;
    esac
    if grep -q 'division by zero' "$work/$1.out"; then
        state="divides by 0"
    elif grep -q 'Assertion .* failed\|Hardening assertion\|-buffer-overflow\|out of bounds' "$work/$1.out"; then
        state="reads outside of a row"
    elif grep -q 'Sanitizer\|runtime error' "$work/$1.out"; then
        state=crashes
    fi
}

# Of all that a compiler says the first thing about the learner's file: where, what, and the line.
first_complaint() { # file, log
    awk -v file="$1" '
        { sub(/^\.\//, "") }
        / error: / { last = $0; sub(/.* error: /, "", last)
            if (waiting) { message = last; waiting = 0 }
            if (!first) { first = $0; sub(/(fatal )?error: /, "", first) } }
        /undefined reference|Undefined symbol/ && !first { first = $0 }
        index($0, file ":") == 1 && !line {
            n = substr($0, length(file) + 2); sub(/:.*/, "", n)
            if (n ~ /^[0-9]+$/ && / error: |required from|in instantiation/) line = n
            if (line && /required from/) waiting = 1 # g++ says so before the error, clang++ after it
            else if (line) message = last }
        END { if (line) print line, message; else print 0, first }' "$2" |
    while read -r line message; do
        message=$(printf '%s' "$message" | cut -c 1-200)
        if [ "$line" = 0 ]; then
            echo "  $message"
            echo "The check cannot use your file. Is there a bracket without its partner, or was the" \
                "name, a parameter or the result of its function changed? They must stay."
        else
            line_of "$1" "$line" ": $message"
            echo "This is the compiler's first complaint. The slip may stand a line earlier."
        fi
    done | wrapped 100
}

line_of() { # file, line, what is said of it
    echo "  $1:$2$3"
    awk -v line="$2" 'NR == line { sub(/^ */, "      "); sub(/\r$/, ""); print }' "$1"
}

# Lines of at most so many columns, broken at blanks, but never inside of a formula: 2 / 4.
wrapped() { # columns
    glue=$(printf '\001')
    sed "s| \([-+*/=<>]=\{0,1\}\) |$glue\1$glue|g" | fold -s -w "$1" | tr '\001' ' '
}

# Of all that the compiler says of the learner's file in passing, the warning that matters most; that
# a signed number is compared with an unsigned one is left out, since it hardly ever does.
wonder() { # number, file
    awk -v file="$2" '
        { sub(/^\.\//, "") }
        index($0, file ":") != 1 || !/: warning: / { next }
        { rank = 3 }
        /Wunused|Wshadow/ { rank = 1 }
        /Wunused-value|Wunused-comparison|Wself/ { rank = 5 }
        /Wparentheses|Wempty-body|Wmisleading|Wfor-loop/ { rank = 6 }
        /Wtype-limits|Wtautological|Wdiv-by-zero|Wdivision-by-zero/ { rank = 7 }
        /uninitialized/ { rank = 8 }
        /Wreturn-type/ { rank = 9 }
        rank > best { best = rank; split($0, part, ": warning: "); sub(/:[0-9]+$/, "", part[1])
            sub(/ \[-W.*\]$/, "", part[2]); text = part[1] ": " substr(part[2], 1, 160) }
        END { if (best) print "(The compiler wonders: " text ")" }' "$work/$1.log" | wrapped 100
}

# The learner's line in which a program broke: from a build that watches the memory and names lines.
where_it_broke() { # number, file
    program=$1
    if [ "$(memory)" != unlimited ]; then
        program=$1.watched
        build "$1" "$2" "$program" -fsanitize=address,undefined -fno-sanitize-recover=undefined || return
        run "$program" unlimited
        rm -f "$verdict"
    fi
    line=$(awk -v file="$2:" 'at = index($0, file) {
        line = substr($0, at + length(file)) + 0
        if (line) { print line; exit } }' "$work/$program.out")
    [ -z "$line" ] || line_of "$2" "$line" ''
}

what_broke() {
    case $state in
        "does not come to an end")
            echo "It was stopped. Is there an endless loop, or does it wait for something?" ;;
        "prints without end") echo "It was stopped. Is there an endless loop?" ;;
        "reads outside of a row")
            echo "An index lies outside of its vector or row: the last of n numbers is number n - 1." ;;
        "divides by 0")
            echo "A whole number was divided by 0, or its remainder taken. (Only a double may be.)" ;;
        aborts)
            echo "The program was given up: by std::abort, or by an exception that nobody could catch." ;;
        "ends the program")
            echo "It came to an end before the check was through. Is there a std::exit? A function ends" \
                "by return." ;;
        crashes)
            echo "Is a null pointer followed, is something read far outside of a row, or does a" \
                "function call itself for ever?" ;;
    esac
}

explain() { # number, file: why it is not solved
    wonder=
    [ ! -f "$work/$1.log" ] || wonder=$(wonder "$1" "$2")
    case $state in
        missing)
            echo "  make reset-$1 brings it back." ;;
        "does not compile")
            first_complaint "$2" "$work/$1.log" ;;
        *)
            case $wonder in *non-void*)
                printf '%s\n' "$wonder" "Whatever came, came by chance: every way through it needs a return."
                return ;;
            esac
            grep -v 'Assertion .* failed\|^terminate called\|Sanitizer\|^ *#[0-9]\|^=====' "$work/$1.out" |
                wrapped 100 | sed -n '1,40p; 41s/.*/  ... and more/p'
            [ -z "$wonder" ] || printf '%s\n' "$wonder"
            what_broke
            case $state in not* | does* | prints* | ends*) ;; *) where_it_broke "$1" "$2" ;; esac ;;
    esac
    if [ -f "$2" ]; then
        outside_place "$2" > "$work/mine"
        outside_place "$tests/$1_solution.cpp" | cmp -s "$work/mine" - ||
            echo "(Your file differs from the original outside of the marked place too.)"
    fi
}

# An exercise has been checked whatever stands in src/, but what else is run has not.
say_what_is_edited() {
    others=$(edited | tr '\n' ' ')
    [ -z "$others" ] || echo "(Not as it was: ${others% }. The check did not look there; make undo brings it back.)"
}

what_comes_next() { # number
    lesson=$(ls lessons | sed -n 's/^\([0-9][0-9]\)_.*\.cpp$/\1/p' | after "$1")
    exercise=$(numbers | after "$1")
    [ -z "$lesson" ] || printf 'Next: make lesson-%s. ' "$lesson"
    if [ -n "$exercise" ]; then
        echo "The next exercise: make exercise-$exercise."
    else
        echo "This was the last exercise: make progress."
    fi
}

check() { # number
    file=$(file_of "$1")
    prepare
    state_of "$1" "$file"
    case $state in
        solved)
            cat "$work/$1.out"
            echo "$file is solved."
            say_what_is_edited
            what_comes_next "$1"
            return 0 ;;
        cannot*)
            echo "$file could not be checked: nothing more can be written in $BUILD/, or where the" \
                "compiler keeps its own files. Is the disk full?" >&2
            return 2 ;;
    esac
    printf '%s\n\n' "$file: $state."
    explain "$1" "$file"
    say_what_is_edited
    printf '\n%s' "A hint: make hint-$1. Back to the start: make reset-$1."
    [ "$word" = watch ] || printf ' %s' "(To make, what is not solved yet is an Error 1.)"
    echo
    return 1
}

hint() { # number
    case ${LEVEL:-1} in
        1) more="A second one, which names the place and the shapes: make hint-$1 LEVEL=2" ;;
        2) more="The solution: make solution-$1" ;;
        *) echo "LEVEL is '$LEVEL'; there are the hints 1 and 2." >&2 && return 2 ;;
    esac
    sed -n "${LEVEL:-1}p" "$tests/$1_hints.txt" | wrapped 90
    printf '\n%s\n' "$more"
}

solution() { # number
    file=$(file_of "$1")
    [ -f "$file" ] || file=/dev/null
    diff -u "$file" "$tests/$1_solution.cpp" && echo "$file is this very solution."
    return 0
}

reset() { # number
    file=$(file_of "$1")
    if start_of "$1" | cmp -s - "$file"; then
        echo "$file is as it was."
    elif [ ! -f "$file" ] || cp "$file" "$file.yours"; then
        start_of "$1" > "$file" || return 2
        echo "$file is as it was.$([ -f "$file.yours" ] && echo " Yours is kept in $file.yours.")"
    fi
}

undo() {
    for header in $(edited); do
        cp "$library/${header#src/}" "$header" || return 2
        echo "$header is as it was."
    done
    echo "The headers that exercises use are the original ones. Other headers and the lessons come back by" \
        "git checkout -- src lessons/*.cpp, or from a fresh download."
}

renew_library() { # all that the checks include, directly or not
    rm -rf $library
    while missing=$(sed -n 's/^#include "\([a-z]*\/.*\)"/\1/p' $tests/*.?pp $library/*/*.hpp 2>/dev/null | sort -u |
        while read -r header; do [ -f "$library/$header" ] || echo "$header"; done) && [ -n "$missing" ]; do
        for header in $missing; do
            mkdir -p "$library/${header%/*}"
            cp "src/$header" "$library/$header" || return
        done
    done
}

# A change is seen by looking: no file events, which containers and WSL may not deliver.
watch() { # number
    file=$(file_of "$1")
    [ -f "$file" ] || { check "$1"; return; }
    echo "Watching $file; every save is checked. Ctrl-C ends it."
    seen=
    while :; do
        now=$(cat "$file" 2>/dev/null) # nothing while an editor exchanges the file
        if [ -n "$now" ] && [ "$now" != "$seen" ]; then
            seen=$now
            printf '\n%s\n' "---- $(date +%H:%M:%S)"
            check "$1" && return 0
        fi
        sleep 0.5 2>/dev/null || sleep 1
    done
}

progress() {
    prepare
    numbers | xargs -P "${JOBS:-1}" -n 1 sh -c 'sh "$0" "state-$1"' "$0" | sort |
        awk -F '\t' -v all="$(numbers | wc -l)" '
            { printf "  %s  %-48s %s\n", $1, $2, $3; seen++ }
            $3 == "cannot be compiled" { lost++ }
            $3 == "solved" { solved++ }
            $3 != "solved" && !next_one { next_one = $1 }
            END {
                if (lost || seen != all) {
                    printf "%d of %d could not be checked. Is the disk full?\n", all - seen + lost, all
                    exit 2
                }
                for (i = 1; i <= all; i++) bar = bar (i <= solved ? "#" : ".")
                printf "[%s] %d of %d solved%s\n", bar, solved, all,
                    next_one ? "; next: make exercise-" next_one : ": all solved"
            }'
    progress=$?
    say_what_is_edited
    return $progress
}

call=$1 word=${1%%-*} number=${1#*-}
case $word in
    progress | undo | library) ;;
    *)
        for known in $(numbers) none; do
            [ "$known" = "$number" ] || [ "$known" = "0$number" ] || continue
            number=$known
            break
        done
        if [ "$known" = none ]; then
            { echo "There is no exercise $number. These are there:"
              for known in $(numbers); do echo "  $known  $(title_of "$known")"; done; } >&2
            exit 2
        fi ;;
esac
case $word in
    exercise) check "$number" ;;
    hint) hint "$number" ;;
    solution) solution "$number" ;;
    reset) reset "$number" ;;
    watch) watch "$number" ;;
    progress) progress ;;
    undo) undo ;;
    library) renew_library ;;
    state)
        room
        state_of "$number" "$(file_of "$number")"
        printf '%s\t%s\t%s\n' "$number" "$(title_of "$number")" "$state" ;;
esac
