#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A picked process may die at any moment of its exec and its hand-over: nothing waits for it after that.
# limit: 240
. "$(dirname "$0")/../lib.sh"
needs strace gdb

patience=60
cp "$V/count" "$S/victim"

# The keeper, whose command line has this too, ends just after exectrace.
none_left() { ! pgrep -f "$S/victim file" >"$S/left"; }

# killed N NAME ACTION: every child is picked, and signalled at a moment that moves across its exec
killed()
{
	local n=$1 name=$2 action=$3 sig

	for sig in 9 15; do
		begin "$name: picked processes die of signal $sig"
		run_as plain "$V/killrace" -s $sig "$n" "$S/victim" file
		run_as tool "$EXECTRACE" --engine="$ENGINE" --run="$action" --exe=victim -- "$V/killrace" -s $sig "$n" "$S/victim" file
		expect_same "$S/tool.status" "$S/plain.status" "the command's status"
		expect_same "$S/tool.out" "$S/plain.out" "all children died at once, or had ended"
		expect_lines 1 "$S/tool.err" '^exectrace: [0-9]+ of [0-9]+ commands matched' "exectrace came to its end"
		expect "nothing is left over" wait_for 10 none_left
		end
	done
}

killed 60 stop stop
killed 30 attach "attach strace -o /dev/null -p {pid}"
killed 60 strace "strace -o /dev/null"
killed 60 trace "trace -o /dev/null"
killed 60 profile "profile -o /dev/null"
killed 100 wrap "wrap env"
killed 100 args "args --append x"
killed 60 log log
killed 12 gdb "gdb -batch -ex continue"

# gdb detaches then, and leaves the stop behind by which it attached.
begin "gdb is told to end at any moment"
fresh
for delay in 0 10 15 20 25 30 35 40 45 50 60 80; do
	"$EXECTRACE" --engine="$ENGINE" --run='gdb -batch -nx' --exe=prog -- "$V/prog" once >"$S/out" 2>"$S/err" &
	et=$!
	nap "0.$(printf %03d $delay)"
	tool=$(pgrep -P $et -x gdb)
	[ -z "$tool" ] || kill $tool 2>"$S/why"
	ended() { ! kill -0 $et 2>"$S/why"; }
	expect "the tree ends, after $delay ms" wait_for 60 ended || pkill -9 -P $et -x prog
	wait $et
	expect_equal "$?: $(cat "$S/out")" "0: says once" "the command, after $delay ms"
done
end
finish
