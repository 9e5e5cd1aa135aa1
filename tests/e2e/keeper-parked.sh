#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of exectrace while a program is parked: it is released whole, and runs on.
. "$(dirname "$0")/../lib.sh"

for model in parent behind; do
	[ $model = parent ] || behind_can "the same with -D" || continue
	flag=
	[ $model = parent ] || flag=-D
	for prog in prog progstatic prog32; do
		has_victim $prog "$prog, $model" || continue
		begin "$prog, parked by stop, $model"
		new_run
		fresh
		rm -f "$S/err"
		ET_RUN=$ET_RUN "$EXECTRACE" --engine="$ENGINE" $flag --run=stop --cmd="$PICK" -- \
			sh -c "$V/$prog -x 3 PICKME >out; echo \$? >>out; $V/prog after >>out; mv out ended" >"$S/out" 2>"$S/err" &
		expect "it is parked" wait_for 30 has "$S/err" ' stopped '
		expect "it does not run" always 100 test ! -s out
		pids=$(ours | head -n 1)
		expect "a process of exectrace was found" test -n "$pids"
		[ -z "$pids" ] || kill -KILL "$pids"
		wait 2>/dev/null
		expect "the tree ends" wait_for 30 test -e ended
		printf 'says PICKME\n3\nsays after\n' >"$S/want"
		expect_same ended "$S/want" "the output"
		expect "nothing of ours is left" wait_for 30 none_left
		end
	done
done

begin "four parked at once, in threads and in a vfork"
new_run
fresh
ET_RUN=$ET_RUN "$EXECTRACE" --engine="$ENGINE" --run=stop --cmd="$PICK" -- \
	sh -c "$V/threadform other $V/prog PICKME 1 >1 & $V/spawnform vfork $V/prog PICKME 2 >2 & $V/prog PICKME 3 >3 &
		$V/spawnform spawn $V/prog PICKME 4 >4 & wait; cat 1 2 3 4 >out; mv out ended" >"$S/out" 2>"$S/err" &
all_parked()
{
	[ "$(grep -c ' stopped ' "$S/err")" = 4 ]
}
expect "they are parked" wait_for 30 all_parked
pids=$(ours | head -n 1)
[ -z "$pids" ] || kill -KILL "$pids"
wait 2>/dev/null
expect "the tree ends" wait_for 30 test -e ended
expect_equal "$(grep -c '^says PICKME [1-4]$' ended)" 4 "all ran"
expect "nothing of ours is left" wait_for 30 none_left
end
finish
