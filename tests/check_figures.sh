#!/bin/sh
# Every figure in docs/figures is the one that its lesson draws today, and none is missing.
set -u
drawn=$BUILD/figures
rm -rf "$drawn"
echo "wanted $(ls docs/figures | grep -c .)"
for source in lessons/[0-9]*.cpp; do
    "$BUILD/$(basename "$source" .cpp)" --figures "$drawn" || echo "FAILED $source --figures"
done
for figure in $( (ls "$drawn"; ls docs/figures) | sort -u); do
    if cmp -s "$drawn/$figure" "docs/figures/$figure"; then
        echo "ok $figure"
    else
        echo "FAILED docs/figures/$figure is not what the lesson draws; make figures"
    fi
done
rm -rf "$drawn"
