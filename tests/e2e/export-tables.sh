#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lines of JSON as one table of many recordings: each has its run and host, each member the type that the manual says, wherever it is,
# and all of it is Unicode. (tests/export loads them with the databases themselves.)
. "$(dirname "$0")/../lib.sh"
needs jq sqlite3
patience=60
manual=$TESTS/../man/exectrace-export.1

# "member type" for each row of the table of the manual
sed -n '/^\.It Sy member Ta Sy type/,/^\.El/s/^\.It Li \([^T]*\) Ta \([a-z]*\) Ta .*/\2 \1/p' "$manual" | tr -d , |
	awk '{ for (i = 2; i <= NF; i++) print $i, $1 }' | sort >"$S/members"

# types FILE...: "member type" for each member that is there
types()
{
	jq -r 'to_entries[] | "\(.key) \(.value | if type == "array" then (map(type) | unique | if . == [] or . == ["string"] then "texts" else "mixed" end)
		elif type == "string" then "text" elif type == "boolean" then "truth"
		elif type == "number" and . == floor then "integer" else type end)"' "$@" | sort -u
}

# check_lines FILE: what holds of every export
check_lines()
{
	expect "each line is JSON" jq -e . "$1" >/dev/null
	types "$1" >"$S/types"
	expect_equal "$(comm -23 "$S/types" "$S/members")" "" "members and types are those of the manual"
	expect_equal "$(jq -r 'select((.run | test("^[0-9a-f]{32}$") | not) or (has("host") and has("ph") | not)) | "bad"' "$1")" "" "each line has a run, host and ph"
	expect "it is UTF-8" iconv -f UTF-8 -t UTF-8 "$1" -o /dev/null
	expect_equal "$(LC_ALL=C grep -ciE '\\ud[89a-f][0-9a-f]{2}' "$1")" 0 "without halves of characters"
}

# record NAME OPTIONS COMMAND...
record()
{
	local name=$1 options=$2

	shift 2
	et -q -o "$S/$name" --run="$options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

begin "the manual"
expect "has a table of members" test "$(wc -l <"$S/members")" -ge 40
sed "s/text$/'VARCHAR'/; s/texts$/'VARCHAR[]'/; s/integer$/'BIGINT'/; s/truth$/'BOOLEAN'/" "$S/members" | sort >"$S/wanted"
sed -n "/read_json('shards/,/^\.Ed/p" "$manual" | grep -oE "'?[a-z_]+'?: '[A-Z]+(\[\])?'" | sed "s/^'\?\([a-z_]*\)'\?: /\1 /" | sort >"$S/listed"
expect_same "$S/listed" "$S/wanted" "and the same columns for DuckDB"
sed "s/text$/String/; s/texts$/Array(String)/; s/integer$/Int64/; s/truth$/Bool/" "$S/members" | sort >"$S/wanted"
sed -n "/JSONEachRow,\$/,/^\.Ed/p" "$manual" | grep -oE "[a-z_]+ (Nullable\(Int64\)|Array\(String\)|String|Int64|Bool)" | sed 's/Nullable(Int64)/Int64/' | sort >"$S/listed"
expect_same "$S/listed" "$S/wanted" "and for ClickHouse"
end

begin "calls, with names of any bytes"
fresh
odd=$'a;"\\\xff\x01'
cp "$V/prog" "$odd"
record one "trace --format=data --stack" sh -c 'cat /nowhere; "./$1" "$1"; ls "$1"; sh -c "kill -SEGV \$\$"; exit 3' sh "$odd"
"$EXECTRACE" export "$S/one" >"$S/json"
check_lines "$S/json"
expect_equal "$(jq -r 'select(.ph == "exec" and (.path | test("xff"))) | .argv[0]' "$S/json" | head -n 1)" "./a;\"\\\\xff"$'\x01' "a byte that is no character"
expect_equal "$(jq -r .host "$S/json" | sort -u)" "$(uname -n)" "the host is this one"
end

begin "samples; what a budget folds away"
record sampled profile sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done'
"$EXECTRACE" export "$S/sampled" >"$S/json" 2>"$S/err" && check_lines "$S/json"
"$EXECTRACE" export --budget=10 "$S/one" >"$S/json" 2>"$S/err"
check_lines "$S/json"
expect_lines some "$S/json" '"ph":"folded"' "there are such lines"
end

begin "recordings of other machines"
for file in "$TESTS"/golden/*.xtr "$TESTS"/golden/recording; do
	"$EXECTRACE" export "$file" >"$S/json" 2>"$S/err"
	# Their numbers are the largest that there are: as what jq makes of them.
	check_lines "$S/json"
done
end

begin "which run"
record two "trace --format=data" sh -c 'ls / >/dev/null'
cp -r "$S/two" "$S/copied"
run=$("$EXECTRACE" export "$S/two" | jq -r .run | sort -u)
expect_equal "$("$EXECTRACE" export "$S/two" | jq -r .run | sort -u)" "$run" "the same each time"
expect_equal "$("$EXECTRACE" export --failed "$S/copied" | jq -r .run | sort -u)" "$run" "of a copy, too"
expect "another one of another run" test "$("$EXECTRACE" export "$S/one" | jq -r .run | sort -u)" != "$run"
expect_equal "$("$EXECTRACE" export --format=otlp "$S/two" | jq -r '.resourceSpans[].scopeSpans[].spans[].traceId' | sort -u)" "$run" "otlp: its trace"
expect_equal "$("$EXECTRACE" export --format=otlp "$S/two" | jq -r '.resourceSpans[].resource.attributes[] | select(.key == "exectrace.run") | .value.stringValue')" \
	"$run" "otlp: its resource"
"$EXECTRACE" export --format=sqlite -o "$S/db" "$S/two"
expect_equal "$(sqlite3 "$S/db" 'SELECT uid FROM runs')" "$run" "sqlite: its row"
end
finish
