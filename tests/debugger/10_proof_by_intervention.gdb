# Each "== ..." begins a case; tests/check_debugger.sh compares its lines with those in .expected.
python
def said(command):
    return gdb.execute(command, to_string=True).splitlines()
end

echo == bt names who called whom, without the library's functions\n
tbreak glassbox::attend
run
python print("\n".join(re.sub("^#[0-9]+ +|:[0-9]+$", "", line) for line in said("bt")))
echo == bt leaves its arguments to gdb\n
python print(said("bt 1")[0].startswith("#0  glassbox::attend (q="))
echo == locals fits a screen: the longest give way\n
locals
echo == bt and locals fit a screen of 80 columns wherever they are asked\n
python
frame = gdb.newest_frame()
while frame is not None:
    frame.select()
    for command in ("bt", "locals"):
        lines = said(command)
        if len(lines) > 20 or max(map(len, lines)) > 80:
            print("too large: %s in %s" % (command, frame.name()))
    frame = frame.older()
end
echo == more lines than a screen has are counted\n
python print(on_a_screen(["x " * 41] + ["y"] * 30, "more").splitlines()[::19])
echo == nothing waits for a key, quit asks nothing\n
show pagination
show confirm
