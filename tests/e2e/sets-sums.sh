#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sums over many recordings: forty of ten programs. `report`, `syscalls --summary` and `tree --flat` of all of them say what SQLite's
# shell says of a database with the same recordings. What cannot be read is named, and the others are counted.
# groups: check
. "$(dirname "$0")/../lib.sh"
needs jq sqlite3
patience=60

# ask QUERY: the answer of the database $S/db, with commas
ask()
{
	sqlite3 -readonly -separator , "$S/db" "$1"
}

# shown ARG...: what a command prints, in $S/shown and $S/said; its status
shown()
{
	"$EXECTRACE" "$@" >"$S/shown" 2>"$S/said" </dev/null
}

# record NAME OPTIONS COMMAND...: a recording $S/rec/NAME of a tree, all of it
record()
{
	local name=$1 options=$2

	shift 2
	et -q -o "$S/rec/$name" --run="trace --format=data $options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

# Ten programs, each with what differs from shard to shard.
programs=(
	'cat /etc/passwd /etc/nowhere$i'
	'ls -l / /nowhere$i'
	'sort -r /etc/passwd'
	'wc -l /etc/services /etc/group'
	'grep -c root$i /etc/passwd'
	'sed -n ${i}p /etc/services'
	'awk "BEGIN { for (n = 0; n < $i; n++) print n; exit $i }"'
	'dd if=/dev/zero of=/dev/null bs=10 count=$i'
	'find /etc/ssl -maxdepth 1'
	'for n in $(seq $i); do (exit $n); done; "$V/prog" -x $i says'
)
export V

mkdir "$S/rec"
for i in 1 2 3 4; do
	for at in "${!programs[@]}"; do
		export i
		stack=
		[ $((i % 2)) = 0 ] || stack=--stack
		record "r$at-$i" "$stack" sh -c "${programs[at]}
			exit \$?"
	done
done
all=("$S"/rec/*)

begin "forty recordings are one database"
expect_equal "${#all[@]}" 40 "forty"
expect "it is written" "$EXECTRACE" export --format=sqlite -o "$S/db" "${all[@]}"
expect_equal "$(ask "SELECT count(*) FROM runs")" 40 "with as many runs"
end

begin "syscalls --summary"
shown syscalls --summary --csv "${all[@]}"
expect_equal "$? $(cat "$S/said")" "0 " "the status"
awk -F , -v OFS=, 'NR > 1 { print $1, $2, $3, $4, $5, $9, $10, $11 }' "$S/shown" | sort >"$S/listed"
ask "SELECT name, count(*), count(error), sum(duration), min(duration), max(duration), count(DISTINCT thread), count(DISTINCT process)
	FROM calls GROUP BY name" | sort >"$S/asked"
expect "there are many" test "$(wc -l <"$S/asked")" -gt 20
expect_same "$S/listed" "$S/asked" "calls, errors, total, shortest, longest, threads, processes"
end

begin "syscalls --summary=path, error and command"
shown syscalls --summary=path --json "${all[@]}"
jq -r '.[] | select(.path | test("no path|UNIX:|socket:") | not) | [.path, .calls, .total_ns] | join(",")' "$S/shown" | sort >"$S/listed"
ask "SELECT path, count(*), sum(duration) FROM calls WHERE path IS NOT NULL AND path NOT LIKE 'socket:%' GROUP BY path" | sort >"$S/asked"
expect_same "$S/listed" "$S/asked" "by path"
shown syscalls --summary=error --json "${all[@]}"
jq -r '.[] | [.call, .error, .calls, .total_ns] | join(",")' "$S/shown" |
	awk -F , -v OFS=, '{ n[$1 OFS $2] += $3; t[$1 OFS $2] += $4 } END { for (k in n) print k, n[k], t[k] }' | sort >"$S/listed"
ask "SELECT name, error, count(*), sum(duration) FROM calls WHERE error IS NOT NULL GROUP BY name, error" | sort >"$S/asked"
expect_same "$S/listed" "$S/asked" "by error"
shown syscalls --summary=command --json --filter=write "${all[@]}"
jq -r '.[] | [.calls, .total_ns] | join(",")' "$S/shown" | sort >"$S/listed"
ask "SELECT sum(n), sum(t) FROM (SELECT p.command, c.process, count(*) AS n, sum(c.duration) AS t FROM calls c JOIN processes p ON p.id = c.process
	WHERE c.name = 'write' GROUP BY c.process) GROUP BY command" | sort >"$S/asked"
expect_same "$S/listed" "$S/asked" "by command"
end

begin "report"
shown report --json --no-children --sort=sym "${all[@]}"
jq -r '.[] | select(.symbol | startswith("[")) | [.symbol, .self_ns] | join(",")' "$S/shown" | sort >"$S/listed"
ask "SELECT '[' || name || ']', sum(duration) FROM calls GROUP BY name" | sort >"$S/asked"
expect_same "$S/listed" "$S/asked" "each call's time"
shown report --json --no-children --sort=sym --weight=count "${all[@]}"
jq -r '.[] | select(.symbol | startswith("[")) | [.symbol, .self] | join(",")' "$S/shown" | sort >"$S/listed"
ask "SELECT '[' || name || ']', count(*) FROM calls GROUP BY name" | sort >"$S/asked"
expect_same "$S/listed" "$S/asked" "and how many they were"
shown report --json --children --sort=sym "${all[@]}"
jq -r '.[] | select(.symbol | startswith("[") | not) | [.symbol, .children_ns] | join(",")' "$S/shown" | sort >"$S/listed"
ask "WITH RECURSIVE up(leaf, stack) AS (SELECT id, id FROM stacks UNION SELECT u.leaf, s.caller FROM up u JOIN stacks s ON s.id = u.stack
		WHERE s.caller IS NOT NULL),
	on_it AS (SELECT DISTINCT u.leaf, f.name FROM up u JOIN stacks s ON s.id = u.stack JOIN functions f ON f.id = s.function),
	leaves AS (SELECT stack, sum(duration) AS time FROM calls WHERE stack IS NOT NULL GROUP BY stack)
	SELECT o.name, sum(l.time) FROM leaves l JOIN on_it o ON o.leaf = l.stack GROUP BY o.name" | sort >"$S/asked"
expect "there are many" test "$(wc -l <"$S/asked")" -gt 50
expect_same "$S/listed" "$S/asked" "the time below each function, of all stacks"
shown report --csv --by=stack "${all[@]}"
expect_equal "$(sed 1d "$S/shown" | awk -F , '{ sum += $1 } END { printf "%d\n", sum }')" "$(ask "SELECT sum(duration) FROM calls")" "paths have all of it"
end

begin "tree --flat"
shown tree --flat --csv "${all[@]}"
# The database has the command line of their parents for those that execute nothing.
awk -F , -v OFS=, 'NR > 1 {
	sub(/ [(]fork.*/, "", $NF)
	count[$NF] += $2; failed[$NF] += $3; total[$NF] += $1
	in_so_many[$NF] = in_so_many[$NF] ? "?" : $4
	if ($6 > longest[$NF]) longest[$NF] = $6
} END { for (p in count) print p, count[p], failed[p], in_so_many[p], total[p], longest[p] }' "$S/shown" | sort >"$S/listed"
ask "WITH named AS (SELECT *, substr(command, 1, instr(command || ' ', ' ') - 1) AS file FROM processes),
	programs AS (SELECT *, replace(file, rtrim(file, replace(file, '/', '')), '') AS program FROM named)
	SELECT program, count(*), sum(status IS NULL OR status != 0), count(DISTINCT run), sum(duration), max(duration) FROM programs GROUP BY program" |
	sed 's/^\(sh,[0-9]*,[0-9]*\),[0-9]*/\1,?/' | sort >"$S/asked"
expect "there are ten, and the shell" test "$(wc -l <"$S/asked")" -ge 11
expect_same "$S/listed" "$S/asked" "processes, failures, recordings, time, the longest"
shown tree --flat --json "${all[@]}"
jq -r '.[] | select(.program == "awk" or .program == "mawk" or .program == "gawk") | .worst_recording' "$S/shown" >"$S/worst"
expect_equal "$(jq -r 'first(.[] | select(.program == "awk" or .program == "mawk" or .program == "gawk")) | .worst_pid' "$S/shown")" \
	"$("$EXECTRACE" tree --json "$(head -n 1 "$S/worst")" | jq '[.[] | select(.command | startswith("awk"))] | max_by(.duration_ns) | .pid')" \
	"the longest one is in the recording that it is said to be in"
end

begin "which test calls fsync most, over all shards"
for i in 1 2 3; do
	for ((n = 0; n <= i; n++)); do echo "dd if=/dev/zero of=file bs=1 count=1 conv=fsync"; done >"$S/often.sh"
	echo "dd if=/dev/zero of=file bs=1 count=1 conv=fsync" >"$S/once.sh"
	(cd "$S" && record "sync$i" "" sh -c '(. ./often.sh) 2>/dev/null; sh ./once.sh 2>/dev/null; sync once.sh; sync -d often.sh; exit 0')
done
shown syscalls --summary=command --filter=fsync,fdatasync --sort=count --csv "$S"/rec/sync?
expect_equal "$(sed -n 2p "$S/shown" | cut -d , -f 1,2)" "dd if=/dev/zero of=file bs=1 count=1 conv=fsync,12" "the one"
expect_equal "$(sed 1,2d "$S/shown" | cut -d , -f 1,2 | sort | tr '\n' ' ')" "sync -d often.sh,3 sync once.sh,3 " "the others"
shown report --filter=fsync,fdatasync --weight=count --no-children --sort=comm --csv "$S"/rec/sync?
expect_equal "$(sed -n 2p "$S/shown")" "12,12,dd" "report, by the name of the thread"
end

begin "which processes, in which of them"
shown tree --flat --csv --failed "${all[@]}"
expect_equal "$(awk -F , 'NR > 1 { n += $2 } END { print n }' "$S/shown")" \
	"$(ask "SELECT count(*) FROM processes WHERE status IS NULL OR status != 0")" "--failed"
shown syscalls -c --csv --cmd='^dd ' "${all[@]}"
awk -F , 'NR > 1 { print $1 "," $2 }' "$S/shown" | sort >"$S/listed"
ask "SELECT name, count(*) FROM calls c JOIN processes p ON p.id = c.process WHERE p.command LIKE 'dd %' GROUP BY name" | sort >"$S/asked"
expect_same "$S/listed" "$S/asked" "--cmd, which fits in four of them"
shown report --csv --no-children --sort=sym --cmd='^dd ' "${all[@]}"
sed -n 's/^[0-9]*,\([0-9]*\),\(\[.*\)$/\2,\1/p' "$S/shown" | sort >"$S/listed"
ask "SELECT '[' || name || ']', sum(c.duration) FROM calls c JOIN processes p ON p.id = c.process WHERE p.command LIKE 'dd %' GROUP BY name" | sort >"$S/asked"
expect_same "$S/listed" "$S/asked" "report --cmd"
for command in 'report' 'tree --flat' 'syscalls -c'; do
	# shellcheck disable=SC2086 # words
	shown $command --cmd='^nosuch' "${all[@]}"
	expect_equal "$? $(wc -l <"$S/shown") $(wc -l <"$S/said")" "1 0 1" "$command: it fits nowhere"
	expect_lines 1 "$S/said" "^exectrace: 0 of [0-9]+ processes fit" "$command: says so"
done
end

begin "samples"
for i in 1 2 3; do
	et -q -o "$S/rec/profiled$i" --run=profile --first -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' >"$S/out" 2>"$S/err" </dev/null
done
rm -f "$S/db"
if "$EXECTRACE" export --format=sqlite -o "$S/db" "$S"/rec/profiled? 2>"$S/said"; then
	shown report --event=samples --json --no-children --sort=sym "$S"/rec/profiled?
	jq -r '.[] | [.symbol, .self_ns] | join(",")' "$S/shown" | sort >"$S/listed"
	ask "SELECT coalesce(function, '[unknown]'), sum(time) FROM sample_totals GROUP BY 1" | sort >"$S/asked"
	expect_same "$S/listed" "$S/asked" "processor time of each function"
	shown report "$S"/rec/profiled?
	expect_lines 1 "$S/shown" "^# $(ask "SELECT count(*) FROM samples") samples, " "as many samples"
fi
end

begin "one is missing, one is cut, one is none, one is of something else"
few=("$S/rec/r0-1" "$S/rec/r7-3")
mkdir "$S/bad"
cp -R "$S/rec/r2-2" "$S/bad/cut"
for file in "$S"/bad/cut/*.xtr; do truncate -s $(($(stat -c %s "$file") / 2)) "$file"; done
cp -R "$S/rec/r2-2" "$S/bad/damaged"
for file in "$S"/bad/damaged/*.xtr; do printf 'XXXXXXXX' | dd of="$file" conv=notrunc 2>"$S/err"; done
echo "no recording" >"$S/bad/text.xtr"
et -q -o "$S/bad/log" "${NOTHING[@]}" -- true >"$S/out" 2>"$S/err"
for command in 'report --csv' 'tree --flat --csv' 'syscalls -c --csv'; do
	# shellcheck disable=SC2086 # words
	shown $command "${few[@]}"
	cp "$S/shown" "$S/want"
	# shellcheck disable=SC2086
	shown $command "${few[0]}" "$S/bad/missing" "${few[1]}"
	expect_equal "$?" 1 "$command: the status, one is missing"
	expect_equal "$(cat "$S/said")" "exectrace: $S/bad/missing: No such file or directory" "$command: it is named"
	expect_same "$S/shown" "$S/want" "$command: the others are counted"
	# shellcheck disable=SC2086
	shown $command "$S/bad/text.xtr" "${few[@]}"
	expect_equal "$? $(wc -l <"$S/said")" "1 1" "$command: one line about a text"
	expect_lines 1 "$S/said" "text.xtr" "$command: it is named"
	expect_same "$S/shown" "$S/want" "$command: the others are counted"
	# shellcheck disable=SC2086
	shown $command "${few[@]}" "$S/bad/damaged"
	expect_equal "$? $(grep -c 'damaged/' "$S/said")" "1 1" "$command: one line about a damaged file"
	# shellcheck disable=SC2086
	shown $command "${few[@]}" "$S/bad/cut"
	expect_equal "$? $(wc -l <"$S/said")" "0 1" "$command: of one that was cut what there is"
	expect_lines 1 "$S/said" "cut/" "$command: it is named"
	# shellcheck disable=SC2086
	shown $command "$S/bad/missing" "$S/bad/text.xtr"
	expect_equal "$? $(wc -l <"$S/said") $(wc -l <"$S/shown")" "1 3 0" "$command: nothing is left"
	expect_lines 1 "$S/said" "none of the 2 recordings is of use" "$command: says so"
done
shown report "${few[@]}" "$S/bad/log"
expect_equal "$? $(wc -l <"$S/said")" "0 1" "one without calls"
expect_lines 1 "$S/said" "log: no calls were recorded" "it is named"
end

begin "guests, and others among them"
for n in 2 5; do
	printf 'Entry\tDelta\tPID\tFunction\tCaller\n' >"$n.log"
	for ((i = 0; i < n; i++)); do printf '%d\t100\t1\touter\tnone+0x10\n%d\t20\t1\tonly%d\touter+0x10\n' $((200 * i)) $((200 * i + 10)) "$n"; done >>"$n.log"
	"$EXECTRACE" import -q "$n.log" >"$S/out" 2>&1
done
shown report -f Fct 2.log.xtr 5.log.xtr
expect_equal "$?" 0 "two guests"
expect_lines 1 "$S/shown" '^outer +7 +700$' "their calls are added up"
expect_lines 1 "$S/shown" '^only5 +5 +100$' "those of one too"
expect_lines 1 "$S/shown" '^only2 +2 +40$' "and of the other"
shown report --by=module --csv -f Fc 2.log.xtr 5.log.xtr
expect_equal "$(awk -F , 'NR > 1 { n += $2 } END { print n }' "$S/shown")" 14 "by module"
shown report --by=stack --csv 2.log.xtr 5.log.xtr
expect_lines 1 "$S/shown" '^560000,.*,7,outer$' "paths"
shown report -f Fct 2.log.xtr "${few[0]}" 5.log.xtr
expect_equal "$? $(wc -l <"$S/said")" "1 1" "one of system calls is left out"
expect_lines 1 "$S/said" "r0-1: left out: it is of system calls" "and named"
expect_lines 1 "$S/shown" '^outer +7 +700$' "the others are counted"
shown report -f Fct --functions=outer 2.log.xtr "${few[0]}" 5.log.xtr
expect_equal "$? $(wc -l <"$S/said")" "1 1" "with a filter of functions, too"
expect_lines 1 "$S/said" "r0-1: left out: triggers and filters are about the functions of a guest" "it is named"
expect_lines 1 "$S/shown" '^outer +7 +700$' "the others are counted"
shown report --csv "${few[0]}" 2.log.xtr "${few[1]}"
expect_equal "$? $(grep -c 'left out: it is of the functions of a guest' "$S/said")" "1 1" "a guest among others is left out"
expect_same "$S/shown" <("$EXECTRACE" report --csv "${few[@]}") "the others are counted"
end

begin "what is of one recording"
shown tree "${few[@]}"
expect_equal "$?" 1 "the status"
expect_lines 1 "$S/said" 'several recordings are summed up only \(--flat\)' "a tree is"
shown report --host "${few[@]}"
expect_lines 1 "$S/said" '--host is of one recording' "report --host is"
shown syscalls --summary=process "${few[@]}"
expect_lines 1 "$S/said" '--summary=command is of several' "--summary=process is"
end

begin "memory and descriptors do not grow with their number"
many=()
for ((i = 0; i < 25; i++)); do many+=("${few[@]}" "${all[i]}"); done
for command in 'report --csv' 'tree --flat --csv' 'syscalls -c --csv'; do
	# shellcheck disable=SC2086 # words
	(ulimit -n 32 -v 400000 && "$EXECTRACE" $command "${many[@]}" "${many[@]}" "${many[@]}" "${many[@]}") >"$S/shown" 2>"$S/said"
	expect_equal "$? $(cat "$S/said")" "0 " "$command of 300"
done
end
finish
