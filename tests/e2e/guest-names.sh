#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: names that the guest's memory has not come from files of the host, but from the right ones only.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

needs cpio gzip strip objcopy readelf

id=$(readelf -n "$V/guestinit" | sed -n 's/.*Build ID: //p')

# A guest whose program has lost its symbols: DIR/initrd.gz.
stripped()
{
	mkdir root
	strip -o root/init "$V/guestinit"
	(cd root && echo init | cpio --quiet -o -H newc | gzip -1) >initrd.gz
}

begin "the guest's files"
fresh
stripped
mkdir files
cp "$V/guestinit" files/init
et --run='guest --output=files.xtr --guest-root=files' --cmd='^qemu-system' -- sh -c "$BOOT -initrd initrd.gz -append '$WORDS'" \
	>out 2>err </dev/null
expect_equal $? 0 "its status"
"$RECORDED" files.xtr >recorded
expect_lines 0 err 'exectrace-guest:' "no complaint"
expect_lines 1 recorded "^function 0*$FIB 21891 /init fib$" "fib(20) is 21,891 calls of fib"
expect_lines 1 recorded '^function .* 2 /init fail_often$' "and others have their names"
end

begin "a debug file, by its build id"
fresh
stripped
mkdir -p "files/usr/lib/debug/.build-id/${id:0:2}"
objcopy --only-keep-debug "$V/guestinit" "files/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
more=root=$PWD/files trace recorded -initrd initrd.gz
expect_lines 1 recorded "^function 0*$FIB 21891 /init fib$" "fib(20) is 21,891 calls of fib"
end

begin "another program of the same name is not taken"
fresh
stripped
mkdir files
cp "$V/progstatic" files/init
more=root=$PWD/files trace recorded -initrd initrd.gz
expect_lines 1 recorded "^function 0*$FIB 21891 /init $" "fib(20) is 21,891 calls, of a function without a name"
expect_lines 0 recorded "^function .* /init ." "none has a name"
end

begin "symbols of a kernel"
fresh
plain=$WORDS
WORDS="$plain symbols"
trace recorded
WORDS=$plain
grep -E '^[0-9a-f]{16} [tTwWdDbB] [^[:space:]]+$' said >right.map
sed 's/^\(.\{12\}\)./\1f/' right.map >wrong.map
expect "the guest has told them" test "$(wc -l <right.map)" -gt 10000
echo nonsense >nonsense.map
for map in right wrong nonsense; do
	more=symbols=$PWD/$map.map trace $map
	cp err $map.err
	expect_lines 1 $map '^function .* \[kernel\] start_kernel$' "the kernel's own names with the $map ones"
done
for map in right nonsense; do
	grep ' /init ' $map | sort >$map.init
done
expect "the guest's program was traced" test "$(wc -l <right.init)" -gt 100
expect_same nonsense.init right.init "its calls are the same in each boot"
expect_lines 0 right.err 'exectrace-guest' "those of this kernel are taken"
expect_lines 1 wrong.err '^exectrace-guest: .*/wrong\.map: is of another kernel than the guest' "those of another are not"
expect_lines 1 nonsense.err '^exectrace-guest: .*/nonsense\.map: neither a vmlinux with symbols nor a System.map' "nor others"
end

finish
