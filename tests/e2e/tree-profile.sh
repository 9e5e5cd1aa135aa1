#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tree as a profile: which processes are shown, in which order, what is folded, sums by program; against what the commands do.
. "$(dirname "$0")/../lib.sh"
needs jq

# shown ARG...: what tree prints, in $S/shown and $S/said
shown()
{
	"$EXECTRACE" tree "$@" d >"$S/shown" 2>"$S/said" </dev/null
}

# processes ARG...: the commands of those that fit, in one line
processes()
{
	shown --json "$@"
	jq -r '[.[].command] | join("; ")' "$S/shown"
}

# Many that are alike, one of them fails; one that is slow and has somebody wait for it.
cat >"$S/work.sh" <<'END'
for i in 1 2 3 4 5 6; do sh -c "$V_PROG a$i; true"; done
sh -c "$V_PROG -x 3 failing; exit 0"
sleep 0.01 &
sh -c 'sleep 2; true'
wait
exit 2
END
export V_PROG=$V/prog

# Parents and ends as execs.jsonl has them, which is all that there is of processes that are not recorded.
et -q -o d "${NOTHING[@]}" -- sh "$S/work.sh" >"$S/out" 2>"$S/err" </dev/null

begin "siblings that are alike are one row, others are not"
shown
expect_equal $? 0 "the status"
expect_lines 1 "$S/shown" "── sh -c .*  x 6, [0-9.]+[mu]?s to [0-9.]+[mu]?s$" "six times the same"
expect_lines 1 "$S/shown" "│   └── $V/prog \.\.\.  x 6, " "and what is below them"
expect_lines 1 "$S/shown" "^ *[0-9.]+[mu]?s .* exit 3 .*── $V/prog -x 3 failing  \[[0-9]+\]$" "one that failed is not folded"
expect_lines 1 "$S/shown" "── sh -c '$V/prog -x 3 failing; exit 0'  \[[0-9]+\]$" "nor is what is above it"
expect_equal "$(wc -l <"$S/shown")" 9 "a title, and eight rows"
shown --no-fold
expect_equal "$(wc -l <"$S/shown")" 19 "--no-fold: one for each"
expect_lines 6 "$S/shown" "│   └── $V/prog a[1-6]  \[[0-9]+\]$" "with its words"
end

begin "only some of them"
expect_equal "$(processes --failed)" "sh $S/work.sh; $V/prog -x 3 failing" "--failed"
shown --failed
expect_equal "$(sed 1d "$S/shown" | grep -c 'sh -c')" 1 "with the way to them"
expect_equal "$(processes --cmd='prog a[12]$')" "$V/prog a1; $V/prog a2" "--cmd"
expect_equal "$(processes --under='^sh -c sleep')" "sleep 2" "--under"
expect_equal "$(processes --min=1500ms)" "sh $S/work.sh; sh -c 'sleep 2; true'; sleep 2" "--min"
shown --min=1500ms
expect_lines 1 "$S/shown" '^ +[(]15 shorter[)]$' "and how many are not shown"
expect_equal "$(processes --critical --cmd='sleep')" "sh -c 'sleep 2; true'; sleep 2" "--critical"
expect_equal "$(processes --depth=1)" "sh $S/work.sh" "--depth"
pid=$(jq -r 'select(.argv == ["sleep", "2"]) | .pid' d/execs.jsonl)
expect_equal "$(processes --pid="$pid")" "sleep 2" "--pid"
end

begin "nothing fits"
shown --cmd='^nobody$'
expect_equal "$? $(cat "$S/said")" "1 exectrace: 0 of 18 processes fit --cmd='^nobody\$'" "nobody"
shown --min=1000s
expect_equal "$? $(cat "$S/said")" "1 exectrace: 0 of 18 processes fit" "so long"
shown --picked
expect_equal "$? $(cat "$S/said")" "1 exectrace: 0 of 18 processes fit --picked" "nothing was recorded"
shown --min=x
expect_lines 1 "$S/said" "^exectrace: --min: 'x' is not a duration" "a duration that is none"
end

begin "in another order"
expect_equal "$(processes --sort=time --under='work.sh$' | sed 's/;.*//')" "sh -c 'sleep 2" "the longest first"
expect_equal "$(processes --sort=start --under='work.sh$' | sed 's/;.*//')" "sh -c '$V/prog a1" "the first one first"
shown --json --no-fold
jq -e '[.[] | select(.depth == 1) | .start_ns] | . == sort' "$S/shown" >/dev/null
expect_equal $? 0 "by start without an option"
shown --json --sort=time
jq -e '[.[] | select(.depth == 1) | -.duration_ns] | . == sort' "$S/shown" >/dev/null
expect_equal $? 0 "by time"
end

begin "by program"
shown --flat --json
jq -r '.[] | "\(.program) \(.count) \(.failed)"' "$S/shown" | sort >"$S/got"
printf '%s\n' "prog 7 1" "sh 9 1" "sleep 2 0" >"$S/want"
expect_same "$S/got" "$S/want" "count, failed"
"$EXECTRACE" tree --json d >"$S/all"
for program in prog sh sleep; do
	expect_equal "$(jq -c --arg p $program '.[] | select(.program == $p) | [.total_ns, .worst_ns, .mean_ns]' "$S/shown")" \
		"$(jq -c --arg p $program '[.[] | select(.command | test("^[^ ]*\\b" + $p + " ")) | .duration_ns] |
			[add, max, ((add / length) | floor)]' "$S/all")" "times of $program"
done
shown --flat
expect_equal "$(awk 'NR > 1 { print $NF }' "$S/shown" | sort | tr '\n' ' ')" "prog sh sleep " "as text"
shown --flat --failed --json
expect_equal "$(jq -c '[.[] | [.program, .count]] | sort' "$S/shown")" '[["prog",1],["sh",1]]' "only those that failed"
end

begin "it fits into a terminal"
for long in '80 ' '200 -l'; do
	columns=${long% *}
	"$V/ptyrun" -- sh -c "stty cols $columns; PAGER=cat exec '$EXECTRACE' tree ${long#* } d" 2>&1 | LC_ALL=C.UTF-8 sed 's/\x1b\[[0-9;]*[mK]//g; s/\r//g; s/[├└│─]/+/g' >"$S/shown"
	expect "into $columns columns" awk -v most=$columns 'length > most { bad = 1; print } END { exit bad || NR < 8 }' "$S/shown"
done
end

begin "--picked"
fresh
et -q -o d --run='trace --format=data' --cmd="^sh -c .*a[23];" -- sh "$S/work.sh" >"$S/out" 2>"$S/err" </dev/null
expect_equal "$(processes --picked)" "sh -c '$V/prog a2; true'; sh -c '$V/prog a3; true'" "both"
shown
expect_lines 2 "$S/shown" '  \[[0-9]+\] <- picked$' "and they are not folded"
end

finish
