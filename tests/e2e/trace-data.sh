#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --format=data: the recording against strace of the same program; the directory of a run; that what was recorded stays readable
# whatever happens to the tracer, the process and the disk.
. "$(dirname "$0")/../lib.sh"
needs strace
patience=60
records=$V/../tools/records

# recorded OPTIONS COMMAND...: a recording of a command in $S/log.xtr, and what is in it in $S/records
recorded()
{
	local options=$1 status

	shift
	fresh
	rm -f "$S/log.xtr"
	et -q --run="trace --format=data --output=$S/log.xtr $options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
	status=$?
	"$records" "$S/log.xtr" >"$S/records" 2>"$S/records.err"
	return $status
}

# The calls of each process in the order in which they appear, with the results of all but those that give addresses and
# pids. When a SIGCHLD comes is a matter of luck: the returns from its handler come last.
recorded_calls()
{
	awk '
		$2 == "rt_sigreturn" { returns[$1] = returns[$1] "\nrt_sigreturn"; next }
		/^[0-9]+ [a-z0-9_]+ = / {
			if (!($1 in calls)) order[++n] = $1
			calls[$1] = calls[$1] "\n" $2 " = " ($2 ~ /^(mmap|brk|mremap|v?fork|clone3?|wait4|getp?pid|gettid|set_tid_address)$/ ? "" : $4 " " $5)
		}
		END { for (i = 1; i <= n; i++) print "process " i calls[order[i]] returns[order[i]] }' "$1"
}

# The same of strace -f.
straced_calls()
{
	awk '
		/ <unfinished \.\.\.>$/ { held[$1] = $2; next }
		$2 == "+++" || $2 == "---" { next }
		/^[0-9]+ +rt_sigreturn\(/ { returns[$1] = returns[$1] "\nrt_sigreturn"; next }
		{
			name = $2
			if (name == "<...") { name = $3 }
			sub(/[(].*/, "", name)
			result = match($0, /.* = /) ? substr($0, RLENGTH + 1) : ""
			split(result, word, " ")
			if (word[1] == "?" && word[2] != "") { word[1] = "-1" }
			if (!($1 in calls)) order[++n] = $1
			if (word[1] ~ /^0x/) word[1] = sprintf("%d", strtonum_(word[1]))
			show = name ~ /^(mmap|brk|mremap|v?fork|clone3?|wait4|getp?pid|gettid|set_tid_address)$/ ? "" \
				: word[1] " " (word[1] == "-1" ? word[2] : "")
			calls[$1] = calls[$1] "\n" name " = " show
		}
		function strtonum_(hex,   i, v) {
			for (i = 3; i <= length(hex); i++) v = v * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return v
		}
		END { for (i = 1; i <= n; i++) print "process " i calls[order[i]] returns[order[i]] }' "$1"
}

# like NAME COMMAND...: strace and the recording of the same command
like()
{
	local name=$1

	shift
	begin "$name"
	fresh
	strace -f -o "$S/theirs" "$@" >"$S/out" 2>&1 </dev/null
	# The ptrace engine hands over at the end of the execve.
	[ "$ENGINE" = notify ] || sed -i 1d "$S/theirs"
	recorded '' "$@"
	"$records" -n "$S/log.xtr" | recorded_calls /dev/stdin >"$S/ours.calls"
	straced_calls "$S/theirs" | sed 's/ *$//' >"$S/theirs.calls"
	sed -i 's/ *$//' "$S/ours.calls"
	expect "there are calls" test "$(wc -l <"$S/theirs.calls")" -gt 20
	expect_same "$S/ours.calls" "$S/theirs.calls" "the same calls with the same results"
	expect_lines 1 "$S/records" '^file: whole$' "a whole file"
	end
}

like "ls" ls -l /usr
like "cat of what is not there" cat /etc/passwd "$S/none"
like "a shell with children" sh -c '/bin/echo one; /bin/true; cat /etc/hostname; exit 3'
like "sort" sort /etc/passwd

begin "file names, buffers, descriptors"
printf 'some text' >"$S/a file"
recorded --string=4 od "$S/a file"
expect_lines 1 "$S/records" "openat\(0t\"AT_FDCWD<.*>\", 1p\"$S/a file\", 6t\"3<$S/a file>\"\) = 3$" "the open"
expect_lines 1 "$S/records" "read\(0t\"3<$S/a file>\", 1b\"some\"\) = 9$" "the read, cut after four bytes"
end
begin "processes and threads"
recorded '' sh -c "$V/prog -x 3 a; $V/prog -k TERM b; :"
expect_lines 3 "$S/records" '^[0-9]+ begins: ' "three processes"
expect_lines 2 "$S/records" '^[0-9]+ executes \([0-9] words, maps none\): "[^"]*/prog" ' "two programs"
expect_lines 1 "$S/records" '^([0-9]+) ends: process \1, status 0x300$' "an exit status"
expect_lines 1 "$S/records" '^([0-9]+) ends: process \1, status 0xf$' "a signal that kills"
expect_lines 1 "$S/records" '^[0-9]+ gets signal 15 ' "it was delivered"
first=$(awk '/ begins: / { print $1; exit }' "$S/records")
expect_equal "$(awk -v first="$first" '/ begins: / && $1 != first { print $7 }' "$S/records" | sort -u)" "$first," "who made them"
expect_equal "$(grep -c 'exit_group.* = ?' "$S/records")" 2 "calls without an end"
end
begin "threads, one of which executes"
recorded '' "$V/threadform" other "$V/prog" hi
expect_equal "$(cat "$S/out")" "says hi" "the program runs"
expect "threads" grep -qE '^[0-9]+ begins: process [0-9]+, made by [0-9]+, flags 0x3d0f00' "$S/records"
expect "its exec" grep -qE '^[0-9]+ executes .*prog' "$S/records"
expect_lines 1 "$S/records" "^$(awk '/ begins: / { print $1; exit }' "$S/records") ends: process" "the end of the process"
end
begin "200 threads at once, a storm of forks: nothing is lost"
recorded --stack "$V/crowd" 200 50 100
expect_equal $? 0 "the command's status"
expect_lines 10100 "$S/records" '^[0-9]+ getppid = [0-9]+$' "each call"
expect_lines 301 "$S/records" '^[0-9]+ begins: ' "each thread and process"
expect_lines 301 "$S/records" '^[0-9]+ ends: ' "their ends"
expect_lines 35 "$S/records" '^[0-9]+ executes ' "each program"
expect_equal "$(grep -A 3 '^[0-9]* getppid = ' "$S/records" | grep -c '/crowd(work+0x')" 10000 "the stack of each"
expect_lines 1 "$S/records" '^file: whole$' "a whole file"
end
begin "killed in the middle of that"
recorded --stack sh -c "$V/crowd 200 1000 100 & sleep 0.2; kill -KILL \$!; wait \$!; exit 4"
expect_equal $? 4 "the command's status"
expect_equal "$(grep -c '^[0-9]* ends: ' "$S/records")" "$(grep -c '^[0-9]* begins: ' "$S/records")" "as many ends as beginnings"
expect_lines 1 "$S/records" '^file: whole$' "a whole file"
end
begin "killed at any moment"
for _ in $(seq 8); do
	pause=0.$(printf '%03d' $((RANDOM % 160)))
	recorded --stack sh -c "$V/crowd 200 1000 100 & sleep $pause; kill -KILL \$!; wait \$!; exit 4"
	expect_equal $? 4 "the command's status, after $pause s"
done
end
begin "a filter"
recorded --filter=write sh -c "$V/prog a; $V/prog b"
expect_equal "$(grep -c ' write(' "$S/records")" 2 "the writes"
expect_equal "$(grep -cE '^[0-9]+ [a-z0-9_]+(\(.*)? = ' "$S/records")" 2 "nothing else"
expect_lines 3 "$S/records" ' begins: ' "but all processes"
end

begin "a run in which nothing was picked"
fresh
et -q --run='trace --format=data' --cmd='^nothing of the kind$' -- "$V/prog" a >"$S/out" 2>&1
for command in syscalls report timeline; do
	"$EXECTRACE" $command >"$S/out" 2>"$S/err"
	expect_equal $? 0 "the status of $command"
	expect_lines 1 "$S/err" "^exectrace: exectrace.data: no calls were recorded, only what was executed" "$command says so"
	expect_equal "$(wc -l <"$S/err")" 1 "in one line"
done
"$EXECTRACE" tree >"$S/out" 2>"$S/err"
expect_lines 1 "$S/out" '/prog a ' "which tree does"
expect_lines 0 "$S/err" . "in silence"
end

begin "the directory of a run"
fresh
et -q --run='trace --format=data' --cmd='^\S*prog ' -- sh -c "$V/prog a; $V/prog -x 1 b; $V/prog -k KILL c; exit 5" >"$S/out" 2>"$S/err"
expect_equal $? 5 "the command's status"
expect_equal "$(ls exectrace.data | sed -E 's/^(trace-[0-9]+)-[0-9]+/\1/' | tr '\n' ' ')" \
	"execs.jsonl run.json trace-1.xtr trace-2.xtr trace-3.xtr " "a file a process"
expect "its pid" grep -q "^$(ls exectrace.data/trace-2-* | sed -E 's/.*-([0-9]+)\.xtr/\1/') ends: .* status 0x100" \
	<("$records" exectrace.data/trace-2-*)
if command -v python3 >/dev/null; then
	expect "run.json" python3 -c '
import json
run = json.load(open("exectrace.data/run.json"))
assert run["command"][:2] == ["sh", "-c"] and run["status"] == 5 and run["cpus"] > 0 and run["cwd"].endswith("/run"), run
assert run["start"]["realtime"] > 10**18 and run["end"]["monotonic"] > run["start"]["monotonic"], run
assert run["exectrace"] and run["host"] and run["system"].startswith("Linux ") and run["engine"] in ("notify", "ptrace"), run
assert len([json.loads(line) for line in open("exectrace.data/execs.jsonl")]) == 4'
fi
et -q --run='trace --format=data --filter=none_of_them' -- "$V/prog" a >"$S/out" 2>"$S/err"
expect_equal $? 125 "a bad option is told before anything is moved"
expect_equal "$(ls exectrace.data | wc -l)" 5 "it is still there"
end
begin "an older directory becomes DIR.old, one before that goes"
for n in 1 2 3; do
	et -q -o DIR --run='trace --format=data' --cmd="^\S*prog $n" -- "$V/prog" $n >"$S/out" 2>"$S/err"
done
expect_equal "$(ls -d DIR*)" "$(printf 'DIR\nDIR.old')" "two of three"
expect "the third" grep -q '"3"' DIR/run.json
expect "the second" grep -q '"2"' DIR.old/run.json
expect_equal "$(ls DIR.old | wc -l)" 3 "whole"
touch DIR.old/mine
et -q -o DIR --run='trace --format=data' --cmd="^\S*prog 4" -- "$V/prog" 4 >"$S/out" 2>"$S/err"
expect_equal $? 125 "what is not ours is not removed"
expect "it is still there" test -e DIR.old/mine -a -e DIR.old/run.json
end
begin "--keep=failed"
fresh
et -q --keep=failed --run='trace --format=data --stack' --cmd='^\S*prog ' -- sh -c "$V/prog a; $V/prog -x 1 b" >"$S/out" 2>"$S/err"
expect_equal "$(find exectrace.data -name "*.xtr" | wc -l)" 1 "one of two is kept"
expect "the one that failed" grep -q 'status 0x100' <("$records" exectrace.data/trace-2-*)
end
begin "a run without recordings makes no directory"
fresh
et -q --run=log -- "$V/prog" a >"$S/out" 2>"$S/err"
et -q --run="trace --format=data --output=$S/elsewhere.xtr" -- "$V/prog" a >"$S/out" 2>"$S/err"
expect_equal "$(ls)" "" "none"
et -q --list --run='trace --format=data' -- "$V/prog" a >"$S/out" 2>"$S/err"
expect_equal "$(ls)" "" "nor does --list"
end

# Counts: there are so many writes that none of the ways to end is at their end.
writer='i=0; while [ $i -lt 100000000 ]; do echo x; i=$((i+1)); done'
tracer_of()
{
	sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null
}
is_traced()
{
	[ "$(tracer_of "$1")" != 0 ]
}
# grows FILE: it has a block, which is written after a second at the latest
grows()
{
	[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt 1000 ]
}
for sig in KILL TERM; do
	begin "SIG$sig for the tracer: what it recorded is readable"
	fresh
	sh -c "$writer" >/dev/null &
	pid=$!
	(exec -a exectrace-trace "$EXECTRACE" -p $pid --format=data --stack 2>"$S/err") &
	tracer=$!
	expect "it records" wait_for 20 grows trace-$pid.xtr
	kill -$sig $tracer
	wait $tracer 2>/dev/null
	expect "the process runs on, untraced" kill -0 $pid
	expect_equal "$(tracer_of $pid)" 0 "by nobody"
	kill -KILL $pid
	wait $pid 2>/dev/null
	"$records" trace-$pid.xtr >"$S/records" 2>"$S/records.err"
	expect_equal "$(cat "$S/records.err")" "" "no error"
	expect "calls" test "$(grep -c ' write(.* = 2$' "$S/records")" -gt 10
	expect_lines 1 "$S/records" "^file: $([ $sig = KILL ] && echo cut || echo whole)$" "the end of the file"
	expect "what it executes is told" grep -qE "^$pid executes \(3 words, maps known\).*sh" "$S/records"
	end
done
begin "a process that is killed"
recorded --stack sh -c 'kill -KILL $$'
expect_lines 1 "$S/records" '^([0-9]+) ends: process \1, status 0x9$' "its end"
expect_lines 1 "$S/records" '^[0-9]+ kill = \?$' "the call that did not return"
expect_lines 1 "$S/records" '^file: whole$' "a whole file"
end
begin "a full disk is said once, and the program runs on"
fresh
et -q --run="trace --format=data --output=/dev/full" --first -- "$V/prog" -x 5 a >"$S/out" 2>"$S/err"
expect_equal $? 5 "the command's status"
expect_equal "$(cat "$S/err")" "exectrace: /dev/full: No space left on device" "one line"
expect_equal "$(cat "$S/out")" "says a" "the program's output"
end
if is_root && mkdir -p "$S/small" && mount -t tmpfs -o size=1m none "$S/small" 2>/dev/null; then
	begin "a disk that fills up: readable up to there"
	fresh
	et -q --run="trace --format=data --stack --string=4096 --output=$S/small/log.xtr" --first -- \
		sh -c 'i=0; while [ $i -lt 600 ]; do head -c 4000 /dev/urandom; i=$((i+1)); done | cat >/dev/null; exit 6' >"$S/out" 2>"$S/err"
	expect_equal $? 6 "the command's status"
	expect_equal "$(cat "$S/err")" "exectrace: $S/small/log.xtr: No space left on device" "one line"
	"$records" "$S/small/log.xtr" >"$S/records" 2>"$S/records.err"
	expect_equal "$(cat "$S/records.err")" "" "no error"
	expect_lines 1 "$S/records" '^file: cut$' "it ends behind a whole block"
	expect "processes" grep -q ' executes ' "$S/records"
	umount "$S/small"
	end
else
	skip_case "a disk that fills up" "a small file system cannot be mounted here"
fi
begin "a limit of the file's size"
fresh
(ulimit -f 16; et -q --run="trace --format=data --string=4096 --output=$S/log.xtr" --first -- \
	sh -c 'i=0; while [ $i -lt 60 ]; do head -c 4000 /dev/urandom; i=$((i+1)); done | cat >/dev/null; exit 6' >"$S/out" 2>"$S/err")
expect_equal $? 6 "the command's status"
expect_equal "$(cat "$S/err")" "exectrace: $S/log.xtr: File too large" "one line"
expect "readable" "$records" "$S/log.xtr"
end
finish
