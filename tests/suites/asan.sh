# shellcheck shell=bash
# libtasn1 built with AddressSanitizer, whose LeakSanitizer looks for leaks at the end of each process: it stops the threads with
# ptrace, and fails in a process that has a tracer. So test scripts are picked, and their children are not followed.
package=libtasn1-6
picked=(--cmd='^/bin/(ba)?sh \S*/test-driver ')
follow=
ptrace_cannot="LeakSanitizer fails in a process that is traced, and this engine traces all"

build_suite()
{
	configure_quietly --disable-doc --disable-shared CFLAGS='-O1 -g -fsanitize=address' && make_quietly &&
		make_quietly check TESTS= &&
		printf '#include <stdlib.h>\nvoid *volatile p;\nint main(void) { p = malloc(9); p = 0; return 0; }\n' |
		${CC:-gcc} -fsanitize=address -x c -o leak -
}

# The last line shows that leaks are looked for at all.
suite()
{
	export ASAN_OPTIONS=detect_leaks=1
	find . -name '*.trs' -delete
	make -k -j"$(nproc)" check
	echo "leaks found: $(./leak 2>&1 | grep -c "9 byte(s) leaked")"
}

results()
{
	trs_results .
	sed -n "s|^leaks found: \(.*\)|leaks-found \1|p" "$1"
}
