#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The built-in tracer and many threads and processes, with and without a filter that the kernel applies: nothing hangs, and nothing is
# lost.
. "$(dirname "$0")/../lib.sh"

# traced OPTIONS COMMAND...: the trace of a command goes to $S/log
traced()
{
	local options=$1

	shift
	fresh
	rm -f "$S/log"
	et -q --run="trace --output=$S/log $options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

patience=60
for options in "" --filter=getppid,futex; do
	# Nothing makes the threads wait where they count their calls themselves: they leave no processor to the one that makes them.
	[ "$options" ] || patience=240
	begin "200 threads at once${options:+, $options}"
	traced "--summary $options" "$V/calling" 200
	expect_equal "$(tail -n 1 "$S/out")" "called, 0 failed" "all calls went well"
	expect_lines 1 "$S/log" ' getppid$' "they are counted"
	end
	patience=60
	begin "a process killed around its exec${options:+, $options}"
	traced "$options" "$V/killrace" 100 "$V/prog" a
	expect "all die" grep -q '^100 children: all killed or ended$' "$S/out"
	expect_lines some "$S/log" '\+\+\+ killed by SIGKILL' "which the log has"
	end
	begin "many short processes${options:+, $options}"
	traced "$options" "$V/storm" 4 25 "$V/count" count
	expect_equal $? 0 "the status"
	expect_equal "$(grep -c '+++ exited with' "$S/log")" "$(awk '{ print $1 }' "$S/log" | sort -u | wc -l)" "each has an end"
	end
	begin "threads that execute at once${options:+, $options}"
	for form in busy race zombie; do
		traced "$options" sh -c "$V/threadform $form $V/prog hi; true"
		expect_equal "$(cat "$S/out")" "says hi" "$form: the program runs"
		expect "$form: and ends" sh -c "tail -n 1 '$S/log' | grep -q '+++ exited with 0 +++$'"
	done
	end
done

# The tracer may be at work in the thread that dies of the exec.
begin "a thread that executes at any moment"
seed=${SEED:-$RANDOM}
RANDOM=$seed
for i in $(seq 60); do
	form=ends
	[ $((i % 3)) != 0 ] || form=calls
	us=$((RANDOM % 3000))
	traced "" "$V/threadform" $form $us "$V/prog" hi
	expect_equal "$(cat "$S/out")" "says hi" "$form, seed $seed, after $us us: the program runs"
	expect_lines some "$S/log" ' write\(.*"says hi' "seed $seed, after $us us: it is traced"
	expect_lines 1 "$S/log" ' \+\+\+ exited with 0 \+\+\+$' "seed $seed, after $us us: its end"
done
end
# threads_seen N: so many threads have opened the file
threads_seen()
{
	[ "$(awk '/openat/ { print $1 }' "$S/log" 2>/dev/null | sort -u | wc -l)" -ge "$1" ]
}

# Attached to by hand, all threads that are there already are traced, and none of them notices.
ln -sf "$EXECTRACE" "$S/exectrace-trace"
for options in "" --filter=openat "--stack --filter=openat"; do
	for signal in INT KILL; do
		begin "a process with 50 threads attached to${options:+, $options}, and left by SIG$signal"
		rm -f "$S/log" "$S/fifo" "$S/out"
		mkfifo "$S/fifo"
		"$V/lasting" 50 <"$S/fifo" >"$S/out" 2>&1 &
		victim=$!
		exec 9>"$S/fifo"
		wait_for 20 has "$S/out" ready
		# shellcheck disable=SC2086 # several words
		"$S/exectrace-trace" $options --output="$S/log" --pid="$victim" 9>&- &
		tracer=$!
		expect "calls of all threads are seen" wait_for 20 threads_seen 50
		kill -"$signal" "$tracer"
		wait "$tracer" 2>/dev/null
		exec 9>&-
		wait "$victim"
		expect_equal "$? $(tail -n 1 "$S/out")" "0 0 failed" "the process ends well"
		end
	done
done
finish
