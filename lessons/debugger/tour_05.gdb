# The commands of docs/debugging.md, as it is typed after make debug-05.
# tests/check_debugger.sh runs it and compares what gdb answers with tour_05.expected.
run
set trace-commands on
locals
next
continue
locals
step
step
print mask
up
print causal
down
tbreak glassbox::Mask::allows
continue
finish
tbreak glassbox::Mask::allows
continue
finish
tbreak glassbox::softmax
continue
up
print t
print keys
tbreak glassbox::softmax
continue
up
print t
print keys
print scores
finish
heat $.weights
continue
continue
compare causal.weights open.weights
set var q.rows = 3
continue
print m
up
continue
