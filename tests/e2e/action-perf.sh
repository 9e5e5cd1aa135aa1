#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf trace, record and stat as actions; software events are enough.
# groups: check tools
. "$(dirname "$0")/../lib.sh"
needs perf
perf stat -e task-clock -o "$S/plain.stat" true >/dev/null 2>&1 || skip "perf stat true does not work here"

begin "perf stat"
act "perf stat -e task-clock,page-faults -o $S/stat"
expect_lines some "$S/stat" 'task-clock' "the counts"
expect_lines 0 "$S/stat" 'not counted' "they counted"
end
begin "perf record"
act "perf record -q -e page-faults -c 1 -o $S/record"
expect "it has samples of the program" sh -c "perf script -i $S/record 2>&1 | grep -q proggdb"
end
if perf trace -o "$S/plain.trace" "$V/prog" x >/dev/null 2>&1 && has "$S/plain.trace" 'write\('; then
	begin "perf trace"
	act "perf trace -o $S/trace"
	expect_lines some "$S/trace" 'write\(' "the write"
	end
else
	skip_case "perf trace" "perf trace does not work here without us"
fi
begin "perf with an unknown command is refused"
et --run='perf nosuch' -- true >"$S/out" 2>"$S/err"
expect_equal $? 125 "status 125"
end
finish
