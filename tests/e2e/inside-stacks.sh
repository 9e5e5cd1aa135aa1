#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that a program records itself have the stacks that they have when each stops: deep ones and shallow ones, of coroutines, signal
# handlers, threads and children. trace-stack compares with strace. SEED=N repeats a run.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/inside.sh
. "$TESTS/inside.sh"

seed=${SEED:-$((RANDOM % 10000))}

same "changing depths, seed $seed" -k "$V/stacks" deep 400 "$seed"
engines notify "the rest is the same with each"
same "coroutines, seed $seed" -k "$V/stacks" coroutines 1000 "$seed"
same "handlers on their own stack, seed $seed" -k "$V/stacks" handlers 300 "$seed"
same "threads, seed $seed" -k -l "$V/stacks" threads 200 "$seed"
same "random calls, seed $seed" -k "$V/inside" random "$seed" 300 1
same "random calls of threads, seed $seed" -k -l "$V/inside" random "$seed" 200 4
same "children" -k "$V/inside" children 20
same "a filter" -k -f getppid,mprotect "$V/stacks" deep 300 "$seed"
same "a shell with children" -k sh -c "cat /etc/passwd | wc -l; (exit 3); $V/prog a; true"
for form in vfork spawn clone-vm; do
	same "a child by $form" -k "$V/spawnform" "$form" "$V/prog" a
done
# The calls that most of the program makes are too deep to be copied: it goes on by stops.
begin "a program that is always deep"
fresh
et --run="trace --stack=512 --verbose --source=inside --output=$S/log" --first -- "$V/stacks" below 2500 >"$S/out" 2>"$S/err"
expect_lines 1 "$S/err" 'stacks of most of its calls are too deep' "it is said"
expect_equal "$(awk '/^ > .*\(below\+/ { n++ } !/^ >/ { if (n == 61) whole++; n = 0 } END { print whole }' "$S/log")" 2500 "all frames"
end
finish
