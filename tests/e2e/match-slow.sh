#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a tool takes inside its execve is counted when that succeeds, however long it takes, and not when it fails.
. "$(dirname "$0")/../lib.sh"
patience=90 # seconds of processor time are used up below
needs strace perl

cp "$V/prog" "$S/slow"
cp "$V/prog" "$S/busy"
RULE='^(\./busy|\S*/slow|/bin/echo -n)'

# first TOOL NAME: the one match of the run is of the program NAME, and the count says so
first()
{
	expect_lines 1 "$S/err" "^exectrace: \[[0-9]+\] match 1, rule 1 \($1\): $2( |$)" "$2 is match 1"
	expect_lines 1 "$S/err" '^exectrace: 1 of [0-9]+ commands matched$' "the count"
	expect_lines 0 "$S/err" ' match [02-9]' "no other match"
}

# run TOOL COMMAND...: with --first; a failed execve shows as "failed after all" where the tool had it already
run()
{
	local tool=$1

	shift
	rm -f "$S"/err "$S"/log
	et --run="$tool -o $S/log" --cmd="$RULE" --first -- "$@" >"$S/out" 2>"$S/err"
}

# perl_busy REST: executes ./busy, which it has open for writing, and goes on with REST
perl_busy()
{
	run $tool perl -e 'open F, ">>./busy"; exec {"./busy"} "./busy", "a" or 1; '"$1"
}

for tool in trace strace; do
	"$V/guardian" -x "$S/slow" 0 true
	if [ $? = 77 ]; then
		skip_case "an execve that takes longer than a second: $tool" "no permission events here (fanotify(7))"
	else
		begin "an execve that takes longer than a second: $tool"
		rm -f "$S"/err "$S"/log
		"$V/guardian" -x "$S/slow" 1500 "$EXECTRACE" --engine="$ENGINE" --run="$tool -o $S/log" --cmd="$RULE" --first -- \
			sh -c "$S/slow; /bin/echo -n; /bin/echo -n" >"$S/out" 2>"$S/err"
		expect_equal $? 0 "its status"
		first $tool "$S/slow"
		expect_lines some "$S/log" 'exited with 0' "traced to its end"
		end
	fi

	begin "it fails, and the process sleeps: $tool"
	perl_busy 'sleep 1; system "/bin/echo", "-n"'
	expect_lines 0 "$S/err" '^exectrace: 0 of' "something was picked"
	expect_lines 1 "$S/err" "match 1, rule 1 \($tool\): /bin/echo -n" "the next one is match 1"
	expect_lines 1 "$S/err" '^exectrace: 1 of 2 commands matched$' "the count"
	end

	begin "it fails, and the process works: $tool"
	# Twice as long as what tells that; its tool has left it then.
	perl_busy 'do { 1 for 1 .. 1e6 } while (times)[0] < 2; system "/bin/echo", "-n"'
	expect_lines 1 "$S/err" "match 1, rule 1 \($tool\): /bin/echo -n" "the next one is match 1"
	expect_lines 1 "$S/err" '^exectrace: 1 of 2 commands matched$' "the count"
	end

	begin "it fails three times, and then does not: $tool"
	perl_busy 'for (1..2) { exec {"./busy"} "./busy", "a" or 1 } close F; exec {"./busy"} "./busy", "a"'
	expect_lines some "$S/err" "match 1, rule 1 \($tool\): \./busy a" "it is match 1"
	expect_lines 1 "$S/err" '^exectrace: 1 of 2 commands matched$' "the count"
	expect_lines some "$S/log" 'exited with 0' "traced to its end"
	end
done
finish
