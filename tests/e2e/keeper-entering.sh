#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Picked programs that are killed around their exec, and exectrace killed while it picks: neither leaves anything hanging.
. "$(dirname "$0")/../lib.sh"

patience=40
n=$(rounds 200)
for run in 'attach true {pid}' stop 'wrap env'; do
	begin "picked programs are killed around their exec: $run"
	cp "$V/prog" "$S/killed"
	run_as act "$EXECTRACE" --engine="$ENGINE" --run="$run" --exe="$S/killed" -- \
		"$V/execkills" "$n" 50 900 "$S/killed"
	expect_lines 1 "$S/act.status" ' exit 0$' "it ends"
	expect_lines 1 "$S/act.out" "^$n gone\$" "and the tree did"
	end
done

# The supervisor is killed while it takes one program after the other: none runs with anything of ours in it.
for run in 'attach true {pid}' 'wrap env'; do
	begin "exectrace is killed while it picks: $run"
	for delay in 0.011 0.023 0.037 0.052; do
		new_run
		fresh
		ET_RUN=$ET_RUN "$EXECTRACE" --engine="$ENGINE" -q --run="$run" --cmd='^\S*prog ' -- \
			sh -c 'i=0; while [ ! -e killed ] || [ ! -e "last" ]; do [ ! -e killed ] || : >last
				"$0"/prog x >>out || echo "status $?" >>errors; i=$((i+1)); done; echo $i >ended' "$V" \
			>"$S/out" 2>"$S/err" &
		expect "it begins" wait_for 30 test -s out
		pids=$(ours | head -n 1)
		sleep "$delay"
		[ -z "$pids" ] || kill -KILL "$pids"
		: >killed
		wait 2>/dev/null
		expect "the tree ends" wait_for 30 test -s ended
		expect_equal "$(cat errors 2>/dev/null)" "" "no program failed"
		expect_equal "$(grep -c '^says x$' out)" "$(cat ended)" "each ran once"
		expect "nothing of ours is left" wait_for 30 none_left
	done
	end
done
finish
