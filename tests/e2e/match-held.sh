#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that does not answer, as on a server or where a scanner looks at it first, keeps nobody waiting but who executes it.
. "$(dirname "$0")/../lib.sh"

cp "$V/prog" "$S/held"
"$V/guardian" "$S/held" 0 true
[ $? != 77 ] || skip "no permission events here (fanotify(7))"

# How long 30 other programs took, while the first open of ./held is under way: the median, and the worst of them.
cat >"$S/tree" <<END
$S/held x >"$S/held.out" &
for i in {1..30}; do
	start=\${EPOCHREALTIME/[^0-9]/}
	/bin/true
	echo \$((\${EPOCHREALTIME/[^0-9]/} - start))
done | sort -n >"$S/took"
wait
END

begin "others go on while one file is held for 3 s"
"$V/guardian" "$S/held" 3000 timeout -k 1 "$(limit 30)" "$EXECTRACE" --engine="$ENGINE" --run=log --exe="$S/held" -- bash "$S/tree" 2>"$S/err"
expect_equal $? 0 "its status"
expect "the median of 30 others is less than $(limit 200) ms: $(sed -n 15p "$S/took") us" test "$(sed -n 15p "$S/took")" -lt "$(limit 200000)"
expect "the worst is far from 3 s: $(tail -n 1 "$S/took") us" test "$(tail -n 1 "$S/took")" -lt 1500000
expect_lines 1 "$S/held.out" 'says x' "the held one ran"
expect_lines 1 "$S/err" '^exectrace: 1 of [0-9]+ commands matched$' "it was matched"
end

begin "the helper that lets an open go on is of the tree itself"
cat >"$S/guarded" <<END
"$V/guardian" "$S/held" /bin/true "$S/held" x
END
et --run=log --exe="$S/held" -- sh "$S/guarded" >"$S/out" 2>"$S/err"
expect_equal $? 0 "its status"
expect_lines 1 "$S/out" 'says x' "the program ran"
expect_lines 1 "$S/err" '^exectrace: 1 of [0-9]+ commands matched$' "it was matched"
end

begin "the same, for one that a tool gets"
et --run="args --append z" --exe="$S/held" -- sh "$S/guarded" >"$S/out" 2>"$S/err"
expect_equal $? 0 "its status"
expect_lines 1 "$S/out" 'says x z' "the program ran with its new argument"
end

begin "the command is told to end while a file is held for ever"
cat >"$S/stuck" <<END
$S/held x &
echo \$! >"$S/stuck.pid"
while [ ! -e "$S/go" ]; do sleep 0.05; done
kill -9 \$!
exit 3
END
rm -f "$S/go"
"$V/guardian" "$S/held" -1 timeout -k 1 "$(limit 20)" "$EXECTRACE" --engine="$ENGINE" --run=log --exe="$S/held" -- sh "$S/stuck" 2>"$S/err" &
pid=$!
expect "it has been started" wait_for 10 test -s "$S/stuck.pid"
: >"$S/go"
start=$SECONDS
wait $pid
expect_equal $? 3 "the command's status"
expect "it ended at once: $((SECONDS - start)) s" test $((SECONDS - start)) -lt "$(limit 6)"
end

begin "a file that never answers is passed after 10 s, and that is said"
patience=40
cat >"$S/never" <<END
$S/held x &
one=\$!
sleep 12
kill -9 \$one
wait \$one
exit 4
END
"$V/guardian" "$S/held" -1 timeout -k 1 "$(limit 40)" "$EXECTRACE" --engine="$ENGINE" --run=log --exe="$S/held" -- sh "$S/never" 2>"$S/err"
expect_equal $? 4 "the command's status"
[ "$ENGINE" = ptrace ] || expect_lines 1 "$S/err" '^exectrace: the files of 1 commands did not answer within 10 s' "it is said"
end

if [ "$ENGINE" = ptrace ]; then
	skip_case "renames elsewhere" "not with engine ptrace: it is told of a program that runs, by its real name"
else
	seed=${SEED:-$RANDOM}
	n=$(rounds 2000)
	begin "all of $n beside renames (SEED=$seed)"
	mkdir -p "$S/d"
	cp /bin/true "$S/P"
	patience=100
	et --run='ignore' --exe=none-of-these --run=log --exe=P -- "$V/renames" "$seed" sh -c "i=0; while [ \$i -lt $n ]; do $S/d/../P; i=\$((i + 1)); done" 2>"$S/err"
	expect_equal $? 0 "its status"
	expect_lines some "$S/err" '^renames: [0-9]{3}' "there were renames"
	expect_lines 1 "$S/err" "^exectrace: $n of [0-9]+ commands matched\$" "all were matched"
	end
fi
# The rules need not look at the file; the record of the run does.
fresh
begin "with -o the file of every program is recorded"
for i in 1 2 3 4 5 6 7 8; do cp /bin/true "new$i"; done
et -q -o rec --run=log --exe=/bin/none --cmd=x -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ./new$i; done' 2>"$S/err"
expect_equal $? 0 "the status"
expect_lines 8 rec/execs.jsonl '"exe":"[^"]*/new[1-8]"' "the eight new programs"
expect_lines 0 rec/execs.jsonl '"exe":null' "none is unknown"
end
finish
