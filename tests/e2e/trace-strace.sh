#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The built-in tracer against strace on real programs: the same calls with the same results in the same order, and the same text
# but for addresses, process ids, times and what the programs themselves make up each time.
. "$(dirname "$0")/../lib.sh"
needs strace

# plain_text FILE: without what differs from run to run, the moment at which a child's end is told among it
plain_text()
{
	without_child_times -e 's/^ *[0-9]+ +[0-9.]+ //' -e 's/ <[0-9.]+>$//' -e 's/0x[0-9a-f]{6,}/ADDR/g' \
		-e 's/(si_pid=|_tid\(|pid in |tgkill\(|kill\(|wait4\(|getpgid\()[0-9]+/\1PID/g' \
		-e 's/^((v?fork|clone3?|wait4|set_tid_address|getpid|gettid|getppid|getpgrp|setsid)\(.*) = [0-9]{3,}/\1 = PID/' \
		-e 's/\/proc\/[0-9]+\//\/proc\/PID\//g' \
		-e 's/(st_[amc]?time(_nsec)?|tv_n?u?sec|st_size|st_ino)=[^,}]*/\1=T/g' -e 's/child_tidptr=[^)]*/child_tidptr=ADDR/' \
		-e 's/parent_tid=\[[0-9]+\]/parent_tid=[PID]/' -e 's/(pipe|socket):\[[0-9]+\]/\1:[N]/g' \
		-e 's/ += / = /' \
		-e 's/\/\* [0-9]+ vars \*\//VARS/' -e 's/^utimensat\(([^,]*,[^,]*),.*\]/utimensat(\1, TIMES/' \
		-e '/^(rt_sigreturn\(|--- SIGCHLD )/d' -e 's/f_(bfree|bavail|ffree)=[0-9]+/f_\1=N/g' -e 's/^sysinfo\(.*/sysinfo(...) = 0/' \
		-e '/^getrandom\(/s/\("[^"]*"(\.\.\.)?/("RANDOM"/' "$1"
}

# names_only: call = result
names_only()
{
	sed -E -n 's/^([a-z0-9_]+)\(.* = ([^=]*)$/\1 = \2/p' "$1"
}

# The text of each process by itself: which of two runs first is chance.
by_process()
{
	local file=$1 to=$2 pid n=0

	mkdir -p "$to"
	for pid in $(awk '!seen[$1]++ { print $1 }' "$file"); do
		n=$((n + 1))
		grep "^$pid " "$file" | join_calls | plain_text /dev/stdin >"$to/$n"
	done
}

# Unfinished and resumed calls as one.
join_calls()
{
	awk '/ <unfinished \.\.\.>$/ { sub(/ <unfinished \.\.\.>$/, ""); held = $0; next }
		/<\.\.\. [a-z0-9_]+ resumed>/ && held != "" { sub(/^.*<\.\.\. [a-z0-9_]+ resumed>/, ""); print held $0; held = ""; next }
		{ print }'
}

# like NAME COMMAND...: strace and the tracer on the same command
like()
{
	local name=$1 differ lines

	shift
	begin "$name"
	rm -rf "$S/ours" "$S/theirs" "$S/ours.d" "$S/theirs.d" "$S/x.tar.gz" "$S/out"
	fresh
	strace -f -y -ttt -T -o "$S/theirs" "$@" >"$S/out" 2>&1 </dev/null
	rm -f "$S/x.tar.gz" "$S/out"
	fresh
	et -q --run="trace --output=$S/ours" --first -- "$@" >"$S/out" 2>&1 </dev/null
	# The ptrace engine hands over at the end of the execve.
	[ "$ENGINE" = notify ] || sed -i 1d "$S/theirs"
	by_process "$S/ours" "$S/ours.d"
	by_process "$S/theirs" "$S/theirs.d"
	expect_equal "$(ls "$S/ours.d" | wc -l)" "$(ls "$S/theirs.d" | wc -l)" "as many processes"
	for file in "$S"/theirs.d/*; do
		names_only "$file" >"$S/theirs.names"
		names_only "$S/ours.d/${file##*/}" >"$S/ours.names"
		expect_same "$S/ours.names" "$S/theirs.names" "process ${file##*/}: the same calls and results"
	done
	lines=$(cat "$S"/theirs.d/* | wc -l)
	differ=$(for file in "$S"/theirs.d/*; do diff "$file" "$S/ours.d/${file##*/}"; done | grep -c '^<')
	echo "# $name: $differ of $lines lines differ$(for file in "$S"/theirs.d/*; do diff "$file" "$S/ours.d/${file##*/}"; done |
		sed -n 's/^< \([a-z0-9_]*\)(.*/\1/p' | sort | uniq -c | awk '{ printf "%s%s %d", sep ? ", " : ": ", $2, $1; sep = 1 }')"
	expect "few lines differ" test $((differ * 100)) -le "$lines"
	end
}

mkdir "$S/tree" "$S/tree/sub"
seq 2000 >"$S/tree/numbers"
cp "$TESTS/run" "$S/tree/sub/text"
# One process after the other: what runs at the same time has its calls in an order of chance.
printf 'all: a b\na:\n\techo a >a.out\nb:\n\tcat a.out; rm a.out\n' >"$S/tree/Makefile"
like "ls -lR" ls -lR "$S/tree"
like "cat" cat "$S/tree/numbers" "$S/tree/none"
like "grep" grep -r 77 "$S/tree"
like "sort" sort -rn "$S/tree/numbers"
like "tar" tar -cf "$S/x.tar" -C "$S" tree
like "gzip" gzip -kf "$S/x.tar"
like "perl" perl -e 'open F, "<", $ARGV[0]; while (<F>) { $n += $_ } print "$n\n"; system "true"' "$S/tree/numbers"
like "a shell" sh -c 'tail -n 1 "$0"; (exit 3) || echo no; x=$(echo sub); echo "$x" >x; read -r y <x; echo $y' "$S/tree/numbers"
like "make" make -C "$S/tree"
finish
