#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A daemon that outlives the command keeps executing; what is left of exectrace holds nothing of the caller's, and ends with the daemon.
. "$(dirname "$0")/../lib.sh"

daemon="setsid sh -c 'i=0; while [ \$i -lt 12 ]; do $V/count count; sleep 0.1; i=\$((i+1)); done; $V/prog -x 3 x >last; echo \$? >>last
	mv last ended' </dev/null >/dev/null 2>&1 & exit 5"
printf 'says x\n3\n' >"$S/want"
for model in parent behind; do
	[ $model = parent ] || behind_can "the same with -D" || continue
	flag=
	[ $model = parent ] || flag=-D
	begin "the daemon goes on${flag:+ (-D)}"
	fresh
	new_run
	ET_RUN=$ET_RUN et -q $flag "${NOTHING[@]}" -- sh -c "$daemon" >"$S/out" 2>"$S/err"
	expect_equal $? 5 "the command's status"
	sleep 0.2
	for pid in $(ours); do
		# What is left holds no terminal, no pipe and no file of ours.
		for fd in "/proc/$pid"/fd/[0-9]*; do
			case $(readlink "$fd") in
			"$S"/* | pipe:* | /dev/pts/* | /dev/tty) expect "process $pid does not hold $fd: $(readlink "$fd")" false ;;
			esac
		done
	done
	expect "the daemon ends" wait_for 30 test -e ended
	expect_same ended "$S/want" "its last program"
	expect_equal "$(wc -c <count)" 12 "all its programs ran"
	expect "nothing of ours is left" wait_for 30 none_left
	end
done
finish
