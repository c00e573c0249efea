# Glassbox. `make` runs the proof, `make help` lists the rest.
MODE     ?= default
INSTALL  ?= yes
SECONDS  ?= 20
JOBS     ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

# The standard library checks the indices of vectors and spans: GNU's by the first macro, LLVM's by the second.
CHECKED        := -D_GLIBCXX_ASSERTIONS -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE
FLAGS_default  := -O0 -g $(CHECKED)
FLAGS_release  := -O3 -march=native -DGLASSBOX_FAST
FLAGS_sanitize := -O1 -g $(CHECKED) -fsanitize=address,undefined -fno-sanitize-recover=all
ifeq ($(FLAGS_$(MODE)),)
$(error MODE is '$(MODE)'; wanted default, release or sanitize)
endif

COMPILER := $(notdir $(firstword $(CXX)))
BUILD    := $(if $(filter g++-default c++-default,$(COMPILER)-$(MODE)),build,build/$(COMPILER)-$(MODE))
STRICT   := -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
COMPILE  := $(CXX) $(STRICT) $(FLAGS_$(MODE)) -Isrc $(CXXFLAGS)
# Two savings of time, neither needed: the gold linker where it is there, and the standard headers
# compiled once (they are found by -include; the checks compile every header without them).
LINK     := $(if $(filter-out sanitize,$(MODE)),$(shell $(CXX) -fuse-ld=gold -Wl,--version >/dev/null 2>&1 && echo -fuse-ld=gold))
STANDARD := $(BUILD)/standard.hpp

LESSONS  := $(sort $(patsubst lessons/%.cpp,%,$(wildcard lessons/[0-9]*.cpp)))
UNITS    := $(sort $(patsubst tests/%.cpp,$(BUILD)/tests/%.o,$(wildcard tests/*/[a-z]*_test.cpp tests/main.cpp)))
lesson    = $(firstword $(filter $*_% 0$*_%,$(LESSONS)))

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE writable proof help list course vscode figures record audit bench fuzz test clean

proof: $(BUILD)/10_proof_by_intervention
	@$<

help:
	@cat docs/help.txt

list:
	@awk 'FNR == 1 && sub("^// Lesson ", "")' lessons/[0-9]*.cpp

course: $(LESSONS:%=$(BUILD)/%)
	@set -e; for lesson in $(LESSONS); do echo; echo "=== $$lesson"; $(BUILD)/$$lesson; done

lesson-%: FORCE
	@$(if $(lesson),$(MAKE) -s $(BUILD)/$(lesson) && $(BUILD)/$(lesson),\
	  { echo "There is no lesson $*. These are there:"; $(MAKE) list; exit 2; } >&2)

debug-%: FORCE
	@$(if $(lesson),MODE=$(MODE) MAKE='$(MAKE)' sh lessons/debugger/start.sh $@ $(BUILD)/$(lesson),$(MAKE) lesson-$*)

vscode:
	@sh lessons/debugger/vscode.sh

# An exercise's check is compiled; a hint needs no compiler.
$(filter exercise-% watch-% progress,$(MAKECMDGOALS)): writable $(STANDARD).gch
$(filter exercise-% watch-% progress hint-% solution-% reset-% undo,$(MAKECMDGOALS)): FORCE
	@COMPILE='$(COMPILE) $(LINK)' BUILD='$(BUILD)' JOBS='$(JOBS)' LEVEL='$(LEVEL)' sh tests/exercises/exercise.sh $@

writable:
	@{ mkdir -p $(BUILD) && [ -w $(BUILD) ]; } 2>/dev/null || { echo 'Nothing can be written in $(BUILD)/,'\
	  'where programs are built. Elsewhere: make $(MAKECMDGOALS) BUILD=/tmp/glassbox' >&2; exit 2; }

figures: $(LESSONS:%=$(BUILD)/%)
	@for lesson in $(LESSONS); do $(BUILD)/$$lesson --figures docs/figures || exit; done

record: $(BUILD)/16_record; @$< "$$OUT"
audit: $(BUILD)/17_audit; @$< "$$RUN"
bench: build/bench; @$<

fuzz:
	@STRICT='$(STRICT)' SECONDS='$(SECONDS)' sh tests/fuzz/run.sh

test:
	@echo 'Building all tests and lessons, then checking: a few minutes.'
	@CXX='$(CXX)' INSTALL='$(INSTALL)' sh tests/need_boost.sh
	@$(MAKE) -s -j$(JOBS) $(LESSONS:%=$(BUILD)/%) $(BUILD)/unit_tests build/bench
	@CXX='$(CXX)' COMPILE='$(COMPILE)' BUILD='$(BUILD)' JOBS='$(JOBS)' sh tests/run.sh

clean: ; @rm -rf build

$(STANDARD): src/*/*.hpp lessons/*.cpp
	@mkdir -p $(@D)
	@cat $^ | grep '^#include <' | sort -u > $@.new
	@cmp -s $@.new $@ || cp $@.new $@

# What was built with other flags is built anew.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(COMPILE))' | cmp -s - $@ || echo '$(subst ','\'',$(COMPILE))' > $@

$(STANDARD).gch: $(STANDARD) $(BUILD)/flags
	@$(COMPILE) -x c++-header $< -o $@.$$$$ && mv -f $@.$$$$ $@

# The record names the flags it was made with; the audit's demonstration lets 16_record make one.
$(BUILD)/16_record: DEFINES := -DGLASSBOX_FLAGS='"$(subst ",,$(strip $(STRICT) $(FLAGS_$(MODE)) $(CXXFLAGS)))"'
$(BUILD)/17_audit: | $(BUILD)/16_record
# Lesson 20 measures: optimised in the default build too, so without the headers compiled for that.
$(BUILD)/20_speed: STANDARD := /dev/null
$(BUILD)/20_speed: DEFINES := $(if $(filter default,$(MODE)),$(FLAGS_release) -U_GLIBCXX_ASSERTIONS -U_LIBCPP_HARDENING_MODE)

build/bench: tests/bench/bench.cpp
	@mkdir -p build && $(CXX) $(STRICT) $(FLAGS_release) -Isrc -Itests $(CXXFLAGS) -MMD -MP $< -o $@

$(BUILD)/%: lessons/%.cpp $(STANDARD).gch
	@$(COMPILE) $(DEFINES) -include $(STANDARD) -MMD -MP $< $(LINK) -o $@

$(BUILD)/tests/%.o: tests/%.cpp $(STANDARD).gch
	@mkdir -p $(@D)
	@$(COMPILE) -DBOOST_TEST_DYN_LINK -Itests -include $(STANDARD) -MMD -MP -c $< -o $@

$(BUILD)/unit_tests: $(UNITS)
	@$(COMPILE) $^ $(LINK) -lboost_unit_test_framework -o $@

-include $(LESSONS:%=$(BUILD)/%.d) $(UNITS:.o=.d) build/bench.d
