#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: a real harness. libguestfs-test-tool asks QEMU several times what it can before it boots its appliance, a Debian of
# its own, from a disk.
# limit: 600
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

needs libguestfs-test-tool supermin depmod

# unpacked_kernel: the appliance gets a kernel out of its package where none is installed
unpacked_kernel()
{
	local version

	"$(dirname "$0")/../../examples/guest/unpack-kernel" "$S/kernel" >"$S/download" 2>&1 || return
	version=$(ls "$S/kernel/lib/modules")
	depmod -b "$S/kernel" "$version" || return
	export SUPERMIN_KERNEL=$S/kernel/boot/vmlinuz-$version SUPERMIN_KERNEL_VERSION=$version
	export SUPERMIN_MODULES=$S/kernel/lib/modules/$version
	[ -d /lib/modules ] && return
	# supermin wants it to be there: in a mount namespace of its own it is.
	mkdir -p "$S/upper/modules" "$S/work"
	inside=(unshare -m sh -c 'mount -t overlay modules -o "lowerdir=/usr/lib,upperdir=$0/upper,workdir=$0/work" /usr/lib && exec "$@"' "$S")
	"${inside[@]}" test -d /lib/modules
}

inside=()
if ! ls -d /lib/modules/*/kernel >/dev/null 2>&1; then
	unpacked_kernel || skip "no kernel is installed for its appliance, and none can be unpacked"
fi
patience=580

begin "libguestfs-test-tool"
fresh
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg LIBGUESTFS_CACHEDIR=$S
et --run=guest --cmd='qemu-system.*libguestfs' -- "${inside[@]}" libguestfs-test-tool >out 2>err </dev/null
expect_equal $? 0 "its status"
expect_lines 1 out '^===== TEST FINISHED OK =====' "it is content"
expect_lines 1 err 'match 1, rule 1 \(guest\)' "one QEMU is traced"
expect_lines 0 err 'match 2|exectrace-guest:' "no other, and no complaint"
"$RECORDED" exectrace.data/guest-1-*.xtr >recorded
expect_lines 1 recorded '^file: whole$' "one whole file"
expect_lines 0 recorded '^wrong' "it is sound"
expect "frames are closed by their own returns" test "$(share recorded)" -ge 99900
# Some kernels have the first one built in.
expect_lines some recorded '^function .* \[(virtio_pci\] virtio_pci|virtio_scsi\] virtscsi)_probe$' "modules have names"
expect_lines some recorded '^function .* /usr/lib/x86_64-linux-gnu/libc\.so\.6 ' "libraries are known by their files"
"$EXECTRACE" tree >tree
expect_lines some tree 'systemd-udevd --daemon' "the appliance's processes"
expect_lines some tree 'guestfsd' "and libguestfs's own"
end

finish
