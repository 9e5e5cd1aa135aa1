# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of guests share; sourced behind lib.sh.

needs qemu-system-x86_64 timeout nm
: "${BUILD:=${V%/tests/victims}}"
GUEST=$BUILD/guest
RECORDED=$BUILD/tests/tools/guestfile
[ -s "$GUEST/vmlinuz" ] || skip "no kernel for a guest could be had"
[ -s "$GUEST/initrd.gz" ] || skip "no file system for a guest could be made"
patience=280 # a busy machine needs fifty times as long as an idle one

# What boots the guest; a file system of its own comes with another -initrd behind it.
export INIT="-initrd $GUEST/initrd.gz"
export BARE="timeout $(limit 270) qemu-system-x86_64 -accel tcg -m 256 -nographic -nodefaults -kernel $GUEST/vmlinuz"
QEMU="$BARE $INIT"
export BOOT="$QEMU -no-reboot -serial stdio"
# On a machine that is very busy the kernel takes the timer for broken, and panics.
export WORDS='console=ttyS0 panic=-1 no_timer_check quiet'
FIB=$(nm "$V/guestinit" | sed -n 's/^0*\([0-9a-f]*\) [tT] fib$/\1/p')

# clean FILE: what came over the serial line, from the guest's own program
clean()
{
	tr -d '\r' <"$1" | sed -n 's/.*\(fib(20)\)/\1/; /^fib/,/^guest ends/p'
}

# share FILE: of the frames closed by their own return, in thousandths of a percent
share()
{
	sed -n 's/^note checks: .*exact \([0-9]*\)\.\([0-9]*\)%.*/\1\2/p' "$1" | sed 's/^0*\(.\)/\1/'
}

# trace FILE WORD...: boots with the plugin, which writes to FILE.xtr; what that has is in FILE, what was said in out and err.
trace()
{
	local file=$1

	shift
	# shellcheck disable=SC2086 # words
	$BOOT -append "$WORDS" "$@" -plugin "$BUILD/exectrace-guest.so,out=$file.xtr${more:+,$more}" >out 2>err </dev/null
	expect_equal $? 0 "its status"
	clean out >said
	"$RECORDED" "$file.xtr" >"$file"
}

# What tests of triggers and filters share.
printf '%s\n' "exec \$BARE -no-reboot -serial stdio -append \"\$WORDS\" \$INIT" >"$S/harness"

# boot ACTION [OPTION...]: boots the guest with this action; what the guest says, and what is recorded
boot()
{
	et "${@:2}" --run="$1" --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
	expect_equal $? 0 "its status"
	clean out >said
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
