#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: with a QEMU whose registers cannot be had, calls are told by what they write to the stack.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

# names FILE: functions of the kernel that were called
names()
{
	sed -n 's/^function [0-9a-f]* [1-9][0-9]* \[kernel\] //p' "$1" | sort -u
}

# sound FILE SHARE
sound()
{
	expect_lines 0 "$1" '^wrong' "it is sound"
	expect_lines 1 "$1" '^file: whole$' "it is whole"
	expect_lines 1 "$1" '^function .* \[kernel\] start_kernel$' "the kernel starts once"
	expect_lines 1 "$1" "^function 0*$FIB 21891 /init fib$" "fib(20) is 21,891 calls"
	expect_lines 100 "$1" '^syscall 1 80 -2$' "100 calls of chdir that failed"
	expect_lines some "$1" '^task 1 init$' "of a task with its name"
	grep -q '^module loaded$' said && expect_lines 1 "$1" '^function .* \[dummy\] dummy_init_module$' "a module"
	expect "frames are closed by their own returns" test "$(share "$1")" -ge "$2"
}

begin "one vCPU"
fresh
trace with
more=registers=off trace without
expect_lines 0 err 'exectrace-guest:' "no complaint"
sound without 99900
names with >has
names without >got
expect "thousands of functions" test "$(wc -l <has)" -gt 3000
expect "nearly all that registers tell" test "$(comm -23 has got | wc -l)" -le $(($(wc -l <has) / 50))
expect "nearly nothing else" test "$(comm -13 has got | wc -l)" -le $(($(wc -l <has) / 50))
end

begin "two vCPUs"
fresh
more=registers=off trace without -smp 2
expect_lines 0 err 'exectrace-guest:' "no complaint"
sound without 99700
end

# 7.2 and others before 9.2 have none.
nm -D "$(command -v qemu-system-x86_64)" 2>/dev/null | grep -q ' qemu_plugin_read_memory_vaddr$' ||
	skip "QEMU's interface has no registers and memory"

begin "registers that QEMU's interface has"
fresh
more=registers=asked trace asked
expect_lines 0 err 'exectrace-guest:' "no complaint"
sound asked 99900
child=$(sed -n 's/^child \([0-9]*\)$/\1/p' said)
expect_lines 1 asked "^exit $child 768$" "how a process has ended"
"$EXECTRACE" syscalls asked.xtr >calls
expect_lines some calls 'chdir[(]"/nowhere"[)] += -1 ENOENT' "what an argument points to"
"$EXECTRACE" tree asked.xtr >tree
expect_lines some tree "/init [(]fork(: [a-z]+)?[)]  \\[$child\\]" "who made it"
end

finish
