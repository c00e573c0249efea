#!/bin/sh
# What make answers when it is asked for something that cannot be: one line that says what to do, and
# a code that is not 0. And what its targets leave behind, or do unasked.
set -u
here=$(pwd)
scratch=$here/$BUILD/tools
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/temporary"
program=$here/$BUILD
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES MODE CXX CXXFLAGS CHECKS JOBS # of the make that called

# answer_of CODE LINES PHRASE COMMAND...: it prints so many lines at most, besides those in which make
# itself says what failed, and the phrase is in them.
answer_of() {
    wanted=$1 lines=$2 phrase=$3
    shift 3
    "$@" > "$scratch/answer" 2>&1 < /dev/null
    code=$?
    if [ $code -eq "$wanted" ] && grep -qF -e "$phrase" "$scratch/answer" &&
       [ "$(grep -vc '^make' "$scratch/answer")" -le "$lines" ]; then
        echo "ok $code from $*: $phrase"
    else
        head -n 5 "$scratch/answer"
        echo "FAILED $code from $*; wanted $wanted and '$phrase' in at most $lines lines"
    fi
}

stand_in() { # name, script: a program of this name, first in PATH
    printf '%s\n' '#!/bin/sh' "$2" > "$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}
PATH=$scratch/bin:$PATH
ours=$BUILD/tools
elsewhere=BUILD=$ours/build

# targets that are none
for word in lesson exercise debug hint solution watch; do
    answer_of 2 1 "There is no target '$word'; wanted make $word-05 or another number; make help" make $word 05
done
for word in nosuch lessons/05_attention_by_hand tests docs src lessons build lesson-; do
    answer_of 2 1 "There is no target '$word'; make help lists them all" make "$word"
done
for folder in docs src tests lessons lessons/exercises; do
    answer_of 2 1 'make help lists what there is' make -C $folder lesson-05
done
for target in lesson-99 debug-99 lesson-5x; do
    answer_of 2 21 "There is no lesson ${target#*-}. These are there:" make $target
done

# variables that cannot be
answer_of 2 1 "MODE is 'foo'; wanted default, release or sanitize" make MODE=foo
answer_of 2 1 "BUILD is 'a b'; wanted one folder" make 'BUILD=a b' lesson-05
answer_of 2 1 "BUILD is ''; wanted one folder" make BUILD= lesson-05
answer_of 2 1 "CHECKS is 'nosuch units'; wanted some of: changes checks" make "$elsewhere" test CHECKS='nosuch units'
answer_of 2 1 "SECONDS is '0'; wanted a whole number" make fuzz SECONDS=0
answer_of 2 1 "usage: 16_record, or 16_record DIR" "$program/16_record" ''
answer_of 2 1 "is there already; wanted a new folder" "$program/16_record" "$scratch"
answer_of 2 1 "there is no folder nowhere" "$program/17_audit" nowhere

# no compiler that works, no folder to write into
stand_in for_c 'case " $* " in *" -c "*) ;; *) exit 1 ;; esac'
stand_in too_old 'echo "too_old: error: unrecognized option -std=c++20" >&2; echo more >&2; exit 1'
for target in proof lesson-05 progress test; do
    answer_of 2 1 'The compiler nosuch is not installed; wanted g++ 11' make "$elsewhere" CXX=nosuch $target
done
answer_of 2 1 'The compiler for_c compiles, but makes no program' make "$elsewhere" CXX=for_c
answer_of 2 1 'It said: too_old: error: unrecognized option -std=c++20' make "$elsewhere" CXX=too_old
: > "$scratch/file"
answer_of 2 1 "Nothing can be written in $ours/file/build/. make BUILD=DIR" make "BUILD=$ours/file/build"
stand_in gdb 'echo STEP in gdb'
answer_of 2 1 'make debug-05 works without MODE' make "$elsewhere" debug-05 MODE=release

# make -n does nothing: where nothing is built, nothing is, and where the lessons are, none runs
for target in proof list course lesson-05 debug-05 vscode figures record audit bench fuzz test progress exercise-05 clean; do
    { make "${elsewhere}_n" -n $target; make "BUILD=$BUILD" -n $target; } > "$scratch/answer" 2>&1 < /dev/null
    if [ -e "$scratch/build_n" ] || grep -q '^STEP\|^01\|passed\|^thrown' "$scratch/answer"; then
        echo "FAILED make -n $target does something"
    else
        echo "ok make -n $target does nothing"
    fi
done

# a reader that goes away before the first line
for lesson in 16_record 17_audit 18_check_your_own_model; do
    { sleep 0.1; TMPDIR=$scratch/temporary "$program/$lesson" 2> "$scratch/answer"; echo $? > "$scratch/code"; } | :
    if [ "$(cat "$scratch/code")" = 2 ] && grep -q 'could not be written to its end' "$scratch/answer" &&
       [ -z "$(ls -A "$scratch/temporary")" ]; then
        echo "ok $lesson | head -1 leaves nothing behind"
    else
        ls -A "$scratch/temporary"
        echo "FAILED $lesson | head -1 leaves something behind, or does not say that it was cut short"
    fi
done

# fuzz is quiet and says a verdict; the fuzzer itself is a stand-in
fuzz() { (cd "$scratch" && mkdir -p tests && STRICT='' LIMIT=1 sh "$here/tests/fuzz/run.sh"); }
for code in 0 77; do
    stand_in clang++ "printf '%s\n' '#!/bin/sh' 'seq 1000' 'echo ==1== ERROR: a leak' \\
        'echo stat::number_of_executed_units: 7' 'exit $code' > build/fuzz/npz_fuzz; chmod +x build/fuzz/npz_fuzz"
    if [ $code -eq 0 ]; then
        answer_of 0 3 'EVERY FILE: YES' fuzz
    else
        answer_of 1 4 'EVERY FILE: NO' fuzz
    fi
done
stand_in clang++ 'echo no libFuzzer; exit 1'
answer_of 2 2 'make fuzz needs clang++ with its libFuzzer' fuzz

if awk 'length > 80 || NR > 22 { exit 1 }' docs/help.txt; then
    echo "ok make help fits a screen"
else
    echo "FAILED make help does not fit a screen of 80 columns"
fi
rm -rf "$scratch"
