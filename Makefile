# contact.h -- targets:
#   make            build/contact (double), build/contact32 (float), build/libcontact_dev.a
#   make demo       a heap of soft letters: build/demo/demo.png, demo.gif, summary.json and three numbers
#   make test       unit tests, sanitizers, compile twins, quick start; the last line is "N passed, N failed, N skipped"
#   make test-plain every unit test without sanitizers (make test: those that are shorter with them)
#   make test-platforms  the same bits from every SIMD path, compiler and processor      make bench-paths  what each path gains
#   make soak       2,000 random worlds under the sanitizers; counts of crashes, NaN, hangs, unreported intersections
#   make energy     no step gains energy unseen: stiff cubes, free spins, chains, impacts, 2,000 random worlds
#   make fuzz       libFuzzer on each reader, SECONDS=600 each (clang)
#   make accept     acceptance scenes      make bench    measurements        make figures   docs/figures.md, its pictures
#   make test-all   that, every switch, language and consumer, platforms, long scenes, fuzz and soak in short form
#   make site       build/site, the documents as a static site (needs mkdocs)
#   make docs       docs/pile.webp, the film of the README (needs libwebp)
#   make web        pages to play with, build/web/index.html (emscripten)      make test-web  the same in headless Chromium
#   make sizes      the table of sizes in docs/switches.md and compile times
#   make libcontact.so  build/libcontact.so, the public functions for other languages      make python  build/python, the package of python/
#   make install    contact.h, contact.c and contact.pc to PREFIX (/usr/local), below DESTDIR
#   make dist       build/contact-VERSION.tar.gz: contact.h, contact.c, stb_ds.h, examples, files for CMake, Meson, vcpkg and Conan
#   make npm        build/npm/contact-h-VERSION.tgz, the pages' module for node and bundlers (emscripten, npm)
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
# threads of the library's own, as the command line has them
THREADS := -DCONTACT_THREADS=1 -pthread
# objects serve programs and shared libraries alike; calls within them are direct, as in programs
PIC := -fPIC -fno-semantic-interposition
FLAGS64 := $(BASE) $(OPT) $(ARCH) -DCONTACT_REAL=64 $(THREADS)
FLAGS32 := $(BASE) $(OPT) $(ARCH) -DCONTACT_REAL=32 $(THREADS)
# tests of what float is promised to hold; they run in double like all others, and here
TESTS32 := test_laws test_seams test_rigid_truth test_mechanisms test_masses test_ccd test_intersect test_float test_closed_forms test_closed_forms_joints test_closed_forms_contact test_rod_contact test_rod_world test_potential test_barrier test_barrier_joints test_barrier_hold test_barrier_affine test_matrix test_geometric test_geometric_rules test_geometric_forces test_geometric_motion test_regions test_penalty test_penalty_energy test_layers test_dcd_friction test_explicit test_refine test_queries test_bridge test_kernels test_ica_program test_ica test_chains test_island test_shell test_step_factors test_free_solve test_live test_structure test_sleep test_wind test_skinned test_fields
# a null pointer that is read or written, and an access past an object, are the address sanitizer's: looking twice takes a fifth of the compile time.
# Undefined behaviour traps, which takes a seventh less than calls that tell its kind: ASAN_OPTIONS=handle_sigill=2 names the line, as make test does
FLAGSASAN := $(BASE) -Wno-unused-function -O1 -g1 $(ARCH) -DCONTACT_REAL=64 $(THREADS) -fsanitize=address,undefined -fno-sanitize=null,object-size \
    -fno-sanitize-recover=all -fsanitize-undefined-trap-on-error -fno-omit-frame-pointer
# test programs themselves: the library is what takes the time, and in them compiling is
FLAGSTEST64 := $(FLAGS64) -O0
FLAGSTEST32 := $(FLAGS32) -O0
FLAGSTESTASAN := $(FLAGSASAN) -O0
# but for those that compute much themselves
TESTS_BUSY := test_bvh test_ccd test_ccd_backward test_embed test_intersect test_locking test_pairs test_problem test_tetrahedralize

# every loop is cut, however short
FLAGSTSAN := $(BASE) -Wno-unused-function -O1 -g1 $(ARCH) -DCONTACT_REAL=64 $(THREADS) -DCTI_TASKS_EAGER -fsanitize=thread

# sources are compiled some at a time
UNITS := $(shell sh tools/units.sh)
TOOLS := $(patsubst tools/%.c,%,$(wildcard tools/*.c))
TESTS := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
# tests run with sanitizers, but for that of the command line, which is built without; those that leave cases out there run without them, too.
# Those that only take fewer samples of each case do so in make test-plain, which test_all.py runs, and the tables of laws here
TESTSASAN := $(filter-out test_cli,$(TESTS))
TESTSPLAIN := test_cli test_laws test_seams test_energy $(patsubst tests/%.c,%,$(shell grep -lE 'PLAIN_TEST|__SANITIZE_ADDRESS__' tests/test_*.c))
OBJ64 := $(UNITS:%=build/o64/%.o)
OBJ32 := $(UNITS:%=build/o32/%.o)
OBJASAN := $(UNITS:%=build/oasan/%.o)
OBJTSAN := $(UNITS:%=build/otsan/%.o)
BIN64 := $(TOOLS:%=build/o64/tools/%.o)
BIN32 := $(TOOLS:%=build/o32/tools/%.o)

.PHONY: all python libcontact.so web test-web demo docs site test test-build test-plain test-all test-builds test-dumps test-tsan test-platforms soak energy bench bench-paths accept figures fuzz format clean amalgamate sizes install dist npm test-release
.DELETE_ON_ERROR:
.SECONDARY:
all: build/contact build/contact32 build/libcontact_dev.a viewers

# ---- libraries that are needed: found, or fetched by package name (tools/deps.sh) ----
NODEPS := clean format amalgamate install site
ifneq ($(filter-out $(NODEPS),$(or $(MAKECMDGOALS),all)),)
include build/deps/stb.mk
endif
# the archive, the table of sizes and the pages are of the library alone
ifneq ($(filter-out $(NODEPS) dist npm sizes web test-web build/web/%,$(or $(MAKECMDGOALS),all)),)
include build/deps/cjson.mk
# a window and .webp where their libraries are; without them the program refuses both by name
-include build/deps/view.mk build/deps/webp.mk
endif
ifneq ($(filter test test-build test-plain build/tests/% build/tests32/% build/asan/% build/tsan/% test-tsan,$(MAKECMDGOALS)),)
include build/deps/cmocka.mk
endif
# the Python that has numpy; where none has it the file is not written, and tests of python/ are skipped
ifneq ($(filter test test-build test-plain python,$(MAKECMDGOALS)),)
-include build/deps/python.mk
endif
# one after the other: a package manager has one lock
build/deps/cjson.mk: | build/deps/stb.mk
build/deps/cmocka.mk: | build/deps/cjson.mk
build/deps/python.mk: | build/deps/cjson.mk $(if $(filter python,$(MAKECMDGOALS)),,build/deps/cmocka.mk)
build/deps/view.mk: | build/deps/cjson.mk
build/deps/webp.mk: | build/deps/view.mk
build/deps/%.mk: tools/deps.sh
	@CC="$(CC)" PYTHON="$(PYTHON)" FETCH="$(if $(filter test test-build test-plain,$(MAKECMDGOALS)),1)" sh tools/deps.sh $*

# ---- objects ----
# simd.h and what it includes (immintrin.h is slow to read) is compiled once for the tests that read it; the others, of which one needs features of
# its own from the first header on, begin without it. Units gain nothing by it: what they optimize takes longer beside it
.PRECIOUS: build/pch/%.h.gch
define PCH
build/pch/$(1).h.gch: src/1_math/simd.h
	@mkdir -p $$(@D)
	@echo '#include "../../src/1_math/simd.h"' > build/pch/$(1).h
	$$(Q)$$(CC) $(2) -MMD -MP -MF $$@.d -x c-header build/pch/$(1).h -o $$@
endef
$(eval $(call PCH,tests,$(FLAGSTEST64)))
$(eval $(call PCH,tests32,$(FLAGSTEST32)))
$(eval $(call PCH,asan,$(FLAGSTESTASAN)))
TESTS_SIMD := $(patsubst tests/%.c,%,$(shell grep -lE '^.include "(\.\./src/[1-9]|model_check|program_check|ccd_util|lcp_util|mprgp_util)' tests/test_*.c))
begin = $(if $(filter $*,$(TESTS_SIMD)),-include build/pch/$(1).h)
build/o64/%.o: build/units/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS64) $(PIC) $(STB_CFLAGS) -MMD -MP -c $< -o $@
build/o32/%.o: build/units/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS32) $(PIC) $(STB_CFLAGS) -MMD -MP -c $< -o $@
build/oasan/%.o: build/units/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGSASAN) -fPIC $(STB_CFLAGS) -MMD -MP -c $< -o $@
build/otsan/%.o: build/units/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGSTSAN) $(STB_CFLAGS) -MMD -MP -c $< -o $@
# compiled anew when its library comes
build/o64/tools/film.o build/o32/tools/film.o: $(wildcard build/deps/webp.mk)
build/o64/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS64) $(STB_CFLAGS) $(CJSON_CFLAGS) $(WEBP_CFLAGS) -MMD -MP -c $< -o $@
build/o32/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS32) $(STB_CFLAGS) $(CJSON_CFLAGS) $(WEBP_CFLAGS) -MMD -MP -c $< -o $@

# the viewer is a program of its own, which `contact view` starts: loading SDL takes longer than most commands
VIEWERS := $(if $(VIEW_LIBS),build/contact_view build/contact32_view)
VIEW := cmd_view view_gl
.PHONY: viewers
viewers: $(VIEWERS)
build/o64/view/%.o: tools/%.c build/deps/view.mk
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS64) $(VIEW_CFLAGS) $(STB_CFLAGS) $(CJSON_CFLAGS) -MMD -MP -c $< -o $@
build/o32/view/%.o: tools/%.c build/deps/view.mk
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS32) $(VIEW_CFLAGS) $(STB_CFLAGS) $(CJSON_CFLAGS) -MMD -MP -c $< -o $@
build/contact_view: $(filter-out $(VIEW:%=build/o64/tools/%.o),$(BIN64)) $(VIEW:%=build/o64/view/%.o) build/libcontact_dev.a
build/contact32_view: $(filter-out $(VIEW:%=build/o32/tools/%.o),$(BIN32)) $(VIEW:%=build/o32/view/%.o) build/libcontact_dev32.a
build/contact_view build/contact32_view:
	$(call say,LINK $@)
	$(Q)$(CC) -pthread -o $@ $(filter-out %.mk,$^) $(CJSON_LIBS) $(VIEW_LIBS) $(WEBP_LIBS) -lm
# the command line with tuned numbers that can be set by name, for tools/bench_policy.py
OBJPOLICY := $(UNITS:%=build/opolicy/%.o) $(TOOLS:%=build/opolicy/tools/%.o)
build/opolicy/%.o: build/units/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS64) -DCTI_POLICY_MUTABLE $(STB_CFLAGS) -MMD -MP -c $< -o $@
build/opolicy/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,CC $@)
	$(Q)$(CC) $(FLAGS64) -DCTI_POLICY_MUTABLE $(STB_CFLAGS) $(CJSON_CFLAGS) -Dmain=contact_main -MMD -MP -c $< -o $@
build/bench_policy: bench/policy.c $(OBJPOLICY)
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGS64) -DCTI_POLICY_MUTABLE $(STB_CFLAGS) -pthread -o $@ $^ $(CJSON_LIBS) -lm

build/libcontact_dev.a: $(OBJ64)
	@rm -f $@
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $^
build/libcontact_dev32.a: $(OBJ32)
	@rm -f $@
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $^
# the public functions as a shared library, for other languages; python/ is the binding for Python
libcontact.so: build/libcontact.so
build/libcontact.so: $(OBJ64)
build/libcontact32.so: $(OBJ32)
build/libcontact.so build/libcontact32.so:
	$(call say,LINK $@)
	@echo '{ global: ct_*; local: *; };' > $@.map
	$(Q)$(CC) -shared -pthread -Wl,--version-script=$@.map -Wl,-Bsymbolic $^ -lm -o $@
# the package as it is installed, for tests: PYTHONPATH=build/python
python: build/python/contact/_abi.py
	@test -n "$(NUMPY_PYTHON)" || { echo "make python: numpy or pycparser is missing: apt-get install python3-numpy python3-pycparser"; exit 1; }
build/python/contact/_abi.py: $(wildcard python/contact/*.*) python/generate.py $(wildcard src/public/*.h) build/libcontact.so build/libcontact32.so
	@mkdir -p $(@D)
	$(Q)cp python/contact/*.* build/libcontact.so build/libcontact32.so $(@D)
	$(Q)$(CC) $(STD) -O2 -fPIC -shared python/contact/_keeper.c -o $(@D)/_keeper.so
	$(Q)CC="$(CC)" $(or $(NUMPY_PYTHON),$(PYTHON)) python/generate.py src/public/api.h $@
# shared: a hundred programs are linked to its 40 MB
build/libcontact_asan.so: $(OBJASAN)
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGSASAN) -shared $^ -lm -o $@
LIBASAN := build/libcontact_asan.so -Wl,-rpath,$(CURDIR)/build
build/libcontact_tsan.a: $(OBJTSAN)
	@rm -f $@
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $^
build/contact: $(BIN64) build/libcontact_dev.a
	$(call say,LINK $@)
	$(Q)$(CC) -pthread $(LDFLAGS) -o $@ $^ $(CJSON_LIBS) $(WEBP_LIBS) -lm
build/contact32: $(BIN32) build/libcontact_dev32.a
	$(call say,LINK $@)
	$(Q)$(CC) -pthread $(LDFLAGS) -o $@ $^ $(CJSON_LIBS) $(WEBP_LIBS) -lm
# the command line with address and undefined-behaviour sanitizers, for tests/dumps.py
build/contact_asan: $(TOOLS:%=tools/%.c) $(wildcard tools/*.h) build/libcontact_asan.so
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGSASAN) $(STB_CFLAGS) $(CJSON_CFLAGS) $(TOOLS:%=tools/%.c) $(LIBASAN) -pthread $(CJSON_LIBS) -lm -o $@

# ---- tests ----
# readers of the command line's own need cJSON
LIBS_TEST = $(CMOCKA_LIBS) $(if $(filter test_meshes,$*),$(CJSON_CFLAGS) $(CJSON_LIBS))
build/tests/%: tests/%.c build/libcontact_dev.a build/pch/tests.h.gch
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(if $(filter $*,$(TESTS_BUSY)),$(FLAGS64) -O1,$(FLAGSTEST64) $(call begin,tests)) $(STB_CFLAGS) $(CMOCKA_CFLAGS) -MMD -MP -MF $@.d $< build/libcontact_dev.a $(LIBS_TEST) -lm -o $@
build/tests32/%: tests/%.c build/libcontact_dev32.a build/pch/tests32.h.gch
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(if $(filter $*,$(TESTS_BUSY)),$(FLAGS32) -O1,$(FLAGSTEST32) $(call begin,tests32)) $(STB_CFLAGS) $(CMOCKA_CFLAGS) -MMD -MP -MF $@.d $< build/libcontact_dev32.a $(LIBS_TEST) -lm -o $@
build/asan/%: tests/%.c build/libcontact_asan.so build/pch/asan.h.gch
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(if $(filter $*,$(TESTS_BUSY)),$(FLAGSASAN),$(FLAGSTESTASAN) $(call begin,asan)) $(STB_CFLAGS) $(CMOCKA_CFLAGS) -MMD -MP -MF $@.d $< $(LIBASAN) $(LIBS_TEST) -lm -o $@
build/tsan/%: tests/%.c build/libcontact_tsan.a
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGSTSAN) $(STB_CFLAGS) $(CMOCKA_CFLAGS) -MMD -MP -MF $@.d $< build/libcontact_tsan.a $(LIBS_TEST) -lm -o $@
# data races: the tests of threads under ThreadSanitizer
test-tsan: build/tsan/test_threads
	@TSAN_OPTIONS=halt_on_error=1 ./build/tsan/test_threads
# random worlds under the sanitizers, each in a process of its own: make soak SET=mixed|rods|barrier|penalty|layers|explicit|geometric WORLDS=2000 SEED=1; build/soak64 and build/soak32 are without them, for
# looking for faults faster, in double and in float. ACROSS=--across: snapshots of the worlds go on in another process
SOAK := $(wildcard tests/soak/*.c)
WORLDS ?= 2000
SEED ?= 1
SET ?= mixed
build/soak: $(SOAK) $(wildcard tests/soak/*.h) build/libcontact_asan.so
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGSASAN) $(STB_CFLAGS) $(SOAK) $(LIBASAN) -lm -o $@
build/soak64: $(SOAK) $(wildcard tests/soak/*.h) build/libcontact_dev.a
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGS64) $(STB_CFLAGS) $(SOAK) build/libcontact_dev.a -lm -o $@
build/soak32: $(SOAK) $(wildcard tests/soak/*.h) build/libcontact_dev32.a
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGS32) $(STB_CFLAGS) $(SOAK) build/libcontact_dev32.a -lm -o $@
soak: build/soak
	@ASAN_OPTIONS=handle_sigill=1 ./build/soak --set $(SET) --worlds $(WORLDS) --seed $(SEED) --jobs $(JOBS) $(ACROSS)
# energy of steps: named cases and random worlds of the soak's kind
build/energy: $(wildcard tests/energy/*.[ch]) $(SOAK) $(wildcard tests/soak/*.h) build/libcontact_dev.a
	$(call say,LINK $@)
	$(Q)$(CC) $(FLAGS64) $(STB_CFLAGS) tests/energy/energy.c $(filter-out tests/soak/soak.c,$(SOAK)) build/libcontact_dev.a -lm -o $@
energy: build/energy
	@./build/energy --cases --worlds $(WORLDS) --seed $(SEED) --jobs $(JOBS)
# libFuzzer, a harness for each reader: make fuzz SECONDS=600
FUZZ_CC ?= clang
FUZZERS := obj msh ply stl vtk tetgen mesh meshb vtu gltf glb cpb lcp blcp scene
SECONDS ?= 600
FLAGSFUZZ := $(BASE) -Wno-unused-function -O1 -g1 $(ARCH) -DCONTACT_REAL=64 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
OBJFUZZ := $(UNITS:%=build/ofuzz/%.o) $(TOOLS:%=build/ofuzz/tools/%.o)
build/ofuzz/%.o: build/units/%.c
	@mkdir -p $(@D)
	$(call say,FUZZ_CC $@)
	$(Q)$(FUZZ_CC) $(FLAGSFUZZ) $(STB_CFLAGS) -MMD -MP -c $< -o $@
build/ofuzz/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,FUZZ_CC $@)
	$(Q)$(FUZZ_CC) $(FLAGSFUZZ) $(STB_CFLAGS) $(CJSON_CFLAGS) -Dmain=contact_main -MMD -MP -c $< -o $@
build/libcontact_fuzz.a: $(OBJFUZZ)
	@rm -f $@
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $^
build/fuzz/seeds: tests/fuzz/seeds.c build/libcontact_dev.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS64) $(STB_CFLAGS) $< build/libcontact_dev.a -lm -o $@
build/fuzz/%: tests/fuzz/fuzz_read.c tests/fuzz/fuzz_scene.c build/libcontact_fuzz.a
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(FUZZ_CC) $(BASE) -O1 -g1 -DCONTACT_REAL=64 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $(STB_CFLAGS) \
	    -DFUZZ_EXTENSION='"$*"' tests/fuzz/fuzz_$(if $(filter scene,$*),scene,read).c build/libcontact_fuzz.a $(CJSON_LIBS) -lm -o $@
fuzz:
	@if ! command -v $(FUZZ_CC) >/dev/null; then echo "SKIPPED fuzz: needs the Debian package clang"; exit 0; fi; \
	    $(MAKE) --no-print-directory -j$(JOBS) build/fuzz/seeds $(FUZZERS:%=build/fuzz/%) && sh tools/run_fuzz.sh $(SECONDS) $(JOBS) $(FUZZERS)
TESTPYTHON := $(if $(NUMPY_PYTHON),build/python/contact/_abi.py)
test-build: build/contact build/contact32 viewers $(TESTPYTHON) $(TESTSPLAIN:%=build/tests/%) $(TESTSASAN:%=build/asan/%) $(TESTS32:%=build/tests32/%)
# what does not build is a failure of its own: a program of an earlier build must not stand for it
test:
	@built=0; $(MAKE) --no-print-directory -s -k -j$(JOBS) test-build || built=$$?; \
	    $(PYTHON) tools/run_tests.py --build-status $$built --jobs $(JOBS) --stb="$(STB_CFLAGS)" --float="$(TESTS32)" --sanitized="$(TESTSASAN)" $(TESTSPLAIN)
# every test without sanitizers, as users compile
test-plain: build/contact build/contact32 viewers $(TESTPYTHON) $(TESTS:%=build/tests/%)
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) --skip-matrix $(TESTS)
# the same bits from every SIMD path, compiler and processor; what is not here is SKIPPED with its package's name
test-platforms:
	@STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tests/test_platforms.py --jobs $(JOBS)
test-builds:
	@STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tests/test_builds.py --jobs $(JOBS) $(PARTS)
# the archive and all packages of a release: builds and uses each; what is not here is SKIPPED with its package's name
test-release:
	@CC="$(CC)" STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tests/test_release.py $(or $(PARTS),all)
# problems dumped by worlds through every solver, with sanitizers; the table of docs/solvers.md: DUMPS=--table
test-dumps: build/contact build/contact_asan
	@$(PYTHON) tests/dumps.py $(DUMPS)
test-all:
	@MAKE="$(MAKE)" STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tools/test_all.py --jobs $(JOBS)

# ---- the rest ----
amalgamate:
	$(PYTHON) tools/amalgamate.py
sizes:
	@STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tools/size_table.py
dist:
	@CC="$(CC)" STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) tools/make_dist.py
PREFIX ?= /usr/local
install:
	@mkdir -p "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/share/pkgconfig"
	@cp contact.h contact.c "$(DESTDIR)$(PREFIX)/include/"
	@v=`sed -n '1s/.*version \([0-9.]*\),.*/\1/p' contact.h` && \
	    sed -e 's|@PREFIX@|$(PREFIX)|' -e "s|@VERSION@|$$v|" contact.pc.in > "$(DESTDIR)$(PREFIX)/share/pkgconfig/contact.pc"
demo:
	@$(MAKE) -s --no-print-directory -j$(JOBS) build/contact
	@$(PYTHON) tools/make_demo.py
site:
	@$(PYTHON) tools/make_site.py

docs: build/contact
	@$(PYTHON) tools/make_film.py
# ---- pages of the web: build/web works from a folder as from a server ----
EMCC ?= emcc
FLAGSWEB := -O2 -fno-unroll-loops -mllvm -inline-threshold=15 -msimd128 -mbulk-memory -mnontrapping-fptoint -DCONTACT_WITH_FILES=0 -DCONTACT_WITH_REPAIR=0 -DCONTACT_WITH_RODS=0
LINKWEB := -O3 -msimd128 -mbulk-memory -mnontrapping-fptoint -s STANDALONE_WASM --no-entry -s ALLOW_MEMORY_GROWTH=1 -s MAXIMUM_MEMORY=1GB \
    -s INITIAL_MEMORY=201326592 -s TOTAL_STACK=1MB
WEBFILES := $(patsubst web/%,build/web/%,$(wildcard web/*.html web/*.css) $(filter-out web/test.js web/browser.js web/bench.js,$(wildcard web/*.js)))
build/web/game.o build/web/game_page.o: WITH := -DCONTACT_PRESET_GAME
build/web/stb_ds.h:
	@mkdir -p $(@D)
	@cd tools && CC="$(CC)" STB_CFLAGS="$(STB_CFLAGS)" $(PYTHON) -c "import make_dist, shutil; shutil.copy(make_dist.stb_ds(), '../$@')"
build/web/%_page.o: web/page.c contact.h build/web/stb_ds.h
	@mkdir -p $(@D)
	$(call say,EMCC $@)
	$(Q)$(EMCC) -std=c99 $(WARN) $(FLAGSWEB) $(WITH) -Ibuild/web -I. -c $< -o $@
build/web/%.o: contact.c contact.h build/web/stb_ds.h
	@mkdir -p $(@D)
	$(call say,EMCC $@)
	$(Q)$(EMCC) -std=c99 $(FLAGSWEB) $(WITH) -Ibuild/web -Wno-misleading-indentation -c $< -o $@
build/web/%.wasm: build/web/%.o build/web/%_page.o
	$(call say,LINK $@)
	$(Q)$(EMCC) $^ $(LINKWEB) -o $@
build/web/%.wasm.js: build/web/%.wasm web/pack.py
	@$(PYTHON) web/pack.py $* $< $@
$(WEBFILES): build/web/%: web/%
	@mkdir -p $(@D) && cp $< $@
.PRECIOUS: build/web/%.o build/web/%_page.o build/web/%.wasm
web:
	@if ! command -v $(EMCC) >/dev/null; then echo "make web needs emcc:   apt-get install emscripten"; exit 1; fi
	@$(MAKE) -s --no-print-directory build/web/game.wasm.js build/web/full.wasm.js $(WEBFILES)
	@echo "build/web/index.html"
test-web: web
	@if ! command -v node >/dev/null; then echo "make test-web needs node:   apt-get install nodejs"; exit 1; fi
	@STB_CFLAGS="$(STB_CFLAGS)" node web/test.js build/web $(PARTS)
# the pages' module as a package; node modules of a user take it by its name
NPMFILES := $(addprefix packaging/npm/,package.json index.js index.d.ts README.md)
npm: web
	@if ! command -v npm >/dev/null; then echo "make npm needs npm:   apt-get install npm"; exit 1; fi
	@rm -rf build/npm && mkdir -p build/npm/package
	@cp $(NPMFILES) web/module.js web/page.c LICENSE build/web/game.wasm.js build/web/full.wasm.js build/npm/package
	@cd build/npm && npm pack --silent ./package
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
# what each SIMD path gains over plain C
bench-paths:
	@$(PYTHON) tools/bench_paths.py
format:
	clang-format -i $(addprefix src/,$(filter %.c %.h,$(shell sed 's/\#.*//' src/MANIFEST))) \
	    $(wildcard src/*/*.inl tests/*.c tests/*.h tests/compile/*.c tests/compile/*.cc tests/platforms/*.c tools/*.c tools/*.h bench/*.c bench/paths/*.c) \
	    $(filter-out examples/quickstart.c,$(wildcard examples/*.c)) # twelve lines as they stand
clean:
	rm -rf build

-include $(wildcard build/pch/*.d) $(OBJFUZZ:.o=.d) $(OBJ64:.o=.d) $(OBJPOLICY:.o=.d) $(OBJ32:.o=.d) $(OBJASAN:.o=.d) $(OBJTSAN:.o=.d) $(BIN64:.o=.d) $(BIN32:.o=.d) $(wildcard build/o64/view/*.d build/o32/view/*.d build/tests/*.d build/tests32/*.d build/asan/*.d build/tsan/*.d build/bench/*.d)
