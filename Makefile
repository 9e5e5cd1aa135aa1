# SPDX-License-Identifier: GPL-2.0-or-later
# `make help` lists the targets and knobs. Everything built lies in $O.

VERSION := 0.1.0
O := build

prefix = /usr/local
bindir = $(prefix)/bin
libdir = $(prefix)/lib
datadir = $(prefix)/share
mandir = $(datadir)/man
bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions

ifeq ($(origin CC),default)
CC := gcc
endif
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
VICTIM_CC ?= gcc
FUZZ_TIME ?= 60

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.SUFFIXES:

ifneq ($(filter / $(CURDIR),$(abspath $O)),)
$(error O=$O must be a directory of its own)
endif

# --- Debian packages (the same names in 12 and 13) -------------------------------------------------------------------

packages-build := gcc libc6-dev libiberty-dev libjson-c-dev liblzma-dev libpcre2-dev libseccomp-dev libunwind-dev libzstd-dev make \
	pkg-config strace
packages-test := bash busybox-static chromium clang clang-format cpio file gcc-multilib gdb gdbserver git jq kmod libclang-rt-dev libdevel-nytprof-perl libguestfs-tools \
	linux-perf lldb ltrace man-db mandoc procps protobuf-compiler python3 qemu-system-x86 qemu-utils shellcheck tmux uftrace util-linux valgrind xz-utils zsh

# --- Layers: which may use which (tests/lint/layers reads this table too) --------------------------------------------

uses-base :=
uses-arch := base
uses-cli := base
uses-control := base
uses-exec := base
uses-rules := base exec
uses-syscalls := base arch
uses-symbol := base
uses-data := base exec
uses-import := base data symbol
uses-tracee := base arch exec
uses-unwind := base tracee symbol
uses-analyze := base arch control exec data symbol syscalls
uses-record := base arch symbol data tracee unwind
uses-sample := base arch cli symbol data tracee unwind record
uses-trace := base arch cli syscalls symbol data tracee unwind record
uses-export := base exec syscalls data analyze
uses-engine := base arch exec tracee
uses-action := base arch cli control exec tracee trace sample syscalls
uses-supervise := base exec rules engine action
uses-cmd := base arch cli control exec rules syscalls symbol data analyze import export tracee trace sample engine action supervise
uses-plugin := base control exec data symbol

# From the top down, the order in which archives are linked.
layers := cmd supervise action engine trace sample record unwind tracee export analyze import data symbol syscalls rules exec control cli arch base
# All of them: exectrace-guest.so is the layer plugin with what it needs of those below.
all-layers := plugin $(layers)

# The pkg-config name of the library that a layer needs.
library-rules := libpcre2-8
library-engine := libseccomp
library-data := libzstd
library-analyze := json-c
library-symbol := liblzma
library-unwind := libunwind-ptrace
# What it links beside that, for libraries that pkg-config does not know (libiberty-dev).
plain-library-symbol := -liberty

# --- Flags -----------------------------------------------------------------------------------------------------------

pkg = $(shell $(PKG_CONFIG) $1 $(foreach l,$2,$(library-$l)) 2>/dev/null)
libraries = $(call pkg,--libs,$1) $(foreach l,$1,$(plain-library-$l))
warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wwrite-strings \
	-Wformat=2 $(if $(filter 1,$(WERROR)),-Werror)
instrument := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
	$(if $(filter 1,$(COVERAGE)),--coverage)
c-flags := -std=gnu11 -D_GNU_SOURCE -Iinclude $(call pkg,--cflags,$(layers)) $(CPPFLAGS) $(warnings) -pthread \
	$(CFLAGS) $(instrument)
ld-flags := -pthread -Wl,--as-needed,-z,relro,-z,now $(CFLAGS) $(instrument) $(LDFLAGS)

# --- What there is ---------------------------------------------------------------------------------------------------

sources := $(sort $(wildcard $(layers:%=src/%/*.c) src/main.c))
formatted := $(wildcard src/*.c src/*/*.[ch] include/exectrace/*/*.h tests/*/*.[ch])
pages := $(notdir $(wildcard man/*.1 man/*.5))
units := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
victims := $(patsubst tests/victims/%.c,%,$(wildcard tests/victims/*.c))
fuzzers := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
test-tools := $(patsubst tests/tools/%.c,%,$(wildcard tests/tools/*.c))
benches := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/*.c))

# A layer and all below it that it may call. tests/unit/test_NAME.c is about src/LAYER/NAME.c (the lowest such LAYER); a
# line `unit-layer-NAME := LAYER` says so when there is no such file.
needs = $(sort $1 $(foreach l,$(uses-$1),$(call needs,$l)))
layer-of = $(or $(unit-layer-$1),$(lastword $(foreach l,$(all-layers),$(if $(wildcard src/$l/$1.c),$l))))
unit-layer-plugin_options := plugin
unit-layer-control := control
unit-layer-stacks := plugin
unit-layer-sample_options := sample
unit-layer-data := data
unit-layer-call_parts := analyze
unit-layer-data_damage := data
unit-layer-data_dictionary := data
archives = $(patsubst %,$O/%.a,$(filter $1,$(all-layers)))
objects = $(patsubst %.c,$O/obj/%.o,$1)

ifneq ($(V),1)
Q := @
endif
say = @printf '  %-7s %s\n' $1 $2
make-again = +$(Q)$(MAKE) --no-print-directory

# --- Build -----------------------------------------------------------------------------------------------------------

.PHONY: all tests FORCE
all: $O/exectrace $O/exectrace-guest.so

$O/exectrace: $(call objects,$(sources)) $O/.sources
	$(call say,LINK,$@)
	$(Q)$(CC) $(ld-flags) -o $@ $(filter %.o,$^) $(call libraries,$(layers))

# The plugin is loaded into QEMU: it needs nothing but libc and shows nothing but what QEMU looks for. libzstd.a is no
# position-independent code to the letter, but links as such when its symbols are hidden.
pic = $(patsubst %.c,$O/pic/%.o,$1)
$O/exectrace-guest.so: $(call pic,$(wildcard src/plugin/*.c)) $O/pic/below.a src/plugin/exports.map
	$(call say,LINK,$@)
	$(Q)$(CC) -shared $(ld-flags) -Wl,-z,defs,--version-script=src/plugin/exports.map -o $@ $(filter %.o %.a,$^) \
		-Wl,-Bstatic -lzstd -Wl,-Bdynamic

$O/pic/below.a: $(call pic,$(foreach l,$(uses-plugin),$(wildcard src/$l/*.c))) $O/.sources
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

$O/pic/%.o: %.c $O/.flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(c-flags) -fPIC -fvisibility=hidden -DEXECTRACE_VERSION='"$(VERSION)"' -MMD -MP \
		-c -o $@ $<

$O/%.a: $$(call objects,$$(wildcard src/$$*/*.c)) $O/.sources
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

$O/obj/%.o: %.c $O/.flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(c-flags) -DEXECTRACE_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<

# The page of --format=html in two halves, between which the data stands: numbers for arrays of C.
page := src/export/html
page-head := $(addprefix $(page)/,head.html page.css views.css body.html)
page-tail := $(addprefix $(page)/,script.html format.js data.js tree.js colors.js canvas.js flame.js chart.js table.js \
	main.js tail.html)
$O/gen/html_head.inc: $(page-head)
$O/gen/html_tail.inc: $(page-tail)
$O/gen/html_%.inc: Makefile
	$(call say,PAGE,$@)
	$(Q)mkdir -p $(@D) && cat $(page-$*) | od -An -v -tu1 | sed 's/  *\([0-9][0-9]*\)/\1,/g' >$@
$O/obj/src/export/html_halves.o: private c-flags += -I$O/gen
$O/obj/src/export/html_halves.o: $O/gen/html_head.inc $O/gen/html_tail.inc

# Two files that change only when their text does: what was built with other flags, or from other sources, is stale.
quoted = '$(subst ','\'',$(strip $1))'
keep-if-same = @mkdir -p $(@D) && printf '%s\n' $(quoted) | cmp -s - $@ || printf '%s\n' $(quoted) >$@
$O/.flags: FORCE
	$(call keep-if-same,$(CC) $(c-flags) $(ld-flags) $(VERSION))
$O/.sources: FORCE
	$(call keep-if-same,$(sources))

-include $(wildcard $O/obj/*/*.d $O/obj/*/*/*.d $O/pic/*/*/*.d)

# --- Programs for the tests ------------------------------------------------------------------------------------------

tests: all $(units:%=$O/tests/unit/%) $(victims:%=$O/tests/victims/%) $(test-tools:%=$O/tests/tools/%) guest

# Linked from the archives of its layer and those below: a call upwards is an undefined reference.
$O/tests/unit/test_%: $O/obj/tests/unit/test_%.o $$(call archives,$$(call needs,$$(call layer-of,$$*)))
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -o $@ $^ $(call libraries,$(call needs,$(call layer-of,$*)))

$O/obj/tests/unit/test_data.o $O/obj/tests/unit/test_recording.o: private c-flags += -DGOLDEN='"$(CURDIR)/tests/golden"'
$O/obj/tests/unit/test_perfetto.o $O/obj/tests/unit/test_export.o: private c-flags += -DTESTS_DIR='"$(CURDIR)/tests"'

# What the end-to-end tests run under exectrace; never sanitised with it. One that cannot be linked here is left out.
$O/tests/victims/%: tests/victims/%.c tests/victims/FLAGS $(wildcard tests/victims/*.h)
	$(call say,VICTIM,$@)
	$(Q)mkdir -p $(@D); flags=$$(sed -n 's/^$*:[[:space:]]*//p' tests/victims/FLAGS); \
	if echo 'int main(void) { return 0; }' | $(VICTIM_CC) -x c -o $@ - $$flags 2>/dev/null; then \
		$(VICTIM_CC) -std=gnu11 -O1 -pthread -o $@ $< $$flags; \
	else \
		rm -f $@; echo "  note: left out $(@F): $(VICTIM_CC) cannot build with $$flags here"; \
	fi

$O/tests/victims/bare $O/tests/victims/barelow: tests/victims/bare.c tests/victims/bare.ld

# What tests look at recordings with.
$O/tests/tools/%: $O/obj/tests/tools/%.o $(call archives,$(call needs,trace))
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -o $@ $^ $(call libraries,$(call needs,trace))

# A guest for the tests, made by the example. Without the packages, or the tools, the tests that need it are left out.
.PHONY: guest
guest: $O/guest/initrd.gz

$O/guest/initrd.gz: $O/tests/victims/guestinit examples/guest/make-guest examples/guest/unpack-kernel
	$(call say,GUEST,$@)
	$(Q)mkdir -p $(@D) && examples/guest/make-guest $(@D) $< >$(@D)/make.log 2>&1 || \
		echo "  note: no guest for the tests: see $(@D)/make.log"

# Workloads are static. A line `bench-layer-NAME := LAYER` links one with a layer and those below instead.
bench-layer-unwind := unwind
bench-layer-summary := analyze
bench-layer-deep := base
bench-layer-guest := cmd
$O/tests/bench/%: tests/bench/%.c $(wildcard tests/bench/*.h) $$(call archives,$$(call needs,$$(bench-layer-$$*)))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 -D_GNU_SOURCE -Iinclude $(warnings) -O2 -pthread -o $@ $< \
		$(if $(bench-layer-$*),$(filter %.a,$^) $(call libraries,$(call needs,$(bench-layer-$*))),-static)

# This one measures a layer of ours, not a program.
$O/tests/bench/data: $O/obj/tests/bench/data.o $(call archives,$(call needs,data))
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -o $@ $^ $(call libraries,$(call needs,data))

$O/tests/fuzz/%: $O/obj/tests/fuzz/%.o $(all-layers:%=$O/%.a)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -fsanitize=fuzzer -o $@ $^ $(call libraries,$(layers))

# --- Tests -----------------------------------------------------------------------------------------------------------

.PHONY: check check-unit check-e2e check-docs lint fuzz fuzz-run bench
run-tests := EXECTRACE=$(abspath $O/exectrace) BUILD=$(abspath $O) tests/run $(TESTFLAGS)

check:
	$(call install-missing,$(packages-build) $(packages-test))
	$(make-again) lint
	$(make-again) check-docs
	$(make-again) tests
	$(Q)$(run-tests) --unit

check-unit: $(units:%=$O/tests/unit/%)
	$(Q)status=0; for t in $(sort $^); do \
		$$t >$$t.tap || { status=1; echo "$$t:"; grep -v '^ok' $$t.tap; }; \
	done; \
	cat /dev/null $(^:%=%.tap) | awk '/^ok/ { ok++ } /^not ok/ { bad++ } \
		END { printf "%d passed, %d failed, 0 skipped\n", ok, bad }'; exit $$status

check-e2e: tests
	$(Q)$(run-tests) $(TESTS)

check-docs: all
	$(Q)EXECTRACE=$(abspath $O/exectrace) tests/docs README.md examples/README.md

# The manual pages are compared with the program, which is most of the time: so on all processors, unless told otherwise.
lint:
	$(make-again) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) $O/exectrace
	$(Q)CC='$(CC)' EXECTRACE=$O/exectrace tests/lint/all $(formatted)

# A folder of inputs that a fuzzer begins with.
seeds-fuzz_data := tests/golden

fuzz:
	$(make-again) -k O=$O/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined fuzz-run

# Commands that make inputs to begin with in the folder $1.
fuzz-seeds-fuzz_elf = for m in 64 32; do echo 'int main(void) { return 0; }' | \
	$(VICTIM_CC) -m$$m -x c -o $1/elf$$m - 2>/dev/null; done

# A header of QEMU's simple trace backend, the name of event 1, and one of it.
simpletrace-seed = printf '%b' '\0377\0377\0377\0377\0377\0377\0377\0377\0264\0051\0244\0012\0313\0167\0261\0362' \
	'\04\00\00\00\00\00\00\00' '\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\07\00\00\00exec_tb' \
	'\01\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\05\00\00\00\00\00\00\00\050\00\00\00\02\00\00\00' \
	'\01\00\00\00\00\00\00\00\00\020\00\00\00\00\00\00'

fuzz-seeds-fuzz_hostfile = $(call fuzz-seeds-fuzz_elf,$1); \
	printf '%b' 'ffffffff81000000 T _text\n0000000000001000 D percpu\nffffffff81000010 t f\n' >$1/map

fuzz-seeds-fuzz_import = printf '%b' 'HEntry Delta PID Function Caller\n0 9 1 f\n1 -1 1 g f+0x1\n' >$1/kft; \
	printf '%b' 'HTrace 0: 0x7f01 [0/1000/0/0] f\nexec_tb 1.5 pid=1 pc=0x1\nDropped_Event 1 dropped=2\n' >$1/exec; \
	printf '%b' 'Z1000 T f\n2000 T g\n3000 T h\nTrace 0: 0x7f [0/1000/0/0]\n' >$1/map; \
	{ printf 'C'; $(simpletrace-seed); } >$1/simple

fuzz-seeds-fuzz_control = printf 'begin\ntrigger start entry do_fork\ntrigger stop exit do_fork\nautorepeat\nend\0' >$1/window; \
	printf 'filter mintime 500 filter maxtime 2ms filter noints filter funclist a b fend logentries 9' >$1/filters; \
	printf 'trigger start time 5 trigger stop time 9us filter onlyints\0' >$1/times

fuzz-runs := $(fuzzers:%=run-%)
.PHONY: $(fuzz-runs)
fuzz-run: $(fuzz-runs)

$(fuzz-runs): run-%: $O/tests/fuzz/%
	$(Q)mkdir -p $O/corpus/$*; $(or $(call fuzz-seeds-$*,$O/corpus/$*),:)
	$(Q)$< -max_total_time=$(FUZZ_TIME) -timeout=10 -artifact_prefix=$O/$*- $O/corpus/$* $(seeds-$*) >$O/$*.log 2>&1 && \
		echo "$*: $$(tail -n 1 $O/$*.log)" || \
		{ echo "$* failed, see $O/$*.log:"; grep -v '^#[0-9]' $O/$*.log | tail -n 40; exit 1; }

bench: all guest $(benches:%=$O/tests/bench/%)
	$(Q)EXECTRACE=$(abspath $O/exectrace) BENCH=$(abspath $O/tests/bench) tests/bench/run

# --- Packages and the demonstration ----------------------------------------------------------------------------------

# $(call install-missing,PACKAGES): says which of them are missing, and installs those. DEPS=no: does nothing.
define install-missing
$(Q)missing=; for p in $(if $(filter no,$(DEPS)),,$1); do \
	dpkg-query -W -f='$${db:Status-Status}\n' $$p 2>/dev/null | grep -qx installed || missing="$$missing $$p"; \
done; \
[ "$$missing" ] || exit 0; \
echo "missing packages:$$missing"; \
if ! command -v apt-get >/dev/null; then \
	echo "no apt-get on this system: install what these Debian packages hold, then use DEPS=no" >&2; exit 1; \
fi; \
root=; [ "$$(id -u)" = 0 ] || root=sudo; \
if [ "$$root" ] && ! command -v sudo >/dev/null; then \
	echo "no sudo on this system: run \`make deps\` as root" >&2; exit 1; \
fi; \
run() { echo "+ $$*"; "$$@"; }; \
run $$root apt-get -q update || exit 1; \
for p in $$missing; do \
	apt-cache policy $$p | grep -q 'Candidate: [^(]' && found="$$found $$p" || echo "no package $$p here: left out"; \
done; \
[ -z "$$found" ] || run $$root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $$found
endef

.PHONY: deps deps-build demo demo-run
deps:
	$(call install-missing,$(packages-build) $(packages-test))
	@echo "all packages are there"

deps-build:
	$(call install-missing,$(packages-build))
	@echo "all packages for building are there"

# The second make sees the compiler and the libraries that the first one may have installed.
demo:
	$(call install-missing,$(packages-build))
	$(make-again) demo-run

demo-run: all
	$(Q)rm -rf $O/demo && mkdir -p $O/demo && cp -R examples/nested-make $O/demo/
	@echo
	@echo "A make that runs a make that runs a script that runs ./prog, four times. One of them gets strace:"
	@echo "  exectrace --run=strace --cmd='\./prog.*-l' -- make -C nested-make check"
	@echo
	$(Q)cd $O/demo && unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES && \
		$(abspath $O/exectrace) --run=strace --cmd='\./prog.*-l' -- make -C nested-make check

# --- Installing ------------------------------------------------------------------------------------------------------

.PHONY: install uninstall dist
$O/exectrace.bash $O/exectrace.zsh: $O/exectrace.%: $O/exectrace
	$(Q)$< completion $* >$@

install: all $O/exectrace.bash $O/exectrace.zsh
	install -d $(addprefix $(DESTDIR),$(bindir) $(libdir)/exectrace $(mandir)/man1 $(mandir)/man5 $(bashcompdir) $(zshcompdir))
	install -m 755 $O/exectrace $(DESTDIR)$(bindir)/exectrace
	ln -sf exectrace $(DESTDIR)$(bindir)/exectrace-trace
	ln -sf exectrace $(DESTDIR)$(bindir)/exectrace-profile
	install -m 644 $O/exectrace-guest.so $(DESTDIR)$(libdir)/exectrace/exectrace-guest.so
	install -m 644 $O/exectrace.bash $(DESTDIR)$(bashcompdir)/exectrace
	install -m 644 $O/exectrace.zsh $(DESTDIR)$(zshcompdir)/_exectrace
	$(foreach p,$(pages),install -m 644 man/$p $(DESTDIR)$(mandir)/man$(lastword $(subst ., ,$p))/$p &&) :

uninstall:
	rm -f $(addprefix $(DESTDIR),$(bindir)/exectrace $(bindir)/exectrace-trace $(bindir)/exectrace-profile \
		$(libdir)/exectrace/exectrace-guest.so $(bashcompdir)/exectrace $(zshcompdir)/_exectrace \
		$(foreach p,$(pages),$(mandir)/man$(lastword $(subst ., ,$p))/$p))

dist:
	$(Q)mkdir -p $O
	git archive --format=tar.gz --prefix=exectrace-$(VERSION)/ -o $O/exectrace-$(VERSION).tar.gz HEAD

# --- Odds and ends ---------------------------------------------------------------------------------------------------

.PHONY: compdb format clean help
comma := ,
json = "$(subst ",\",$1)"
arguments = $(foreach a,$(CC) $(c-flags) -DEXECTRACE_VERSION="$(VERSION)" -c,$(call json,$a)$(comma))
compdb:
	$(Q)mkdir -p $O
	$(file >$O/compile_commands.json,[)
	$(foreach s,$(filter-out tests/victims/% tests/bench/%,$(filter %.c,$(formatted))),$(file >>$O/compile_commands.json,\
		{"directory": "$(CURDIR)"$(comma) "file": "$s"$(comma) "arguments": [$(arguments) "$s"]}$(comma)))
	$(Q)sed -i '$$s/,$$/]/' $O/compile_commands.json

format:
	$(Q)clang-format -i $(formatted)

clean:
	$(Q)rm -rf $O

help:
	@sed -n 's/^#: \{0,1\}//p' Makefile
#: Targets
#:   all         build $O/exectrace (the default)
#:   demo        install what building needs, build, and show one process of a nested make under strace
#:   check       install what the tests need; lint and all tests
#:   check-unit  unit tests; check-e2e (TESTS='name...'): end-to-end tests; check-docs: the commands of the documents
#:   lint        layers, sizes, headers, shell scripts, formatting, man pages
#:   fuzz        each fuzzer for FUZZ_TIME seconds (60)
#:   bench       what exectrace costs, in pairs with and without it
#:   deps        install the Debian packages for building and testing (deps-build: for building)
#:   install     to DESTDIR, prefix (/usr/local), bindir, libdir, datadir, mandir; uninstall removes it again
#:   compdb      build/compile_commands.json;  dist: build/exectrace-VERSION.tar.gz;  format: clang-format;  clean
#: Knobs
#:   V=1 shows commands       WERROR=1                        DEPS=no installs no packages
#:   CC=clang                 SANITIZE=address,undefined      COVERAGE=1 (gcov)
#:   O=dir instead of build   CFLAGS, CPPFLAGS, LDFLAGS       PKG_CONFIG, VICTIM_CC (gcc)
#:   TESTFLAGS for tests/run: -j N, --engine=NAME, -v, --keep
