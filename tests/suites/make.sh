# shellcheck shell=bash
# make, the installed one, with the tests of its source.
package=make-dfsg
limit=900
picked=(--exe=/usr/bin/make)

build_suite()
{
	sed 's/@[A-Z_]*@//' tests/config-flags.pm.in >tests/config-flags.pm
}

suite()
{
	cd tests && rm -rf work && perl ./run_make_tests.pl -make /usr/bin/make
}

results()
{
	tr -d '\b' <"$1" | sed -nE 's|^ *([a-z]+/[A-Za-z0-9_-]+) \.* *(.*)$|\1 \2|p' | sed 's/ /_/2g'
}
