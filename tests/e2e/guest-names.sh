#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: names that the guest's memory has not come from files of the host, but from the right ones only.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

needs cpio gzip strip objcopy readelf ldd

id=$(readelf -n "$V/guestinit" | sed -n 's/.*Build ID: //p')

# A guest whose program has lost its symbols: DIR/initrd.gz.
stripped()
{
	mkdir root
	strip -o root/init "$V/guestinit"
	(cd root && echo init | cpio --quiet -o -H newc | gzip -1) >initrd.gz
}

# Programs that call the C library through stubs, with and without symbols and dynamic linker, into the guest.
stubs()
{
	local file

	cp "$V/stubsstatic" root/static
	strip -o root/stripped "$V/stubsstatic"
	cp "$V/stubsdynamic" root/dynamic
	ldd "$V/stubsdynamic" | grep -oE '/[^ ]+' | while read -r file; do
		mkdir -p "root${file%/*}"
		cp -L "$file" "root$file"
	done
	(cd root && find . | cpio --quiet -o -H newc | gzip -1) >initrd.gz
}

begin "the guest's files"
fresh
stripped
stubs
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

# address NAME: of a function of the static program, without zeros in front
address()
{
	nm "$V/stubsstatic" | sed -n "s/^0*\([0-9a-f]*\) [tT] $1\$/\1/p"
}

# implemented TIMES NAME: the implementation that the guest's C library has chosen is called, by its own address
implemented()
{
	local line name

	line=$(grep -E "^function 0*[0-9a-f]+ $1 /static __$2_[a-z0-9_]+\$" recorded)
	name=${line##* }
	expect_lines 1 recorded "^function 0*$(address "${name:-none}") $1 /static $name\$" "calls of $2 are of its implementation"
	expect_lines 1 recorded "^function 0*$(address "${name:-none}") $1 /stripped \$" "without symbols, too"
}

begin "calls through stubs"
expect_lines 3 out 'program /(static|stripped|dynamic) 0' "all programs have run"
implemented '12[34][0-9]' strchr
implemented 2000 strcat
implemented '5[56][0-9]' strcmp
objdump -d -j .plt -j .plt.sec "$V/stubsstatic" 2>/dev/null | sed -n 's/^ *\([0-9a-f]*\):.*jmp .*(%rip).*/\1/p' >stubs
expect "objdump knows stubs" test -s stubs
sed 's|.*|^function 0*& [0-9]+ /(static\|stripped) |' stubs >patterns
expect_equal "$(grep -cE -f patterns recorded)" 0 "none is of a stub"
libc=$(ldd "$V/stubsdynamic" | sed -n 's|.*=> \(/.*/libc\.so\.6\) .*|\1|p')
place=$(nm -D "$libc" | sed -n 's/^0*\([0-9a-f]*\) [tTwW] rand_r@.*/\1/p')
expect_lines 1 recorded "^function 0*$place 700 $libc rand_r$" "of a library: the function, also where it is bound at the first call"
expect_lines 1 recorded "^function 0*[0-9a-f]+ 12[34][0-9] $libc (__strchr_[a-z0-9_]+)?$" "and the library's implementations"
end

begin "what grows has no name"
"$EXECTRACE" why files.xtr >page 2>err
expect_equal $? 0 "status of why"
name=$(address "$(sed -n 's|^function .* 2000 /static \(__strcat_.*\)|\1|p' recorded)")
expect_lines 1 page "^ +@$name of stripped takes longer call by call: .* at the 2,000th: linear, so quadratic in all \(" "in a stripped program it is told by its address"
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
