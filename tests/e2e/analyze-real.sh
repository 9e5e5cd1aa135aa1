#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings of real programs: what the analysis says of them, against strace, the tracer's own text, and what the programs do.
. "$(dirname "$0")/../lib.sh"
needs strace

# recorded OPTIONS COMMAND...: a recording of a command in $S/data
recorded()
{
	local options=$1

	shift
	fresh
	rm -rf "$S/data"
	et -q -o "$S/data" --run="trace --format=data $options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

# shown COMMAND [ARG]...: what an analysis command prints, in $S/shown
shown()
{
	"$EXECTRACE" "$@" "$S/data" >"$S/shown" 2>"$S/said" </dev/null
}

# A command that runs the same each time: threads of execution, failures, forks.
cat >"$S/work.sh" <<'END'
ls -l /usr >/dev/null
cat /nonexistent /etc/passwd 2>/dev/null | sort -r >/dev/null
(grep -c root /etc/passwd; exit 3)
for i in 1 2 3; do true; $V_PROG a; done
exit 4
END
export V_PROG=$V/prog

# Calls whose number depends on the moment: who gets which signal when, and how often something is restarted. Where the
# picked process begins behind its execve, that is one less.
moment='^(restart_syscall|rt_sigreturn|rt_sigsuspend|futex|poll|ppoll|execve)$'

begin "counts and errors of each call are those of strace"
recorded "" sh "$S/work.sh"
expect_equal $? 4 "the command's status"
strace -f -o "$S/strace" sh "$S/work.sh" >"$S/out" 2>"$S/err" </dev/null
awk -v moment="$moment" '
	/ <unfinished \.\.\.>$/ || $2 ~ /^[-+]/ { next }
	{ name = $2 == "<..." ? $3 : $2; sub(/\(.*/, "", name) }
	name ~ moment { next }
	{ n[name]++; if (/ = -1 E|\) += \? E/) e[name]++ }
	END { for (name in n) print name "," n[name] "," e[name] + 0 }' "$S/strace" | grep -v '^exit_group' | sort >"$S/want"
shown syscalls --summary --csv
awk -F, -v moment="$moment" 'NR > 1 && $1 !~ moment && $1 != "exit_group" { print $1 "," $2 "," $3 }' "$S/shown" |
	sort >"$S/got"
expect "there are calls" test "$(wc -l <"$S/want")" -gt 20
expect_same "$S/got" "$S/want" "call, count, errors"
end

begin "the list is what the tracer itself shows"
fresh
et -q --run="trace --output=$S/text" --first -- "$V/prog" -x 4 a >"$S/out" 2>"$S/err" </dev/null
recorded "" "$V/prog" -x 4 a
shown syscalls --absolute
# Addresses, pids and times differ from run to run.
same()
{
	sed -E 's/^[0-9]+ +([^ ]+ +)?[0-9]+[.][0-9]+ //; s/ <[0-9.]+>$//; s/0x[0-9a-f]{5,}/ADDR/g; s/[[:blank:]]+= /= /; s/\b[0-9]{3,7}\b/N/g
		s/--- (SIG[A-Z]+).*/--- \1/' "$1"
}
same "$S/text" >"$S/want"
same "$S/shown" >"$S/got"
expect "there are calls" test "$(wc -l <"$S/want")" -gt 20
expect_same "$S/got" "$S/want" "line by line"
end

begin "the tree has the processes that strace saw"
recorded "" sh "$S/work.sh"
shown tree --csv
expect_equal "$(grep -c , "$S/shown")" "$(($(cut -d ' ' -f 1 "$S/strace" | sort -u | wc -l) + 1))" "as many"
expect_lines 1 "$S/shown" '^[0-9]+,[0-9]+,0,.*,exit 4,yes,sh .*/work.sh(,[0-9]*){5},yes$' "the picked one"
expect_lines 1 "$S/shown" ',1,.*,exit 3,no,' "the subshell"
expect_lines 3 "$S/shown" ',exit 0,no,.*/prog a(,[0-9]*){5},(yes|no)$' "three times the same"
awk -F, 'NR > 1 { d[$3]++; if ($3 > 0 && !($2 in seen)) bad = 1; seen[$1] = 1 } END { exit bad || d[0] != 1 }' "$S/shown"
expect_equal $? 0 "each one stands below its parent"
end

begin "processes add up"
shown syscalls --summary=process --csv
cp "$S/shown" "$S/processes"
shown syscalls --summary --csv
expect_equal "$(awk -F, 'NR == 2 { print $5 "," $6 "," $7 }' "$S/processes")" \
	"$(awk -F, 'NR > 1 { n += $2; e += $3; t += $4 } END { printf "%d,%d,%.0f\n", n, e, t }' "$S/shown")" "the root has all"
end

# A call that waits returns behind others that began later.
begin "the first call of the timeline is the one that began first"
recorded "" sh -c 'sh -c "sh -c \"sleep 0.2; exit 3\"; exit 4" | cat; exit 0'
shown syscalls --csv --sort=start
awk -F, 'NR > 1 && !seen[$6]++ { print $6, $4, $2 }' "$S/shown" | sort >"$S/want"
expect "there is one that waits" test "$(sed -n "s/^wait4 [0-9]* //p" "$S/want")" -gt 100000000
shown timeline --csv --all
awk -F, '$9 == "call" { print $10, $5, $2 }' "$S/shown" | sort >"$S/got"
expect_same "$S/got" "$S/want" "who made it, and how long it took"
shown timeline --all
expect "in the order of time" awk '$1 ~ /^[0-9.]+$/ { if ($1 < last) exit 1; last = $1; n++ } END { exit n < 20 }' "$S/shown"
end

begin "the programs of the timeline are those that are asked for"
recorded "" sh -c 'sleep 0.1; cat /dev/null; sh -c "exec sleep 0.3"; exit 0'
shown tree --csv
cat=$(awk -F, '$8 == "cat /dev/null" { print $1 }' "$S/shown")
# programs OPTION...: those that are shown, in one line
programs()
{
	shown timeline --csv --all "$@"
	awk -F, '$9 == "program" { gsub(/"| .*/, "", $10); printf "%s ", $10 }' "$S/shown"
}
expect_equal "$(programs)" "sh sleep cat sh sleep " "all"
expect_equal "$(programs --pid="$cat")" "cat " "of a process"
expect_equal "$(programs --comm='sl*')" "sleep sleep " "with a name"
shown timeline --csv --all
begun=$(awk -F, '$9 == "program" && $10 ~ /^cat / { printf "%d.%09d", $1 / 1e9, $1 % 1e9 }' "$S/shown")
expect_equal "$(programs --time="$begun,")" "sh cat sh sleep " "that ran behind a moment"
expect_equal "$(programs --time=",$begun")" "sh sleep " "and in front of it"
expect_equal "$(programs --failed --filter=read)" "sh sleep cat sh sleep " "what is asked of calls is not asked of them"
end

begin "names are as wide as they are shown"
cp "$V/prog" "$S/$(printf 'gr\303\274n\n\377;,')"
cp "$V/prog" "$S/plain"
recorded "--filter=exit_group" sh -c 'for p; do "$p" a; done; exit 0' sh "$S"/gr* "$S/plain"
shown report --no-children --weight=count --sort=comm,dso
sed -n 's/^ *[0-9.]*%  \(.*[^ ]\) *$/\1/p' "$S/shown" | sort >"$S/got"
cat >"$S/want" <<'END'
grün\x0a\xff;,  [kernel]
plain           [kernel]
sh              [kernel]
END
expect_same "$S/got" "$S/want" "a table"
end

# frames calls getppid from functions that it is known to have.
if has_victim frames "functions of stacks"; then
	begin "functions of stacks"
	recorded "--stack --filter=getppid" "$V/frames"
	shown syscalls --csv
	calls=$(grep -c ',getppid,' "$S/shown")
	expect "there are calls" test "${calls:-0}" -gt 3
	shown report --csv --weight=count --sort=sym
	expect_lines 1 "$S/shown" "^$calls,$calls,\[getppid\]$" "the call is the innermost function"
	expect_lines 1 "$S/shown" "^$calls,0,leaf$" "all calls come from leaf"
	expect_equal "$(awk -F, '$3 == "descend" && $1 < n && $1 > 0 { print "some" }' n="$calls" "$S/shown")" some \
		"some by way of descend, which calls itself"
	shown syscalls --summary=stack --depth=1 --csv
	expect_lines 1 "$S/shown" "^getppid,leaf,$calls,0," "summary by stack"
	shown syscalls --stack --limit=1
	expect_lines 1 "$S/shown" '^ > .*/frames\(leaf\+0x[0-9a-f]+\) \[0x[0-9a-f]+\]$' "frames in the list"
	end
fi
finish
