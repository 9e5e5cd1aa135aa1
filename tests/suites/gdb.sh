# shellcheck shell=bash
# Tests of gdb's own suite, with the installed gdb: its inferiors start by fork and exec below it, or are attached to. What gdb
# traces cannot be handed to another: compilers are picked.
limit=900
picked=(--exe='*/cc1')
ptrace_cannot="gdb cannot trace a process that is traced, and this engine traces all"

build_suite()
{
	cd gdb/testsuite && ./configure -q && make -s site.exp
}

suite()
{
	local file files=()

	for file in attach attach-twice break catch-syscall foll-exec foll-fork foll-vfork kill-after-signal multi-forks sigaltstack \
		signals start startup-with-shell step-break step-test watch-before-fork watch-vfork; do
		files+=("gdb.base/$file.exp")
	done
	cd gdb/testsuite && rm -rf outputs temp gdb.sum gdb.log &&
		make -s check RUNTESTFLAGS="GDB=/usr/bin/gdb ${files[*]}"
}

results()
{
	sed -n 's/^\([A-Z]*\): \(.*\)$/\2 \1/p' gdb/testsuite/gdb.sum | sed -E 's/ ([A-Z]*)$/\t\1/; s/ /_/g; s/\t/ /'
}
