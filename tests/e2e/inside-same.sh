#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that a program records itself are those that it makes, with the same arguments, results, signals and ends as under a tracer that
# stops it at each, and as strace shows them. SEED=N repeats a run.
. "$(dirname "$0")/../lib.sh"
. "$TESTS/inside.sh"

seed=${SEED:-$((RANDOM % 10000))}

same "cat" -s cat /etc/passwd /nowhere
same "dd, byte by byte" -s dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
same "a shell with children" -s sh -c "cat /etc/passwd | wc -l; (exit 3); echo \$? \$(echo sub); $V/prog a; true"
same "registers" -s "$V/registers" 200
same "waits with another mask" -l "$V/masked" 6 now
same "masks and actions" -l "$V/inside" masks
same "random calls, seed $seed" -s "$V/inside" random "$seed" 600 1
same "random calls of threads, seed $seed" -l "$V/inside" random "$seed" 300 4
same "children" -s "$V/inside" children 30
same "a program that executes others" "$V/count" count
engines notify "the rest is the same with each"
same "a static program" -s "$V/progstatic" -x 3 a
for form in vfork spawn spawnattr clone-vm clone-vfork; do
	same "a child by $form" "$V/spawnform" "$form" "$V/prog" a
done
for form in zombie failing; do
	same "a thread that executes: $form" -l "$V/threadform" "$form" "$V/prog" a
done
same "a program with a sandbox" "$V/sandbox" errno chroot "$V/inside" children 5
for mode in errno other trap strict; do
	same "a seccomp filter: $mode" "$V/filters" "$mode" "$V/prog" a
done
same "a signal kills it" sh -c 'kill -KILL $$'
has_victim prog32 "a 32-bit program" && kernel_runs "$V/prog32" "a 32-bit program" && same "a 32-bit program" "$V/prog32" a
has_victim int80 "int 0x80" && kernel_runs "$V/int80" "int 0x80" && same "int 0x80" "$V/int80" "$V/prog" a
same "x32 numbers" "$V/x32call" "$V/prog" a
finish
