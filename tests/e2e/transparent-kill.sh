#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Signals that somebody sends to the process that was started, or to its group, reach the command exactly once.
. "$(dirname "$0")/../lib.sh"

# to NAME PID: the process alone; to_group: everything in its group
to_process()
{
	wait_for 30 has "$2" ready
	kill -"$sig" "$1"
}

to_group()
{
	wait_for 30 has "$2" ready
	kill -"$sig" -- "-$1"
}

# asleep GROUP: its sleep(1) is executed, and its shells wait. dash catches SIGINT, and loses one that comes before its vfork is over
# (onsig, src/trap.c of 0.5.12): on a busy machine, or under a tracer, that lasts.
asleep()
{
	ps -e -o pgid=,stat=,comm= | awk -v group="$1" '
	$1 == group && $3 == "sleep" { asleep += $2 ~ /^S/ }
	$1 == group && $3 ~ /^(ba)?sh$/ { busy += $2 !~ /^S/ }
	END { exit !asleep || busy }'
}

process_asleep()
{
	wait_for 30 asleep "$1"
	to_process "$@"
}

group_asleep()
{
	wait_for 30 asleep "$1"
	to_group "$@"
}

for sig in INT TERM HUP QUIT USR1 WINCH ALRM; do
	both -g -d to_process "SIG$sig to the process" -- "$V/siglog" 150 "$sig"
	both -g -d to_group "SIG$sig to the group" -- "$V/siglog" 150 "$sig"
done
# Nobody handles it: the command dies, and the caller sees that.
for sig in INT TERM HUP; do
	both -g -d process_asleep "death by SIG$sig to the process" -- sh -c 'echo ready; exec sleep 60'
	both -g -d group_asleep "death by SIG$sig to the group" -- sh -c 'echo ready; exec sleep 60'
	both -g -d group_asleep "death by SIG$sig to the group, with children" -- sh -c 'echo ready; sleep 60; echo not reached'
done
sig=TERM
both -g -d process_asleep "a shell whose trap waits for its child" -- \
	bash -c 'sleep 60 & trap "kill $!; echo trapped; exit 4" TERM; echo ready; wait $!; echo not reached'
sig=INT
both -g -d to_group "a shell that survives SIGINT" -- bash -c 'trap "echo trapped" INT; echo ready; sleep 1; echo after'
finish
