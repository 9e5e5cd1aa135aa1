#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exectrace stopped by SIGSTOP, which it cannot catch: the tree goes on executing, and is watched again after SIGCONT.
. "$(dirname "$0")/../lib.sh"
engines notify "a tracer of the tree that is stopped cannot let its tracees go on"

lines()
{
	[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

state()
{
	[ "$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null)" = "$2" ]
}

# The process that supervises, apart from timeout(1), its keeper and its sentinel.
supervisor()
{
	pid=$(ps -e -o pid=,comm=,args= | awk -v run="$S/run/loop" '$2 == "exectrace" && index($0, run) && !/timeout/ {print $1; exit}')
	[ -n "$pid" ]
}

for flag in "" -D; do
	[ -z "$flag" ] || behind_can "the same with -D" || continue
	begin "the tree goes on${flag:+ ($flag)}"
	fresh
	printf '%s\n' 'while [ ! -e go ]; do' "$V/prog a >/dev/null; echo >>n" 'done' "$V/prog MATCH >/dev/null" ': >ended' 'exit 3' >loop
	# shellcheck disable=SC2086 # no word when empty
	et $flag --run='log --output=log' --cmd='^\S*prog MATCH' -- sh "$S/run/loop" >"$S/out" 2>"$S/err" &
	job=$!
	expect "it runs" wait_for 20 lines n 3
	if expect "it is found" wait_for 5 supervisor; then
		for round in 1 2 3; do
			kill -STOP "$pid"
			expect "it is stopped" wait_for 5 state "$pid" T
			had=$(wc -l <n)
			start=${EPOCHREALTIME/[^0-9]/}
			expect "programs are executed while it is stopped, round $round" wait_for 10 lines n $((had + 1))
			# One exec that waits, and a machine that has other things to do.
			expect "soon" test $((${EPOCHREALTIME/[^0-9]/} - start)) -lt "$(limit 2000000)"
			expect "and more" wait_for 10 lines n $((had + 20))
			kill -CONT "$pid"
			expect "it is continued" wait_for 5 eval "! state $pid T"
		done
	fi
	: >go
	wait $job
	expect_equal $? 3 "the status"
	expect "the command has ended" test -e ended
	expect "what it matches is logged" wait_for 10 has log 'prog MATCH'
	end
done

begin "a parked process stays parked, what it waits for comes after SIGCONT"
fresh
printf '%s\n' ': >begun; while [ ! -e go ]; do sleep 0.02; done' "$V/prog PICK >out; : >ended" >loop
et --run="attach sh -c 'while [ ! -e tool ]; do sleep 0.02; done; exec strace -qq -o log -p {pid}'" --cmd='^\S*prog PICK' -- \
	sh "$S/run/loop" >"$S/out" 2>"$S/err" &
job=$!
expect "it runs" wait_for 20 test -e begun
expect "it is found" wait_for 5 supervisor
: >go
expect "it is parked" wait_for 10 has "$S/err" 'match 1,'
kill -STOP "$pid"
expect "it is stopped" wait_for 5 state "$pid" T
expect "other programs are executed" timeout "$(limit 5)" true
expect "it waits" test ! -e ended
: >tool
kill -CONT "$pid"
expect "the tool has it, and lets it go" wait_for 20 test -e ended
wait $job
expect_lines some log '^execve|^brk' "from its beginning"
end
finish
