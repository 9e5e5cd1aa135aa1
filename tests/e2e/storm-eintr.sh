#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An execve returns no EINTR because of us: 10,000 of them under a 1 ms timer whose handler has no SA_RESTART.
# alone: when a signal meets an exec whose receiver is on another processor, which takes many processes, one in 10,000 was seen
. "$(dirname "$0")/../lib.sh"

begin "10,000 failing execs, a signal each millisecond"
# Most runs have 0 to 3 on a machine that has nothing else to do, and up to 16 on one whose processors are not its own;
# without the rescue it is 15 to 40 in each run. So the best of five tells whether it works.
least=10000
for _ in 1 2 3 4 5; do
	[ "$least" -gt 0 ] || break
	et -q "${NOTHING[@]}" -- "$V/exectimer" 1000 10000 >"$S/out" 2>"$S/err"
	expect_lines 1 "$S/out" '^[0-9]+ of 10000 execves returned EINTR, 0 another error$' "no other error"
	n=$(sed -n 's/^\([0-9]*\) of 10000 .*/\1/p' "$S/out")
	[ "${n:-10000}" -ge "$least" ] || least=$n
done
expect "hardly one is interrupted ($least)" test "$least" -le 9
end
et -q "${NOTHING[@]}" -- "$V/exectimer" 150 10000 >"$S/out" 2>"$S/err"
echo "# a signal each 150 us: $(cat "$S/out")"
begin "a shell's exec while its children end"
et -q "${NOTHING[@]}" -- sh -c "i=0; while [ \$i -lt 60 ]; do (sleep 0.01 & sleep 0.01 & exec $V/count $S/count) || echo failed; i=\$((i+1)); done" \
	>"$S/out" 2>"$S/err"
expect_equal "$(cat "$S/out")" "" "none failed"
expect_equal "$(wc -c <"$S/count")" 60 "all ran"
end
finish
