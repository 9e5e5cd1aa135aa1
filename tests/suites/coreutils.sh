# shellcheck shell=bash
# coreutils, built from source: the tests of programs that run, end or move others, and some of files.
picked=(--exe='*/src/*' --cmd='^(cp|mv|ls|rm|env|timeout|nice) ')

build_suite()
{
	configure_quietly && make_quietly && make_quietly check TESTS=
}

suite()
{
	find tests -name '*.trs' -delete
	make -k check SUBDIRS=. TESTS="$(echo tests/misc/@(chroot|env|id-|kill|nice|nohup|printf|seq|sort-c|stdbuf|tee|test-|timeout|tty|yes)*.@(sh|pl) \
		tests/@(cp|mv|rm|ls)/[a-i]*.@(sh|pl))"
}

results()
{
	trs_results tests
}
