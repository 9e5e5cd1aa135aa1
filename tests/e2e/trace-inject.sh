#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --inject and --fault: what is done to calls is what strace does to them, and what the program does then is the same.
. "$(dirname "$0")/../lib.sh"
needs strace perl

# lines FILE: without numbers of processes, times, addresses and the names of descriptors
lines()
{
	without_child_times \
		-e 's/^ *[0-9]+ +([0-9.]+ )?//' -e 's/ <[0-9.]+>$//' -e 's/ +=/ =/' -e 's/0x[0-9a-f]{6,}/ADDR/g' -e 's/([0-9D])<[^>]*>/\1/g' \
		-e 's/ = [0-9]{3,}$/ = PID/' -e 's/(si_pid|wait4\(|kill\()=?[0-9]+/\1PID/g' "$1" | sort
}

# like NAME LIST SPEC COMMAND...: LIST is what is shown
like()
{
	local list=$2 spec=$3 theirs

	begin "$1: $spec"
	shift 3
	fresh
	strace -f -o "$S/theirs" -e "trace=$list" -e "inject=$spec" "$@" >"$S/out.theirs" 2>"$S/err.theirs" </dev/null
	theirs=$?
	fresh
	et -q --run="trace --filter=$list --inject=$spec --output=$S/ours" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
	expect_equal $? $theirs "the program's status"
	expect "something was done" grep -qE 'INJECTED|DELAYED|SIGUSR1' "$S/theirs"
	lines "$S/ours" >"$S/got"
	lines "$S/theirs" >"$S/wanted"
	expect_same "$S/got" "$S/wanted" "the calls are strace's"
	expect_same "$S/out" "$S/out.theirs" "the program's output"
	sed -i '/User defined signal/d' "$S/err" "$S/err.theirs" # the shell's
	expect_same "$S/err" "$S/err.theirs" "its messages"
	end
}

like "a full disk" write write:error=ENOSPC "$V/prog" a
like "by its number" write write:error=28 "$V/prog" a
like "the third" openat openat:error=EMFILE:when=3 cat /etc/hostname /etc/passwd
like "from the second on" write write:error=EIO:when=2+ perl -e '$| = 1; print "a$_" or warn "no $_: $!" for 1 .. 5'
like "each other one" write write:error=EIO:when=1+2 perl -e '$| = 1; print "a$_" or warn "no $_: $!" for 1 .. 5'
like "some" write write:error=EIO:when=2..3 perl -e '$| = 1; print "a$_" or warn "no $_: $!" for 1 .. 5'
like "each third of some" write write:error=EIO:when=2..8+3 perl -e '$| = 1; print "a$_" or warn "no $_: $!" for 1 .. 9'
like "a value" getppid getppid:retval=4711 perl -e 'print getppid, "\n"'
like "another call" getppid getppid:retval=4711:syscall=gettid perl -e 'print getppid, "\n"'
like "another memory" chdir chdir:poke_enter=@arg1=2f746d7000 perl -e 'chdir "/nosuch" and print "there\n"'
like "what comes back" readlink readlink:poke_exit=@arg2=58 perl -e 'symlink "abc", "l"; print readlink "l", "\n"'

like "a process that cannot be made" clone,fork,vfork,clone3 clone,fork,vfork,clone3:error=EAGAIN sh -c 'ls; echo not reached'
like "of each process" write write:error=ENOSPC:when=2 perl -e '$| = 1; for (1 .. 3) { fork or do { print "a\n"; print "b\n" or exit 3; exit }; wait; print STDERR "$?\n" }'
like "a signal" getppid getppid:signal=USR1 perl -e '$SIG{USR1} = sub { print "got it\n" }; getppid; print "on\n"'
like "a signal that ends a wait" pause pause:signal=SIGUSR1 perl -e '$SIG{USR1} = sub { print "got it\n" }; require "syscall.ph" if 0; syscall(34); print "on\n"'
like "a signal that kills" write write:signal=USR1:error=EIO "$V/prog" a
like "late" write write:delay_enter=30ms:delay_exit=20000 "$V/prog" a
like "late and in vain" write write:delay_enter=1ms:error=EIO:when=1 "$V/prog" a

begin "time passes for nobody else"
fresh
et -q --run="trace --inject=getpid:delay_enter=700ms:delay_exit=300ms:when=1 --filter=getpid --output=$S/log" --first -- perl -e '
	sub now { open my $uptime, "<", "/proc/uptime"; (split " ", <$uptime>)[0] }
	my $pid = fork;
	if (!$pid) { my $t = now; syscall(39); printf "%d\n", now() - $t >= 0.98; exit 0 }
	my ($t, $worst) = (now, 0);
	while (!waitpid $pid, 1) {
		select undef, undef, undef, 0.005;
		my $now = now;
		$worst = $now - $t if $now - $t > $worst;
		$t = $now;
	}
	printf "%d\n", $worst < 0.6;' >"$S/out" 2>"$S/err"
expect_equal "$(tr '\n' ' ' <"$S/out")" "1 1 " "one is late, the other is not"
end

for sig in TERM KILL; do
	for filter in '' --filter=read,write; do
		begin "a tracer that ends by SIG$sig while a call is late${filter:+, with a filter}"
		fresh
		et -q --run="trace $filter --inject=write:error=EIO:delay_enter=300s:when=1 --output=$S/log" --first -- \
			perl -e 'syswrite STDOUT, "x" or print STDERR $! + 0; exit 7' >"$S/out" 2>"$S/err" &
		job=$!
		tracer=
		late()
		{
			local pid

			pid=$(awk 'END { print $1 }' "$S/log" 2>/dev/null)
			grep -q ' write(' "$S/log" 2>/dev/null && tracer=$(awk '/^TracerPid/ { print $2 }' "/proc/$pid/status" 2>/dev/null) &&
				[ "${tracer:-0}" -gt 0 ]
		}
		expect "the call is late" wait_for 30 late
		[ -z "$tracer" ] || kill -"$sig" "$tracer"
		wait $job
		expect_equal "$? $(cat "$S/out" "$S/err")" "7 5" "it fails as it was to, and the program goes on"
		end
	done
done

begin "a delayed process that is killed"
fresh
et -q --run="trace --inject=write:delay_enter=3000s --filter=write --output=$S/log" --first -- perl -e '
	my $pid = fork;
	if (!$pid) { syswrite STDOUT, "x"; exit 0 }
	select undef, undef, undef, 0.3;
	kill KILL => $pid;
	waitpid $pid, 0;
	exit $? & 127;' >"$S/out" 2>"$S/err"
expect_equal $? 9 "it dies at once"
end

begin "in JSON, in recordings, in a summary"
fresh
et -q --run="trace --fault=write:error=ENOSPC --format=json --output=$S/log" --first -- "$V/prog" a >"$S/out" 2>"$S/err"
expect_lines some "$S/log" '"name":"write".*"ret":-1,"err":"ENOSPC","injected":true' "an object"
et -q --run="trace --fault=write:error=ENOSPC --format=data --output=$S/log.xtr" --first -- "$V/prog" a >"$S/out" 2>"$S/err"
"$EXECTRACE" syscalls "$S/log.xtr" >"$S/listed"
expect_lines some "$S/listed" 'write\(1.*ENOSPC' "a recording"
et -q --run="trace --fault=write:error=ENOSPC --summary --output=$S/log" --first -- "$V/prog" a >"$S/out" 2>"$S/err"
expect_lines 1 "$S/log" '^ .* [1-9][0-9]*  *[1-9][0-9]*  *write$' "errors are counted"
end

begin "one process of a tree"
fresh
et -q --run='trace --inject=write:error=ENOSPC:when=1 --filter=write --output='"$S/log" --cmd='^\S*prog two' -- \
	sh -c "$V/prog one; $V/prog two || echo failed; $V/prog three" >"$S/out" 2>"$S/err"
expect_equal "$(tr '\n' ' ' <"$S/out")" "says one failed says three " "only that one fails"
end

# wrong SPEC WANTED
wrong()
{
	et --run="trace --inject=$1" --first -- true >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status of $1"
	expect_lines 1 "$S/err" "^exectrace: --run: trace: --inject: .*$2" "what is said of $1"
}

begin "what is wrong"
wrong nosuch:error=EIO 'nosuch: no such system call'
wrong write:error=ENOSUCH "not understood: 'error=ENOSUCH'"
wrong write:error=0 "not understood: 'error=0'"
wrong write:error=4096 "not understood: 'error=4096'"
wrong write:retval=x "not understood: 'retval=x'"
wrong write:error=EIO:retval=3 'a result was given already'
wrong write:signal=NOSUCH "not understood: 'signal=NOSUCH'"
wrong write:delay_enter=1h "not understood: 'delay_enter=1h'"
wrong write:delay_exit=99999999999999999999 "not understood: 'delay_exit=9"
wrong write:error=EIO:when=0 "not understood: 'when=0'"
wrong write:error=EIO:when=3..2 "not understood: 'when=3..2'"
wrong write:error=EIO:when=1+0 "not understood: 'when=1.0'"
wrong write:when=2 'nothing is to be done'
wrong write 'nothing is to be done'
wrong write:poke "no error="
wrong write:what=2 "unknown: 'what'"
end
finish
