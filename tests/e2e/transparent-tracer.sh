#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nobody is attached to a process that no rule picks, so what needs to be untraced, or to trace, works.
. "$(dirname "$0")/../lib.sh"

why="every process has a tracer there, and a process has one tracer"

both -e "ptrace:$why" "TracerPid is 0 all its life, seen by itself" -- "$V/tracerpid" self 300
both -e "ptrace:$why" "TracerPid is 0 all its life, seen by its parent" -- "$V/tracerpid" watch 40 "$V/prog" x
both -e "ptrace:$why" "TracerPid is 0 in a thread that executes" -- "$V/tracerpid" watch 20 "$V/threadform" other "$V/prog" x
both -e "ptrace:$why" "TracerPid is 0 around failing execs" -- "$V/tracerpid" watch 20 env PATH=/a:/b:/c:/usr/bin true
both -e "ptrace:$why" "a child asks to be traced" -- "$V/ptracer" "$V/prog" x
both -e "ptrace:a stop of the tracee ends the wait" "signals ignored by default interrupt nothing" -- "$V/ignoredsig"
has_victim lsan "LeakSanitizer" &&
	both -e "ptrace:$why" "LeakSanitizer" -- "$V/lsan"

# The same when other processes of the tree are picked all the time.
if engine_can notify "untraced beside picked ones" "$why"; then
	begin "untraced beside picked ones"
	fresh
	et -q --run="strace -o $S/beside.{n}" --cmd='prog PICKME' -- sh -c "
		$V/tracerpid self 400 >self & $V/tracerpid watch 30 $V/prog x >watch &
		for i in 1 2 3 4 5; do $V/prog PICKME; done; wait; cat self watch" >"$S/beside.out" 2>"$S/beside.err"
	expect_lines 2 "$S/beside.out" 'looked; looks with a tracer: 0$' "no tracer seen"
	expect "five logs" test "$(ls "$S"/beside.[1-5] 2>/dev/null | wc -l)" = 5
	end
fi

nested_strace()
{
	both -e "ptrace:$why" "strace${*:+ $*} inside" -- sh -c "strace -f -o log $* sh -c '$V/prog -x 3 a; true'; echo \$?
		grep -c 'execve.*= 0' log; grep -c 'says a' log; grep -c '+++ exited' log" # execve may be resumed
}

if command -v strace >/dev/null; then
	nested_strace
	nested_strace -e trace=execve,write,exit_group
	both -e "ptrace:$why" "strace -D inside" -- sh -c "strace -D -o log $V/prog -x 3 a; echo \$?; while ! grep -qs '+++ exited' log; do sleep 0.1; done; grep -c 'says a' log"
	both -e "ptrace:$why" "strace -p inside" -- sh -c "sh -c 'until grep -q TracerPid:.[1-9] /proc/\$\$/status; do :; done' &
		strace -o log -p \$! 2>/dev/null; grep -c '+++ exited' log"
else
	skip_case "strace inside" "strace is not installed"
fi
if command -v gdb >/dev/null; then
	both -e "ptrace:$why" "gdb inside" -- sh -c "gdb -nx -batch -ex 'break work' -ex run -ex 'bt 1' -ex continue --args $V/proggdb a 2>&1 |
		grep -E '^(Breakpoint|says|.*exited)' | sed 's/process [0-9]*/process N/; s/0x[0-9a-f]*/ADDRESS/g'"
	both -e "ptrace:$why" "gdb -p inside" -- sh -c "$V/proggdb -s 60000 a & until [ /proc/\$!/exe -ef $V/proggdb ]; do :; done
		gdb -nx -batch -ex 'info inferiors' -ex kill -p \$! 2>&1 | grep -c 'process'; wait \$!; echo \$?"
else
	skip_case "gdb inside" "gdb is not installed"
fi
finish
