#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs that wait: what `why` must name as the one that all waited for, and how long.
. "$(dirname "$0")/../lib.sh"
needs perl flock

# ask COMMAND...: the page in $S/err, for programs in $S/json
ask()
{
	et -q --why -o d -- "$@" >"$S/out" 2>"$S/err"
	"$EXECTRACE" why --json d >"$S/json" 2>"$S/err2"
	expect_equal "$(jq -r '([.critical[].time] | add) <= .duration and ([.critical[].time] | add) > .duration * 0.9' "$S/json")" true \
		"the chain adds up to the time it took"
}

# first FIELD: of the part of the chain that took most
first()
{
	jq -r ".critical[0].$1" "$S/json"
}

says()
{
	expect_lines some "$S/err" "$1" "$2"
}

begin "a child that sleeps, behind a pipe that it keeps open"
fresh
ask sh -c 'start() { sleep 1 & echo started; }; x=$(start); echo $x'
expect_equal "$(first command)" "sleep 1" "who"
says 'it kept sh -c .* \[[0-9]+\] waiting, which was reading pipe:\[[0-9]+\]' "whom it kept waiting, and by what"
end

begin "the holder of a lock"
fresh
ask sh -c 'exec 9>build.lock; flock 9; sleep 1 & exec 9>&-; flock build.lock true; wait'
expect_equal "$(first command)" "sleep 1" "who holds it"
says 'it kept flock build.lock true \[[0-9]+\] waiting, which was waiting for a lock on /.*/build.lock' "for whom it waited"
end

begin "the holder of a lock of fcntl"
fresh
cat >lock.pl <<'END'
use Fcntl;
open(my $f, ">", "lock");
my $l = pack("s s l! l! i x4", F_WRLCK, 0, 0, 0, 0);
fcntl($f, F_SETLKW, $l) or die $!;
open(my $locked, ">", "locked$ARGV[0]");
select(undef, undef, undef, $ARGV[0]);
END
ask sh -c 'perl lock.pl 1 & until [ -e locked1 ]; do sleep 0.05; done; sh -c "perl lock.pl 0; sleep 0.05"; wait'
expect_equal "$(first command)" "perl lock.pl 1" "who"
says 'it kept perl lock.pl 0 \[[0-9]+\] waiting, which was waiting for a lock on /.*/lock' "for whom it waited"
end

begin "a writer that is late, not the one that idles"
fresh
ask sh -c 'sleep 3 & d=$!; (sleep 1; echo x) | cat >/dev/null; kill $d'
expect_equal "$(first command)" "sleep 1" "who"
end

begin "both ends of a socket"
fresh
cat >pair.pl <<'END'
use Socket;
socket(my $l, AF_UNIX, SOCK_STREAM, 0);
bind($l, pack_sockaddr_un("s")) or die;
listen($l, 5);
if (!fork) {
	socket(my $c, AF_UNIX, SOCK_STREAM, 0);
	connect($c, pack_sockaddr_un("s")) or die;
	sysread($c, my $b, 1);
	syswrite($c, "y");
	exit 0;
}
accept(my $s, $l);
select(undef, undef, undef, 1);
syswrite($s, "x");
sysread($s, my $b, 1);
wait;
END
ask perl pair.pl
expect_equal "$(first waits | cut -d' ' -f1)" "sleeping" "the one that slept"
end

begin "a time-out: nobody has written"
fresh
mkfifo wake
cat >wait.pl <<'END'
open(my $f, "+<", "wake") or die;
vec(my $r = "", fileno($f), 1) = 1;
select($r, undef, undef, 1) or print STDERR "no answer\n";
END
ask perl wait.pl
expect_equal "$(first waits)" "waiting for $(pwd -P)/wake, until its time was over (pselect6)" "what it waited for"
says 'no recorded process has written to .*/wake$' "that nobody wrote"
end

begin "another thread"
fresh
cat >thread.py <<'END'
import threading, time
e = threading.Event()
def work():
    time.sleep(3)
    e.set()
threading.Thread(target=work).start()
e.wait()
END
ask /usr/bin/python3 thread.py
expect_equal "$(first waits | cut -d' ' -f1)" "sleeping" "the thread that slept, not the one that waited for it"
end

begin "a shell that polls"
fresh
ask sh -c 'i=0; while ! test -S up.sock; do i=$((i+1)); [ $i -gt 4 ] && exit 3; sleep 0.2; done'
says '[45] x sleep 0.2 ' "the loop"
says 'meanwhile 5 x (newfstatat|stat|statx|access|faccessat2)\(/.*/run/up.sock\) = ENOENT, every [0-9.]+[mu]?s; no recorded process has made it' "for what"
end

begin "who sleeps on though it is there"
fresh
ask sh -c '(sleep 0.3; echo >flag) & test -e flag || sleep 2; test -e flag'
says '^ +/.*/run/flag, which was not there before, was made by sh -c .* \[[0-9]+\] at [0-9.]+[mu]?s, [0-9.]+[mu]?s before this was over$' "a file"
fresh
cat >server.pl <<'END'
use Socket;
socket(S, AF_INET, SOCK_STREAM, 0);
socket(C, AF_INET, SOCK_STREAM, 0);
# A port that is free for sure: it is bound, and let go of.
bind(S, sockaddr_in(0, INADDR_LOOPBACK));
my $at = getsockname S;
close S;
my $pid = fork;
if (!$pid) { select undef, undef, undef, 0.3; socket(S, AF_INET, SOCK_STREAM, 0); bind(S, $at); listen S, 1; sleep 60 }
connect(C, $at) and die;
sleep 2;
socket(C, AF_INET, SOCK_STREAM, 0);
connect(C, $at) or die;
kill 9, $pid;
END
ask perl server.pl
says '^ +port [0-9]+, which was not there before, was bound by perl server.pl \[[0-9]+\] at .* before this was over$' "a port"
end

begin "one file after the other"
fresh
et -q -o d --run='trace --for=why --format=data --inject=fsync:delay_enter=20000' --first -- \
	perl -e 'use IO::Handle; for (1 .. 40) { open F, ">", "f$_"; print F "x"; F->flush; F->sync; close F }' >"$S/out" 2>"$S/err"
"$EXECTRACE" why d >"$S/err"
says 'perl -e .*: waiting until the disk has /.*/run/f[0-9]+ \(fsync\) and others of its directory, 40 times' "is one line"
end

begin "calls that take their time are no computing"
fresh
mkdir d
touch d/a d/b d/c d/e d/f
et -q -o r --run='trace --for=why --format=data --inject=unlinkat:delay_enter=60000' --first -- rm -r d >"$S/out" 2>"$S/err"
"$EXECTRACE" why r >"$S/err"
says '  [0-9.]+m?s +[0-9]+%  rm -r d \[[0-9]+\]: in the call unlinkat on /.*/run/d/[a-f] and others of its directory, 5 times' "unlink"
et -q -o s --run='trace --for=why --format=data --inject=read:delay_enter=200000' --first -- sort /etc/passwd >"$S/out" 2>"$S/err"
"$EXECTRACE" why s >"$S/err"
says 'sort /etc/passwd \[[0-9]+\]: reading /etc/passwd \(read\)' "a file"
expect_lines 0 "$S/err" 'had been written already|it kept' "for which nobody waits"
end

begin "who waits for a child keeps those waiting who wait for it"
fresh
printf 'use Fcntl ":flock"; open F, ">>", "lk"; flock F, LOCK_EX; system ": >held; sleep 2; :" if @ARGV\n' >lock.pl
ask sh -c '(perl lock.pl hold &); until [ -e held ]; do sleep 0.05; done; perl lock.pl; :'
expect_equal "$(first command)" "sleep 2" "who"
says 'it kept perl lock.pl \[[0-9]+\] waiting, which was waiting for a lock on /.*/run/lk \(flock\)' "whom"
end

begin "a lock that is not waited for"
fresh
et -q -o d --run='trace --for=why --format=data --inject=fcntl:delay_enter=300000:when=6+' --first -- \
	perl -MFcntl -e 'open F, ">", "lk"; $l = pack("s s l! l! i", F_WRLCK, 0, 0, 0, 0); fcntl(F, F_SETLK, $l) for 1 .. 9' >"$S/out" 2>"$S/err"
"$EXECTRACE" why d >"$S/err"
says 'perl -MFcntl .*: in the call fcntl on /.*/run/lk, [0-9]+ times' "is a call like others"
expect_lines 0 "$S/err" 'waiting for a lock' "no wait"
end

begin "the end of a thread"
fresh
ask "$V/joins"
says '  ([5-9][0-9]+ms|1\.[0-9]+s) +[0-9]+%  .*joins \[[0-9]+\]: sleeping' "for which another waits"
end

if engine_can notify "what a process computed before it executed another program" "it does not see what a process executes that it has let go"; then
	begin "what a process computed before it executed another program"
	fresh
	printf 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done\nexec true\n' >w.sh
	ask sh -c 'sh w.sh; :'
	expect_equal "$(jq -r '[.critical[] | select(.waits == "")] | map({(.command): .time}) | add | .["sh w.sh"] > .true' "$S/json")" true "who"
	says '[0-9.]+[mu]?s +[0-9]+% +1 x sh w.sh, at most' "likewise in the table"
	end
fi

begin "scripts of one interpreter"
fresh
printf 'select undef, undef, undef, 0.4\n' >a.pl
printf 'select undef, undef, undef, 0.3\n' >b.pl
ask sh -c 'perl a.pl; perl b.pl; :'
expect_equal "$(jq -r '[.critical[] | select(.waits | startswith("sleeping")) | "\(.command) \(.processes)"] | sort | join(", ")' "$S/json")" \
	"perl a.pl 1, perl b.pl 1" "each by itself"
end

begin "programs in parallel: the longest one"
fresh
printf 'all: a b c\na:\n\tsleep 0.2\nb:\n\tsleep 1\nc:\n\tsleep 0.3\n' >Makefile
ask make -j3
expect_equal "$(first command)" "sleep 1" "who"
expect_equal "$(jq -r '.critical[0].time > 900000000' "$S/json")" true "how long"
end

begin "without calls: from the programs alone"
fresh
et -q -o d --run=log -- sh -c 'sleep 0.1; sleep 0.6 & sleep 0.2; wait' >"$S/out" 2>"$S/err"
"$EXECTRACE" why --json d >"$S/json" 2>"$S/err"
expect_equal "$(first command)" "sleep 0.6" "who"
end

begin "the tables say how busy the processors were"
fresh
ask sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
says '^What did not wait' "the part"
says '[0-9.]+[mu]?s +9[0-9]%|100% +1 x sh' "who computed"
end

finish
