#!/bin/sh
# Every lesson exits with 0 and prints its .expected, lines that start with "measured:" left out.
set -u
actual=$BUILD/lesson.actual
echo "wanted $(ls lessons/[0-9]*.expected | grep -c .)"
for source in lessons/[0-9]*.cpp; do
    lesson=$(basename "$source" .cpp)
    expected=lessons/$lesson.expected
    "$BUILD/$lesson" > "$actual" 2>&1
    code=$?
    grep -v '^measured:' "$actual" > "$actual.compared"
    if [ $code -ne 0 ]; then
        tail -n 3 "$actual"
        echo "FAILED $lesson: exit code $code"
    elif ! diff "$expected" "$actual.compared"; then
        echo "FAILED $lesson: not as in $expected (<). If the new output (>) is right:" \
             "$BUILD/$lesson | grep -v '^measured:' > $expected"
    else
        echo "ok $lesson"
    fi
done
rm -f "$actual" "$actual.compared"
