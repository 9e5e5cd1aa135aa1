# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of listeners for what runs already share; sourced behind lib.sh.

# --- A tree of a shell -----------------------------------------------------------------------------------------------

# watch ARG...: exectrace on a process that runs; one that hangs is ended
watch()
{
	timeout --foreground -k 1 "$(limit 100)" "$EXECTRACE" --engine=notify "$@" >"$S/out" 2>"$S/err"
}

# watching ARG...: exectrace in the background, as $pid, which has by now what runs already
watching()
{
	rm -f "$S/err"
	"$EXECTRACE" -v --engine=notify "$@" >"$S/out" 2>"$S/err" &
	pid=$!
	expect "it is watched" wait_for 30 has "$S/err" 'processes are watched'
}

# tree COMMAND: a tree of its own that runs a shell COMMAND; its pid is $tree. It goes on when $S/gate exists.
tree()
{
	fresh
	rm -f "$S/gate" "$S/tree.out" "$S/over"
	(until [ -e "$S/gate" ]; do nap 0.01; done; eval "$1") >"$S/tree.out" 2>&1 </dev/null &
	tree=$!
}

# lives STATUS: the tree, which is told to end, ends with that, and so does the keeper
lives()
{
	expect "nobody is attached" grep -q '^TracerPid:.0$' "/proc/$tree/status"
	expect_equal "$(find "/proc/$tree/fd" -lname '*seccomp*' 2>"$S/why" | wc -l)" 0 "listeners inside"
	keeper=$(sed -n 's/.* process \([0-9]*\) (exectrace-keep).*/\1/p' "$S/err")
	touch "$S/over"
	wait $tree
	expect_equal $? "$1" "the tree ends as it would"
	[ -z "$keeper" ] || expect "the keeper ends with it" wait_for 30 over "$keeper"
}

# over PID
over()
{
	! grep -q '^State:.[^Z]' "/proc/$1/status" 2>"$S/why"
}

# --- A grove: many processes that execute all the time ---------------------------------------------------------------

# plant N: a tree of N processes, $tree, with four threads each; it ends when $S/over exists
plant()
{
	rm -f "$S/over" "$S/grove"
	"$V/grove" "$1" "$S/over" >"$S/grove" &
	grove=$!
	wait_for 30 test -s "$S/grove"
	tree=$(head -n 1 "$S/grove")
}

# told: all of it has executed something since it was asked
told()
{
	grep -q '^still' "$S/grove"
}

# fell: the end of the tree; what it says is $fruit
fell()
{
	kill -USR1 $grove
	wait_for 60 told
	touch "$S/over"
	wait $grove
	fruit=$(tail -n +2 "$S/grove" | tr '\n' ' ')
}

# keeper PID: sets $keeper to that of an exectrace
keeper()
{
	keeper=$(pgrep -P "$1" -x exectrace-keep | head -n 1)
}

# attach [ARG]...: exectrace on it, as $pid
attach()
{
	rm -f "$S/err"
	"$EXECTRACE" "$@" --engine=notify --pid="$tree" --run=ignore --cmd=never 2>"$S/err" </dev/null &
	pid=$!
}

# attack KIND DELAY: in the DELAYth ms of an attach
attack()
{
	attach -q
	nap "$(printf '%d.%03d' $(($2 / 1000)) $(($2 % 1000)))"
	case $1 in
	kill) kill -9 $pid ;;
	stop) kill -STOP $pid ;;
	keeper-*)
		keeper $pid
		[ -z "$keeper" ] || kill "-${1#keeper-}" "$keeper"
		;;
	esac 2>"$S/why"
}

now()
{
	echo $((${EPOCHREALTIME/[^0-9]/} / 1000))
}
