#!/bin/sh
# The checks can fail: damages a scratch copy in one place and expects a check to name it.
set -u
build=$(cd "$BUILD" && pwd)
scratch=$build/damaged

fresh_copy() { rm -rf "$scratch" && mkdir -p "$scratch" && cp -R src lessons docs tests README.md LICENSE .clangd "$scratch"; }

# must_fail WHAT DAMAGE NAMED CHECK...: after DAMAGE, CHECK prints a FAILED line that holds NAMED.
must_fail() {
    what=$1 damage=$2 named=$3
    shift 3
    fresh_copy
    (cd "$scratch" && eval "$damage" && BUILD=$build sh "$@") > "$scratch/report" 2>&1
    if grep '^FAILED' "$scratch/report" | grep -qF "$named"; then
        echo "ok reported: $what"
    elif grep -q '^skipped' "$scratch/report"; then
        echo "skipped reported: $what"
    else
        tail -n 3 "$scratch/report"
        echo "FAILED not reported: $what"
    fi
}

counted='mkdir counted && BUILD=counted CHECKS=$0 JOBS=1 sh tests/run.sh' # run.sh with a log of its own

replace() { # file, old, new: in place, on every line
    awk -v old="$2" -v new="$3" '{ while (i = index($0, old))
        $0 = substr($0, 1, i - 1) new substr($0, i + length(old)); print }' "$1" > "$1.new"
    mv "$1.new" "$1"
}

must_fail "an output that is not the expected one" \
    'replace lessons/05_attention_by_hand.expected 102.0000 103.0000' \
    05_attention_by_hand tests/check_lessons.sh
must_fail "a listing that is no longer the code" \
    'replace docs/05_attention_by_hand.md q.row k.row' \
    'does not stand so in src/model/attention.hpp' tests/check_docs.sh
must_fail "an output in a text that is no longer printed" \
    'replace docs/05_attention_by_hand.md 51.0000 52.0000' \
    'does not stand so in lessons/05' tests/check_docs.sh
must_fail "a number in a text that nothing prints" \
    'echo "It is 3.14159." >> docs/05_attention_by_hand.md' 3.14159 tests/check_docs.sh
must_fail "a step without its heading" \
    'replace docs/05_attention_by_hand.md "## STEP 3" "## STEP 9"' "STEP 3" tests/check_docs.sh
must_fail "a block of code that says not where it stands" \
    'printf "%s\n" "\`\`\`cpp" "int x;" "\`\`\`" >> docs/notation.md' docs/notation.md tests/check_docs.sh
must_fail "a broken link" \
    'echo "[x](nowhere.md)" >> docs/notation.md' nowhere.md tests/check_docs.sh
must_fail "a picture that is not there" \
    'echo "<img src=\"nowhere.svg\" alt=\"x\">" >> docs/notation.md' nowhere.svg tests/check_docs.sh
must_fail "a lesson that the contents leave out" \
    'replace docs/README.md "(05_attention_by_hand.md)" "(04_softmax.md)"' \
    'docs/README.md does not name 05' tests/check_docs.sh
must_fail "a lesson without a figure of its own" \
    'replace docs/13_through_the_layers.md "](figures/13_reach.svg)" "](figures/12_change.svg)"' \
    'docs/13_through_the_layers.md has no figure' tests/check_docs.sh
must_fail "contents without a lesson's picture" \
    'replace docs/README.md "figures/13_reach.svg" "figures/12_change.svg"' \
    'docs/README.md has no figure of 13' tests/check_docs.sh
must_fail "a list that has run into a paragraph" \
    'echo "First this. * Then that." >> docs/notation.md' docs/notation.md tests/check_docs.sh
must_fail "a section that is missing" \
    'replace docs/05_attention_by_hand.md "## By hand" "By hand"' 'the sections are QIFSSSSNC' tests/check_docs.sh
must_fail "another digest" 'replace README.md 85a68f35167f6117 85a68f35167f6118' 'the digests' tests/check_docs.sh
must_fail "steps out of order" \
    'awk "/^## STEP 2/ { two = \$0; next } { print } /^## STEP 3/ { print two }" docs/05_attention_by_hand.md > x
    mv x docs/05_attention_by_hand.md' 'the steps are out of order' tests/check_docs.sh
must_fail "a next lesson that is not the next" \
    'replace docs/05_attention_by_hand.md "(06_mask_before_softmax.md)" "(07_layer_norm_and_residuals.md)"' \
    "docs/05_attention_by_hand.md: next is" tests/check_docs.sh
must_fail "a neighbour by another one's number" \
    'replace docs/05_attention_by_hand.md "[04 softmax]" "[03 softmax]"' \
    "docs/05_attention_by_hand.md: before is ''" tests/check_docs.sh
must_fail "a lesson without a text" 'rm docs/05_*.md' lessons/05 tests/check_docs.sh
must_fail "a header that does not compile alone" \
    'echo "inline Matrix lonely();" > src/model/lonely.hpp' \
    src/model/lonely.hpp tests/check_headers.sh src/model/lonely.hpp
must_fail "a model that includes the proof" \
    'echo "#include \"proof/causality.hpp\"" >> src/model/mask.hpp' \
    proof/causality.hpp tests/check_headers.sh src/model/mask.hpp
must_fail "an audit that reaches the model" \
    'echo "#include \"record/experiment.hpp\"" >> src/record/results.hpp' \
    audit.hpp tests/check_headers.sh src/model/mask.hpp
must_fail "a header that is not the standard library's" \
    'echo "#include <unistd.h>" >> src/model/mask.hpp' unistd.h tests/check_headers.sh src/model/mask.hpp
must_fail "a figure that its lesson no longer draws" \
    'echo >> docs/figures/08_gelu.svg' 08_gelu.svg tests/check_figures.sh
must_fail "an answer of gdb that is another one" \
    'replace lessons/debugger/glassbox.py "not yet set" unknown' "whose line has not run" tests/check_debugger.sh
must_fail "an edit whose line is gone" \
    'replace src/model/mask.hpp "s <= t" "t >= s"' mask_removed tests/check_edits.sh mask_removed
must_fail "an edit that does not do what its text promises" \
    'replace docs/05_attention_by_hand.md "position 0 kept every bit: no" "position 0 kept every bit: yes"' \
    docs/05_attention_by_hand.md tests/check_changes.sh docs/05_attention_by_hand.md
must_fail "an edit that promises what comes without it as well" \
    'replace docs/05_attention_by_hand.md "causal: position 0 kept every bit: no, position 1 moved: yes" \
        "without a mask: position 0 moved: yes, it has read the future"' \
    'comes without the edit' tests/check_changes.sh docs/05_attention_by_hand.md
must_fail "a text of edits that cannot be tried" 'rm tests/try_change.sh' \
    '0 results of 2 edits' tests/check_changes.sh docs/05_attention_by_hand.md
must_fail "an exercise whose check takes everything" \
    'replace tests/exercises/08_test.cpp "checked(check)" "checked([] {})"' \
    'exercise 08: start' tests/check_exercises.sh 08
must_fail "an exercise whose solution is wrong" \
    'replace tests/exercises/08_solution.cpp std::erf std::tanh' \
    'exercise 08: solution does not pass' tests/check_exercises.sh 08
must_fail "an exercise that is not as it starts" \
    'sed "s/Matrix bend/Matrix bent/" tests/exercises/08_solution.cpp > lessons/exercises/08_gelu.cpp' \
    'exercise 08: lessons/exercises/08_gelu.cpp is not' tests/check_exercises.sh starts
must_fail "an exercise that is checked with another library" \
    'replace tests/exercises/library/model/mask.hpp "s <= t" "t >= s"' \
    'library/model/mask.hpp is not src/model/mask.hpp' tests/check_exercises.sh library
must_fail "a link to an exercise that never was" \
    'echo "[x](../lessons/exercises/99_nothing.cpp)" >> docs/notation.md' 99_nothing.cpp tests/check_docs.sh
must_fail "a wrong variant whose line is gone" \
    'replace tests/exercises/08_variants.txt "double& x" "double& y"' \
    'is not in the solution' tests/check_exercises.sh 08
must_fail "a check that says nothing" 'echo : > tests/check_docs.sh' \
    'check_docs.sh gave 0 results, wanted at least 1' -c "$counted" docs
must_fail "a check that loses its list" 'replace tests/check_headers.sh "xargs -P" "true -P"' \
    'check_headers.sh gave' -c "$counted" headers

# A learner's exercises may be in any state: a helper function, line ends of another system, or gone.
fresh_copy
(cd "$scratch/lessons/exercises" && rm -f 01_* 03_* && for file in *.cpp; do
    { echo 'int helper() { return 1; }' && sed 's/$/ \r/' "$file"; } > x && mv x "$file"; done)
(cd "$scratch" && for check in "check_docs.sh" "check_exercises.sh 08"; do BUILD=$build sh tests/$check; done) \
    > "$scratch/report" 2>&1
if grep '^FAILED' "$scratch/report" || ! grep -q '^ok exercise 08' "$scratch/report"; then
    echo "FAILED the checks are red from a learner's exercises"
else
    echo "ok no check is red from a learner's exercises"
fi
rm -rf "$scratch"

# What make would run: `makes WHAT WANTED UNWANTED ARGUMENT...`, patterns of grep -E. Stand-ins: a compiler that takes
# one word for this processor and no other (or none), and a brew.
world=$build/make_world
mkdir -p "$world"
for word in march mcpu nothing; do
    printf '#!/bin/sh\ncase "$*" in *-%s=*) exit 0 ;; *native* | *gold*) exit 1 ;; esac\n' $word > "$world/takes_$word"
done
printf '#!/bin/sh\necho "/brewed/$2"\n' > "$world/brew"
chmod +x "$world"/*
make=$(command -v gmake || echo make)

makes() {
    what=$1 wanted=$2 unwanted=$3
    shift 3
    commands=$(unset MAKEFLAGS MFLAGS && PATH=$world:$PATH $make -n BUILD="$BUILD/never" "$@" 2>&1)
    if echo "$commands" | grep -qE -e "$wanted" && ! echo "$commands" | grep -qE -e "$unwanted"; then
        echo "ok make: $what"
    else
        echo "$commands" | tail -n 3
        echo "FAILED make: $what"
    fi
}

lesson=$BUILD/never/05_attention_by_hand
makes "-march=native where it is taken" ' -O3 -march=native ' mcpu MODE=release CXX=takes_march "$lesson"
makes "else -mcpu=native" ' -O3 -mcpu=native ' march MODE=release CXX=takes_mcpu "$lesson"
makes "else neither" ' -O3 +-DGLASSBOX_FAST ' native MODE=release CXX=takes_nothing "$lesson"
makes "lesson 20 is optimised in the default build" ' -O3 -mcpu=native .*20_speed' march CXX=takes_mcpu "$BUILD/never/20_speed"
makes "the default build asks for no processor" ' -O0 -g ' native CXX=takes_march "$lesson"
makes "LDFLAGS reaches a lesson" '05_attention_by_hand.cpp .*-L/mine .*-o' '/brewed' LDFLAGS=-L/mine "$lesson"
makes "LDFLAGS and Homebrew reach the unit tests" 'main.o .*-L/mine .*-L/brewed/boost/lib .*-o' nowhere LDFLAGS=-L/mine \
    "$BUILD/never/unit_tests"
makes "Homebrew's Boost is found" ' -isystem /brewed/boost/include .*main.cpp' nowhere "$BUILD/never/tests/main.o"
rm -rf "$world"

# INSTALL, user id, sudo works (yes/no), package managers, compiler: what need_boost.sh runs, in a world of
# stand-ins in which the compiler never finds Boost.
installs() {
    world=$build/world
    rm -rf "$world"
    mkdir -p "$world"
    for tool in sh mktemp rm; do ln -s "$(command -v $tool)" "$world/$tool"; done
    printf '#!/bin/sh\n[ "$1" = -fsyntax-only ]\n' > "$world/no_boost"
    printf '#!/bin/sh\necho %s\n' "$2" > "$world/id"
    printf '#!/bin/sh\n[ %s = yes ] || exit 1\n[ "$2" = true ] && exit\nshift\necho "by sudo"\n"$@"\n' "$3" > "$world/sudo"
    for manager in $4; do
        printf '#!/bin/sh\necho "RAN %s $*"\n' "$manager" > "$world/$manager"
    done
    for tool in no_boost id sudo $4; do chmod +x "$world/$tool"; done # the others are links to the system's
    PATH=$world CXX=${5:-no_boost} CXXFLAGS='' INSTALL=$1 sh tests/need_boost.sh 2>&1 && echo "exit code 0"
    rm -rf "$world"
}

boost_case() { # what, pattern wanted, pattern unwanted, arguments of installs
    what=$1 wanted=$2 unwanted=$3
    shift 3
    report=$(installs "$@")
    if echo "$report" | grep -q "$wanted" && ! echo "$report" | grep -qE "$unwanted|exit code 0"; then
        echo "ok Boost missing: $what"
    else
        echo "$report"
        echo "FAILED Boost missing: $what"
    fi
}

boost_case "root installs by apt, lists first" 'RAN apt-get update' 'by sudo' yes 0 no apt-get
boost_case "root installs by dnf" 'RAN dnf install -y boost-devel' 'by sudo' yes 0 no dnf
boost_case "a user with sudo installs by pacman" 'by sudo' 'rights it needs' yes 1000 yes pacman
boost_case "a user without sudo is told the command" 'dnf install -y boost-devel' RAN yes 1000 no dnf
boost_case "INSTALL=no is obeyed" 'apt-get install -y libboost-test-dev' RAN no 0 yes apt-get
boost_case "brew runs as a user" 'RAN brew install boost' 'by sudo' yes 501 no brew
boost_case "brew never runs as root" 'brew install boost' RAN yes 0 yes brew
boost_case "a compiler that is not there installs nothing" "does not work" RAN yes 0 no apt-get missing
boost_case "no package manager" 'libboost_unit_test_framework' RAN yes 0 no ''
