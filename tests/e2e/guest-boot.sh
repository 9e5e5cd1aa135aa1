#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: the QEMU that boots something gets the plugin, and the calls of its guest are recorded, with the names that the guest itself has.
# limit: 900
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

# sound FILE SHARE: the recording has what every one has to have
sound()
{
	expect_lines 0 "$1" '^wrong' "it is sound"
	expect_lines 1 "$1" '^function .* \[kernel\] start_kernel$' "the kernel starts once"
	expect_lines some "$1" '^function .* [1-9][0-9]* \[kernel\] (do_syscall_64|x64_sys_call)$' "with system calls"
	expect_lines 1 "$1" "^function 0*$FIB 21891 /init fib$" "fib(20) is 21,891 calls"
	expect_lines 1 "$1" '^function .* 2 /init fail_often$' "in each process the same function"
	expect_lines some "$1" '^task 1 init$' "the first task has its name"
	expect_lines 100 "$1" '^syscall 1 80 -2$' "it has made 100 calls of chdir that failed"
	expect_lines 1 "$1" '^function .* 70 \[vdso\] (__vdso_)?clock_gettime$' "the vdso has names"
	child=$(sed -n 's/^child \([0-9]*\)$/\1/p' said)
	expect_lines 2 "$1" "^task $child guestchild$" "its child has a name of its own, in the kernel and out of it"
	expect_lines 100 "$1" "^syscall $child 80 -2$" "and has made as many calls"
	expect_lines 1 "$1" "^syscall 1 61 $child$" "for which the first one has waited"
	grep -q '^module loaded$' said || return 0
	nm "$GUEST/module.ko" | sed -n 's/.* [tTwW] //p' | sort -u >there
	sed -n 's/^function .* \[dummy\] //p' "$1" | sort -u >seen
	expect "functions of the module were called" grep -q '^dummy_init_module$' seen
	expect_equal "$(comm -23 seen there)" "" "they have their names"
	expect_lines 1 "$1" '^note checks: .* dropped 0$' "nothing is lost"
	expect "frames are closed by their own returns" test "$(share "$1")" -ge "$2"
}

# A harness that asks three QEMUs for what they are before it starts one; the names of all functions are compared.
begin "one of four QEMUs boots, and is traced"
fresh
cat >harness <<-'END'
	qemu-system-x86_64 -version >version &&
	qemu-system-x86_64 -machine help >machines &&
	qemu-system-x86_64 -machine none -nodefaults -display none -monitor stdio <quit >none &&
	$BOOT -append "$WORDS symbols"
END
echo quit >quit
WORDS=$WORDS et --run=guest --cmd=qemu-system -- sh harness >out 2>err </dev/null
expect_equal $? 0 "its status"
expect_lines 1 err 'match 1, rule 1 \(guest\): qemu-system-x86_64 -accel tcg' "one match"
expect_lines 0 err 'match 2|exectrace-guest:' "no other, and no complaint"
expect_lines some machines '^none' "the probes say what they should"
clean out >said
expect_lines 1 said '^fib\(20\) = 6765$' "the guest ran"
expect_lines 1 said '^guest ends$' "to its end"
"$RECORDED" exectrace.data/guest-1-*.xtr >recorded
expect_lines 1 recorded '^file: whole$' "one whole file"
sound recorded 99900
sed -n 's/^\([0-9a-f]\{16\}\) [tTwW] \([^[:space:]]*\)$/\1 \2/p' said | sort >names
sed -n 's/^function \([0-9a-f]*\) [0-9]* \[kernel\] \(.*\)/\1 \2/p' recorded | sort >functions
expect "the guest has told its symbols" test "$(wc -l <names)" -gt 10000
expect "thousands of functions were called" test "$(wc -l <functions)" -gt 3000
expect_equal "$(comm -23 functions names | head -n 5)" "" "each is what the guest itself calls it"
end

# What follows does not depend on the engine.
engines notify "the rest is what the plugin records, whoever started QEMU"

begin "without exectrace, with two vCPUs"
fresh
# shellcheck disable=SC2086 # words
$BOOT -smp 2 -append "$WORDS" -plugin "$BUILD/exectrace-guest.so,out=two,,cpus.xtr,stats=on" >out 2>err </dev/null
expect_equal $? 0 "its status"
clean out >said
expect_lines 1 err '^exectrace-guest: checks: ' "it tells what it counted"
"$RECORDED" two,cpus.xtr >recorded
expect_lines 1 recorded '^file: whole$' "the file is whole"
sound recorded 99700
end

begin "with four vCPUs of all that TCG has"
fresh
trace recorded -smp 4 -cpu max
expect_lines 0 err 'exectrace-guest:' "no complaint"
expect_lines 1 recorded '^file: whole$' "the file is whole"
sound recorded 99700
end

begin "a QEMU that is killed"
fresh
cat >harness <<-'END'
	exec $BOOT -append "$WORDS symbols"
END
WORDS=$WORDS et --run='guest --user=no --output=killed.xtr' --cmd='^qemu-system' -- sh harness >out 2>err </dev/null &
job=$!
wait_for 250 has out 'fib.20. = 6765' || result 1 "the guest runs" out
kill -KILL "$(sed -n 's/^exectrace: \[\([0-9]*\)\] match 1.*/\1/p' err)"
wait $job
"$RECORDED" killed.xtr >recorded
expect_lines 1 recorded '^file: cut$' "the file is there, cut"
expect_lines 0 recorded '^wrong' "what it has is sound"
expect_lines 1 recorded '^function .* \[kernel\] start_kernel$' "from the start"
expect_lines 0 recorded '\[user\]' "programs were not asked for"
end

finish
