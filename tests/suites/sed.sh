# shellcheck shell=bash
# sed, built from source, without the tests of gnulib.
picked=(--exe='*/sed/sed')

build_suite()
{
	# its page is made by a program of its own
	configure_quietly && make_quietly HELP2MAN=build-aux/help2man && make_quietly HELP2MAN=build-aux/help2man check TESTS=
}

suite()
{
	rm -f testsuite/*.trs
	make -k check SUBDIRS=.
}

results()
{
	trs_results testsuite
}
