#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The letters of strace(1), and its -e NAME=VALUE, mean what they mean there.
. "$(dirname "$0")/../lib.sh"
needs strace perl

# lines FILE: without numbers of processes, times, addresses and the names of descriptors. execve is where the two begin.
lines()
{
	without_child_times -e 's/^ *[0-9]+ +//' -e 's/^[0-9]+\.[0-9]+ //' -e 's/ <[0-9.]+>$//' -e 's/ +=/ =/' -e 's/0x[0-9a-f]{5,}/ADDR/g' \
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
	local options=$1 name changing=(-e 's/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g' -e 's/ +[0-9]+\.[0-9]{6}/ SECONDS/g' -e 's/0x[0-9a-f]{5,}/ADDR/g'
		-e 's/ADDR +/ADDR /g' -e 's/^[0-9]+ +/PID /' -e 's/pid +[0-9]+/PID/' -e 's/[0-9]{3,}/N/g' -e 's/N +=/N =/' -e 's/^(kill\(N, [0-9]+\)) +=/\1 =/' -e 's/vars \*\//VARS/')

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
		grep -vE '^(strace|exectrace-trace): Process [0-9]* attached$' "$S/$name" | without_child_times "${changing[@]}" >"$S/$name.plain"
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
the_same "-r -t -e trace=write" "$V/prog" a
for unit in s ms us ns; do
	the_same "--timestamps=unix,$unit --syscall-times=$unit -e trace=write" "$V/prog" a
	the_same "--absolute-timestamps=format:time,precision:$unit -e trace=write" "$V/prog" a
done
the_same "--relative-timestamps=s -e trace=write" "$V/prog" a
the_same "-n -e trace=write,exit_group" "$V/prog" a
for which in none all non-ascii non-ascii-chars; do
	the_same "--strings-in-hex=$which --trace=write" "$V/prog" "$words"
done
the_same "-e raw=write,access -e trace=write,access" "$V/prog" a
the_same "-v -e abbrev=!uname -e trace=uname" uname
the_same "--quiet=all --status=failed --trace=access" "$V/prog" a
over="the first execve is over when the tracer gets the process"
! engine_can notify "a summary with execve" "$over" || the_same "-c -S name -U name,calls,errors" "$V/prog" a
the_same "-c -U calls,name,errors -S calls -e trace=read,write,access" "$V/prog" a
the_same "-C -S name -U name,calls -e trace=write" "$V/prog" a
the_same "--summary --summary-sort-by=name -U calls,name -e trace=write" "$V/prog" a
! engine_can notify "-E, as execve has it" "$over" || the_same "-E FOO=1 -E HOME -E _ -e trace=execve -v -s 1000" env -i uname
the_same "-e inject=write:error=EIO -e trace=access" "$V/prog" a
the_same "-f -e trace=exit_group" sh -c '/bin/true; exit 3'
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
the_same "-e write=1 -e trace=write" "$V/prog" "a long line of text that takes more than one row"
the_same "-e write=!1 -e trace=write" "$V/prog" a
the_same "-e read=3 -e trace=read -P /etc/passwd" head -c 100 /etc/passwd
the_same "-e read=all -e write=0,3 -e trace=readv,writev,sendmsg,recvmsg,recvmmsg" perl -MSocket -e 'socketpair A, B, AF_UNIX, SOCK_DGRAM, 0; $x = "abc"; $y = "\0\1\2" x 7;
	sub ptr { unpack "Q", pack "p", $_[0] } $v = pack "Q4", ptr($x), 3, ptr($y), 21; $m = pack "Q7", 0, 0, ptr($v), 2, 0, 0, 0;
	syscall 20, 3, $v, 2; syscall 46, 3, $m, 0; syscall 19, 4, $v, 2; syscall 47, 4, $m, 0; syscall 20, 77, $v, 2; syscall 20, 0, $v, 2'
the_same "-v -s 4 -e trace=getdents64,poll" ls /etc/terminfo
the_same "-v -s 2 -e trace=poll" perl -e '$p = pack "(lss)3", 0, 1, 0, 1, 4, 0, -1, 4, 0; syscall 7, $p, 3, 0'
the_same "-s 1 -e trace=poll -P /dev/null" perl -e '$p = pack "(lss)3", 1, 4, 0, 2, 4, 0, 0, 1, 0; syscall 7, $p, 3, 0; syscall 7, $p, 1, 0'
the_same "-P /etc/hostname" cat /etc/hostname
the_same "-y -P /etc/hostname" cat /etc/hostname
the_same "-P /etc/hostname -e trace=!read,mmap" cat /etc/hostname
the_same "-a12 -e trace=access,exit_group" cat /etc/hostname
! engine_can notify "-e verbose=none with execve" "$over" || the_same "-e verbose=none -e trace=newfstatat,execve,rt_sigaction,poll" ls /
the_same "-v -e verbose=!newfstatat -e trace=newfstatat,rt_sigaction" ls /
the_same "-X raw -e trace=futex" perl -e 'syscall 202, 0, 0x81, 1; syscall 202, 0, 0x189, 1, 0, 0, 0xffffffff; syscall 202, 0, 0x7f, 1'
the_same "-X verbose -e trace=futex" perl -e 'syscall 202, 0, 0x81, 1; syscall 202, 0, 0x189, 1, 0, 0, 0xffffffff; syscall 202, 0, 0x7f, 1'
the_same "-s 2000000 -e trace=write" "$V/prog" a
the_same "-e signal=200 -e trace=none" sh -c 'kill -CONT $$'
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
for order in '$there,4194304' '4194304,$there'; do
	sleep 0.5 &
	there=$!
	eval "order=$order"
	"$S/exectrace-trace" -o "$S/a log" -p "$order" 2>"$S/err"
	expect_equal $? 0 "one of two is there"
	expect_lines 1 "$S/err" 'cannot attach to process 4194304: No such process' "which is not"
	expect_lines 1 "$S/a log" "^$there .*exited with 0" "the other one is traced"
done
"$S/exectrace-trace" -o "$S/a log" -p 4194303,4194304 2>"$S/err"
expect_equal $? 125 "none is there"
expect_lines some "$S/err" 'cannot attach to process 419430[34]: No such process' "which"
end

begin "a file for each thread, and a command that reads"
"$S/exectrace-trace" --format=strace -ff -o "$S/each" -e trace=write sh -c "$V/prog a; $V/prog b" >"$S/out" 2>"$S/err"
expect_equal $? 0 "status"
expect_equal "$(cat "$S"/each.* | grep -c '^write(1, "says')" 2 "their lines, without numbers"
expect_equal "$(grep -l '^write(1, "says' "$S"/each.* | wc -l)" 2 "each in its own"
"$S/exectrace-trace" --format=strace -o "|sleep 0.2; grep -c write >'$S/counted'" -e trace=write "$V/prog" a >"$S/out" 2>"$S/err"
expect_equal "$(cat "$S/counted")" 1 "the command was waited for"
"$S/exectrace-trace" --format=strace -A -o "$S/added" -e trace=write "$V/prog" a >"$S/out" 2>"$S/err"
"$S/exectrace-trace" --format=strace -A -o "$S/added" -e trace=write "$V/prog" b >"$S/out" 2>"$S/err"
expect_lines 2 "$S/added" '^write' "what was added"
end

begin "the environment and the user of a command"
HOME=/h et -q --list --set FOO=1 --set HOME --set PATH=/nosuch -- env >"$S/out" 2>"$S/err"
expect_lines 1 "$S/out" '^FOO=1$' "set"
expect_lines 0 "$S/out" '^HOME=' "taken away"
expect_lines 1 "$S/out" '^PATH=/nosuch$' "not where it is looked for"
[ "$(id -u)" != 0 ] || expect_equal "$(et -q --list --as=nobody -- id -un 2>"$S/err")" nobody "the user"
et --list --as=no:body -- true 2>"$S/err"
expect_equal $? 125 "one who is not there"
end

begin "let go of when they execute"
"$S/exectrace-trace" --format=strace -f -b execve -o "$S/a log" -e trace=execve sh -c "$V/prog a; $V/prog -x 4 b" >"$S/out" 2>"$S/err"
expect_equal $? 4 "the command's status"
[ "$ENGINE" = ptrace ] || expect_lines 1 "$S/a log" ' execve\("[^"]*sh", .* = 0$' "its own program is not meant"
expect_lines 2 "$S/a log" ' execve\("[^"]*prog", .* <(detached|unfinished) \.\.\.>$' "where they are let go of"
expect_lines 1 "$S/a log" ' [+]{3} exited with ' "the end of one that was not"
expect_equal "$(cat "$S/out")" "says a
says b" "they run on"
end

begin "let go of"
perl -e 'sleep 100' &
sleeping=$!
expect "it sleeps" wait_for 30 grep -qE '^(230|35) ' "/proc/$sleeping/syscall" # clock_nanosleep, nanosleep
"$S/exectrace-trace" --format=strace -p $sleeping 2>"$S/err" &
tracer=$!
expect "it is attached to" wait_for 30 grep -q "Process $sleeping attached" "$S/err"
kill -TERM $tracer
wait $tracer
expect_equal $? 143 "as strace ends"
expect_lines 1 "$S/err" "Process $sleeping detached" "what is said"
expect_lines 1 "$S/err" ' <detached ...>$' "the call that goes on"
expect "it lives" kill -0 $sleeping
kill $sleeping
wait $sleeping 2>/dev/null
end

# wrong OPTIONS WANTED
wrong()
{
	et --run="trace $1" --first -- true >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status of $1"
	expect_lines 1 "$S/err" "^exectrace: --run: trace: --filter: .*$2" "what is said of $1"
}

# alone WANTED OPTIONS: by hand, with a command that is not to run then
alone()
{
	local wanted=$1

	shift
	"$S/exectrace-trace" --format=strace "$@" "$V/prog" a >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status of $*"
	expect_lines 1 "$S/err" "^exectrace: $wanted" "what is said of $*"
	expect_lines 1 "$S/err" . "... and nothing else"
	expect_lines 0 "$S/out" . "the command did not run: $*"
}

begin "what is wrong by hand: the command does not run"
alone '--filter: nosuch: no such system call' -e trace=nosuch
alone '--filter: .*invalid signal: $' -e signal=
alone '--filter: : not successful' -e status=
alone '--filter: : not the number of a descriptor' -e read=
alone '-c is the table alone' -c -C
alone '-c is the table alone' --summary-only --summary
alone '--summary-wall-clock needs -c or -C' -w
alone '--summary-columns needs -c or -C' -U name
alone "option '-I' takes 1, 2, 3, 4, anywhere" -I 5
alone "option '-b' takes execve, not 'clone'" -b clone
alone "option '--daemonize' takes grandchild" --daemonize=odd
alone 'exit: -q says it already' -q --quiet=exit
alone '-q: --quiet= says it already' --quiet=exit -q
alone 'cannot write /nosuch/x: No such file or directory' -o /nosuch/x
alone '--filter: not understood: .poke_enter=@arg1=00,@arg1=01' -e inject=write:poke_enter=@arg1=00,@arg1=01
end

begin "a result that is an error's number"
"$S/exectrace-trace" --format=strace -e trace=chdir -e inject=chdir:retval=-1 perl -e 'exit(chdir("/") ? 3 : 4)' 2>"$S/err"
expect_equal $? 4 "it is what the call returns"
end

begin "what is wrong"
wrong "-e read=x" 'x: not the number of a descriptor'
wrong "-e write=-1" '-1: not the number of a descriptor'
wrong "-e signal=NOSUCH" 'invalid signal: NOSUCH'
wrong "-e status=odd" 'odd: not successful, failed, '
wrong "-e odd=all" 'odd=all: not trace=, '
wrong "-e quiet=odd" 'odd: not attach, '
wrong "-e abbrev=some" 'some: no such system call'
wrong "-e trace=" 'a system call is missing'
wrong "-e trace=nosuch" 'nosuch: no such system call'
wrong "-e write@7" 'not @64, @32 or @x32'
wrong "-e inject=write" 'nothing is to be done'
end
finish
