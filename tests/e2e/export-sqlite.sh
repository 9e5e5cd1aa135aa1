#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings as an SQLite database, asked by SQLite's own shell: what it says is what `syscalls`, `tree` and `report` say.
# groups: check
. "$(dirname "$0")/../lib.sh"
needs jq sqlite3
patience=60

# ask QUERY: the answer of the database $S/db
ask()
{
	sqlite3 -readonly "$S/db" "$1"
}

# record NAME OPTIONS COMMAND...: a recording $S/NAME in which all of a tree's programs are picked
record()
{
	local name=$1 options=$2

	shift 2
	et -q -o "$S/$name" --run="trace --format=data $options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

# same_calls NAME RUN: the calls of a recording are those of a run
same_calls()
{
	"$EXECTRACE" syscalls --summary --csv "$S/$1" | awk -F , 'NR > 1 { print $1, $2, $3, $4 }' | sort >"$S/summary"
	"$EXECTRACE" syscalls --summary --csv "$S/$1" | head -n 1 >"$S/titles"
	ask "SELECT name, calls, errors, time FROM call_totals WHERE run = $2" | tr '|' ' ' | sort >"$S/totals"
	awk '{ print $1, $2 }' "$S/summary" >"$S/counts-listed"
	awk '{ print $1, $2 }' "$S/totals" >"$S/counts-asked"
	expect "there are calls" test -s "$S/counts-listed"
	expect_same "$S/counts-asked" "$S/counts-listed" "$1: as many calls of each name"
}

# same_processes NAME RUN
same_processes()
{
	"$EXECTRACE" tree --json "$S/$1" >"$S/tree" 2>"$S/err"
	jq -r '.. | objects | select(has("pid")) | .pid' "$S/tree" | sort -n >"$S/pids-listed"
	ask "SELECT pid FROM processes WHERE run = $2" | sort -n >"$S/pids-asked"
	expect_same "$S/pids-asked" "$S/pids-listed" "$1: the processes of tree"
	expect_equal "$(ask "SELECT count(*) FROM processes p WHERE run = $2 AND parent IS NOT NULL
		AND parent NOT IN (SELECT id FROM processes WHERE run = p.run)")" 0 "$1: all parents are there"
	expect_equal "$(ask "SELECT count(*) FROM process_tree WHERE run = $2")" "$(wc -l <"$S/pids-asked")" "$1: the tree has all"
}

begin "one run, and a second one added"
fresh
record one --stack sh -c 'cat /nowhere; ls / >/dev/null; kill -USR1 $$'
record two "" sh -c 'cat /etc/hostname; exit 3'
expect "it is written" "$EXECTRACE" export --format=sqlite -o "$S/db" "$S/one"
expect "a second one is added" "$EXECTRACE" export --format=sqlite -o "$S/db" "$S/two"
expect_equal "$(ask "PRAGMA integrity_check")" ok "the database is whole"
expect_equal "$(ask "SELECT group_concat(recording) FROM runs")" "$S/one,$S/two" "two runs"
same_calls one 1
same_calls two 2
same_processes one 1
same_processes two 2
expect_equal "$(ask "SELECT error FROM calls WHERE run = 1 AND name = 'openat' AND path = '/nowhere'")" ENOENT "what failed, by its path"
expect_equal "$(ask "SELECT json_extract(args, '\$[1]') FROM calls WHERE run = 1 AND path = '/nowhere' AND name = 'openat'")" '"/nowhere"' \
	"arguments are a JSON array"
expect_equal "$(ask "SELECT count(*) FROM signals WHERE run = 1 AND name = 'SIGUSR1'")" 1 "the signal"
expect_equal "$(ask "SELECT signal FROM runs WHERE id = 1")$(ask "SELECT status FROM runs WHERE id = 2")" SIGUSR13 "how the runs ended"
expect_equal "$(ask "SELECT count(*) FROM calls WHERE run = 1 AND stack IS NOT NULL AND stack NOT IN (SELECT stack FROM stack_texts)")" 0 \
	"all stacks have a text"
expect "a stack leads to the call" test "$(ask "SELECT count(*) FROM calls c JOIN stack_texts t ON t.stack = c.stack
	WHERE c.run = 1 AND c.name = 'write' AND t.text LIKE '%main%'")" -gt 0
expect_equal "$(ask "SELECT count(*) FROM calls WHERE thread NOT IN (SELECT id FROM threads) OR process NOT IN (SELECT id FROM processes)")" 0 \
	"each call has its thread and its process"
end

begin "the queries of the manual"
sed -n 's/^\.Dl sqlite3 runs\.db \\(dq\(.*\)\\(dq$/\1/p' "$(dirname "$0")/../../man/exectrace-export.1" >"$S/queries"
expect "there are some" test "$(wc -l <"$S/queries")" -ge 6
while read -r query; do
	ask "$query" >"$S/answer" 2>"$S/says"
	expect_equal $? 0 "$query"
	case $query in *fsync*) ;; *) expect "it has an answer: $query" test -s "$S/answer" ;; esac
done <"$S/queries"
end

begin "many recordings at once"
for i in 1 2 3 4 5 6; do
	record "rec$i" "" sh -c "for i in \$(seq $i); do true >/dev/null; done; ls /"
done
rm -f "$S/db"
expect "all are written" "$EXECTRACE" export --format=sqlite -o "$S/db" "$S"/rec?
expect_equal "$(ask "SELECT count(*) FROM runs")" 6 "six runs"
for i in 1 6; do same_calls "rec$i" "$i"; done
"$EXECTRACE" syscalls --summary --csv "$S"/rec? | awk -F , 'NR > 1 { print $1, $2, $3, $4 }' | sort >"$S/listed"
ask "SELECT name, sum(calls), sum(errors), sum(time) FROM call_totals GROUP BY name" | tr '|' ' ' | sort >"$S/asked"
expect_same "$S/asked" "$S/listed" "the same question has the same answer"
"$EXECTRACE" report --csv "$S"/rec? | awk -F , 'NR > 1 { gsub(/[][]/, "", $5); print $3, $5, $2 }' | sort >"$S/listed"
ask "SELECT comm, name, sum(duration) FROM calls GROUP BY comm, name" | tr '|' ' ' | sort >"$S/asked"
expect_same "$S/asked" "$S/listed" "also by commands"
"$EXECTRACE" syscalls --summary --csv --cmd='^nosuch' "$S"/rec? >"$S/listed" 2>"$S/says"
expect_equal "$? $(wc -l <"$S/listed") $(wc -l <"$S/says")" "1 0 1" "no process fits in any of them"
"$EXECTRACE" syscalls --summary --csv --cmd='^seq 4' "$S"/rec? >"$S/several" 2>"$S/says"
"$EXECTRACE" syscalls --summary --csv --cmd='^seq 4' "$S"/rec4 >"$S/listed"
expect_same "$S/several" "$S/listed" "one fits in one of them"
"$EXECTRACE" syscalls "$S"/rec? 2>"$S/says"
expect_lines 1 "$S/says" 'several recordings are summed up only' "a list is of one"
end

begin "samples"
et -q -o "$S/profiled" --run=profile --first -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' >"$S/out" 2>"$S/err" </dev/null
rm -f "$S/db"
if "$EXECTRACE" export --format=sqlite -o "$S/db" "$S/profiled" 2>"$S/says"; then
	expect_equal "$(ask "SELECT count(*) FROM samples")" "$("$EXECTRACE" export "$S/profiled" | jq -r 'select(.ph == "sample") | .ph' | wc -l)" "all samples"
	expect_equal "$(ask "SELECT sum(time) FROM sample_totals")" "$(ask "SELECT sum(weight) FROM samples")" "the sums have all of them"
fi
end

begin "what is refused leaves everything as it was"
echo "this is no database, and it is longer than sixteen bytes" >"$S/text"
cp "$S/text" "$S/before"
"$EXECTRACE" export --format=sqlite -o "$S/text" "$S/two" 2>"$S/says"
expect_equal $? 1 "a file that is no database"
expect_same "$S/text" "$S/before" "it is as it was"
rm -f "$S/other"
sqlite3 "$S/other" 'CREATE TABLE mine (a)'
"$EXECTRACE" export --format=sqlite -o "$S/other" "$S/two" 2>"$S/says"
expect_equal $? 1 "somebody else's database"
expect_lines 1 "$S/says" '^exectrace: .*/other: it is a database that exectrace has not made$' "it says why"
expect_equal "$(sqlite3 "$S/other" .tables)" mine "it is as it was"
ln -s "$S/elsewhere" "$S/link"
"$EXECTRACE" export --format=sqlite -o "$S/link" "$S/two" 2>"$S/says"
expect_equal $? 1 "a link"
expect "nothing was made behind it" test ! -e "$S/elsewhere"
"$EXECTRACE" export --format=sqlite -o "$S/none/db" "$S/two" 2>"$S/says"
expect_equal $? 1 "no directory"
"$EXECTRACE" export --format=sqlite "$S/two" 2>"$S/says"
expect_lines 1 "$S/says" 'use --output=FILE' "a database is a file"
"$EXECTRACE" export --format=csv "$S/one" "$S/two" 2>"$S/says"
expect_lines 1 "$S/says" 'only json, otlp and sqlite take several recordings' "other formats take one"
end

begin "a full disk"
if mount -t tmpfs -o size=64k none "$S/small" 2>/dev/null || { mkdir -p "$S/small" && mount -t tmpfs -o size=64k none "$S/small" 2>/dev/null; }; then
	"$EXECTRACE" export --format=sqlite -o "$S/small/db" "$S/one" 2>"$S/says"
	expect_equal $? 1 "it fails"
	expect_lines 1 "$S/says" '(No space left on device|disk is full)' "it says why"
	expect_equal "$(ls "$S/small")" "" "nothing is left"
	umount "$S/small"
else
	skip "no file system can be mounted"
fi
end
finish
