#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Stop and continue: a parent sees the root command stop and go on; inside the tree parents see the same of their children.
. "$(dirname "$0")/../lib.sh"

for sig in STOP TSTP TTIN TTOU; do
	both "a child stops itself with SIG$sig" -- "$V/watchstops" -c -g "$V/selfstop" $sig
done
both "a child that only runs: no stop is seen" -- "$V/watchstops" "$V/prog" x
both "a child killed by a signal" -- "$V/watchstops" "$V/prog" -k TERM
both "a shell's child: no stop is seen" -- "$V/watchstops" sh -c "$V/prog 1; $V/prog 2; exec $V/prog 3"

# The parent of exectrace itself: what its caller sees when the root command stops.
for model in parent behind; do
	[ $model = parent ] || behind_can "the same with -D" || continue
	flag=
	[ $model = parent ] || flag=-D
	for sig in STOP TSTP; do
		begin "the root command stops itself with SIG$sig${flag:+ (-D)}"
		"$V/watchstops" -c -g "$V/selfstop" $sig >"$S/plain.out"
		timeout -k 1 "$(limit 10)" "$V/watchstops" -c -g "$EXECTRACE" --engine="$ENGINE" -q $flag "${NOTHING[@]}" -- \
			"$V/selfstop" $sig >"$S/tool.out"
		expect_same "$S/tool.out" "$S/plain.out" "the events"
		end
	done
done

# Stopped from outside and continued: the command does nothing in between. It waits without a child: one that is stopped between its
# vfork and its exec keeps its parent from stopping.
stop_and_go()
{
	local command

	wait_for 30 has "$2" ready
	command=$(cat "$S/run/pid")
	kill -TSTP -- "-$1"
	wait_for 30 stands "$command" || echo "it was not stopped" >>"$S/run/seen"
	: >"$S/run/go"
	always 200 stands "$command" && [ ! -e "$S/run/went" ] || echo "it ran while it was stopped" >>"$S/run/seen"
	: >"$S/run/looked"
	kill -CONT -- "-$1"
}
both -g -d stop_and_go "stopped and continued from outside" -- \
	sh -c 'echo $$ >pid; echo ready; while [ ! -e go ]; do :; done; : >went
		while [ ! -e looked ]; do sleep 0.02; done; cat seen 2>/dev/null; echo end'
finish
