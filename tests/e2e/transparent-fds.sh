#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Descriptors: none is added, none is lost, in the root command and below it, whatever the caller has open.
. "$(dirname "$0")/../lib.sh"

both "the root command" -- "$V/state" fds
both "a grandchild" -- sh -c '"$@"; :' sh sh -c '"$@"; :' sh "$V/state" fds
both "with a pipe" -- sh -c "true | $V/state fds | cat"
both -p 'fd=3 fd=7 fd=100' "with descriptors of the caller" -- "$V/state" fds
both -p 'fd=3 fd=7 fd=100' "with descriptors of the caller, below" -- sh -c '"$@"; :' sh "$V/state" fds
# With some of 0, 1 and 2 closed, what we open must not land there.
for model in parent behind; do
	[ $model = parent ] || behind_can "the same with -D" || continue
	flag=
	[ $model = parent ] || flag=-D
	fresh
	for closed in 0 1 2 0,1 0,2 1,2 0,1,2; do
		begin "nothing of ours takes the place of closed $closed${flag:+ (-D)}"
		for run in plain tool; do
			rm -f "$S/fds"
			words=("$V/under" "close=$closed" --)
			[ $run = plain ] || words+=("$EXECTRACE" "--engine=$ENGINE" -q ${flag:+"$flag"} "${NOTHING[@]}" --)
			"${words[@]}" sh -c 'for n in 0 1 2 3 4 5 6 7 8 9; do
				[ ! -e /proc/$$/fd/$n ] || list="$list $n"
			done
			echo "$list" >"$1"' sh "$S/fds" >/dev/null 2>&1 </dev/null
			mv "$S/fds" "$S/fds.$run" 2>/dev/null || echo "did not run" >"$S/fds.$run"
		done
		expect_same "$S/fds.tool" "$S/fds.plain" "the descriptors"
		end
	done
done
both -p 'nofile=16:16' "few descriptors" -- "$V/state" fds limits
both -p 'nofile=10' "10 descriptors" -- sh -c "$V/state fds; $V/prog x"
both -p 'nofile=16:16' "few descriptors, all taken by the command" -- \
	bash -c 'exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null 8</dev/null 9</dev/null; "$1"/prog x' bash "$V"
finish
