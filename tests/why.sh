# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of `why` share; sourced behind lib.sh.

# pasted PAGE: each command that the page offers to show more works as it stands there, and has something to show
pasted()
{
	local command n=0

	grep -oE 'exectrace (syscalls|tree|report|timeline|calls|graph|why)( .*)?$' "$1" | sort -u >"$S/commands"
	while read -r command; do
		n=$((n + 1))
		sh -c "\"\$EXECTRACE\" ${command#exectrace }" >"$S/shown" 2>"$S/said" </dev/null
		expect_equal $? 0 "status of $command"
		expect "$command shows something" test -s "$S/shown"
	done <"$S/commands"
	expect "there are commands" test $n -gt 0
}
export EXECTRACE

# ask STATUS COMMAND...: the page at the end of a run, in $S/err
ask()
{
	local status=$1

	shift
	et -q --why -- "$@" >"$S/out" 2>"$S/err"
	expect_equal $? "$status" "the status of the command"
	expect "at most 100 lines" test "$(wc -l <"$S/err")" -le 100
	pasted "$S/err"
}

# says REGEX NAME: the page has a line that matches
says()
{
	expect_lines some "$S/err" "$1" "$2"
}
