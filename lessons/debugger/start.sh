#!/bin/sh
# make debug-NN: builds the lesson, and opens it in gdb at STEP 1. Usage: start.sh NAME PROGRAM
set -u
fail() { echo "make $*" >&2; exit 2; }
command -v gdb > /dev/null || fail "$1 needs the debugger gdb, which is missing. (lldb: see docs/debugging.md)"
[ "$MODE" = default ] || fail "$1 works without MODE: optimised code jumps."
$MAKE -s "$2" || exit

if [ "$(gdb -nx -batch -ex 'python print(6 * 7)' 2> /dev/null)" = 42 ]; then
    exec gdb -q -x lessons/debugger/glassbox.py -ex run "$2"
fi
echo "This gdb has no Python: after each stop at a STEP say up; call show(v) prints a Matrix."
exec gdb -q -ex 'set pagination off' -ex 'set confirm off' -ex 'break glassbox::step' -ex 'catch throw' -ex run -ex up "$2"
