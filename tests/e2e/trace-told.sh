#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Execs of which the built-in tracer has to be told, since the engine's filter comes before its own: nobody waits for long when one of
# the two does not do its part, and what can be seen is shown.
. "$(dirname "$0")/../lib.sh"
engines notify "nobody is told of anything"
is_root && [ "$(nproc)" -gt 1 ] || skip "without root and two processors every call stops the process"

# start SCRIPT: a shell whose execs are traced, and which waits for a line on descriptor 9. Sets run, pid and tracer.
start()
{
	new_run
	fresh
	rm -f "$S/in" "$S/out"
	[ -p "$S/log" ] || rm -f "$S/log"
	mkfifo "$S/in"
	ET_RUN=$ET_RUN et --run="trace --output=$S/log --filter=execve,getppid" --first -- \
		sh -c "echo \$\$; read x; $1" <"$S/in" >"$S/out" 2>"$S/err" &
	run=$!
	exec 9>"$S/in"
	wait_for 15 has "$S/out" .
	pid=$(cat "$S/out")
	tracer=$(sed -n 's/^TracerPid:\t//p' "/proc/$pid/status")
}

# go_on: the shell does, unless it has, and ends; so does exectrace, whose status is returned
go_on()
{
	(echo >&9) 2>/dev/null # nobody may read any more
	exec 9>&-
	wait $run
}

execs()
{
	grep -c ' execve(.*= 0 \| <... execve resumed>.*= 0 ' "$S/log"
}

begin "a tracer that hangs, since nobody reads what it writes"
rm -f "$S/log"
mkfifo "$S/log"
exec 8<>"$S/log"
start "exec /bin/sh -c '$V/prog a; exec $V/prog -x 5 b'"
: >"$S/first"
until has "$S/first" getppid; do # the last call that it shows so far
	read -r -t 15 -u 8 line || break
	echo "$line" >>"$S/first"
done
dd if=/dev/zero of="$S/log" bs=4096 oflag=nonblock conv=notrunc 2>/dev/null # until it is full
kill -WINCH "$pid" # is a line of the log, and nothing to the shell
expect "it writes" wait_for 15 in_write "$tracer"
echo >&9
expect "it is said" wait_for 30 has "$S/err" "^exectrace: \[$pid\] trace does not answer; execs go on without it$"
exec 7<"$S/log" 8>&-
cat <&7 >"$S/read" &
reader=$!
exec 7<&-
go_on
expect_equal $? 5 "the command's status"
wait $reader
rm "$S/log"
tr -d '\0' <"$S/read" | cat "$S/first" - >"$S/log"
expect_equal "$(tail -n +2 "$S/out")" "$(printf 'says a\nsays b')" "its output"
expect_equal "$(execs)" 3 "all execs but the one that did not wait"
expect "nothing is left" wait_for 15 none_left
end

begin "a tracer that is killed"
start "$V/prog a; exec $V/prog -x 5 b"
kill -KILL "$tracer"
go_on
expect_equal $? 5 "the command's status"
expect_equal "$(tail -n +2 "$S/out")" "$(printf 'says a\nsays b')" "its output"
expect "nothing is left" wait_for 15 none_left
end

begin "a tracer that is killed while it is told"
for _ in 1 2 3 4 5; do
	start "i=0; while [ \$i -lt 300 ]; do (exec /none/\$i) 2>$S/no; i=\$((i + 1)); done; exec $V/prog -x 5 b"
	echo >&9
	expect "some were told" wait_for 30 has "$S/log" /none/20
	kill -KILL "$tracer"
	go_on
	expect_equal $? 5 "the command's status"
	expect "nothing is left" wait_for 15 none_left
done
end

# hung_up: the tracer knows that nobody will tell it any more
hung_up()
{
	! find "/proc/$tracer/fd" -lname 'socket:*' | grep -q .
}

begin "exectrace is killed: the tracer sees what it can"
start "$V/prog a; $V/prog b; (exec /none); exec $V/prog -x 5 c"
hung_up
expect_equal $? 1 "it has a socket"
kill -KILL "$(ours | head -n 1)"
expect "it knows" wait_for 15 hung_up
go_on
expect "the process ends" wait_for 30 has "$S/log" "^$pid .*+++ exited with 5 +++"
expect_equal "$(execs)" 4 "its execs"
expect "the one that fails" has "$S/log" ' execve[(]"/none"'
expect "nothing is left" wait_for 15 none_left
end

finish
