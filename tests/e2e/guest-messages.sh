#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: what the kernel logs is recorded, against what it writes to its console; and is told where the console was silent.
# limit: 1800
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
needs jq

# messages [OPTION...]: what the recording has, as the console has it
messages()
{
	"$EXECTRACE" timeline --messages --json "$@" made.xtr | jq -r '
		def padded($n): tostring | (" " * ($n - length)) + .;
		.[] | select(.level < 7) |
		"[\(.stamp_ns / 1000000000 | floor | padded(5)).\(("000000" + (.stamp_ns % 1000000000 / 1000 | floor | tostring))[-6:])] " as $stamp |
		.message | split("\n")[] | $stamp + .'
}

# console FILE: the same, as it came over the serial line
console()
{
	tr -d '\r' <"$1" | grep -aoE '\[ *[0-9]+\.[0-9]{6}\] .*'
}

# to_init: what comes before the first program, which writes to the console, too
to_init()
{
	sed '/Run \/init as init process/q'
}

# boot_guest WORDS [OPTION...]: boots with these words for the kernel
boot_guest()
{
	WORDS=$1 boot "guest ${*:2} --output=made.xtr"
}

begin "all that is on a loud console is in the recording, once, with its time; also when the kernel copies its log"
fresh
for more in '' log_buf_len=1M; do
	boot_guest "console=ttyS0 panic=-1 no_timer_check $more"
	sound
	console out | to_init >console
	messages | to_init >recorded.log
	expect "a whole boot" test "$(wc -l <console)" -ge 200
	expect_lines 1 console 'Run /init as init process$' "up to the first program"
	expect "the same lines ${more:+with $more}" diff console recorded.log
done
expect_lines 1 <(messages) 'reboot: Power down$' "and to the end"
end

begin "how they are shown"
"$EXECTRACE" timeline --messages made.xtr >lines
expect_lines 1 lines '^ +[0-9]+\.[0-9]{6} +\[ +0\.000000\]  notice +0  swapper-0 +Linux version ' "when, how grave, who, what"
expect_lines some lines '  info +0  swapper/0-1 +' "of other tasks"
expect_lines some lines '^ +[0-9.]+ +\[ +[0-9.]+\]  debug ' "also what no console has"
"$EXECTRACE" timeline --messages --csv made.xtr >csv
expect_lines 1 csv '^start_ns,stamp_ns,level,cpu,pid,task,message$' "titles"
expect_equal "$(head -n 1 csv | tr , '\n' | wc -l)" 7 "of all columns"
"$EXECTRACE" export --functions=fib made.xtr | jq -c 'select(.ph == "message")' >json
expect_equal "$(wc -l <json)" "$("$EXECTRACE" timeline --messages --json made.xtr | jq length)" "exported, all of them"
expect_equal "$(jq -r 'select(.text | startswith("Linux version")) | "\(.stamp) \(.level) \(.comm) \(.cpu)"' json)" "0 5 swapper 0" "with all of it"
"$EXECTRACE" export --format=chrome --functions=fib made.xtr >chrome
expect_equal "$(jq '[(.traceEvents? // .)[] | select(.cat == "message")] | length' chrome)" "$(wc -l <json)" "and as a track"
"$EXECTRACE" timeline --messages --json --task=init made.xtr >rows
expect_equal "$(jq -r '[.[].task] | unique | join(" ")' rows)" init "of one task"
late=$("$EXECTRACE" timeline --messages --json --time=1, made.xtr | jq '[.[].start_ns] | min >= 1000000000')
expect_equal "$late" true "of a time"
"$EXECTRACE" timeline --messages "$S" >out 2>err
expect_equal $? 1 "of nothing"
end

begin "whatever else is left out"
fresh
for options in --functions=fib '--from=entry:fib --to=exit:fib --autorepeat' --task=nobody; do
	boot_guest "$WORDS" "$options"
	messages >all
	expect_lines 1 all '^\[    0\.000000\] Linux version ' "the first one, with $options"
	expect_lines 1 all 'reboot: Power down$' "the last one"
	expect "all of them" test "$(wc -l <all)" -ge 200
done
boot_guest "$WORDS"
expect_lines 1 <(messages --functions=fib --autorepeat --from=entry:fib --to=exit:fib) 'reboot: Power down$' "also when it is left out later"
more=registers=off trace recorded
expect_equal "$("$EXECTRACE" timeline --messages --json recorded.xtr | jq length)" 0 "without registers there are none"
end

begin "why shows the reason that a silent guest had"
[ -e "$GUEST/problems.made" ] || skip "guests that go wrong could not be made"
SILENT='quiet loglevel=0 oops=panic panic=-1 no_timer_check'
for problem in late-oops hung-task out-of-memory; do
	fresh
	echo "exec $BARE -no-reboot -initrd $GUEST/problems/$problem.gz -append '$SILENT'" >harness
	et -q --why --run=guest --exe='qemu-system-*' -- sh ./harness >out 2>"$problem" </dev/null
	expect_lines 1 "$problem" '^  the kernel said:$' "$problem: there is something"
	expect_lines 0 out 'Kernel panic|Out of memory' "and the console says nothing"
	"$EXECTRACE" why --json | jq -c '.guests[0].troubles[0].messages' >"$problem.json"
	expect "at most four lines" test "$(jq length "$problem.json")" -le 4
	case $problem in
	late-oops)
		expect_lines 1 "$problem" '^    \[ +[0-9]+\.[0-9]{6}\] BUG: kernel NULL pointer dereference, address: 0+$' "what went wrong"
		expect_lines 1 "$problem" '^    \[ +[0-9]+\.[0-9]{6}\] Kernel panic - not syncing: Fatal exception' "and how it ended"
		expect_lines 0 "$problem" '\] (RAX|RIP|Code|CPU|Call Trace|Modules linked in)' "no registers"
		expect_equal "$(jq -c '[.[0].level, (.[0].text | startswith("BUG: kernel NULL pointer")), (.[0].stamp > 0)]' "$problem.json")" \
			'[1,true,true]' "the same in JSON"
		;;
	hung-task)
		expect_lines 1 "$problem" '\] INFO: task \S+:[0-9]+ blocked for more than [0-9]+ seconds\.$' "who hung"
		expect_lines 1 "$problem" '\] Kernel panic - not syncing: hung_task: blocked tasks$' "the panic"
		;;
	out-of-memory)
		expect_lines some "$problem" '\] Out of memory: Killed process [0-9]+ \(\w+\)' "who was killed"
		;;
	esac
done
end

finish
