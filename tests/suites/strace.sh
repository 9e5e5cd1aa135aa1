# shellcheck shell=bash
# strace, built from source, with some of its own tests: those of starting, attaching, following, detaching and ending, and of
# execve. A process has one tracer: runs of strace that trace nothing are picked.
limit=900
picked=(--exe='*/src/strace' --cmd='strace.* (-h|-V|--help|--version)$|^\S*strace$')
follow=
ptrace_cannot="strace cannot trace a process that is traced, and this engine traces all"

build_suite()
{
	configure_quietly --enable-mpers=no && make_quietly && make_quietly -C tests check TESTS=
}

suite()
{
	cd tests || return 1
	rm -f ./*.trs
	make -k check TESTS="$(echo @(attach-|bexecve|detach-|execve|first_exec|fork-|interactive|options-|pidns-|redirect|restart|seccomp-s|\
status-[du]|strace-@([DEVpf]|ff)|termsig|threads-|vfork)*.test)"
}

results()
{
	trs_results tests
}
