#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that are harder to get at are picked too: scripts, 32-bit ones, other namespaces and roots, unusual arguments, PATH searches.
. "$(dirname "$0")/../lib.sh"
needs strace

prepare()
{
	printf '#!/bin/sh\necho says "$@"\necho $$ "$@" >>"$PROG_LOG"\n' >script
	printf '#!/bin/sh ./script\n' >nested
	sed -i 's/>>"$PROG_LOG"/>>"${PROG_LOG:-\/dev\/null}"/' script
	chmod 755 script nested
	mkdir first second
	cp "$V/prog" second/
	printf 'no program\n' >first/prog
	chmod 644 first/prog
	mkdir -p root/bin
	cp "$V/progstatic" root/bin/prog
	mkdir closed
	cp "$V/prog" closed/
	chmod 700 closed
	chmod 755 .
}
pick -r '^\./script PICKME$' "a script, by its own name" -- sh -c './script a; ./script PICKME'
pick -r '^\./nested PICKME$' "a script whose interpreter gets another script" -- sh -c './nested a; ./nested PICKME'
pick "found through PATH after files that are none" -- env PATH="/none:first:second:$PATH" sh -c 'prog a; prog PICKME'
pick "found through PATH by execvp" -- env PATH="/none:first:second:$PATH" env prog PICKME
pick "a link to it" -- sh -c "ln -s $V/prog progname; ./progname PICKME"
for kind in million many bytes edge; do
	pick "arguments: $kind" -- sh -c "$V/bigargs $kind $V/prog >says; head -c 60 says"
done
pick -r '(?s)^(\S*/)?prog PICKME.two\nlines' "a newline in the regex" -- sh -c "$V/bigargs bytes $V/prog >says; head -c 60 says"
pick -r 'zäh$' "characters of more than one byte" -- sh -c "$V/bigargs bytes $V/prog >says; head -c 60 says"
pick -r '^\S*prog PICKME.* f{60000}' "a long argument, looked at to its end" -- sh -c "$V/bigargs million $V/prog >says; head -c 60 says"
pick -r '^\S*prog PICKME .* 19999 20000$' "the last of 20,000 arguments" -- sh -c "$V/bigargs many $V/prog >says; head -c 60 says"
if has_victim prog32 "a 32-bit program"; then
	pick "a 32-bit program" -- sh -c "$V/prog a; $V/prog32 PICKME; $V/prog32 a"
	pick "a static 32-bit program" -- sh -c "$V/prog32static PICKME; $V/prog32 a"
	pick "a 64-bit program started by a 32-bit system call" -- "$V/int80" "$V/prog" PICKME
	pick "a 32-bit program started by a 32-bit system call" -- "$V/int80" "$V/prog32" PICKME
fi
if [ "$("$V/nsform" pid true 2>&1 | tail -n 1)" = "exit 0" ]; then
	pick -n "in another pid namespace" -- "$V/nsform" pid sh -c "$V/prog a; $V/prog -x 3 PICKME; $V/prog c"
	pick "in another mount namespace" -- "$V/nsform" mnt sh -c "$V/prog a; $V/prog -x 3 PICKME; $V/prog c"
	pick -n "as pid 1 of a namespace" -- "$V/nsform" pid,mnt "$V/prog" -x 3 PICKME
fi
if [ "$("$V/nsform" user,pid true 2>&1 | tail -n 1)" = "exit 0" ]; then
	pick -n "in another user namespace" -- "$V/nsform" user,pid sh -c "$V/prog a; $V/prog PICKME; true"
fi
if is_root; then
	pick -n "in a chroot" -- sh -c "$V/under chroot=root -- /bin/prog a; $V/under chroot=root -- /bin/prog PICKME"
	pick -n "found through PATH by a user, after a directory of root's" -- \
		"$V/under" gid=65534 uid=65534 -- sh -c 'PATH=$PWD/closed:$PWD/second:$PATH; env prog a; env prog PICKME'
	pick -n "in a user's tree, of root" -- sh -c "$V/under gid=65534 uid=65534 -- $V/prog a >/dev/null; $V/prog PICKME"
fi
pick_undumpable "not dumpable when it executes" -- "$V/execform" undumpable "$V/prog" PICKME
if [ "$ENGINE" = notify ] && yama_binds; then
	begin "beside a seccomp filter of the tree: no tool can attach, which is said"
	run_as plain "$V/filters" other "$V/prog" PICKME
	run_as picked "$EXECTRACE" --engine="$ENGINE" --run="strace -o $S/log" --cmd="$PICK" -- "$V/filters" other "$V/prog" PICKME
	expect_same "$S/picked.status" "$S/plain.status" "same wait status"
	expect_as_plain picked
	expect_lines 1 "$S/picked.err" '^exectrace: \[[0-9]+\] kernel\.yama\.ptrace_scope is 1: no tool can attach.*; root can$' "it is said"
	end
else
	pick "beside a seccomp filter of the tree" -- "$V/filters" other "$V/prog" PICKME
fi
finish
