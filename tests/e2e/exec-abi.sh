#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 32-bit programs, 32-bit system calls of 64-bit programs, and x32 numbers behave as without exectrace.
. "$(dirname "$0")/../lib.sh"

if has_victim prog32 "32-bit programs"; then
	both "a 32-bit program" -- "$V/prog32" -x 3 a
	both "a 64-bit program, a 32-bit one and back" -- sh -c "$V/prog a; $V/prog32 b; $V/prog32static c; $V/prog d"
fi
if has_victim int80 "int 0x80"; then
	both "execve by int 0x80" -- "$V/int80" "$V/prog" -x 3 a b
	both "execve by int 0x80 in a child" -- sh -c "$V/int80 $V/prog -x 3 a b; echo \$?"
	has_victim prog32 "execve of a 32-bit program by int 0x80" &&
		both "execve of a 32-bit program by int 0x80" -- "$V/int80" "$V/prog32" -x 3 a b
fi
both "x32 numbers" -- "$V/x32call" "$V/prog" a
both "x32 numbers in a child" -- sh -c "$V/x32call $V/prog a; echo \$?"
finish
