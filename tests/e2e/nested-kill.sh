#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exectrace inside exectrace: kill -9 of any of their processes, or of any two but both of the outer one (nobody knows then what it had in
# hand), at any moment: the tree ends as if nothing had happened, and nothing of ours is left. SEED=N repeats a run, KILLS=N makes it longer.
# once: there is one engine for it
. "$(dirname "$0")/../lib.sh"
is_kernel 5.19 || skip "no listener before Linux 5.19"

# shellcheck source=tests/killed.sh
. "$TESTS/killed.sh"
export EXECTRACE S

# murder DELAY RULE WHICH...: those of our processes are killed DELAY seconds after the tree began. Keepers first: where the inner one is
# killed its shell ends, with that the outer one's command and the outer one, and its keeper is the last that could be killed alone.
murder()
{
	local delay=$1 rule=$2 pids which victims=()

	shift 2
	echo "# $delay s, $*, $rule"
	new_run
	fresh
	# shellcheck disable=SC2016 # expanded there
	ET_RUN=$ET_RUN "$EXECTRACE" --engine=notify -q "${NOTHING[@]}" -- \
		sh -c '"$EXECTRACE" --engine=notify -q --run="$0" --cmd="^\S*count " -- sh "$S/tree"; :' "$rule" >"$S/out" 2>"$S/err" &
	wait_for 30 test -e count
	mapfile -t pids < <(ours)
	expect "all of ours were found" test ${#pids[@]} -ge 4
	nap "$delay"
	for which in $(printf '%s\n' "$@" | sort -rn); do
		victims+=("${pids[$which]}")
	done
	kill -KILL "${victims[@]}" 2>"$S/why"
	: >killed
	wait 2>"$S/why"
	went_on
}

seed=${SEED:-$RANDOM}
echo "# SEED=$seed"
RANDOM=$seed
needs strace
until=$((SECONDS + 40))
for kind in one two; do
	begin "$kind of them, at any moment"
	# shellcheck disable=SC2154
	for ((round = ${KILLS:-12} / 2; round > 0 && case_problems == 0; round -= 1)); do
		[ -n "${KILLS-}" ] || [ $SECONDS -lt $until ] || break
		first=$((RANDOM % 4)) rule=ignore
		[ $((round % 2)) = 0 ] || rule="strace -o $S/log.{n}"
		delay=0.$(printf '%03d' $((RANDOM % 120)))
		second=
		# As ours has them: the outer one, the inner one, their keepers. Not the first with the third.
		[ $kind = one ] || second=$(((first + 1 + 2 * (RANDOM % 2)) % 4))
		# shellcheck disable=SC2086 # none, or one
		murder "$delay" "$rule" $first $second
	done
	end
done
finish
