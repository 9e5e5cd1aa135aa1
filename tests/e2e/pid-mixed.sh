#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --pid: what can have no listener is attached, beside those that have one.
# once: there is one engine for it
. "$(dirname "$0")/../lib.sh"

is_kernel 5.19 || skip "no listener before Linux 5.19"
is_root || skip "a listener without no_new_privs takes root"
has_victim sandbox || skip "no sandbox"

watch()
{
	timeout --foreground -k 1 "$(limit 100)" "$EXECTRACE" -v --pid="$1" "${@:2}" >"$S/out" 2>"$S/err"
	expect_equal $? 0 "its status"
}

# tracer PID: who traces it; 0: nobody
tracer()
{
	sed -n 's/^TracerPid:.//p' "/proc/$1/status" 2>"$S/why"
}

saw()
{
	wait_for 30 grep -q "^says $1\$" "$S/tree"
}

loop()
{
	echo "until [ -e $S/over ]; do $V/prog $1; sleep 0.02; done"
}

# The second shell's filter kills it for a seccomp(2).
"$V/sandbox" kill seccomp "$BASH" -c "echo \$\$ >$S/closed; $(loop one); exit 9" >"$S/tree" 2>&1 &
inner=$!
"$BASH" -c "echo \$\$ >$S/open; $V/sandbox kill seccomp $BASH -c '$(loop below); exit 4' & $(loop two); wait \$!; exit \$?" >>"$S/tree" 2>&1 &
outer=$!
expect "they run" saw one
expect "both" saw two
expect "and the one below" saw below

begin "what has a filter that does not allow a listener is attached"
watch $inner --run="strace -o $S/log" --cmd='prog one$' --first
expect_lines 1 "$S/err" '^exectrace: engine notify' "what it says"
expect_lines 1 "$S/log" '^write\(1, "says one' "what strace saw"
expect_equal "$(tracer $inner)" 0 "it is let go"
end

begin "beside its parent, which has a listener"
watch $outer --run="args --append=more" --cmd='prog below$' --limit=3
expect "a program of the one" saw "below more"
watch $outer --run="args --append=more" --cmd='prog two$' --limit=3
expect "and of the other" saw "two more"
watch $inner,$outer --run="log --output=$S/all" --exe=prog --limit=60
for word in one two below; do
	expect_lines some "$S/all" "prog $word\$" "all are seen: $word"
done
expect_equal "$(sort "$S/all" | uniq -d | wc -l)" 0 "none twice"
end

begin "one that was started since, which the keeper of another exectrace answers"
"$BASH" -c "until [ -e $S/go ]; do sleep 0.02; done; $BASH -c 'echo \$\$ >$S/kid; $(loop kid); exit 9' & wait \$!; exit \$?" >>"$S/tree" 2>&1 &
later=$!
rm "$S/err"
"$EXECTRACE" -v --engine=notify --pid=$later --run="args --append=first" --first --exe=prog >"$S/out" 2>"$S/err" &
pid=$!
expect "it is watched" wait_for 30 has "$S/err" 'processes are watched'
touch "$S/go"
wait $pid
expect_equal $? 0 "status of the first"
expect_lines 1 "$S/err" 'goes on with a seccomp listener' "what stays behind"
watch "$(cat "$S/kid")" --run="args --append=again" --cmd='prog kid$' --first
expect "its program got the word" saw "kid again"
expect_lines 0 "$S/err" 'goes on with a seccomp listener' "nothing more stays behind"
end

cp "$V/prog" "$S/slow"
"$V/guardian" -x "$S/slow" 0 true
if [ $? = 77 ] || ! command -v perl >"$S/why"; then
	skip_case "an ordinal waits for what the other kind executes" "no permission events here (fanotify(7)), or no perl"
else
	begin "an ordinal waits for what the other kind executes"
	rm -f "$S/err" "$S/go"
	wait_go="until [ -e $S/go ]; do sleep 0.02; done"
	"$V/sandbox" kill seccomp "$BASH" -c "$wait_go; sleep 0.5; $V/prog nth; exit 3" >>"$S/tree" 2>&1 &
	attached=$!
	# Its execve fails, which is known late: until then it may be the first.
	"$BASH" -c "$wait_go; perl -e 'open F, \">>$S/slow\"; exec {\"$S/slow\"} \"slow\"'; exit 2" >>"$S/tree" 2>&1 &
	listened=$!
	"$V/guardian" -x "$S/slow" 1500 "$EXECTRACE" -v --pid=$attached,$listened --run="args --append=more" --first --cmd='^(slow|\S*/prog nth)' \
		>"$S/out" 2>"$S/err" &
	pid=$!
	expect "they are watched" wait_for 30 has "$S/err" 'processes are watched'
	touch "$S/go"
	wait $pid
	expect_equal $? 0 "its status"
	expect "the first that succeeds is picked" saw "nth more"
	wait $attached
	expect_equal $? 3 "the one"
	wait $listened
	expect_equal $? 2 "the other"
	end
fi

begin "all end as they would"
rm "$S/err"
"$EXECTRACE" -v --pid=$inner,$outer --list >"$S/out" 2>"$S/err" &
pid=$!
expect "they are watched" wait_for 30 has "$S/err" 'processes are watched'
expect_equal "$(tracer $inner) $(tracer "$(cat "$S/open")")" "$pid 0" "who is attached"
touch "$S/over"
wait $inner
expect_equal $? 9 "the one"
wait $outer
expect_equal $? 4 "the other"
wait $later
expect_equal $? 9 "the third"
wait $pid
expect_equal $? 0 "exectrace ends with them"
end
finish
