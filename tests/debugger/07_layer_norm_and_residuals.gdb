echo == a struct that holds matrices stays readable\n
run
print stacks
echo == a matrix that was moved from says so\n
set var stacks.probe.values._M_impl._M_start = 0
set var stacks.probe.values._M_impl._M_finish = 0
set var stacks.probe.values._M_impl._M_end_of_storage = 0
print stacks.probe
echo == garbage is recognised\n
set var stacks.probe.values._M_impl._M_finish = 16
print stacks.probe
set var stacks.plain._M_impl._M_start = 8
print stacks.plain
