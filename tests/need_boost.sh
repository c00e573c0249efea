#!/bin/sh
# Sees to it that Boost.Test is there. Where it is missing: names the command that installs it, and
# runs it if it may, that is as root or by sudo without a password. INSTALL=no forbids it.
set -u

boost_is_there() {
    program=$(mktemp) || exit 1 # no place for temporary files says nothing about Boost
    printf '%s\n' '#if !__has_include(<boost/test/unit_test.hpp>)' '#error' '#endif' 'int main() {}' |
        $CXX ${CXXFLAGS:-} -x c++ - ${TEST_LINK:--lboost_unit_test_framework} -o "$program" 2>/dev/null
    code=$?
    rm -f "$program"
    return $code
}

install_command() {
    if command -v apt-get >/dev/null; then
        echo 'apt-get update && apt-get install -y libboost-test-dev'
    elif command -v dnf >/dev/null; then
        echo 'dnf install -y boost-devel'
    elif command -v pacman >/dev/null; then
        echo 'pacman -S --noconfirm boost'
    elif command -v brew >/dev/null; then
        echo 'brew install boost'
    fi
}

runner() { # how to run the command: as we are, by sudo, or (empty) not at all
    case "${INSTALL:-yes} $1" in
        no*) ;;
        *brew*) [ "$(id -u)" = 0 ] || echo 'sh -c' ;; # brew refuses to run as root
        *) if [ "$(id -u)" = 0 ]; then
               echo 'sh -c'
           elif sudo -n true 2>/dev/null; then
               echo 'sudo -n sh -c'
           fi ;;
    esac
}

if ! echo 'int main() {}' | $CXX ${CXXFLAGS:-} -fsyntax-only -x c++ -; then
    echo "The compiler '$CXX' does not work; wanted g++ or clang++ (make CXX=...)." >&2
    exit 1
fi
boost_is_there && exit 0
command=$(install_command)
if [ -z "$command" ]; then
    echo 'The tests need Boost.Test (libboost_unit_test_framework); no package manager known here.' >&2
    exit 1
fi
echo "The tests need Boost.Test, which is missing. This installs it:" >&2
echo "    $command" >&2
how=$(runner "$command")
if [ -z "$how" ]; then
    echo 'Run it with the rights it needs, then make test again. (The lessons need no Boost.)' >&2
    exit 1
fi
DEBIAN_FRONTEND=noninteractive $how "$command" >&2
if ! boost_is_there; then
    echo 'That was run, but the compiler still does not find Boost.Test.' >&2
    exit 1
fi
