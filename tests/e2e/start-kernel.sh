#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel lacks, or its settings deny, is said in one line, which names the kernel or the setting that would do; and nothing is
# said where nothing is lacking.
# once: which engine there is, is the matter
. "$(dirname "$0")/../lib.sh"

lacks='no seccomp listener: needs Linux 5\.19 or later, this is [0-9]'
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
! is_root || [ "$scope" = 3 ] || scope=0 # it is nothing to root

# begun [OPTION...]: the status and the messages of a command that is picked and says something
begun()
{
	: >"$S/log"
	timeout "$(limit 20)" "$EXECTRACE" "$@" --run="log --output=$S/log" --cmd="$PICK" -- "$V/prog" -x 3 PICKME >"$S/out" 2>"$S/err"
	echo $? >"$S/status"
}

# picked [LINE]: the command ran and was picked, and beside the count there is this one line, or none
picked()
{
	expect_equal "$(cat "$S/status")" 3 "the command's status"
	expect_equal "$(cat "$S/out")" "says PICKME" "its output"
	wait_for 20 has "$S/err" 'commands matched' # -D: after the command
	expect_lines 1 "$S/err" '^exectrace: 1 of 1 commands matched$' "it is picked"
	expect_equal "$(grep -vc 'ended is not known' "$S/err")" $((1 + $#)) "so many lines" # -D: it is no child; see below
	[ $# = 0 ] || expect_lines 1 "$S/err" "^exectrace: $1" "what is lacking"
}

# refused LINE: the command did not run, and one line says why
refused()
{
	expect_equal "$(cat "$S/status")" 125 "its status"
	expect_equal "$(cat "$S/out")" "" "the command does not run"
	expect_equal "$(wc -l <"$S/err")" 1 "one line"
	expect_lines 1 "$S/err" "^exectrace: cannot watch the command: .*$1" "what is lacking"
}

begin "the engine that is chosen"
begun
case $scope in
2) refused 'kernel\.yama\.ptrace_scope is 2: only root may' ;;
3) refused 'kernel\.yama\.ptrace_scope is 3: nobody may' ;;
*) if is_kernel 5.19; then picked; else picked "engine ptrace: $lacks"; fi ;;
esac
end

begin "an engine that the kernel cannot have"
begun --engine=notify
case $scope in
2 | 3) refused "kernel\\.yama\\.ptrace_scope is $scope" ;;
*) if is_kernel 5.19; then picked; else refused "$lacks"; fi ;;
esac
end

if is_root && ! is_kernel 5.19; then
	begin "what runs already, with an engine that the kernel cannot have"
	sleep 60 &
	"$EXECTRACE" --engine=notify --pid=$! --list >"$S/out" 2>"$S/err"
	expect_equal $? 125 "the status"
	expect_lines 1 "$S/err" "^exectrace: \\[$!\\] cannot be watched: $lacks" "what is lacking"
	kill $!
	end
fi

begin "behind the command"
begun -D
case $scope-$(is_kernel 5.19 && echo new) in
[23]-*) refused "kernel\\.yama\\.ptrace_scope is $scope" ;;
1-*) picked 'engine ptrace: kernel\.yama\.ptrace_scope is 1: with -D' ;;
*-) picked "engine ptrace: $lacks" ;;
*) picked ;;
esac
end

# What is not known of ends is known by chance; but what is kept for it, and what is shown as ?, is always explained.
if [ "$scope" -gt 1 ]; then
	skip_case "how programs ended" "kernel.yama.ptrace_scope is $scope"
else
	tree="for i in 1 2 3 4 5 6 7 8 9 10; do $V/prog \$i & done; wait; exit 3"
	begin "how programs ended: log"
	timeout "$(limit 40)" "$EXECTRACE" --run="log --output=$S/log" --cmd='^\S*prog ' -- sh -c "$tree" >"$S/out" 2>"$S/err"
	expect_equal $? 3 "the command's status"
	expect_lines 10 "$S/log" ', (exit 0|\?), ' "all are logged"
	unknown=$(grep -c ', ?, ' "$S/log")
	echo "# not known: $unknown of 10"
	[ "$unknown" = 0 ] || expect_lines 1 "$S/err" "^exectrace: how $unknown commands ended is not known \\(Linux 6\\.15 tells\\)\$" "it is said"
	expect_lines $((unknown > 0)) "$S/err" 'ended is not known' "once, or not at all"
	! is_kernel 6.15 || expect_equal "$unknown" 0 "this kernel tells"
	end
	if command -v strace >/dev/null; then
		begin "how programs ended: --keep=failed"
		timeout "$(limit 40)" "$EXECTRACE" --keep=failed --run="strace -o $S/kept.{pid}" --cmd='^\S*prog ' -- sh -c "$tree" >"$S/out" 2>"$S/err"
		expect_equal $? 3 "the command's status"
		unknown=$(find "$S" -name 'kept.*' | wc -l)
		echo "# kept: $unknown of 10"
		expect_lines $((unknown > 0)) "$S/err" '^exectrace: how \[[0-9]+\] ended is not known \(Linux 6\.15 tells\): what was recorded is kept$' \
			"it is said once, or not at all"
		! is_kernel 6.15 || expect_equal "$unknown" 0 "this kernel tells"
		end
	fi
fi
finish
