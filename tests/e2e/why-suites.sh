#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# why: what one test of a suite does to another, and what makes a suite slow. The first page names each.
# once: the engine has no part in it
# limit: 600
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../why.sh"
needs perl flock make
PYTHON=/usr/bin/python3
[ -x $PYTHON ] || skip "python3 is not installed"

# began_so REGEX NAME: the page has this line of what a process began with
began_so()
{
	[ "$ENGINE" != notify ] || says "$@"
}
engine_can notify "what processes began with" "it does not see what a process executes that it has let go"

# A runner that goes on after a test that fails, as they do.
suite()
{
	cat >suite.sh <<-'END'
		bad=0
		for t in tests/*.sh; do
			name=$(basename $t .sh)
			if sh $t >$name.log 2>&1; then echo "$name ok"; else echo "$name FAILED"; bad=1; fi
		done
		exit $bad
	END
	mkdir tests
	echo 'true; exit $?' >tests/zz_last.sh
}

begin "a limit of an earlier test, set in the runner"
fresh
suite
sed -i '1i ulimit -f 8; trap "" XFSZ' suite.sh
cat >tests/store.sh <<'END'
perl -e 'open my $f, ">", "data"; syswrite $f, "x" x 4096 for 1 .. 8; exit 0'
perl -e 'exit 0 if -s "data" == 32768; print STDERR "store: checksum mismatch\n"; exit 3'
END
ask 1 sh suite.sh
says '└ sh tests/store.sh \[[0-9]+\]: exit 3$' "the test"
says 'perl .*: exit 3  <- it began here$' "the program with the message"
says '^    perl -e .open my .* \[[0-9]+\]:$' "the program that had failed before"
says 'write\(.*/data>.* = -1 EFBIG .*, [0-9]+ times$' "its call"
says '^ +RLIMIT_FSIZE is [0-9*]+, set by sh suite.sh \[[0-9]+\]' "the limit, and who set it"
began_so '^  run it:    cd .* && prlimit --fsize=[0-9]+: env --ignore-signal=XFSZ perl -e ' "a command that begins it again so"
end

begin "a signal that is ignored"
fresh
suite
sed -i '1i trap "" PIPE' suite.sh
cat >tests/index.sh <<'END'
perl -e '$| = 1; for (1 .. 99999) { print "line $_\n" or (unlink("index"), exit 4) }' | head -n 1
perl -e 'open my $f, "<", "index" or do { print STDERR "unknown table\n"; exit 3 }'
END
touch index
ask 1 sh suite.sh
says 'perl .*: exit 3  <- it began here$' "the program with the message"
says '"index", .* = -1 ENOENT .*; removed by perl ' "its file, and who removed it"
says 'write\(1<pipe:.* = -1 EPIPE ' "why that one did so"
began_so 'it began with: ignored PIPE, unlike sh suite.sh ' "and what it had begun with"
end

begin "an umask"
fresh
cat >runner.pl <<'END'
my $bad = 0;
for my $t ("keys", "package", "sum") {
	umask 077 if $t eq "keys";
	$bad = 1 if $t eq "package" && system("sh ./$t.sh") != 0;
	print $bad ? "$t: not right\n" : "$t: right\n";
	system("true");
}
exit $bad;
END
printf '%s\n' 'touch f' '[ "$(stat -c %a f)" = 644 ] || { echo digest differs; exit 1; }' >package.sh
umask 022
ask 1 perl runner.pl
says '└ sh ./package.sh \[[0-9]+\]: exit 1  <- it began here$' "the only one that failed"
began_so '^  it began with: umask 0077, unlike perl runner.pl \[[0-9]+\]' "what it had begun with"
if [ "$ENGINE" = notify ]; then
	rm f
	sed -n 's/^  run it: *//p' "$S/err" >again
	sh ./again >out
	expect_equal $? 1 "begun again with the command of the page it fails again"
	expect_lines 1 out '^digest differs$' "in the same way"
fi
end

begin "a lock that a daemon has inherited"
fresh
suite
echo '(flock 9; sleep 8 9>&9 & echo $! >pid) 9>table' >tests/load.sh
echo 'for i in 1 2 3; do flock -n table true && exit 0; sleep 0.05; done; echo table is not sealed >&2; exit 5' >tests/pack.sh
echo 'kill $(cat pid); exit 0' >tests/stop.sh
ask 1 sh suite.sh
says '└ sh tests/pack.sh \[[0-9]+\]: exit 5' "the test"
says 'flock\(.*/table>, LOCK_EX\|LOCK_NB\) = -1 EAGAIN .*; held by sleep 8 \[[0-9]+\]' "who has it"
expect_lines 0 "$S/err" 'sleep 8 .* <- it began here' "what was ended to clean up is no reason"
end

begin "an address that is longer than one may be"
fresh
long=$PWD/$(printf 'd%.0s' {1..50})/$(printf 'e%.0s' {1..50})
mkdir -p "$long"
cat >server.py <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1][:107])
s.listen()
END
printf '%s\n' "$PYTHON server.py \$1" 'for i in 1 2 3 4 5 6 7 8; do [ -e $1 ] && exit 0; sleep 0.2; done' 'perl -e '\''open $f, "<", shift or die "no server\n"'\'' $1' >t.sh
ask 2 sh t.sh "$long/a-name-that-is-long-enough-to-be-cut-off.sock"
says 'ENOENT.*no recorded process has made it, but .*server.py .* its first 107 bytes' "which name there is"
end

begin "a signal for a process that is gone"
fresh
cat >t.sh <<'END'
for i in 1 2 3; do
	(exit 0) & pid=$!
	wait $pid
	kill $pid 2>/dev/null
	sleep 0.3
done
exit 0
END
ask 0 sh t.sh
says '^Calls that failed as they seldom do$' "they are shown"
says 'kill\([0-9]+, SIGTERM\) += -1 ESRCH' "the call"
end

begin "a signal that is blocked"
fresh
cat >daemon.pl <<'END'
use POSIX;
pipe(my $r, my $w);
$SIG{CHLD} = sub { syswrite $w, "x" };
for (1 .. 3) {
	fork or exec "true";
	my $bits = "";
	vec($bits, fileno($r), 1) = 1;
	select($bits, undef, undef, 0.4);
	waitpid -1, WNOHANG;
}
END
cat >start.pl <<'END'
use POSIX;
sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGCHLD));
exec "perl", "daemon.pl";
END
ask 0 sh -c 'perl start.pl; exit $?'
says 'perl daemon.pl \[[0-9]+\]: waiting for pipe:.*until its time was over' "what waits"
began_so '^ +it began with: blocked CHLD' "and why nobody wakes it"
end

begin "a query that nobody answers"
fresh
cat >query.py <<'END'
import select, socket
for i in range(4):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.sendto(b"who?", ("127.0.0.1", 39253))
    select.select([s], [], [], 0.2)
    s.close()
END
ask 0 sh -c "$PYTHON query.py; exit \$?"
expect_lines 1 "$S/err" 'query.py \[[0-9]+\]: waiting for socket:.* \(127.0.0.1:39253\), until its time was over .*, 4 times' "all in one line"
says 'no recorded process has bound port 39253' "and whom it asked"
end

begin "a client that asks for its own port"
fresh
cat >query.py <<'END'
import select, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b"who?", ("127.0.0.1", 39253))
s.getsockname()
select.select([s], [], [], 0.3)
END
ask 0 sh -c "$PYTHON query.py; exit \$?"
says 'query.py \[[0-9]+\]: waiting for socket:.* \(127.0.0.1:39253\), until' "whom it asked, not who it is"
says 'no recorded process has bound port 39253' "nobody is there"
end

begin "a pipe that nobody reads, behind a child of the child"
fresh
cat >full.pl <<'END'
pipe(my $r, my $w);
if (!fork) { open(STDOUT, ">&", $w); exec "sh", "-c", "head -c 300000 /dev/zero; :" }
for (1 .. 20) { select(undef, undef, undef, 0.05) }
exit 0;
END
ask 0 sh -c 'perl full.pl; exit $?'
says 'meanwhile its child sh -c .* \[[0-9]+\] was waiting for a child \(wait4\),$' "its child"
says '^ +and its child head -c 300000 /dev/zero \[[0-9]+\] was writing to pipe:.* \(write\), which no recorded process reads from$' \
	"and what that waited for"
end

begin "a make that has lost its job server"
fresh
printf 'all:\n\t@env -u MAKEFLAGS -u MFLAGS $(MAKE) -s -f sub.mk\n' >Makefile
printf 'all: 1 2 3 4\n1 2 3 4:\n\t@sleep 0.3\n' >sub.mk
unset MAKEFLAGS MFLAGS
ask 0 make -j4
says '4 x sleep 0.3 \[[0-9]+\]: sleeping' "what takes the time"
says 'they ran one after the other, begun by make -s -f sub.mk \[[0-9]+\], which began without the MAKEFLAGS of make -j4 ' "and why"
fresh
printf 'all:\n\t@$(MAKE) -s -f sub.mk\n' >Makefile
printf 'all: 1 2 3 4\n1 2 3 4:\n\t@sleep 0.3\n' >sub.mk
ask 0 make -j4
expect_lines 0 "$S/err" 'they ran one after the other' "not so with the job server"
end

begin "a server between that waits for a client that sleeps"
fresh
cat >server.py <<'END'
import os, socket
s = socket.socket(socket.AF_UNIX)
s.bind("sock")
s.listen()
while True:
    c = s.accept()[0]
    if c.recv(9) == b"end": break
    c.send(b"ok")
    c.close()
END
cat >client.py <<'END'
import socket, time
for word in [b"ping"] * 8 + [b"end"]:
    c = socket.socket(socket.AF_UNIX)
    c.connect("sock")
    c.send(word)
    c.recv(9)
    time.sleep(0.25)
END
ask 0 sh -c "$PYTHON server.py & while [ ! -S sock ]; do sleep 0.1; done; $PYTHON client.py; wait"
expect "the client's sleep is first" sh -c "awk '/^What it waited for/ { getline; print }' '$S/err' | grep -q 'client.py.*: sleeping'"
end

begin "a pipe that a daemon has open"
fresh
cat >t.py <<'END'
import subprocess
subprocess.run(["sh", "-c", "perl -e 'sleep 2' >/dev/null & exit 0"], stderr=subprocess.PIPE)
END
ask 0 sh -c "$PYTHON t.py; exit \$?"
says 'perl -e .sleep 2. \[[0-9]+\]: sleeping' "who takes the time"
says 'waiting, which was reading pipe:.*until nobody has it open: it was descriptor 2, inherited from' "and how it keeps the other waiting"
end

begin "a loop whose lines a program in it has read"
fresh
printf '%s\n' one two three >list
echo 'while read -r name; do sh ./case.sh "$name"; done <list; [ -e three.out ] || { echo "coverage too low" >&2; exit 3; }' >loop.sh
echo 'touch "$1.out"; [ "$1" != two ] || cat >two.out' >case.sh
ask 3 sh loop.sh
says 'cat \[[0-9]+\] read its standard input, .*/list, which sh loop.sh \[[0-9]+\] reads, too$' "who has taken them"
fresh
echo 'printf "%s\n" one two | while read -r name; do echo "$name" | cat; done; false' >loop.sh
ask 1 sh loop.sh
expect_lines 0 "$S/err" 'reads, too' "one that reads a pipe of its own has not"
end

begin "a test that tells its runner by what it writes"
fresh
cat >run.pl <<'END'
my $bad;
for my $t (qw(10-a.t 20-b.t 30-c.t)) {
	my $out = qx(perl $t);
	$bad++ if $out =~ /^not ok/m;
	print "$t ... ", $out =~ /^not ok/m ? "Failed 1/2 subtests" : "ok", "\n";
}
exit($bad ? 1 : 0);
END
for t in 10-a 30-c; do echo 'print "ok 1\n"' >$t.t; done
echo 'print system("cat", "queue.idx") ? "not ok 1\n" : "ok 1\n"' >20-b.t
ask 1 perl run.pl
says '└ perl 20-b.t \[[0-9]+\]: exit 0$' "the test, which ended well"
says '└ cat queue.idx \[[0-9]+\]: exit 1  <- it began here$' "the program that did not"
end

begin "a file under another name"
fresh
echo 'sleep 0.2; echo x >part-08.snap' >make.sh
echo 'for i in 1 2 3 4 5 6; do [ -e part-8.snap ] && exit 0; sleep 0.2; done; exit 0' >await.sh
ask 0 sh -c 'sh make.sh & sh await.sh; wait'
says '6 x .*\(.*/part-8.snap\) = ENOENT, .*; no recorded process has made it, but sh make.sh \[[0-9]+\] has made part-08.snap$' "which there is"
end

begin "a child that has stopped itself"
fresh
cat >pool.pl <<'END'
use POSIX;
pipe(my $r, my $w);
my $pid = fork;
if (!$pid) {
	select undef, undef, undef, 0.2;
	kill STOP => $$;
	select undef, undef, undef, 0.1;
	syswrite $w, "done";
	exit 0;
}
kill CONT => $pid;
close $w;
for (1 .. 2) {
	my $bits = "";
	vec($bits, fileno($r), 1) = 1;
	last if select $bits, undef, undef, 1;
	kill CONT => $pid;
}
END
ask 0 sh -c 'perl pool.pl; exit $?'
says 'perl pool.pl \[[0-9]+\]: waiting for pipe:.*(until its|of [12] the) time was over' "who waits in vain"
says 'it kept perl pool.pl \[[0-9]+\] waiting, which was stopped by a signal, until it was continued' "and the other"
end

begin "descriptors that are closed twice"
fresh
echo data >data
cat >twice.pl <<'END'
use POSIX;
for (1 .. 4) {
	my $fd = POSIX::open("data");
	POSIX::close($fd);
	POSIX::close($fd);
}
exit 1;
END
ask 1 sh -c 'perl twice.pl; exit $?'
says 'it closed what it had closed before 4 times, last descriptor 3 at [0-9.]+[mu]?s: another file may have that number meanwhile' "how often"
cat >all.pl <<'END'
use POSIX;
POSIX::close(POSIX::open("data")) for 1 .. 3;
for (1 .. 3) {
	POSIX::close($_) for 3 .. 20;
}
exit 1;
END
ask 1 sh -c 'perl all.pl; exit $?'
expect_lines 0 "$S/err" 'it closed what it had closed before [0-9]+ times' "who closes all does that without looking"
end

begin "parts that another test has removed"
fresh
mkdir parts
for i in 0 1 2 3; do echo $i >parts/part.00$i; done
cat >merge.pl <<'END'
my $n = 0;
for (0 .. 3) {
	open(my $f, "<", "parts/part.00$_") or next;
	$n += <$f> + 1;
}
$n == 10 or print(STDERR "merge: wrong stride?\n"), exit 1;
END
ask 1 sh -c 'sh -c "rm parts/part.001"; perl merge.pl'
says '"parts/part.001", .* = -1 ENOENT .*; removed by rm parts/part.001 \[[0-9]+\] at ' "which, and who did that"
end

begin "a file that is read while it is written"
fresh
echo '(echo a; sleep 0.6; echo b) >list & sleep 0.2; exit 0' >write.sh
cat >use.pl <<'END'
open(my $f, "<", "list") or die;
my @lines = <$f>;
@lines == 2 or print(STDERR "no record of b\n"), exit 1;
END
ask 1 sh -c 'sh write.sh; perl use.pl'
says '/list; made by sh write.sh \[[0-9]+\] at [0-9.]+[mu]?s; (sh write.sh|sleep 0.6) \[[0-9]+\] had it open to write then' "it is said"
end

begin "a program that crashes, and is begun again"
fresh
echo 'for i in 1 2; do sh -c "[ $i = 2 ] || kill -SEGV \$\$" && break; done 2>/dev/null; exit 0' >keep.sh
ask 0 sh keep.sh
says '^Processes that a signal ended$' "in a run that ends well"
says '^    sh -c .*: SIGSEGV at [0-9.]+[mu]?s; more: exectrace why --pid=[0-9]+' "which"
end

begin "two that read from one FIFO"
fresh
mkfifo fifo
cat >reader.pl <<'END'
open(my $f, "<", "fifo") or die;
for (1 .. 4) {
	sysread($f, my $x, 8) or last;
	select undef, undef, undef, 0.15;
}
END
cat >writer.pl <<'END'
open(my $f, ">", "fifo") or die;
for (0 .. 9) {
	syswrite($f, "message$_");
	select undef, undef, undef, 0.1;
}
END
ask 0 sh -c 'perl reader.pl & perl reader.pl & perl -e "\$SIG{PIPE} = q(IGNORE); do q(./writer.pl)"; wait'
expect_lines 1 "$S/err" 'perl reader.pl \[[0-9]+\] read from .*/fifo, which perl reader.pl \[[0-9]+\] reads, too$' "it is said"
end

begin "a message that nobody sends"
fresh
cat >drain.py <<'END'
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("drain.sock")
s.settimeout(0.7)
try:
    s.recv(9)
except OSError:
    pass
END
ask 0 sh -c "$PYTHON drain.py; exit \$?"
says 'no recorded process has connected to .*/drain.sock, or sent anything there' "it is said"
end

finish
