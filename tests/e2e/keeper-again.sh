#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The keeper, or the sentinel, is killed: there is another one at once, which does what it is there for.
. "$(dirname "$0")/../lib.sh"

# mine NAME: the pid of the process of this run that is called so
mine()
{
	local pid

	for pid in $(ours); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$1" ] || echo "$pid"
	done
}

# another NAME PID: there is one, and another than that
another()
{
	local pid

	pid=$(mine "$1")
	[ -n "$pid" ] && [ "$pid" != "$2" ]
}

# replaced NAME: kills it, and waits for the next one
replaced()
{
	local pid

	pid=$(mine "$1")
	expect "there is $1" test -n "$pid"
	kill -KILL "$pid"
	expect "there is another $1" wait_for 20 another "$1" "$pid"
}

# A daemon, which executes programs when exectrace has ended.
cat >"$S/tree" <<-'EOT'
	setsid sh -c 'until [ -e ended ]; do sleep 0.02; done
		i=0; while [ $i -lt 5 ]; do "$V"/prog -x 3 x || echo $?; i=$((i+1)); done >>daemon
		mv daemon daemon-ended' </dev/null >/dev/null 2>&1 &
	: >begun
	until [ -e go ]; do sleep 0.02; done
	"$V"/prog -x 4 last
	exit 5
EOT
export V
for i in 1 2 3 4 5; do printf 'says x\n3\n'; done >"$S/want"

# tree FLAG: begins it under exectrace, in the background
tree()
{
	fresh
	new_run
	ET_RUN=$ET_RUN "$EXECTRACE" --engine="$ENGINE" -q ${1:-} "${NOTHING[@]}" -- sh "$S/tree" >"$S/out" 2>"$S/err" &
	et=$!
	wait_for 30 test -e begun
}

# ends: the tree does, as it does without us
ends()
{
	: >go
	wait $et
	expect_equal $? 5 "the command's status"
	: >ended
	expect "the daemon ends" wait_for 30 test -e daemon-ended
	expect_same daemon-ended "$S/want" "what the daemon executed"
	expect "nothing of ours is left" wait_for 30 none_left
}

for flag in '' -D; do
	[ -z "$flag" ] || behind_can "the same with -D" || continue
	begin "the keeper is killed twice${flag:+ (-D)}"
	tree $flag
	replaced exectrace-keep
	replaced exectrace-keep
	ends
	end

	begin "the second keeper takes over from a supervisor that is killed${flag:+ (-D)}"
	tree $flag
	replaced exectrace-keep
	kill -KILL "$(ours | head -n 1)"
	: >go
	wait $et 2>/dev/null
	: >ended
	expect "the daemon ends" wait_for 30 test -e daemon-ended
	expect_same daemon-ended "$S/want" "what the daemon executed"
	expect "nothing of ours is left" wait_for 30 none_left
	end
done

begin "the sentinel is killed, and the command stopped and continued"
tree ''
replaced exectrace-sig
root=$(pgrep -P $et -x sh)
kill -STOP "$root"
expect "exectrace is stopped as the command is" wait_for 20 stands $et
kill -CONT "$root"
ends
end
finish
