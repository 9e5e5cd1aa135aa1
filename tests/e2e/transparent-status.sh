#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How the command ends is how exectrace ends: the exit status, the signal, the core flag as far as a parent can.
. "$(dirname "$0")/../lib.sh"

for status in 0 1 3 125 126 127 128 255; do
	both "exit status $status" -- "$V/prog" -x $status
done
for sig in HUP INT QUIT ILL ABRT BUS FPE KILL SEGV PIPE ALRM TERM USR1 USR2 TRAP SYS XCPU; do
	both "death by SIG$sig" -- "$V/prog" -k $sig
done

both -p 'core=100000000' "a child that dumps core" -- "$V/waitstatus" - "$V/prog" -k SEGV
both -p 'core=100000000' "a grandchild that dumps core" -- sh -c "$V/waitstatus - $V/prog -k ABRT; ls core* | wc -l"
both -m behind -p 'core=100000000' "the root command dumps core" -- "$V/prog" -k SEGV
both "statuses inside the tree" -- sh -c "$V/prog -x 7; echo \$?; $V/prog -k KILL; echo \$?; ($V/prog -k TERM); echo \$?"
both "a pipeline's status" -- bash -c "set -o pipefail; $V/prog -x 4 | cat; exit \${PIPESTATUS[0]}"
both -p 'block=TERM' "death by a signal that was blocked" -- bash -c 'kill -KILL $$'

# The root command that cannot be run: what env(1) says.
prepare()
{
	echo 'echo no first line' >script
	echo 'text' >text
	cp script data
	chmod 755 script
	mkdir directory
}
cannot()
{
	local name=$1 word=$2 status model flag

	fresh
	env "$word" >/dev/null 2>&1
	status=$?
	for model in parent behind; do
		[ $model = parent ] || behind_can "the same with -D" || continue
		flag=
		[ $model = parent ] || flag=-D
		begin "$name${flag:+ (-D)}"
		fresh
		et $flag "${NOTHING[@]}" -- "$word" >"$S/cannot.out" 2>"$S/cannot.err"
		expect_equal $? $status "exit status $status"
		[ "$status" = 0 ] || expect_lines 1 "$S/cannot.err" "^exectrace: .*$word: " "a line that names it"
		cd "$S" || exit 1
		end
	done
}
cannot "a command that is not found" nosuchcommand
cannot "a path that is not found" ./nosuchfile
cannot "a file that is not executable" ./data
cannot "a directory" ./directory
both "a script without a first line" -- ./script
finish
