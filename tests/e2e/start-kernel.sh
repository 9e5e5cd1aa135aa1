#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel lacks is said in one line, which names the kernel that would do; and nothing is said where it lacks nothing.
# once: which engine there is, is the matter
. "$(dirname "$0")/../lib.sh"

lacks='no seccomp listener: needs Linux 5\.19 or later, this is [0-9]'

# begun [OPTION...]: the status and the messages of a command that is picked and says something
begun()
{
	timeout "$(limit 20)" "$EXECTRACE" "$@" --run=log --cmd="$PICK" -- "$V/prog" -x 3 PICKME >"$S/out" 2>"$S/err"
	echo $? >"$S/status"
}

begin "the engine that is chosen"
begun
expect_equal "$(cat "$S/status")" 3 "the command's status"
expect_equal "$(cat "$S/out")" "says PICKME" "its output"
expect_lines 1 "$S/err" '^exectrace: 1 of 1 commands matched' "it is picked"
if is_kernel 5.19; then
	expect_lines 0 "$S/err" 'needs Linux' "nothing is lacking"
else
	expect_lines 1 "$S/err" "^exectrace: engine ptrace: $lacks" "what is lacking"
fi
end

begin "an engine that the kernel cannot have"
begun --engine=notify
if is_kernel 5.19; then
	expect_equal "$(cat "$S/status")" 3 "the command's status"
	expect_lines 0 "$S/err" 'needs Linux' "nothing is lacking"
else
	expect_equal "$(cat "$S/status")" 125 "its status"
	expect_equal "$(cat "$S/out")" "" "the command does not run"
	expect_lines 1 "$S/err" '^exectrace: ' "one line"
	expect_lines 1 "$S/err" "$lacks" "what is lacking"
fi
end
finish
