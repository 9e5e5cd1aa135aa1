#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeline, graph, diff, and the tables of report that are made of call paths: of imported logs and of the recording that is
# checked in, against what awk makes of `calls` and `syscalls`; JSON and CSV; terminals of 80 and 200 columns.
. "$(dirname "$0")/../lib.sh"

needs jq awk
data=$TESTS/golden/recording

# shown COMMAND [ARG]...: what a command prints, in $S/out and $S/err; its status
shown()
{
	"$EXECTRACE" "$@" >"$S/out" 2>"$S/err" </dev/null
}

# kft N [SLOW]: a log of N rounds of the same calls; in one of them `second` takes SLOW us more
kft()
{
	printf 'Entry\tDelta\tPID\tFunction\tCaller\n'
	awk -v n="$1" -v slow="${2:-0}" '
	function row(entry, delta, name, caller) { print entry "\t" delta "\t1\t" name "\t" caller "+0x10" }
	BEGIN {
		for (i = t = 0; i < n; i++) {
			more = i == 3 ? slow : 0
			row(t, 100 + more, "outer", "none")
			row(t + 10, 20, "first", "outer")
			row(t + 40, 50 + more, "second", "outer")
			row(t + 45, 30, "leaf", "second")
			if (i % 2) row(t + 92 + more, 5, "leaf", "outer")
			t += 200 + more
		}
	}'
}

kft 10 >good.log
kft 10 5000 >slow.log
shown import -q good.log
shown import -q slow.log

begin "who calls a function, and what it calls"
shown graph leaf good.log.xtr
expect_equal $? 0 "the status"
tail -n +3 "$S/out" | sed 's/  */ /g; s/^ //' >"$S/got"
cat >"$S/want" <<'END'
Time Share Calls Function Module
300us 92.31% 10 <- | second
300us 92.31% 10 <- | | outer
25.0us 7.69% 5 <- | outer
325us 100.00% 15 == leaf
END
expect_same "$S/got" "$S/want" "callers"
shown graph outer good.log.xtr
tail -n +4 "$S/out" | sed 's/  */ /g; s/^ //' >"$S/got"
cat >"$S/want" <<'END'
1.00ms 100.00% 10 == outer
500us 50.00% 10 -> | second
300us 30.00% 10 -> | | leaf
200us 20.00% 10 -> | first
25.0us 2.50% 5 -> | leaf
END
expect_same "$S/got" "$S/want" "callees"
shown graph --depth=1 --percent-limit=10 outer good.log.xtr
expect_lines 1 "$S/out" '\|  second' "one level"
expect_lines 0 "$S/out" 'leaf' "and nothing small"
shown graph --csv 'le*' good.log.xtr
expect_lines 1 "$S/out" '^325000,100.0000,15,self,0,leaf,$' "a pattern, as CSV"
end

begin "what differs"
shown diff good.log.xtr good.log.xtr
expect_equal $? 0 "the status"
expect_lines 2 "$S/out" '^# 0 (functions|call paths) differ' "nothing, from itself"
shown diff good.log.xtr slow.log.xtr
sed 's/  */ /g; s/^ //' "$S/out" >"$S/got"
expect_equal "$(grep -A1 '^Delta' "$S/got" | sed -n 2p)" "+5.00ms x26.0 200us 5.20ms 10 10 second" "the slow function is on top"
expect_lines 1 "$S/got" 'x26.0 200us 5.20ms 10 10 second < outer$' "so is its path"
expect_lines 2 "$S/out" '^# 1 (functions|call paths) differ' "and that is all"
shown diff --json --by=function good.log.xtr slow.log.xtr
expect_equal "$(jq -c '.[0] | [.name, .self_b_ns - .self_a_ns, .calls_a]' "$S/out")" '["second",5000000,10]' "as JSON"
kft 12 >more.log
shown import -q more.log
shown diff --csv --percent-limit=0 --by=path good.log.xtr more.log.xtr
expect_lines 1 "$S/out" '^path,[0-9]+,[0-9]+,[0-9]+,[0-9]+,10,12,outer;second;leaf,$' "paths from the outermost one on"
mkdir older && cp -r older exectrace.data && mv older exectrace.data.old
cp good.log.xtr exectrace.data.old/ && cp slow.log.xtr exectrace.data/
shown diff
expect_lines 1 "$S/out" '^# B: exectrace.data: ' "the last two runs"
expect_lines 2 "$S/out" ' second( |$)' "are compared"
end

# Own times by path add up to what the calls have run themselves.
begin "tables add up to the calls"
shown calls --csv slow.log.xtr
awk -F, 'NR > 1 { self[$12] += $3; calls[$12]++; all += $3 } END { for (f in self) print f, calls[f], self[f] }' "$S/out" | sort >"$S/want"
shown report --by=stack --csv slow.log.xtr
awk -F, 'NR > 1 { sub(/.*;/, "", $5); self[$5] += $1; calls[$5] += $4 } END { for (f in self) print f, calls[f], self[f] }' "$S/out" |
	sort >"$S/got"
expect_same "$S/got" "$S/want" "--by=stack"
shown report --no-children --json slow.log.xtr
jq -r '.[] | "\(.symbol) \(.self_ns)"' "$S/out" | sort >"$S/got"
cut -d' ' -f1,3 "$S/want" >"$S/own"
expect_same "$S/got" "$S/own" "--no-children"
shown report --children -g slow.log.xtr
expect_lines 1 "$S/out" '^ +100\.00% +[0-9.]+%  \[unknown\]      \[\.\] outer$' "--children has what a function called"
expect_lines some "$S/out" '--second$' "with a graph"
shown report --children -g neither slow.log.xtr
expect_equal $? 1 "what is no order is a recording"
shown report -f Fc --children slow.log.xtr
expect_lines 1 "$S/err" 'columns .* go with neither' "columns of the other table are refused"
shown report -f Fct --json slow.log.xtr
expect_equal "$(jq -r '.[] | select(.function == "leaf") | "\(.count) \(.time_ns)"' "$S/out")" "15 325000" "the table of functions as JSON"
end

begin "options before and behind what they are for"
# Pairs: the same command, its options in another place.
while IFS='|' read -r one other; do
	# shellcheck disable=SC2086 # words
	shown $one
	expect_equal "$? $(wc -l <"$S/out" | awk '{ print ($1 > 0) }')" "0 1" "$one"
	cp "$S/out" "$S/got"
	# shellcheck disable=SC2086
	shown $other
	expect_same "$S/got" "$S/out" "$other"
done <<'END'
report -f Fct -n 3 good.log.xtr|report good.log.xtr -f Fct -n 3
report -f Fct -n 3 good.log.xtr|report -f Fct good.log.xtr -n 3
graph --csv leaf good.log.xtr|graph leaf --csv good.log.xtr
graph --csv leaf good.log.xtr|graph leaf good.log.xtr --csv
diff -n 2 good.log.xtr slow.log.xtr|diff good.log.xtr -n 2 slow.log.xtr
report --children --call-graph=caller good.log.xtr|report --children -g caller good.log.xtr
export -f folded good.log.xtr|export good.log.xtr -f folded -o -
END
shown timeline good.log.xtr slow.log.xtr -n 3
expect_equal "$? $(cat "$S/err")" "1 exectrace: unexpected 'slow.log.xtr' (argument 3); try 'exectrace help timeline'" "one too many"
shown report -t 10ms -n 3 -- -n
expect_equal "$? $(cat "$S/err")" "1 exectrace: -n: No such file or directory" "behind -- there are none"
for number in ' 5' +5 5x 0 ''; do
	shown report -n "$number" good.log.xtr
	expect_equal "$? $(cat "$S/err")" "1 exectrace: --limit: '$number' is not a number from 1 on (argument 2)" "-n '$number'"
done
for share in +1 . 101 1x ''; do
	shown report --percent-limit="$share" good.log.xtr
	expect_equal "$? $(cat "$S/err")" "1 exectrace: --percent-limit: '$share' is not a percentage (argument 2)" "'$share'"
done
shown report --percent-limit=.5% good.log.xtr
expect_equal "$?" 0 ".5% is one"
end

begin "several guests together"
mkdir both && cp good.log.xtr slow.log.xtr both/
shown report -f Fct both
expect_lines 1 "$S/out" '^leaf +30 +650$' "their calls are added up"
shown graph --csv leaf both
expect_lines 1 "$S/out" '^650000,100.0000,30,self,0,leaf,$' "in graphs too"
for command in timeline calls export "export -f folded"; do
	# shellcheck disable=SC2086 # words
	shown $command both
	expect_equal "$? $(cat "$S/err")" "1 exectrace: there are 2 guests, name one: both/good.log.xtr, both/slow.log.xtr" "$command wants one"
done
end

begin "guests and system calls together"
cp "$data"/*.xtr both/
for command in report timeline "graph leaf" "diff both" "export -f folded"; do
	# shellcheck disable=SC2086
	shown $command both
	expect_equal "$? $(cat "$S/err")" \
		"1 exectrace: there are functions of a guest and others: say --event=functions, --event=calls or --event=samples" "$command says so"
done
shown report -f Fct --event=functions both
expect_lines 1 "$S/out" '^leaf +30 +650$' "the functions alone"
shown graph --csv --event=functions leaf both
expect_lines 1 "$S/out" '^650000,100.0000,30,self,0,leaf,$' "in graphs too"
shown timeline --event=functions both
expect_lines 1 "$S/err" 'there are 2 guests, name one: ' "of two guests"
shown report --event=samples both
expect_lines 1 "$S/out" '^# 0 samples' "there are no samples"
rm both/slow.log.xtr
for command in "report --csv" "timeline --csv" "graph --csv leaf" "calls --csv" "export -f csv" "export -f folded"; do
	# shellcheck disable=SC2086
	set -- $command
	[ "$1" = calls ] || set -- "$1" --event=functions "${@:2}"
	shown "$@" both
	expect_equal $? 0 "$command of one guest"
	cp "$S/out" "$S/got"
	# shellcheck disable=SC2086
	shown $command good.log.xtr
	expect_same "$S/got" "$S/out" "$command: as of its file"
done
for command in "report --csv" "graph --csv openat" "report --by=stack --csv" "export -f folded" "export -f csv"; do
	# shellcheck disable=SC2086
	set -- $command
	shown "$1" --event=calls "${@:2}" both
	expect_equal $? 0 "$command of system calls"
	cp "$S/out" "$S/got"
	# shellcheck disable=SC2086
	shown $command "$data"
	expect_same "$S/got" "$S/out" "$command: as of their files"
done
shown graph --event=functions leaf "$data"
expect_lines 1 "$S/err" 'there are no functions of a guest in it' "no guest"
shown report --event=calls good.log.xtr
expect_lines 1 "$S/err" 'there is nothing but functions of a guest in it' "nothing but one"
end

begin "the timeline of a log"
shown timeline --all good.log.xtr
tail -n +3 "$S/out" | sed 's/  */ /g; s/^ //' >"$S/got"
cat >"$S/want" <<'END'
Start Elapsed Ran Share Calls Task What
0.000000 100us 100us 5.26% 10 1 outer
0.000010 20.0us 20.0us 1.05% 10 1 first
0.000040 50.0us 50.0us 2.63% 10 1 second
0.000045 30.0us 30.0us 1.58% 15 1 leaf
END
expect_same "$S/got" "$S/want" "first calls in their order"
shown timeline --time=0.001, --json good.log.xtr
expect_equal "$(jq -r '[.[].name] | join(" ")' "$S/out")" "outer first second leaf" "some of the time, as JSON"
end

# Against the list of calls: the first time of each, and how often.
begin "the timeline of system calls"
shown syscalls --csv "$data"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n[$(at["call"])]++ } END { for (c in n) print c, n[c] }' "$S/out" |
	sort >"$S/want"
shown timeline --csv --all "$data"
awk -F, '$9 == "call" { print $10, $4 }' "$S/out" | sort >"$S/got"
expect_same "$S/got" "$S/want" "each call is there, with how often"
expect_lines some "$S/out" ',program,' "programs"
expect_lines 1 "$S/out" ',function,main,prog$' "functions"
shown timeline --irq=no "$data"
expect_lines 1 "$S/err" 'an option about the functions of a guest' "options of guests are refused"
shown graph openat "$data"
expect_equal $? 0 "a graph of a system call"
expect_lines some "$S/out" '==  \[openat\]' "by its name"
shown graph mian "$data"
expect_lines 1 "$S/err" "no function 'mian' was called" "a function that is none"
shown graph
expect_lines 1 "$S/err" 'a function is missing' "no function"
end

begin "as JSON what as CSV"
for command in "syscalls --summary" "syscalls --summary=process" "syscalls --summary=stack" "syscalls --summary=path" "syscalls --summary=error" tree \
	"graph openat" "report --by=stack" "report --sort=sym" "report --host" timeline; do
	# shellcheck disable=SC2086 # words
	set -- $command
	"$EXECTRACE" "$1" --csv "${@:2}" "$data" 2>"$S/err" >"$S/out"
	"$TESTS/csv-rows" "$S/out" | sed -E 's/(\.[0-9]*[1-9])0+(\t|$)/\1\2/g; s/\.0+(\t|$)/\1/g' >"$S/want" # jq writes 20.0000 + 0 as 20
	"$EXECTRACE" "$1" --json "${@:2}" "$data" 2>"$S/err" >"$S/out"
	expect_equal $? 0 "$command: the status"
	jq -r '(.[0] | keys_unsorted | join("\t")), (.[] | map(if . == null then "" elif type == "number" then . + 0 | tostring else tostring end) | join("\t"))' "$S/out" >"$S/got"
	expect_same "$S/got" "$S/want" "$command"
done
"$EXECTRACE" syscalls --csv --sort=duration "$data" 2>"$S/err" | sed 1d | cut -d, -f2-6 >"$S/want"
"$EXECTRACE" syscalls --json --sort=duration "$data" 2>"$S/err" >"$S/out"
jq -r '.[] | [.duration_ns, .pid, .tid, .comm, .call] | map(tostring) | join(",")' "$S/out" >"$S/got"
expect_same "$S/got" "$S/want" "the list of calls"
shown syscalls --json --filter=sethostname "$data"
expect_equal "$(cat "$S/out")" "[]" "none of them"
end

begin "terminals"
for columns in 80 200; do
	for command in timeline report 'report --long' 'report --by=stack' 'report --children' 'graph outer' "diff good.log.xtr"; do
		"$V/ptyrun" -- sh -c "stty cols $columns; PAGER=cat exec '$EXECTRACE' $command slow.log.xtr" 2>&1 |
			sed 's/\x1b\[[0-9;]*[mK]//g; s/\r//g' >"$S/shown"
		expect "$command fits into $columns columns" awk -v most=$columns '!/^#/ && length > most { bad = 1; print } END { exit bad || NR < 4 }' "$S/shown"
	done
	for command in report 'report --children -g' 'report --by=stack' 'report --host' timeline 'graph openat' 'syscalls -c' 'syscalls --summary=process' \
		'syscalls --summary=stack' 'syscalls --summary=error' tree; do
		"$V/ptyrun" -- sh -c "stty cols $columns; PAGER=cat exec '$EXECTRACE' $command '$data' 2>/dev/null" 2>&1 |
			sed 's/\x1b\[[0-9;]*[mK]//g; s/\r//g' >"$S/shown"
		expect "$command of system calls fits into $columns columns" \
			awk -v most=$columns '!/^#/ && length > most { bad = 1; print } END { exit bad || NR < 3 }' "$S/shown"
	done
done
"$EXECTRACE" timeline --all slow.log.xtr 2>"$S/err" | head -n 1 >"$S/out"
expect_equal "${PIPESTATUS[0]}" 0 "a reader that goes away"
expect_lines 0 "$S/err" . "is no error"
end

begin "a selection that fits nothing says so"
fresh
et -q -o d --run='trace --format=data' --first -- sh -c 'cd /; cat etc/nosuch 2>/dev/null; read -r x </etc/passwd' >"$S/out" 2>"$S/err"
"$EXECTRACE" syscalls --path=neverheardof d >"$S/out" 2>"$S/err"
expect_equal "$?, $(cat "$S/out")" "1, " "status, no output"
expect_lines 1 "$S/err" "^exectrace: 0 of [0-9]+ calls; 'neverheardof' occurs nowhere$" "that the name is nowhere"
"$EXECTRACE" syscalls --path=/etc/passwd --failed d >"$S/out" 2>"$S/err"
expect_equal $? 1 "status"
expect_lines 1 "$S/err" "^exectrace: 0 of [0-9]+ calls$" "that none fitted"
end

begin "--path: relative names, globs"
for path in /etc/nosuch etc/nosuch nosuch '*/nosuch' 'nosuc?'; do
	"$EXECTRACE" syscalls --failed --path="$path" d >"$S/out" 2>&1
	expect_lines 1 "$S/out" 'openat\(AT_FDCWD</>, "etc/nosuch".* = -1 ENOENT' "$path"
done
end

begin "--error"
"$EXECTRACE" syscalls --failed d >"$S/all" 2>&1
"$EXECTRACE" syscalls --error=ENOENT d >"$S/out" 2>&1
expect_equal "$(wc -l <"$S/out")" "$(grep -c ' = -1 ENOENT ' "$S/all")" "one error"
"$EXECTRACE" syscalls --error='!ENOENT' d >"$S/out" 2>&1
expect_equal "$(grep -c ' = -1 ' "$S/out")" "$(grep ' = -1 ' "$S/all" | grep -vc ' = -1 ENOENT ')" "all but one"
"$EXECTRACE" syscalls --error=ENOENT,EMFILE --summary=error --csv d >"$S/out" 2>&1
expect_equal "$(grep -vc ENOENT "$S/out")" 1 "in a table, too: the titles and what there is"
"$EXECTRACE" syscalls --error=EFOO d >"$S/out" 2>"$S/err"
expect_equal $? 1 "status"
expect_lines 1 "$S/err" "EFOO" "a name that is none"
end

finish
