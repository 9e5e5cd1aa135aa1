#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The built-in tracer: what its options select and how it writes; threads; and that the process survives its end in any way.
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

calls()
{
	sed -E -n 's/^[0-9]+ +[0-9]+\.[0-9]{6} ([a-z0-9_]+)\(.*/\1/p' "$S/log"
}

begin "--filter=NAMES"
traced --filter=openat,close "$V/prog" -x 4 a
expect_equal $? 4 "the command's status"
expect_equal "$(calls | sort -u | tr '\n' ' ')" "$([ "$(calls | grep -c openat)" -gt 0 ] && echo 'close openat ')" "only these"
end
begin "--filter with a class, a regex and a negation"
traced '--filter=%process,/^mm/,!wait4' sh -c "$V/prog a; $V/prog b"
expect "mmap is there" grep -q ' mmap(' "$S/log"
expect "exit_group is there" grep -q ' exit_group(' "$S/log"
expect "no wait4" sh -c "! grep -q ' wait4(' '$S/log'"
expect "no write" sh -c "! grep -q ' write(' '$S/log'"
end
begin "a filter that hides opens: descriptors have the path that they have now"
printf a >"$S/first" && printf b >"$S/second"
traced --filter=read head -c 1 "$S/first" "$S/second"
expect_equal "$(grep -c "read([0-9]*<$S/first>, \"a\"" "$S/log") $(grep -c "read([0-9]*<$S/second>, \"b\"" "$S/log")" "1 1" "each its own"
end
begin "--failed"
traced --failed cat "$S/none" "$TESTS/run"
expect "the failed open" grep -q "openat(.*$S/none.* = -1 ENOENT (No such file or directory) <" "$S/log"
expect_equal "$(grep -v '+++\|---' "$S/log" | grep -vc ' = -1 E')" 0 "no call that went well"
end
begin "--path"
traced --path="$TESTS/run" cat "$TESTS/run"
expect "its open" grep -q "openat(.*\"$TESTS/run\".* = [0-9]*<$TESTS/run>" "$S/log"
expect "its reads" grep -Eq " (read|copy_file_range)\([0-9]*<$TESTS/run>" "$S/log"
expect_equal "$(grep -v '+++\|---' "$S/log" | grep -vc "$TESTS/run")" 0 "nothing else"
end
begin "--path: relative, through a link, more than one, not there yet"
mkdir "$S/real" && ln -s real "$S/link" && echo one >"$S/real/one" && echo two >"$S/real/two"
traced '--path=../link/one --path=../real/two --path=../link/made' \
	sh -c 'cat ../real/one ../link/two ../real/one; cat <../real/two >../real/made'
expect_equal "$(grep -c "openat(.*real/made" "$S/log")" 1 "one that is made"
expect_equal "$(grep -Ec "dup2\([0-9]*<$S/real/(made|two)>" "$S/log")" 2 "which is moved"
expect_equal "$(grep -Ec " (read|copy_file_range)\([0-9]*<$S/real/one>.* = 4 " "$S/log")" 2 "reads of a file that is named by its link"
expect_equal "$(grep -Ec " (read|copy_file_range)\([0-9]*<$S/real/two>.* = 4 " "$S/log")" 2 "and of one that is opened through it"
end
begin "--no-follow"
traced '--no-follow --filter=exit_group' sh -c "$V/prog a; $V/prog b; true"
expect_equal "$(calls | wc -l)" 1 "one process"
traced '--filter=exit_group' sh -c "$V/prog a; $V/prog b; true"
expect_equal "$(calls | wc -l)" 3 "with its children"
end
begin "--string"
traced '--string=5 --filter=write' sh -c 'echo 0123456789'
expect_lines 1 "$S/log" 'write\(1<.*>, "01234"\.\.\., 11\) +=  *11 <[0-9.]+>$' "cut after five"
end
begin "the layout: thread, seconds with six decimals, call, result, duration"
traced '' "$V/prog" -x 3 a
expect_equal "$(grep -Evc '^[0-9]+ +[0-9]+\.[0-9]{6} ([a-z0-9_]+\(.*\) += .*( <[0-9]+\.[0-9]{6}>)?|\+\+\+ exited with 3 \+\+\+)$' "$S/log")" 0 "every line"
end
begin "--summary counts exactly"
traced '--summary --filter=write' sh -c 'i=0; while [ $i -lt 250 ]; do echo x; i=$((i+1)); done; echo y >&9' 9>/dev/null
expect_lines 1 "$S/log" ' 251 +write$' "251 writes"
expect_lines 1 "$S/log" '^100\.00 .* 251 +0 total$' "the sum"
end
if command -v python3 >/dev/null; then
	begin "--format=json"
	traced '--format=json' sh -c 'cat "$0"; kill -USR1 $$; exit 3' "$S/nosuch"
	expect "each line is an object" python3 -c '
import json, sys
ends = 0
for line in open(sys.argv[1]):
    o = json.loads(line)
    assert o["t"] > 10**18 and o["pid"] > 0 and o["tid"] > 0
    if o["ph"] == "sys":
        assert isinstance(o["args"], list) and isinstance(o["dur"], int), line
        assert (o["ret"] == -1 and o["err"].startswith("E")) or "err" not in o, line
    ends += o["ph"] == "end"
assert ends == 2, ends
assert any(o["ph"] == "sys" and o["name"] == "openat" and o.get("err") == "ENOENT" and o["args"][1] == json.dumps(sys.argv[2])
           for o in map(json.loads, open(sys.argv[1])))
' "$S/log" "$S/nosuch"
	expect "the signal that ends it" grep -q '"signal":"SIGUSR1","core":false' "$S/log"
	end
fi
begin "threads that execute"
traced '--filter=execve' "$V/threadform" other "$V/prog" hi
expect_equal "$(cat "$S/out")" "says hi" "the program runs"
expect "the old threads are gone" grep -q '+++ superseded by execve in pid [0-9]* +++' "$S/log"
expect_lines 1 "$S/log" '<\.\.\. execve resumed>\) += 0 <' "the execve ends under the number of the process"
end
begin "a full disk is said once, and the program runs on"
fresh
et -q --run="trace --output=/dev/full" --first -- "$V/prog" -x 5 a >"$S/out" 2>"$S/err"
expect_equal $? 5 "the command's status"
expect_lines 1 "$S/err" '^exectrace: /dev/full: No space left on device$' "one line"
expect_equal "$(cat "$S/out")" "says a" "the program's output"
end
begin "a file that cannot be made"
fresh
et -q --run="trace --output=$S/none/log" --first -- "$V/prog" -x 5 a >"$S/out" 2>"$S/err"
expect_equal $? 5 "the command's status"
expect "it is said" grep -q "^exectrace: cannot write $S/none/log: No such file or directory$" "$S/err"
end
# tracer_of PID
tracer_of()
{
	sed -n 's/^TracerPid:\t//p' "/proc/$1/status"
}
another_tracer()
{
	[ "$(tracer_of "$1")" != "$2" ]
}
leader_ended()
{
	grep -q '^State:	Z' "/proc/$1/status"
}
ended()
{
	[ ! -e "/proc/$1" ]
}
begin "a leader that ends at once, and SIGTERM for the tracer"
for i in 1 2 3 4 5 6; do
	fresh
	rm -f "$S/log"
	et --run="trace --output=$S/log" --first -- "$V/threadform" left go >"$S/out" 2>"$S/err" &
	pid=
	wait_for 30 test -s "$S/log" && pid=$(awk 'NR == 1 { print $1 }' "$S/log")
	expect "$i: the leader has ended" wait_for 30 leader_ended "$pid"
	tracer=$(tracer_of "$pid")
	kill -TERM "$tracer"
	expect "$i: the tracer ends" wait_for 30 ended "$tracer"
	: >go
	wait $!
	expect_equal "$? $(cat "$S/out")" "0 went on" "$i: the process runs on"
	expect_lines 1 "$S/err" '1 of 1 commands matched$' "$i: it counts"
done
end
for sig in TERM KILL; do
	begin "SIG$sig for the tracer: the processes run on, untraced"
	fresh
	rm -f "$S/log"
	cat >"$S/long" <<-'EOF'
		echo $$ >began
		while [ ! -e go ]; do sleep 0.05; done
		grep TracerPid /proc/self/status >after
		exit 7
	EOF
	et -q --run="trace --output=$S/log" --first -- sh "$S/long" >"$S/out" 2>"$S/err" &
	wait_for 30 test -s began && wait_for 30 test -s "$S/log"
	pid=$(cat began)
	tracer=$(tracer_of "$pid")
	expect_equal "$(cat "/proc/$tracer/comm")" "exectrace-trace" "the tracer is there"
	kill -$sig "$tracer"
	expect "it has let go" wait_for 30 another_tracer "$pid" "$tracer"
	: >go
	wait $!
	expect_equal $? 7 "the command's status"
	[ "$ENGINE" = ptrace ] || expect_equal "$(cat after)" "TracerPid:	0" "untraced"
	end
done
finish
