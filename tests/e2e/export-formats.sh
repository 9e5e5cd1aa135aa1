#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real recordings in other formats, read by the tools that they are for: the calls are those that `syscalls` lists, and the formats
# agree with each other; what threads and processes did lies beside or within each other, never across.
# groups: check tools
. "$(dirname "$0")/../lib.sh"
needs jq protoc callgrind_annotate uftrace
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
		"$TESTS/perfetto-slices" "$S/pftrace" >"$S/slices" &&
		other_formats "$@"
}

# other_formats [OPTION...]: as $S/csv, $S/chrome, $S/callgrind and the directory $S/uftrace
other_formats()
{
	rm -rf "$S/uftrace"
	"$EXECTRACE" export --format=csv "$@" "$S/data" >"$S/values" &&
		"$TESTS/csv-rows" "$S/values" >"$S/csv" &&
		"$EXECTRACE" export --format=chrome "$@" "$S/data" >"$S/chrome" &&
		jq -e .traceEvents "$S/chrome" >"$S/events" &&
		"$EXECTRACE" export --format=callgrind "$@" "$S/data" >"$S/callgrind" &&
		"$EXECTRACE" export --format=uftrace "$@" --output="$S/uftrace" "$S/data"
}

# same_in_others: they have the calls that are in $S/listed, and their times
same_in_others()
{
	awk -F '\t' 'NR > 1 { print $3, $5 }' "$S/csv" | sort >"$S/in-csv"
	jq -r '.[] | select(.ph == "X" and .cat == "syscall") | "\(.tid) \(.name)"' "$S/events" | sort >"$S/in-chrome"
	expect_same "$S/in-csv" "$S/listed" "csv: the calls of each thread"
	expect_same "$S/in-chrome" "$S/listed" "chrome: the calls of each thread"
	expect_equal "$(awk -F '\t' 'NR > 1 { sum += $10 } END { printf "%.0f\n", sum }' "$S/csv")" "$(total "$S/folded")" "csv: as much time"
	expect_equal "$(awk '/^calls=/ { getline; next } /^0 / { sum += $2 } END { printf "%.0f\n", sum }' "$S/callgrind")" "$(total "$S/folded")" \
		"callgrind: as much time"
	expect "callgrind_annotate reads it" callgrind_annotate --inclusive=yes "$S/callgrind"
	[ -s "$S/listed" ] || return
	uftrace dump -d "$S/uftrace" --no-pager 2>"$S/err" | sed -n 's/.* \([0-9]*\): \[entry\] \[*\([a-z0-9_]*\)\]*(.*/\1 \2/p' | sort >"$S/in-uftrace"
	expect_same "$S/in-uftrace" "$S/listed" "uftrace: the calls of each thread"
	uftrace report -d "$S/uftrace" --no-pager >"$S/report" 2>"$S/err"
	expect_lines 0 "$S/report" '^ +[0-9.]+ +[mh] ' "uftrace: no call takes minutes, not even an execve"
}

# total FILE: of folded weights
total()
{
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$1"
}

# same_calls: all formats have the calls that `syscalls` lists
same_calls()
{
	"$EXECTRACE" syscalls "$@" --no-pager "$S/data" | sed -n -E 's/^ *([0-9]+) .{15,60} [0-9.]+ ([a-z0-9_]+)\(.*/\1 \2/p' | sort >"$S/listed"
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
	same_in_others
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
if "$TESTS/flame-total" "$S/folded" >"$S/drawn" 2>"$S/err" || [ $? != 3 ]; then
	expect_equal "$(cat "$S/drawn" "$S/err")" "$(total "$S/folded")" "flamegraph.pl draws all of it"
fi
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

begin "a budget"
record "--stack" sh -c 'cat /nowhere; ls -l /etc >/dev/null'
"$EXECTRACE" export "$S/data" >"$S/json"
time=$(jq -s 'map(select(.ph == "sys") | .dur) | add' "$S/json")
calls=$(jq -s 'map(select(.ph == "sys")) | length' "$S/json")
for format in json csv folded; do
	"$EXECTRACE" export --format=$format --budget=30 -o "$S/small" "$S/data" 2>"$S/says"
	expect_equal $? 0 "$format: it is written"
	expect_lines 1 "$S/says" '^exectrace: folded away [0-9]+ of [0-9]+ (calls|paths), ' "$format: it says so"
	case $format in
	json)
		expect_equal "$(jq -s 'map(select(.ph == "sys" or .ph == "folded") | .dur) | add' "$S/small")" "$time" "json: the sum is what it was"
		expect_equal "$(jq -s 'map(if .ph == "sys" then 1 elif .ph == "folded" then .count else 0 end) | add' "$S/small")" "$calls" "json: so is the number"
		expect "json: no more than 30" test "$(jq -r 'select(.ph == "sys") | .name' "$S/small" | wc -l)" -le 30
		;;
	csv) expect_equal "$("$TESTS/csv-rows" "$S/small" | awk -F '\t' 'NR > 1 { sum += $10 } END { printf "%.0f\n", sum }')" "$time" "csv: the sum is what it was" ;;
	folded) expect_equal "$(total "$S/small")" "$time" "folded: the sum is what it was" ;;
	esac
done
"$EXECTRACE" export --budget=1k -o "$S/small" "$S/data" 2>"$S/says"
expect_lines 1 "$S/says" "^exectrace: the budget has no room for any call: folded away $calls of $calls calls; their own time is " \
	"no room: there is no longest one"
"$EXECTRACE" export --format=chrome --budget=20k -o "$S/small" "$S/data" 2>"$S/says"
expect "chrome: no larger" test "$(stat -c %s "$S/small")" -le 20480
expect_equal "$(jq '[.traceEvents[] | select(.cat == "syscall") | .dur * 1000 | round] + [.traceEvents[] | select(.cat == "folded") | .args.time] | add' "$S/small")" \
	"$time" "chrome: the sum is what it was"
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
