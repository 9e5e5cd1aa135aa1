#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the kernel does not tell how a process ended that is not our child, that shows as unknown, and not as success; and the
# built-in tracer tells what it saw.
. "$(dirname "$0")/../lib.sh"
engines notify "it waits for each process itself, and knows how it ended"

# Five processes that end together, the last one with a failure.
TREE="echo \$\$ >$S/root; for i in 1 2 3 4; do cat $S/fifo & done; cat $S/fifo $S/none 2>/dev/null & wait; exit 6"

children()
{
	cat "/proc/$root/task/$root/children" 2>/dev/null
}

# all wait for the fifo
waiting()
{
	local n=0 pid

	for pid in $(children); do
		! grep -qs '^Name:.cat$' "/proc/$pid/status" || ! grep -qs fifo\\\|pipe\\\|partner "/proc/$pid/wchan" || n=$((n + 1))
	done
	[ $n -eq 5 ]
}

stopped()
{
	grep -q '^State:.T' "/proc/$1/status"
}

none_there()
{
	[ -z "$(children)" ]
}

# old OPTION...: the tree under exectrace as on an older kernel; it looks at nothing while they end, so that it sees no zombie
old()
{
	local run supervisor

	new_run
	fresh
	rm -f "$S/fifo" "$S/root"
	mkfifo "$S/fifo"
	ET_RUN=$ET_RUN timeout --foreground -k 1 "$(limit 20)" "$V/oldkernel" "$EXECTRACE" --engine="$ENGINE" "$@" -- \
		sh -c "$TREE" >"$S/out" 2>"$S/err" </dev/null &
	run=$!
	wait_for 15 test -s "$S/root"
	root=$(cat "$S/root")
	expect "they are there" wait_for 15 waiting
	supervisor=$(ours | head -n 1)
	kill -STOP "$supervisor"
	wait_for 15 stopped "$supervisor"
	exec 9>"$S/fifo"
	exec 9>&-
	expect "they have ended" wait_for 15 none_there
	kill -CONT "$supervisor"
	wait $run
	expect_equal $? 6 "the command's status"
}

# said: how five commands ended is not known, and which kernel tells it, in one line
said()
{
	expect_lines 1 "$S/err" 'is not known' "it is said once"
	expect_lines 1 "$S/err" "^exectrace: how 5 commands ended is not known \\(Linux 6\\.15 tells\\)\$" "and which kernel tells it"
}

begin "as text"
old --run=log --exe=cat
expect_lines 5 "$S/err" '\] parent [0-9]+ depth [0-9]+, \?, .*cat' "all are unknown"
said
end

begin "in the tree"
old --run='log --format=tree' --exe=cat
expect_lines 1 "$S/err" 'cat \.\.\. 5 times, [0-9.]+[mnu]?.?s \?$' "what is not known is folded with its like, and says so"
said
end

begin "recorded"
old -o "$S/data" --run='log --format=json' --exe=cat
expect_lines 5 "$S/data/execs.jsonl" '"exe":".*/cat",.*"status":null,"signal":null,"core":null,"duration":[0-9.]+,"ended":true[,}]' "null, and not as if it still ran"
said
"$EXECTRACE" tree --no-fold "$S/data" >"$S/tree" 2>"$S/err"
expect_lines 5 "$S/tree" '^ *[0-9.]+[mu]?s .* \? .*─ cat ' "the command tree says so"
end

begin "--keep=failed: our tracer saw how they ended"
old --keep=failed --run="trace -o $S/kept.{pid}" --exe=cat
expect_equal "$(cd "$S" && echo kept.* | wc -w)" 1 "one is kept"
expect_lines 1 "$S"/kept.* '\+\+\+ exited with 1 \+\+\+' "the one that failed"
expect_lines 0 "$S/err" 'is not known' "nothing is unknown"
end

begin "--keep=failed: others are kept, which is said"
rm -f "$S"/kept.*
if command -v strace >/dev/null; then
	old --keep=failed --run="strace -o $S/kept.{pid}" --exe=cat
	expect_equal "$(cd "$S" && echo kept.* | wc -w)" 5 "all are kept"
	expect_lines 1 "$S/err" '^exectrace: how \[[0-9]+\] ended is not known \(Linux 6.15 tells\): what was recorded is kept$' \
		"it is said once"
fi
end

begin "what our tracer saw is recorded"
old -o "$S/data" --run="trace --filter=getppid -o $S/log.{pid}" --exe=cat
expect_lines 4 "$S/data/execs.jsonl" '"exe":".*/cat",.*"status":0,' "successes"
expect_lines 0 "$S/err" 'is not known' "nothing is unknown"
expect_lines 1 "$S/data/execs.jsonl" '"exe":".*/cat",.*"status":1,' "the failure"
end

finish
