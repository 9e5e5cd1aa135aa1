#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stop: the program waits before its first instruction; its pid, how to attach and how to release it are printed.
. "$(dirname "$0")/../lib.sh"

stopped='^exectrace: \[[0-9]+\] stopped'

lacks()
{
	! has "$@"
}

# What somebody does who reads the line.
release()
{
	wait_for 30 has "$S/act.err" "$stopped" || return
	always 100 lacks "$S/act.out" 'says PICKME' && : >"$S/stood"
	sh -c "$(sed -n 's/^exectrace: .*release: //p' "$S/act.err")"
}

attach_strace()
{
	wait_for 30 has "$S/act.err" "$stopped" || return
	strace -o "$S/log" -p "$(match_pid "$S/act.err")" >/dev/null 2>&1 </dev/null
}

attach_gdb()
{
	wait_for 30 has "$S/act.err" "$stopped" || return
	timeout "$(limit 100)" gdb -nx -batch -ex 'break main' -ex continue -ex 'info args' -ex continue -p "$(match_pid "$S/act.err")" \
		>"$S/client" 2>&1 </dev/null
}

kill_it()
{
	wait_for 30 has "$S/act.err" "$stopped" || return
	kill -KILL "$(match_pid "$S/act.err")"
}

begin "released"
driver=release
rm -f "$S/stood"
act stop
expect_lines 1 "$S/act.err" "$stopped.*attach: .*gdb -p $(match_pid "$S/act.err").*release: " "the line"
expect "it had not run before" test -e "$S/stood"
end
if command -v strace >/dev/null; then
	begin "strace -p"
	driver=attach_strace
	act stop
	check_strace "$S/log"
	end
fi
if command -v gdb >/dev/null; then
	begin "gdb -p"
	driver=attach_gdb
	act stop
	expect_lines some "$S/client" '^Breakpoint 1, main \(argc=6, ' "gdb stops in main"
	end
fi
begin "killed while it is stopped"
driver=kill_it
run_as act "$EXECTRACE" --engine="$ENGINE" --run=stop --cmd='^\S*proggdb .*PICKME' -- sh -c "$TREE"
driver=
expect_equal "$(grep -av Killed "$S/act.out")" $'says a\nstatus 137\nsays c' "the tree goes on"
end
begin "the command itself, killed while it is stopped"
driver=kill_it
run_as act timeout --foreground "$(limit 60)" "$EXECTRACE" --engine="$ENGINE" --run=stop --cmd='PICKME' -- "$V/prog" PICKME
driver=
expect_lines 1 "$S/act.err" "^exectrace: 1 of 1 commands matched" "the end"
expect_lines 0 "$S/act.status" ' exit 124$' "nothing is waited for"
end
begin "its parent sees no stop"
driver=release
fresh
run_as act "$EXECTRACE" --engine="$ENGINE" --run=stop --cmd="$PICK" -- "$V/watchstops" "$V/prog" -x 3 PICKME
expect_equal "$(cat "$S/act.out")" $'says PICKME\nexited 3' "only its end"
end
begin "it says so also with -q"
driver=release
run_as act "$EXECTRACE" --engine="$ENGINE" -q --run=stop --cmd="$PICK" -- "$V/prog" -x 3 PICKME
expect_lines 1 "$S/act.err" "$stopped" "the line"
expect_lines 1 "$S/act.status" ' exit 3$' "the status"
end
driver=
finish
