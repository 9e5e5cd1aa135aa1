#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of any one process of exectrace at any moment: the tree ends as if nothing had happened, and nothing of ours is left.
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/killed.sh
. "$TESTS/killed.sh"

# murder MODEL WHICH DELAY [ACTION PATTERN]: the WHICH-th process of ours is killed DELAY seconds after the start
murder()
{
	local model=$1 which=$2 delay=$3 pids flag=
	local rule=("${NOTHING[@]}")

	[ $# -lt 5 ] || rule=(--run="$4" --cmd="$5")
	[ "$model" = parent ] || flag=-D
	new_run
	fresh
	ET_RUN=$ET_RUN "$EXECTRACE" --engine="$ENGINE" -q $flag "${rule[@]}" -- sh "$S/tree" >"$S/out" 2>"$S/err" &
	wait_for 30 test -e count
	mapfile -t pids < <(ours)
	expect "a process of exectrace was found" test ${#pids[@]} -gt 0
	sleep "$delay"
	# One process is enough for an engine that nobody waits for.
	if [ ${#pids[@]} -gt "$which" ]; then
		expect "it is killed while the tree runs" test ! -e ended
		kill -KILL "${pids[$which]}" 2>/dev/null
	fi
	: >killed
	wait 2>/dev/null
	went_on
}

for model in parent behind; do
	[ $model = parent ] || behind_can "the same with -D" || continue
	for which in 0 1; do
		begin "process $((which + 1)) of ours is killed in a storm of execs, $model"
		for delay in 0.000 0.013 0.029 0.047 0.081; do
			murder $model $which $delay
		done
		end
	done
done
if command -v strace >/dev/null; then
	begin "killed while programs are picked"
	for delay in 0.005 0.02 0.05; do
		murder parent 0 $delay "strace -o $S/log.{n}" '^\S*count '
	done
	end
fi
finish
