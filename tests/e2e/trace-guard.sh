#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guard of a tracer with a filter is stopped and continued while several processes are traced: the tracer does not take it
# for one of them, and ends with them.
. "$(dirname "$0")/../lib.sh"

# child PID NAME: the pid of its child of that name
child()
{
	pgrep -P "$1" -x "$2"
}

find_guard()
{
	tracer=$(child "$et" exectrace-trace) && [ -n "$tracer" ] && guard=$(child "$tracer" exectrace-guard) && [ -n "$guard" ]
}

only_root "a guard has a real-time priority" || finish

begin "a guard that is stopped and continued"
fresh
# Two processes that keep the tracer busy: then it takes all the stops that there are at once.
cat >busy <<-'EOT'
	(until [ -e go ]; do : </dev/null; done) &
	until [ -e go ]; do : </dev/null; done
	wait
	exit 3
EOT
"$EXECTRACE" --engine="$ENGINE" -q --run="trace --filter=openat -o $S/log" --cmd='^sh busy' -- sh busy >"$S/out" 2>"$S/err" &
et=$!
expect "there is a guard" wait_for 10 find_guard
if [ -n "${guard:-}" ]; then
	for _ in 1 2 3 4 5 6 7 8; do
		kill -STOP "$guard"
		expect "it is stopped" wait_for 10 stands "$guard"
		kill -CONT "$guard"
	done
fi
: >go
expect "exectrace ends" wait_for 20 sh -c "! kill -0 $et 2>/dev/null || grep -q '^State:.Z' /proc/$et/status"
[ ! -d "/proc/$et" ] || [ -z "${tracer:-}" ] || kill -KILL "$tracer" 2>/dev/null
wait $et
expect_equal $? 3 "the command's status"
end
finish
