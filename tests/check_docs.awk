# Checks one text against the code. Prints "FAILED doc:line: why" for everything that drifted.
#
#     <!-- listing src/model/mask.hpp -->     the next ```cpp block stands so in that file
#     <!-- output 05 -->                      the next ```text block stands so in lessons/05_*.expected
#                                             (tour: in lessons/debugger/tour_*.expected)
#     <!-- edit lessons/05_x.cpp -->          the lines that the next ```diff block takes away stand there
#     <!-- then 05 -->                        the next ```text block comes after the edit (check_changes.sh),
#                                             before it as well if it says: then 05 unchanged
#     <!-- numbers tests/x_test.cpp -->       numbers in the prose may come from that file
#
# Every ```cpp, ```text and ```diff block needs its line. A number with three or more decimals, or an
# exponent, must stand in the lesson's source or .expected, or in a file named by one of the lines
# above. A lesson's text has a heading for each of its steps, worded as printed and in their order, and
# around them the sections that all lessons have, in the order below. A list stands on lines of its own.

function fail(reason) { print "FAILED " FILENAME ":" FNR ": " reason; failures++ }

function trimmed(text) { sub(/^[ \t]+/, "", text); sub(/[ \t]+$/, "", text); return text }

function read_file(path, trim,    line, text, status) {
    text = "\n"
    while ((status = (getline line < path)) > 0) text = text (trim ? trimmed(line) : line) "\n"
    close(path)
    if (status < 0) fail("cannot read " path)
    return text
}

function expected_of(number) {
    return number in expected_path ? expected_path[number] : "lessons/" number "_*.expected"
}

function check_number(text,    number) {
    while (match(text, /[0-9]+\.[0-9][0-9][0-9]+(e[-+]?[0-9]+)?|[0-9](\.[0-9]+)?e[-+]?[0-9]+/)) {
        number = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (number !~ /[1-9].*[.e]|[.].*[1-9]/) continue # 0.0000 and the like say "nothing"
        numbers[++number_count] = number
        number_line[number_count] = FNR
    }
}

BEGIN {
    count = split(expected_files, paths, " ")
    for (i = 1; i <= count; i++) {
        number = paths[i]; sub(/.*\//, "", number); sub(/_.*/, "", number)
        expected_path[number] = paths[i]
    }
    section["The question"] = "Q"; section["The idea"] = "I"; section["By hand"] = "H"
    section["What is not claimed"] = "N"; section["Change it and run it"] = "C"
    section["Exercise"] = "E"; section["Where it comes from"] = "W"

    own = ARGV[1]; sub(/.*\//, "", own); sub(/_.*/, "", own)
    if (own in expected_path) {
        known = read_file(expected_path[own])
        source = expected_path[own]; sub(/expected$/, "cpp", source)
        known = known read_file(source)
        step_count = split(read_file(expected_path[own]), lines, "\n")
        for (i = 1; i <= step_count; i++) if (lines[i] ~ /^STEP [0-9]+: /) steps[lines[i]] = 1
    }
}

/^<!-- listing .* -->$/ { wanted = "cpp"; file = $3; next }
/^<!-- output .* -->$/  { wanted = "text"; file = expected_of($3); next }
/^<!-- edit .* -->$/    { wanted = "diff"; file = $3; next }
/^<!-- then [0-9]+( unchanged)? -->$/ { wanted = "text"; file = ""; next }
/^<!-- numbers .* -->$/ { known = known read_file($3); next }

/^```/ && !fence {
    fence = 1; kind = substr($0, 4); block = "\n"; checked = (kind == "cpp" || kind == "text" || kind == "diff")
    if (checked && kind != wanted) fail("a block of " kind " without a line that says where it stands")
    next
}
/^```/ {
    fence = 0
    if (checked && kind == wanted) {
        text = file == "" ? block : read_file(file, kind != "text")
        known = known text block
        if (index(text, block) == 0) fail("this block does not stand so in " file)
    }
    wanted = ""
    next
}
!fence && !/^[|#<]/ && /[^ `] +[*]( +[^ `]|$)/ { fail("a list has run into the paragraph: \" * \" in the middle of a line") }
fence && kind == "text" && /^measured:/ { next }
fence && kind == "diff" { if (sub(/^-/, "")) block = block trimmed($0) "\n"; next }
fence { block = block (kind == "cpp" ? trimmed($0) : $0) "\n"; if (!checked) check_number($0); next }

/^## STEP [0-9]+: / {
    if (!(substr($0, 4) in steps)) fail("the lesson prints no such step")
    if ($3 + 0 != ++steps_seen) fail("the steps are out of order")
    delete steps[substr($0, 4)]
}
/^## / { # a letter a section; F is a formula or format, or what a lesson has beside it
    title = substr($0, 4)
    sections = sections (title ~ /^STEP / ? "S" : title in section ? section[title] : "F")
}
{ check_number($0) }

END {
    for (step in steps) fail("no heading for " step)
    for (i = 1; i <= number_count; i++)
        if (index(known, numbers[i]) == 0) {
            print "FAILED " FILENAME ":" number_line[i] ": nothing checks the number " numbers[i]
            failures++
        }
    if (fence) fail("a block is not closed")
    if (own in expected_path && sections !~ /^QIF+HS+NCE?W$/)
        fail("the sections are " sections "; wanted: The question, The idea, The formula (or the like), " \
             "By hand, the STEPs, What is not claimed, Change it and run it, (Exercise,) Where it comes from")
    if (!failures) print "ok " FILENAME
}
