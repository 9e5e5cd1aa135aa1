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
FAULT_TIME ?= 240

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.SUFFIXES:

# The path of the tree may have blanks.
blank := $() $()
ifneq ($(filter / $(subst $(blank),?,$(CURDIR)),$(subst $(blank),?,$(abspath $O))),)
$(error O=$O must be a directory of its own)
endif

# --- Debian packages (the same names in 12 and 13) -------------------------------------------------------------------

packages-build := gcc libc6-dev libdw-dev libiberty-dev libjson-c-dev liblzma-dev libpcre2-dev libseccomp-dev libsqlite3-dev libunwind-dev libzstd-dev make \
	pkg-config strace
# To build for 32 bits: gcc-multilib without what it has for x32. The names follow the release's compiler.
debian-release := $(shell . /etc/os-release 2>/dev/null && echo "$$ID-$$VERSION_ID")
gcc-of-debian-12 := 12
gcc-of-debian-13 := 14
packages-32 := $(if $(gcc-of-$(debian-release)),libc6-dev-i386 lib32gcc-$(gcc-of-$(debian-release))-dev,gcc-multilib)
# What make check needs besides; with those above it is 131 packages of a bare Debian 12, 105 MB to download and 400 MB
# on the disk; 141, 106 MB and 392 MB of a Debian 13.
packages-test := attr bash busybox-static curl $(packages-32) gdb gdbserver jq ltrace procps python3 sqlite3 tmux util-linux
# What the other groups of tests need besides.
packages-tools := chromium clang-format default-jre-headless fzf git libdevel-nytprof-perl linux-perf lldb luajit man-db mandoc nodejs openssl \
	perl protobuf-compiler ripgrep shellcheck uftrace valgrind xz-utils zsh zstd
packages-guest := busybox-static cpio kmod libelf-dev libguestfs-tools libvirt-clients libvirt-daemon-driver-qemu \
	libvirt-daemon-system linux-perf protobuf-compiler qemu-system-x86 qemu-utils xz-utils
packages-kernels := busybox-static cpio debootstrap e2fsprogs kmod qemu-system-x86 xz-utils
# npm is part of some packages of nodejs that are not Debian's, which it conflicts with; virtme-ng is not in Debian 12.
packages-harness := autopkgtest bats cargo cmake golang-go libguestfs-tools linux-source meson ninja-build nodejs \
	$(if $(wildcard /usr/bin/npm),,npm) perl python3-pytest python3-pytest-xdist qemu-system-x86 xz-utils \
	$(if $(filter debian-12,$(debian-release)),,virtme-ng)
packages-faults :=
packages-suites := dejagnu dpkg-dev expect perl zlib1g-dev
packages-strace := dpkg-dev gawk
packages-fuzz := clang libclang-rt-dev

# What make deb and its test need more.
packages-deb := debhelper dpkg-dev fakeroot git
packages-deb-test := lintian
packages-analyze := clang-tidy cppcheck

# --- Layers: which may use which (tests/lint/layers reads this table too) --------------------------------------------

uses-base :=
uses-options := base
uses-target/match := base
uses-target/arch :=
uses-target/exec := base
uses-target/syscalls := base target/arch
uses-target/symbol := base
uses-target/process := base target/arch target/exec
uses-target/executable := base target/arch target/exec target/process
uses-target/tracee := base target/arch target/process
uses-target/unwind := base target/symbol target/process target/tracee
uses-format/data := base
uses-format/gate := base format/data
uses-pick/rules := base target/match target/exec
uses-pick/launch := base target/arch target/process target/tracee
uses-pick/engine := base target/exec target/process target/executable target/tracee pick/launch
uses-record/common := base target/arch target/symbol target/process target/unwind format/data
uses-record/sample := base options target/arch target/symbol target/process format/data record/common
uses-record/import := base target/symbol format/data
uses-record/guest/core := base format/data format/gate
uses-record/guest/dwarf := base target/symbol
uses-record/guest/linux := base target/symbol format/data record/guest/core record/guest/dwarf
uses-record/guest/api :=
uses-record/guest/qemu/state := base format/gate record/guest/core record/guest/linux record/guest/api
uses-record/guest/qemu/hooks := base target/syscalls record/guest/core record/guest/linux record/guest/qemu/state
uses-record/guest/qemu := base format/gate target/arch record/guest/core record/guest/linux record/guest/api record/guest/qemu/state record/guest/qemu/hooks
uses-target/decode/values := base target/arch target/syscalls
uses-target/decode/structs := base target/syscalls target/decode/values
uses-target/decode/calls := base target/syscalls target/decode/values target/decode/structs
uses-target/decode/devices := base target/arch target/syscalls target/decode/values target/decode/structs
uses-target/decode/rare := base target/syscalls target/decode/values target/decode/structs target/decode/calls
uses-target/decode := base target/syscalls target/decode/values target/decode/structs target/decode/calls target/decode/devices target/decode/rare
uses-answer/recording := base target/match target/exec target/syscalls target/symbol format/data
uses-answer/calls := base target/arch target/syscalls target/decode format/data answer/recording
uses-answer/why/guest/story := base format/data format/gate answer/recording answer/replay answer/waits answer/report answer/format
uses-answer/why/guest/programs := base target/exec target/syscalls answer/recording answer/calls answer/story answer/format answer/why/guest/story
uses-answer/why/guest/stuck := base target/exec answer/recording answer/calls answer/story answer/replay answer/waits answer/format \
	answer/why/guest/story answer/why/guest/programs
uses-answer/why/guest/delays := base answer/recording answer/calls answer/replay answer/waits answer/format answer/why/guest/story \
	answer/why/guest/programs
uses-answer/why/guest := base format/data format/gate answer/recording answer/calls answer/story answer/replay answer/waits answer/report \
	answer/timeline answer/calltree answer/format answer/why/guest/story answer/why/guest/programs answer/why/guest/stuck \
	answer/why/guest/delays
uses-answer/trend := base
uses-answer/story/state := base answer/recording answer/calls answer/trend
uses-answer/story := base target/syscalls answer/recording answer/calls answer/trend answer/story/state
uses-answer/causes := base target/syscalls answer/recording answer/story answer/trend
uses-answer/why/page := base target/exec target/syscalls answer/recording answer/story answer/causes answer/why/guest
uses-answer/why/failure := base target/exec target/executable target/syscalls answer/recording answer/story answer/causes answer/why/page
uses-answer/why/time := base target/syscalls answer/recording answer/format answer/story answer/causes answer/trend answer/why/page
uses-answer/why := base target/exec target/syscalls format/data answer/recording answer/format answer/story answer/causes answer/trend \
	answer/why/guest answer/why/page answer/why/failure answer/why/time
uses-answer/replay := base target/symbol format/data format/gate answer/recording
uses-answer/waits := base answer/recording answer/replay
uses-answer/report := base target/syscalls format/data answer/recording answer/calls answer/replay answer/waits answer/trend
uses-answer/timeline := base answer/recording answer/calls answer/replay answer/waits answer/report
uses-answer/calltree := base answer/recording answer/calls answer/replay answer/report
uses-answer/format := base format/data answer/report
uses-answer/html := base answer/recording answer/calltree answer/format
uses-answer/export/exporter := base answer/recording answer/format
uses-answer/export/guest := base answer/recording answer/replay answer/report answer/calltree answer/format answer/export/exporter
uses-answer/export := base target/syscalls format/data answer/recording answer/calls answer/replay answer/report answer/calltree answer/format \
	answer/html answer/database answer/otlp answer/export/exporter answer/export/guest
uses-answer/database := base format/data
uses-answer/otlp := base
uses-answer/output := base answer/replay
uses-answer/view := base options target/syscalls format/gate answer/recording answer/calls answer/replay answer/waits answer/report \
	answer/calltree answer/format answer/output
uses-answer/sets := base target/exec target/syscalls answer/recording answer/calls answer/replay answer/report answer/calltree answer/trend answer/output answer/processes
uses-answer/processes := base target/arch target/exec target/syscalls format/data answer/recording answer/calls answer/output
uses-record/inside/agent := target/decode record/inside
uses-record/inside := base target/arch target/symbol target/syscalls target/process target/tracee target/decode target/unwind
uses-record/calls := base target/syscalls target/process target/decode record/inside
uses-record/seccomp := base target/syscalls target/process target/tracee target/decode record/calls
uses-record/stops := base target/syscalls target/process target/tracee target/decode record/inside record/calls record/seccomp
uses-record/form := base
uses-record/trace/process := base target/syscalls target/process target/decode record/form record/calls
uses-record/trace/stacks := base target/syscalls target/process record/common record/calls
uses-record/trace := base options target/syscalls target/process format/data record/common target/decode \
	target/tracee record/form record/calls record/stops record/trace/process record/trace/stacks
uses-pick/action := base options target/exec target/process target/executable target/tracee format/gate record/sample \
	record/calls record/form record/trace
uses-pick/run := base target/exec pick/action
uses-pick/supervise := base format/gate target/exec target/process pick/rules pick/engine pick/action pick/run
uses-cli := base options record/sample record/import answer/recording answer/report answer/timeline answer/calltree answer/why answer/export \
	answer/output answer/view answer/processes answer/sets record/form record/trace pick/rules pick/engine pick/action pick/supervise pick/run

# From the top down, the order in which archives are linked.
layers := cli pick/supervise pick/run pick/action record/trace record/trace/process record/trace/stacks record/form \
	record/stops record/seccomp record/calls record/inside answer/sets answer/processes answer/view answer/export \
	answer/export/guest answer/export/exporter answer/database answer/otlp answer/why answer/why/failure answer/why/time answer/why/page \
	answer/why/guest answer/why/guest/delays answer/why/guest/stuck \
	answer/why/guest/programs answer/why/guest/story answer/causes answer/story answer/story/state answer/html answer/format \
	answer/calltree answer/timeline answer/report answer/waits answer/output answer/replay answer/trend \
	answer/calls answer/recording target/decode target/decode/rare target/decode/calls target/decode/devices \
	target/decode/structs target/decode/values record/import record/sample record/common pick/engine pick/launch \
	pick/rules format/gate format/data target/unwind target/tracee target/executable target/process target/symbol \
	target/syscalls target/exec target/arch target/match options base
# exectrace-guest.so is made of these, with what they need of those above.
guest-layers := record/guest/qemu record/guest/qemu/hooks record/guest/qemu/state record/guest/api record/guest/linux record/guest/dwarf record/guest/core
all-layers := $(guest-layers) $(layers)

# The pkg-config name of the library that a layer needs.
library-target/match := libpcre2-8
library-pick/launch := libseccomp
library-format/data := libzstd
library-answer/recording := json-c
library-target/symbol := liblzma
library-target/unwind := libunwind-ptrace
# What it links beside that, for libraries that pkg-config does not know (libiberty-dev; the C library's own).
plain-library-target/symbol := -liberty
plain-library-answer/trend := -lm
# The plugin opens it when it is asked for types. Tests have it from the start: LeakSanitizer fails where it came later.
plain-library-record/guest/dwarf := -Wl,--no-as-needed -ldw -Wl,--as-needed

# --- Flags -----------------------------------------------------------------------------------------------------------

pkg = $(shell $(PKG_CONFIG) $1 $(foreach l,$2,$(library-$l)) 2>/dev/null)
libraries = $(call pkg,--libs,$1) $(foreach l,$1,$(plain-library-$l))
warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wwrite-strings \
	-Wformat=2 $(if $(filter 1,$(WERROR)),-Werror)
instrument := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
	$(if $(filter 1,$(COVERAGE)),--coverage)
c-flags := -std=gnu11 -D_GNU_SOURCE -Iinclude $(call pkg,--cflags,$(layers)) $(CPPFLAGS) $(warnings) -pthread \
	$(CFLAGS) $(instrument)
comma := ,
# The tables have some 30,000 pointers: their relocations are 24 bytes each, or a bit (binutils 2.38, glibc 2.36).
relative-relocations := $(if $(shell $(CC) -Wl,--help 2>/dev/null | grep pack-relative-relocs),-Wl$(comma)-z$(comma)pack-relative-relocs)
ld-flags := -pthread -Wl,--as-needed,-z,relro,-z,now $(relative-relocations) $(CFLAGS) $(instrument) $(LDFLAGS)

# --- What there is ---------------------------------------------------------------------------------------------------

sources := $(sort $(wildcard $(layers:%=src/%/*.c) src/main.c))
formatted := $(wildcard src/*.c src/record/inside/agent/*.c $(all-layers:%=src/%/*.[ch]) $(all-layers:%=include/exectrace/%/*.h) tests/*/*.[ch] $(all-layers:%=tests/unit/%/*.c))
pages := $(notdir $(wildcard man/*.1 man/*.5))
units := $(patsubst tests/unit/%.c,%,$(wildcard $(all-layers:%=tests/unit/%/test_*.c)))
victims := $(patsubst tests/victims/%.c,%,$(wildcard tests/victims/*.c))
fuzzers := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
test-tools := $(patsubst tests/tools/%.c,%,$(wildcard tests/tools/*.c))
# Programs that are run; all other files in tests/faults are the driver.
fault-programs := work node
fault-copies := pick other
fault-driver := $(filter-out $(fault-programs:%=tests/faults/%.c),$(wildcard tests/faults/*.c))
benches := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/*.c))

# A layer and all below it that it may call.
needs = $(sort $1 $(foreach l,$(uses-$1),$(call needs,$l)))
folder-of = $(patsubst %/,%,$(dir $1))
archives = $(patsubst %,$O/lib/%.a,$(filter $1,$(all-layers)))
objects = $(patsubst %.c,$O/obj/%.o,$1)

ifneq ($(V),1)
Q := @
endif
say = @printf '  %-7s %s\n' $1 $2
make-again = +$(Q)$(MAKE) --no-print-directory
# On all processors, unless told otherwise.
make-parallel = $(make-again) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# --- Build -----------------------------------------------------------------------------------------------------------

.PHONY: all tests FORCE
all: $O/exectrace $O/exectrace-guest.so $O/exectrace.bash $O/exectrace.zsh

$O/exectrace: $(call objects,$(sources)) $O/.sources
	$(call say,LINK,$@)
	$(Q)$(CC) $(ld-flags) -o $@ $(filter %.o,$^) $(call libraries,$(layers))

# The plugin is loaded into QEMU: it needs nothing but libc (libdw is opened when it is asked for types, and cannot be linked in:
# its library for static programs is no position-independent code) and shows nothing but what QEMU looks for. libzstd.a is no
# position-independent code to the letter, but links as such when its symbols are hidden.
pic = $(patsubst %.c,$O/pic/%.o,$1)
$O/exectrace-guest.so: $(call pic,$(wildcard $(guest-layers:%=src/%/*.c))) $O/pic/below.a src/record/guest/qemu/exports.map
	$(call say,LINK,$@)
	$(Q)$(CC) -shared $(ld-flags) -Wl,-z,defs,--version-script=src/record/guest/qemu/exports.map -o $@ $(filter %.o %.a,$^) \
		-Wl,-Bstatic -lzstd -Wl,-Bdynamic

$O/pic/below.a: $(call pic,$(wildcard $(patsubst %,src/%/*.c,$(filter-out $(guest-layers),$(sort $(foreach l,$(guest-layers),$(call needs,$l))))))) $O/.sources
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

$O/pic/%.o: %.c $O/.flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(c-flags) -fPIC -fvisibility=hidden -DEXECTRACE_VERSION='"$(VERSION)"' -MMD -MP \
		-c -o $@ $<

$O/lib/%.a: $$(call objects,$$(wildcard src/$$*/*.c)) $O/.sources
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $(filter %.o,$^)

$O/obj/%.o: %.c $O/.flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(c-flags) -DEXECTRACE_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<

# The page of --format=html in two halves, between which the data stands: numbers for arrays of C.
page := src/answer/html/page
page-head := $(addprefix $(page)/,head.html page.css views.css body.html)
page-tail := $(addprefix $(page)/,script.html format.js data.js tree.js colors.js canvas.js flame.js chart.js table.js \
	main.js tail.html)
$O/gen/html_head.inc: $(page-head)
$O/gen/html_tail.inc: $(page-tail)
$O/gen/html_%.inc: Makefile
	$(call say,PAGE,$@)
	$(Q)mkdir -p $(@D) && cat $(page-$*) | od -An -v -tu1 | sed 's/  *\([0-9][0-9]*\)/\1,/g' >$@
$O/obj/src/answer/html/html_halves.o: private c-flags += -I$O/gen
$O/obj/src/answer/html/html_halves.o: $O/gen/html_head.inc $O/gen/html_tail.inc

# What runs in the process whose calls are recorded without stops (include/exectrace/record/inside/layout.h): linked for one address, without a C
# library, and put into the program as bytes.
agent := src/record/inside/agent
agent-flags := -std=gnu11 -O1 -Iinclude -ffreestanding -fno-builtin -fno-pic -fno-pie -mcmodel=small -mgeneral-regs-only -mno-red-zone \
	-fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables $(warnings)
$O/gen/agent.bin: $(wildcard $(agent)/* include/exectrace/record/inside/*.h) include/exectrace/target/decode/need.h \
		include/exectrace/target/decode/values/bounds.h $O/.flags
	$(call say,AGENT,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(agent-flags) -c -o $O/gen/agent-entry.o $(agent)/entry.S && \
		$(CC) $(agent-flags) -c -o $O/gen/agent.o $(agent)/agent.c && \
		$(CC) $(agent-flags) -c -o $O/gen/agent-copy.o $(agent)/copy.c && \
		$(CC) $(agent-flags) -c -o $O/gen/agent-count.o $(agent)/count.c && \
		$(CC) $(agent-flags) -c -o $O/gen/agent-signals.o $(agent)/signals.c && \
		$(LD) -T $(agent)/agent.ld --oformat binary -o $@ $O/gen/agent-entry.o $O/gen/agent.o $O/gen/agent-copy.o $O/gen/agent-count.o $O/gen/agent-signals.o
$O/obj/src/record/inside/image.o: private c-flags += -DAGENT_IMAGE='"$O/gen/agent.bin"'
$O/obj/src/record/inside/image.o: $O/gen/agent.bin

# Two files that change only when their text does: what was built with other flags, or from other sources, is stale. Whether
# a warning is an error changes no object.
quoted = '$(subst ','\'',$(strip $1))'
keep-if-same = @mkdir -p $(@D) && printf '%s\n' $(quoted) | cmp -s - $@ || printf '%s\n' $(quoted) >$@
$O/.flags: FORCE
	$(call keep-if-same,$(CC) $(filter-out -Werror,$(c-flags)) $(ld-flags) $(VERSION))
$O/.sources: FORCE
	$(call keep-if-same,$(sources))

-include $(wildcard $(foreach d,* */* */*/* */*/*/* */*/*/*/* */*/*/*/*/*,$O/obj/$d/*.d $O/pic/$d/*.d))

# --- Programs for the tests ------------------------------------------------------------------------------------------

tests: all $(units:%=$O/tests/unit/%) $(victims:%=$O/tests/victims/%) $(test-tools:%=$O/tests/tools/%)

# tests/unit/LAYER/test_NAME.c is linked from the archives of its layer and those below: a call upwards is an undefined reference.
$O/tests/unit/%: $O/obj/tests/unit/%.o $$(call archives,$$(call needs,$$(call folder-of,$$*)))
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -o $@ $^ $(call libraries,$(call needs,$(call folder-of,$*)))

$O/obj/tests/unit/%.o: private c-flags += -I. -Itests/unit -DGOLDEN='"$(CURDIR)/tests/golden"' -DTESTS_DIR='"$(CURDIR)/tests"'

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
# Those that are another one, built in another way: VICTIM:FILE.
$(foreach pair,$(shell grep -H '^.include ".*\.c"$$' tests/victims/*.c | sed 's,^tests/victims/\(.*\)\.c:.*"\(.*\)"$$,\1:\2,'),\
	$(eval $O/tests/victims/$(word 1,$(subst :, ,$(pair))): tests/victims/$(word 2,$(subst :, ,$(pair)))))

# What tests look at recordings with.
$O/tests/tools/%: $O/obj/tests/tools/%.o $(call archives,$(call needs,record/trace))
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -o $@ $^ $(call libraries,$(call needs,record/trace))

# The driver of check-faults and what it runs: programs of the tests, never sanitised, and copies of `work` by other names.
$O/tests/faults/faults: $(call objects,$(fault-driver)) $(call archives,$(call needs,target/syscalls))
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -o $@ $^

$(fault-programs:%=$O/tests/faults/%): $O/tests/faults/%: tests/faults/%.c
	$(call say,VICTIM,$@)
	$(Q)mkdir -p $(@D) && $(VICTIM_CC) -std=gnu11 -D_GNU_SOURCE -O1 -pthread -o $@ $<

$(fault-copies:%=$O/tests/faults/%): $O/tests/faults/work
	$(Q)cp $< $@

# A guest for the tests, made by the example. Without the packages, or the tools, the tests that need it are left out.
.PHONY: guest
guest: $O/guest/initrd.gz $O/guest/problems.made

$O/guest/initrd.gz: $O/tests/victims/guestinit examples/guest/make-guest examples/guest/unpack-kernel
	$(call say,GUEST,$@)
	$(Q)mkdir -p $(@D) && examples/guest/make-guest $(@D) $< >$(@D)/make.log 2>&1 || \
		echo "  note: no guest for the tests: see $(@D)/make.log"

# Guests that go wrong, each in its own way: tests/guest/init.
$O/guest/problems.made: $O/guest/initrd.gz $(wildcard tests/guest/* tests/guest/*/*)
	$(call say,GUESTS,$(@D)/problems)
	$(Q)rm -rf $(@D)/problems && VICTIM_CC='$(VICTIM_CC)' tests/guest/make-problems $(@D) >$(@D)/problems.log 2>&1 && touch $@ || \
		echo "  note: no guests that go wrong for the tests: see $(@D)/problems.log"

# Workloads are static. A line `bench-layer-NAME := LAYER` links one with a layer and those below instead.
bench-layer-unwind := target/unwind
bench-layer-summary := answer/report
bench-layer-deep := base
bench-layer-guest := cli
$O/tests/bench/%: tests/bench/%.c $(wildcard tests/bench/*.h) $$(call archives,$$(call needs,$$(bench-layer-$$*)))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 -D_GNU_SOURCE -Iinclude $(warnings) -O2 -pthread -o $@ $< \
		$(if $(bench-layer-$*),$(filter %.a,$^) $(call libraries,$(call needs,$(bench-layer-$*))),-static)

# This one measures a layer of ours, not a program.
$O/tests/bench/data: $O/obj/tests/bench/data.o $(call archives,$(call needs,format/data))
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -o $@ $^ $(call libraries,$(call needs,format/data))

$O/tests/fuzz/%: $O/obj/tests/fuzz/%.o $(all-layers:%=$O/lib/%.a)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -fsanitize=fuzzer -o $@ $^ $(call libraries,$(all-layers))

# The same without libFuzzer: each gets the inputs that are kept in tests/corpus.
$O/tests/kept/%: $O/obj/tests/fuzz/%.o $O/obj/tests/fuzz/kept.o $(all-layers:%=$O/lib/%.a)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ld-flags) -o $@ $^ $(call libraries,$(all-layers))

# --- Tests -----------------------------------------------------------------------------------------------------------

check-groups := guest kernels faults suites strace harness
.PHONY: check check-tools $(check-groups:%=check-%) check-all check-unit check-e2e check-docs lint analyze fuzz fuzz-run bench
lint-too := $(if $(filter no,$(LINT)),,--lint)
run-tests := EXECTRACE=$(abspath $O/exectrace) BUILD=$(abspath $O) tests/run $(TESTFLAGS)

check:
	$(call install-missing,$(packages-build) $(packages-test))
	$(make-parallel) tests
	$(Q)$(run-tests) --group=check --unit $(lint-too) --docs --times=$O/tests/times

check-tools:
	$(call install-missing,$(packages-build) $(packages-test) $(packages-tools))
	$(make-parallel) tests
	$(Q)$(run-tests) --group=tools $(if $(filter no,$(UNIT)),,--unit) $(lint-too)

# Each of these is a folder with a program `run`, which ends with a line of counts.
$(check-groups:%=check-%): check-%:
	$(call install-missing,$(packages-build) $(packages-test) $(packages-$*))
	$(make-parallel) tests $(group-needs-$*)
	$(Q)EXECTRACE=$(abspath $O/exectrace) BUILD=$(abspath $O) FAULT_TIME='$(FAULT_TIME)' FAULT_SEED='$(FAULT_SEED)' \
		tests/$*/run $(group-arguments-$*)

group-needs-guest := guest
group-needs-faults := $(addprefix $O/tests/faults/,faults $(fault-programs) $(fault-copies))
group-arguments-faults = $(FAULTS)

# Those that there are, one after the other, and the sum.
check-all:
	$(Q)mkdir -p $O/all; rm -f $O/all/*; for t in check check-tools $(foreach g,$(check-groups),$(if $(wildcard tests/$g/run),check-$g)); do \
		echo "== make $$t"; { $(MAKE) --no-print-directory $$t 2>&1; echo $$? >$O/all/$$t.status; } | tee $O/all/$$t; \
	done; for t in $O/all/*.status; do \
		counts=$$(tail -n 1 $${t%.status} | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$$') || counts='0 passed, 1 failed'; \
		case "$$(cat $$t):$$counts" in 0:*) ;; *', 0 failed'*) counts='0 passed, 1 failed' ;; esac; echo "$$counts"; \
	done | awk '{ p += $$1; f += $$3; s += $$5 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }'

check-unit: $(units:%=$O/tests/unit/%)
	$(Q)status=0; for t in $(sort $^); do \
		timeout -k 10 300 $$t >$$t.tap || { status=1; echo "$$t:"; grep -v '^ok' $$t.tap; }; \
	done; \
	cat /dev/null $(^:%=%.tap) | awk '/^ok.*# SKIP/ { left++; next } /^ok/ { ok++ } /^not ok/ { bad++ } \
		END { printf "%d passed, %d failed, %d skipped\n", ok, bad, left }'; exit $$status

# Needs packages that npm has and Debian does not: NODE_MODULES is the folder in which they are (tests/README.md).
.PHONY: check-export
check-export:
	$(call install-missing,$(packages-build) jq nodejs)
	$(make-parallel) all $O/tests/tools/long
	$(Q)EXECTRACE=$(abspath $O/exectrace) BUILD=$(abspath $O) NODE_MODULES='$(abspath $(NODE_MODULES))' WITHOUT='$(WITHOUT)' tests/export/run

check-e2e: tests
	$(Q)$(run-tests) $(TESTS)

check-docs: all
	$(Q)EXECTRACE=$(abspath $O/exectrace) tests/docs README.md examples/README.md $(sort $(wildcard examples/harness/*.md))

# The manual pages are compared with the program: one that is not optimized, where none was built, in a third of the time.
lint-program := $(if $(wildcard $O/exectrace),$O,$O/lint)/exectrace
lint:
	$(Q)CC='$(CC)' tests/lint/all style
	$(make-parallel) $(if $(wildcard $O/exectrace),,O=$O/lint CFLAGS=-O0) $(lint-program)
	$(Q)CC='$(CC)' EXECTRACE=$(lint-program) tests/lint/all program

# Four minutes of one processor's time.
analyze: $O/gen/html_head.inc $O/gen/html_tail.inc
	$(call install-missing,$(packages-analyze))
	$(Q)tests/lint/analyze $(c-flags) -I$O/gen -DAGENT_IMAGE='"$O/gen/agent.bin"' -DEXECTRACE_VERSION='"$(VERSION)"'

kept := $(patsubst tests/corpus/%/,%,$(wildcard tests/corpus/*/))
.PHONY: check-corpus corpus-run

check-corpus:
	$(call install-missing,$(packages-build))
	$(make-again) O=$O/sanitized SANITIZE=address,undefined corpus-run

corpus-run: $(kept:%=$O/tests/kept/%)
	$(Q)status=0; for t in $(kept); do \
		said=$$($O/tests/kept/$$t tests/corpus/$$t 2>$O/tests/kept/$$t.err) || { status=1; cat $O/tests/kept/$$t.err; }; \
		echo $$t: $$said; \
	done; exit $$status

# Folders of inputs that a fuzzer begins with.
$(foreach f,$(kept),$(eval seeds-$f := tests/corpus/$f))
seeds-fuzz_data += tests/golden

fuzz:
	$(call install-missing,$(packages-build) $(packages-fuzz))
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

bench: all guest $(benches:%=$O/tests/bench/%) $O/tests/tools/long
	$(Q)EXECTRACE=$(abspath $O/exectrace) BENCH=$(abspath $O/tests/bench) tests/bench/run

# --- Packages and the demonstration ----------------------------------------------------------------------------------

# $(call install-missing,PACKAGES): says which of them are missing and how much that is, and installs those. DEPS=no: does nothing.
define install-missing
$(Q)missing=; for p in $(if $(filter no,$(DEPS)),,$(sort $1)); do \
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
run $$root apt-get -qq update || exit 1; \
for p in $$missing; do \
	apt-cache policy $$p | grep -q 'Candidate: [^(]' && found="$$found $$p" || echo "no package $$p here: left out"; \
done; \
[ "$$found" ] || exit 0; \
install='apt-get -qq -o Dpkg::Use-Pty=0 install --no-install-recommends'; \
LC_ALL=C $$root apt-get --assume-no install --no-install-recommends $$found 2>/dev/null | sed -n \
	-e 's/.* \([0-9]*\) newly installed.*/they make \1 packages:/p' -e 's/^Need to get \(.*\) of archives.*/  \1 to download,/p' \
	-e 's/^After this operation, \(.*\) of additional.*/  \1 on the disk/p' | tr -s '\n ' ' ' && echo; \
echo "+ $${root:+$$root }$$install -y$$found"; log=$$(mktemp) || exit 1; \
$$root env DEBIAN_FRONTEND=noninteractive $$install -y $$found >"$$log" 2>&1; status=$$?; \
[ $$status = 0 ] || cat "$$log"; rm -f "$$log"; exit $$status
endef

.PHONY: deps deps-build demo demo-run
deps:
	$(call install-missing,$(packages-build) $(packages-test) $(packages-tools) $(packages-guest) $(packages-fuzz) \
		$(packages-kernels) $(packages-harness) $(packages-faults) $(packages-suites) $(packages-strace) $(packages-deb) $(packages-deb-test) $(packages-analyze))
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
	@echo
	@echo "The program is $O/exectrace. To call it by its name, install it:"
	@echo "  sudo make install                          (or: make install prefix=\$$HOME/.local)"
	@echo "or, for this shell only:"
	@echo "  PATH=\"$(abspath $O):\$$PATH\""
	@echo "Next: try the recipes of README.md in a copy of the examples (cp -R examples /tmp/try; cd /tmp/try),"
	@echo "or see what your own build runs: exectrace --run='log --format=tree' -- make"

# --- Installing ------------------------------------------------------------------------------------------------------

.PHONY: install uninstall dist deb
install-places := bindir libdir mandir bashcompdir zshcompdir

# Commands that set $bindir, $libdir, ... for the shell: below $1, and with a ~ in front expanded, which not every shell
# does in prefix=~/.local. No list of make's: there may be blanks in them.
shell-word = '$(subst ','\'',$1)'
set-places = home() { case $$1 in "~"|"~/"*) printf %s "$$HOME$$(printf %s "$$1" | cut -c 2-)" ;; *) printf %s "$$1" ;; esac; }; \
	below=$$(home $(call shell-word,$1)) $(foreach p,$(install-places),&& $p=$$below$$(home $(call shell-word,$($p))))

# Where the program looks for the plugin, from the directory of the program on.
plugin-place := $(shell $(call set-places,) && realpath -m --relative-to="$$bindir" "$$libdir/exectrace")
$O/obj/src/pick/action/guest_parse.o: private c-flags += -DEXECTRACE_PLUGIN_PLACE=$(call shell-word,"$(plugin-place)")
$O/obj/src/pick/action/guest_parse.o: $O/.plugin-place
$O/.plugin-place: FORCE
	$(call keep-if-same,$(plugin-place))

$O/exectrace.bash $O/exectrace.zsh: $O/exectrace.%: $O/exectrace
	$(Q)$< completion $* >$@

# What root builds in somebody's folder is given to him: he wants to build there again.
install: all
	$(Q)[ "$$(id -u)" != 0 ] || find $O ! -user "$$(stat -c %u Makefile)" -exec chown -h --reference=Makefile {} +
	$(Q)set -e; $(call set-places,$(DESTDIR)); set -x; \
	install -d "$$bindir" "$$libdir/exectrace" "$$mandir/man1" "$$mandir/man5" "$$bashcompdir" "$$zshcompdir"; \
	install -m 755 $O/exectrace "$$bindir/exectrace"; \
	ln -sf exectrace "$$bindir/exectrace-trace"; \
	ln -sf exectrace "$$bindir/exectrace-profile"; \
	install -m 644 $O/exectrace-guest.so "$$libdir/exectrace/exectrace-guest.so"; \
	install -m 644 $O/exectrace.bash "$$bashcompdir/exectrace"; \
	install -m 644 $O/exectrace.zsh "$$zshcompdir/_exectrace"; \
	install -m 644 $(patsubst %,man/%,$(filter %.1,$(pages))) "$$mandir/man1"; \
	install -m 644 $(patsubst %,man/%,$(filter %.5,$(pages))) "$$mandir/man5"

uninstall:
	$(Q)set -e; $(call set-places,$(DESTDIR)); set -x; \
	rm -f "$$bindir/exectrace" "$$bindir/exectrace-trace" "$$bindir/exectrace-profile" \
		"$$libdir/exectrace/exectrace-guest.so" "$$bashcompdir/exectrace" "$$zshcompdir/_exectrace" \
		$(foreach p,$(pages),"$$mandir/man$(lastword $(subst ., ,$p))/$p"); \
	[ ! -d "$$libdir/exectrace" ] || rmdir --ignore-fail-on-non-empty "$$libdir/exectrace"

# The commit decides each byte: its time is that of the files, and git's settings of the user do not count.
dist-name := exectrace-$(VERSION)
dist:
	@[ -e .git ] || { echo "make dist, make deb: of a clone of the repository: here is no .git" >&2; exit 1; }
	$(Q)mkdir -p $O && git -c tar.umask=0022 -c core.attributesFile=/dev/null -c core.autocrlf=false archive --format=tar \
		--prefix=$(dist-name)/ -o $O/$(dist-name).tar HEAD && env -u GZIP gzip -9nf $O/$(dist-name).tar
	@echo $O/$(dist-name).tar.gz

# Source and binary packages of the commit, as a Debian of today would build them, with its compiler and flags.
deb: dist
	$(call install-missing,$(packages-build) $(packages-deb))
	$(Q)rm -rf $O/deb && mkdir -p $O/deb && tar -xzf $O/$(dist-name).tar.gz -C $O/deb && \
		cp $O/$(dist-name).tar.gz $O/deb/exectrace_$(VERSION).orig.tar.gz && \
		cp -R $O/deb/$(dist-name)/.debian $O/deb/$(dist-name)/debian
	$(Q)cd $O/deb/$(dist-name) && env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u MFLAGS dpkg-buildpackage -us -uc $(DEBFLAGS)
	@ls -d $O/deb/exectrace*.*

# --- Odds and ends ---------------------------------------------------------------------------------------------------

.PHONY: compdb format tables clean help
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

# Tables of the kernel's interfaces, for a maintainer: HEADERS is an unpacked linux-libc-dev (dpkg-deb -x). They are part of the sources.
uapi := src/target/syscalls/uapi
tables:
	$(Q)$(if $(HEADERS),,$(error make tables HEADERS=DIRECTORY))$(uapi)/generate $(HEADERS) $(uapi)/annotations $(uapi)/netlink $(or $(TABLES),include/exectrace/target/syscalls) $(CROSS)

clean:
	$(Q)rm -rf $O

help:
	@sed -n 's/^#: \{0,1\}//p' Makefile
#: Targets
#:   all         build $O/exectrace (the default)
#:   demo        install what building needs, build, and show one process of a nested make under strace
#:   check       install what the tests need (up to 139 packages, 398 MB); lint, the documents' commands, tests: 10 minutes
#:   check-tools the tests with large tools (valgrind, lldb, perf, chromium, ...: 1 GB); 10 minutes
#:   check-guest with guests of QEMU, and libguestfs (300 packages, 1 GB); 30 minutes
#:   check-harness the commands of examples/harness (pytest, cargo, go, npm, ...: 2 GB); 5 minutes
#:   check-suites  the test suites of other programs under us (their sources by apt-get); an hour
#:   check-strace  strace's own tests with our tracer in its place; a quarter of an hour (STRACE_TESTS="access ioctl_fs*": some)
#:   check-kernels the tests on Debian's kernels 5.10, 6.1 and 6.12, in QEMU; hours
#:   check-all   all of these
#:   check-export  exported files with DuckDB, ClickHouse and OpenTelemetry, from npm: NODE_MODULES=DIR (tests/README.md)
#:   check-unit  unit tests; check-e2e (TESTS='name...'): end-to-end tests; check-docs: the commands of the documents
#:   check-faults  signals, failing system calls, random trees, for FAULT_TIME seconds (240), FAULT_SEED=N the same again
#:   lint        layers, sizes, headers, shell scripts, formatting, man pages
#:   analyze     gcc -fanalyzer, clang-tidy and cppcheck
#:   check-corpus  the inputs of tests/corpus, with sanitizers
#:   fuzz        each fuzzer for FUZZ_TIME seconds (60)
#:   bench       what exectrace costs, in pairs with and without it
#:   deps        install the Debian packages for all of this (deps-build: for building)
#:   install     to DESTDIR, prefix (/usr/local), bindir, libdir, datadir, mandir; uninstall removes it again
#:   dist        $O/exectrace-VERSION.tar.gz of the commit;  deb: packages of it for this Debian, in $O/deb
#:   compdb      build/compile_commands.json;  format: clang-format;  clean
#:   tables      of ioctls and netlink, from the kernel's headers (HEADERS=DIRECTORY, an unpacked linux-libc-dev);
#:               of another machine to a folder of their own (CROSS=aarch64-linux-gnu TABLES=FOLDER)
#: Knobs
#:   V=1 shows commands       WERROR=1                        DEPS=no installs no packages
#:   CC=clang                 SANITIZE=address,undefined      COVERAGE=1 (gcov)
#:   O=dir instead of build   CFLAGS, CPPFLAGS, LDFLAGS       PKG_CONFIG, VICTIM_CC (gcc)
#:   TESTFLAGS for tests/run: -j N, --engine=NAME, -v, --keep
