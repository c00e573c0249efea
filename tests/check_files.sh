#!/bin/sh
# Lesson 18 on files that NumPy wrote: the exit code and a phrase of what it says, case by case.
#
# tests/golden/outputs was written by NumPy 1.24 with save, savez and savez_compressed: the outputs
# of a small attention layer in NumPy (6 positions, 4 channels) before and after its input at
# position 3, or at each position in turn, was another random row; *_leak* from a mask that looks
# one step too far, or with a number added to an output before position 3. Hostile ones are such
# files cut off, with one byte or the shape in the header edited, or of types that are not read.
# runs_again and those beside it (earlier_only, random, faint, float16, swapped, two_digits, banned)
# are of a running mean with a tanh behind it. window, chunked, dilated and one_only are of a layer of
# attention with such a mask, attention_over_the_batch, batch_scale, state_warm*, forecast_same_length of
# models that do what their names say; bfloat16*, header_*, both, crlf, with_* and runs.pt are files of
# other writers.
set -u
here=$(pwd)
build=$(cd "$BUILD" && pwd)
program=$build/18_check_your_own_model
scratch=$build/files
rm -rf "$scratch"
mkdir -p "$scratch/a folder"
cp tests/golden/outputs/* "$scratch"
cd "$scratch" || exit 1

# case_of CODE PHRASE ARGUMENT...: an error is one line on stderr and nothing else.
case_of() {
    wanted=$1 phrase=$2
    shift 2
    "$program" "$@" > out 2> err
    code=$?
    if [ $code -eq 2 ]; then
        [ $(($(wc -l < err))) -eq 1 ] && [ ! -s out ]
    else
        [ ! -s err ]
    fi
    in_order=$?
    arguments=$(printf '%s' "$*" | tr '\n\033' '??')
    if [ $code -eq "$wanted" ] && [ $in_order -eq 0 ] && cat out err | grep -qF -e "$phrase"; then
        echo "ok $code from $arguments: $phrase"
    else
        tail -n 3 out err
        echo "FAILED $code from $arguments; wanted $wanted and '$phrase'"
    fi
}

causal='NO OUTPUT BEFORE POSITION 3 MOVED: YES'
leak='NO OUTPUT BEFORE POSITION 3 MOVED: NO'

# two files
case_of 0 "$causal" before.npy after.npy 3
case_of 0 'before.npy, after.npy: outputs of shape (6, 4): T = 6 (positions), C = 4 (channels)' before.npy after.npy 3
case_of 0 "  t3 CHANGED 3.067e+00 |################################|" before.npy after.npy 3
case_of 1 "$leak" leak_before.npy leak_after.npy 3
case_of 1 'witness: position 2, column 0 moved from' leak_before.npy leak_after.npy 3
case_of 1 'NO OUTPUT BEFORE POSITION 4 MOVED: NO' before.npy after.npy 4
case_of 0 'NO OUTPUT BEFORE POSITION 2 MOVED: YES' before.npy after.npy 2
case_of 0 'note: output 2 itself did not move' before.npy after.npy 2
for type in float32 float16; do
    case_of 0 "$causal" before_$type.npy after_$type.npy 3
    case_of 1 'witness: position 2, column 1 moved' before_$type.npy leak_$type.npy 3
done
case_of 0 'note: near 1, float16 has steps of a thousandth' before_float16.npy after_float16.npy 3
case_of 0 'outputs of shape (2, 6, 4): B = 2 (batch), T = 6 (positions), C = 4' batch_before.npy batch_after.npy 3
case_of 0 "$causal" batch_before.npy batch_after.npy 3
case_of 1 'witness: batch item 1, position 2, column 3 moved' batch_before.npy batch_leak.npy 3
case_of 1 'NO OUTPUT BEFORE POSITION 150 MOVED: NO' long_before.npy long_leak.npy 150
case_of 1 't0 to t125, not drawn: 1 of 126 moved, largest change 1.000e+00' long_before.npy long_leak.npy 150
case_of 0 't174 to t199, not drawn: 26 of 26 moved' long_before.npy long_after.npy 150

# tolerance
case_of 1 "$leak" before.npy faint_leak.npy 3
case_of 1 'by 1.000e-09' before.npy faint_leak.npy 3
case_of 0 'MOVED BY MORE THAN 1e-06: YES' before.npy faint_leak.npy 3 --tolerance 1e-6
case_of 0 'YES' --tolerance 1e-6 before.npy faint_leak.npy 3
case_of 1 'BY MORE THAN 1e-10: NO' before.npy faint_leak.npy --tolerance 1e-10 3
case_of 1 "$leak" before.npy faint_leak.npy 3 --tolerance 0
case_of 0 'MOVED BY MORE THAN 1e-06: YES' before.npy faint_leak.npy 3 --tolerance=1e-6
case_of 2 "--tolerance is ''" before.npy faint_leak.npy 3 --tolerance=
case_of 2 'the change went nowhere: no output moved at position 3 or after, by more than the tolerance 1000' \
    before.npy after.npy 3 --tolerance 1000
case_of 1 'note: 0 and -0 are equal and differ in a bit' zero_before.npy zero_after.npy 3
case_of 0 'YES' zero_before.npy zero_after.npy 3 --tolerance 1e-300
for tolerance in -1 nan inf 1e999 x '' '1e-6 '; do
    case_of 2 "--tolerance is '$tolerance'" before.npy after.npy 3 --tolerance "$tolerance"
done

# numbers that are none
case_of 2 'nan_before.npy: position 4, column 1 is nan before anything was changed' nan_before.npy after.npy 3
case_of 2 'inf_before.npy: position 4, column 1 is inf before anything was changed; find out why first; a column that always is' inf_before.npy after.npy 3
case_of 1 'witness: position 0, column 2 moved from' before.npy nan_past.npy 3
case_of 1 'BY MORE THAN 1e-06: NO' before.npy nan_past.npy 3 --tolerance 1e-6
case_of 0 "$causal" before.npy nan_present.npy 3

# positions
case_of 2 'POSITION is 6, and before.npy has 6 positions' before.npy after.npy 6
for position in -1 x 3.0 '' 99999999999999999999; do
    case_of 2 "POSITION is '$position'; wanted a whole number" before.npy after.npy "$position"
done
case_of 2 'POSITION is 0, which has no past' before.npy after.npy 0
case_of 2 'POSITION is 0, which has no past' one_position.npy one_position.npy 0
case_of 2 'the change went nowhere' before.npy before.npy 3

# shapes and types
case_of 2 'other_shape.npy: the shape is (5, 4), that of before.npy is (6, 4)' before.npy other_shape.npy 3
case_of 2 'three_d.npy: the shape is (1, 6, 4), that of' before.npy three_d.npy 3
case_of 2 'after_float32.npy: the type is <f4, that of before.npy is <f8' before.npy after_float32.npy 3
case_of 2 'zero_d.npy: the shape is (); wanted (T, C)' zero_d.npy after.npy 3
case_of 2 'one_d.npy: the shape is (6,); wanted (T, C)' before.npy one_d.npy 3
case_of 2 'four_d.npy: the shape is (1, 1, 6, 4); wanted (T, C)' before.npy four_d.npy 3
case_of 2 'no_positions.npy: the shape is (0, 4), and there are no numbers' no_positions.npy no_positions.npy 0
case_of 2 'no_channels.npy: the shape is (6, 0), and there are no numbers' no_channels.npy no_channels.npy 3
case_of 2 'fortran.npy: the array is in Fortran order; save numpy.ascontiguousarray of it (a transposed' fortran.npy after.npy 3
case_of 2 "big_endian.npy: the type is '>f8'; wanted" before.npy big_endian.npy 3
case_of 2 'objects.npy: the array holds Python objects' before.npy objects.npy 3
case_of 2 "booleans.npy: the type is '|b1'" before.npy booleans.npy 3
case_of 2 'dictionary.npy: the array holds Python objects' dictionary.npy after.npy 3
case_of 2 "complex.npy: the type is '<c16', complex; save array.astype('<c16').view('<f8')" before.npy complex.npy 3
case_of 2 "structured.npy: the type is [('a', '<f8'), ('b', '<f4')], several numbers under one name; import numpy.lib" before.npy structured.npy 3

# other writers
for kind in python2 no_blanks shape_tight quotes descr_last; do
    case_of 0 "$causal" header_${kind}_b.npy header_${kind}_a.npy 3
done
case_of 2 "bfloat16_before.npy: the type is '|V2', two raw bytes a number, which NumPy has no name for: probably bfloat16" \
    bfloat16_before.npy bfloat16_after.npy 3
case_of 2 "save (v.view('<u2').astype('<u4') << 16).view('<f4')" bfloat16_before.npy bfloat16_after.npy 3
case_of 2 'both.npy: another array begins behind the first' both.npy after.npy 3
case_of 2 "numpy.savez('runs.npz'" both.npy after.npy 3
case_of 2 'crlf.npy: its line ends were translated on the way; transfer the file as binary' crlf.npy after.npy 3
case_of 2 'runs.pt: a PyTorch file, as torch.save writes it; in Python, numpy.savez' runs.pt
case_of 2 'runs.pt: a PyTorch file, as torch.save writes it; in Python, numpy.savez' runs.pt after.npy 3
case_of 0 'note: out/ is a folder, no array, and was left out' with_folder.npz
case_of 0 'note: __MACOSX/._baseline.npy is what macOS puts beside a file, no array, and was left out' with_macosx.npz
cp runs.npz zip.npy
cp before.npy array.npz
gzip -c before.npy > gzip.npy
case_of 0 'NO OUTPUT BEFORE A CHANGED INPUT MOVED: YES' zip.npy
case_of 2 'zip.npy: a zip archive (.npz, .pt); wanted a single array' zip.npy after.npy 3
case_of 0 "$causal" array.npz after.npy 3
case_of 2 'array.npz: a single array, as numpy.save writes it; wanted an archive of arrays' array.npz
case_of 2 'gzip.npy: compressed by gzip; gunzip -c FILE > OTHER' gzip.npy after.npy 3
case_of 2 'gzip.npy: compressed by gzip; gunzip -c FILE > OTHER' gzip.npy

# damaged files, and what is no .npy
case_of 2 'truncated.npy: the header promises 6x4 numbers, 23 are there' before.npy truncated.npy 3
case_of 2 'cut_header.npy: truncated' before.npy cut_header.npy 3
case_of 2 'longer.npy: there are bytes left over' before.npy longer.npy 3
case_of 2 'empty.npy: truncated' before.npy empty.npy 3
case_of 2 'text.npy: not an .npy array' before.npy text.npy 3
case_of 2 'version_2.npy: not an .npy array of version 1.0, but of 2.0' before.npy version_2.npy 3
case_of 2 'version_3.npy: not an .npy array of version 1.0, but of 3.0' before.npy version_3.npy 3
case_of 2 'huge.npy: the header promises 6000000000x4000000000 numbers, 0 are there' before.npy huge.npy 3
case_of 2 'runs.npz: a zip archive (.npz, .pt); wanted a single array' runs.npz after.npy 3
case_of 2 'read_npy: cannot open a folder' 'a folder' after.npy 3
case_of 2 'read_npy: cannot open nowhere.npy' nowhere.npy after.npy 3
case_of 2 'read_npy: cannot open' '' after.npy 3
cp before.npy after.npy 'a folder'
case_of 0 "$causal" 'a folder/before.npy' "$scratch/a folder/after.npy" 3

# a name that would print a verdict of its own
crafted=$(printf 'x\033[31m\nYES.np')
cp before.npy "${crafted}y"
cp runs.npz "${crafted}z"
case_of 0 'x?[31m?YES.npy, after.npy: outputs of shape (6, 4)' "${crafted}y" after.npy 3
case_of 0 'x?[31m?YES.npz: outputs of shape (6, 4)' "${crafted}z"

# one archive
every='NO OUTPUT BEFORE A CHANGED INPUT MOVED'
case_of 0 "$every: YES" runs.npz
case_of 0 "$every: YES" runs_batch.npz
case_of 0 "$every: YES" runs_window.npz
case_of 1 "$every: NO" runs_leak.npz
case_of 1 'the past moved: input 1 moved output 0' runs_leak.npz
case_of 1 'input 1 was changed; witness: position 0, column 0 moved' runs_leak.npz
case_of 0 'MOVED BY MORE THAN 1e-06: YES' --tolerance 1e-6 runs.npz
case_of 0 'A WINDOW OF 2 IN 2 LAYERS, NEITHER MORE NOR LESS: YES' runs_window.npz --window 2 --layers 2
case_of 0 'NEITHER MORE NOR LESS: YES' --layers 1 runs_window.npz --window 3
case_of 1 'narrower than said: no output moved more than 2 positions after its input; said is a reach of 3' \
    runs_window.npz --window 4 --layers 1
case_of 1 'wider than said: input 0 moved output 2, 2 positions on; said is a reach of 1' \
    runs_window.npz --window 2 --layers 1
case_of 1 'wider than said' runs.npz --window 1 --layers 3
case_of 1 'the past moved' runs_leak.npz --window 2 --layers 2
case_of 2 '--window 6 --layers 1: 6 positions cannot show where this reach ends; wanted at least 7' runs.npz --window 6 --layers 1
case_of 2 "--window is '18446744073709551615'; wanted a whole number from 1 to 1000000" runs.npz --window 18446744073709551615 --layers 2
case_of 2 "--window is '0'; wanted a whole number from 1" runs.npz --window 0 --layers 2
case_of 2 "--layers is '0'; wanted a whole number from 1" runs.npz --window 2 --layers 0
case_of 0 'NEITHER MORE NOR LESS, IN WHAT MOVED BY MORE THAN 1e-06: YES' runs_window.npz --window=2 --layers=2 --tolerance=1e-6
case_of 2 'runs_missing.npz: the array changed_4 is missing; found baseline, changed_0, changed_1' runs_missing.npz
case_of 2 'changed_0 is missing; found baseline, baseline_again, changed_00, changed_01, ' runs_two_digits.npz
case_of 2 'changed_4 does not belong here; found' runs_swapped.npz
case_of 2 'since the baseline is (4, 6): T = 4 (positions), C = 6 (channels); the positions are the axis' runs_swapped.npz
case_of 2 'runs_no_baseline.npz: the array baseline is missing' runs_no_baseline.npz
case_of 2 'runs_surplus.npz: the array changed_6 does not belong here' runs_surplus.npz
case_of 2 'changed_2: the shape is (5, 4), that of' runs_other_shape.npz
case_of 2 'changed_2: the change went nowhere' runs_equal.npz
case_of 2 'baseline: position 0, column 2 is nan' runs_nan.npz
case_of 2 'runs_compressed.npz: baseline.npy: the entry is compressed; write it with numpy.savez' runs_compressed.npz
case_of 2 'baseline: position 0, column 3 is -inf before anything was changed; find out why first; a column' runs_banned.npz
case_of 2 'there is one position, which has no past' runs_one_position.npz
case_of 2 'changed_1.npy: the array holds Python objects' runs_objects.npz
case_of 2 'runs_truncated.npz: not a zip archive (no end record), or cut short' runs_truncated.npz
case_of 2 'changed_3.npy: the checksum is wrong' runs_damaged.npz
case_of 2 'for two outputs three words: before.npy after.npy POSITION' before.npy
case_of 2 'read_npz: cannot open a folder' 'a folder'

# one archive: what the runs say about themselves
case_of 0 "$every: YES" runs_again.npz
case_of 2 'baseline_again: the model is random, or keeps a state between calls: on the same input, position 0, column 0 moved from' runs_random.npz
case_of 0 'MOVED BY MORE THAN 0.01: YES' runs_random.npz --tolerance 0.01
case_of 1 'note: without a baseline_again, a random model looks like this too' runs_leak.npz
case_of 0 "$every: YES" runs_earlier_only.npz
case_of 0 'note: no output moved with its own input' runs_earlier_only.npz
case_of 1 'input 4 was changed; witness: position 1, column 2 moved from' runs_faint.npz
case_of 1 'by 3.000e-08' runs_faint.npz
case_of 0 'note: near 1, float16 has steps of a thousandth' runs_float16.npz

# a reach that was said is judged from both sides
case_of 0 'A WINDOW OF 4 IN 1 LAYERS, NEITHER MORE NOR LESS: YES' window.npz --window 4 --layers 1
case_of 1 'output 4 did not move with input 1, within the reach of --window 4 --layers 1 (12 of 42' chunked.npz --window 4 --layers 1
case_of 1 'output 1 did not move with input 0, within the reach of --window 4' dilated.npz --window 4 --layers 1
case_of 1 'output 1 did not move with input 0, within the reach of --window 4' one_only.npz --window 4 --layers 1
case_of 1 'note: what did not move did not show under these changes; it may matter under others.' one_only.npz --window 4 --layers 1
case_of 0 'A WINDOW OF 2 IN 1 LAYERS AND 1 SINK, NEITHER MORE NOR LESS: YES' runs_sink.npz --window 2 --layers 1 --sink 1
case_of 1 'wider than said: input 0 moved output 2, 2 positions on; said is a reach of 1' runs_sink.npz --window 2 --layers 1
case_of 1 'narrower than said: output 0 did not move with input 1' runs.npz --prefix 3
case_of 1 'CAUSAL BEHIND A PREFIX OF 3, NEITHER MORE NOR LESS: NO' runs.npz --prefix=3
case_of 0 'THE PAST AND 1 AHEAD, NEITHER MORE NOR LESS: YES' runs_leak.npz --ahead 1
case_of 1 'THE PAST IN CHUNKS OF 2, NEITHER MORE NOR LESS: NO' runs_leak.npz --chunk 2
case_of 1 'EVERY INPUT MOVES EVERY OUTPUT: NO' runs.npz --reach all
case_of 0 'EVERY INPUT MOVES EVERY OUTPUT: YES' forecast_same_length.npz --reach all
case_of 1 'every output moved with every input' forecast_same_length.npz
case_of 1 'the next steps of a forecast, and no past to keep: then say --reach all' forecast_same_length.npz
case_of 2 '--prefix and --chunk are different claims; say one' runs.npz --prefix 2 --chunk 2
case_of 0 'WHAT THE ARRAY reach SAYS, NEITHER MORE NOR LESS: YES' runs_reach.npz
case_of 1 'within the reach of the array reach' runs_reach_wider.npz
case_of 1 'outside the reach of the array reach' runs_reach_narrower.npz
case_of 2 'the archive has an array reach, and --prefix 2 was said as well' runs_reach.npz --prefix 2
case_of 0 'INPUT 3 MOVED JUST WHAT IT MAY BY --ahead 1: YES' leak_before.npy leak_after.npy 3 --ahead 1
case_of 1 'INPUT 3 MOVED JUST WHAT IT MAY BY --window 2 --layers 1: NO' before.npy after.npy 3 --window 2 --layers 1
case_of 1 '  t2 past    0.000e+00 |                                | did not move' before.npy after.npy 3 --ahead 1
case_of 2 'POSITION is 3, and every output may move with it by --prefix 5' before.npy after.npy 3 --prefix 5
case_of 2 'POSITION is 4, and every output may move with it by --ahead 4' leak_before.npy leak_after.npy 4 --ahead 4
case_of 1 'INPUT 3 MOVED JUST WHAT IT MAY BY --reach all: NO' before.npy after.npy 3 --reach all

# what was not tested
case_of 2 'no output moved with any input but its own, so no mask was tested' attention_over_the_batch.npz
case_of 2 'save item_0_changed, item 0 changed everywhere' attention_over_the_batch.npz
case_of 0 'note: not tested: whether an item of the batch moves another' batch_scale.npz
case_of 1 'item 0 was changed everywhere; witness: batch item 1, position 0, column 0 moved' runs_batch_mixed.npz
case_of 1 "$every, NOR ANOTHER ITEM: NO" runs_batch_mixed.npz
case_of 0 "$every, NOR ANOTHER ITEM: YES" runs_batch_apart.npz
case_of 1 "$every: NO" state_warm.npz
case_of 1 'or a state is kept between calls (baseline_again, run last, shows it)' state_warm.npz
case_of 2 'the model is random, or keeps a state between calls: on the same input, position 0' state_warm_again_last.npz
case_of 2 'changed_0 and all later ones are equal: the change went nowhere. Was one buffer handed out' runs_one_buffer.npz
case_of 1 'at most, which is as small as rounding.' runs_cancelling.npz
case_of 1 'column 3 moved from -0.9229447195296641 to -0.9229447195296642, by 1.110e-16' runs_cancelling.npz
case_of 0 'MOVED BY MORE THAN 1e-12: YES' runs_cancelling.npz --tolerance 1e-12

# the picture
case_of 0 "$every: YES" runs.npz --figure 'a folder/map.svg'
case_of 2 'Svg: cannot write nowhere/map.svg' runs.npz --figure nowhere/map.svg
case_of 2 'Svg: cannot write a folder' runs.npz --figure 'a folder'
if grep -q '<title>How far output t moves' 'a folder/map.svg' && tail -n 1 'a folder/map.svg' | grep -q '^</svg>$' &&
   ! ls 'a folder' . | grep -q partial; then
    echo "ok the picture is there, whole, and nothing beside it"
else
    echo "FAILED the picture is missing or cut, or something lies beside it"
fi

# options
case_of 0 'usage: before.npy after.npy POSITION' --help
case_of 0 'usage: before.npy after.npy POSITION' -h
for arguments in '--helpless' '--window=2' 'before.npy after.npy' 'a b c d' 'runs.npz --window 2' 'runs.npz --layers 2' \
    'runs.npz --tolerance' 'runs.npz --tolerance 1 --tolerance 1' 'before.npy after.npy 3 --window 2' \
    'before.npy after.npy 3 --figure x.svg' 'runs.npz --figures x' 'runs.npz --window x --layers 2'; do
    case_of 2 '; usage: before.npy after.npy POSITION' $arguments
done

# the example of a function of one's own
if (cd "$here" && $COMPILE lessons/examples/your_function.cpp -o "$scratch/your_function") &&
   ./your_function | grep -q '^  AS DECLARED, AND CAUSAL, as far as these inputs can show$'; then
    echo "ok lessons/examples/your_function.cpp finds what the text says"
else
    echo "FAILED lessons/examples/your_function.cpp does not compile, or finds something else"
fi

# an output that nobody receives
[ -e /dev/full ] && if ! "$program" before.npy after.npy 3 2> err > /dev/full && grep -q 'could not be written' err; then
    echo "ok a full disk is an error"
else
    echo "FAILED a full disk is no error"
fi
# It starts when the reader is gone for certain; a reader that is about to go may still take it all.
rm -f gone
if (trap '' PIPE; until [ -e gone ]; do sleep 1; done; "$program" before.npy after.npy 3 2> err; echo $? > code) |
    { exec < /dev/null; : > gone; }; [ "$(cat code)" = 2 ]; then
    echo "ok a closed pipe is an error"
else
    echo "FAILED a closed pipe is no error"
fi
cd "$here" && rm -rf "$scratch"
