#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A system call of the supervisor's main thread fails once, each of its calls in turn: the command's result is the same.
. "$(dirname "$0")/../lib.sh"
needs strace

# run_failing CALL ERROR N ACTION: with the Nth CALL failing
run_failing()
{
	timeout --foreground -k 1 "$(limit 20)" strace -qq -o /dev/null -e trace="$1" -e inject="$1":error="$2":when="$3" \
		"$EXECTRACE" --engine="$ENGINE" --run="$4" --exe=echo -- sh -c '/bin/echo one two; exit 3' >"$S/out" 2>"$S/err"
	outcome="$? $(tr '\n' . <"$S/out")"
}

# As without us, but for the argument, or not started with a reason.
same()
{
	case $outcome in
	'3 one two.' | '3 one two more.') return 0 ;;
	'125 ') grep -Eq 'cannot (start|watch)' "$S/err" && return 0 ;;
	esac
	echo "status and output: $outcome"
	cat "$S/err"
	return 1
}

each()
{
	local call=$1 error=$2 last=$3 action=$4 n

	begin "$call fails with $error, $action"
	for ((n = 1; n <= last; n++)); do
		run_failing "$call" "$error" "$n" "$action"
		expect "number $n" same
	done
	end
}

each ioctl EPERM 6 'attach true {pid}'
each pwrite64 ENOMEM 3 'attach true {pid}'
each wait4 EAGAIN 8 'attach true {pid}'
each ptrace EPERM 10 'attach true {pid}'
each ptrace EPERM 10 'args --append more'
each process_vm_writev ENOMEM 3 'args --append more'
finish
