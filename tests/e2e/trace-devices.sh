#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What commands of ioctl are given and what devices fill in is shown as strace shows it. There are no such devices: an injected result says that they have answered.
. "$(dirname "$0")/../lib.sh"
needs strace

# answered VICTIM OPTIONS: with addresses of no importance
answered()
{
	local victim=$1 options=$2 name

	begin "$victim $options"
	fresh
	mkdir tracers
	ln -s "$EXECTRACE" tracers/exectrace-trace
	# shellcheck disable=SC2086
	strace -e trace=ioctl $options "$V/$victim" >/dev/null 2>"$S/theirs" </dev/null
	# shellcheck disable=SC2086
	tracers/exectrace-trace --format=strace -e trace=ioctl $options "$V/$victim" >/dev/null 2>"$S/ours" </dev/null
	for name in theirs ours; do
		grep -v 'runs in .* mode' "$S/$name" | sed -E -e 's/0x[0-9a-f]{7,}/ADDR/g' -e 's/ += / = /' >"$S/$name.plain"
	done
	expect "there is something" grep -q "ids_len=3" "$S/theirs.plain"
	expect "commands for SCSI devices, too" grep -q "interface_id='S', dxfer_direction" "$S/theirs.plain"
	expect "and for trusted environments" grep -q "shm_id=7" "$S/theirs.plain"
	expect_same "$S/ours.plain" "$S/theirs.plain" "as strace's"
	end
}

for victim in answered answered32; do
	has_victim "$victim" "$victim" || continue
	answered "$victim" ""
	answered "$victim" "-v"
	for result in 0 1 8 12; do
		answered "$victim" "-e inject=ioctl:retval=$result"
	done
	for style in raw verbose; do
		answered "$victim" "-v -X $style -e inject=ioctl:retval=8"
	done
done
finish
