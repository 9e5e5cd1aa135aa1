#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where pidfds do not tell how processes end (before Linux 6.15) the kernel's process events do, its statistics, or the engine: each
# status that is recorded is the one that the process's own parent sees.
. "$(dirname "$0")/../lib.sh"

N=$(rounds 200)

# Those of whom events cannot say it: their first thread ended before others did, and otherwise.
AMBIGUOUS='endings how [0-9]*[56] '

# "endings how KIND PID END" of each in execs.jsonl; ? for an end that is not known
recorded()
{
	sed -nE 's/^\{"pid":([0-9]+),.*"argv":\[".*endings","how","([0-9]+)"\].*"status":([^,]*),"signal":([^,]*),.*$/endings how \2 \1 exit \3 \4/p' "$1" |
		sed -E 's/exit null null$/?/; s/exit null "(SIG[^"]*)"$/\1/; s/(exit [0-9]+) null$/\1/' |
		sort
}

# The same of what their parent has seen.
seen()
{
	awk 'NR == FNR { end[$1] = $2 ($3 == "" ? "" : " " $3); next } { print $1, $2, $3, $4, end[$4] }' "$S/out" "$1" | sort
}

complete()
{
	recorded "$1" >"$S/got"
	[ "$(wc -l <"$S/got")" -eq $N ]
}

# ends NAME COMMAND...: it runs exectrace with what follows; told: whether all is known that is not ambiguous
ends()
{
	local name=$1

	shift
	begin "$name"
	fresh
	rm -rf "$S/own"
	mkdir "$S/own"
	chmod 777 "$S/own"
	timeout --foreground -k 1 "$(limit 60)" "$@" -o "$S/own/data" --run=log --exe=NOSUCH -- "$V/endings" $N >"$S/out" 2>"$S/err" </dev/null
	expect_equal $? 0 "its status"
	expect "it is recorded" wait_for 15 complete "$S/own/data/execs.jsonl" # -D: after the command has ended
	expect_lines $N "$S/got" '^endings how' "all are recorded"
	seen "$S/got" >"$S/want"
	grep -v "${told:+$AMBIGUOUS}.*?\$" "$S/got" >"$S/known"
	grep -F -f <(cut -d' ' -f1-4 "$S/known" | sed 's/$/ /') "$S/want" >"$S/must"
	expect_same "$S/known" "$S/must" "each as its parent sees it"
	expect_lines 0 "$S/known" '\?$' "nothing is unknown that could be known"
	expect_lines 0 "$S/err" 'cannot' "no complaint"
	unknown=$(grep -c '?$' "$S/got")
	[ "$unknown" = 0 ] || expect_lines 1 "$S/err" "^exectrace: how $unknown commands ended is not known \\(Linux 6\\.15 tells\\)\$" "what is not known is said"
	expect_lines $((unknown > 0)) "$S/err" 'not known' "and nothing else"
	end
}

# Whether there are process events: outside of containers, for root, and for others since Linux 6.6.
have_events()
{
	local release

	release=$(uname -r)
	[ "$(readlink /proc/self/ns/user)" = 'user:[4026531837]' ] && [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] &&
		grep -qs '^cn_proc' /proc/net/connector &&
		{ [ "$1" = root ] || [ "$(printf '%s\n' 6.6 "$release" | sort -V | head -n 1)" = 6.6 ]; }
}

# events NAME USER COMMAND...
events()
{
	local name=$1 user=$2

	shift 2
	if have_events "$user"; then
		ends "$name" "$@"
	else
		skip_case "$name" "no process events here (Linux 6.6, or root; not in a container)"
	fi
}

self=other
! is_root || self=root
# Where nothing tells, ends are known by chance: then those that are have to be right.
told=
[ "$ENGINE" = notify ] && ! is_kernel 6.15 && ! have_events $self || told=1
ends "as this kernel tells" "$EXECTRACE" --engine="$ENGINE"
if [ "$ENGINE" = ptrace ]; then
	ends "the engine waits for all" "$V/oldkernel" "$EXECTRACE" --engine=ptrace
	ends "the same behind the command" "$V/oldkernel" "$EXECTRACE" --engine=ptrace -D
	finish
fi
events "process events" $self "$V/oldkernel" -e "$EXECTRACE" --engine=notify
! behind_can "the same behind the command" || events "the same behind the command" $self "$V/oldkernel" -e "$EXECTRACE" --engine=notify -D
if is_root; then
	events "the same for an ordinary user" other setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$V/oldkernel" -e "$EXECTRACE" --engine=notify
fi


# Of processes with threads statistics do not say it.
AMBIGUOUS='endings how [0-9]*[3-7] '
if is_root && have_events root && [ -e /proc/sys/kernel/task_delayacct ]; then
	ends "statistics of threads that end" "$V/oldkernel" -t "$EXECTRACE" --engine=notify
else
	skip_case "statistics of threads that end" "not for us here (root, not in a container)"
fi

begin "--keep=failed: what did well is not kept"
if ! have_events $self; then
	# shellcheck disable=SC2034 # of lib.sh
	case_name=
	skip_case "--keep=failed" "no process events here"
elif ! command -v strace >/dev/null; then
	# shellcheck disable=SC2034 # of lib.sh
	case_name=
	skip_case "--keep=failed" "strace is not installed"
else
	"$V/oldkernel" -e "$EXECTRACE" --engine=notify --keep=failed --run="strace -o $S/kept.{pid}" --cmd='how' -- \
		sh -c "for i in 0 1 2; do $V/endings how \$((i * 10)); done; true" >"$S/out" 2>"$S/err" </dev/null
	expect_equal "$(cat "$S"/kept.* | grep -c 'exited with [12]')" 2 "those that failed are kept"
	expect_equal "$(cd "$S" && echo kept.* | wc -w)" 2 "and no other"
	expect_lines 0 "$S/err" 'not known' "all is known"
	end
fi

finish
