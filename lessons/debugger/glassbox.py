# Teaches gdb the lessons: `make debug-05`, or gdb -x lessons/debugger/glassbox.py build/05_...
#
#   continue      the next STEP, in the lesson's own frame; an exception stops where it is thrown
#   print v       a Matrix as a grid; Mask, Attention, KvCache, vectors and spans readably
#   heat v        a Matrix as a heat map, the one that show() prints
#   compare a b   the first number whose bits differ, with its position
#   locals        the variables that have got their values already, on one screen
#   bt            who called whom, without the library's functions (backtrace has them)
#
# Needs gdb 9 or later with its Python. Text: docs/debugging.md
import math
import re
import struct

import gdb

# ---- Numbers, read from the memory of the program ----

VECTOR = r"^std::vector<(double|int|unsigned long),"
SPAN = r"^std::span<(const )?double( const)?,"


class NotSet(Exception):
    """What lies in memory cannot be such a value: its line has not run yet."""


def require(condition):
    if not condition:
        raise NotSet()


def read_numbers(start, count):
    """`count` numbers from the pointer `start`."""
    require(0 <= count < 1 << 24)
    if count == 0:
        return ()
    element = start.type.strip_typedefs().target().strip_typedefs()
    kind = "d" if element.code == gdb.TYPE_CODE_FLT else {4: "i", 8: "q"}[element.sizeof]
    memory = gdb.selected_inferior().read_memory(int(start), count * element.sizeof)
    return struct.unpack("=%d%s" % (count, kind), memory)


def vector_bounds(vector):
    """The pointer to the first element of a std::vector, and how many there are."""
    begin = vector["_M_impl"]["_M_start"]
    end = int(vector["_M_impl"]["_M_finish"])
    capacity = int(vector["_M_impl"]["_M_end_of_storage"])
    size = begin.type.strip_typedefs().target().sizeof
    require(int(begin) <= end <= capacity and (end - int(begin)) % size == 0)
    require(int(begin) != 0 or capacity == 0)
    return begin, (end - int(begin)) // size


def numbers_of_vector(vector):
    return read_numbers(*vector_bounds(vector))


def numbers_of_span(span):
    return read_numbers(span["_M_ptr"], int(span["_M_extent"]["_M_extent_value"]))


def numbers_of_matrix(matrix):
    """Rows, columns and numbers: too few or too many if it was moved from, or changed by hand."""
    rows, cols = int(matrix["rows"]), int(matrix["cols"])
    begin, count = vector_bounds(matrix["values"])
    require(count == rows * cols or max(rows, cols) < 1 << 20)
    return rows, cols, read_numbers(begin, count)


def misfit(rows, cols, numbers):
    return ("%dx%d with %d numbers; was it moved from, or its shape changed by hand?"
            % (rows, cols, len(numbers)))


def referred(value):
    reference = value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
    return value.referenced_value() if reference else value


def type_name(value):
    return str(value.type.strip_typedefs().unqualified())


def evaluate(expression):
    """Rows, columns and numbers of a Matrix, a vector or a span of double."""
    try:
        value = referred(gdb.parse_and_eval(expression))
        name = type_name(value)
        require(not waits_for_its_line(value))
        if name == "glassbox::Matrix":
            rows, cols, numbers = numbers_of_matrix(value)
        elif re.match(VECTOR, name) or re.match(SPAN, name):
            numbers = (numbers_of_vector if re.match(VECTOR, name) else numbers_of_span)(value)
            rows, cols = 1, len(numbers)
        else:
            raise gdb.GdbError("%s is a %s; wanted a Matrix, or a vector or span of numbers"
                               % (expression, name))
    except (NotSet, gdb.MemoryError):
        raise gdb.GdbError("%s is not yet set: its line has not run" % expression)
    except gdb.error as error:  # no such name, no program
        raise gdb.GdbError(str(error))
    if len(numbers) != rows * cols:
        raise gdb.GdbError("%s is %s" % (expression, misfit(rows, cols, numbers)))
    return rows, cols, numbers


# ---- Which variables have their values already? ----


def has_value(symbol, frame):
    """False for a variable whose line still lies ahead; what its memory holds means nothing."""
    if symbol.is_argument:
        return True
    here = frame.find_sal()
    at_its_line = here.line == symbol.line and (
        frame != gdb.newest_frame() or frame.pc() == here.pc)
    return here.line > symbol.line or (here.line == symbol.line and not at_its_line)


def variables(frame):
    """The arguments and variables of a frame, innermost block first, each name once."""
    seen = set()
    block = frame.block()
    while block is not None:
        for symbol in block:
            if (symbol.is_argument or symbol.is_variable) and symbol.name not in seen:
                seen.add(symbol.name)
                yield symbol
        if block.function is not None:
            return
        block = block.superblock


def waits_for_its_line(value):
    """Is the value, or what it is a part of, a variable whose line has not run?"""
    try:
        frame = gdb.selected_frame()
        address = int(value.address)
        for symbol in variables(frame):
            if not has_value(symbol, frame):
                whole = symbol.value(frame)
                if 0 <= address - int(whole.address) < whole.type.sizeof:
                    return True
    except (gdb.error, RuntimeError, TypeError):
        pass  # no frame, no block or no address: then only the value itself can tell
    return False


# ---- Text ----


def fixed(number):
    """As fixed() in src/show/terminal.hpp prints it."""
    if isinstance(number, int):
        return str(number)
    if math.isnan(number):
        return "nan"
    text = ("%.4e" if 1e6 <= abs(number) < math.inf else "%.4f") % number
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def everything_wanted():
    return not gdb.parameter("print elements")  # 0 or None: unlimited


ALL = "; all of it: set print elements unlimited"


def grid(rows, cols, numbers):
    shown_rows, shown_cols = (rows, cols) if everything_wanted() else (min(rows, 24), min(cols, 8))
    texts = [[fixed(numbers[r * cols + c]) for c in range(shown_cols)] for r in range(shown_rows)]
    width = max([8] + [len(text) for line in texts for text in line])
    lines = ["%dx%d" % (rows, cols)]
    if (shown_rows, shown_cols) != (rows, cols):
        lines[0] += ", here %dx%d of it%s" % (shown_rows, shown_cols, ALL)
    lines.append("     " + "".join(" %*d" % (width, c) for c in range(shown_cols)))
    for r, line in enumerate(texts):
        text = "%5d" % r + "".join(" " + text.rjust(width) for text in line)
        lines.append(text + (" ..." if shown_cols < cols else ""))
    return "\n".join(lines + (["      ..."] if shown_rows < rows else []))


def row(kind, numbers):
    shown = numbers if everything_wanted() else numbers[:16]
    text = "%s of %d:" % (kind, len(numbers)) + "".join(" " + fixed(number) for number in shown)
    return text + (" ..." + ALL if len(shown) < len(numbers) else "")


def heat_character(number, largest):
    """heat() of src/show/terminal.hpp; a test compares the two."""
    if math.isnan(number):
        return "?"
    if number == 0:
        return " "
    if math.isinf(number):
        return "!"
    return ".:-=+*#%@"[min(9, max(1, math.ceil(abs(number) / largest * 9 - 1e-9))) - 1]


def bits(number):
    return struct.pack("q" if isinstance(number, int) else "d", number)


def exactly(number):
    """Every digit that tells it from its neighbours; of a NaN, which has no digits, the bits."""
    return repr(number) if number == number else "nan (bits %s)" % bits(number)[::-1].hex()


def range_text(positions):
    if len(positions) > 2 and positions == tuple(range(positions[0], positions[-1] + 1)):
        return "%d to %d" % (positions[0], positions[-1])
    return ", ".join(str(position) for position in positions)


# ---- What print shows ----


def matrix_text(matrix):
    rows, cols, numbers = numbers_of_matrix(matrix)
    if len(numbers) != rows * cols:
        return misfit(rows, cols, numbers)
    return grid(rows, cols, numbers) if numbers else "%dx%d, empty" % (rows, cols)


def mask_text(mask):
    causal, window = int(mask["causal"]), int(mask["window"])
    require(causal in (0, 1) and window >= 0)
    reads = "not causal: t reads the future too"
    if causal:
        reads = "causal: t reads itself and the past"
    if window == (1 << 31) - 1:
        return reads + ", no window"
    return reads + ", window of %d (t itself counts)" % window


def cache_text(cache):
    begin, count = vector_bounds(cache["layers"])
    require(count < 1000)
    lines = ["%d layers, next position %d" % (count, int(cache["next_position"]))]
    payload = 0
    for n in range(count):
        layer = (begin + n).dereference()
        keys, values = numbers_of_matrix(layer["keys"]), numbers_of_matrix(layer["values"])
        positions = numbers_of_vector(layer["positions"])
        payload += 8 * (len(keys[2]) + len(values[2]))
        shapes = "keys %dx%d, values %dx%d" % (keys[:2] + values[:2])
        lines.append("  layer %d: %s, positions %s" % (n, shapes, range_text(positions) or "none"))
    lines[0] += ", payload %d bytes" % payload
    return "\n".join(lines)


def fields_text(value):
    lines = [type_name(value).split("::")[-1]]
    for field in value.type.strip_typedefs().fields():
        lines.append("%s = %s" % (field.name, value[field].format_string()))
    return "\n".join(lines)


PRINTED = [
    (r"^glassbox::Matrix$", matrix_text),
    (r"^glassbox::Mask$", mask_text),
    (r"^glassbox::KvCache$", cache_text),
    (r"^glassbox::(Attention|Pass|LayerCache|DecoderLayer)$", fields_text),
    (VECTOR, lambda vector: row("vector", numbers_of_vector(vector))),
    (SPAN, lambda span: row("span", numbers_of_span(span))),
]


class Printer:
    def __init__(self, value, text):
        self.value, self.text = value, text

    def to_string(self):
        try:
            require(not waits_for_its_line(self.value))
            return self.text(self.value)
        except (NotSet, gdb.MemoryError):
            return "<not yet set>"


def find_printer(value):
    value = referred(value)
    name = type_name(value)
    for pattern, text in PRINTED:
        if re.match(pattern, name):
            return Printer(value, text)
    return None


def use_printers(objfile):
    """Of all files the program itself is asked first, before the C++ library's own printers."""
    if find_printer not in objfile.pretty_printers:
        objfile.pretty_printers.insert(0, find_printer)


def on_new_objfile(event):
    if event.new_objfile.filename == gdb.current_progspace().filename:
        use_printers(event.new_objfile)  # built anew, and run again


# ---- Commands ----


class Heat(gdb.Command):
    """heat EXPRESSION: a Matrix as a heat map. Blank is exactly 0, @ the largest magnitude."""

    def __init__(self):
        super().__init__("heat", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        rows, cols, numbers = evaluate(argument)
        largest = max([abs(number) for number in numbers if math.isfinite(number)] + [0.0])
        shown = (rows, cols) if everything_wanted() else (min(rows, 64), min(cols, 64))
        print("%s: %dx%d, heat by size: blank is 0, @ is %s"
              % (argument, rows, cols, fixed(largest)))
        for r in range(shown[0]):
            line = numbers[r * cols:r * cols + shown[1]]
            print("%5d  |%s|" % (r, "".join(heat_character(number, largest) for number in line)))
        if shown != (rows, cols):
            print("      ... here %dx%d of it%s" % (shown + (ALL,)))


class Compare(gdb.Command):
    """compare A B: the first number that differs in a bit, with its position and both values.
Quote an expression that holds a blank."""

    def __init__(self):
        super().__init__("compare", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        names = gdb.string_to_argv(argument)
        if len(names) != 2:
            raise gdb.GdbError("usage: compare A B; quote an expression that holds a blank")
        (rows, cols, a), (other_rows, other_cols, b) = (evaluate(name) for name in names)
        if (rows, cols) != (other_rows, other_cols):
            print("the shapes differ: %s is %dx%d, %s is %dx%d"
                  % (names[0], rows, cols, names[1], other_rows, other_cols))
            return
        for i, (x, y) in enumerate(zip(a, b)):
            if bits(x) != bits(y):
                print("first difference in row %d, column %d: %s and %s"
                      % (i // cols, i % cols, exactly(x), exactly(y)))
                return
        print("the same bits, all %d numbers (%dx%d)" % (len(a), rows, cols))


SCREEN = 20  # lines: a terminal has 24, and the prompt and what was typed want theirs
COLUMNS = 80


def on_a_screen(lines, all_of_it):
    """Lines as one text; where they are too many, or too long, it says where all of it is."""
    if len(lines) > SCREEN:
        lines = lines[:SCREEN - 1] + ["... and %d more: %s" % (len(lines) - SCREEN + 1, all_of_it)]
    lines = [line.replace(ALL, "") for line in lines]
    return "\n".join(line if len(line) <= COLUMNS else line[:COLUMNS - 4].rsplit(" ", 1)[0] + " ..."
                     for line in lines)


class Locals(gdb.Command):
    """locals: the arguments and variables that have their values already; info locals has all."""

    def __init__(self):
        super().__init__("locals", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        frame = gdb.selected_frame()
        shown = [symbol for symbol in variables(frame)
                 if has_value(symbol, frame) and not re.match("this$|__", symbol.name)]
        groups = []
        for symbol in shown:
            text = symbol.value(frame).format_string() or "... (print %s)" % symbol.name
            groups.append(("%s = %s" % (symbol.name, text)).split("\n"))
        for group in sorted(groups, key=len, reverse=True):  # the longest give way first
            if sum(map(len, groups)) > SCREEN and len(group) > 1:
                group[:] = ["%s ... (print %s)" % (group[0].split(", here")[0], group[0].split()[0])]
        print(on_a_screen([line for group in groups for line in group], "info locals")
              or "No variable has its value yet; next runs a line.")


def name_of(frame):
    """The function's name without the types of its parameters; a lambda's is its home's."""
    short = re.match(r"(operator\(\)|[^({])*", str(frame.name())).group().rstrip(":")
    return "a lambda" if short == "operator()" else short


def is_ours(frame):
    return frame.find_sal().symtab is not None and not str(frame.name()).startswith("std::")


class Backtrace(gdb.Command):
    """bt: who called whom, without the library's functions; backtrace has them, and all arguments."""

    def __init__(self):
        super().__init__("bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if argument:
            gdb.execute("backtrace " + argument)
            return
        lines, number, frame = [], 0, gdb.newest_frame()
        while frame is not None:
            if is_ours(frame) and not name_of(frame).startswith("glassbox::run"):
                here = frame.find_sal()
                lines.append("#%-3d%s at %s:%d"
                             % (number, name_of(frame), here.symtab.filename, here.line))
            number, frame = number + 1, frame.older()
        print(on_a_screen(lines, "backtrace"))


# ---- Where to stop ----


def quietly(command):
    """Runs a command, its messages dropped; a gdb that does not know it goes on without."""
    try:
        gdb.execute(command, to_string=True)
    except gdb.error:
        pass


class Return(gdb.FinishBreakpoint):
    """The return from step(): the line is printed, and the frame is the lesson's own."""


class Step(gdb.Breakpoint):
    def stop(self):
        quietly("python Return(gdb.newest_frame())")
        return False


class Throw(gdb.Breakpoint):
    """Every throw goes through this function of the C++ runtime: __cxa_throw(object, type, ...)."""


def argument(position):
    registers = {"i386:x86-64": ("rdi", "rsi"), "aarch64": ("x0", "x1")}
    name = gdb.newest_frame().architecture().name()
    return int(gdb.newest_frame().read_register(registers[name][position])) & (1 << 64) - 1


def exception_text():
    """Type and what() of the exception that is being thrown."""
    symbol = gdb.execute("info symbol %d" % argument(1), to_string=True)
    kind = re.search(r"typeinfo for ([\w:]+)", symbol).group(1)
    text = gdb.parse_and_eval("*(char **)%d" % (argument(0) + 8))  # all of <stdexcept> lie so
    return "%s: %s" % (kind, text.string()) if kind.startswith("std::") else kind


def on_stop(event):
    """At a throw: says what is thrown, and leads to the function that throws it."""
    if not isinstance(event, gdb.BreakpointEvent):
        return
    if not any(isinstance(breakpoint, Throw) for breakpoint in event.breakpoints):
        return
    try:
        print("thrown: " + exception_text())
    except (gdb.error, KeyError, AttributeError, UnicodeDecodeError):
        pass  # another machine, or another kind of exception: the program itself will say it
    frame = gdb.newest_frame()
    while frame is not None and not is_ours(frame):
        frame = frame.older()
    if frame is not None:
        frame.select()
        here = frame.find_sal()
        print("    in %s, %s:%d" % (frame.name(), here.symtab.filename, here.line))


def set_up():
    quietly("set debuginfod enabled off")  # it would ask, and there is nothing to fetch
    quietly("set print address off")  # other in every run, and they say nothing here
    quietly("set print raw-frame-arguments on")  # no grids in a line that says where we are
    quietly("set breakpoint pending on")
    quietly("set pagination off")  # no "Type <RET> for more"
    quietly("set confirm off")  # quit ends the lesson, it asks nothing
    quietly("set unwindonsignal on")  # a call that crashes leaves the program where it was
    quietly("skip -rfunction ^std::")  # `step` goes into our code, not into the library's
    for objfile in gdb.objfiles()[:1]:
        use_printers(objfile)
    gdb.events.new_objfile.connect(on_new_objfile)
    gdb.events.stop.connect(on_stop)
    quietly("python Step('glassbox::step')")
    quietly("python Throw('__cxa_throw')")
    Heat(), Compare(), Locals(), Backtrace()
    print("continue: the next STEP. print v, heat v, compare a b, locals: docs/debugging.md")


set_up()
