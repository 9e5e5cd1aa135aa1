#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program of the tree that pretends to be an exectrace inside: it is told of its own, and gets no more.
# once: there is one engine for it
. "$(dirname "$0")/../lib.sh"
needs python3 setpriv
is_root || skip "must be root to have another user in the tree"
is_kernel 5.19 || skip "no listener before Linux 5.19"
[ "$(uname -m)" = x86_64 ] || skip "the numbers of the calls are those of x86-64"

chmod 755 "$S"
cat >"$S/pretend.py" <<'END'
import ctypes, os, socket, struct, sys, time
call = ctypes.CDLL(None, use_errno=True).syscall
fd = call(59, ctypes.c_ulong(0x6361727463657865), ctypes.c_ulong(1), ctypes.c_ulong(1))
feed = socket.socket(fileno=fd)
pid, outer, listener = struct.unpack("iii", feed.recv(100))
print("me" if pid == os.getpid() else pid)
print(os.strerror(ctypes.get_errno()) if call(438, os.pidfd_open(outer), listener, 0) < 0 else "fetched")
for words in sys.argv[1:]:
    if os.fork() == 0:
        os.execvp("sh", ["sh", "-c", words])
told = set()
feed.settimeout(1)
try:
    while True:
        told.add(struct.unpack_from("QI", feed.recv(100))[1])
except TimeoutError:
    pass
print("told of", len(told), flush=True)
END

begin "another user's program"
fresh
mkdir -m 777 open
et -q --list -- sh -c "setpriv --reuid=65534 --regid=65534 --clear-groups python3 $S/pretend.py 'echo one >open/one' 'echo two >open/two' &
	$V/storm 2 20 $V/prog; wait" >"$S/out" 2>"$S/err"
expect_equal $? 0 "the status"
expect_lines 1 "$S/out" '^failed 0, not started 0$' "root's programs do not wait"
expect_equal "$(grep -v '^failed\|^says' "$S/out")" $'me\nOperation not permitted\ntold of 2' "what it gets"
expect "who waited goes on when it has ended" wait_for 30 test -s open/two
expect "all of them" wait_for 30 test -s open/one
end

begin "a daemon of root's that has more filters is not its own"
fresh
mkdir -m 777 open
et -q "${NOTHING[@]}" -- sh -c "setpriv --reuid=65534 --regid=65534 --clear-groups python3 $S/pretend.py >told &
	sleep 0.3; ($V/sandbox kill seccomp $BASH -c 'sleep 0.3; $V/prog late >open/late; :' &); wait; until [ -s open/late ]; do sleep 0.05; done" >"$S/out" 2>"$S/err"
expect_equal $? 0 "the status"
expect_equal "$(tail -n 1 told)" "told of 0" "what it gets"
expect_equal "$(cat open/late)" "says late" "the daemon's program"
end
finish
