#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: triggers, in KFI's language and as options.
# limit: 900
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

# The kernel itself counts the tasks that it makes: each is a window. A list makes no window, and windows need no list.
begin "windows, in KFI's language"
fresh
cat >kfi <<-'END'
	# each fork
	begin
	  trigger start entry kernel_clone
	  trigger stop exit kernel_clone
	  filter noints
	  autorepeat
	end
END
boot 'guest --config=kfi --output=made.xtr'
sound
forks=$(sed -n 's/^forks //p' said)
windows=$(grep -c '^window ' recorded)
expect "there were forks" test "$forks" -gt 50
calls=$(calls_of kernel_clone)
# Later ones are of the kernel alone. When a task forks while another one that forks does not run, one window has both.
expect "a call for each of $forks forks, not $calls" test "$calls" -ge "$forks" -a "$calls" -le $((forks + 5))
expect "a window for each of $calls calls, not $windows" test "$windows" -le "$calls" -a "$windows" -ge $((calls - 5))
expect_equal "$(calls_of copy_process)" "$calls" "with what it calls"
expect_lines 0 recorded '^function .* (fib|load_elf_binary|vfs_write)$' "nothing that is not within"
expect_lines 0 recorded '^function .* asm_sysvec' "and no interrupts"
end

# What follows does not depend on the engine.
engines notify "the rest is what the plugin does"

begin "one task, from a moment on"
fresh
boot 'guest --task=guestchil[a-d] --output=made.xtr'
sound
child=$(sed -n 's/^child //p' said)
expect_equal "$(calls_of fail_often)" 1 "what the child calls, the first task does not count"
expect_equal "$(calls_of fib)" "" "that one is not told of"
expect_lines 100 recorded "^syscall $child 80 -2$" "its system calls"
expect_lines 0 recorded '^syscall 1 ' "those of no other"
fresh
boot 'guest --from=exit:fib --module=init --exclude=fib --output=made.xtr'
sound
expect_equal "$(calls_of fail_often)" 2 "what comes later, of the program alone"
expect_lines 0 recorded '^function .* \[kernel\] [^a]' "nothing of the kernel but interrupts"
expect_lines 0 recorded '^function .* fib$' "nor what came before"
end

# refused ACTION WHAT: it is an error, of one line, and nothing is started
refused()
{
	et --run="$1" -- touch started >out 2>err
	expect_equal $? 125 "$1 is refused"
	expect_lines 1 err "^exectrace: --run: guest: $2\$" "with the reason"
	expect_lines 1 err . "in one line"
	expect "before anything runs" test ! -e started
}

begin "what is wrong"
fresh
printf 'begin\n  filter mintme 5\nend\n' >kfi
refused 'guest --config=kfi' "--config: kfi: line 2: 'filter mintme 5': a filter is mintime, maxtime, noints, onlyints or funclist"
refused 'guest --config=nowhere' '--config: nowhere: No such file or directory'
refused 'guest --from=f' "--from: 'f': is not entry:FUNCTION, exit:FUNCTION or time:TIME"
refused 'guest --min=1h' "--min: '1h': is no time: 500us, 20ms, 3s"
refused 'guest --clock=insn --min-time=1ms' 'times are the host.s, and need --clock=tsc'
refused 'guest --ring=9' '--ring=9: not a size of at least 64K'
refused 'guest --task=[z-a]' "--task: '\[z-a\]': Invalid range end"
refused 'guest --config=/dev/fd/9' '--config: /dev/fd/9: QEMU cannot read it, as it is no file with a name' 9< <(true)
refused 'guest --symbols=/dev/fd/9' '/dev/fd/9: QEMU cannot read it, as it is no file with a name' 9< <(true)
end

finish
