# What depends on the machine: the Makefile includes it.

# This processor's own instructions, in the word that the compiler takes, if any; asked once, and only if needed.
takes           = $(shell $(CXX) $1 $(CXXFLAGS) -x c++ -fsyntax-only /dev/null 2>/dev/null && echo $1)
NATIVE          = $(eval NATIVE := $(or $(call takes,-march=native),$(call takes,-mcpu=native)))$(NATIVE)

# Saves time and is not needed: the gold linker, where it is there (for ARM it is broken).
GOLD     := $(if $(filter-out sanitize,$(MODE)),$(shell $(CXX) -dumpmachine 2>/dev/null | grep -q '^x86_64' && \
  $(CXX) $(LDFLAGS) -fuse-ld=gold -Wl,--version >/dev/null 2>&1 && echo -fuse-ld=gold))
LINK     := $(GOLD) $(LDFLAGS)

# Boost.Test, which may be Homebrew's; the lessons never ask.
BREW      = $(eval BREW := $(shell brew --prefix boost 2>/dev/null))$(BREW)
BOOST     = $(if $(BREW),-isystem $(BREW)/include)
TEST_LINK = $(LINK) $(if $(BREW),-L$(BREW)/lib -Wl$(comma)-rpath$(comma)$(BREW)/lib) -lboost_unit_test_framework
comma    := ,
