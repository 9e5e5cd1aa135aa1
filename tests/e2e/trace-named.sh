#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# -yy, -Y, --decode-fds and --decode-pids say of descriptors and of numbers of processes what strace(1) says.
. "$(dirname "$0")/../lib.sh"
needs strace perl

cat >"$S/open.pl" <<'P'
use Socket;
socket L, AF_INET, SOCK_STREAM, 0; bind L, sockaddr_in(0, INADDR_LOOPBACK); listen L, 1;
socket C, AF_INET, SOCK_STREAM, 0; connect C, getsockname L; accept A, L; syswrite A, "x"; sysread C, $b, 1;
socketpair U, V, AF_UNIX, SOCK_STREAM, 0; syswrite U, "x"; sysread V, $b, 1;
socket N, AF_UNIX, SOCK_DGRAM, 0; bind N, pack_sockaddr_un(sprintf("\0exectrace\"%08d", $$)); getsockname N;
socket R, 16, 3, 0; bind R, pack("SSLL", 16, 0, $$, 0); getsockname R;
open D, "<", "/dev/zero"; sysread D, $b, 4;
open F, "+>", "gone<x>"; unlink "gone<x>"; syswrite F, "y";
open G, "+>", "there (deleted)"; syswrite G, "y";
my $p = syscall 434, $$, 0; syscall 438, $p, fileno D, 0; syscall 312, $$, $$, 0, fileno D, fileno F;
P

# numbers FILE: without those that are others each time; the column of the result depends on their width
numbers()
{
	without_child_times \
		-e 's/[0-9]{3,}/N/g' -e 's/0x[0-9a-f]+/ADDR/g' -e 's/ += / = /' -e 's/^N +/N /' -e '/kcmp/s/= [12]$/= DIFFERENT/' "$1"
}

# named OPTIONS COMMAND...
named()
{
	local options=$1

	begin "trace $options: $2"
	shift
	fresh
	# shellcheck disable=SC2086 # several words
	strace $options -o "$S/theirs.raw" "$@" >"$S/out" 2>"$S/err" </dev/null
	rm -f "there (deleted)"
	et -q --run="trace --format=strace $options --output=$S/ours.raw" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
	numbers "$S/ours.raw" | sed -n '/socket\|kill\|write\|zero/,$p' >"$S/ours"
	numbers "$S/theirs.raw" | sed -n '/socket\|kill\|write\|zero/,$p' >"$S/theirs"
	expect "there is something" test -s "$S/theirs"
	expect_same "$S/ours" "$S/theirs" "as strace's"
	end
}

calls="-e signal=none -e trace=%network,read,write,openat,pidfd_open,pidfd_getfd,kcmp"
for set in -y -yy --decode-fds=socket --decode-fds=dev "-e decode-fds=pidfd,path" "-e decode-fds=!path"; do
	named "$set $calls" perl "$S/open.pl"
done
calls=${calls%,pidfd_getfd*} # strace does not look for files of other processes
named "-yy -P /dev/zero $calls" perl "$S/open.pl"
named "--decode-fds=dev -P /dev/zero $calls" perl "$S/open.pl"

ids='print STDERR getppid; kill 0, $$; kill 0, -getpgrp; getpgrp 0; getpriority 0, $$; setpgrp 0, 0; syscall 186; syscall 124, 0'
named "-f -Y -e trace=getppid,kill,getpgid,getpriority,setpgid,gettid,getsid,write" perl -e "$ids"
named "--decode-pids=none -e trace=getppid,kill" perl -e "$ids"
if is_root; then
	named "-f --decode-pids=all -e signal=none -e trace=kill,getpgid,getpriority,setpgid,gettid,getsid" unshare -pf perl -e "$ids"
	named "-f --pidns-translation -e trace=kill" unshare -pf perl -e "$ids"
else
	skip_case "numbers of another namespace" "must be root to make one"
fi

begin "inside, what is there is told"
fresh
et -q --run="trace --source=inside -yy --output=$S/ours" --first -- perl "$S/open.pl" >"$S/out" 2>"$S/err" </dev/null
expect "a device" grep -q 'read([0-9]*</dev/zero<char 1:5>>' "$S/ours"
end

begin "in text the name of the process is in front"
fresh
et -q --run="trace -Y --output=$S/ours" --first -- perl -e 'kill 0, $$' >"$S/out" 2>"$S/err" </dev/null
expect "of each line" test "$(grep -cvE '^[0-9]+<[a-z]+> +[0-9]' "$S/ours")" = 0
expect "and behind a number" grep -qE 'kill\([0-9]+<perl>, 0\) +=' "$S/ours"
end
finish
