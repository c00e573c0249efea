#!/bin/sh
# The lessons where neither compiler nor library nor processor is the usual one: each of these places builds
# them all by make, runs them, and compares with .expected, and lesson 10's digest with tests/digests.txt.
#
#     libc++    clang++-16 and LLVM's library   Debian: clang-16 libc++-16-dev libc++abi-16-dev
#     aarch64   g++ for ARM, run by qemu        Debian: g++-aarch64-linux-gnu qemu-user-static
#
# Not part of a plain make test: make test CHECKS=elsewhere
# Usage: check_elsewhere.sh [libc++ | aarch64]...
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that called
make=$(command -v gmake || echo make)
[ $# -gt 0 ] || set -- libc++ aarch64

at_place() { # place: sets what make is told, what runs its programs, whose digest it has, what it needs
    case $1 in
        libc++) compiler=clang++-16 runner= flags=-stdlib=libc++ links= mode=default
                machine="x86-64, glibc" needs="clang++-16 with libc++" ;;
        aarch64) compiler=aarch64-linux-gnu-g++ runner=qemu-aarch64-static flags= links=-static mode=release
                 machine="aarch64, glibc" needs="aarch64-linux-gnu-g++ and qemu-aarch64-static" ;;
        *) return 1 ;;
    esac
}

# A program there can be built and run.
is_there() {
    printf '%s\n' '#include <string>' 'int main() { return std::string().size(); }' |
        $compiler -std=c++20 $flags -x c++ - $links -o "$folder/probe" 2>/dev/null && $runner "$folder/probe" 2>/dev/null
}

build_all() {
    $make -s -j"${JOBS:-2}" MODE=$mode CXX=$compiler CXXFLAGS="$flags ${CXXFLAGS:-}" LDFLAGS=$links BUILD="$folder" \
        $(for lesson in lessons/[0-9]*.cpp; do echo "$folder/$(basename "$lesson" .cpp)"; done)
}

# A stand-in for each program that the processor here cannot run; lesson 17 starts the one beside it.
stand_in_all() {
    mkdir -p "$folder/run"
    for lesson in lessons/[0-9]*.cpp; do
        name=$(basename "$lesson" .cpp)
        printf '#!/bin/sh\nexec %s -0 "$0" "${0%%/run/*}/%s" "$@"\n' "$runner" "$name" > "$folder/run/$name"
        chmod +x "$folder/run/$name"
    done
}

check_digest() { # place, folder of the programs
    digest=$("$2/10_proof_by_intervention" | sed -n 's/^measured: digest .*: //p')
    if grep "$machine" tests/digests.txt | grep -q "^$digest  checked "; then
        echo "ok $1: the digest is $digest"
    else
        echo "FAILED $1: the digest is '$digest', not the one of $machine in tests/digests.txt"
    fi
}

check_place() { # place
    folder=$BUILD/elsewhere/$1
    programs=$folder
    mkdir -p "$folder"
    if ! is_there; then
        echo "skipped $1: $needs are not there, or do not work"
    elif ! build_all; then
        echo "FAILED $1: the lessons do not compile"
    else
        if [ -n "$runner" ]; then
            stand_in_all
            programs=$folder/run
        fi
        BUILD=$programs sh tests/check_lessons.sh | sed -E "s/^(ok|FAILED) /&$1: /"
        echo "wanted 1"
        check_digest "$1" "$programs"
    fi
}

for place in "$@"; do
    at_place "$place" || { echo "FAILED check_elsewhere.sh knows libc++ and aarch64, not $place" && continue; }
    check_place "$place"
done
