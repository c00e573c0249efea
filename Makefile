# Glassbox. `make` runs the proof, `make help` lists the rest.
MODE     ?= default
INSTALL  ?= yes
SECONDS  ?= 20
JOBS     ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

FLAGS_default  := -O0 -g
FLAGS_release  := -O3 -march=native
FLAGS_sanitize := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
ifeq ($(FLAGS_$(MODE)),)
$(error MODE is '$(MODE)'; wanted default, release or sanitize)
endif

COMPILER := $(notdir $(firstword $(CXX)))
BUILD    := $(if $(filter g++-default c++-default,$(COMPILER)-$(MODE)),build,build/$(COMPILER)-$(MODE))
STRICT   := -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
COMPILE  := $(CXX) $(STRICT) $(FLAGS_$(MODE)) -Isrc $(CXXFLAGS)
# Two savings of time, neither needed: the gold linker where it is there, and the standard headers
# compiled once (they are found by -include; the checks compile every header without them).
LINK     := $(shell $(CXX) -fuse-ld=gold -Wl,--version >/dev/null 2>&1 && echo -fuse-ld=gold)
STANDARD := $(BUILD)/standard.hpp

LESSONS  := $(sort $(patsubst lessons/%.cpp,%,$(wildcard lessons/[0-9]*.cpp)))
UNITS    := $(sort $(patsubst tests/%.cpp,$(BUILD)/tests/%.o,$(wildcard tests/*/[a-z]*_test.cpp tests/main.cpp)))
lesson    = $(firstword $(filter $*_% 0$*_%,$(LESSONS)))

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: proof help list course figures record audit fuzz test clean

proof: $(BUILD)/10_proof_by_intervention
	@$<

help:
	@echo 'make              the proof of causality (lesson 10)'
	@echo 'make list         the lessons, a line each'
	@echo 'make lesson-07    build and run lesson 07; debug-07: in gdb, stopped at STEP 1'
	@echo 'make course       run all lessons, one after the other'
	@echo 'make exercise-07  check the exercise of lesson 07; hint-07, solution-07, watch-07, progress'
	@echo 'make test         run every test and check; installs Boost.Test if it may (INSTALL=no: never)'
	@echo 'make figures      draw docs/figures anew, over the old ones'
	@echo 'make record OUT=DIR   run the experiment of lessons 12 to 15, write it into a new folder'
	@echo 'make audit RUN=DIR    check such a record without the program that made it'
	@echo 'make fuzz SECONDS=20  feed damaged files to the .npz reader (needs clang++)'
	@echo 'make clean        remove build/'
	@echo 'With any of them: CXX=clang++, MODE=release (optimised) or MODE=sanitize (checks memory).'

list:
	@awk 'FNR == 1 && sub("^// Lesson ", "")' lessons/[0-9]*.cpp

course: $(LESSONS:%=$(BUILD)/%)
	@set -e; for lesson in $(LESSONS); do echo; echo "=== $$lesson"; $(BUILD)/$$lesson; done

lesson-%: FORCE
	@$(if $(lesson),$(MAKE) -s $(BUILD)/$(lesson) && $(BUILD)/$(lesson),\
	  { echo "There is no lesson $*. These are there:"; $(MAKE) list; exit 2; } >&2)

debug-%: FORCE
	@command -v gdb >/dev/null || { echo 'make $@ needs the debugger gdb, which is missing.' >&2; exit 2; }
	@[ $(MODE) = default ] || { echo 'make $@ works without MODE: optimised code jumps.' >&2; exit 2; }
	@$(if $(lesson),$(MAKE) -s $(BUILD)/$(lesson) && \
	  gdb -q -ex 'break glassbox::step' -ex run -ex up $(BUILD)/$(lesson),\
	  $(MAKE) lesson-$*)

$(filter exercise-% hint-% solution-% watch-% progress,$(MAKECMDGOALS)): $(STANDARD).gch FORCE
	@COMPILE='$(COMPILE) $(LINK)' BUILD='$(BUILD)' JOBS='$(JOBS)' LEVEL='$(LEVEL)' sh tests/exercises/exercise.sh $@

figures: $(LESSONS:%=$(BUILD)/%)
	@for lesson in $(LESSONS); do $(BUILD)/$$lesson --figures docs/figures || exit; done

record: $(BUILD)/16_record
	@$(BUILD)/16_record "$$OUT"

audit: $(BUILD)/17_audit
	@$(BUILD)/17_audit "$$RUN"

fuzz:
	@mkdir -p build/fuzz/corpus
	@clang++ $(STRICT) -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Isrc \
	  tests/fuzz/npz_fuzz.cpp -o build/fuzz/npz_fuzz || \
	  { echo 'make fuzz needs clang++ with its libFuzzer (Debian: apt-get install clang).'; exit 2; } >&2
	@build/fuzz/npz_fuzz -max_total_time=$(SECONDS) -max_len=4096 -timeout=5 -rss_limit_mb=512 \
	  -malloc_limit_mb=64 -use_value_profile=1 -artifact_prefix=build/fuzz/ build/fuzz/corpus tests/fuzz/seeds

test:
	@echo 'Building all tests and lessons, then checking: a minute or two.'
	@CXX='$(CXX)' INSTALL='$(INSTALL)' sh tests/need_boost.sh
	@$(MAKE) -s -j$(JOBS) $(LESSONS:%=$(BUILD)/%) $(BUILD)/unit_tests
	@CXX='$(CXX)' COMPILE='$(COMPILE)' BUILD='$(BUILD)' JOBS='$(JOBS)' sh tests/run.sh

clean:
	@rm -rf build

FORCE:

$(STANDARD): src/*/*.hpp lessons/*.cpp
	@mkdir -p $(@D)
	@cat $^ | grep '^#include <' | sort -u > $@.new
	@cmp -s $@.new $@ || cp $@.new $@

$(STANDARD).gch: $(STANDARD)
	@$(COMPILE) -x c++-header $< -o $@.$$$$ && mv -f $@.$$$$ $@

# The record names the flags it was made with; the audit's demonstration lets 16_record make one.
$(BUILD)/16_record: DEFINES := -DGLASSBOX_FLAGS='"$(subst ",,$(strip $(STRICT) $(FLAGS_$(MODE)) $(CXXFLAGS)))"'
$(BUILD)/17_audit: | $(BUILD)/16_record

$(BUILD)/%: lessons/%.cpp $(STANDARD).gch
	@$(COMPILE) $(DEFINES) -include $(STANDARD) -MMD -MP $< $(LINK) -o $@

$(BUILD)/tests/%.o: tests/%.cpp $(STANDARD).gch
	@mkdir -p $(@D)
	@$(COMPILE) -DBOOST_TEST_DYN_LINK -Itests -include $(STANDARD) -MMD -MP -c $< -o $@

$(BUILD)/unit_tests: $(UNITS)
	@$(COMPILE) $^ $(LINK) -lboost_unit_test_framework -o $@

-include $(LESSONS:%=$(BUILD)/%.d) $(UNITS:.o=.d)
