#!/bin/sh
# The texts say what the code says: listings, outputs, numbers, steps, links.
set -u

for lesson in lessons/[0-9]*.cpp; do
    text=docs/$(basename "$lesson" .cpp).md
    [ -f "$text" ] || echo "FAILED $lesson has no text $text"
done

for text in README.md docs/*.md; do
    awk -v expected_files="$(echo lessons/*.expected lessons/debugger/*.expected)" -f tests/check_docs.awk "$text"
    awk '/^```/ { code = !code } !code' "$text" | grep -o '](\([^)#:]*\)[)#]' | sed 's/^](//; s/.$//' | while read -r link; do
        [ -z "$link" ] || [ -e "$(dirname "$text")/$link" ] || echo "FAILED $text: broken link $link"
    done
done
