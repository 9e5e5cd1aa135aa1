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
			expect "soon" test $((${EPOCHREALTIME/[^0-9]/} - start)) -lt "$(limit 4000000)"
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

# stopped_in_receipt N: an exec is received, and exectrace stopped before it can say so; the program runs all the same
stopped_in_receipt()
{
	rm -f "$S/receipt"
	"$V/stopreceipt" "$pid" >"$S/receipt" &
	stopper=$!
	expect "the next receipt is watched" wait_for 10 has "$S/receipt" waits
	sleep 0.3 # the keeper goes to sleep
	start=${EPOCHREALTIME/[^0-9]/}
	echo >&9
	expect "exectrace is stopped in it" wait_for 10 has "$S/receipt" '^stopped'
	expect "the program is executed, round $1" wait_for 10 lines n "$1"
	expect "soon" test $((${EPOCHREALTIME/[^0-9]/} - start)) -lt "$(limit 4000000)"
	expect "it is still stopped" stands "$pid"
	wait $stopper
	kill -CONT "$pid"
	expect "it is continued" wait_for 5 eval "! state $pid T"
}

# switches PID: how often it has gone to sleep
switches()
{
	sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status"
}

# rests PID: it sleeps, for longer than it would take to look again
rests()
{
	local had

	had=$(switches "$1")
	sleep 0.3
	[ -n "$had" ] && [ "$(switches "$1")" = "$had" ]
}

# A shell that executes nothing but the one program when a line comes; with a program that is parked, and waits in its call.
for how in alone parked denied; do
	name="stopped when it has received an exec and not said so"
	parked=
	denied=()
	case $how in
	parked) name="$name, while another is parked" parked=1 ;;
	denied) name="$name, where epoll_create1 is refused" denied=("$V/denied" EPERM epoll_create1) ;;
	esac
	if yama_binds; then
		skip_case "$name" "kernel.yama.ptrace_scope is 1: the test cannot attach to exectrace"
		continue
	fi
	begin "$name"
	fresh
	mkfifo orders
	printf '%s\n' ${parked:+"$V/prog PICK >out &"} ': >begun' 'while read -r order; do' "$V/prog a >/dev/null; echo >>n" 'done <orders' \
		': >ended' wait 'exit 3' >loop
	"${denied[@]}" timeout -k 1 "$(limit 20)" "$EXECTRACE" --engine="$ENGINE" \
		--run="attach sh -c 'until [ -e tool ]; do sleep 0.02; done; exec strace -qq -o log -p {pid}'" --cmd='^\S*prog PICK' -- \
		sh "$S/run/loop" >"$S/out" 2>"$S/err" &
	job=$!
	exec 9<>orders
	expect "it runs" wait_for 20 test -e begun
	[ -z "$parked" ] || expect "it is parked" wait_for 10 has "$S/err" 'match 1,'
	if expect "it is found" wait_for 5 supervisor; then
		keeper=$(ps -e -o pid=,ppid=,comm= | awk -v pid="$pid" '$2 == pid && $3 == "exectrace-keep" { print $1 }')
		for round in 1 2 3; do
			stopped_in_receipt $round
		done
		[ $how = denied ] || expect "the keeper ($keeper) sleeps when nothing is executed" wait_for 10 rests "$keeper"
	fi
	: >tool
	exec 9>&-
	wait $job
	expect_equal $? 3 "the status"
	expect "the command has ended" test -e ended
	end
done
finish
