#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The letters of strace(1), and its -e NAME=VALUE, mean what they mean there.
. "$(dirname "$0")/../lib.sh"
needs strace perl

# lines FILE: without numbers of processes, times, addresses and the names of descriptors. execve is where the two begin.
lines()
{
	sed -E -e 's/^ *[0-9]+ +//' -e 's/^[0-9]+\.[0-9]+ //' -e 's/ <[0-9.]+>$//' -e 's/ +=/ =/' -e 's/0x[0-9a-f]{6,}/ADDR/g' \
		-e 's/([0-9D])<[^>]*>/\1/g' -e 's/(si_pid|kill\()=?[0-9]+/\1PID/g' -e 's/ = [0-9]{3,}$/ = PID/' -e 's/, [0-9]{3,}\)/, PID)/' "$1"
}

# like OPTIONS COMMAND...
like()
{
	local options=$1

	begin "trace $options"
	shift
	fresh
	# shellcheck disable=SC2086
	strace -f $options -o "$S/theirs" "$@" >"$S/out" 2>"$S/err" </dev/null
	et -q --run="trace $options --output=$S/ours" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
	lines "$S/ours" >"$S/got"
	lines "$S/theirs" >"$S/wanted"
	expect "there is something" test -s "$S/wanted"
	expect_same "$S/got" "$S/wanted" "as strace's"
	end
}

words=$'a\001b\x80c\t\n"\\'
like "-x -e trace=write" "$V/prog" "$words" plain
like "-xx -e trace=write" "$V/prog" "$words"
like "-v -e trace=uname" uname
like "-z -e trace=openat,access" cat /etc/hostname
like "-e status=successful -e t=openat,access" cat /etc/hostname
like "-e status=failed -e t=openat,access" cat /etc/hostname
like "-Z -e trace=file" cat /nosuchfile /etc/hostname
like "-qq -e trace=write" "$V/prog" a
like "-e quiet=exit -e trace=write" "$V/prog" a
like "-e signal=none -e kill" sh -c 'trap : USR1; kill -USR1 $$'
like "-e signal=!USR1 -e kill" sh -c 'trap : USR1 USR2; kill -USR1 $$; kill -USR2 $$'
like "-e signal=USR1,TERM -e kill" sh -c 'trap : USR1 USR2; kill -USR1 $$; kill -USR2 $$'
for class in %stat %%stat %fstat %clock %creds %pure %%statfs network ipc; do
	like "-e signal=none -e trace=$class" perl -e 'stat "/"; lstat "/"; my @t = times; getpwuid $<; $( = $(; open my $f, "<", "/etc/hostname"; -s $f;
		use Socket; socket my $s, AF_INET, SOCK_DGRAM, 0; my @i = (getppid, time, getpgrp); syscall 137, "/", "x" x 200; syscall 38 + 58, 0, 0'
done
like "-e trace=?nosuch,write" "$V/prog" a
like "-e trace=write@64" "$V/prog" a
like "-e trace=!mmap,mprotect,brk,execve,munmap,openat,read,close,arch_prctl,newfstatat,pread64,prlimit64,rseq" "$V/prog" a
like "-y -T -e trace=write" "$V/prog" a
like "-e abbrev=none -e trace=uname" uname
like "-e trace=%desc" cat /etc/hostname
like "-e fault=write:when=1 -e trace=write" "$V/prog" a

# the_same OPTIONS COMMAND...: byte for byte, but for numbers that change: those of processes keep their width
the_same()
{
	local options=$1 name changing=(-e 's/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g' -e 's/ +[0-9]+\.[0-9]{6}/ SECONDS/g' -e 's/0x[0-9a-f]{6,}/ADDR/g'
		-e 's/ADDR +/ADDR /g' -e 's/^[0-9]+ +/PID /' -e 's/pid +[0-9]+/PID/' -e 's/[0-9]{3,}/N/g' -e 's/N +=/N =/' -e 's/vars \*\//VARS/')

	begin "--format=strace $options"
	shift
	fresh
	mkdir tracers
	ln -s "$EXECTRACE" tracers/exectrace-trace
	# shellcheck disable=SC2086
	strace $options "$@" >/dev/null 2>"$S/theirs" </dev/null
	# shellcheck disable=SC2086
	tracers/exectrace-trace --format=strace $options "$@" >/dev/null 2>"$S/ours" </dev/null
	for name in theirs ours; do
		grep -v '^strace: Process [0-9]* attached$' "$S/$name" | sed -E "${changing[@]}" >"$S/$name.plain"
	done
	expect "there is something" test -s "$S/theirs.plain"
	expect_same "$S/ours.plain" "$S/theirs.plain" "as strace's"
	end
}

the_same "-e trace=openat,write" "$V/prog" a b
the_same "-a12 -e trace=write,close" "$V/prog" a b
the_same "-a100 -e trace=write" "$V/prog" a b
the_same "-y -e trace=write" "$V/prog" a b
the_same "-T -e trace=write" "$V/prog" a b
the_same "-t -e trace=write" "$V/prog" a b
the_same "-tt -T -e trace=write" "$V/prog" a b
the_same "-ttt -y -e trace=write" "$V/prog" a b
the_same "-r -e trace=write" "$V/prog" a b
the_same "-e trace=kill" sh -c '/bin/true; kill -0 $$'
the_same "-f -o /dev/stderr -e trace=exit_group" sh -c '/bin/true; exit 3'
the_same "-e decode-fds=path -e trace=write" "$V/prog" a b
for style in raw verbose abbrev; do
	the_same "-X $style -e trace=openat,mmap,kill,rt_sigaction,rt_sigprocmask,prlimit64,wait4,socket,newfstatat,access" sh -c 'kill -0 $$; ulimit -a >/dev/null; test -w /'
	the_same "-v -X $style -e trace=newfstatat" cat /etc/hostname
	the_same "-X $style -e trace=ipc" perl -e 'shmget $_, 1 << 62, 21 << 26 | 0600 for 7, 0; shmget 7, 1 << 62, 21 << 26 | 01000'
	the_same "-X $style -e trace=ioctl" perl -e 'ioctl STDIN, $_, 0 for 0x5413, 0x540b, 0x1277'
done
the_same "-qq -z -e trace=access,openat" cat /etc/hostname
the_same "-P /etc/hostname" cat /etc/hostname
the_same "-y -P /etc/hostname" cat /etc/hostname
the_same "-P /etc/hostname -e trace=!read,mmap" cat /etc/hostname
the_same "-a12 -e trace=access,exit_group" cat /etc/hostname
the_same "-e trace=none" sh -c '/bin/true; exit 3'
the_same "-e trace=/^(newf)?stat,access -e signal=none" cat /etc/hostname
the_same "-e trace=kill -e signal=!cont" sh -c 'kill -CONT $$; trap : INT; kill -INT $$'
for status in all none successful failed unfinished failed,unfinished !failed detached,unavailable; do
	the_same "-e trace=access,exit_group -e status=$status" cat /etc/hostname
done

begin "-v shows environments"
et -q --run="trace -v -e trace=execve --output=$S/ours" --first -- env -i A=1 "B=a b" uname >"$S/out" 2>"$S/err"
expect_lines 1 "$S/ours" ' execve\(".*uname", \["uname"], \["A=1", "B=a b"]\) += 0' "all of it"
end

begin "times"
for form in '-t [0-2][0-9]:[0-5][0-9]:[0-6][0-9]' '-tt [0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6}' '-ttt 1[0-9]{9}\.[0-9]{6}' '-r +0\.[0-9]{6}' '-T 1[0-9]{9}\.[0-9]{6}'; do
	et -q --run="trace ${form%% *} -e write --output=$S/ours" --first -- "$V/prog" a >"$S/out" 2>"$S/err"
	expect_lines 1 "$S/ours" "^[0-9]+ +${form#* } write\(1.* <[0-9.]+>\$" "${form%% *}"
done
TZ=Asia/Tokyo et -q --run="trace -t -e write --output=$S/ours" --first -- "$V/prog" a >"$S/out" 2>"$S/err"
hour=$(TZ=Asia/Tokyo date +%H)
expect "in the zone of the tracer" grep -qE "^[0-9]+ +($hour|$(printf %02d $(((10#$hour + 23) % 24)))):.. *" <(sed 's/:[0-9][0-9] write/ write/' "$S/ours")
et -q --run="trace -r --output=$S/ours" --first -- perl -e 'select undef, undef, undef, 0.3; getppid' >"$S/out" 2>"$S/err"
expect_lines some "$S/ours" '^[0-9]+ +0\.[3-9][0-9]{5} ' "the time since the line before"
end

begin "--path is about names and descriptors, not about what is written"
et -q --run="trace --path=/dev/null --output=$S/ours" --first -- \
	perl -e 'open my $f, ">", "/dev/null"; syswrite $f, "x"; syswrite STDOUT, "/dev/null"; syswrite STDOUT, "3</dev/null>"' >"$S/out" 2>"$S/err" </dev/zero
expect_lines some "$S/ours" ' openat\(.*"/dev/null"' "it is opened"
expect_lines 1 "$S/ours" ' write\([0-9]+</dev/null>, "x"' "by a descriptor"
expect_lines 0 "$S/ours" ' write\(1<' "what only looks like it"
end

begin "a command"
ln -sf "$EXECTRACE" "$S/exectrace-trace"
"$S/exectrace-trace" -o "$S/a log" -e trace=write "$V/prog" -x 3 "two  words" >"$S/out" 2>"$S/err"
expect_equal $? 3 "its status"
expect_equal "$(cat "$S/out" "$S/err")" "says two  words" "its output, and nothing else"
expect_lines 1 "$S/a log" ' write\(1.*"says two  words' "the call"
"$S/exectrace-trace" -o "$S/a log" -- sh -c "$V/prog a; kill -TERM \$\$" >"$S/out" 2>"$S/err"
expect_equal $? 143 "a signal"
expect_lines some "$S/a log" ' write\(1.*"says a' "a child's"
"$S/exectrace-trace" /nosuch/program >"$S/out" 2>"$S/err"
expect_equal $? 127 "what is not there"
"$S/exectrace-trace" >"$S/out" 2>"$S/err"
expect_equal $? 125 "nothing at all"
expect_lines 1 "$S/err" '^exectrace.*: no process and no command' "what is said"
end

begin "several processes"
pids=()
for i in 1 2 3; do
	perl -e 'until (-e $ARGV[0]) { select undef, undef, undef, 0.02; getppid } exit $ARGV[1]' "$S/over" $i &
	pids+=($!)
done
"$S/exectrace-trace" -o "$S/a log" -e getppid -p "${pids[*]}" &
tracer=$!
all_seen()
{
	[ "$(awk '{ print $1 }' "$S/a log" 2>/dev/null | sort -u | wc -l)" = 3 ]
}
expect "all three are seen" wait_for 30 all_seen
touch "$S/over"
for i in 1 2 3; do
	wait "${pids[i - 1]}"
	expect_equal $? $i "status of number $i"
done
wait $tracer
expect_equal $? 0 "that of the tracer"
expect_lines 3 "$S/a log" '[+]{3} exited with [123] ' "their ends"
"$S/exectrace-trace" -o "$S/a log" -p $$,4194304 2>"$S/err"
expect_equal $? 125 "one that is not there"
expect_lines 1 "$S/err" 'cannot attach to process 4194304: No such process' "which it is"
end

# wrong OPTIONS WANTED
wrong()
{
	et --run="trace $1" --first -- true >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status of $1"
	expect_lines 1 "$S/err" "^exectrace: --run: trace: --filter: .*$2" "what is said of $1"
}

begin "what is wrong"
wrong "-e signal=NOSUCH" 'NOSUCH: no such signal'
wrong "-e status=odd" 'odd: not successful, failed, '
wrong "-e raw=all" 'raw=all: not trace=, '
wrong "-e quiet=odd" 'odd: not attach, '
wrong "-e abbrev=some" 'some: all or none'
wrong "-e trace=" 'a system call is missing'
wrong "-e trace=nosuch" 'nosuch: no such system call'
wrong "-e write@7" 'not @64, @32 or @x32'
wrong "-e inject=write" 'nothing is to be done'
end
finish
