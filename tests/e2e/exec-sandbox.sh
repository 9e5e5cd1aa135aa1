#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs in sandboxes whose seccomp filter allows what they do themselves and nothing more: picked, with every action, they do what
# they would have done, and so does the tree.
. "$(dirname "$0")/../lib.sh"
needs strace
[ "$(uname -m)" = x86_64 ] || skip "the victim's filters are for x86-64"

# numbers COMMAND...: the system calls of all that it runs, as a list of numbers
numbers()
{
	strace -f -qq -n -o "$S/calls" "$@" >/dev/null 2>&1
	sed -nE 's/^[0-9]+ +\[ *([0-9]+)\].*/\1/p' "$S/calls" | sort -nu | paste -sd,
}

# What somebody does who reads the line of `stop`.
release()
{
	wait_for 20 has "$S/act.err" '^exectrace: \[[0-9]+\] stopped' || return
	sh -c "$(sed -n 's/^exectrace: .*release: //p' "$S/act.err")"
}

# Which user exectrace and the tree run as: exec-sandbox-user.sh says another.
user=${sandbox_user-self}
as=()
[ "$user" = self ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups --)

# act ACTION COMMAND...: under exectrace; the program is picked
act()
{
	local run=$1

	shift
	driver=
	[ "$run" != stop ] || driver=release
	rm -f "$S/tool"
	: >"$S/tool"
	chmod 666 "$S/tool"
	run_as act "${as[@]}" "$EXECTRACE" --engine="$ENGINE" --run="$run" --cmd='^\S*(prog|nameless) .*PICKME' -- "$@"
	driver=
	expect_same "$S/act.status" "$S/plain.status" "$user, $run: the status"
	expect_same "$S/act.out" "$S/plain.out" "$user, $run: the output"
	expect_lines 1 "$S/act.err" '^exectrace: 1 of [0-9]+ commands matched$' "$user, $run: it is picked"
}

# Where the loader of the program begins: the digits that do not depend on where it is mapped. It may have no symbols.
loader=$(readelf -lW "$V/prog" | sed -n 's/.*interpreter: \(.*\)\]$/\1/p')
entry=$(readelf -hW "$loader" | sed -n 's/.*Entry point address: .*\(...\)$/\1/p')

# Whether no tool may attach: Yama wants a prctl of the process, which its filter may not allow, and only root can read the filter.
yama_refuses()
{
	[ "$ENGINE" = notify ] && [ "$(id -u)$user" != 0self ] && [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null)" = 1 ]
}

# shown TOOL: what strace or gdb has seen of it, or why they could not
shown()
{
	if yama_refuses; then
		expect_lines 1 "$S/act.err" '^exectrace: \[[0-9]+\] kernel.yama.ptrace_scope is 1: no tool can attach' "$1 may not attach"
	elif [ "$1" = strace ]; then
		check_strace "$S/tool"
	else
		expect_lines 1 "$S/act.err" "^\\\$1 = 0x[0-9a-f]*$entry\$" "gdb shows it at its first instruction"
	fi
}

# sandbox NAME MODE ACTION NUMBERS: with every action of ours, or those of `actions`
actions=(log "strace -o $S/tool" "attach true {pid}" stop 'trace -o /dev/null' 'profile -o /dev/null')
sandbox()
{
	local name=$1 run

	shift
	run_as plain "${as[@]}" "$V/jail" "$@" "$V/prog" -x 3 PICKME
	begin "$name ($user)"
	expect_lines 1 "$S/plain.out" '^says PICKME$' "the program survives its own filter"
	for run in "${actions[@]}"; do
		act "$run" "$V/jail" "$@" "$V/prog" -x 3 PICKME
		[ "${run%% *}" != strace ] || shown strace
	done
	if [ ${#actions[@]} -gt 2 ] && command -v gdb >/dev/null; then
		act "gdb -batch -nx -ex 'print/x \$pc' -ex continue" "$V/jail" "$@" "$V/prog" -x 3 PICKME
		shown gdb
	fi
	end
}

# As sandbox, for wrap: the wrapper lives in the same sandbox.
wrapped()
{
	local name=$1

	shift
	run_as plain "${as[@]}" "$V/jail" "$@" "$V/prog" -x 3 PICKME
	begin "$name ($user)"
	act 'wrap env WRAPPED=1' "$V/jail" "$@" "$V/prog" -x 3 PICKME
	end
}

own=$(numbers "$V/prog" -x 3 PICKME)
both=$(numbers env "$V/prog" -x 3 PICKME)
sandbox "only its own calls, else it is killed" only kill "$own"
wrapped "wrap, only the calls of both, else it is killed" only kill "$both"
sandbox "one path pointer, else it is killed" pin kill 0
wrapped "wrap, one path pointer, else it is killed" pin kill 0
sandbox "execveat only" execveat kill 0
wrapped "wrap, execveat only" execveat kill 0
if engine_can ptrace "a listener of its own" "a process has one listener at most (seccomp_unotify(2))"; then
	sandbox "a listener of its own" listen listen 59,322,128,157
fi
actions=("strace -o $S/tool" "attach true {pid}")
for how in errno thread trap; do
	sandbox "only its own calls, else $how" only $how "$own"
	sandbox "one path pointer, else $how" pin $how 0
done
sandbox "a filter that logs" only log "$own"
finish
