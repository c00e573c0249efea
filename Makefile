# Glassbox. `make` runs the proof, `make help` lists the rest.
MODE     ?= default
INSTALL  ?= yes
SECONDS  ?= 20
JOBS     ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

# The standard library checks the indices of vectors and spans: GNU's by the first macro, LLVM's by the second.
CHECKED        := -D_GLIBCXX_ASSERTIONS -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE
FLAGS_default  := -O0 -g $(CHECKED)
FLAGS_release   = -O3 $(NATIVE) -DGLASSBOX_FAST
FLAGS_sanitize := -O1 -g $(CHECKED) -fsanitize=address,undefined -fno-sanitize-recover=all
include tests/machine.mk
ifeq ($(FLAGS_$(MODE)),)
$(error MODE is '$(MODE)'; wanted default, release or sanitize)
endif

COMPILER := $(notdir $(firstword $(CXX)))
BUILD    := $(if $(filter g++-default c++-default,$(COMPILER)-$(MODE)),build,build/$(COMPILER)-$(MODE))
$(if $(filter-out 1,$(words $(BUILD))),$(error BUILD is '$(BUILD)'; wanted one folder, without a blank in its name))
STRICT   := -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
COMPILE  := $(CXX) $(STRICT) $(FLAGS_$(MODE)) -Isrc $(CXXFLAGS)
# Saves time and is not needed: the standard headers compiled once (they are found by -include; the checks
# compile every header without them).
STANDARD := $(BUILD)/standard.hpp

LESSONS  := $(sort $(patsubst lessons/%.cpp,%,$(wildcard lessons/[0-9]*.cpp)))
UNITS    := $(sort $(patsubst tests/%.cpp,$(BUILD)/tests/%.o,$(wildcard tests/*/[a-z]*_test.cpp tests/main.cpp)))
KNOWN    := $(patsubst tests/check_%.sh,%,$(wildcard tests/check_*.sh))
lesson    = $(firstword $(filter $*_% 0$*_%,$(LESSONS)))
list      = awk 'FNR == 1 && sub("^// Lesson ", "")' lessons/[0-9]*.cpp
no_lesson = { echo "There is no lesson $*. These are there:"; $(list); exit 2; } >&2

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.PHONY: FORCE proof help list course vscode figures record audit bench fuzz test clean

proof: $(BUILD)/10_proof_by_intervention
	@$<

help: ; @cat docs/help.txt
list: ; @$(list)
vscode: ; @sh lessons/debugger/vscode.sh

course: $(LESSONS:%=$(BUILD)/%)
	@set -e; for lesson in $(LESSONS); do echo; echo "=== $$lesson"; $(BUILD)/$$lesson; done

# A line with $(MAKE) in it runs even under make -n, so it only builds.
lesson-%: FORCE
	@$(if $(lesson),$(MAKE) -s $(BUILD)/$(lesson),$(no_lesson))
	@$(BUILD)/$(lesson)

debug-%: FORCE
	@$(if $(lesson),MODE='$(MODE)' sh lessons/debugger/start.sh $@,$(no_lesson))
	@$(MAKE) -s $(BUILD)/$(lesson)
	@sh lessons/debugger/start.sh $@ $(BUILD)/$(lesson)

# An exercise's check is compiled; a hint needs no compiler.
$(filter exercise-% watch-% progress,$(MAKECMDGOALS)): $(STANDARD).gch
$(filter exercise-% watch-% progress hint-% solution-% reset-% undo,$(MAKECMDGOALS)): FORCE
	@COMPILE='$(COMPILE) $(LINK)' BUILD='$(BUILD)' JOBS='$(JOBS)' LEVEL='$(LEVEL)' sh tests/exercises/exercise.sh $@

figures: $(LESSONS:%=$(BUILD)/%)
	@for lesson in $(LESSONS); do $(BUILD)/$$lesson --figures docs/figures || exit; done

record: $(BUILD)/16_record; @$< "$$OUT"
audit: $(BUILD)/17_audit; @$< "$$RUN"
bench: build/bench; @$<

fuzz:
	@STRICT='$(STRICT)' LIMIT='$(SECONDS)' sh tests/fuzz/run.sh

test: $(BUILD)/flags
	@$(if $(filter-out $(KNOWN),$(CHECKS)),$(error CHECKS is '$(CHECKS)'; wanted some of: $(KNOWN)))
	@echo 'Building all tests and lessons, then checking: a few minutes.'
	@CXX='$(CXX)' CXXFLAGS='$(CXXFLAGS) $(BOOST)' TEST_LINK='$(TEST_LINK)' INSTALL='$(INSTALL)' sh tests/need_boost.sh
	@$(MAKE) -s -j$(JOBS) $(LESSONS:%=$(BUILD)/%) $(BUILD)/unit_tests build/bench
	@CXX='$(CXX)' COMPILE='$(COMPILE)' BOOST='$(BOOST)' TEST_LINK='$(TEST_LINK)' BUILD='$(BUILD)' JOBS='$(JOBS)' sh tests/run.sh

clean: ; @rm -rf build

.DEFAULT build docs lessons src tests: FORCE
	@$(error There is no target '$@'$(if $(filter lesson debug exercise hint solution watch reset,$@),; wanted make $@-05 \
	  or another number); make help lists them all)

$(STANDARD): src/*/*.hpp lessons/*.cpp | $(BUILD)/flags
	@cat $^ | grep '^#include <' | sort -u > $@.new
	@cmp -s $@.new $@ || cp $@.new $@

# What was built with other flags is built anew.
$(BUILD)/flags: FORCE
	@echo '$(subst ','\'',$(COMPILE))' | cmp -s - $@ || { sh tests/need_compiler.sh $(@D) $(COMPILE) && \
	  echo '$(subst ','\'',$(COMPILE))' > $@; }

$(STANDARD).gch: $(STANDARD) $(BUILD)/flags
	@echo 'Compiling; the first time takes about ten seconds.' >&2
	@$(COMPILE) -x c++-header $< -o $@.$$$$ && mv -f $@.$$$$ $@

# The record names the flags it was made with; the audit's demonstration lets 16_record make one.
$(BUILD)/16_record: DEFINES := -DGLASSBOX_FLAGS='"$(subst ",,$(strip $(STRICT) $(FLAGS_$(MODE)) $(CXXFLAGS)))"'
$(BUILD)/17_audit: | $(BUILD)/16_record
$(BUILD)/flags: COMPILE += $(LINK)
# Lesson 20 measures: optimised in the default build too, so without the headers compiled for that.
$(BUILD)/20_speed: STANDARD := /dev/null
$(BUILD)/20_speed: DEFINES = $(if $(filter default,$(MODE)),$(FLAGS_release) -U_GLIBCXX_ASSERTIONS -U_LIBCPP_HARDENING_MODE)

build/bench: tests/bench/bench.cpp | $(BUILD)/flags
	@mkdir -p build && $(CXX) $(STRICT) $(FLAGS_release) -Isrc -Itests $(CXXFLAGS) -MMD -MP $< $(LDFLAGS) -o $@

$(BUILD)/%: lessons/%.cpp $(STANDARD).gch
	@$(COMPILE) $(DEFINES) -include $(STANDARD) -MMD -MP $< $(LINK) -o $@

$(BUILD)/tests/%.o: tests/%.cpp $(STANDARD).gch
	@mkdir -p $(@D)
	@$(COMPILE) -DBOOST_TEST_DYN_LINK $(BOOST) -Itests -include $(STANDARD) -MMD -MP -c $< -o $@

$(BUILD)/unit_tests: $(UNITS)
	@$(COMPILE) $^ $(TEST_LINK) -o $@

-include $(wildcard $(LESSONS:%=$(BUILD)/%.d) $(UNITS:.o=.d) build/bench.d)
