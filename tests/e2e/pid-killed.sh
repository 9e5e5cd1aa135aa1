#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --pid with the notify engine: whatever is killed or stopped while it gets hold of a tree that executes all the time, each
# process is as it was or has a keeper that answers. SEED=N repeats a run, KILLS=N makes it longer.
# once: there is one engine for it
# limit: 600
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/pid.sh
. "$TESTS/pid.sh"

has_victim grove || skip "no grove"
is_kernel 5.19 || skip "no listener before Linux 5.19"
is_root || skip "a listener without no_new_privs takes root"

begin "nobody is killed"
plant 50
since=$(now)
attach -v
# One that a thread has just forked may be counted, too.
expect "it is watched" wait_for 90 has "$S/err" '[5-9][0-9] processes are watched'
expect_lines 0 "$S/err" 'cannot be watched' "all are"
lasts=$(($(now) - since))
kill -INT $pid
wait $pid
expect_equal $? 130 "exectrace ends by the signal"
expect_lines 1 "$S/err" 'goes on with a seccomp listener: process [0-9]+ \(exectrace-keep\)' "it says who answers"
keeper=$(sed -n 's/.*: process \([0-9]*\) (exectrace-keep).*/\1/p' "$S/err")
expect "that one is there" kill -0 "$keeper"
fell
expect_equal "$fruit" "still 0 failed 0, changed 0, interrupted 0, files 0, behind 0 " "the tree"
ended()
{
	! grep -q '^State:.[^Z]' "/proc/$keeper/status" 2>"$S/why"
}
expect "the keeper ends with it" wait_for 30 ended
end

seed=${SEED:-$RANDOM}
echo "# seed $seed; an attach takes $lasts ms"
RANDOM=$seed
kinds=(kill stop keeper-KILL keeper-STOP)
for kind in "${kinds[@]}"; do
	begin "$kind at any moment"
	# Where an attach takes long there are fewer of them, unless a number is asked for.
	until=$((SECONDS + 45))
	# shellcheck disable=SC2154
	for ((round = $(rounds 20) * ${KILLS:-20} / 80; round > 0 && case_problems == 0; round -= 1)); do
		[ -n "${KILLS-}" ] || [ $SECONDS -lt $until ] || break
		plant 50
		delay=$((RANDOM * lasts * 11 / 10 / 32768))
		attack "$kind" $delay
		nap 0.2
		fell
		# Where the keeper is killed just when it has stopped a thread, a call may tell of that as of any other stop.
		case $kind in keeper-*) fruit=${fruit/interrupted 1,/interrupted 0,} ;; esac
		expect_equal "$fruit" "still 0 failed 0, changed 0, interrupted 0, files 0, behind 0 " "after $delay ms"
		[ "$kind" != keeper-STOP ] || kill -CONT "$keeper" 2>"$S/why"
		kill -9 $pid 2>"$S/why"
		wait $pid 2>"$S/why"
	done
	end
done
finish
