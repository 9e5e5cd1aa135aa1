#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that record their calls themselves go on and end as they would when their tracer is killed at whatever moment, and when it lets
# them go; then their text is what it was. SEED=N repeats a run; KILLS=N kills N times each, however long that takes.
# limit: 600
# once: the tracer is attached by hand, the engine has no part in it
. "$(dirname "$0")/../lib.sh"
. "$TESTS/inside.sh"

is_kernel 6.4 || skip "needs Linux 6.4: Syscall User Dispatch by ptrace"
! yama_binds || skip "kernel.yama.ptrace_scope is 1: what is no descendant cannot be attached to"
seed=${SEED:-$((RANDOM % 10000))}
RANDOM=$seed

# leaves SIGNAL TIMES WHAT COMMAND...: less often where the tracer has time to let go, and where the machine is slow
leaves()
{
	local signal=$1 times=${KILLS:-$2} what=$3 until

	shift 3
	[ "$signal" = KILL ] || times=$(((times + 1) / 2))
	begin "$what, left by SIG$signal up to $times times, seed $seed"
	"$@" >"$S/plain" 2>/dev/null </dev/null
	echo "status $?" >>"$S/plain"
	until=$((SECONDS + 4))
	for ((i = 0; i < times; i++)); do
		[ -n "${KILLS-}" ] || [ $i = 0 ] || [ $SECONDS -lt $until ] || break
		left "$signal" "$@"
		expect_same "$S/out" "$S/plain" "time $i: what it prints, and its status"
	done
	end
}

# The tracer goes with what it started: python itself, and no script that looks for it.
python=
! command -v python3 >"$S/why" || python=$(python3 -c 'import sys; print(sys.executable)')
for signal in KILL TERM; do
	leaves $signal 8 "random calls" "$V/inside" random "$seed" 20000 1
	leaves $signal 8 "random calls of threads" "$V/inside" random "$seed" 4000 4
	leaves $signal 8 "children" "$V/inside" children 150
	leaves $signal 8 "sleeps in which ignored signals come" "$V/inside" sleeps 200
	leaves $signal 6 "calls that a timer interrupts" "$V/interrupted" 2000 1
	leaves $signal 6 "calls of 4 threads that a timer interrupts" "$V/interrupted" 2000 4
	leaves $signal 6 "registers" "$V/registers" 4000
	for=why
	leaves $signal 6 "random calls, for why" "$V/inside" random "$seed" 10000 1
	leaves $signal 6 "random calls of threads, for why" "$V/inside" random "$seed" 2000 4
	leaves $signal 4 "registers, for why" "$V/registers" 1000
	for=
	[ -z "$python" ] || leaves $signal 6 "python" "$python" -B -c 'import json, re, subprocess; print(json.dumps(list(range(9))))'
	leaves $signal 6 "a shell" sh -c 'i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i + 1)); done; echo $i'
done

# Killed behind a call of its own, here and there from the first one on: while it gives the program the agent, while it patches.
if command -v strace >"$S/why"; then
	for call in ptrace pwrite64; do
		begin "killed behind its own $call"
		"$V/inside" random 5 300 1 >"$S/plain" </dev/null
		echo "status 0" >>"$S/plain"
		until=$((SECONDS + 20))
		for ((i = 1; i <= 200; i += i < 20 ? 1 : 11)); do
			[ -n "${KILLS-}" ] || [ $SECONDS -lt $until ] || break
			by=(strace -f -qq -o "$S/tracer.calls" -e trace="$call" -e inject="$call:signal=KILL:when=$i")
			left '' "$V/inside" random 5 300 1
			expect_same "$S/out" "$S/plain" "call $i: what it prints, and its status"
		done
		end
	done
	# Its flags, too, are what they were.
	begin "registers, killed behind its own ptrace, seed $seed"
	"$V/registers" 300 >"$S/plain" </dev/null
	echo "status 0" >>"$S/plain"
	until=$((SECONDS + 20))
	for ((i = 160 + RANDOM % 4; i <= 330; i += 1 + RANDOM % 4)); do
		[ -n "${KILLS-}" ] || [ $SECONDS -lt $until ] || break
		by=(strace -f -qq -o "$S/tracer.calls" -e trace=ptrace -e inject="ptrace:signal=KILL:when=$i")
		left '' "$V/registers" 300
		expect_same "$S/out" "$S/plain" "call $i: what it prints, and its status"
	done
	end
	by=()
else
	skip_case "killed behind its own calls" "strace is not installed"
fi

# When the tracer was killed, SIGSYS may not be blocked as the program thinks, and has a handler.
leaves TERM 16 "masks" "$V/inside" masks
leaves TERM 16 "waits with another mask" "$V/masked" 10

begin "the text is put back"
fresh
rm -f "$S/log"
printf '1\n' | "$V/inside" text >"$S/plain"
mkfifo "$S/text"
"$V/inside" text <"$S/text" >"$S/out" &
victim=$!
exec 8>"$S/text"
"$S/exectrace-trace" --source=inside --output="$S/log" --pid="$victim" 8>&- &
tracer=$!
wait_for 20 has "$S/log" read
echo 1 >&8
wait_for 20 has "$S/out" text
expect "it was not what it was" sh -c "! cmp -s '$S/plain' '$S/out'"
kill -TERM "$tracer"
wait "$tracer"
echo 2 >&8
exec 8>&-
wait "$victim"
expect_equal $? 0 "the program ends"
expect_equal "$(tail -n 1 "$S/out")" "$(cat "$S/plain")" "its text"
end
finish
