#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every byte of standard input, output and error passes unchanged, and nothing is added.
. "$(dirname "$0")/../lib.sh"

head -c 300000 /dev/urandom >"$S/random"
both -i "$S/random" "standard input is the command's alone" -- md5sum
both "binary output" -- cat "$S/random"
both "output to both streams" -- sh -c 'for i in 1 2 3; do echo out $i; echo err $i >&2; done'
both "2 MB through a pipe" -- sh -c 'head -c 2000000 /dev/zero | md5sum'
both "a reader that goes away" -- bash -c 'yes | head -n 3; echo ${PIPESTATUS[0]}'
both -i "$S/random" "input shared by commands one after the other" -- \
	sh -c 'dd bs=1000 count=1 2>/dev/null | md5sum; dd bs=1000 count=1 2>/dev/null | md5sum'
both "output appended to one file by several programs" -- \
	sh -c "for i in 1 2 3 4 5; do $V/prog \$i >>file; done; cat file"
both "lines in order from many children" -- sh -c "for i in 1 2 3 4 5 6 7 8; do $V/prog \$i; done"

# A pipe that the caller reads must reach its end when the command does.
"$V/prog" x >"$S/pipe.want"
for flag in "" -D; do
	[ -z "$flag" ] || behind_can "the pipe ends with the command (-D)" || continue
	begin "the pipe ends with the command${flag:+ (-D)}"
	fresh
	start=$EPOCHREALTIME
	# shellcheck disable=SC2086 # no word when empty
	et -q $flag "${NOTHING[@]}" -- "$V/prog" x | cat >"$S/pipe.out"
	expect_same "$S/pipe.out" "$S/pipe.want" "the bytes"
	expect "within $(limit 10) s" test $((${EPOCHREALTIME/./} - ${start/./})) -lt "$(limit 10000000)"
	end
done
finish
