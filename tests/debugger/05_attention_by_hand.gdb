# Each "== ..." begins a case; tests/check_debugger.sh compares its lines with those in .expected.
python
def refused(command):
    try:
        gdb.execute(command)
    except gdb.error as error:
        print("refused: %s" % error)

def ramp_is_the_programs():
    heat = gdb.lookup_global_symbol("glassbox::heat(double, double)").value()
    numbers = [0.0, -0.0, 1e-300, 1 / 3, 2 / 3, -0.5, 1.0, math.inf, -math.inf, math.nan]
    numbers += [ninth / 9 for ninth in range(10)] + [ninth / 9 + 1e-6 for ninth in range(9)]
    theirs = "".join(chr(int(heat(gdb.Value(x), gdb.Value(1.0)))) for x in numbers)
    return theirs == "".join(heat_character(x, 1.0) for x in numbers)
end

echo == it stops at STEP 1, in the lesson's own frame\n
run
echo == a variable whose line has not run says so\n
print v
print causal.weights
locals
python refused("heat v")
echo == next runs the next line of the lesson\n
next
echo == continue goes to the next STEP\n
continue
echo == a Matrix prints as a grid with its shape\n
print v
echo == vectors and spans print their numbers\n
print positions
print v.values
print v.row(1)
echo == locals shows what is set\n
locals
echo == an Attention prints as its matrices\n
continue
print causal
echo == a reference prints as what it refers to, a frame without its matrices\n
tbreak glassbox::attend
continue
print v
print mask
echo == a variable that is being computed is not yet set\n
up
print open
echo == heat draws a heat map\n
continue
heat causal.weights
heat q
heat v.values
echo == heat has the ramp of the program\n
python print(ramp_is_the_programs())
echo == compare names the first difference\n
compare causal.output open.output
compare causal.output.values open.output.values
echo == compare finds the same bits\n
compare q k
echo == compare tells -0 from 0\n
set var *(unsigned long *)(q.values._M_impl._M_start + 3) = 0x8000000000000000
compare q k
echo == compare tells one NaN from another\n
set var *(unsigned long *)(q.values._M_impl._M_start) = 0x7ff8000000000000
set var *(unsigned long *)(k.values._M_impl._M_start) = 0x7ff8000000000001
compare q k
echo == a NaN is the same as itself\n
compare q q
heat q
echo == compare says that shapes differ\n
compare q q.values
echo == what cannot be drawn or compared is refused with the reason\n
python refused("heat positions.size()")
python refused("compare q")
python refused("compare q nobody")
python refused("heat changed_v")
echo == show can be called from any debugger\n
call show(v)
echo == an exception stops where it is thrown\n
set var q.rows = 3
continue
echo == a shape that does not fit its numbers is said\n
print m
python refused("heat m")
echo == after an exception the program can go on\n
continue
