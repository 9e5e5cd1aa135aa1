#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What processes used: processor time, memory and bytes of each are what the process itself was told by the kernel.
. "$(dirname "$0")/../lib.sh"
has_victim uses

RECORDS=$BUILD/tests/tools/records

# Whether the kernel's statistics can be had (taskstats): for root, outside of containers.
have_statistics()
{
	is_root && [ "$(readlink /proc/self/ns/user)" = 'user:[4026531837]' ] &&
		[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] && [ -e /proc/sys/kernel/task_delayacct ]
}

# between LOW VALUE HIGH
between()
{
	[ -n "$2" ] && [ "$1" -le "$2" ] && [ "$2" -le "$3" ] && return 0
	echo "$2 is not between $1 and $3"
	return 1
}

# check LINE: of `$S/uses`, the victim's own words, against cpu (us), peak (bytes) and written (bytes)
check()
{
	local own_cpu own_peak own_written

	read -r _ own_cpu own_peak own_written <<<"$1"
	expect "processor time" between $((own_cpu * 9 / 10)) "$cpu" $((own_cpu * 12 / 10 + $(limit 20000)))
	# the kernel counts by processors, and sums up now and then
	expect "memory" between $(((own_peak - 2048) * 1024)) "$peak" $(((own_peak + 2048) * 1024))
	# its own words are in it, too; statistics leave out what is less than 1024 of each thread
	expect "bytes written" between $((own_written - 8192)) "$written" $((own_written + 8192))
}

# member NAME FILE: of the only object with uses
member()
{
	sed -nE "/\"exe\":\"[^\"]*\/uses\"/s/.*\"$1\":([0-9.]+)[,}].*/\1/p" "$2"
}

# us SECONDS with nine decimals
us()
{
	local digits=${1/./}

	[ -z "$1" ] || echo $((10#$digits / 1000))
}

# recorded FILE: of execs.jsonl
recorded()
{
	local user system

	user=$(us "$(member cpu_user "$1")")
	system=$(us "$(member cpu_system "$1")")
	cpu=${user:+$((user + system))}
	peak=$(member peak "$1")
	written=$(member written "$1")
}

# traced PID: of the records in $S/records
traced()
{
	read -r cpu peak written <<<"$(sed -nE "s/^$1 used \(flags 3\) user ([0-9]+), system ([0-9]+), peak ([0-9]+), .*, written ([0-9]+)\$/\1 \2 \3 \4/p" \
		"$S/records" | awk '{ print int(($1 + $2) / 1000), $3, $4 }')"
}

# said FILE: the processor time that a line of log says, in us, if it says the memory of uses, too
said()
{
	sed -nE 's/^.* exit 0, ([0-9.]+[mu]?s, )?cpu ([0-9.]+[mu]?s), (39|4[0-4])M($|, in .*\/uses ).*$/\2/p' "$1" |
		awk '{ print $1 * (/ms$/ ? 1000 : 1000000) }'
}

# check_said FILE NAME: against the last of uses's own words
check_said()
{
	local own

	own=$(awk 'END { print $2 }' "$S/uses")
	expect "$2" between $((own * 9 / 10)) "$(said "$1")" $((own * 12 / 10 + $(limit 20000)))
}

# run -- COMMAND...: all is recorded in $S/data
run()
{
	fresh
	rm -rf "$S/data" "$S/uses"
	et -q -o "$S/data" --run=log --cmd=NOSUCH "$@" >"$S/out" 2>"$S/err" </dev/null
	expect_equal $? 0 "its status"
	expect_lines 0 "$S/err" . "nothing is said"
}

for threads in 0 3; do
	if ! have_statistics; then
		skip_case "recorded, $((threads + 1)) threads" "no statistics here (root, not in a container)"
		continue
	fi
	begin "recorded, $((threads + 1)) threads"
	run -- sh -c "$V/uses $S/uses 150 40 3000000 $threads; :"
	recorded "$S/data/execs.jsonl"
	check "$(cat "$S/uses")"
	end
done

begin "all of the run"
run -- sh -c "$V/uses $S/uses 150 1 1; $V/uses $S/uses 150 1 1; times >$S/times" # of the shell and its children: 0m0.30s 0m0.01s
own=$(awk '{ for (i = 1; i <= NF; i++) { split($i, t, /[ms]/); sum += t[1] * 60 + t[2] } } END { printf "%d", sum * 1000000 }' "$S/times")
expect "both of them worked" test "$own" -ge 250000 # it counts in ticks of 10 ms
user=$(sed -nE 's/.*"cpu_user":([0-9.]+),.*/\1/p' "$S/data/run.json")
system=$(sed -nE 's/.*"cpu_system":([0-9.]+)\}$/\1/p' "$S/data/run.json")
expect "there are both" test -n "$user" -a -n "$system"
expect "processor time" between $((own * 9 / 10)) $(($(us "$user") + $(us "$system"))) $((own * 12 / 10 + $(limit 50000)))
end

if have_statistics; then
	begin "log"
	fresh
	rm -f "$S/uses"
	et -q --run=log --cmd='^\S*uses ' -- sh -c "$V/uses $S/uses 150 40 1; :" >"$S/out" 2>"$S/err"
	check_said "$S/err" "the line"
	et -q --color=never --run='log --format=tree' --cmd='^\S*uses ' -- sh -c "$V/uses $S/uses 150 40 1; :" >"$S/out" 2>"$S/err"
	check_said "$S/err" "in the tree"
	end
else
	skip_case "log" "no statistics here (root, not in a container)"
fi

begin "what nobody tells is left out"
fresh
rm -rf "$S/data"
timeout --foreground -k 1 "$(limit 20)" "$V/oldkernel" "$EXECTRACE" --engine="$ENGINE" -q -o "$S/data" --run=log --cmd=NOSUCH -- \
	sh -c "$V/uses $S/uses 1 1 1; :" >"$S/out" 2>"$S/err"
expect_lines 1 "$S/data/execs.jsonl" '/uses"' "it is recorded"
expect_lines 0 "$S/data/execs.jsonl" '"peak":' "without what is not known"
end

# traced_run NAME COMMAND...: the tracer's own, with what follows in front
traced_run()
{
	begin "$1"
	shift
	fresh
	rm -rf "$S/own"
	mkdir "$S/own"
	chmod 777 "$S/own"
	timeout --foreground -k 1 "$(limit 30)" "$@" "$EXECTRACE" --engine="$ENGINE" -q -o "$S/own/data" --run='trace --format=data' \
		--first -- sh -c "$V/uses $S/own/uses 150 40 3000000; $V/uses $S/own/uses 60 10 100000 3; (i=0; while [ \$i -lt 9999 ]; do i=\$((i + 1)); done); :" \
		>"$S/out" 2>"$S/err" </dev/null
	expect_equal $? 0 "its status"
	expect_lines 0 "$S/err" . "nothing is said"
	"$RECORDS" "$S"/own/data/trace-*.xtr >"$S/records"
	expect_lines 4 "$S/records" ' used \(flags 3\) ' "of each process, and of that which only forked"
	while read -r line; do
		traced "${line%% *}"
		check "$line"
	done <"$S/own/uses"
	expect_equal "$(wc -l <"$S/own/uses")" 2 "two of them have said something"
	end
}

traced_run "traced"
! is_root || traced_run "traced, by an ordinary user" setpriv --reuid=65534 --regid=65534 --clear-groups

finish
