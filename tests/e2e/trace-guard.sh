#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The built-in tracer with a filter that the kernel applies ends before those that have it: none of their calls fails, and nothing is
# left in the end.
. "$(dirname "$0")/../lib.sh"

# caller: the pid of the victim that has $S/in as its input; its children are victims too
caller()
{
	local file parent

	for file in /proc/[0-9]*/fd/0; do
		[ "$(readlink "$file")" = "$S/in" ] || continue
		file=${file%/fd/0}
		parent=$(sed -n 's/^PPid:\t//p' "$file/status")
		[ "$(cat "$file/comm") $(cat "/proc/$parent/comm")" != "calling calling" ] || continue
		[ "$(cat "$file/comm")" != calling ] || echo "${file#/proc/}"
	done 2>/dev/null | head -n 1
}

# tracer_is_not PID TRACER: it has another one, which is there
tracer_is_not()
{
	local now

	now=$(sed -n 's/^TracerPid:\t//p' "/proc/$1/status")
	[ "$now" != 0 ] && [ "$now" != "$2" ]
}

# survive SIGNAL OPTIONS VICTIM...: the tracer of the victim is sent a signal while it calls
survive()
{
	local sig=$1 options=$2 pid tracer run

	shift 2
	new_run
	fresh
	rm -f "$S/in" "$S/log" "$S/out"
	mkfifo "$S/in"
	ET_RUN=$ET_RUN et -q --run="trace --output=$S/log $options" --first -- "$@" <"$S/in" >"$S/out" 2>"$S/err" &
	run=$!
	exec 9>"$S/in"
	wait_for 15 has "$S/out" calling || cat "$S/err"
	pid=$(caller)
	tracer=$(sed -n 's/^TracerPid:\t//p' "/proc/$pid/status")
	expect "it has a tracer" test "${tracer:-0}" -gt 0
	kill -"$sig" "$tracer"
	expect "it has another one" wait_for 15 tracer_is_not "$pid" "$tracer"
	exec 9>&-
	wait $run
	expect_equal $? 0 "its status"
	expect_equal "$(tail -n 1 "$S/out")" "called, 0 failed" "all calls went well"
	expect "nothing is left" wait_for 15 none_left
}

if is_root && [ "$(nproc)" -gt 1 ]; then
	for sig in KILL TERM; do
		begin "SIG$sig for the tracer of one thread"
		for _ in 1 2 3; do
			survive $sig --filter=getppid "$V/calling" 1
		done
		end
		begin "SIG$sig for the tracer of 50 threads"
		survive $sig --filter=getppid "$V/calling" 50
		end
		begin "SIG$sig for the tracer of one that forks"
		for _ in 1 2; do
			survive $sig --filter=getppid "$V/calling" -f 3
		done
		end
		# Nobody can attach to a thread while it executes a program, which it does not while its processor is busy.
		begin "SIG$sig for the tracer of threads that start programs"
		for _ in 1 2 3 4 5; do
			survive $sig --filter=getppid "$V/calling" -e 3
		done
		end
		# Children that have ended and that nobody waits for are found again and again.
		begin "SIG$sig for the tracer of one with a zombie"
		survive $sig --filter=getppid sh -c "true & exec $V/calling 1"
		end
		begin "SIG$sig, --no-follow"
		survive $sig '--filter=getppid --no-follow' "$V/calling" -f 3
		end
	done
fi

if is_root && [ "$(nproc)" -gt 1 ] && [ "$ENGINE" = notify ]; then # no engine is in it
	begin "a tracer that is killed while it gives its process a filter, or soon after"
	new_run
	ET_RUN=$ET_RUN "$V/halftraced" "$EXECTRACE" 300 2000 >"$S/out" 2>"$S/err"
	expect_equal "$?: $(cat "$S/out")" "0: 300 rounds, 300 attached, 0 failed" "each process goes on as it was"
	expect "nothing is left" wait_for 15 none_left
	end
fi

begin "what outlives the traced process is not waited for, and goes on"
new_run
fresh
rm -f "$S/in" "$S/later"
mkfifo "$S/in"
# Opened for both, so that nobody waits.
exec 9<>"$S/in"
ET_RUN=$ET_RUN et -q --run="trace --output=$S/log --filter=getppid --no-follow" --first -- \
	sh -c "$V/calling 3 <$S/in >$S/later 2>/dev/null 9>&- & exit 4" 9>&- >"$S/out" 2>"$S/err"
expect_equal $? 4 "the command's status"
expect "it goes on" wait_for 15 has "$S/later" calling # it may still have been a shell
expect "it is still there" test -n "$(caller)"
echo >&9
expect "it ends" wait_for 15 has "$S/later" "^called, 0 failed"
exec 9>&-
expect "nothing is left" wait_for 15 none_left
end

for full in "" 1; do
	if [ -n "$full" ]; then
		is_root && mkdir -p "$S/small" && mount -t tmpfs -o size=64k tmpfs "$S/small" 2>/dev/null || {
			skip_case "a small file system" "none can be mounted here"
			continue
		}
		to=$S/small/log
	else
		to=/dev/full
	fi
	for options in "" --filter=getppid; do
		begin "no room in $([ -z "$full" ] && echo /dev/full || echo "a small file system")${options:+, $options}"
		fresh
		rm -f "$S/in" "$S/err"
		mkfifo "$S/in"
		et -q --run="trace --output=$to $options" --first -- "$V/calling" 4 <"$S/in" >"$S/out" 2>"$S/err" &
		run=$!
		exec 9>"$S/in"
		expect "it is said" wait_for 15 has "$S/err" "^exectrace: $to: No space left on device$"
		exec 9>&-
		wait $run
		expect_equal $? 0 "its status"
		expect_equal "$(tail -n 1 "$S/out")" "called, 0 failed" "all calls went well"
		expect_lines 1 "$S/err" '' "one line"
		end
		rm -f "$S/small/log"
	done
	[ -z "$full" ] || umount "$S/small"
done

finish
