#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The samples of `profile` in all formats, each read by the program that it is for: the shares are those of the JSON Lines; and in
# the commands that look at recordings of all kinds.
# once: the engine has no part in it
# groups: check tools
. "$(dirname "$0")/../lib.sh"
has_victim split "the program that is sampled" || finish
needs jq protoc callgrind_annotate
patience=60

et -o "$S/data" --run='profile -F 1999' --cmd='^\S*split' --first -- "$V/split" 50 >"$S/out" 2>"$S/err" </dev/null ||
	fail "a program is sampled"
"$EXECTRACE" export "$S/data" >"$S/json" 2>"$S/err" || fail "it is exported"
jq -c 'select(.ph == "sample")' "$S/json" >"$S/samples"
all=$(jq -s 'map(.weight) | add' "$S/samples")
many=$(wc -l <"$S/samples")

# by_function FIELDS: `NAME WEIGHT` of the innermost functions (self), or of all in a stack (all)
by_function()
{
	local of='[.stack[0] // .comm]'

	[ "$1" = self ] || of='(.stack // [] | unique)'
	jq -r ".weight as \$w | ${of}[] | \"\\(\$w) \\(.)\"" "$S/samples" |
		awk '{ w = $1; sub(/^[0-9]+ /, ""); sum[$0] += w } END { for (f in sum) printf "%s %.0f\n", f, sum[f] }' | sort
}

begin "callgrind"
by_function self >"$S/wanted"
expect "there are samples" test "$many" -gt 100
expect_lines 1 "$S/wanted" '^spin [0-9]{8,}$' "the loop has most"
expect "it is written" "$EXECTRACE" export -f callgrind -o "$S/callgrind" "$S/data"
annotated()
{
	callgrind_annotate --threshold=100 --show-percs=no "$@" "$S/callgrind" |
		sed -n -E 's/^ *([0-9,]+)  *[^:]*:(.*)$/\2 \1/p' | sed -E 's/ \[.*\]( [0-9,]+)$/\1/; s/,//g' |
		awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (f in sum) if (sum[f]) printf "%s %.0f\n", f, sum[f] }' | sort
}
annotated >"$S/annotated"
expect_same "$S/annotated" "$S/wanted" "own time of each function"
by_function all >"$S/wanted"
annotated --inclusive=yes | grep -E '^(heavy|light|both|main) ' >"$S/annotated"
grep -E '^(heavy|light|both|main) ' "$S/wanted" >"$S/some"
expect_same "$S/annotated" "$S/some" "time of functions with those that they call"
expect_lines 1 "$S/callgrind" "^summary: $all\$" "the sum"
end

"$EXECTRACE" export -f folded "$S/data" >"$S/folded"
if "$TESTS/flame-total" "$S/folded" >"$S/drawn" 2>"$S/err" || [ $? != 3 ]; then
	begin "a flame graph"
	expect_equal "$(cat "$S/drawn" "$S/err")" "$all" "flamegraph.pl draws all of it"
	end
else
	skip_case "a flame graph" "flamegraph.pl is not installed"
fi

begin "CSV"
expect "it is written" "$EXECTRACE" export -f csv -o "$S/csv" "$S/data"
"$TESTS/csv-rows" "$S/csv" >"$S/rows"
expect_lines 1 "$S/rows" $'^time_ns\tpid\ttid\tcomm\tcpu\tweight_ns\tstack$' "titles"
awk -F '\t' 'NR > 1 { print $2, $3, $4, $5, $6, $7 }' "$S/rows" >"$S/got"
jq -r '[.pid, .tid, .comm, .cpu, .weight, (.stack // [] | join(" < "))] | map(tostring) | join(" ")' "$S/samples" >"$S/wanted"
expect_equal "$(wc -l <"$S/got")" "$many" "a row a sample"
expect_same "$S/got" "$S/wanted" "what JSON says"
# Numbers so large are not exact in jq.
awk -F '\t' 'NR > 1 { print $1 }' "$S/rows" >"$S/got"
grep '"ph":"sample"' "$S/json" | sed 's/^{"run":"[^"]*","host":"[^"]*","t":\([0-9]*\),.*/\1/' >"$S/wanted"
expect_same "$S/got" "$S/wanted" "the same times"
end

begin "tracks over time"
expect "chrome" "$EXECTRACE" export -f chrome -o "$S/chrome" "$S/data"
expect_equal "$(jq '[.traceEvents[] | select(.cat == "sample") | .args.weight] | add' "$S/chrome")" "$all" "all weights"
expect_equal "$(jq '[.traceEvents[] | select(.cat == "sample")] | length' "$S/chrome")" "$many" "all samples"
expect "perfetto" "$EXECTRACE" export -f perfetto -o "$S/pftrace" "$S/data"
expect "protoc reads it" "$TESTS/perfetto-slices" "$S/pftrace"
end

begin "a page"
expect "it is written" "$EXECTRACE" export -f html -o "$S/page.html" "$S/data"
sed -n '/<script type="application\/json"/{n;s/<\/script>$//;p;}' "$S/page.html" >"$S/data.json"
expect_equal "$(jq -r '"\(.events) \(.total[0][0]) \(.calls[0][0])"' "$S/data.json")" "samples $all $many" "all samples are in it"
by_function self >"$S/wanted"
jq -r '.functions as $f | .row_self[0] as $self | range(1; $self | length) | select($self[.] > 0) | "\($f[2 * .]) \($self[.])"' "$S/data.json" |
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (f in sum) printf "%s %.0f\n", f, sum[f] }' | sort >"$S/got"
expect_same "$S/got" "$S/wanted" "own time of each function"
expect_equal "$(jq -r '.chart.kinds | join(" ")' "$S/data.json")" "kernel program library" "where it was"
end

begin "what has calls alone"
"$EXECTRACE" export -f uftrace -o "$S/uftrace" "$S/data" >"$S/out" 2>"$S/err"
expect_equal $? 1 "is refused"
expect_lines 1 "$S/err" '^exectrace: uftrace has calls with their beginnings and ends, and these are samples$' "with a line"
expect "and nothing is there" test ! -e "$S/uftrace"
end

begin "graph, timeline, diff, paths"
"$EXECTRACE" graph --csv both "$S/data" >"$S/graph"
"$EXECTRACE" graph both "$S/data" >"$S/people"
expect_lines 1 "$S/graph" '^time_ns,percent,samples,relation,level,function,module$' "samples are counted"
expect_equal "$(awk -F, '$4 == "self" { print $1 }' "$S/graph")" "$(by_function all | sed -n 's/^both //p')" "graph: the time of a function"
expect_lines 1 "$S/people" '^# both: [0-9]+ samples, ' "graph: for people"
expect_lines 1 "$S/graph" ',caller,1,main,split$' "graph: its caller"
"$EXECTRACE" report --by=stack --csv "$S/data" >"$S/paths"
expect_equal "$(awk -F, 'NR > 1 { sum += $1 } END { printf "%.0f", sum }' "$S/paths")" "$all" "report --by=stack: the sum"
expect_lines 1 "$S/paths" '^self_ns,percent,time_ns,samples,path$' "report --by=stack: samples"
"$EXECTRACE" timeline --all --csv "$S/data" >"$S/timeline"
expect_equal "$(awk -F, '$10 == "both" { print $3, $4 }' "$S/timeline")" \
	"$(by_function all | sed -n 's/^both //p') $(jq -s 'map(select(.stack // [] | index("both"))) | length' "$S/samples")" "timeline: its time, its samples"
"$EXECTRACE" diff --percent-limit=0 --csv "$S/data" "$S/data" >"$S/diff"
expect_equal "$(wc -l <"$S/diff")" 1 "diff: nothing, from itself"
"$EXECTRACE" diff "$S/data" "$TESTS/golden/recording" >"$S/out" 2>"$S/err"
expect_equal "$?" 1 "diff: calls are something else"
end

begin "calls and samples in one directory"
cp -r "$TESTS/golden/recording" "$S/both"
cp "$S"/data/*.xtr "$S/both"
for command in "graph main" timeline "diff $S/both" "report --by=stack" "report --csv" "export -f csv" "export -f html" "export -f callgrind"; do
	# shellcheck disable=SC2086 # words
	"$EXECTRACE" $command "$S/both" >"$S/out" 2>"$S/err"
	expect_equal "$? $(tail -n 1 "$S/err")" "1 exectrace: there are calls and samples: say --event=calls or --event=samples" "$command: says so"
done
for command in "graph main" "timeline --all" "report --by=stack --csv" "report --csv" "export -f html" "export -f callgrind" "export -f csv"; do
	# shellcheck disable=SC2086
	"$EXECTRACE" ${command%% *} --event=samples ${command#* } "$S/both" >"$S/got" 2>"$S/err"
	expect_equal $? 0 "$command: the samples"
	# shellcheck disable=SC2086
	"$EXECTRACE" $command "$S"/data/*.xtr >"$S/wanted" 2>"$S/err"
	case $command in
	timeline* | export*html) continue ;; # which tell of the run, too
	esac
	expect_same "$S/got" "$S/wanted" "$command: as of their file alone"
done
end
finish
