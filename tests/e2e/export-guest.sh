#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The calls of functions in all formats, each read by the program that it is for: their numbers are those of `report`.
# once: the engine has no part in it
# groups: check tools
. "$(dirname "$0")/../lib.sh"
needs jq protoc callgrind_annotate uftrace
patience=60

# Calls of three processes, with interrupts, functions that call themselves, and names that are odd. $1: how many trees.
calls_log()
{
	printf 'Entry\tDelta\tPID\tFunction\tCaller\n'
	awk -v trees="$1" '
	function noise(n) { seed = (seed * 69069 + 12345) % 2147483648; return int(seed / 65536) % n }
	# Rows of a call that begins now, and of what it calls; they have to come in the order of their beginnings.
	function call(name, caller, pid, depth,   row, start, n) {
		row = ++rows; start = t
		t += 1 + noise(5)
		for (n = noise(4); n && depth < 9; n--) {
			if (noise(30) == 0) { interrupt(); t += noise(3) }
			call(noise(6) ? "f" noise(20) : name, name, pid, depth + 1)
			t += noise(3)
		}
		line[row] = start "\t" (t - start) "\t" pid "\t" name "\t" caller "+0x4"
		t++
	}
	function interrupt() { call("irq", "ret_from_irq", -1, 8) }
	BEGIN {
		seed = 7; t = rows = 0
		for (i = 0; i < trees; i++) call(i % 9 ? "sys_" i % 5 : "a;b\"c", "entry", i % 3 + 1, 0)
		for (i = 1; i <= rows; i++) print line[i]
	}'
}

# export_as FORMAT FILE [OPTION...]
export_as()
{
	local format=$1 file=$2

	shift 2
	rm -rf "$S/${file:?}"
	expect "export to $format" "$EXECTRACE" export --format="$format" --output="$S/$file" "$@" "$S/calls.xtr"
}

# names CSV COLUMN...: `NAME NUMBER...` of the functions of report's table, without what is no function
names()
{
	local file=$1

	shift
	awk -F , -v columns="$*" 'BEGIN { n = split(columns, column, " ") }
		NR > 1 && $1 !~ /^\[/ { gsub(/"/, "", $1); printf "%s", $1; for (i = 1; i <= n; i++) printf " %s", $column[i]; print "" }' "$file" |
		sort
}

# total FILE: of the last words of lines
total()
{
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$1"
}

calls_log 60 >"$S/calls"
"$EXECTRACE" import -q -o "$S/calls.xtr" "$S/calls" || fail "the log is imported"
"$EXECTRACE" report --csv "$S/calls.xtr" | sed 's/""//g' >"$S/report.csv" 2>"$S/err"
names "$S/report.csv" 2 3 5 >"$S/report"
calls=$(awk '{ sum += $2 } END { print sum }' "$S/report")
self=$(total "$S/report")

begin "JSON Lines and CSV"
export_as json json
jq -r 'select(.ph == "call") | "\(.name | gsub("\""; "")) \(.self)"' "$S/json" | awk '{ n[$1]++; sum[$1] += $2 } END { for (f in n) print f, n[f], sum[f] }' |
	sort >"$S/in-json"
awk '{ print $1, $2, $4 }' "$S/report" >"$S/wanted"
expect "there are calls" test "$calls" -gt 2000
expect_same "$S/in-json" "$S/wanted" "json: calls and own time of each function"
expect_equal "$(jq -r 'select(.ph == "guest") | .unit' "$S/json")" ns "json: the unit"
export_as csv csv
"$EXECTRACE" calls --csv "$S/calls.xtr" >"$S/calls.csv"
expect_same "$S/csv" "$S/calls.csv" "csv: what calls writes"
end

begin "folded stacks"
export_as folded folded
expect_equal "$(total "$S/folded")" "$self" "the sum is all own time"
expect_equal "$(grep -vcE '^[^; ][^;]*(;[^;]+)+ [0-9]+$' "$S/folded")" 0 "the grammar of the lines"
expect_lines some "$S/folded" ';\[interrupt\];irq' "interrupts are apart"
if "$TESTS/flame-total" "$S/folded" >"$S/drawn" 2>"$S/err" || [ $? != 3 ]; then
	expect_equal "$(cat "$S/drawn" "$S/err")" "$self" "flamegraph.pl draws all of it"
fi
awk '{ name = $0; sub(/ [0-9]+$/, "", name); sub(/.*;/, "", name); gsub(/"/, "", name); sum[name] += $NF } END { for (f in sum) print f, sum[f] }' "$S/folded" |
	sed 's/^a\\x3b/a;/' | sort >"$S/in-folded"
awk '{ print $1, $4 }' "$S/report" >"$S/wanted"
expect_same "$S/in-folded" "$S/wanted" "own time of each function"
export_as folded counts --weight=count
expect_equal "$(total "$S/counts")" "$calls" "as many calls"
end

# annotated [OPTION...]: `NAME COST` as callgrind_annotate adds them up
annotated()
{
	callgrind_annotate --threshold=100 --show-percs=no "$@" "$S/callgrind" |
		sed -n -E 's/^ *([0-9,]+)  *[^:]*:(.*)$/\2 \1/p' | sed -E 's/ \[.*\]( [0-9,]+)$/\1/; s/,//g; s/"//g' | grep -vE '^\[|^[0-9]' | sort
}

begin "callgrind"
export_as callgrind callgrind
annotated >"$S/annotated" 2>"$S/err"
expect_equal "$(cat "$S/err")" "" "callgrind_annotate says nothing"
expect_same "$S/annotated" "$S/wanted" "own cost of each function"
annotated --inclusive=yes | grep -vE '^[0-9]+ ' >"$S/annotated"
awk '{ print $1, $3 }' "$S/report" >"$S/wanted"
expect_same "$S/annotated" "$S/wanted" "inclusive cost of each function"
expect_lines 1 "$S/callgrind" "^summary: $self\$" "the sum is all own time"
end

nested_slices()
{
	"$TESTS/perfetto-slices" --nested "$S/pftrace" >"$S/slices"
}

begin "tracks over time"
export_as perfetto pftrace
expect "perfetto: slices lie within each other" nested_slices
awk '$1 == "thread" && $2 != 999999998 { tid = $3; from = $4; to = $5; for (i = 0; i < 5; i++) sub(/^[^ ]* /, ""); print tid - 1000000000, $0, to - from }' "$S/slices" |
	sort >"$S/in-slices"
jq -r 'select(.ph == "call") | "\(.tid) \(.name | gsub("\""; "\\\"")) \(.dur)"' "$S/json" | sort >"$S/wanted"
export_as chrome chrome
jq -r '.traceEvents[] | select(.ph == "X" and .pid != 999999998) | "\(.tid - 1000000000) \(.name | gsub("\""; "\\\"")) \(.dur * 1000 | round)"' "$S/chrome" |
	sort >"$S/in-chrome"
expect_same "$S/in-chrome" "$S/wanted" "chrome: each call with its duration"
expect_same "$S/in-slices" "$S/wanted" "perfetto: the same"
expect_lines some "$S/slices" "^thread 999999998 999000000 [0-9]+ [0-9]+ task [123]$" "perfetto: what runs on the CPU"
end

begin "uftrace"
export_as uftrace uftrace
uftrace report -d "$S/uftrace" --no-pager -f total,self,call --sort-column=0 >"$S/table" 2>"$S/err"
expect_equal "$(cat "$S/err")" "" "uftrace report says nothing"
awk '
function ns(value, unit) { return value * (unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 6e10) }
FNR == NR { total[$1] = $3; self[$1] = $4; count[$1] = $2; left++; next }
$1 ~ /^[0-9.]+$/ {
	name = $6; for (i = 7; i <= NF; i++) name = name " " $i
	gsub(/"/, "", name); left--
	if ($5 != count[name] || ns($3, $4) > self[name] || ns($3, $4) < self[name] * 0.99 - 1 || ns($1, $2) < total[name] * 0.99)
		print "differs: " $0 ", report has " count[name], total[name], self[name]
}
END { if (left) print left " functions are missing" }' "$S/report" "$S/table" >"$S/differences"
expect_equal "$(cat "$S/differences")" "" "the numbers are those of report"
uftrace dump -d "$S/uftrace" --no-pager >"$S/dump" 2>"$S/err"
expect_equal "$(grep -c '\[entry\]' "$S/dump") $(grep -c '\[exit' "$S/dump")" "$calls $calls" "uftrace dump: a beginning and an end for each call"
mkdir "$S/full"
echo x >"$S/full/file"
"$EXECTRACE" export -f uftrace -o "$S/full" "$S/calls.xtr" 2>"$S/says"
expect_equal "$? $(cat "$S/says")" "1 exectrace: cannot write to $S/full: Directory not empty" "what is there stays"
expect_equal "$(ls "$S/full")" file "nothing else is left"
end

begin "a budget"
for budget in 500 20k; do
	for format in json csv chrome perfetto uftrace folded; do
		[ $format$budget = uftrace20k ] && continue
		rm -rf "$S/small"
		"$EXECTRACE" export -f $format -o "$S/small" --budget=$budget "$S/calls.xtr" 2>"$S/says"
		expect_equal $? 0 "$format: it is written"
		expect_lines 1 "$S/says" '^exectrace: folded away [0-9]+ of [0-9]+ (calls|paths), which are shorter than [0-9.]+[mun]?s; their own time is [0-9.]+[mun]?s$' "$format: it says so"
		read -r folded of < <(sed -E 's/.*away ([0-9]+) of ([0-9]+).*/\1 \2/' "$S/says")
		case $format$budget in
		*20k) expect "$format: no larger" test "$(stat -c %s "$S/small")" -le 20480 ;;
		*) expect "$format: no more of them" test $((of - folded)) -le 500 ;;
		esac
		case $format in
		json)
			expect_equal "$(jq -s 'map(.self // 0) | add' "$S/small")" "$self" "json: the sum is what it was"
			expect_equal "$(jq -s 'map(select(.ph == "call")) | length' "$S/small")" $((of - folded)) "json: as many as it says"
			;;
		csv) expect_equal "$(sed 's/"[^"]*""[^"]*"/x/' "$S/small" | awk -F , '{ sum += $3 } END { printf "%.0f", sum }')" "$self" "csv: the sum is what it was" ;;
		folded) expect_equal "$(total "$S/small")" "$self" "folded: the sum is what it was" ;;
		chrome) expect "chrome: it is JSON" jq -e . "$S/small" ;;
		perfetto) expect "perfetto: slices lie within each other" "$TESTS/perfetto-slices" --nested "$S/small" ;;
		esac
	done
done
rm -rf "$S/small"
"$EXECTRACE" export --budget=1G -o "$S/small" "$S/calls.xtr" 2>"$S/says"
expect_equal $? 0 "a large budget"
expect_equal "$(cat "$S/says")" "" "nothing is folded"
expect_same "$S/small" "$S/json" "it is all there"
for bad in 0 x 5X -1 1e30 5MM; do
	"$EXECTRACE" export --budget=$bad "$S/calls.xtr" >"$S/out" 2>"$S/says"
	expect_equal $? 1 "--budget=$bad is refused"
	expect_lines 1 "$S/says" "^exectrace: --budget: '$bad' is neither a size" "with a line"
done
end

begin "which calls"
export_as json json --function=f3 --irq=no
expect_equal "$(jq -r 'select(.ph == "call" and .depth == 0) | .name' "$S/json" | sort -u)" f3 "only below this function"
export_as json json --task=2
expect_equal "$(jq -r 'select(.ph == "call") | .tid' "$S/json" | sort -u)" 2 "only this task"
"$EXECTRACE" export --filter=open "$S/calls.xtr" >"$S/out" 2>"$S/says"
expect_equal $? 1 "options about system calls are refused"
end

finish
