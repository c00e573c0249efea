# A variant of a solution: its lines exchanged as NN_variants.txt says. `line:` names a line between
# the marks, the `into:` behind it what stands there instead; `into:` lines without a `line:` fill
# the whole place. The variant `start` is the exercise as a learner gets it.
# Usage: awk -v wanted=start -f variant.awk NN_variants.txt NN_solution.cpp
FNR == NR && sub(/^variant: /, "") { current = $0 == wanted; next }
FNR == NR && !current { next }
FNR == NR && sub(/^line: /, "") { line = $0; lines++; next }
FNR == NR && sub(/^into: ?/, "") {
    if (line == "") whole = whole $0 "\n"; else into[line] = $0
    line = ""; next }
FNR == NR { next }
/---- to here/ { inside = 0 }
{ text = $0; sub(/^ +/, "", text) }
inside && whole != "" { next }
inside && text in into { print into[text]; found += !(text in seen); seen[text]; next }
{ print }
/---- your code from here/ { inside = 1; printf "%s", whole }
END { exit found != lines }
