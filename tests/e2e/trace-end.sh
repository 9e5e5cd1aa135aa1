#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The built-in tracer ends soon when it is told to, whatever it waits for, and what it traced goes on as without it.
. "$(dirname "$0")/../lib.sh"

# start OPTIONS COMMAND...: traces a command that prints its pid first. Sets run, pid and tracer.
start()
{
	local options=$1

	shift
	new_run
	fresh
	rm -f "$S/go"
	et -q --run="trace $options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null &
	run=$!
	wait_for 15 has "$S/out" .
	pid=$(head -n 1 "$S/out")
	tracer=$(sed -n 's/^TracerPid:\t//p' "/proc/$pid/status")
	case $tracer in
	'' | 0) tracer=none ;;
	esac
}

gone()
{
	[ ! -e "/proc/$1" ] || grep -q '^State:.[ZX]' "/proc/$1/status" 2>/dev/null
}

# a process that waits for $S/go, in few calls, and ends with 5
WAITING="echo \$\$; read x <$S/fifo; exit 5"
mkfifo "$S/fifo"

# ended STATUS: the process is let go on, and ends as it would
ended()
{
	: >"$S/fifo"
	wait $run
	expect_equal $? "$1" "the command's status"
}

# can_look NAME: gdb finds this function of ours, and only the calls of a filter stop a process
can_look()
{
	command -v gdb >/dev/null && is_root && [ "$(nproc)" -gt 1 ] && nm "$EXECTRACE" 2>/dev/null | grep -q " $1\$"
}

if can_look wait_any; then
	begin "a signal that comes just before the tracer waits"
	# With a table at the end it holds nothing back, so that no timer is under way; only the signal stops the process.
	start "--summary --filter=getppid --output=$S/log" sh -c "trap : USR1; $WAITING"
	cat >"$S/commands" <<-END
		set pagination off
		handle SIGTERM SIGALRM nostop noprint pass
		break wait_any
		shell kill -WINCH $pid
		continue
		delete
		signal SIGTERM
	END
	timeout "$(limit 20)" gdb -batch -nx -p "$tracer" -x "$S/commands" >"$S/gdb" 2>&1 </dev/null &
	gdb=$!
	expect "it was about to" wait_for 15 has "$S/gdb" '^(Thread .*hit )?Breakpoint 1, '
	expect "it ends" wait_for 10 gone "$tracer"
	gone "$tracer" || kill -KILL "$tracer"
	wait $gdb
	ended 5
	end
else
	skip_case "a signal that comes just before the tracer waits" "needs gdb, the program's symbols, root and two processors"
fi

# full OPTIONS: begins one whose pipe for output is full once its process is in its wait, and has something to say then
full()
{
	rm -f "$S/log"
	mkfifo "$S/log"
	exec 8<>"$S/log"
	start "--output=$S/log $1" sh -c "$WAITING"
	dd if=/dev/zero bs=1 count=65536 oflag=nonblock >&8 2>"$S/why"
	kill -WINCH "$pid"
}

for options in "" --filter=getppid,read; do
	begin "nobody reads its output${options:+, $options}"
	full "$options"
	expect "it writes" wait_for 15 in_write "$tracer"
	kill -TERM "$tracer"
	expect "it ends" wait_for 10 gone "$tracer"
	gone "$tracer" || kill -KILL "$tracer"
	ended 5
	exec 8>&-
	end
done

begin "a second signal is enough at once"
full ""
expect "it writes" wait_for 15 in_write "$tracer"
until gone "$tracer"; do
	kill -TERM "$tracer" 2>/dev/null
	tries=$((${tries:-0} + 1))
	[ $tries -lt 1000 ] || break
	sleep 0.02
done
# At 200 ms, not at two seconds: so many tries would be a hundred.
expect "it ended by that" [ "${tries:-0}" -lt 90 ]
ended 5
exec 8>&-
end

begin "a parent that waits for its child of vfork"
rm -f "$S/log"
start "--output=$S/log" "$V/vforking" "$S/go"
expect "it does" wait_for 15 has "$S/log" ' vfork\('
kill -TERM "$tracer"
expect "it ends" wait_for 10 gone "$tracer"
: >"$S/go"
wait $run
expect_equal $? 4 "the command's status"
expect_lines 1 "$S/out" 'exit 3' "the child's"
end

if can_look inject_call; then
	begin "a process that is killed while it gets its filter"
	ln -sf "$EXECTRACE" "$S/exectrace-trace"
	sh -c 'while :; do kill -0 $$; done' &
	pid=$!
	cat >"$S/commands" <<-END
		set pagination off
		set breakpoint pending on
		set detach-on-fork on
		break inject_call
		run
		break wait_for_traced
		continue
		shell kill -KILL $pid
		delete
		continue
	END
	timeout -k 1 "$(limit 30)" gdb -batch -nx -x "$S/commands" --args "$S/exectrace-trace" -p $pid --filter=getppid --output="$S/log" \
		>"$S/gdb" 2>&1 </dev/null
	expect_equal $? 0 "gdb ends in time"
	expect "it was about to" has "$S/gdb" 'Breakpoint 2, '
	expect_lines 1 "$S/log" "^$pid .*\+\+\+ killed by SIGKILL \+\+\+" "its end is shown"
	kill -KILL $pid 2>/dev/null
	wait $pid
	end
else
	skip_case "a process that is killed while it gets its filter" "needs gdb, the program's symbols, root and two processors"
fi

finish
