#!/bin/sh
# make debug-NN: opens the lesson in gdb at STEP 1. Usage: start.sh NAME PROGRAM; without a PROGRAM,
# which is yet to be built, it says only whether it can.
set -u
fail() { echo "make $*" >&2; exit 2; }
if [ $# -eq 1 ]; then
    command -v gdb > /dev/null || fail "$1 needs the debugger gdb, which is missing. (lldb: see docs/debugging.md)"
    [ "$MODE" = default ] || fail "$1 works without MODE: optimised code jumps."
    exit
fi

if [ "$(gdb -nx -batch -ex 'python print(6 * 7)' 2> /dev/null)" = 42 ]; then
    exec gdb -q -x lessons/debugger/glassbox.py -ex run "$2"
fi
echo "This gdb has no Python: after each stop at a STEP say up; call show(v) prints a Matrix."
exec gdb -q -ex 'set pagination off' -ex 'set confirm off' -ex 'break glassbox::step' -ex 'catch throw' -ex run -ex up "$2"
