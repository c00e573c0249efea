echo == show can be called where no lesson calls it\n
run
print decoder.layers.size()
call show(decoder.embedding)
echo == a large matrix is abbreviated, and says how to see more\n
print decoder.embedding
echo == all of it on request\n
set print elements unlimited
python print("\n".join(line[-20:] for line in gdb.parse_and_eval("decoder.embedding").format_string().splitlines()))
set print elements 200
echo == the heat map of a large matrix\n
heat decoder.embedding
echo == a mask with a window\n
print glassbox::experiment::sliding
print glassbox::experiment::causal
echo == an empty cache, and one of twelve tokens\n
disable
tbreak copies_are_branches
continue
tbreak glassbox::Decoder::run
continue
print cache
tbreak glassbox::Decoder::run
continue
print cache
echo == one layer of a cache\n
print cache.layers._M_impl._M_start[0]
echo == the input positions\n
print input_positions
