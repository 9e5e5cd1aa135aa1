#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes in other namespaces and other roots run as without exectrace.
. "$(dirname "$0")/../lib.sh"

for list in pid mnt user user,pid user,pid,mnt net,uts,ipc pid,mnt,net,uts,ipc; do
	both "new namespaces: $list" -- "$V/nsform" $list sh -c "$V/prog a; $V/prog -x 3 b; echo \$?; exit 4"
done
both "a pid namespace in a pid namespace" -- "$V/nsform" pid "$V/nsform" pid sh -c "$V/prog a; $V/prog b"
if is_root; then
	prepare()
	{
		mkdir -p root/bin
		cp "$V/progstatic" root/bin/prog
		cp "$V/count" root/bin/count
		chmod 755 root root/bin
	}
	both "a chroot without /proc" -- "$V/under" chroot=root -- /bin/prog -x 3 a
	both "a chroot, then a spawn" -- sh -c "$V/under chroot=root -- /bin/prog a; $V/under chroot=root -- /bin/count /file; cat root/file"
	both "a chroot that has no such program" -- "$V/under" chroot=root -- /bin/nothing
	if "$V/nsform" mnt mount -t tmpfs none /mnt >/dev/null 2>&1; then
		both "a mount hidden from us" -- "$V/nsform" mnt sh -c "mount -t tmpfs none /mnt; cp $V/prog /mnt/hidden; /mnt/hidden -x 3 a"
	else
		skip_case "a mount hidden from us" "no mounts in a new namespace here"
	fi
fi
finish
