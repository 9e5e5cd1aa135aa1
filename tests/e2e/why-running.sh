#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What processes that run already wait for: `exectrace --why --pid`, until they end, or are left as they were.
# once: nobody is picked
. "$(dirname "$0")/../lib.sh"
needs jq mkfifo perl
yama_binds && skip "Yama lets nobody attach to what is no descendant"

# traced PID...: each is
traced()
{
	local pid

	for pid; do
		grep -qE '^TracerPid:[[:space:]]+[1-9]' /proc/"$pid"/status 2>/dev/null || return 1
	done
}

# below PID: it, and all below it, one a line
below()
{
	local child

	echo "$1"
	for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		below "$child"
	done
}

# ask PID: what it and all below it do for a second; the page in $S/err, for programs in $S/json
ask()
{
	local pid=$1 tracer all

	mapfile -t all < <(for process in ${pid//,/ }; do below "$process"; done)
	"$EXECTRACE" --why -o d --pid="$pid" >"$S/out" 2>"$S/err" &
	tracer=$!
	expect "all are attached to" wait_for 20 traced "${all[@]}"
	nap 1.2
	kill -INT $tracer
	wait $tracer
	expect_equal $? 0 "the status"
	"$EXECTRACE" why --json d >"$S/json" 2>"$S/err2"
	expect "none is any more" sh -c "! grep -E '^TracerPid:[[:space:]]+[1-9]' $(printf '/proc/%s/status ' "${all[@]}") >'$S/left' 2>&1"
}

says()
{
	expect_lines some "$S/err" "$1" "$2"
}

# row COMMAND FIELD: of the first thread that had not ended
row()
{
	jq -r --arg c "$1" "[.waiting[] | select(.command == \$c)][0].$2" "$S/json"
}

begin "threads that wait for each other, and one that computes"
fresh
"$V/deadlock" there &
pid=$!
expect "they wait" wait_for 20 test -e there
ask $pid
says "^.*/deadlock there \[$pid\]: running after [0-9.]+m?s, 1 process" "the outcome"
says '^ +1\.[0-9]+s +.*/deadlock there \[[0-9]+\]: waiting for another thread \(futex\), for thread [0-9]+ to end, which waits for the lock of thread ([0-9]+), which waits for that of thread [0-9]+, which waits for that of thread \1: a deadlock$|^ +1\.[0-9]+s +.*/deadlock there \[[0-9]+\]: waiting for another thread \(futex\), for thread ([0-9]+) to end, which waits for the lock of thread [0-9]+, which waits for that of thread \2: a deadlock$' "the first one"
expect_lines 2 "$S/err" '^ +1\.[0-9]+s +.*/deadlock there \[[0-9]+\], thread [0-9]+: waiting for another thread \(futex\), for the lock of thread ([0-9]+), which waits for that of thread [0-9]+, which waits for that of thread \1: a deadlock$' "the two"
says '^ +in take_left$' "where one is"
says '^ +in take_right$' "where the other one is"
says '^ +in main( < |$)' "where the first one is"
expect_lines 1 "$S/err" '^ +.*/deadlock there \[[0-9]+\], thread [0-9]+: computing, or in a call that nothing interrupts$' "the one that does not wait"
expect_equal "$(jq '.waiting | length' "$S/json")" 4 "all of them as JSON"
expect_equal "$(jq '[.waiting[] | select(.time) | select(.time < 1000000000)] | length' "$S/json")" 0 "and how long they waited"
says "^Which functions computed was not recorded\. Record them with: exectrace-profile --pid=$pid --output=d/profile\.xtr$" "what else can be asked"
expect "it runs on" kill -0 $pid
kill -KILL $pid
wait $pid
end

begin "threads that wait for each other, and are killed"
fresh
timeout -k 1 "$(limit 30)" "$EXECTRACE" -q --why -o d -- sh -c '"$0" there & until [ -e there ]; do sleep 0.05; done; sleep 1; kill $!; wait $!' \
	"$V/deadlock" >"$S/out" 2>"$S/err" </dev/null
expect_equal $? 143 "the status"
says '^  for [0-9.]+m?s until then it was waiting for another thread \(futex\), for (thread [0-9]+ to end, which waits for )?the lock of thread .*: a deadlock$' "why it did not end"
end

begin "a tree, in which one opens a FIFO that nobody writes to"
fresh
mkfifo work
sh -c 'sh -c "cat work; exit 3"; exit $?' >"$S/went" 2>&1 &
pid=$!
expect "it waits" wait_for 20 sh -c "pgrep -P \$(pgrep -P $pid) >'$S/cat'"
nap 0.2
ask $pid
says "^ +1\.[0-9]+s  sh -c .* \[$pid\]: waiting for a child \(wait4\): sh -c 'cat work; exit 3' \[[0-9]+\]$|^ +1\.[0-9]+s  sh -c .* \[$pid\]: waiting for a child \(wait4\)$" "the shell"
says '^ +1\.[0-9]+s  cat work \[[0-9]+\]: opening /.*/work \(openat\)$' "the one that all wait for"
expect_equal "$(jq -r '.critical[0].command' "$S/json")" "cat work" "it is that on the critical chain"
expect_equal "$(jq -r '.waiting[2].pid' "$S/json")" "$(cat "$S/cat")" "and its number"
echo text >work
wait $pid
expect_equal $? 3 "it has gone on as if nothing had been"
expect_equal "$(cat "$S/went")" text "and read what came"
end

begin "sleeps that go on where they were"
fresh
begun=$EPOCHREALTIME
sleep "$(limit 3)" &
pid=$!
nap 0.3
ask $pid
says '^ +1\.[0-9]+s  sleep [0-9]+ \[[0-9]+\]: sleeping \(clock_nanosleep\)$' "what it does"
expect_equal "$(jq -r '.critical[0].waits' "$S/json")" "sleeping (clock_nanosleep)" "on the chain, too"
wait $pid
expect_equal $? 0 "its status"
expect "it was not shorter" test "$((${EPOCHREALTIME/[^0-9]/} - ${begun/[^0-9]/}))" -ge "$(limit 3)000000"
end

begin "calls that would tell of each interruption"
fresh
perl -e 'my $e = syscall(291, 0); my $b = "\0" x 12; open F, ">there"; my $n = syscall(232, $e, $b, 1, 1000 * $ARGV[0]); print "$n ", $! + 0, "\n"' "$(limit 3)" >"$S/went" &
pid=$!
expect "it waits" wait_for 20 test -e there
nap 0.3
ask $pid
says '^ +1\.[0-9]+s  perl -e .*: waiting for events \(epoll_wait\)$' "what it does"
wait $pid
expect_equal "$(cut -d ' ' -f 1 "$S/went")" 0 "its time was over, and nothing else"
end

begin "one that is stopped"
fresh
sleep 600 &
pid=$!
expect "it runs" wait_for 20 grep -q '^Name:.sleep' /proc/$pid/status
kill -STOP $pid
expect "it is" wait_for 20 grep -q '^State:.T' /proc/$pid/status
ask $pid
says '^ +1\.[0-9]+s  sleep 600 \[[0-9]+\]: stopped by a signal$' "is not said to compute"
expect "it is still" grep -q '^State:.T' /proc/$pid/status
kill -KILL $pid
wait $pid
end

begin "several, and one whose tracer is another one"
fresh
sleep 600 &
pid=$!
"$V/deadlock" there &
other=$!
expect "they wait" wait_for 20 test -e there
ask $pid,$other
expect_equal "$(jq '[.waiting[].pid] | unique | length' "$S/json")" 2 "both are there"
if command -v strace >"$S/why"; then
	strace -qq -o "$S/strace" -p $pid &
	tracer=$!
	expect "strace has it" wait_for 20 traced $pid
	"$EXECTRACE" --why -o d --pid=$pid 2>"$S/err"
	expect_equal $? 125 "the status"
	says "^exectrace: cannot attach to process $pid: Operation not permitted; process $tracer traces it already$" "who traces it"
	kill $tracer
	wait $tracer
fi
kill -KILL $pid $other
wait $pid $other
end

begin "it ends meanwhile"
fresh
sh -c 'sleep 1; echo no disk >&2; exit 4' 2>"$S/went" &
pid=$!
nap 0.1
timeout -k 1 "$(limit 30)" "$EXECTRACE" --why -o d --pid=$pid >"$S/out" 2>"$S/err"
expect_equal $? 0 "the status is that of the recording"
wait $pid
says "^sh -c .* \[$pid\]: exit 4 after " "how it ended"
says '^ +\| no disk$' "its message"
expect_lines 0 "$S/err" '^What it waited for when the recording ended' "nobody waits any more"
end

begin "processes that are not there, options that do not go together"
fresh
"$V/prog" a >"$S/out" &
pid=$!
wait $pid
mkdir d
"$EXECTRACE" --why -o d --pid=$pid 2>"$S/err"
expect_equal $? 125 "the status"
expect_equal "$(cat "$S/err")" "exectrace: cannot attach to process $pid: No such process" "what it says"
expect_equal "$(ls -A d d.old 2>/dev/null)" "d:" "the directory is untouched"
"$EXECTRACE" --why --list --pid=$$ --behind 2>"$S/err"
expect_equal $? 125 "the status of --behind"
end

finish
