#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# why of many recordings: which causes there are, and which recordings have them; what all of them waited for. The causes are known, since
# the test has made them.
# groups: check
. "$(dirname "$0")/../lib.sh"
needs jq
patience=60

# shown ARG...: what why prints, in $S/shown and $S/said; its status
shown()
{
	"$EXECTRACE" why "$@" >"$S/shown" 2>"$S/said" </dev/null
}

# record NAME COMMAND: as `--why` would
record()
{
	et -q -o "$S/$1" --run='trace --for=why --format=data' --first -- sh -c "$2" >"$S/out" 2>"$S/err" </dev/null
}

# Thirty shards. The same cause has other numbers, other directories and comes after another time in each.
for i in 1 2 3 4 5 6; do
	record "well$i" "sleep $((i / 6 * 2)).$i; true" # the last one is by far the longest
	record "missing$i" "sleep 0.0$i; cat $S/missing/part-$i >/dev/null; exit 1"
	record "claims$i" "sleep 0.0$i; sh -c 'echo assertion failed: 1$i is not 2 >&2; exit 4'; exit 2"
	[ $i -gt 3 ] || record "killed$i" "sleep 30 & sleep $((i / 3)).5$i; kill -KILL \$!; wait \$!; exit \$?"
	[ $i -gt 2 ] || record "quiet$i" "$V/prog -x $((6 + i)) says; exit \$?"
done
cd "$S" || exit 1
all=(well? missing? claims? killed? quiet?)

begin "which causes there are, and who has them"
shown --json "${all[@]}"
expect_equal "$? $(cat "$S/said")" "0 " "the status"
expect_equal "$(jq -c '[.recordings, .failed]' "$S/shown")" "[23,17]" "how many"
expect_equal "$(jq -r '.causes[] | [(.recordings | length), (.recordings | map(sub("[0-9]$"; "")) | unique | join("+"))] | join(" ")' "$S/shown" | sort)" \
	"1 quiet
1 quiet
3 killed
6 claims
6 missing" "a cause is one, whatever the numbers; other statuses are others"
for name in "${all[@]}"; do jq -r --arg name "$name" 'select(.status != null) | $name + " exit " + (.status | tostring)' "$name/run.json"; done | sort >"$S/want"
jq -r '.outcomes[] | .status as $s | .recordings[] | . + " " + $s' "$S/shown" | sort >"$S/listed"
expect_same "$S/listed" "$S/want" "how each ended"
expect_equal "$(jq '[.causes[].recordings[]] | sort == (unique)' "$S/shown")" true "each recording has one cause"
end

begin "the page"
shown "${all[@]}"
expect_lines 1 "$S/shown" '^Why they failed: 17 recordings, 5 causes$' "how many"
expect_equal "$(grep -E '^[0-9]+ x ' "$S/shown" | cut -d ' ' -f 1 | tr '\n' ' ')" "6 6 3 1 1 " "the most frequent first"
expect_lines 1 "$S/shown" '^6 x cat .*/missing/part-1 \[[0-9]+\]: exit 1$' "the first one that has it"
expect_lines 1 "$S/shown" '^  of missing1, missing2, missing3, missing4, missing5 and 1 more$' "which ones"
expect_lines 1 "$S/shown" '/missing/part-1", .* = -1 ENOENT .*<- its message$' "the call behind it"
expect_lines 1 "$S/shown" '^    \| assertion failed: 11 is not 2$' "the message of another"
expect_lines 1 "$S/shown" '^  SIGKILL was sent by sh ' "who sent the signal"
expect_lines 1 "$S/shown" '^  more: exectrace why claims1$' "where to look"
expect_lines 1 "$S/shown" 'sleep: sleeping \(.*, in [0-9]+ recordings, .*\(well6\)$' "what they waited for, and where longest"
expect "it is one page" test "$(wc -l <"$S/shown")" -lt 70
longest=$("$EXECTRACE" why --json well6 | jq .duration)
expect_equal "$("$EXECTRACE" why --json "${all[@]}" | jq '.time')" \
	"$(for name in "${all[@]}"; do "$EXECTRACE" why --json "$name" | jq .duration; done | awk '{ sum += $1 } END { printf "%.0f\n", sum }')" "all their time"
expect "the longest is at least as long as it slept" test "$longest" -ge 2600000000
end

begin "of one process in each"
shown --json --cmd='^cat ' "${all[@]}"
expect_equal "$(jq -c '[.recordings, .failed, (.causes | length)]' "$S/shown")" "[6,6,1]" "only where it fits"
shown --cmd='^nosuch' "${all[@]}"
expect_equal "$? $(wc -l <"$S/shown") $(wc -l <"$S/said")" "1 0 1" "where nothing fits"
shown --cmd='(' "${all[@]}"
expect_equal "$? $(wc -l <"$S/said")" "1 1" "what is no expression"
end

begin "what cannot be read"
mkdir empty
cp -R missing1 damaged
for file in damaged/*.xtr; do printf 'XXXXXXXX' | dd of="$file" conv=notrunc 2>"$S/err"; done
shown --json missing2 nowhere well1 empty damaged missing3
expect_equal "$?" 1 "the status"
expect_lines 1 "$S/said" '^exectrace: nowhere: No such file or directory$' "one is missing"
expect_lines 1 "$S/said" '^exectrace: empty' "one is none"
expect_lines 1 "$S/said" '^exectrace: damaged/' "one is damaged"
expect_equal "$(jq -c '[.causes[0].recordings | .[]]' "$S/shown")" '["missing2","missing3"]' "the others are there"
shown nowhere empty
expect_equal "$? $(wc -l <"$S/shown") $(wc -l <"$S/said")" "1 0 3" "nothing is left"
shown --first-difference well1 well2 well3
expect_equal "$? $(cat "$S/said")" "1 exectrace: unexpected 'well3'; --first-difference has GOOD [BAD]" "of three"
end

begin "many: one is open at a time"
many=()
for i in 1 2 3 4 5 6 7 8 9 10; do many+=("${all[@]}"); done
(ulimit -n 32 -v 500000 && "$EXECTRACE" why "${many[@]}") >"$S/shown" 2>"$S/said"
expect_equal "$? $(cat "$S/said")" "0 " "230"
expect_lines 1 "$S/shown" '^Why they failed: 170 recordings, 5 causes$' "their causes are no more"
end
finish
