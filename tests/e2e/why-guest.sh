#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# why: guests: the phases of their boots, what took most, panics and the stack that led there, who called into a module.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../why.sh"
needs cpio gzip jq objcopy objdump readelf

# page [OPTION...]: the page of exectrace.data in $S/page, as JSON in $S/json
page()
{
	"$EXECTRACE" why "$@" >"$S/page" 2>"$S/err"
	expect_equal $? 0 "status of why"
	"$EXECTRACE" why --json "$@" >"$S/json" 2>"$S/err"
	expect_equal $? 0 "status of why --json"
	expect "at most 100 lines" test "$(wc -l <"$S/page")" -le 100
	expect_lines 0 "$S/page" 'exectrace: ' "no complaint"
}

says()
{
	expect_lines some "$S/page" "$1" "$2"
}

# asked FILTER WANTED NAME: of the first guest
asked()
{
	expect_equal "$(jq -r ".guests[0] | $1" "$S/json")" "$2" "$3"
}

begin "a guest that ends well"
fresh
WORDS=$WORDS et -q --why --run=guest --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
expect_equal $? 0 "its status"
expect_lines 1 err '^The guest of qemu-system-x86_64 .*: no panic and no oops was recorded, it (powered off|was reset) at [0-9.]+[mu]?s, 1 processor$' "--why has it, too"
page
says '^The guest of qemu-system-x86_64 .*: no panic and no oops was recorded, it (powered off|was reset) at [0-9.]+[mu]?s, 1 processor$' "how it went"
says '^ +[0-9.]+[mu]?s +[0-9.]+[mu]?s +[0-9]+%  Kernel start$' "a phase"
says '^ +by themselves: [a-z0-9_]+' "what took most"
says '^ +initcalls: [a-z0-9_]+ \[1\]' "initcalls"
says '^ +programs by themselves: init \[1\]' "programs"
asked '[.phases[].name] | index("Kernel start") < index("Initcalls") and index("Initcalls") < index("User space")' true "phases in their order"
asked '.phases as $p | [range(1; $p | length) | $p[.].start == $p[. - 1].end] | all' true "one after the other"
asked '[.phases[] | .computing + .idle] | add as $sum | $sum > 0' true "computing is known"
asked '.duration as $all | [.phases[] | .computing + .idle] | add | . > $all * 0.9 and . < $all * 1.1' true "it adds up"
asked '.troubles | length' 0 "no trouble"
asked .qemu_status "exit 0" "how its QEMU ended"
asked '.boots' 1 "one boot"
pasted "$S/page"
end

begin "a guest whose first program ends"
fresh
WORDS="$WORDS panics" et --run=guest --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
expect "the last line says so" sh -c "tail -n 1 err | grep -qxE \"exectrace: \\[[0-9]+\\] the guest's kernel panicked; exectrace why shows where\""
page
says ': its kernel panicked at [0-9.]+s and reset it, 1 processor$' "the outcome"
says '^  it panicked at [0-9.]+s in init \[1\], on processor 0:$' "who"
says '^    do_exit(\.cold)?  <- here$' "where"
says '^    then panic$' "its own doing is left out"
expect_lines 0 "$S/page" '^    .*printk' "its printing, too"
expect_lines 0 "$S/page" 'no function of a module' "its modules have nothing to do with that"
asked '.troubles[0] | .kind, .task, .pid' "panic
init
1" "the same as JSON"
pasted "$S/page"
end

# The module's function that is called with each new device begins with an instruction that there is not.
begin "a module that crashes"
fresh
mkdir root
objcopy "$GUEST/module.ko" root/module.ko # without its signature
place=$(nm root/module.ko | sed -n 's/^\([0-9a-f]*\) t dummy_setup$/\1/p')
text=$(readelf -SW root/module.ko | sed -n 's/.* \.text  *PROGBITS  *[0-9a-f]*  *\([0-9a-f]*\) .*/\1/p')
printf '\017\013' | dd of=root/module.ko bs=1 seek=$((16#$text + 16#$place + 5)) conv=notrunc status=none
cp "$V/guestinit" root/init
(cd root && find . | cpio --quiet -o -H newc | gzip -1) >initrd.gz
INIT="-initrd initrd.gz" WORDS="$WORDS oops=panic" et -q --run=guest --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
page
says '^  it panicked at [0-9.]+s in init \[1\], on processor 0:$' "who"
says '^    dummy_setup \[dummy\]  <- here$' "where"
says '^    then .*exc_invalid_op.* > panic$' "what followed"
says '^  who called into \[dummy\], the last one first:$' "the module"
says '^ +[0-9.]+s  init \[1\]: dummy_setup, called by alloc_netdev_mqs, which has not returned$' "the last one"
says '^ +[0-9.]+s  init \[1\]: (dummy_)?init_module, called by do_one_initcall' "the one before"
asked '[.troubles[0].stack[].name] | index("do_one_initcall") < index("alloc_netdev_mqs")' true "one stack"
asked '.troubles[0].last_calls[0].open' true "it is open"
asked '.troubles | length' 1 "an oops that becomes a panic is one"
pasted "$S/page"
end

begin "a module that crashes, and a kernel that lives on"
fresh
mkdir root
cp "$V/guestinit" root/init
objcopy "$GUEST/module.ko" root/module.ko
printf '\017\013' | dd of=root/module.ko bs=1 seek=$((16#$text + 16#$place + 5)) conv=notrunc status=none
(cd root && find . | cpio --quiet -o -H newc | gzip -1) >initrd.gz
INIT="-initrd initrd.gz" et --run=guest -o made --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
expect "the last line says so" sh -c "tail -n 1 err | grep -qxE \"exectrace: \\[[0-9]+\\] the guest's kernel (oopsed|panicked); exectrace why made shows where\""
page made
says ': its kernel (oopsed|panicked) at [0-9.]+s' "the outcome"
says 'dummy_setup \[dummy\]' "where"
end

begin "what was not recorded is said"
fresh
WORDS=$WORDS et -q --run='guest --programs=no' --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
page
says "Functions of the guest's programs were not recorded: that takes --run='guest --programs=yes'" "programs"
pasted "$S/page"
fresh
WORDS="$WORDS panics" et -q --run='guest --functions=vfs_*' --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
page
says '^The guest of qemu' "only some functions"
says 'The panic itself is not in the recording|no panic and no oops was recorded' "without panic"
pasted "$S/page"
end

begin "a single file; a clock that counts instructions"
fresh
# shellcheck disable=SC2086 # words
$BOOT -append "$WORDS" -icount shift=0 -plugin "$BUILD/exectrace-guest.so,out=one.xtr,clock=insn" >out 2>err </dev/null
page one.xtr
says '^The guest of one.xtr: no panic' "the file"
says 'User space$' "its phases"
pasted "$S/page"
end

finish
