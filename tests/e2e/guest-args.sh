#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: arguments and results of functions, and what system calls lead to, against what the guest's program does and says.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

# The program writes what it has computed, and makes calls that fail and a child with status 3.
begin "arguments and results of the kernel's functions, by its own types"
fresh
boot 'guest --args=fib,ksys_*,kernel_clone,do_exit,__x64_sys_chdir --args=dummy_*,kmalloc_slab --args-depth=1 --output=made.xtr'
sound
child=$(sed -n 's/^child \([0-9]*\)$/\1/p' said)
"$EXECTRACE" calls made.xtr --functions='ksys_*,kernel_clone,do_exit,__x64_sys_chdir,dummy_*,kmalloc_slab' >calls
expect_lines 1 calls 'ksys_write\(fd=1, buf="fib\(20\) = 6765\\x0a", count=15\) = 15$' "what the program wrote, no byte more"
expect_lines 1 calls "ksys_write\\(fd=1, buf=\"child $child\\\\x0a\", count=$((${#child} + 7))\\) = $((${#child} + 7))\$" "and its next text"
expect_lines 200 calls '__x64_sys_chdir\(regs=.*\) = -2 \(ENOENT\)$' "200 calls that fail, by the name of their error"
expect_lines 1 calls "kernel_clone\\(args=\\{.*exit_signal=17.*\\}\\) = $child\$" "the fork, with its signal and the child's number"
expect_lines 1 calls 'do_exit\(code=768\)$' "the child's status, of a call that has no result"
# In newer kernels it is part of its callers.
! grep -q '^function .* kmalloc_slab$' recorded ||
	expect_lines some calls 'kmalloc_slab\(size=[0-9]+, .*\) = \{.*name="(kmalloc|dma-kmalloc).*\}$' "what a result leads to"
if grep -q '^module loaded$' said; then
	expect_lines 1 calls 'dummy_init_module\(\) = 0$' "a module's functions, by its own types"
	expect_lines 1 calls 'dummy_dev_init\(dev=\{name="dummy0".*\) = 0$' "which build on the kernel's"
fi
"$EXECTRACE" calls made.xtr --functions=fib --json >rows
expect_equal "$(grep -c '"function":"fib","module":"init","args":{"arg1":"0x' rows)" 21891 "all calls of the program's function"
awk -F'"arg1":"0x|"result":"0x' '
	function number(text,   n) {
		for (n = 0; match(text, /^[0-9a-f]/); text = substr(text, 2))
			n = n * 16 + index("0123456789abcdef", substr(text, 1, 1)) - 1
		return n
	}
	BEGIN { fib[0] = 0; fib[1] = 1; for (i = 2; i <= 20; i++) fib[i] = fib[i - 1] + fib[i - 2] }
	/"function":"fib"/ { n = number($2); bad += number($3) != fib[n]; calls[n]++ }
	END { print bad + 0, calls[20], calls[1] }' rows >sums
expect_equal "$(cat sums)" "0 1 6765" "each result is what the function has to give for its argument"
"$EXECTRACE" export --format=json made.xtr --functions='ksys_write' >lines
expect_lines 1 lines '"args":\["fd=1","buf=\\"fib\(20\) = 6765\\\\x0a\\"","count=15"\],"ret":15,' "exported"
"$EXECTRACE" export --format=csv made.xtr --functions='ksys_write' >csv
expect_lines 1 csv ',ksys_write,\[kernel\],"fd=1, buf=""fib\(20\) = 6765.*"", count=15",15,' "and as text"
end

# The same file is the host's, with its debug information; it begins with the call that has a negative number.
begin "arguments and results of a program's functions, by its debug information"
fresh
mkdir files
cp "$V/guestinit" files/init
WORDS="$WORDS types" boot 'guest --args=fib,add,name_of,last --args-depth=2 --guest-root=files --from=entry:add(a<0) --output=made.xtr'
sound
expect_lines 1 said '^types blue none -289$' "the program has called them"
"$EXECTRACE" calls made.xtr --functions='add,name_of,last' >calls
expect_lines 1 calls '^add\(a=-5, b=-300\) = -305$' "numbers with their sign, from the call on that was asked for"
expect_lines 0 calls 'add\(a=7' "not before"
expect_lines 1 calls '^name_of\(color=BLUE\) = "blue"$' "an enumerator, and a string as the result"
expect_lines 1 calls '^name_of\(color=ODD\) = "none"$' "a negative one"
second='\{value=-2, name="second", next=NULL, color=ODD\}'
expect_lines 1 calls "^last\\(first=\\{value=1, name=\"first\", next=$second, color=BLUE\\}, weight=\\?, times=200\\) = $second\$" \
	"structures, and nothing of what is in no such register"
"$EXECTRACE" calls made.xtr --functions=name_of --from='entry:name_of(color==ODD)' --to=exit:name_of >calls
expect_lines 1 calls '^name_of' "compared by name"
expect_lines 0 calls 'BLUE' "and no other"
end

begin "nothing of that without being asked"
fresh
boot 'guest --output=made.xtr'
sound
"$EXECTRACE" calls made.xtr --functions='ksys_*,kernel_clone,fib' >calls
expect_lines some calls 'ksys_write$' "functions alone"
expect_lines 0 calls '\(|=' "no arguments, no results"
"$EXECTRACE" syscalls made.xtr >calls
# Newer C libraries do not ask.
grep -q '^1 .* readlink(' calls &&
	expect_lines 1 calls '^1 .* readlink\("/proc/self/exe", .*\) += -1 ENOENT ' "a text whose page was not there when the call began"
expect_lines 1 calls '^1 .* write\(1</dev/console>, "fib\(20\) = 6765\\n", 15\) += 15 ' "what is written, and to what"
expect_lines some calls '^1 .* openat\(AT_FDCWD, "/proc/cmdline", O_RDONLY\) += 3</proc/cmdline> ' "what a call opens"
expect_lines some calls '^1 .* read\(3</proc/cmdline>, "console=ttyS0 panic=-1 .*\) += [0-9]+ ' "what is read, and from where"
expect_lines some calls '^1 .* close\(3</proc/cmdline>\) += 0 ' "what is closed"
expect_lines 0 calls '(read|write|close)\([0-9]+[,)]' "no descriptor of which nothing is known"
end

# fib(20) calls fib(3) as often as there are ways to get there: 2584, the 18th Fibonacci number.
begin "triggers compare arguments and results"
fresh
boot 'guest --from=entry:fib(arg1==3) --to=exit:fib --autorepeat --output=made.xtr'
sound
expect_lines 2584 recorded '^window ' "a window for each call with the argument"
"$EXECTRACE" calls made.xtr >calls
expect_lines 2584 calls 'fib\(arg1=0x3, .*\) = 0x2$' "each with its result"
expect_equal "$(grep -c 'fib(arg1=\(0x\)\?[0123], ' calls)" $((2584 * 5)) "with what it calls"
expect_lines 0 calls 'fib\(arg1=0x([4-9a-f]|1[0-4]),' "and nothing else"
fresh
boot 'guest --from=entry:ksys_write(count==9&&fd==1) --to=exit:ksys_write(result>0) --output=made.xtr'
sound
child=$(sed -n 's/^child \([0-9]*\)$/\1/p' said)
"$EXECTRACE" calls made.xtr --function=ksys_write >calls
count=$((${#child} + 7))
if [ $count -eq 9 ]; then
	expect_lines 1 calls "^ksys_write\\(fd=1, buf=\"child $child\\\\x0a\", count=9\\) = 9\$" "the one call"
	expect_lines 1 recorded '^window ' "one window"
else
	expect_lines 0 recorded '^window ' "no window, for nothing is of that length"
fi
fresh
boot 'guest --args=ksys_*,do_sys_openat2,kernel_clone --output=made.xtr'
sound
"$EXECTRACE" calls made.xtr --from='entry:ksys_write(buf=="forks '"$(sed -n 's/^forks //p' said)"'")' --function=ksys_write >calls
expect_lines 0 calls 'fib' "a string is not its beginning"
"$EXECTRACE" calls made.xtr --from='entry:kernel_clone' --to='exit:kernel_clone(result=='"$(sed -n 's/^child //p' said)"')' \
	--functions='kernel_clone,do_exit' >calls
expect_equal "$(grep 'kernel_clone.* = ' calls | tail -n 1 | sed 's/.* = //')" "$(sed -n 's/^child //p' said)" "up to the child"
expect_lines 0 calls 'do_exit\(code=768' "and not farther"
end

begin "what cannot be"
fresh
for bad in 'entry:msleep(msecs)' 'entry:msleep(result>0)' 'exit:msleep(msecs>0)' 'entry:msleep(msecs>1' 'entry:(a>1)' \
	'entry:msleep(msecs>"x")' 'entry:f(a>1;b>1)' 'entry:f(a==1,b==1,c==1,d==1,e==1,f==1,g==1,h==1,i==1)'; do
	et --run="guest --from=$bad" --cmd='^qemu-system' -- true >out 2>err
	expect_equal $? 125 "$bad is refused"
	expect_lines 1 err "--from" "with a line"
done
for bad in --args= '--args=,' --args-depth=9 --args-depth=x; do
	et --run="guest $bad" --cmd='^qemu-system' -- true >out 2>err
	expect_equal $? 125 "$bad is refused"
done
# A library that is none, unless QEMU itself needs the one.
mkdir broken
ldd "$(command -v qemu-system-x86_64)" | grep -q 'libdw\.so' || : >broken/libdw.so.1
LD_LIBRARY_PATH=$PWD/broken more=registers=off,args=fib,root=$PWD trace recorded
expect_lines 1 err '^exectrace-guest: this QEMU gives no registers: arguments ' "without registers a line says so"
[ ! -e broken/libdw.so.1 ] ||
	expect_lines 1 err '^exectrace-guest: libdw\.so\.1 cannot be loaded .*: functions of programs have no types$' "without libdw, too"
expect_lines 1 recorded "^function .* 21891 /init fib$" "and the calls are there"
"$EXECTRACE" calls recorded.xtr --functions=fib >calls
expect_lines 0 calls '\(' "without arguments"
end

finish
