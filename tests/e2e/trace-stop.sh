#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A traced process that is stopped stays so until it is continued, and each stop is shown: as strace does, in JSON, in a recording.
. "$(dirname "$0")/../lib.sh"

# Runs the victim, which stops itself twice with signal $1, and continues it until it has ended: when it has been stopped for a while,
# for a SIGCONT takes away a stop that has only begun.
SCRIPT='stands() { grep -q "^State:.[Tt]" /proc/$p/status 2>/dev/null; }
	"$0" "$1" & p=$!
	(until [ -e over ]; do sleep 0.03; stands && sleep 0.07 && stands && kill -CONT $p; done) & wait $p; s=$?; : >over; wait; exit $s'

# traced SIGNAL OPTIONS
traced()
{
	fresh
	et -q -o "$S/data" --run="trace $2" --first -- sh -c "$SCRIPT" "$V/selfstop" "$1" >"$S/out" 2>"$S/err" </dev/null
	expect_equal $? 7 "the command's status"
}

# stops FILE: what it says of stops
stops()
{
	sed -n 's/^[0-9]* *[0-9.:]* \(--- stopped by .*\)/\1/p' "$1"
}

two=$(printf -- '--- stopped by SIGSTOP ---\n--- stopped by SIGSTOP ---')
for options in "" --filter=getppid,execve; do
	begin "as text${options:+, $options}"
	traced STOP "--output=$S/log $options"
	expect_equal "$(stops "$S/log")" "$two" "both stops"
	end
done
if command -v strace >/dev/null; then
	begin "as strace has it"
	fresh
	strace -f -ttt -o "$S/theirs" sh -c "$SCRIPT" "$V/selfstop" STOP >"$S/out" 2>"$S/err" </dev/null
	expect_equal "$(stops "$S/log")" "$(stops "$S/theirs")" "the same lines"
	end
fi
begin "as JSON"
traced STOP "--format=json --output=$S/log"
expect_lines 2 "$S/log" '"ph":"stop","signal":"SIGSTOP"}' "both stops"
end
begin "in a recording"
traced STOP --format=data
"$EXECTRACE" syscalls "$S/data" >"$S/list" 2>"$S/err"
expect_lines 2 "$S/list" '--- stopped by SIGSTOP ---$' "both stops in the list"
"$EXECTRACE" export --format=json "$S/data" >"$S/json" 2>"$S/err"
expect_lines 2 "$S/json" '"ph":"stop","signal":"SIGSTOP"' "both stops as JSON"
end

finish
