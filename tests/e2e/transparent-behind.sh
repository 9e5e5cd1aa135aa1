#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# -D: the command is the very process that the caller started, so its pid, parent, group, core flag and stops are right.
. "$(dirname "$0")/../lib.sh"

behind_can "the command is the process that was started" || finish
both -m behind "the parent is the caller" -- sh -c 'read -r comm </proc/$PPID/comm; echo "$comm"'
both -m behind -g "it leads its group" -- sh -c 'read -r _ _ _ _ group _ </proc/$$/stat; [ $group = $$ ] && echo leader'
both -m behind -p 'core=100000000' "core of the root command" -- "$V/prog" -k SEGV

begin "the same pid"
fresh
sh -c 'echo $$ >pid; exec "$@"' sh "$EXECTRACE" --engine="$ENGINE" -q -D "${NOTHING[@]}" -- sh -c 'echo $$' >"$S/pid.out"
expect_same "$S/pid.out" pid "the pid"
end

begin "no child of ours"
fresh
et -q -D "${NOTHING[@]}" -- bash -c 'read -r x </proc/$$/task/$$/children; echo "$x"' >"$S/children.out"
expect_equal "$(cat "$S/children.out")" "" "the children of the root command"
end

# SIGSTOP to the pid that was started stops the command.
freeze()
{
	wait_for 30 has "$2" ready
	kill -STOP "$1"
	wait_for 30 stands "$1"
	sed -n 's/^State:[[:space:]]*\(.\).*/state \1/p' "/proc/$1/status" | tr t T >"$S/run/seen"
	: >"$S/run/go"
	always 100 stands "$1" && [ ! -e "$S/run/went" ] || echo "it ran while it was stopped" >>"$S/run/seen"
	: >"$S/run/looked"
	kill -CONT "$1"
}
both -m behind -d freeze "SIGSTOP to the started pid" -- \
	sh -c 'echo ready; while [ ! -e go ]; do sleep 0.02; done; : >went; while [ ! -e looked ]; do sleep 0.02; done; cat seen; echo end'
# A daemon of the tree goes on while the started process is stopped.
freeze_with_daemon()
{
	wait_for 30 has "$2" ready
	kill -STOP "$1"
	wait_for 30 stands "$1"
	: >"$S/run/stopped"
	wait_for 30 test -e "$S/run/ended" && echo "daemon ran" >"$S/run/seen"
	kill -CONT "$1"
}
both -m behind -d freeze_with_daemon "a daemon executes while the started process is stopped" -- \
	sh -c "setsid sh -c 'while [ ! -e stopped ]; do sleep 0.02; done; $V/prog x; : >ended' >/dev/null 2>&1 & echo ready; while [ ! -e seen ]; do sleep 0.02; done; cat seen"
both -m behind "it can be killed" -- sh -c 'kill -KILL $$'

# What was recorded is complete soon after the command's end.
# The caller has not waited for it; the caller has, of which Linux tells since 6.15.
begin "run.json tells how it ended"
fresh
(
	et -q -D -o DIR "${NOTHING[@]}" -- sh -c 'exit 5' &
	exec sleep 100
) &
holder=$!
expect "its status" wait_for 30 has DIR/run.json '"status":5[,}]'
kill "$holder"
if is_kernel 6.15; then
	et -q -D -o DIR "${NOTHING[@]}" -- sh -c 'exit 6'
	expect_equal $? 6 "the command's status"
	expect "its status" wait_for 30 has DIR/run.json '"status":6[,}]'
	(et -q -D -o DIR "${NOTHING[@]}" -- sh -c 'kill -KILL $$') 2>/dev/null
	expect "the signal that killed it" wait_for 30 has DIR/run.json '"signal":"SIGKILL"[,}]'
fi
end

begin "the summary comes"
fresh
et -D --run="strace -o $S/log" --cmd="$PICK" -- "$V/prog" PICKME >"$S/late.out" 2>"$S/late.err"
expect "within 3 s" wait_for 30 has "$S/late.err" '^exectrace: 1 of 1 commands matched$'
expect "with the whole log" wait_for 30 has "$S/log" '^\+\+\+ exited with 0'
end
finish
