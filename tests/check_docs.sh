#!/bin/sh
# The texts say what the code says: listings, outputs, numbers, steps, links. The course's pages name
# every lesson with a figure, and every lesson its neighbours.
set -u

links() { # text: what it points to outside its code blocks, ](x) and src="x", without #places and the web
    awk '/^```/ { code = !code } !code' "$1" | grep -oE '\]\([^)#:]*[)#]|src="[^":]*"' |
        sed 's/^](//; s/^src="//; s/.$//'
}

neighbour() { # text, word: the lesson that the text's head names after this word, by its number and file
    awk '/^## / { exit } { printf "%s ", $0 } END { print "" }' "$1" |
        sed -n "s/.* $2: \[\([0-9][0-9]*\) [^]]*\](\(\1_[^)]*\)).*/\2/p"
}

expect_neighbour() { # text, word, file or nothing
    named=$(neighbour "$1" "$2")
    [ "$named" = "$3" ] || echo "FAILED $1: $2 is '$named', wanted '$3'"
}

previous=
for lesson in lessons/[0-9]*.cpp; do
    name=$(basename "$lesson" .cpp).md
    [ -f "docs/$name" ] || { echo "FAILED $lesson has no text docs/$name" && continue; }
    for page in README.md docs/README.md docs/teaching.md; do
        links "$page" | grep -qx "\(docs/\)\{0,1\}$name" || echo "FAILED $page does not name $name"
    done
    for page in docs/README.md "docs/$name"; do
        links "$page" | grep -q "^figures/${name%%_*}_" || echo "FAILED $page has no figure of $name"
    done
    [ -z "$previous" ] || expect_neighbour "docs/$previous" next "$name"
    expect_neighbour "docs/$name" before "$previous"
    previous=$name
done
expect_neighbour "docs/$previous" next ''

digests_in() { grep -oE '[0-9a-f]{16}' "$1" | sort -u; }
[ "$(digests_in README.md)" = "$(digests_in tests/digests.txt)" ] ||
    echo "FAILED README.md does not name the digests of tests/digests.txt, and no others"

set -- README.md docs/*.md
echo "wanted $#"
for text in "$@"; do
    awk -v expected_files="$(echo lessons/*.expected lessons/debugger/*.expected)" -f tests/check_docs.awk "$text"
    links "$text" | while read -r link; do
        case $link in *lessons/exercises/*) # a learner may have removed it; these are its names
            grep -qx "file: lessons/exercises/${link##*/}" tests/exercises/*_variants.txt && continue ;;
        esac
        [ -z "$link" ] || [ -e "$(dirname "$text")/$link" ] || echo "FAILED $text: broken link $link"
    done
done
