# shellcheck shell=bash
# sed, built from source, without the tests of gnulib.
picked=(--exe='*/sed/sed')

build_suite()
{
	configure_quietly && make_quietly && make_quietly check TESTS=
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
