#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# gdb, gdbserver and lldb without a terminal: they get the program before its first instruction.
# groups: check tools
. "$(dirname "$0")/../lib.sh"

gdb_works()
{
	command -v gdb >/dev/null && gdb -nx -batch -ex 'break work' -ex run --args "$V/proggdb" x 2>&1 | grep -q '^Breakpoint 1, work'
}

commands="-ex 'break main' -ex continue -ex 'info args' -ex 'bt 1' -ex continue"
if ! gdb_works; then
	skip_case "gdb" "gdb does not work here without us, or is not installed"
else
	begin "gdb -batch: break main, continue"
	act "gdb -nx -batch $commands"
	expect_lines some "$S/act.err" '^Breakpoint 1, main \(argc=6, ' "it stops in main"
	expect_lines some "$S/act.err" '^argc = 6$' "the argument's value"
	expect_lines some "$S/act.err" 'exited with code 03\]$' "to the end"
	end
	begin "gdb stands before the first instruction of the loader"
	act "gdb -nx -batch -ex 'info registers rip' -ex 'x/i \$pc' -ex 'info sharedlibrary' -ex continue"
	# Where the loader has no symbols, its header tells its first instruction; it is loaded at a whole page.
	loader=$(readelf -l "$V/proggdb" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
	entry=$(readelf -h "$loader" | sed -n 's/.*Entry point address: *0x.*\(...\)$/\1/p')
	expect "the loader has an entry point" test -n "$entry"
	expect_lines 1 "$S/act.err" "^rip +0x[0-9a-f]+$entry +0x[0-9a-f]+$entry( <_(dl_)?start>)?$" "at _start"
	end
	begin "gdb detaches: the program runs on"
	act "gdb -nx -batch -ex detach"
	end
	begin "gdb with a command file"
	printf 'break work\ncontinue\nbt\ncontinue\n' >"$S/commands.gdb"
	act "gdb -nx -batch -x $S/commands.gdb"
	expect_lines some "$S/act.err" '^Breakpoint 1, work \(argc=1, ' "it stops in work"
	end
	begin "gdb by attach"
	act "attach gdb -nx -batch $commands -p {pid}"
	expect_lines some "$S/act.err" '^Breakpoint 1, main ' "it stops in main"
	end
	begin "an interactive gdb without a terminal: a hint, and the program runs on"
	act "gdb"
	expect_lines 1 "$S/act.err" '^exectrace: .*gdb.*terminal.*(gdbserver|batch)' "the hint"
	end
	for prog in progstatic prog32; do
		has_victim $prog "gdb: $prog" || continue
		begin "gdb: $prog"
		fresh
		et --run="gdb -nx -batch -ex 'break main' -ex continue -ex continue" --cmd="$PICK" -- sh -c "$V/$prog -x 3 PICKME; echo \$?" \
			>"$S/out" 2>"$S/err"
		expect_lines some "$S/err" '^Breakpoint 1, .*main \(' "it stops in main"
		expect_equal "$(cat "$S/out")" $'says PICKME\n3' "the program"
		end
	done
	begin "gdb: a program executed by a thread"
	fresh
	et --run="gdb -nx -batch -ex 'break main' -ex continue -ex continue" --cmd="$PICK" -- "$V/threadform" busy "$V/proggdb" -x 3 PICKME \
		>"$S/out" 2>"$S/err"
	expect_equal $? 3 "the status"
	expect_lines some "$S/err" '^Breakpoint 1, main \(' "it stops in main"
	end
fi

if command -v gdbserver >/dev/null && gdb_works; then
	serve()
	{
		local port

		wait_for 30 has "$S/act.err" 'Listening on port [0-9]+' || return
		port=$(sed -n 's/^Listening on port \([0-9]*\).*/\1/p' "$S/act.err")
		timeout "$(limit 20)" gdb -nx -batch -ex "target remote 127.0.0.1:$port" -ex 'break main' -ex continue -ex 'info args' \
			-ex continue "$V/proggdb" >"$S/client" 2>&1 </dev/null
	}
	for place in "" "127.0.0.1:0"; do
		begin "gdbserver${place:+ $place}"
		driver=serve
		act "gdbserver $place"
		driver=
		expect_lines some "$S/client" '^Breakpoint 1, main \(argc=6, ' "the second gdb stops in main"
		expect_lines some "$S/client" 'exited with code 03\]$' "to the end"
		end
	done
else
	skip_case "gdbserver" "gdbserver or gdb is not installed"
fi

! command -v lldb >/dev/null || timeout -k 1 "$(limit 30)" lldb --no-lldbinit -b -o 'breakpoint set -n main' -o run -o bt -- "$V/proggdb" x \
	>"$S/plain.lldb" 2>&1 </dev/null
if has "$S/plain.lldb" 'stop reason = breakpoint'; then
	begin "lldb --batch"
	act "lldb --no-lldbinit --batch -o 'breakpoint set -n main' -o continue -o bt -o continue"
	expect_lines some "$S/act.err" 'stop reason = breakpoint' "it stops in main"
	expect_lines some "$S/act.err" 'exited with status = 3' "to the end"
	end
else
	skip_case "lldb" "lldb does not work here without us, or is not installed"
fi
finish
