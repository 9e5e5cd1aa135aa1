# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of calls without stops share; sourced behind lib.sh.

# --- Lists of calls --------------------------------------------------------------------------------------------------

# calls FILE [loose | names]: the calls, signals and end of each thread in their order, one thread behind the other in an order that does not
# depend on which came first, without what differs from run to run: numbers of processes and pipes, times. A call that is interrupted, and
# made again, is one; whether it was is chance, as is where a child's end meets its parent. loose: also without addresses and descriptors,
# and without calls that say how threads met. names: of each call its name and result, in words that ours and strace have in common. Frames
# are those of their call, but for the addresses of code that the program has made; where a signal comes in is chance.
calls()
{
	awk -v how="${2-}" '
	function result(line)
	{
		sub(/^.* = /, "", line)
		if (line ~ /^-1 E/) return substr(line, 1, match(line, / \(/) ? RSTART - 1 : length(line))
		return line ~ /^(\?|-?[0-9]+)/ ? line + 0 : "some"
	}
	function add(line)
	{
		if (how == "names" && line ~ /^execve/) return
		if (how == "names" && line ~ /^--- /) line = substr(line, 5, index(substr(line, 5), " "))
		else if (how == "names" && line !~ /^\+\+\+/) line = substr(line, 1, index(line, "(")) " = " result(line)
		lines[tid, n[tid]++] = line
		framed = line !~ /^---/
	}
	/^ > / { sub(/ \[0x7[0-9a-f]+\]/, " [CODE]"); if (framed) lines[tid, n[tid]++] = $0; next }
	{
		framed = 0
		tid = $1
		sub(/^ *[0-9]+ +[0-9.]+ /, "")
		sub(/ <[0-9.]+>$/, "")
		if (sub(/ <unfinished \.\.\.>$/, "")) { begun[tid] = $0; next }
		if (sub(/^<\.\.\. [^ ]+ resumed>/, "")) $0 = begun[tid] $0
		gsub(/ +\) += /, ") = "); gsub(/ += /, " = "); sub(/ \(Timeout\)$/, "") # a restarted call does not say it
		if (sub(/ = \? ERESTART.*/, "")) { cut[tid] = $0; next }
		if (/^restart_syscall\(/) { sub(/^.* = /, " = "); $0 = cut[tid] $0 }
		if (how == "names" && /^getrandom\(/) next # mkstemp draws again what would not be even
		if (/^(--- SIGCHLD|wait4|rt_sigreturn)/) next
		if (how && /^(futex|madvise|mprotect|munmap|brk|set_robust_list|rseq|clone3)\(/) next
		gsub(/(pipe|socket):\[[0-9]+\]/, "PIPE")
		gsub(/htons\([0-9]+\)/, "PORT"); gsub(/(nl_|nlmsg_|[{])pid=-?[0-9]+/, "PID")
		gsub(/si_[us]time=[0-9]+/, "TIME"); gsub(/tv_n?sec=[0-9]+/, "TIME")
		gsub(/(st_[amc]?time(_nsec)?|f_bfree|f_bavail|f_ffree)=[^,}]*/, "N")
		gsub(/, u64=[0-9]+/, "") # Python sets u32 only; the rest is what was on its stack
		if (/^read\([0-9]+<\/dev\/urandom>/) sub(/, .*\) = /, ", RANDOM) = ")
		if (/^getrandom\(/) sub(/"[^"]*"(\.\.\.)?/, "RANDOM")
		if (/^(sysinfo|times|getrusage)\(/) sub(/\(.*\) = /, "(...) = ")
		gsub(/si_pid=[0-9]+/, "si_pid=PID"); gsub(/parent_tid=\[[0-9]+\]/, "parent_tid=[PID]"); gsub(/in pid [0-9]+/, "in pid PID")
		if (/^(tgkill|tkill|kill|prlimit64)\(/) { sub(/\([0-9]+, [0-9]+,/, "(PID, PID,"); sub(/\([0-9]+,/, "(PID,") }
		if (/^(v?fork|clone3?|set_tid_address|getpp?id|gettid|getpgrp|setsid)\(/) sub(/ = [0-9]+$/, " = PID")
		if (/^execve\(/) sub(/, 0x[0-9a-f]+ \/\*/, ", ENVIRONMENT /*")
		if (how) { gsub(/0x[0-9a-f]+/, "0x"); gsub(/[0-9]+</, "N<"); sub(/ F_DUPFD_CLOEXEC, 100\) = /, "&N") }
		add($0)
	}
	END {
		for (tid in n) {
			for (i = 0; i < n[tid]; i++) printf "%s\001", lines[tid, i]
			print ""
		}
	}' "$1" | sort | tr '\001' '\n'
}

# --- The same calls ----------------------------------------------------------------------------------------------------

# Where it can be had, addresses are the same in each run, and are compared.
fixed=()
! setarch -R true 2>"$S/why" || fixed=(setarch -R)

# same WHAT [-l] [-s] [-k] [-f LIST] [-n N] COMMAND...: -l: loosely (calls); -s: also as strace has it; -k: with stacks; -f: with this
# filter; -n: --string=N
same()
{
	local what=$1 strace='' loose='' stack='' filter='' string=32

	shift
	while :; do
		case $1 in
		-l) loose=loose ;;
		-s) strace=1 ;;
		-k) stack=512 ;;
		-f)
			filter=$2
			shift
			;;
		-n)
			string=$2
			shift
			;;
		*) break ;;
		esac
		shift
	done
	[ ${#fixed[@]} -gt 0 ] || loose=loose
	begin "$what"
	for source in stops inside auto; do
		fresh
		timeout --foreground -k 1 "$(limit 30)" "${fixed[@]}" "$EXECTRACE" --engine="$ENGINE" -q \
			--run="trace ${stack:+--stack=$stack} ${filter:+--filter=$filter} --string=$string --source=$source --output=$S/$source" --first -- "$@" >"$S/out" 2>&1 </dev/null
		echo "status $?" >>"$S/out"
		grep -v 'lib.sh: line' "$S/out" >"$S/out.$source" # what the shell says of a signal
		calls "$S/$source" $loose >"$S/calls.$source"
	done
	expect "it makes calls" test -s "$S/calls.stops"
	for source in inside auto; do
		expect_same "$S/out.$source" "$S/out.stops" "$source: what it prints, and its status"
		expect_same "$S/calls.$source" "$S/calls.stops" "$source: its calls"
	done
	if [ "$strace" ] && command -v strace >/dev/null; then
		fresh
		"${fixed[@]}" strace -f -y -e trace="${filter:-all}" -ttt -T -o "$S/strace" "$@" >"$S/out" 2>&1 </dev/null
		calls "$S/strace" names >"$S/strace.names"
		calls "$S/inside" names >"$S/inside.names"
		expect_same "$S/inside.names" "$S/strace.names" "strace: the same calls and results in the same order"
	fi
	end
}

# --- Attached to, and left -------------------------------------------------------------------------------------------

# what the tracer is run by, if it is killed at a certain call of its own
by=()
# the milliseconds within which it is left
within=100
# what it records for: why, or nothing
for=

# begun: the tracer has recorded something, or (a recording is written in blocks) is there; or it is no more
begun()
{
	if [ "$for" ]; then
		has "/proc/$victim/status" '^TracerPid:[[:space:]]*[1-9]'
	else
		has "$S/log" read
	fi || ! kill -0 "$tracer" 2>/dev/null
}

# left SIGNAL COMMAND...: attached to from its beginning, and left some time later; without a SIGNAL, when it is killed
left()
{
	local signal=$1 victim tracer

	shift
	ln -sf "$EXECTRACE" "$S/exectrace-trace"
	rm -f "$S/gate" "$S/out" "$S/err" "$S/log"
	mkfifo "$S/gate"
	sh -c 'read -r go && exec "$@"' sh "$@" <"$S/gate" >"$S/out" 2>"$S/err" &
	victim=$!
	exec 8>"$S/gate"
	"${by[@]}" "$S/exectrace-trace" ${for:+--for=$for} --source=inside --output="$S/log" --pid="$victim" 8>&- 2>"$S/tracer" &
	tracer=$!
	wait_for 20 begun
	echo go >&8
	[ -z "$signal" ] || {
		nap "$(printf '0.%03d' $((RANDOM % within)))"
		kill -"$signal" "$tracer" 2>/dev/null
	}
	wait "$tracer" 2>/dev/null
	exec 8>&-
	wait "$victim"
	echo "status $?" >>"$S/out"
}
