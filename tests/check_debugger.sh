#!/bin/sh
# gdb shows the lessons as it should: runs the scripts in tests/debugger and the tour of
# docs/debugging.md, and compares what gdb answers with the .expected beside each of them.
# BUILD=build sh tests/check_debugger.sh record   writes these .expected anew.
set -u
task=${1:-compare}
tab=$(printf '\t')
answer=$BUILD/debugger.answer
timeout=$(command -v timeout > /dev/null && echo timeout 60)

debug() { # gdb with the script and nobody's settings, at most a minute
    DEBUGINFOD_URLS='' $timeout gdb -nx -q -batch "$@" < /dev/null 2>&1
}

# What differs between machines is left out: line numbers, processes, addresses, threads.
tidy() {
    sed -e '/^\[Thread debugging/d' -e '/^Using host libthread_db/d' -e '/^warning: /d' \
        -e '/^\[Inferior 1/d' -e '/^continue: the next STEP/d' -e '/^+*set trace-commands/d' \
        -e 's/, line [0-9]*\.$/./' -e 's/\(\.[ch]pp\):[0-9]*$/\1/' \
        -e 's/__cxa_throw () from .*/__cxa_throw ()/' -e "s/^[0-9][0-9]*$tab//" -e 's/^+/(gdb) /'
}

# The cases of an .expected begin with "== "; a script without them is one case.
compare() { # script, expected, answer
    awk -v script="$1" '
        FNR == 1 { file++; name = script }
        /^== / { name = script ": " substr($0, 4) }
        file == 1 && !(name in wanted) { names[++cases] = name }
        file == 1 { wanted[name] = wanted[name] $0 "\n" }
        file == 2 { came[name] = came[name] $0 "\n" }
        END {
            for (i = 1; i <= cases; i++) {
                name = names[i]
                if (wanted[name] == came[name]) { print "ok " name; continue }
                lines = split(wanted[name], a, "\n")
                split(came[name], b, "\n")
                for (n = 1; n < lines && a[n] == b[n]; n++) ;
                print "wanted: " a[n] "\ncame:   " b[n] "\nFAILED " name
            }
            for (name in came) if (!(name in wanted)) print "FAILED " name ": stands in no .expected"
        }' "$2" "$3"
}

# Why there is nothing to test here, if there is nothing.
obstacle() {
    case $BUILD in build | */build | *-default) ;; *) echo "make debug works without MODE"; return ;; esac
    command -v gdb > /dev/null || { echo "gdb is not there"; return; }
    probe=$(debug -ex 'python print("has" + " Python")' -ex 'break main' -ex run "$BUILD/05_attention_by_hand")
    case $probe in *"has Python"*) ;; *) echo "this gdb has no Python"; return ;; esac
    case $probe in *"Breakpoint 1, main"*) ;; *) echo "a program may not be traced here" ;; esac
}

why=$(obstacle)
for script in lessons/debugger/tour_*.gdb tests/debugger/*.gdb; do
    name=$(basename "$script" .gdb)
    number=${name#tour_}
    program=$BUILD/$(basename lessons/"${number%%_*}"_*.cpp .cpp)
    if [ -n "$why" ]; then
        echo "skipped debugger $name: $why"
        continue
    fi
    debug -x lessons/debugger/glassbox.py -x "$script" "$program" | tidy > "$answer"
    if grep -q 'write extended state' "$answer"; then # AMX, and a gdb older than 14
        echo "skipped debugger $name: this gdb cannot call functions on this processor"
    elif [ "$task" = record ]; then
        cp "$answer" "${script%.gdb}.expected"
    else
        compare "$name" "${script%.gdb}.expected" "$answer"
    fi
done
rm -f "$answer"
