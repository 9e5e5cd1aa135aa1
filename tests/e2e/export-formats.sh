#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real recordings in other formats, read by the tools that they are for: the calls are those that `syscalls` lists, and the formats
# agree with each other; what threads and processes did lies beside or within each other, never across.
. "$(dirname "$0")/../lib.sh"
needs jq protoc
patience=60

# record OPTIONS COMMAND...: a run in $S/data, of which the first program is picked
record()
{
	local options=$1

	shift
	fresh
	rm -rf "$S/data"
	et -q -o "$S/data" --run="trace --format=data $options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

# formats [OPTION...]: the recording as $S/json, $S/folded, $S/counts and $S/slices; false when something is wrong with one
formats()
{
	"$EXECTRACE" export "$@" "$S/data" >"$S/json" &&
		jq -e -c . "$S/json" >"$S/parsed" &&
		"$EXECTRACE" export --format=folded "$@" "$S/data" >"$S/folded" &&
		"$EXECTRACE" export --format=folded --weight=count "$@" "$S/data" >"$S/counts" &&
		"$EXECTRACE" export --format=perfetto "$@" "$S/data" >"$S/pftrace" &&
		"$TESTS/perfetto-slices" "$S/pftrace" >"$S/slices"
}

# total FILE: of folded weights
total()
{
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$1"
}

# same_calls: all formats have the calls that `syscalls` lists
same_calls()
{
	"$EXECTRACE" syscalls "$@" --no-pager "$S/data" | sed -n -E 's/^ *([0-9]+) +[0-9.]+ ([a-z0-9_]+)\(.*/\1 \2/p' | sort >"$S/listed"
	jq -r 'select(.ph == "sys") | "\(.tid) \(.name)"' "$S/json" | sort >"$S/in-json"
	sed -n 's/^thread [0-9]* \([0-9]*\) [0-9]* [0-9]* /\1 /p' "$S/slices" | sort >"$S/in-slices"
	expect "there are calls" test -s "$S/listed"
	expect_same "$S/in-json" "$S/listed" "json: the calls of each thread"
	expect_same "$S/in-slices" "$S/listed" "perfetto: the calls of each thread"
	expect_equal "$(total "$S/counts")" "$(wc -l <"$S/listed")" "folded: as many calls"
	expect_equal "$(total "$S/folded")" "$(jq -s 'map(select(.ph == "sys") | .dur) | add' "$S/json")" "folded: as much time"
	"$EXECTRACE" syscalls "$@" --summary --csv "$S/data" | awk -F , 'NR > 1 { calls += $2; ns += $4 } END { printf "%d %.0f\n", calls, ns }' \
		>"$S/summary"
	expect_equal "$(total "$S/counts") $(total "$S/folded")" "$(cat "$S/summary")" "folded: the sums of syscalls --summary"
	sed -n 's/^.*;\[\([^];]*\)\] \([0-9]*\)$/\1 \2/p' "$S/counts" | awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' |
		sort >"$S/in-counts"
	awk '{ n[$2]++ } END { for (name in n) print name, n[name] }' "$S/listed" | sort >"$S/listed-counts"
	expect_same "$S/in-counts" "$S/listed-counts" "folded: the counts by call"
}

# same_programs: each exec of the run is one slice, with its command line
same_programs()
{
	jq -r 'select(.ph == "program") | "\(.pid) \(.argv | length)"' "$S/json" | sort >"$S/programs"
	jq -r '"\(.pid) \(.argv | length)"' "$S/data/execs.jsonl" | sort >"$S/execs"
	expect_same "$S/programs" "$S/execs" "json: the programs of execs.jsonl"
	sed -n 's/^process \([0-9]*\) .*/\1/p' "$S/slices" | sort -u >"$S/slice-pids"
	jq -r .pid "$S/data/execs.jsonl" | sort -u >"$S/exec-pids"
	expect_equal "$(comm -13 "$S/slice-pids" "$S/exec-pids")" "" "perfetto: all processes have slices"
	grep '^process ' "$S/slices" | grep -vc ' (fork)$' >"$S/slice-count"
	expect_equal "$(cat "$S/slice-count")" "$(wc -l <"$S/data/execs.jsonl")" "perfetto: as many programs"
}

begin "a script with children"
record --stack sh -c 'ls / | sort >/dev/null; for i in 1 2 3; do (cat /nowhere); done; exec grep -c root /etc/passwd'
expect "all formats can be read" formats
same_calls
if [ "$ENGINE" = notify ]; then same_programs; fi
expect_equal "$(jq -r 'select(.ph == "sys" and .name == "openat" and .args[1] == "\"/nowhere\"") | .err' "$S/json" | sort | uniq -c |
	tr -s ' ')" " 3 ENOENT" "the files that are not there"
expect_lines some "$S/folded" '^ls;_start;.*;main;.*\[write\] [0-9]+$|^ls;.*;\[write\] [0-9]+$' "stacks lead to the calls"
end

begin "a tree in which one process is picked"
fresh
rm -rf "$S/data"
et -q -o "$S/data" --run="trace --format=data" --cmd='^cat /etc/hostname' -- sh -c 'true; sh -c "cat /etc/hostname; true"; ls' \
	>"$S/out" 2>"$S/err" </dev/null
expect "all formats can be read" formats
same_calls
same_programs
end

for form in other busy race; do
	begin "an exec by a thread: $form"
	record "" "$V/threadform" $form "$V/prog"
	expect "all formats can be read, no slices overlap" formats
	same_calls
	end
done

begin "names with anything in them"
odd=$'a;b \n"\\\xff\x01'
fresh
cp "$V/prog" "$odd"
rm -rf "$S/data"
et -q -o "$S/data" --run="trace --format=data --stack" --first -- "./$odd" "$odd" "" $'\x80;' >"$S/out" 2>"$S/err" </dev/null
expect "all formats can be read" formats
same_calls
expect "json has the bytes" sh -c "jq -r 'select(.ph == \"exec\") | .argv[0]' '$S/json' | grep -qF './a;b '"
expect_lines some "$S/folded" '^a\\x3bb \\x0a"\\\\xff\\x01;' "folded: one frame"
end

begin "only what is asked for"
record "" sh -c 'cat /nowhere; ls / >/dev/null'
formats --failed
same_calls --failed
expect_equal "$(jq -r 'select(.ph == "sys" and .ret != -1)' "$S/json")" "" "only failed calls"
formats --filter=openat,%process
same_calls --filter=openat,%process
pid=$("$EXECTRACE" export "$S/data" | jq -r 'select(.ph == "exec" and .argv[0] == "cat") | .pid')
expect "the process of cat" formats --pid="$pid"
same_calls --pid="$pid"
expect_equal "$(jq -r .pid "$S/json" | grep -v null | sort -u)" "$pid" "nothing of others"
expect "threads called ls" formats --comm='l?'
same_calls --comm='l?'
expect "no time at all" formats --time=1000,
expect_equal "$(jq -r .ph "$S/json" | sort -u | tr '\n' ' ')" "program run " "nothing happened then"
end

finish
