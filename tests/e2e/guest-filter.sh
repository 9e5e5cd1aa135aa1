#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: what is left out: by lists of functions, and by time.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

begin "a list of functions"
fresh
boot 'guest --function=fib,kernel_clone,do_exit,load_elf_* --exclude=load_elf_phdrs --output=made.xtr'
sound
expect_equal "$(calls_of fib)" 21891 "each call of fib(20)"
expect "forks" test "$(calls_of kernel_clone)" -ge "$(sed -n 's/^forks //p' said)"
expect_lines 1 recorded '^function .* \[kernel\] load_elf_binary$' "what the glob means"
expect_lines 1 recorded '^function .* [1-9][0-9]* \[filtered\] \[filtered\]$' "what they call has a name of its own"
expect_lines 0 recorded '^function .* (load_elf_phdrs|copy_process|schedule|vfs_read)$' "nothing else"
grep '^function' recorded | grep -vE ' (fib|kernel_clone|do_exit|load_elf_[a-z]*|\[filtered\]|asm_[a-z0-9_]*)$' >others
expect_lines 0 others . "but interrupts"
expect_lines 100 recorded '^syscall 1 80 -2$' "system calls are there"
expect "it is small" test "$(stat -c %s made.xtr)" -lt 400000
end

# The same boot is recorded twice, with all calls and with a list: the plugin is loaded under two names.
begin "what a list tells is what is told without one"
fresh
list=kernel_clone,do_exit,load_elf_binary,path_openat,crypto_ahash_digest,do_sys_openat2,acpi_ns_walk_namespace,fib
list=$list,dummy_init_module,dummy_setup,dummy_dev_init # of a module
cp "$BUILD/exectrace-guest.so" list.so
# shellcheck disable=SC2086 # words
$BOOT -append "$WORDS" -plugin "$BUILD/exectrace-guest.so,out=all.xtr" -plugin "$PWD/list.so,out=list.xtr,filter=${list//,/,,}" \
	>out 2>err </dev/null
expect_equal $? 0 "its status"
for file in all list; do
	"$EXECTRACE" report --csv --clock=guest $file.xtr >$file
	sed -n "s/^\(${list//,/\\|}\),\([0-9]*\),\([0-9]*\),[0-9]*,\([0-9]*\),.*/\1 \2 \3 \4/p" $file | sort >$file.calls
done
expect "nearly all of them are called" test "$(wc -l <all.calls)" -ge 8
cut -d ' ' -f 1,2 all.calls >all.counts
cut -d ' ' -f 1,2 list.calls >list.counts
expect_same all.counts list.counts "each as often"
# A call that becomes another one does so at the end of a block of code, or at its beginning.
join all.calls list.calls | awk 'function far(a, b, part) { return (a > b ? a - b : b - a) > (10 * $2 > a / part ? 10 * $2 : a / part) }
	far($3, $6, 100) || far($4, $7, 20)' >differ
expect_lines 0 differ . "and each takes as long, with what it calls and alone"
expect_lines some list '^\[filtered\],' "with what they call"
end

begin "calls deeper than is kept"
fresh
WORDS="$WORDS deep pti=on" # the kernel then leaves to programs on another stack than it enters from them
et --run='guest --function=deeper --output=made.xtr' --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
WORDS=${WORDS% deep pti=on}
expect_equal $? 0 "its status"
expect_lines 1 out '^deeper = 100000' "the guest calls itself so often"
"$RECORDED" made.xtr >recorded
told=$(calls_of deeper)
left=$(sed -n 's/^exectrace-guest: .*made.xtr: \([0-9]*\) calls were more than 65536 deep, and are left out$/\1/p' err)
expect_equal "$told" 65536 "as many as can be are told"
expect_equal $((told + left)) 100000 "and of the others it is said that they are left out"
expect_lines 1 recorded '^file: whole$' "to the end"
expect "each by its own return" test "$(share recorded)" -ge 99900
expect_lines 1 recorded '^note checks: .* interrupts ([0-9]+), returns from them \1, closed by another 0, ' "all ended by their own"
end

begin "the shortest time, and the longest"
fresh
boot 'guest --min-time=3ms --output=made.xtr'
sound
expect "no call takes less" test "$(sed -n 's/^shortest //p' recorded)" -ge 3000000
expect_lines 1 recorded '^function .* 1 \[kernel\] start_kernel$' "long ones are there"
expect_lines some recorded '^filtered [1-9][0-9]{5}' "most were left out, which is told"
fresh
boot 'guest --max-time=50us --user=no --entries=1000 --output=made.xtr'
sound
expect_lines 0 recorded '^function .* \[kernel\] (start_kernel|kernel_init)$' "long ones are not there"
n=$(sed -n 's/^function [0-9a-f]* \([0-9]*\) .*/\1/p' recorded | awk '{ n += $1 } END { print n }')
expect "about 1000 entries, not $n" test "$n" -ge 1000 -a "$n" -lt 1100
end

finish
