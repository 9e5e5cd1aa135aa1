#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The built-in tracer and programs with seccomp filters of their own: they end as without us, and what shows is what happened: a call
# that such a filter refuses, too, as strace shows it when it stops at every call.
. "$(dirname "$0")/../lib.sh"

# calls FILE: name and result of each call
calls()
{
	sed -E -n -e 's/^[0-9]+ +[0-9.]+ (<\.\.\. )?([a-z0-9_]+)( resumed>|\().* = (-?[0-9]+)( E[A-Z]+)?.*$/\2 = \4\5/p' \
		-e 's/^[0-9]+ +[0-9.]+ (\+\+\+ .*)$/\1/p' "$1" | sort
}

# same NAME LIST COMMAND...: traced with the filter, a command prints what it prints without, and ends so; its calls are strace's
same()
{
	local name=$1 list=$2

	shift 2
	begin "$name"
	run_as plain "$@"
	run_as traced "$EXECTRACE" --engine="$ENGINE" -v --run="trace --filter=$list --output=$S/log" --exe="$exe" -- "$@"
	expect_same "$S/traced.status" "$S/plain.status" "same wait status"
	expect_same "$S/traced.out" "$S/plain.out" "same output"
	if command -v strace >/dev/null; then
		fresh
		strace -f -y -ttt -e trace="$list,execve" -o "$S/theirs.all" "$@" >/dev/null 2>&1 </dev/null
		# From the execve on that is picked: the last one.
		tac "$S/theirs.all" | sed '/ execve(.* = 0$/q' | tac | sed 1d >"$S/theirs"
		calls "$S/theirs" >"$S/theirs.calls"
		calls "$S/log" >"$S/log.calls"
		expect_same "$S/log.calls" "$S/theirs.calls" "the calls that strace shows"
	fi
}

# In a sandbox from the beginning: nothing is done inside.
why='^exectrace.*: --filter: every call stopped the process, .*: the process has a seccomp filter of its own$'
exe=prog
for action in errno kill; do
	for call in seccomp getppid; do
		same "a sandbox that answers $call by $action" openat,write "$V/sandbox" $action $call "$V/prog" -x 3 a
		expect_lines 1 "$S/traced.err" "$why" "-v says why all calls stop"
		end
	done
done
same "calls that the sandbox refuses" openat,getppid "$V/sandbox" errno openat "$V/prog" a
expect_lines some "$S/log" 'openat\(.* = -1 EPERM' "they are shown"
end

exe=sandbox
# One that comes later.
for form in seccomp prctl kill tsync; do
	same "a filter that comes later: $form" openat,write "$V/sandbox" later $form
	end
done
same "a filter that comes later, and is to be seen" openat,seccomp "$V/sandbox" later seccomp
expect_lines some "$S/log" 'seccomp\(SECCOMP_SET_MODE_FILTER' "the call"
end

finish
