#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --stack against strace -k on the same programs: the same frames of the same calls, in the text, in JSON and in a recording.
. "$(dirname "$0")/../lib.sh"
needs strace gcc strip setarch
strace -V | grep -q 'stack-trace=' || skip "this strace has no -k"
patience=60
records=$V/../tools/records

# stacks FILE [PROGRAM]: of each process, in the order in which they appear, its calls with their frames as FILE[0xOFFSET], those in
# PROGRAM with names. Without calls of which strace shows no stack (they do not return) or another (what comes after), and without those
# that are there by chance (the time is a call only where the machine's clock cannot be read without one).
stacks()
{
	sed -E 's/^ *([0-9]+) +([0-9]+\.[0-9]{6} )?/\1 /' "$1" | awk -v program="${2-}" '
		/^ > / {
			if (key == "") next
			sub(/^ > (unexpected_backtracing_error )?/, "")
			file = $0
			if (file !~ "^" program "[(]") sub(/\(.*/, "", file)
			calls[key] = calls[key] " " (match($0, /^\[/) ? "" : file) $NF
			next
		}
		{
			key = ""
			if ($2 ~ /^\+\+\+/ || / (--- SIGCHLD|--- stopped) / || / <unfinished \.\.\.>$/ && ! / = \?$/) next
			name = $2 ~ /^(<\.\.\.|---)$/ ? $3 : $2
			sub(/[(].*/, "", name)
			if (name ~ /^(execve|exit|exit_group|futex|wait4|rseq|getrandom|clock_gettime|gettimeofday)$/) next
			key = $1
			if (!(key in calls)) order[++n] = key
			calls[key] = calls[key] "\n" name
		}
		END { for (i = 1; i <= n; i++) print "process " i calls[order[i]] }'
}

# like NAME COMMAND...: strace and the tracer, with each source, on the same command, with the same environment and addresses
like()
{
	local name=$1

	shift
	fresh
	rm -f "$S/theirs"
	timeout "$(limit "$patience")" strace -f -k -o "$S/theirs" env -i PATH="$PATH" setarch -R "$@" >"$S/out" 2>&1 </dev/null
	stacks "$S/theirs" >"$S/theirs.stacks"
	begin "$name"
	expect "there are stacks" test "$(grep -c '\[0x' "$S/theirs.stacks")" -gt 20
	for from in stops inside; do
		fresh
		rm -f "$S/ours"
		et -q --run="trace --stack=512 --source=$from --output=$S/ours" --first -- env -i PATH="$PATH" setarch -R "$@" >"$S/out" 2>&1 </dev/null
		stacks "$S/ours" >"$S/ours.stacks"
		expect_same "$S/ours.stacks" "$S/theirs.stacks" "$from: the same frames"
	done
	end
}

source=$TESTS/victims/frames.c
gcc -O1 -shared -fPIC -DPLUG=40 -o one.so "$source" && gcc -O1 -shared -fPIC -DPLUG=400 -o two.so "$source" &&
	gcc -O1 -pthread -o frames "$source" -ldl && gcc -O2 -fomit-frame-pointer -pthread -o nofp "$source" -ldl &&
	gcc -O1 -no-pie -pthread -o fixed "$source" -ldl && strip -o stripped frames || exit 1
like "recursion, leaves, a signal frame, children, libraries that come and go, a thread" "$S/frames" "$S/one.so" "$S/two.so"
begin "with the names that strace has"
stacks "$S/ours" "$S/frames" >"$S/ours.named"
stacks "$S/theirs" "$S/frames" >"$S/theirs.named"
expect "there are names" grep -q "$S/frames(descend+0x[0-9a-f]*)" "$S/theirs.named"
expect_same "$S/ours.named" "$S/theirs.named" "the same names"
end
like "-fomit-frame-pointer" "$S/nofp" "$S/one.so"
like "a stripped program" "$S/stripped" "$S/two.so"
like "a program at a fixed address" "$S/fixed"
if command -v perl >/dev/null; then
	like "an interpreter: perl" env PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 "$(command -v perl)" -MPOSIX -e \
		'sub f { my $n = shift; return $n ? f($n - 1) : getppid() } f(20); open F, "/etc/passwd"; while (<F>) { } print getcwd()'
fi
if [ -x /usr/bin/python3 ]; then
	like "an interpreter: python" env PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -I -S -c \
		'import os
def f(n): return f(n - 1) if n else os.getppid()
f(20)'
fi

# strace does not get through a static program without a table, nor through 32 bits: nm and the source tell.
chain()
{
	awk -v file="$S/$1" '
		/^ > / { if (in_call && index($0, " > " file "(") == 1) { sub(/^[^(]*\(/, ""); sub(/\+.*/, ""); printf " %s", $0 }; next }
		{ if (in_call) print ""; in_call = / getppid\(/ }
		END { if (in_call) print "" }' "$S/log"
}
want=' leaf descend descend descend descend descend descend main'
for how in '-static:static' '-m32:narrow' '-m32 -static:narrowstatic'; do
	program=${how##*:}
	# shellcheck disable=SC2086 # flags are a list of words
	if ! gcc ${how%:*} -O1 -pthread -o "$S/$program" "$source" -ldl 2>/dev/null; then
		skip_case "$program" "gcc cannot link it here"
		continue
	fi
	kernel_runs "$S/$program" "$program" || continue
	begin "$program: all frames, by name"
	fresh
	et -q --run="trace --stack=300 --filter=getppid --output=$S/log" --first -- "$S/$program" >"$S/out" 2>&1
	chain "$program" | sed 's/^ _*getppid//' >"$S/chains"
	expect_equal "$(head -n 1 "$S/chains" | cut -d ' ' -f 1-9)" "$want" "the first"
	expect_equal "$(sed -n 2p "$S/chains" | grep -o descend | wc -l)" 201 "a deep one"
	expect "through a signal" grep -qE '^ leaf handler.* main' "$S/chains"
	end
done

begin "where a signal met it"
echo 'static __attribute__((noinline)) int look(int *p) { return *p + 1; } int main(void) { return look((int *)8); }' >"$S/crash.c"
gcc -O1 -o "$S/crash" "$S/crash.c" || fail "gcc"
for format in text json; do
	fresh
	et -q --run="trace --stack --filter=getppid --format=$format --output=$S/log" --first -- "$S/crash" >"$S/out" 2>&1
	expect_equal $? 139 "it dies of it ($format)"
	expect "the functions ($format)" grep -A 2 SIGSEGV "$S/log" | tr -d '\n' | grep -qE "crash\(look\+0x0\).*crash\(main\+0x"
done
end

begin "--stack=DEPTH"
fresh
rm -f "$S/log"
et -q --run="trace --stack=3 --filter=getppid --output=$S/log" --first -- "$S/frames" >"$S/out" 2>&1
expect_equal "$(grep -c ' > ' "$S/log")" "$((3 * $(grep -c 'getppid(\|--- SIG' "$S/log")))" "three frames each"
expect_lines some "$S/log" '^ > ' "there are some"
end
begin "--stack with --filter, --failed and --path: only under what is shown"
fresh
et -q --run="trace --stack --failed --filter=openat --output=$S/log" --first -- cat "$S/none" "$S/frames" >"$S/out" 2>&1
expect "calls that fail" grep -q 'openat(.* = -1 ENOENT' "$S/log"
expect_equal "$(grep -vcE '^ > |openat\(.* = -1 E|\+\+\+' "$S/log")" 0 "nothing else"
expect "frames" grep -qE '^ > /.*/libc\.so\.6\(.*\) \[0x[0-9a-f]+\]$' "$S/log"
et -q --run="trace --stack --path=$S/frames --output=$S/log" --first -- cat "$S/frames" >"$S/out" 2>&1
expect_equal "$(grep -vE '^ > |\+\+\+' "$S/log" | grep -vc "$S/frames")" 0 "only with this file"
expect "frames" grep -q '^ > ' "$S/log"
end
begin "a filter hides no change of what is mapped"
fresh
et -q --run="trace --stack --filter=getppid --output=$S/log" --first -- "$S/frames" "$S/one.so" "$S/two.so" "$S/one.so" >"$S/out" 2>&1
expect_equal "$(grep -cE "^ > $S/(one|two)\.so\((inner|plug)\+0x" "$S/log")" 6 "each library has its frames"
expect_equal "$(grep -c 'munmap\|mmap' "$S/log")" 0 "which is not shown"
end
begin "more stacks than are kept: none is lost, nor that of a call that waits meanwhile"
fresh
et -q --run="trace --stack=10000 --filter=getppid,read --output=$S/log" --first -- "$S/frames" -d 4200 >"$S/out" 2>&1
awk '/^ > / { n++; if (/\(wait_for_main\+/) waits++; next } { if (call) print call, n; call = / getppid\(/ && !/ <unfinished/ || / getppid resumed>/ ? "call" : ""; n = 0 }
	END { print "waits", waits }' "$S/log" >"$S/depths"
expect_equal "$(grep -c call "$S/depths")" 4201 "each call"
# Each has one frame more than the one before it.
expect_equal "$(awk '$1 == "call" { if (last && $2 != last + 1) bad++; last = $2 } END { print bad + 0 }' "$S/depths")" 0 "all frames"
expect_lines 1 "$S/depths" '^waits 1$' "the stack of the read"
end
if command -v python3 >/dev/null; then
	begin "--format=json has the same frames"
	fresh
	et -q --run="trace --stack --filter=getppid --output=$S/log" --first -- "$S/frames" "$S/one.so" >"$S/out" 2>&1
	et -q --run="trace --stack --filter=getppid --format=json --output=$S/log.json" --first -- "$S/frames" "$S/one.so" >"$S/out" 2>&1
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    o = json.loads(line)
    if o.get("signal") == "SIGCHLD": # comes when it comes
        continue
    for frame in o.get("stack", []):
        print(" > " + frame)' "$S/log.json" >"$S/json.frames"
	awk '/^ > / { if (shown) print; next } { shown = !/ --- SIGCHLD / }' "$S/log" | sort >"$S/text.sorted"
	sort "$S/json.frames" >"$S/json.sorted"
	expect "there are some" test -s "$S/json.sorted"
	expect_same "$S/json.sorted" "$S/text.sorted" "the same"
	end
fi
begin "a recording has the same frames and names"
fresh
et -q --run="trace --stack=512 --output=$S/log" --first -- "$S/frames" "$S/one.so" "$S/two.so" >"$S/out" 2>&1
et -q --run="trace --stack=512 --format=data --output=$S/log.xtr" --first -- "$S/frames" "$S/one.so" "$S/two.so" >"$S/out" 2>&1
"$records" "$S/log.xtr" >"$S/records"
# Not the execve, which exectrace makes itself, nor what happens by chance. A frame that a signal interrupted is recorded as one that
# calls; so offsets are left out, and counted.
frames_of()
{
	awk '/^ > / { if (shown) print; next } { shown = !/ (execve|futex|<\.\.\. futex|---)/ }' "$1"
}
without_offsets='s/+0x.*//; s/() \[0x.*/()/' # where a library has no names there is nothing else
frames_of "$S/log" | sed "$without_offsets" | sort | uniq -c >"$S/text.sorted"
frames_of "$S/records" | sed "$without_offsets" | sort | uniq -c >"$S/data.sorted"
expect "there are some" test "$(wc -l <"$S/data.sorted")" -gt 20
expect_same "$S/data.sorted" "$S/text.sorted" "the same functions"
frames_of "$S/log" | sort >"$S/text.sorted"
frames_of "$S/records" | sort >"$S/data.sorted"
expect_equal "$(comm -13 "$S/text.sorted" "$S/data.sorted" | wc -l)" 2 "the trampoline and what was interrupted are one byte further"
end
begin "code that a program makes while it runs"
fresh
et -q --run="trace --stack --format=data" --first -- "$V/madecode" >"$S/out" 2>&1
expect_equal $? 0 "it runs"
"$EXECTRACE" report --csv --sort=dso -n 1000 >"$S/table"
expect_lines 1 "$S/table" '\[unknown\]' "report has it as an object"
"$EXECTRACE" graph --csv '[unknown]' >"$S/table"
expect_equal $? 0 "graph takes that for a name"
expect_lines 1 "$S/table" '^[0-9]+,100\.0000,10,callee,1,\[getpid\],' "what it calls, ten times"
"$EXECTRACE" graph '[unknown]x' >"$S/table" 2>"$S/err"
expect_equal $? 1 "another name is still refused"
end
begin "one stack is not for a summary"
et --run="trace --summary --stack" --first -- "$V/prog" a >"$S/out" 2>"$S/err"
expect_equal $? 125 "refused"
expect_lines 1 "$S/err" '^exectrace: --run: trace: --summary shows nothing of --stack' "said"
end
finish
