#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: the processes of a guest and their system calls, shown by the commands for those of the host.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

begin "processes and calls"
fresh
et --run='guest --user=no' --cmd='^qemu-system' -- sh -c "$BOOT -append '$WORDS'" >out 2>err </dev/null
expect_equal $? 0 "its status"
clean out >said
child=$(sed -n 's/^child \([0-9]*\)$/\1/p' said)
"$EXECTRACE" syscalls >calls
expect_lines 100 calls "^1 .* chdir\(\"/nowhere\"\) += -1 ENOENT " "100 calls that fail, as the program makes them"
expect_lines 100 calls "^$child .* chdir\(\"/nowhere\"\) += -1 ENOENT " "and as many of its child"
expect_lines 1 calls "^1 .* clone\(.*SIGCHLD.*\) += $child " "the one that makes it"
expect_lines 1 calls "^1 .* wait4\($child, .*\) += $child " "the one that waits for it"
expect_lines 1 calls "^$child .* exit_group\(3\) += \?$" "calls that never return"
expect_lines 1 calls "^1 .* reboot\(.*POWER_OFF.*\) += \?$" "also when the machine ends in them"
expect_lines 1 calls "^1 .* mount\(\"proc\", \"/proc\", \"proc\", 0, .*\) += 0 " "texts that arguments point to"
expect_lines 1 calls "^$child .* \+\+\+ exited with 3 \+\+\+$" "the end of a process"
"$EXECTRACE" syscalls --summary=process --filter=chdir >summary
expect_lines 1 summary " 200 +200 +/init \[1\]$" "summed up by process"
expect_lines 1 summary " 100 +100 +/init \(fork\) \[$child\]$" "all of them"
"$EXECTRACE" tree >tree
expect_lines 1 tree "^ +running .*── /init  \[1\]$" "the processes, the first one, which the end of the machine has ended"
expect_lines 1 tree " exit 3 .*── /init \(fork: guestchild\)  \[$child\]$" "its child, by the name that it has"
expect_lines some tree '── \[kthreadd\]  \[2\]$' "threads of the kernel by their names"
expect_lines 1 tree '── \[kernel threads\]  x [0-9]+$' "those that do nothing but wait in one line"
"$EXECTRACE" tree --no-fold >unfolded
expect_lines some unfolded '── \[kswapd0\]  ' "or each in its own"
"$EXECTRACE" tree --csv >rows
qemu=$(sed -n 's/^[0-9]*,[0-9]*,\([0-9]*\),.*,yes,.*/\1/p' rows)
expect_lines 1 rows "^1,[0-9]*,$((${qemu:-0} + 1)),.*,no,/init(,[0-9]*){5},(yes|no)$" "below their QEMU, which alone was picked"
end

# A suite in which the same QEMU boots three times.
begin "the second of three guests"
fresh
cat >suite <<-'END'
	for disk in disk3 disk7 disk9; do
		$BOOT -name $disk -append "$WORDS" || exit
	done
END
WORDS=$WORDS et --run='guest --user=no' --cmd='^qemu-system.*disk7' -- sh suite >out 2>err </dev/null
expect_equal $? 0 "its status"
expect_lines 3 out 'fib.20. = 6765' "all of them run"
expect_lines 1 err 'match 1, rule 1 \(guest\): .*disk7' "one is picked"
expect_lines 0 err 'match 2|exectrace-guest:' "no other, and no complaint"
expect_equal "$(find exectrace.data -name '*.xtr' | wc -l)" 1 "one file"
"$EXECTRACE" syscalls --summary=process --filter=chdir >summary
expect_lines 1 summary " 200 +200 +/init \[1\]$" "with the calls of one guest"
end

finish
