#!/bin/sh
# One line for every unit test; what a failing one found is printed before it.
set -u
report=$BUILD/unit_tests.report
rm -f "$report"
echo "wanted $(cat tests/*/[a-z]*_test.cpp | grep -c '^BOOST_[A-Z_]*TEST_CASE')"
"$BUILD/unit_tests" --log_level=error --report_level=detailed --report_sink="$report" \
    --color_output=no > "$report.log" 2>&1
code=$?
grep -v '^Running ' "$report.log"
awk '/Test case ".*" has passed/ { print "ok " $3; next }
     /Test case ".*" /           { print "FAILED " $3 ": see the lines above" }' "$report"
[ $code = 0 ] || [ $code = 201 ] || echo "FAILED unit_tests ended with code $code"
rm -f "$report" "$report.log"
