# contact.h -- targets:
#   make            build/contact (double), build/contact32 (float), build/libcontact_dev.a
#   make demo       a heap of soft letters: build/demo/demo.png, summary.json and three numbers; a video where ffmpeg is there
#   make test       unit tests, sanitizers, compile twins, quick start; the last line is "N passed, N failed, N skipped"
#   make accept     acceptance scenes      make bench    measurements        make figures   docs/figures.md, its pictures
#   make test-all   that, every switch, language and consumer, platforms, long scenes, fuzz and soak in short form
#   make sizes      the README's table of sizes and compile times
#   make install    contact.h and contact.pc to PREFIX (/usr/local), below DESTDIR
#   make amalgamate contact.h from src/
#   make format     clang-format           make clean    removes build/
# Variables: CC, ARCH (-march=native), OPT (-O2), JOBS (2), V=1 shows the commands
CC ?= cc
ARCH ?= -march=native
OPT ?= -O2
JOBS ?= 2
PYTHON ?= python3
V ?= 0
ifeq ($(V),0)
Q := @
say = @echo "  $(1)"
else
Q :=
say =
endif
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow
STD := -std=c99 -D_POSIX_C_SOURCE=200809L
BASE := $(STD) $(WARN) -ffp-contract=off
FLAGS64 := $(BASE) $(OPT) $(ARCH) -DCONTACT_REAL=64
FLAGS32 := $(BASE) $(OPT) $(ARCH) -DCONTACT_REAL=32
FLAGSASAN := $(BASE) -Wno-unused-function -O1 -g1 $(ARCH) -DCONTACT_REAL=64 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

SOURCES := $(filter %.c,$(shell sed 's/\#.*//' src/MANIFEST))
TOOLS := $(patsubst tools/%.c,%,$(wildcard tools/*.c))
TESTS := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
OBJ64 := $(SOURCES:%.c=build/o64/%.o)
OBJ32 := $(SOURCES:%.c=build/o32/%.o)
OBJASAN := $(SOURCES:%.c=build/oasan/%.o)
BIN64 := $(TOOLS:%=build/o64/tools/%.o)
BIN32 := $(TOOLS:%=build/o32/tools/%.o)

.PHONY: all demo test test-build test-all test-builds bench accept figures fuzz format clean amalgamate sizes install
.DELETE_ON_ERROR:
.SECONDARY:
all: build/contact build/contact32 build/libcontact_dev.a

# ---- libraries that are needed: found, or fetched by package name (tools/deps.sh) ----
NODEPS := clean format amalgamate install
ifneq ($(filter-out $(NODEPS),$(or $(MAKECMDGOALS),all)),)
include build/deps/stb.mk build/deps/cjson.mk
endif
ifneq ($(filter test test-build build/tests/% build/asan/%,$(MAKECMDGOALS)),)
include build/deps/cmocka.mk
endif
# one after the other: a package manager has one lock
build/deps/cjson.mk: | build/deps/stb.mk
build/deps/cmocka.mk: | build/deps/cjson.mk
build/deps/%.mk: tools/deps.sh
	@CC="$(CC)" sh tools/deps.sh $*

# ---- objects ----
# simd.h and what it includes (immintrin.h is slow to read) is compiled once for each tree; objects begin with it
.PRECIOUS: build/pch/%.h.gch
define PCH
build/pch/$(1).h.gch: src/1_math/simd.h
	@mkdir -p $$(@D)
	@echo '#include "../../src/1_math/simd.h"' > build/pch/$(1).h
	$$(Q)$$(CC) $(2) -MMD -MP -MF $$@.d -x c-header build/pch/$(1).h -o $$@
endef
$(eval $(call PCH,o64,$(FLAGS64)))
$(eval $(call PCH,o32,$(FLAGS32)))
$(eval $(call PCH,oasan,$(FLAGSASAN)))
build/o64/%.o: src/%.c build/pch/o64.h.gch
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS64) -include build/pch/o64.h $(STB_CFLAGS) -MMD -MP -c $< -o $@
build/o32/%.o: src/%.c build/pch/o32.h.gch
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS32) -include build/pch/o32.h $(STB_CFLAGS) -MMD -MP -c $< -o $@
build/oasan/%.o: src/%.c build/pch/oasan.h.gch
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGSASAN) -include build/pch/oasan.h $(STB_CFLAGS) -MMD -MP -c $< -o $@
build/o64/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS64) $(STB_CFLAGS) $(CJSON_CFLAGS) -MMD -MP -c $< -o $@
build/o32/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS32) $(STB_CFLAGS) $(CJSON_CFLAGS) -MMD -MP -c $< -o $@

build/libcontact_dev.a: $(OBJ64)
	@rm -f $@
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $^
build/libcontact_dev32.a: $(OBJ32)
	@rm -f $@
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $^
build/libcontact_asan.a: $(OBJASAN)
	@rm -f $@
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $^
build/contact: $(BIN64) build/libcontact_dev.a
	$(call say,LINK $@)
	$(Q)$(CC) -o $@ $^ $(CJSON_LIBS) -lm
build/contact32: $(BIN32) build/libcontact_dev32.a
	$(call say,LINK $@)
	$(Q)$(CC) -o $@ $^ $(CJSON_LIBS) -lm

# ---- tests ----
build/tests/%: tests/%.c build/libcontact_dev.a
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGS64) $(STB_CFLAGS) $(CMOCKA_CFLAGS) -MMD -MP -MF $@.d $< build/libcontact_dev.a $(CMOCKA_LIBS) -lm -o $@
build/asan/%: tests/%.c build/libcontact_asan.a
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGSASAN) $(STB_CFLAGS) $(CMOCKA_CFLAGS) -MMD -MP -MF $@.d $< build/libcontact_asan.a $(CMOCKA_LIBS) -lm -o $@
test-build: build/contact build/contact32 $(TESTS:%=build/tests/%) $(TESTS:%=build/asan/%)
test:
	@$(MAKE) --no-print-directory -s -k -j$(JOBS) test-build || true
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) --stb "$(STB_CFLAGS)" $(TESTS)
test-builds:
	@STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tests/test_builds.py --jobs $(JOBS) $(PARTS)
test-all:
	@MAKE="$(MAKE)" STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tools/test_all.py --jobs $(JOBS)

# ---- the rest ----
amalgamate:
	$(PYTHON) tools/amalgamate.py
sizes:
	@STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tools/size_table.py
PREFIX ?= /usr/local
install:
	@mkdir -p "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/share/pkgconfig"
	@cp contact.h "$(DESTDIR)$(PREFIX)/include/"
	@v=`sed -n '1s/.*version \([0-9.]*\),.*/\1/p' contact.h` && \
	    sed -e 's|@PREFIX@|$(PREFIX)|' -e "s|@VERSION@|$$v|" contact.pc.in > "$(DESTDIR)$(PREFIX)/share/pkgconfig/contact.pc"
demo:
	@$(MAKE) --no-print-directory -j$(JOBS) build/contact
	@$(PYTHON) tools/make_demo.py
accept: build/contact
	@$(PYTHON) tools/accept.py
BENCHES := $(patsubst bench/%.c,build/bench/%,$(wildcard bench/bench_*.c))
build/bench/%: bench/%.c build/libcontact_dev.a
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGS64) $(STB_CFLAGS) -MMD -MP -MF $@.d $< build/libcontact_dev.a -lm -o $@
# the first of these that has matplotlib; figures go to build/figures, `make figures OUT=docs/figures PAGE=docs/figures.md` renews what is kept
FIGURES_PYTHON = $(shell for p in $(PYTHON) /usr/bin/python3; do $$p -c "import matplotlib" 2>/dev/null && echo $$p && exit; done; echo $(PYTHON))
figures: build/contact build/bench/trace_solvers
	@$(FIGURES_PYTHON) tools/make_figures.py $(if $(OUT),--out $(OUT)) $(if $(PAGE),--page $(PAGE)) $(FIGURES_OPTIONS)
bench: build/contact $(BENCHES)
	@echo "flags: $(FLAGS64)"
	@for b in $(BENCHES); do echo "== $$b"; ./$$b || exit 1; done
	@echo "== tools/bench_scenes.py"
	@$(PYTHON) tools/bench_scenes.py
format:
	clang-format -i $(filter-out src/public/manual.txt,$(addprefix src/,$(shell sed 's/\#.*//' src/MANIFEST))) \
	    $(wildcard src/*/*.inl tests/*.c tests/*.h tests/compile/*.c tests/compile/*.cc tools/*.c tools/*.h examples/*.c bench/*.c)
clean:
	rm -rf build

-include $(wildcard build/pch/*.d) $(OBJ64:.o=.d) $(OBJ32:.o=.d) $(OBJASAN:.o=.d) $(BIN64:.o=.d) $(BIN32:.o=.d) $(wildcard build/tests/*.d build/asan/*.d build/bench/*.d)
