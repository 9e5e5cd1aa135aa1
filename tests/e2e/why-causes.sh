#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# why: causes that are hidden: behind time-outs, shells, runners, threads. One page has to name each.
# once: the engine has no part in it
# limit: 600
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../why.sh"
needs perl timeout flock
PYTHON=/usr/bin/python3
[ -x $PYTHON ] || skip "python3 is not installed"

begin "threads that lock each other out, behind a time-out"
fresh
cat >locks.py <<'END'
import threading
a, b, met = threading.Lock(), threading.Lock(), threading.Barrier(2)
def one(first, second):
    with first:
        met.wait()
        with second:
            pass
ts = [threading.Thread(target=one, args=x) for x in ((a, b), (b, a))]
for t in ts: t.start()
for t in ts: t.join()
END
ask 1 sh -c "timeout 1.5 $PYTHON locks.py; exit 1"
says 'locks.py \[[0-9]+\]: SIGTERM  <- it began here' "who"
says 'SIGTERM was sent by timeout 1.5 ' "who ended it"
says 'until then it was waiting for another thread \(futex\); so did 2 of its 2 other threads' "what it was doing"
end

begin "a server on TCP that is not there, tried without blocking"
fresh
cat >client.py <<'END'
import socket, sys, time
for i in range(5):
    try:
        socket.create_connection(("127.0.0.1", 1), 0.5)
        sys.exit(0)
    except OSError:
        time.sleep(0.1)
print("service not ready", file=sys.stderr)
sys.exit(1)
END
ask 3 sh -c "$PYTHON client.py || exit 3"
says 'connect\(.*\) = -1 ECONNREFUSED .*, told later, 5 times; no recorded process has bound it$' "the failure"
says 'meanwhile 5 x connect\(.*\) = ECONNREFUSED, every 1[0-9]+ms; no recorded process has bound it$' "what the time went by with"
end

begin "a server that ends before its clients come"
fresh
cat >server.py <<'END'
import socket
s = socket.socket(socket.AF_UNIX)
s.bind("up.sock")
s.listen(1)
open("server.ini")
END
cat >client.pl <<'END'
use IO::Socket::UNIX;
exit(IO::Socket::UNIX->new(Peer => "up.sock") ? 0 : 1);
END
cat >suite <<END
$PYTHON server.py 2>log &
wait
for i in 1 2 3 4 5; do perl client.pl && break; sleep 0.1; done
[ \$i -lt 5 ] || { echo "server is not up" >&2; exit 4; }
END
ask 4 sh suite
says 'python3 server.py \[[0-9]+\]: exit 1 at [0-9.]+[mu]?s; more: exectrace why --pid=' "the server that failed"
says "^ +\| FileNotFoundError: .*'server.ini'" "its last words, though they went to a file"
says 'meanwhile [0-9] x connect\(/.*/up.sock\) = ECONNREFUSED.*; made by .*server.py' "the clients' trouble"
end

begin "a lock that a daemon holds"
fresh
cat >suite <<'END'
(setsid sh -c 'exec 9>db.lock; flock 9; touch locked; sleep '$1 &)
while [ ! -e locked ]; do sleep 0.05; done
flock -w 0.5 db.lock true || { echo "database is locked" >&2; exit 5; }
END
ask 5 sh suite "$(limit 3)"
says '^ +└ flock -w 0.5 db.lock true \[[0-9]+\]: exit 1  <- it began here' "who"
says 'it was waiting for a lock on /.*/db.lock \(flock\), locked by flock 9 \[[0-9]+\] at ' "for what, and who had locked it"
end

begin "a lock that another program holds, and memory that takes its time to be given back"
fresh
cat >suite <<'END'
(setsid sh -c 'exec 9>db.lock; flock 9; touch locked; sleep '$1 &)
while [ ! -e locked ]; do sleep 0.05; done
perl -e '$x = "x" x (40 << 20); $SIG{ALRM} = sub { exit 6 }; open F, ">>db.lock"; alarm 1; flock F, 2'
END
ask 6 sh suite "$(limit 3)"
says 'shortly before its end it was waiting for a lock on /.*/db.lock \(flock\), locked by flock 9 ' "for what, and who had locked it"
end

begin "an event that is lost: it was sent before somebody listened; time-outs in time-outs"
fresh
cat >suite <<'END'
mkfifo event
(exec 3<>event; echo go >&3)
timeout 5 sh -c 'timeout 0.8 cat event >got' || { echo "no event" >&2; exit 9; }
END
ask 9 bash suite
says '^ +└ cat event \[[0-9]+\]: SIGTERM  <- it began here' "who"
says 'until then it was opening /.*/event \(openat\), which bash suite \[[0-9]+\] had written to last, at ' "who had sent it, and when"
says 'meanwhile its child cat event \[[0-9]+\] was opening|it kept timeout 0.8 cat event' "on the critical chain"
end

begin "too little memory"
fresh
cat >suite <<END
ulimit -v 300000
$PYTHON -c 'x = bytearray(800 << 20)'
exit \$?
END
ask 1 sh suite
says '^    \| MemoryError' "its message"
says '^  RLIMIT_AS is 300000\*1024, set by sh suite \[[0-9]+\] at [0-9.]+[mu]?s(; it was .*)?$' "the limit, and who set it"
end

begin "files that may not be larger"
fresh
printf 'ulimit -f 8\ntrap "" XFSZ\nseq 100000 >out\nexit $?\n' >suite
ask 1 bash suite
says '= -1 EFBIG .*<- its message$' "the call"
says '^  RLIMIT_FSIZE is 8\*1024, set by bash suite \[[0-9]+\] at [0-9.]+[mu]?s; it was ' "who set it, from which value"
end

begin "a worker that another child has killed"
fresh
cat >pool.py <<'END'
import subprocess, sys
w = subprocess.Popen(["sleep", "5"])
k = subprocess.Popen(["sh", "-c", "sleep 0.3; kill -9 %d" % w.pid])
status = w.wait()
k.wait()
if status < 0:
    print("a worker died", file=sys.stderr)
    sys.exit(2)
END
ask 2 $PYTHON pool.py
says '^ +└ sleep 5 \[[0-9]+\]: SIGKILL  <- it began here' "who"
says '^  SIGKILL was sent by sh -c .sleep 0.3; kill -9 [0-9]+. \[[0-9]+\] at ' "who did it"
end

begin "a worker that kills itself: that call never returns"
fresh
ask 2 sh -c 'sh -c "sleep 0.2; kill -9 \$\$" || exit 2'
says '^ +└ sh -c .sleep 0.2; kill -9 ....? \[[0-9]+\]: SIGKILL  <- it began here' "who"
says '^  SIGKILL was sent by itself at ' "by itself"
end

begin "a file that an earlier test has left"
fresh
mkdir run
printf '%s\n' 'echo $$ >run/app.pid' 'sleep 0.1' >t1
printf '%s\n' 'cat input >/dev/null' '[ ! -e run/app.pid ] || { echo "app: already running" >&2; exit 4; }' >t2
echo x >input
ask 4 sh -c 'sh t1; cp input input.2; sh t2 || exit'
says '^ +└ sh t2 \[[0-9]+\]: exit 4  <- it began here' "who"
says '^  what others of this run had made, and it found there' "it found something"
says '/run/app\.pid; made by sh t1 \[[0-9]+\] at ' "what, and who made it"
expect_lines 1 "$S/err" 'made by ' "what was there before is left out"
end

begin "a runner behind a pipe"
fresh
cat >runner.py <<'END'
import sys
bad = 0
for i in range(4):
    try:
        open("fixture%d" % i).close()
        print("ok", i)
    except OSError:
        print("not ok", i)
        bad = 1
sys.exit(bad)
END
touch fixture0 fixture1 fixture3
ask 1 sh -c "$PYTHON runner.py | tee log; grep -q '^not ok' log && exit 1"
says 'runner.py \[[0-9]+\]: exit 1  <- it began here' "the runner is named"
says 'openat\(.*"fixture2".* = -1 ENOENT' "and the file"
end

finish
