#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a system call that it needs is refused, it says so and ends with 125, and the command was not run; or it does without.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the numbers are those of x86-64"

EAGAIN=11
ENOMEM=12
EMFILE=24
EPERM=1
ENOSYS=38
for call in clone:56:$EAGAIN clone:56:$ENOMEM clone3:435:$EAGAIN pidfd_open:434:$EPERM pidfd_open:434:$EMFILE pipe2:293:$EMFILE \
	socketpair:53:$EMFILE signalfd4:289:$ENOMEM eventfd2:290:$EMFILE memfd_create:319:$ENOSYS seccomp:317:$ENOMEM seccomp:317:$ENOSYS \
	setsid:112:$EPERM chdir:80:$EPERM prctl:157:$EPERM sendmsg:46:$EPERM recvmsg:47:$ENOMEM fcntl:72:$EMFILE \
	ioctl:16:$EPERM wait4:61:$EMFILE rt_sigprocmask:14:$ENOMEM sendto:44:$ENOSYS; do
	IFS=: read -r name number error <<<"$call"
	begin "$name fails with $error"
	for flag in "" -D; do
		fresh
		# shellcheck disable=SC2086 # no word when empty
		timeout --foreground -k 1 "$(limit 10)" "$V/refuse" "$number" "$error" "$EXECTRACE" --engine="$ENGINE" -q $flag "${NOTHING[@]}" -- \
			sh -c ': >marker; exit 3' >"$S/out" 2>"$S/err"
		outcome="$? $([ -e marker ] && echo ran || echo not) $(grep -c . "$S/err")"
		expect "runs or says why${flag:+ ($flag)}" ran_or_said_why
	done
	end
done
finish
