# Each "== ..." begins a case; tests/check_debugger.sh compares its lines with those in .expected.
echo == the first cache is empty, and finish shows the first one with layers\n
tbreak glassbox::Decoder::extend
run
continue
continue
print cache
finish
echo == locals leaves out what the compiler adds, and names what is too large\n
locals
