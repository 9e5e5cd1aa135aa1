#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recorded call is shown as the text of the same call has it.
. "$(dirname "$0")/../lib.sh"

# calls: what is left of a list when what differs from run to run is taken out
calls()
{
	grep -oE '(preadv2|pwritev2|ppoll|select|pselect6|recvmmsg|connect|sendto)\(.*' "$1" |
		sed -E 's/ <[0-9.]+>$//; s/ +=/ =/; s/left \{[^}]*\}/left/; s/0x7f[0-9a-f]+/ADDRESS/g; s/\[[0-9]+(->[0-9]+)?/[N/g; s/<[^<>]*>/<>/g'
}

for source in stops inside; do
	begin "as text and as data, $source"
	fresh
	et -q --run="trace --source=$source --output=text" --first -- "$V/recordedcalls" >"$S/out" 2>"$S/err"
	et -q --run="trace --source=$source --format=data --output=data" --first -- "$V/recordedcalls" >"$S/out" 2>"$S/err"
	"$EXECTRACE" syscalls data >shown
	calls text >"$S/text"
	calls shown >"$S/shown"
	expect_same "$S/shown" "$S/text" "the calls"
	expect_lines 1 "$S/shown" 'preadv2\(-1, .*, RWF_HIPRI\|RWF_NOWAIT\) = -1 EBADF' "flags behind a position"
	expect_lines 1 shown 'connect\(3<UNIX:/no/such/socket>|connect\([0-9]+<UNIX:/no/such/socket>' "where a connect was to go"
	expect_lines 0 shown 'sendto\([0-9]+<UNIX:/no/such/socket>' "which is not where it is connected"
	end
done
finish
