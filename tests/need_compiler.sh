#!/bin/sh
# Before anything is compiled: can the folder be written, and is there a compiler that makes programs
# of C++20? If not, one line says what is wanted. Usage: need_compiler.sh FOLDER COMPILER FLAG...
set -u
folder=$1
shift
fail() { echo "$*" >&2; exit 2; }

{ mkdir -p "$folder" && echo probe > "$folder/probe"; } 2> /dev/null ||
    fail "Nothing can be written in $folder/. make BUILD=DIR builds in another folder."
trap 'rm -f "$folder/probe" "$folder/probe.o"' EXIT
wanted='wanted g++ 11, clang++ 14 or later, as in make CXX=clang++'
command -v "$1" > /dev/null ||
    fail "The compiler $1 is not installed; $wanted. (Debian: apt-get install g++; macOS: xcode-select --install)"
said=$(printf '%s\n' '#include <iostream>' '#include <span>' 'int main() { std::cout << std::span<int>().size(); }' |
    LC_ALL=C "$@" -w -x c++ -c -o "$folder/probe.o" - 2>&1) ||
    fail "The compiler $1 cannot compile C++20; $wanted. It said: $(echo "$said" | sed -n '/error/{p;q;}')"
LC_ALL=C "$@" "$folder/probe.o" -o "$folder/probe" > /dev/null 2>&1 ||
    fail "The compiler $1 compiles, but makes no program of it. Is it one for C? $wanted."
