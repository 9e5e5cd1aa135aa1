#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 5,000 execs (fewer with --slow) from 50 processes at once: none is lost, none is counted twice. The programs count themselves.
. "$(dirname "$0")/../lib.sh"
patience=100
each=$(rounds 100)

# 25 victims and 25 shells that run so many programs each
storm="$V/storm 25 $each $V/count count >storm.out &
for j in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
	sh -c 'i=0; while [ \$i -lt $each ]; do $V/count count || echo failed >>errors; i=\$((i+1)); done' &
done
wait
cat storm.out"

begin "$((50 * each)) execs"
fresh
start=${EPOCHREALTIME/./}
et "${NOTHING[@]}" -- sh -c "$storm" >"$S/out" 2>"$S/err"
expect_equal $? 0 "the status"
echo "# took $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
expect_equal "$(wc -c <count)" $((50 * each)) "every program ran"
expect_equal "$(cat "$S/out")" "failed 0, not started 0" "none failed"
expect "no exec failed in a shell" test ! -e errors
# root, storm, 25 shells, cat
expect_lines 1 "$S/err" "^exectrace: 0 of $((50 * each + 28)) commands matched" "every exec was counted once"
end

begin "$((5 * each)) execs, one in ten of them picked"
fresh
et --run='args --append=picked' --cmd='/count count [0-9]*0$' -- sh -c "
	for j in 1 2 3 4 5; do
		sh -c 'i=0; while [ \$i -lt $each ]; do $V/count count \$i; i=\$((i+1)); done' &
	done
	wait" >"$S/out" 2>"$S/err"
expect_equal "$(wc -c <count)" $((5 * each)) "every program ran"
expect_lines 1 "$S/err" "^exectrace: $((each / 2)) of $((5 * each + 6)) commands matched\$" "the count"
end
finish
