#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tree --leaks: descriptors that programs began with and did nothing with, and those that they used, closed or handed on.
. "$(dirname "$0")/../lib.sh"
needs jq

# leaks [ARG...]: those of the files of this test, as "PROCESSES FD FILE FROM COMMAND"
leaks()
{
	"$EXECTRACE" tree --leaks --json "$@" d 2>"$S/said" | jq -r --arg dir "$(pwd -P)/" '.[] | select(.file | startswith($dir)) |
		"\(.processes) \(.fd) \(.file | ltrimstr($dir)) < \(.from | split(" ")[0]) > \(.command)"' | sort
}

# recorded SCRIPT: in d, all its calls
recorded()
{
	fresh
	echo text | tee one >two
	et -q -o d --run='trace --format=data' --first -- bash -c "$1" >"$S/out" 2>"$S/err" </dev/null
}

begin "what was not recorded is said"
fresh
et -q -o d "${NOTHING[@]}" -- sh -c '/bin/true; exit 0' >"$S/out" 2>"$S/err" </dev/null
"$EXECTRACE" tree --leaks d >"$S/shown" 2>"$S/said"
expect_equal "$? $(wc -c <"$S/shown")" "1 0" "the status"
expect_lines 1 "$S/said" "that takes --run='trace --format=data', or --why$" "what it takes"
"$EXECTRACE" tree --leaks "$TESTS/golden/recording" >"$S/shown" 2>"$S/said"
expect_equal $? 1 "an old recording"
expect_lines 1 "$S/said" 'what programs begin with was not recorded' "has no descriptors"
end

if ! engine_can notify "what programs began with that a picked one has executed" \
	"it does not see what a process executes that it has let go"; then
	finish
fi

begin "left open, and never used"
recorded 'exec 7<one; /bin/true a; sh -c "/bin/true b; /bin/true c"; exit 0'
expect_equal "$(leaks)" "4 7 one < bash > /bin/true a" "one row for all"
"$EXECTRACE" tree --leaks d >"$S/shown" 2>"$S/said"
expect_equal $? 0 "the status"
expect_lines 1 "$S/shown" '^ +4 +7 +/.*/one +\[[0-9]+\] bash .* \[[0-9]+\] /bin/true a$' "as text"
expect_equal "$(leaks --cmd='^/bin/true [bc]$')" "2 7 one < bash > /bin/true b" "of some processes"
end

begin "used, by the process or by one below it"
recorded 'exec 7<one 8<two; cat <&7; sh -c "/bin/true; cat <&8"; exit 0'
expect_equal "$(leaks --cmd='^sh -c')" "1 7 one < bash > sh -c '/bin/true; cat <&8'" "what the cat below it reads is no leak"
expect_equal "$(leaks --cmd='^/bin/true')" "1 7 one < bash > /bin/true
1 8 two < bash > /bin/true" "what its brother had is"
end

begin "used by a fork"
recorded 'exec 7<one; bash -c "(read -u 7 line); /bin/true; exit 0"; exit 0'
expect_equal "$(leaks --cmd='^bash -c .read')" "" "is used"
end

begin "closed"
recorded 'exec 7<one; sh -c "exec 7<&-; /bin/true; exit 0"; exit 0'
expect_equal "$(leaks)" "" "nobody has it"
end

begin "a name in /proc/self/fd is a use"
recorded 'exec 7<one 8<two; sh -c "cat /proc/self/fd/8; exit 0"; exit 0'
expect_equal "$(leaks --cmd='^cat')" "1 7 one < bash > cat /proc/self/fd/8" "by its name"
end

finish
