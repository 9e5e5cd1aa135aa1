#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Of a random program that opens, duplicates, sends, renames, removes and closes, in itself and in children, every descriptor and
# directory has the name that strace gives it, wherever calls come from. SEED=N repeats a run.
. "$(dirname "$0")/../lib.sh"
needs strace python3

python=$(python3 -c 'import sys; print(sys.executable)')
seed=${SEED:-$((RANDOM % 10000))}
fixed=()
! setarch -R true 2>"$S/why" || fixed=(setarch -R)

cat >"$S/program.py" <<'PYTHON'
import ctypes, os, random, select, socket, sys

chance = random.Random(int(sys.argv[1]))
base = os.getcwd()
libc = ctypes.CDLL(None)
fds, names, dirs = [], ["f%d" % i for i in range(6)], ["d%d" % i for i in range(3)]


def send(fd):
    one, other = socket.socketpair()
    with one, other:
        socket.send_fds(one, [b"x"], [fd])
        fds.extend(socket.recv_fds(other, 1, 4)[1])


def move():
    below = chance.choice(dirs), chance.choice(["..", base + "/d1"])
    os.chdir(below[os.getcwd() != base])


def child():
    pid = os.fork()
    if pid == 0:
        for _ in range(8):
            step()
        os._exit(0)
    os.waitpid(pid, 0)


# In another root, with other mounts.
def jailed():
    pid = os.fork()
    if pid == 0:
        if os.getuid():
            libc.unshare(0x10020000)
        try:
            os.chroot(chance.choice([".", base]))
        except OSError:
            pass
        for _ in range(8):
            step()
        os._exit(0)
    os.waitpid(pid, 0)


def directory():
    fds.append(os.open(".", os.O_RDONLY))
    os.fchdir(fds[-1])


def any_fd():
    return chance.choice(fds)


def use(fd):
    os.fstat(fd)
    os.write(fd, b"x")


ways = [
    (20, lambda: fds.append(os.open(chance.choice(names), os.O_RDWR | os.O_CREAT))),
    (8, lambda: fds.append(os.dup(any_fd()))),
    (8, lambda: os.dup2(any_fd(), any_fd(), False)),
    (14, lambda: os.close(fds.pop(chance.randrange(len(fds))))),
    (3, lambda: fds.extend(os.pipe())),
    (3, lambda: fds.extend(s.detach() for s in socket.socketpair())),
    (4, lambda: send(any_fd())),
    (3, lambda: fds.append(os.memfd_create("m"))),
    (5, move),
    (2, directory),
    (5, lambda: os.rename(chance.choice(names), chance.choice(names))),
    (4, lambda: os.unlink(chance.choice(names))),
    (2, lambda: os.closerange(60, 70)),
    (3, child),
    (3, jailed),
    (2, lambda: (os.mkdir("d9"), os.rmdir("d9"))),
    (2, lambda: fds.append(select.epoll().fileno())),
    (12, lambda: use(any_fd())),
]


def step():
    way = chance.choices([w for _, w in ways], [n for n, _ in ways])[0]
    for do in way, lambda: use(any_fd()):
        try:
            do()
        except (OSError, IndexError):
            pass
    while len(fds) > 40:
        try:
            os.close(fds.pop())
        except OSError:
            pass


for name in dirs:
    os.mkdir(name)
for _ in range(int(sys.argv[2])):
    step()
PYTHON

# named FILE: each call of each process with the names in it, in the order in which they begin: a child is waited for. Pipes and sockets
# are counted, for their numbers differ from run to run.
named()
{
	awk '
	{
		tid = $1
		sub(/^ *[0-9]+ +([0-9]+\.[0-9]+ )?/, "")
		sub(/ <[0-9.]+>$/, "")
		if (/^(---|\+\+\+|execve)/) next # one engine hands over behind the first execve
		if (!(tid in calls)) { order[++n] = tid; calls[tid] = "" }
		if (sub(/ <unfinished \.\.\.>$/, "")) { begun[tid] = $0; next }
		if (sub(/^<\.\.\. [^ ]+ resumed>/, "")) $0 = begun[tid] $0
		gsub(/ ?\(deleted\)/, "")
		gsub(/\/proc\/[0-9]+/, "/proc/PID")
		line = substr($0, 1, index($0, "("))
		while (match($0, /(AT_FDCWD|[0-9])<[^<>]*>/)) {
			line = line " " substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
		}
		calls[tid] = calls[tid] line "\n"
	}
	END {
		for (i = 1; i <= n; i++) printf "%s", calls[order[i]]
	}' "$1" | awk '{
		while (match($0, /(pipe|socket):\[[0-9]+\]/)) {
			what = substr($0, RSTART, RLENGTH)
			if (!(what in seen)) seen[what] = "number " ++numbers
			$0 = substr($0, 1, RSTART - 1) seen[what] substr($0, RSTART + RLENGTH)
		}
		print
	}'
}

# run FILE COMMAND...: the program in a directory of its own, which is the same one each time
run()
{
	local to=$1

	shift
	rm -rf "$S/w"
	mkdir "$S/w"
	(cd "$S/w" && exec timeout --foreground -k 1 "$(limit 60)" "${fixed[@]}" env PYTHONHASHSEED=0 "$@" \
		"$python" -S -E ../program.py "$program" 150 </dev/null >"$S/out" 2>&1)
	named "$to" >"$to.names"
}

for program in $((seed)) $((seed + 1)) $((seed + 2)); do
	begin "names in the random program $program"
	run "$S/strace" strace -f -y -o "$S/strace"
	expect "it opens files" grep -q '^openat.*/w' "$S/strace.names"
	for source in stops inside auto; do
		run "$S/$source" "$EXECTRACE" --engine="$ENGINE" -q --run="trace --source=$source --output=$S/$source" --exe='python3*' --first --
		expect_same "$S/$source.names" "$S/strace.names" "$source: the names that strace has"
	done
	end
done

finish
