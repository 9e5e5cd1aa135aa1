# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of guests with triggers and filters share; to be sourced behind lib.sh. `boot` starts a guest, `sound` looks at what was
# recorded of it.
needs qemu-system-x86_64 timeout
BUILD=${V%/tests/victims}
GUEST=$BUILD/guest
RECORDED=$BUILD/tests/tools/guestfile
[ -s "$GUEST/vmlinuz" ] || skip "no kernel for a guest could be had"
[ -s "$GUEST/initrd.gz" ] || skip "no file system for a guest could be made"
patience=85 # a busy machine needs ten times as long as an idle one

# What boots the guest.
export BOOT="timeout 80 qemu-system-x86_64 -accel tcg -m 256 -nographic -no-reboot -nodefaults -serial stdio -kernel $GUEST/vmlinuz -append"
export WORDS='console=ttyS0 panic=-1 quiet'
export INIT="-initrd $GUEST/initrd.gz"
printf '%s\n' "exec \$BOOT \"\$WORDS\" \$INIT" >"$S/harness"

# boot ACTION [OPTION...]: boots the guest with this action; what the guest says, and what is recorded
boot()
{
	et "${@:2}" --run="$1" --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
	expect_equal $? 0 "its status"
	tr -d '\r' <out | sed -n 's/.*\(fib(20)\)/\1/; /^fib/,/^guest ends/p' >said
	expect_lines 0 err 'exectrace-guest:' "no complaint"
	[ ! -s made.xtr ] || "$RECORDED" made.xtr >recorded
}

# sound: there is a whole recording, and it has what every one has to have
sound()
{
	expect_lines 0 recorded '^wrong' "it is sound"
	expect_lines 1 recorded '^file: whole$' "it is whole"
	expect_lines some said '^guest ends$' "the guest ran to its end"
}

# calls_of NAME: how often a function was called
calls_of()
{
	sed -n "s/^function [0-9a-f]* \([0-9]*\) [^ ]* $1\$/\1/p" recorded
}
