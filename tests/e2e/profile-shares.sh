#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the sampler says of a program whose shares are known: three quarters in one function, one in another.
# groups: check tools
. "$(dirname "$0")/../lib.sh"
has_victim split "the program that is sampled" || finish
patience=60

# sampled NAME WORDS...: the victim with these words under `profile $options`; leaves $S/NAME
options=
sampled()
{
	local name=$1

	shift
	rm -rf "${S:?}/$name"
	# shellcheck disable=SC2086 # options are words
	et -o "$S/$name" --run="profile -F 1999 $options" --cmd='^\S*split' --first -- "$@" \
		>"$S/$name.out" 2>"$S/$name.err" </dev/null
	expect_equal $? 0 "the status is the program's"
	expect_lines 1 "$S/$name.err" ' match 1, rule 1 \(profile\): ' "it was picked"
	"$EXECTRACE" report --csv --sort=sym "$S/$name" >"$S/$name.csv" 2>"$S/$name.note"
	# On a machine that is busy with others some samples may be lost, which changes no share.
	grep -v 'records were lost' "$S/$name.note" >"$S/$name.wrong"
	expect_same "$S/$name.wrong" /dev/null "nothing is wrong with the recording"
}

# share NAME SYMBOL: children of a function in percent of all that was sampled
share()
{
	awk -F, -v symbol="$2" '{ all += $2 } $3 == symbol { it = $1 } END { printf "%d\n", all ? 100 * it / all : -1 }' "$S/$1.csv"
}

# between NAME SYMBOL MIN MAX
between()
{
	local got

	got=$(share "$1" "$2")
	{
		echo "$2 has $got %, wanted $3 to $4"
		head -n 20 "$S/$1.csv"
	} >"$S/why"
	[ "$got" -ge "$3" ] && [ "$got" -le "$4" ]
	result $? "$2 has $3 to $4 % ($1)" "$S/why"
}

known_shares()
{
	between "$1" heavy 63 87
	between "$1" light 13 37
	between "$1" both 90 100
}

begin "shares, callers, and the sum of times"
sampled plain "$V/split" 50
known_shares plain
between plain main 90 100
between plain _start 90 100
# Half a second was burnt; a machine that is busy with others takes ticks away.
expect "the weights are the time" awk -F, '{ all += $2 } END { exit !(all > 150e6 && all < 750e6) }' "$S/plain.csv"
"$EXECTRACE" report --no-children -g --percent-limit=5 "$S/plain" >"$S/graph"
expect_lines some "$S/graph" '^# [0-9]+ samples, .* on processors$' "the head"
expect_lines some "$S/graph" '(both|heavy|light)$' "graphs"
end

begin "frame pointers"
options=--call-graph=fp
sampled fp "$V/splitfp" 50
known_shares fp
between fp main 90 100
end

begin "the innermost function alone"
options=--call-graph=none
sampled none "$V/split" 20
between none both 0 5
between none main 0 0
expect "all is self" awk -F, 'NR > 1 && $1 != $2 { exit 1 }' "$S/none.csv"
end

begin "nothing of the kernel"
options=--user
sampled user "$V/split" 30
known_shares user
"$EXECTRACE" report --csv --sort=dso "$S/user" >"$S/user.dso"
expect_lines 0 "$S/user.dso" 'kernel' "no function of it"
end

begin "a stack that is larger than its copy is said to be"
options=
sampled deep "$V/split" 20 deep
known_shares deep
"$EXECTRACE" report "$S/deep" >"$S/deep.report"
expect_lines 1 "$S/deep.report" 'with a stack that was larger than its copy' "the head says so"
between deep main 0 5
options='--stack-size=61440 -F 499'
sampled larger "$V/split" 20 deep
between larger main 90 100
"$EXECTRACE" report "$S/larger" >"$S/larger.report"
expect_lines 0 "$S/larger.report" 'larger than its copy' "none with a larger copy"
end

if has_victim split32 "a 32-bit program"; then
	begin "a 32-bit program"
	options=
	sampled narrow "$V/split32" 50
	known_shares narrow
	between narrow main 90 100
	end
fi

options=
for how in thread fork exec; do
	begin "time is found in: $how"
	sampled $how "$V/split" 30 $how
	known_shares $how
	end
done
"$EXECTRACE" report --csv --sort=comm "$S/thread" >"$S/comm"
expect_lines some "$S/comm" '^[0-9]{8,},[0-9]+,burner$' "a thread has its name"
if has_victim plugged "a library that is loaded"; then
	begin "a library that is loaded"
	sampled load "$V/split" 30 load "$V/plugged"
	known_shares load
	between load plugged 90 100
	end
fi

begin "children only when asked for"
options=--no-follow
sampled alone "$V/split" 30 fork
between alone heavy -1 0
sampled with "$V/split" 30 thread
known_shares with
end

# Both sample the same run, in the program alone: how much time the kernel takes, and the clock, is the machine's affair.
if command -v perf >/dev/null && perf record -q -e cpu-clock:u -F 1999 -g -o "$S/perf.data" \
	"$EXECTRACE" --engine="$ENGINE" -q -o "$S/both" --run='profile -F 1999 --user' --cmd='^\S*split' --first -- \
	"$V/split" 60 >"$S/perf.out" 2>&1; then
	perf report -i "$S/perf.data" --comm=split --no-children -g none --stdio --percentage=relative --sort=sym 2>/dev/null >"$S/perf.report"
	"$EXECTRACE" report --csv --sort=sym "$S/both" >"$S/both.csv"
	begin "self times are near those of perf"
	# spin is where the loop is, or the clock, if that is not inlined
	perf=$(awk '$1 ~ /%$/ && $NF == "spin" { printf "%d", $1 }' "$S/perf.report")
	ours=$(awk -F, '{ all += $2 } $3 == "spin" { it = $2 } END { printf "%d", 100 * it / all }' "$S/both.csv")
	echo "perf: ${perf:-nothing}, ours: ${ours:-nothing}" >"$S/why"
	[ -n "$perf" ] && [ "${ours:-99}" -ge $((perf - 10)) ] && [ "$ours" -le $((perf + 10)) ]
	result $? "spin" "$S/why"
	end
else
	skip_case "self times are near those of perf" "perf record does not work here"
fi

begin "exports"
"$EXECTRACE" export --format=folded "$S/plain" >"$S/folded"
expect "folded: the stacks" awk '{ all += $NF } /;main;both;heavy/ { it += $NF } END { exit !(it > all * 0.6 && it < all * 0.9) }' \
	"$S/folded"
"$EXECTRACE" export --format=folded --weight=count "$S/plain" >"$S/counted"
expect "folded: how many" awk '{ all += $NF } END { exit !(all > 100 && all < 2000) }' "$S/counted"
"$EXECTRACE" export "$S/plain" >"$S/json"
expect_lines some "$S/json" '"ph":"sample","cpu":[0-9]+,"weight":[0-9]+,"stack":\[.*"both","main"' "json"
"$EXECTRACE" export --format=perfetto -o "$S/trace" "$S/plain"
expect "perfetto has the functions" grep -qa heavy "$S/trace"
"$EXECTRACE" report --time=100, "$S/plain" >"$S/late"
expect_lines 1 "$S/late" '^# 0 (samples|calls)' "a time when there was nothing"
end
finish
