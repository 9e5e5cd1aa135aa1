#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: guests that boot again, panic, are restored from a snapshot, and QEMUs that are killed at any time.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
needs cpio gzip

begin "a guest that boots again"
fresh
# shellcheck disable=SC2086 # words
$QEMU -serial file:out -append "console=ttyS0 no_timer_check quiet again" -plugin "$BUILD/exectrace-guest.so,out=again.xtr" 2>err </dev/null &
job=$!
twice()
{
	local n

	n=$(grep -ac 'guest ends' out 2>/dev/null)
	[ "${n:-0}" -ge 2 ]
}
wait_for 250 twice || result 1 "it boots twice" out
kill -TERM "$(pgrep -P $job -x qemu-system-x86)"
wait $job
"$RECORDED" again.xtr >recorded
expect_lines 1 recorded '^file: whole$' "the file is whole"
expect_lines 0 recorded '^wrong' "it is sound"
# The third boot may be under way.
grep -E '\[kernel\] start_kernel$' recorded >kernels
expect "each kernel has its names" test "$(wc -l <kernels)" -ge 2
expect_lines 2 recorded "^function 0*$FIB 21891 /init fib$" "and each time fib(20) is 21,891 calls"
expect_lines 2 recorded '^function .* 2 /init fail_often$' "in the processes of each"
end

# QEMU throws all of its translations away every now and then, while other vCPUs run.
begin "translations that are thrown away"
fresh
# shellcheck disable=SC2086 # words
timeout "$(limit 270)" qemu-system-x86_64 -accel tcg,tb-size=4 -smp 4 -m 256 -nographic -nodefaults -no-reboot -serial file:out \
	-kernel "$GUEST/vmlinuz" $INIT -append "$WORDS" -plugin "$BUILD/exectrace-guest.so,out=small.xtr" 2>err </dev/null
expect_equal $? 0 "its status"
expect_lines 1 out 'guest ends' "the guest ran to its end"
"$RECORDED" small.xtr >recorded
expect_lines 1 recorded '^file: whole$' "the file is whole"
expect_lines 0 recorded '^wrong' "it is sound"
end

begin "a kernel that starts another"
fresh
mkdir root
cp "$V/guestinit" root/init
cp "$GUEST/vmlinuz" "$GUEST/initrd.gz" root
(cd root && find . | cpio --quiet -o -H newc | gzip -1) >initrd.gz
# shellcheck disable=SC2086 # words
$BARE -m 512 -no-reboot -serial file:out -initrd initrd.gz -append "$WORDS kexec symbols" \
	-plugin "$BUILD/exectrace-guest.so,out=kexec.xtr" 2>err </dev/null
expect_equal $? 0 "its status"
expect_equal "$(grep -ac 'guest ends' out)" 2 "both kernels have run"
expect_lines 0 err 'exectrace-guest:' "no complaint"
"$RECORDED" kexec.xtr >recorded
expect_lines 1 recorded '^file: whole$' "the file is whole"
expect_lines 0 recorded '^wrong' "it is sound"
expect_lines 2 recorded '^function .* 1 \[kernel\] start_kernel$' "each has its names"
expect_lines 2 recorded "^function 0*$FIB 21891 /init fib$" "and each time fib(20) is 21,891 calls"
expect_lines 200 recorded '^syscall 1 80 -2$' "with the calls of the first program of each"
end

begin "a guest that panics"
fresh
export WORDS="$WORDS panics"
trace recorded
expect_lines 1 recorded '^file: whole$' "the file is whole"
expect_lines 0 recorded '^wrong' "it is sound"
expect_lines 1 recorded '^function .* 1 \[kernel\] panic$' "the panic is there"
expect_lines 1 recorded "^function 0*$FIB 21891 /init fib$" "and what was before it"
expect_lines 1 recorded '^exit 1 256$' "with the status of its init"
end

begin "QEMUs that are killed at any time"
fresh
for i in 1 2 3 4; do
	# shellcheck disable=SC2086 # words
	$BOOT -append "$WORDS" -plugin "$BUILD/exectrace-guest.so,out=killed$i.xtr" >out$i 2>err$i </dev/null &
	job=$!
	wait_for 250 test -s killed$i.xtr || result 1 "it begins" err$i
	pause=$((RANDOM % 3)).$((RANDOM % 10)) # at any time: nothing is waited for
	echo "# QEMU $i is killed $pause s after it has begun to write"
	sleep $pause
	kill -KILL "$(pgrep -P $job -x qemu-system-x86)" 2>>killed
	wait $job 2>>killed
	"$RECORDED" killed$i.xtr >recorded$i
	expect_equal $? 0 "killed, the file can be read"
	expect_lines 1 recorded$i '^file: (cut|whole)$' "up to somewhere"
	expect_lines 0 recorded$i '^wrong' "and is sound up to there"
done
end

if ! command -v qemu-img >/dev/null; then
	skip "qemu-img is not installed"
fi
begin "a guest that is restored from a snapshot"
fresh
qemu-img create -q -f qcow2 disk.qcow2 16M
DISK="-drive if=none,id=disk,file=disk.qcow2,format=qcow2"
mkfifo orders
# shellcheck disable=SC2086 # words
$QEMU -no-reboot $DISK -append "$WORDS waits" -monitor stdio -serial file:before <orders >monitor 2>&1 &
job=$!
exec 9>orders
wait_for 250 has before 'guest waits' || result 1 "it waits" before
echo savevm there >&9
echo quit >&9
exec 9>&-
wait $job
expect_equal $? 0 "its status"
# shellcheck disable=SC2086 # words
echo go on | $QEMU -no-reboot $DISK -append "$WORDS waits" -loadvm there -serial stdio \
	-plugin "$BUILD/exectrace-guest.so,out=live.xtr" >out 2>err
expect_lines 0 err 'exectrace-guest:' "no complaint"
clean out >said
expect_lines 1 said '^fib\(20\) = 6765$' "it goes on"
"$RECORDED" live.xtr >recorded
expect_lines 1 recorded '^file: whole$' "the file is whole"
expect_lines 0 recorded '^wrong' "it is sound"
expect_lines 0 recorded ' start_kernel$' "the kernel has begun before"
expect_lines 1 recorded "^function 0*$FIB 21891 /init fib$" "fib(20) is 21,891 calls"
expect_lines some recorded '^task 2 kthreadd$' "tasks that were there have their names"
child=$(sed -n 's/^child \([0-9]*\)$/\1/p' said)
expect_lines 100 recorded '^syscall 1 80 -2$' "the calls of the one that was there"
expect_lines 100 recorded "^syscall $child 80 -2$" "and those of its child"
end

finish
