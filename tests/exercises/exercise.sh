#!/bin/sh
# The exercises: exercise-NN checks the learner's file, hint-NN (LEVEL=2: a second one), solution-NN,
# watch-NN and progress; make calls it with one of these words. Exit codes: 0 solved or shown, 1 not
# solved yet, 2 it cannot be done. Nothing is remembered: every call looks at the files themselves.
set -u
tests=tests/exercises
work=$BUILD/exercises/$$
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

numbers() { for test in $tests/[0-9]*_test.cpp; do basename "$test" _test.cpp; done; }
after() { awk -v own="$1" '$1 > own && !found++'; } # the first number of a list behind one's own
file_of() { for file in "lessons/exercises/$1"_*.cpp; do echo "$file" && break; done; }
title_of() { sed -n '1s/^\/\/ Exercise [0-9]*: //p' "$tests/$1_solution.cpp"; }
outside_place() { sed '/---- your code from here/,/---- to here/d' "$1"; }

prepare() {
    mkdir -p "$work" 2>/dev/null && return
    echo "An exercise is compiled in $BUILD/, where nothing can be written. Copy the project elsewhere." >&2
    exit 2
}

build() { # number, file
    LC_ALL=C $COMPILE -Wno-unused-parameter -Wno-conversion -I. -include "$BUILD/standard.hpp" \
        "-DEXERCISE=\"$2\"" "$tests/$1_test.cpp" -o "$work/$1" 2> "$work/$1.log"
}

# An endless loop ends after ten seconds of computing (timeout is not everywhere, ulimit is); what
# takes memory or prints without end is stopped as well.
run() { # number
    ( # the inner shell names a signal that ends the program, to nobody
        (
            ulimit -S -t "${SECONDS_ALLOWED:-10}"
            ulimit -f 20000
            ulimit -c 0
            case $COMPILE in *-fsanitize*) ;; *) ulimit -v 4000000 ;; esac
            exec "$work/$1" > "$work/$1.out" 2>&1
        )
        exit $?
    ) 2>/dev/null
}

state_of() { # number, file; sets $state
    if [ ! -f "$2" ]; then
        state=missing
    elif ! build "$1" "$2"; then
        state="does not compile"
    else
        run "$1"
        case $? in
            0) state=solved ;;
            1) state="not solved yet" ;;
            137 | 152) state="does not come to an end" ;;
            153) state="prints without end" ;;
            *) state=crashes ;;
        esac
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
            echo "  $1:$line: $message"
            sed -n "${line}s/^ */      /p" "$1"
            echo "This is the compiler's first complaint. The slip may stand a line earlier."
        fi
    done | wrapped 100
}

# Lines of at most so many columns, broken at blanks, but never inside of a formula: 2 / 4.
wrapped() { # columns
    glue=$(printf '\001')
    sed "s| \([-+*/=<>]=\{0,1\}\) |$glue\1$glue|g" | fold -s -w "$1" | tr '\001' ' '
}

# What the compiler says of the learner's file in passing: a warning that the pattern fits, or any.
wonder() { # number, file, pattern or nothing
    sed -n "s|^\(\./\)*\($2:[0-9]*\):.* warning: \(.*${3:-}.*\)|(The compiler wonders: \2: \3|p" \
        "$work/$1.log" | sed 's/ \[-W.*\]$//; s/$/)/; q' | wrapped 100
}

explain() { # number, file: why it is not solved
    no_return=
    [ ! -f "$work/$1.log" ] || no_return=$(wonder "$1" "$2" non-void)
    case $state in
        missing)
            echo "  git checkout -- 'lessons/exercises/$1_*' brings it back." ;;
        "does not compile")
            first_complaint "$2" "$work/$1.log" ;;
        *)
            [ -z "$no_return" ] || printf '%s\n' "$no_return"
            wrapped 100 < "$work/$1.out" | sed -n '1,40p; 41s/.*/  ... and more/p'
            [ -n "$no_return" ] || wonder "$1" "$2" ;;
    esac
    case $state in
        "does not come to an end")
            echo "It was stopped after ${SECONDS_ALLOWED:-10} s of computing. Is there an endless loop?" ;;
        "prints without end")
            echo "It was stopped. Is there an endless loop?" ;;
        crashes)
            [ -n "$no_return" ] ||
                echo "Was something read outside of a row, or does a function call itself for ever?"
            echo "make exercise-$1 MODE=sanitize says where." ;;
    esac
    if [ -f "$2" ]; then
        outside_place "$2" > "$work/mine"
        outside_place "$tests/$1_solution.cpp" | cmp -s "$work/mine" - ||
            echo "(Your file differs from the original outside of the marked place too.)"
    fi
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
    if [ "$state" = solved ]; then
        cat "$work/$1.out"
        echo "$file is solved."
        what_comes_next "$1"
        return 0
    fi
    printf '%s\n\n' "$file: $state."
    explain "$1" "$file"
    printf '\n%s' "A hint: make hint-$1."
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

# A change is seen by looking: no file events, which containers and WSL may not deliver.
watch() { # number
    file=$(file_of "$1")
    [ -f "$file" ] || { check "$1"; return; }
    echo "Watching $file; every save is checked. Ctrl-C ends it."
    seen=
    while :; do
        now=$(cksum "$file" 2>/dev/null) # nothing while an editor exchanges the file
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
    numbers | xargs -P "${JOBS:-1}" -I{} sh "$0" state-{} | sort > "$work/states"
    awk -F '\t' '
        { printf "  %s  %-48s %s\n", $1, $2, $3; all++ }
        $3 == "solved" { solved++ }
        $3 != "solved" && !next_one { next_one = $1 }
        END {
            for (i = 1; i <= all; i++) bar = bar (i <= solved ? "#" : ".")
            printf "[%s] %d of %d solved%s\n", bar, solved, all,
                next_one ? "; next: make exercise-" next_one : ": all solved"
        }' "$work/states"
}

word=${1%%-*} number=${1#*-}
if [ "$word" != progress ]; then
    for known in $(numbers) none; do
        [ "$known" = "$number" ] || [ "$known" = "0$number" ] || continue
        number=$known
        break
    done
    if [ "$known" = none ]; then
        { echo "There is no exercise $number. These are there:"
          for known in $(numbers); do echo "  $known  $(title_of "$known")"; done; } >&2
        exit 2
    fi
fi
case $word in
    exercise) check "$number" ;;
    hint) hint "$number" ;;
    solution) solution "$number" ;;
    watch) watch "$number" ;;
    progress) progress ;;
    state)
        prepare
        state_of "$number" "$(file_of "$number")"
        printf '%s\t%s\t%s\n' "$number" "$(title_of "$number")" "$state" ;;
esac
