#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --pid with the notify engine, as often as one likes: the keeper of one exectrace gives the listeners to the next one.
# Nothing that is executed meanwhile fails or is seen twice. SEED=N repeats a run, KILLS=N makes it longer.
# once: there is one engine for it
# limit: 600
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/pid.sh
. "$TESTS/pid.sh"

is_kernel 5.19 || skip "no listener before Linux 5.19"
is_root || skip "a listener without no_new_privs takes root"

loop='while [ ! -e "$S/over" ]; do "$V/prog" one; nap 0.02; done; exit 7'

# filters PID: how many seccomp filters it has
filters()
{
	sed -n 's/^Seccomp_filters:.//p' "/proc/$1/status"
}

# said_keeper: the keeper that the last line is about
said_keeper()
{
	sed -n 's/.* process \([0-9]*\) (exectrace-keep).*/\1/p' "$S/err"
}

# saw WORD: a program of the tree was given that
saw()
{
	wait_for 30 grep -q "^says .* $1\$" "$S/tree.out"
}

begin "three, one after the other"
tree '(until [ -e "$S/over" ]; do "$V/prog" below; nap 0.02; done) & '"$loop"
touch "$S/gate"
expect "it runs" wait_for 30 grep -q below "$S/tree.out"
had=$(filters $tree) # of where the tests run
former=
for word in first second third; do
	watch --pid=$tree --run="args --append=$word" --nth=2 --cmd="prog below"
	expect_equal $? 0 "status of the $word"
	expect "what ran below got the $word's word" saw $word
	expect_lines 1 "$S/err" '^exectrace: what ran already goes on with a seccomp listener' "what stays behind"
	expect_equal "$(filters $tree)" $((had + 1)) "filters of the process"
	keeper=$(said_keeper)
	expect "there is a keeper" kill -0 "$keeper"
	[ -z "$former" ] || expect "the former one has ended" wait_for 30 over "$former"
	former=$keeper
done
lives 7
end

begin "the first one is killed: the next one has all"
tree "$loop"
touch "$S/gate"
watching --list --pid=$tree
keeper $pid
kill -9 $pid
wait $pid 2>"$S/why"
former=$keeper
watch --pid=$tree --run="args --append=more" --first --exe=prog
expect_equal $? 0 "status"
expect "it got the word" saw more
expect "the former keeper has ended" wait_for 30 over "$former"
lives 7
end

begin "while an exectrace watches the tree it is not taken from it"
tree "$loop"
touch "$S/gate"
watching --run="args --append=mine" --nth=100000 --exe=prog --pid=$tree
first=$pid
cp "$S/err" "$S/first"
timeout "$(limit 60)" "$EXECTRACE" --engine=notify --pid=$tree --list >"$S/out" 2>"$S/second"
expect_equal $? 125 "status"
expect_equal "$(cat "$S/second")" "exectrace: [$tree] cannot be watched: exectrace $first watches it already" "what is said"
kill -TERM $first
wait $first
lives 7
end

begin "a keeper takes no signal that can be refused for an end"
tree "$loop"
touch "$S/gate"
watch --pid=$tree --run=log --first --exe=prog
keeper=$(said_keeper)
expect_equal "$(ps -o sid=,tty= -p "$keeper" | tr -s ' ' | sed 's/^ //')" "$keeper ?" "its session and terminal"
kill -HUP "$keeper"
kill -TERM "$keeper"
kill -INT "$keeper"
lines=$(wc -l <"$S/tree.out")
longer()
{
	[ "$(wc -l <"$S/tree.out")" -gt $((lines + 3)) ]
}
expect "the tree goes on" wait_for 30 longer
expect "it is there" kill -0 "$keeper"
lives 7
end

begin "what was started since, and what has another parent now"
tree '(("$BASH" -c "until [ -e $S/over ]; do $V/prog orphan; sleep 0.02; done" & echo >made; sleep 1000) & echo $! >between
	until [ -e "$S/over" ]; do "$V/prog" later; nap 0.02; done) & '"$loop"
touch "$S/gate"
expect "the orphan runs" wait_for 30 grep -q orphan "$S/tree.out"
watch --pid=$tree --run=log --first --exe=prog
kill -9 "$(cat between)" # sh, whose child goes on
watch --pid=$tree --run="args --append=once" --first --cmd='prog orphan'
expect_equal $? 0 "status"
expect "the orphan's got the word" saw once
watch --pid=$tree --run="args --append=twice" --first --cmd='prog later'
expect "the other one's, too" saw twice
pkill -P $tree -x sleep
lives 7
end

begin "two trees of one keeper: only what is asked for is taken"
tree 'until [ -e "$S/over" ]; do "$V/prog" other; nap 0.02; done; exit 7'
other=$tree
(until [ -e "$S/over" ]; do "$V/prog" one; nap 0.02; done; exit 5) >"$S/tree2.out" 2>&1 </dev/null &
tree=$!
touch "$S/gate"
watch --pid=$other,$tree --run=log --first --exe=prog
both=$(said_keeper)
watching --list --exe=prog --pid=$tree
expect "it sees that" wait_for 30 has "$S/err" 'matches: .*prog one'
expect "the keeper has the rest" kill -0 "$both"
kill -INT $pid
wait $pid
expect_lines 0 "$S/err" 'prog other' "of the other tree"
watch --pid=$other,$tree --run="args --append=more" --limit=20 --exe=prog
expect_equal $? 0 "status of a third one, for both"
expect "it has one of them" grep -q '^says other more$' "$S/tree.out"
expect "and the other" grep -q '^says one more$' "$S/tree2.out"
expect "then the first keeper has ended" wait_for 30 over "$both"
lives 5
wait $other
expect_equal $? 7 "the other tree ends as it would"
rm "$S/tree2.out"
end

each=$(rounds 40)
begin "in the middle of a storm: no call fails, each is seen once"
tree '"$V/storm" 10 $((each * 5)) "$V/count" count; until [ -e "$S/late" ]; do nap 0.01; done; "$V/storm" 4 $each "$V/prog" late'
touch "$S/gate"
for i in 1 2 3; do
	watching --list --cmd='^\S*/prog late$' --pid=$tree
	[ $i = 3 ] || { kill -INT $pid && wait $pid; }
done
touch "$S/late"
wait $pid
expect_equal $? 0 "its status"
wait $tree
expect_lines 2 "$S/tree.out" '^failed 0, not started 0$' "none failed"
expect_equal "$(wc -c <count)" $((each * 50)) "every program ran"
expect_lines $((4 * each)) "$S/err" 'rule 1 .* matches: .*/prog late$' "each was seen once"
rm "$S/late"
end

if command -v setpriv >/dev/null; then
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	others=(setpriv --reuid=65533 --regid=65533 --clear-groups)

	begin "another user's: only root gets it"
	fresh
	rm -f "$S/over" "$S/gate" "$S/tree.out"
	chmod 777 "$S"
	"${as[@]}" "$BASH" -c "until [ -e $S/over ]; do $V/prog one; sleep 0.02; done; exit 6" >"$S/tree.out" 2>&1 </dev/null &
	tree=$!
	expect "it runs" wait_for 30 grep -q 'says one' "$S/tree.out"
	for word in first second; do
		timeout "$(limit 60)" "${as[@]}" "$EXECTRACE" --engine=notify --allow-no-new-privs --pid=$tree --run="args --append=$word" \
			--first --exe=prog >"$S/out" 2>"$S/err"
		expect_equal $? 0 "status of the user's $word"
		expect "it got the word" saw $word
	done
	former=$(said_keeper)
	timeout "$(limit 60)" "${others[@]}" "$EXECTRACE" --engine=notify --allow-no-new-privs --pid=$tree --list >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status of another user's"
	expect_lines 1 "$S/err" "^exectrace: \[$tree\] cannot be watched: " "what it says"
	expect "the keeper is the same" kill -0 "$former"
	if command -v python3 >/dev/null; then
		cat >"$S/fetch.py" <<-'EOF'
			import ctypes, os, sys
			fd = ctypes.CDLL(None, use_errno=True).syscall(438, os.pidfd_open(int(sys.argv[1])), 0, 0)
			print(os.strerror(ctypes.get_errno()) if fd < 0 else "fetched")
		EOF
		expect_equal "$("${others[@]}" python3 "$S/fetch.py" "$former")" "Operation not permitted" "the keeper's door"
	fi
	watch --pid=$tree --run="args --append=third" --first --exe=prog
	expect_equal $? 0 "status of root's"
	expect "it got the word" saw third
	expect "the user's keeper has ended" wait_for 30 over "$former"
	lives 6
	chmod 755 "$S"
	end

	begin "one that only calls itself a keeper is not asked"
	tree "$loop"
	touch "$S/gate"
	cp "$(command -v sleep)" "$S/exectrace-keep"
	chmod 755 "$S"
	"${as[@]}" "$S/exectrace-keep" 1000 <>/dev/null &
	false=$!
	watch --pid=$tree --run="args --append=more" --first --exe=prog
	watch --pid=$tree --run="args --append=again" --first --exe=prog
	expect_equal $? 0 "status"
	expect "it got the word" saw again
	kill $false
	wait $false 2>"$S/why"
	lives 7
	end
fi

has_victim grove || finish
many=12
# kept: a grove that an exectrace has watched
kept()
{
	plant $many
	attach -v
	wait_for 60 has "$S/err" "(1[2-9]|[2-9].) processes are watched"
	kill -INT $pid
	wait $pid
}

# all_again: a third exectrace, which watches all; what is told is $fruit
all_again()
{
	attach -v
	expect "all are watched after $delay ms" wait_for 60 has "$S/err" "(1[2-9]|[2-9].) processes are watched"
	kill -INT $pid
	wait $pid
	fell
}

begin "all of a grove"
kept
since=$(now)
attach -v
expect "it is watched" wait_for 60 has "$S/err" "(1[2-9]|[2-9].) processes are watched"
lasts=$(($(now) - since))
kill -INT $pid
wait $pid
delay=$lasts
all_again
expect_equal "$fruit" "still 0 failed 0, changed 0, interrupted 0, files 0, behind 0 " "the tree"
end

# settled: exectrace has another keeper than $keeper by now, or has ended
settled()
{
	local now

	[ "$kind" = keeper-KILL ] || return 0
	now=$(pgrep -P $pid -x exectrace-keep | head -n 1)
	over $pid || { [ -n "$now" ] && [ "$now" != "$keeper" ]; }
}

seed=${SEED:-$RANDOM}
echo "# seed $seed; a hand-over takes $lasts ms"
RANDOM=$seed
for kind in kill keeper-KILL; do
	begin "$kind while listeners are handed over"
	# On a slow machine there are fewer of them, unless a number is asked for.
	until=$((SECONDS + 90))
	# shellcheck disable=SC2154
	for ((round = $(rounds 20) * ${KILLS:-32} / 80; round > 0 && case_problems == 0; round -= 1)); do
		[ -n "${KILLS-}" ] || [ $SECONDS -lt $until ] || break
		kept
		delay=$((RANDOM * lasts * 11 / 10 / 32768))
		attack "$kind" $delay
		# Were both killed at once, nobody would be left who has the listeners.
		expect "it has a keeper again" wait_for 60 settled
		nap 0.2
		kill -9 $pid 2>"$S/why"
		wait $pid 2>"$S/why"
		all_again
		expect_equal "$fruit" "still 0 failed 0, changed 0, interrupted 0, files 0, behind 0 " "after $delay ms"
	done
	end
done
finish
