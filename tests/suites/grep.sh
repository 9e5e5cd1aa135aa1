# shellcheck shell=bash
# grep, built from source, without the tests of gnulib.
picked=(--exe='*/src/grep')

build_suite()
{
	configure_quietly && make_quietly && make_quietly check TESTS=
}

suite()
{
	rm -f tests/*.trs
	make -k -C tests check
}

results()
{
	trs_results tests
}
