#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What calls show, and which are shown: names, directories, long strings, filters and stacks are the same of calls that a program records
# itself as of those that stop it. SEED=N repeats a run.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/inside.sh
. "$TESTS/inside.sh"

seed=${SEED:-$((RANDOM % 10000))}

same "random calls, strings of 5" -n 5 "$V/inside" random "$seed" 300 1
engines notify "the rest is the same with each"
if command -v perl >"$S/why"; then
	same "names of what is open change" -s perl -e 'open F, ">", "a"; syswrite F, "1"; rename "a", "b"; syswrite F, "2"; unlink "b";
		syswrite F, "3"; mkdir "d"; opendir D, "d"; chdir "d"; rmdir "../d"; syswrite F, "4"'
else
	skip_case "names of what is open change" "perl is not installed"
fi
same "other directories" sh -c 'mkdir d; cd d; : >f; read x <f; cd ..; : >g; cd /; read y <etc/passwd; cd "$OLDPWD" && : >d/h'
if command -v perl >"$S/why"; then
	same "other directories, by descriptor" perl -e 'mkdir "d"; opendir D, "."; chdir "d"; open F, ">", "f"; chdir D; open F, "<", "d/f"'
fi
# What calls took is added up where they are made: as many of each, and as many that failed, as when each stops.
# sums WHAT [-o CALL] [OPTION] COMMAND...; -o: only this one
sums()
{
	local what=$1 option='' only=.

	shift
	[ "$1" != -o ] || { only="^$2 " && shift 2; }
	[[ $1 != -* ]] || { option=$1 && shift; }
	begin "summary: $what"
	for source in stops inside auto; do
		fresh
		et -q --run="trace --summary $option --verbose --source=$source --output=$S/$source" --first -- "$@" >"$S/out.$source" 2>"$S/err.$source" </dev/null
		# Calls that a signal has interrupted are one more each, and how threads and children meet is chance.
		awk '$NF !~ /^(total|syscall|futex|wait4|clone3?|v?fork|.*nanosleep|restart_syscall|rt_sigreturn)$/ { print $NF, $(NF - 1), (NF > 9 ? $(NF - 2) : "") }' \
			"$S/$source" | grep "$only" | sort >"$S/sums.$source"
	done
	for source in inside auto; do
		expect_same "$S/sums.$source" "$S/sums.stops" "$source: how many, and how many failed"
		expect_same "$S/out.$source" "$S/out.stops" "$source: what it prints"
	done
	expect_lines some "$S/sums.stops" '[1-9]' "it makes calls"
	expect_lines 1 "$S/err.inside" 'calls without a stop' "inside: not all stop"
	end
}

sums "dd" dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
sums "a shell with children" sh -c "cat /etc/passwd | wc -l; (exit 3); $V/prog a; true"
sums "random calls" "$V/inside" random "$seed" 600 1
sums "random calls that fail" --failed "$V/inside" random "$seed" 600 1
sums "random calls of threads" -o close "$V/inside" random "$seed" 300 4
sums "calls of a handler that interrupts others" -o setitimer "$V/interrupted" 1000 1
sums "calls of a handler that interrupts those of threads" -o setitimer "$V/interrupted" 1000 4
sums "children" "$V/inside" children 30
sums "only some" --filter=read,openat,dup2 "$V/inside" random "$seed" 300 1
same "directories" -s sh -c 'mkdir d d/e; i=0; while [ $i -lt 1500 ]; do : >d/a-file-with-a-name-of-some-length-$i; i=$((i + 1)); done; find d >list'
begin "directories, recorded"
fresh
mkdir d d/e d/f
for source in stops inside; do
	et -q --run="trace --format=data --source=$source --output=$S/$source" --first -- find . >"$S/out"
	"$EXECTRACE" syscalls --filter=getdents64 "$S/$source" | sed -E 's/.*(getdents64)/\1/; s/, 0x[0-9a-f]+/, P/; s/ <[0-9.]+>$//' >"$S/calls.$source"
done
expect_lines some "$S/calls.stops" '/\* 4 entries \*/' "of d"
expect_same "$S/calls.inside" "$S/calls.stops" "inside"
end
for filter in read,openat,fcntl %file %desc '!read' rt_sigaction,rt_sigprocmask,brk getppid %process; do
	same "only $filter" -f "$filter" sh -c "cat /etc/passwd | wc -l; cd /; cat etc/hostname; $V/prog a; $V/inside random $seed 100 1"
done
same "only masks and actions" -l -f rt_sigaction,rt_sigprocmask "$V/inside" masks
same "all but masks and actions" -l -f '!rt_sigaction,rt_sigprocmask' "$V/inside" masks
if command -v python3 >/dev/null; then
	python=$(python3 -c 'import sys; print(sys.executable)')
	same "python" -s env PYTHONHASHSEED=1 "$python" -B -c 'import json, re, subprocess; print(json.dumps([1, 2]))'
	same "commands of ioctl and fcntl" -s "$python" -S -E -c 'import array, fcntl, os, pty, termios, tty
for _ in range(200): os.getppid()
a, b = pty.openpty()
c, d = os.pipe()
os.write(d, b"four")
for i in range(3):
    tty.setraw(b)
    termios.tcsetattr(b, i, termios.tcgetattr(b))
    fcntl.ioctl(a, termios.TIOCSWINSZ, b"\2\0\3\0\0\0\0\0")
    fcntl.ioctl(b, termios.TIOCGWINSZ, bytes(8))
    for command in termios.FIONREAD, termios.TIOCOUTQ, termios.TIOCGPGRP, termios.FIONBIO, termios.FIOASYNC, 0x12345:
        for fd in a, b, c, 99:
            try: fcntl.ioctl(fd, command, array.array("i", [0]))
            except OSError: pass
    os.set_inheritable(b, True)
    fcntl.ioctl(b, termios.FIOCLEX)
    fcntl.ioctl(b, termios.FIONCLEX)
    e = fcntl.fcntl(b, fcntl.F_DUPFD, 50 + i)
    os.dup2(fcntl.fcntl(a, fcntl.F_DUPFD_CLOEXEC, 80), e)
    os.fstat(e)'
	same "sockets" -s "$python" -S -E -c 'import array, os, select, socket, struct
for _ in range(200): os.getppid()
def fails(call, *args):
    try: call(*args)
    except OSError: pass
a, b = socket.socketpair()
file = os.open("/etc/passwd", os.O_RDONLY)
for i in range(4):
    a.sendmsg([b"one", b"two" * i])
    b.recvmsg(20, 100)
    a.sendmsg([b"two descriptors"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file, a.fileno()]))])
    for fd in array.array("i", b.recvmsg(100, socket.CMSG_SPACE(8))[1][0][2]):
        if fd % 2 == 0: os.read(fd, 10 + i)
        os.fstat(fd)
        os.close(fd)
b.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
for i in range(3):
    a.send(b"who")
    b.recvmsg_into([bytearray(2), bytearray(30)], 200)
    a.sendmsg([b"%d" % n for n in range(20)])
    b.recvmsg_into([bytearray(1) for n in range(20)])
    a.sendall(b"x" * 100)
    b.recv(200)
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 2))
server.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8)
server.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
fails(server.setsockopt, socket.SOL_SOCKET, 26, struct.pack("HHIP", 1, 0, 0, 0))
server.bind(("127.0.0.1", 0))
server.listen(3)
for i in range(3):
    client = socket.create_connection(server.getsockname())
    peer, address = server.accept()
    select.select([peer, server], [], [], 0.002)
    client.sendall(b"request %d" % i)
    select.select([peer, server], [peer], [peer], 1)
    peer.recv(100)
    peer.getpeername()
    peer.sendmsg([b"answer", b"x" * 50])
    client.recvmsg(10)
    client.close()
    peer.close()
u, v = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
u.bind(("127.0.0.1", 0))
for i in range(3):
    v.sendto(b"datagram" * i, u.getsockname())
    u.recvfrom(12)
    v.sendto(b"more than there is room for", u.getsockname())
    u.recv(5, socket.MSG_TRUNC)
    v.sendmsg([b"another", b"x" * i], [], 0, u.getsockname())
    u.recvmsg(100)
    fails(u.recv, 5, socket.MSG_DONTWAIT)
    fails(u.recvmsg, 5, 0, socket.MSG_DONTWAIT)
n = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
n.bind((0, 0))
for i in range(2): # no such interface
    n.send(struct.pack("IHHIIBBHiII", 32, 18, 1, i, 0, 0, 0, 0, 12345, 0, 0))
    n.recv(65536)
    n.sendmsg([struct.pack("IHHIIBBHiII", 32, 18, 1, i, 0, 0, 0, 0, 12345, 0, 0)])
    n.recvmsg(65536)
w, x = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
w.bind("name")
x.connect("name")
for i in range(3):
    x.send(b"named")
    w.recvfrom(3)
    w.getsockname()
    x.getpeername()'
	for n in 5000 14000 20000; do
		same "long strings: $n" -n $n "$python" -S -E -c 'import os, select
for _ in range(200): os.getppid()
fd, out = os.open("/etc/services", os.O_RDONLY), os.open("/dev/null", os.O_WRONLY)
for n in 100, 4000, 12000, 12700, 30000:
    data = os.pread(fd, n, 0)
    os.write(out, data)
    for k in 1, 2, 5, 40:
        parts = [bytearray(n // k) for _ in range(k)]
        os.preadv(fd, parts, 0)
        os.pwritev(out, parts, 0)
ends = [os.pipe() for _ in range(100)]
for r, w in ends: os.write(w, b"x")
e = select.epoll()
for r, w in ends: e.register(r)
e.poll(1, 1000)
p = select.poll()
for r, w in ends: p.register(r)
p.poll(100)'
	done
else
	skip_case "python" "python3 is not installed"
fi
# What why is given: calls with the stacks of those that fail. The bytes of a transfer are recorded when it takes long, and where the end of a
# child is seen is chance.
begin "for why, random calls, seed $seed"
for source in stops inside auto; do
	fresh
	"${fixed[@]}" "$EXECTRACE" --engine="$ENGINE" -q --run="trace --verbose --for=why --source=$source --output=$S/$source" --first -- \
		"$V/inside" random "$seed" 600 1 >"$S/out" 2>"$S/err.$source"
	cp "$S/out" "$S/out.$source"
	"$EXECTRACE" syscalls --stack "$S/$source" >"$S/shown"
	awk '/^ *[0-9]/ { tid = $1; if (!(tid in all)) tids[++n] = tid } { all[tid] = all[tid] $0 "\n" }
		END { for (i = 1; i <= n; i++) printf "%s", all[tids[i]] }' "$S/shown" | sed -E 's/^ *[0-9]+ +[^ ]+ +[0-9.]+ //; s/ <[0-9.]+>$//
		s/(pipe|socket):\[[0-9]+\]/PIPE/g; /^(--- SIGCHLD|wait4)/d; s/0x[0-9a-f]+( .. [0-9]+ vars)/ENVP\1/
		s/^(p?(read|write)v?(64|2)?\([^,]*,).*\) += /\1) = /
		s/^((clone|fork|getp?pid|gettid)\(.*\)) += [0-9]+/\1 = PID/' >"$S/calls.$source"
done
for source in inside auto; do
	expect_same "$S/calls.$source" "$S/calls.stops" "$source: its calls, with stacks"
	expect_same "$S/out.$source" "$S/out.stops" "$source: what it prints"
	expect_lines 1 "$S/err.$source" 'calls without a stop' "$source: not all stop"
done
expect_lines some "$S/calls.inside" '^ +> .*inside\(' "stacks"
end
finish
