#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# why: guests that go wrong (tests/guest/init): boots that are slow, panics, hung tasks, too little memory.
# limit: 1800
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../why.sh"
needs jq
[ -e "$GUEST/problems.made" ] || skip "guests that go wrong could not be made: $(tail -n 1 "$GUEST/problems.log" 2>/dev/null)"

# Nothing of it is on a console.
SILENT='quiet loglevel=0 oops=panic panic=-1 no_timer_check'

# problem NAME [WORD...]: boots that guest; the page of --why is in $S/err, as JSON in $S/json. WORDs go to its kernel. ENDS: the status
# of its QEMU (0); STAYS: a guest that does not end gets so many seconds, and SIGTERM.
problem()
{
	local initrd=$GUEST/problems/$1.gz qemu=$BARE

	shift
	fresh
	[ -z "${STAYS-}" ] || qemu="timeout $(limit "$STAYS") ${BARE#timeout * }"
	echo "exec $qemu -no-reboot -initrd $initrd -append '$SILENT $*'" >"$S/harness"
	et -q --why --run=guest --exe='qemu-system-*' -- sh "$S/harness" >"$S/out" 2>"$S/err" </dev/null
	expect_equal $? "${ENDS-0}" "its status"
	expect "at most 100 lines" test "$(wc -l <"$S/err")" -le 100
	expect_lines 0 "$S/err" '^exectrace' "no complaint"
	pasted "$S/err"
	"$EXECTRACE" why --json >"$S/json"
	says '^The guest of qemu-system-x86_64 .*: .*, 1 processor$' "how it went"
	says '^ +[0-9.]+[mu]?s +[0-9.]+[mu]?s +[0-9]+%  Kernel start$' "a phase"
	says '^ +[0-9.]+[mu]?s +([0-9]+m)?[0-9.]+[mu]?s +[0-9]+%  User space$' "the phase of programs"
}

# asked FILTER WANTED NAME: of the guest
asked()
{
	expect_equal "$(jq -r ".guests[0] | $1" "$S/json")" "$2" "$3"
}

# stack NAME: the functions of the first trouble's stack, in one line
stack()
{
	jq -r '.guests[0].troubles[0].stack | map(.name) | join(" ")' "$S/json"
}

# ended: the guest powered off
ended()
{
	says '^The guest of .*: no panic and no oops was recorded, it powered off at [0-9.]+s, 1 processor$' "it ended well"
	says '%  Shutdown$' "it was switched off"
	asked '.troubles | length' 0 "no trouble"
}

# idle NAME: the processor was idle for a second at least of the phase of programs
idle()
{
	asked '.phases[] | select(.name == "User space") | .idle >= 1000000000' true "$1"
}

# stuck: the two that wait for each other
stuck()
{
	says '^ +[0-9.]+s  flusher \[[0-9]+\] in __mutex_lock\S* \(ioctl of /dev/abba\), called by abba_\w+ \[abba\].*; abba_collector \[[0-9]+\] has the lock$' "who waits"
	says '^ +[0-9.]+s  abba_collector \[[0-9]+\] in __mutex_lock\S*, called by abba_\w+ \[abba\]; flusher \[[0-9]+\] has the lock$' "and who waits for it"
	says '^  deadlock: (flusher|abba_collector) \[[0-9]+\] waits for (flusher|abba_collector) \[[0-9]+\], which waits for (flusher|abba_collector) ' "each for the other one"
	asked '[.waiting[] | select(.deadlock) | .task + " " + .owner] | sort | join(", ")' "abba_collector flusher, flusher abba_collector" "the same as JSON"
}

# hung: each of these is shown as a hang, with the stack that it waits in
hung()
{
	asked '[.troubles[] | select(.kind == "hang").task] | sort | join(" ")' "abba_collector flusher" "who hangs"
	says '^  it hung at [0-9.]+s in flusher \[[0-9]+\], on processor 0:$' "the program"
	says '^    abba_collector \[[0-9]+\] has the lock$' "who has what it waits for"
	says '^    flusher \[[0-9]+\], started by /bin/busybox sh /init( warns)? \[1\]$' "its command, and who began it"
	asked '.troubles[] | select(.task == "flusher").stack | map(.name) | join(" ") | test("main .*do_syscall_64 .*abba_ioctl .*__mutex_lock\\S*$")' true "its stack, from main on"
	asked '.troubles[] | select(.task == "abba_collector").stack | map(.name) | join(" ") | test("^kthread abba_collector .*__mutex_lock\\S*$")' true "and the other one's"
}

# own TABLE: what meter's functions have in a CSV of report: name, calls, own time
own()
{
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } /^"?meter_/ { print $at["function"], $at["count"], $at["local"] }' "$S/$1" | sort
}

begin "a boot that is slow for two reasons"
problem slow-boot
ended
says '^ +by themselves: .* of hwindex ' "the program computes"
says '^ +programs by themselves: hwindex \[[0-9]+\] ' "which one"
says '^ +initcalls: tsens_init \[[0-9]+\] [0-9.]+s' "the module's beginning"
says '^ +waited: .*insmod \[[0-9]+\] ([3-9]|[0-9]{2,})[0-9.]*s in msleep' "it waits"
idle "for four seconds"
says '^ +[0-9.]+s +[0-9]+%  insmod( [^[]*)? \[[0-9]+\] waited in msleep x[0-9]+, [0-9.]+ms each, called by tsens_wait_ready \[tsens\]; a timer ended it$' "one reason"
says '^ +for it waited sh( [^[]*)? \[[0-9]+\] in do_wait' "and who waited for it"
says '^ +[0-9.]+s +[0-9]+%  hwindex( [^[]*)? \[[0-9]+\] ran: .*is_known of hwindex' "the other one"
says '^ +is_known of hwindex takes longer call by call: .*: linear, so quadratic in all' "and why"
asked '[.delays[0:2][] | .task + " " + .kind] | sort | join(", ")' "hwindex ran, insmod waited" "these two delayed it most"
asked '[.delays[].time] | add as $sum | $sum > 0' true "the chain has a length"
"$EXECTRACE" report --csv -n 100000 >"$S/table"
expect "no call ran and waited longer than it lasted" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["elapsed_ns"] * 1.0001 + 1000 < $at["ran_ns"] + $at["waited_ns"] { bad = 1 } $at["delay_ns"] > $at["elapsed_ns"] * 1.0001 + 1000 { bad = 1 }
	END { exit bad || NR < 1000 }' "$S/table"
expect "msleep waited for four seconds, and delayed the boot" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["function"] == "msleep" { good = $at["waited_ns"] > 3.5e9 && $at["delay_ns"] > 3.5e9 && $at["time_ns"] < 1e9 } END { exit !good }' "$S/table"
"$EXECTRACE" timeline --csv >"$S/table"
expect "the load of the module is in the story" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["kind"] == "module" && $at["waited_ns"] > 3.5e9 && $at["delay_ns"] > 3.5e9 { good = 1 } END { exit !good }' "$S/table"
"$EXECTRACE" graph --csv tsens_wait_ready >"$S/table"
expect "and in a graph" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["function"] == "msleep" && $at["waited_ns"] > 3.5e9 { good = 1 } END { exit !good }' "$S/table"
"$EXECTRACE" calls --csv --function=tsens_wait_ready --depth=1 >"$S/table"
expect "and in the list of calls" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["function"] == "tsens_wait_ready" && $at["waited_ns"] > 3.5e9 && $at["duration_ns"] >= $at["waited_ns"] { good = 1 } END { exit !good }' "$S/table"
end

begin "a list that grows"
problem growing-list
ended
says '^ +by themselves: .*rule_find \[rules\]' "where"
says '^ +programs by themselves: loadrules \[[0-9]+\] ' "who"
says '^ +rule_find \[rules\] takes longer call by call: .*: linear, so quadratic in all; late calls call rule_equal [0-9,]+ times' "why"
says '^ +[0-9.]+[mu]?s +[0-9]+%  loadrules( [^[]*)? \[[0-9]+\] ran: ' "it delayed the boot"
"$EXECTRACE" report >"$S/table"
expect_lines 1 "$S/table" '^# rule_find \[rules\] grows: .*linear, so quadratic in all' "report says so, too"
end

begin "a child that waits for a lock of another one"
problem held-lock
ended
says '^ +waited: .*store \[[0-9]+\] [0-9.]+s in do_wait' "the parent"
says '^ +waited: .*store \[[0-9]+\] [0-9.]+s in do_nanosleep \(clock_nanosleep\)' "who has the lock"
idle "all were waiting"
says '^ +[0-9.]+s +[0-9]+%  store( [^[]*)? \[[0-9]+\] waited in do_nanosleep \(clock_nanosleep\); a timer ended it$' "who slept with the lock"
says '^ +for it waited store( [^[]*)? \[[0-9]+\] in (locks_lock_inode_wait|wait_for_partner|do_wait)' "and who waited for it: for the lock, the FIFO, the child"
asked '[.delays[] | select(.function == "do_nanosleep").time] | add | . > 5000000000' true "sleeps delayed it"
end

begin "a hung task, for which the kernel panics"
problem hung-task
says '^  it panicked at [0-9.]+s in khungtaskd \[[0-9]+\], on processor 0:$' "who"
asked '[.phases[].waits[] | select(.task == "flusher") | .function + " " + .call] | .[0] | test("^__mutex_lock.* __x64_sys_ioctl$")' true "the hung task"
asked '.troubles[0].kind' panic "it is a panic"
says '^    \[ *[0-9.]+\] Kernel panic - not syncing: hung_task: blocked tasks$' "the reason, though nothing is on a console"
hung
stuck
end

begin "a hung task, of which the kernel only tells"
STAYS=45 ENDS=124 problem hung-task warns
says '^The guest of .*: its kernel hung at [0-9.]+s, it was still running, idle, when the recording ended' "the outcome"
hung
stuck
end

begin "a hung task, and nobody who ends it"
STAYS=60 ENDS=124 problem hung-task patient
says '^The guest of .*: no panic and no oops was recorded, it was still running, idle, when the recording ended, 1 processor$' "it did not end itself"
asked .end running "the same as JSON"
asked '.qemu_status, (.qemu | startswith("qemu-system-x86_64 "))' "exit 0
true" "its QEMU took the SIGTERM as a wish"
stuck
asked '[.phases[].waits[] | select(.task == "flusher") | .function + " " + .call] | .[0] | test("^__mutex_lock.* __x64_sys_ioctl$")' true "the hung task"
asked '.troubles | length' 0 "no trouble"
end

begin "a timer that was not cancelled"
problem late-oops
says '^  it panicked at [0-9.]+s in an interrupt of \S+ \[[0-9]+\], on processor 0:$' "the outcome"
expect "where, down to what the processor did" grep -qE '(start_kernel|do_syscall_64|main|kthread) .*asm_sysvec_apic_timer_interrupt .*call_timer_fn meter_tick meter_store$' <(stack)
says '^    --- interrupted by ---$' "over the interrupt"
asked '[.troubles[0].stack[] | select(.interrupt).name] | last' asm_sysvec_apic_timer_interrupt "which is marked"
asked .end "was reset" "and then it was reset"
moment=$(jq -r '.guests[0].troubles[0].time / 1e9' "$S/json")
"$EXECTRACE" calls --at="$moment" >"$S/table"
expect_lines 1 "$S/err" "^  more: exectrace calls --at=$(printf %.9f "$moment") --task=0 \S+\.xtr$" "the page has a command for it"
expect "calls --at shows the same stack" grep -qzP '(?s)interrupted by.*asm_sysvec_apic_timer_interrupt.*call_timer_fn.*meter_store' "$S/table"
"$EXECTRACE" calls --at="$moment" --task=meterd >"$S/table"
expect "and where the program waits" grep -qzP '(?s)# meterd \[\d+\] waits, .*do_syscall_64.*do_nanosleep' "$S/table"
"$EXECTRACE" graph meter_store >"$S/table"
expect_lines 1 "$S/table" ' <~ .* asm_sysvec_apic_timer_interrupt ' "graph shows what was interrupted"
says '^    meter_store \[meter\]  <- here$' "the module"
says '^    then .*page_fault_oops.* > panic$' "what followed"
says '^ +[0-9.]+s  meterd \[[0-9]+\]: meter_ioctl, called by __x64_sys_ioctl, 8 times$' "the program"
asked '.troubles | length' 1 "one trouble"
# Of 500 interrupts one runs the module.
"$EXECTRACE" report --csv --clock=guest -n 100000 >"$S/everything"
"$EXECTRACE" report --csv --clock=guest -n 1000 --module=meter >"$S/table"
expect "interrupts of all" grep -q '^"*asm_common_interrupt' "$S/everything"
expect_lines 1 "$S/table" '^"?asm_' "the one interrupt that runs its timer"
expect_lines 1 "$S/table" '^"?asm_sysvec_apic_timer_interrupt"?,1,' "once"
expect_lines some "$S/table" '^"?meter_' "the module's functions"
expect "own times are those that they have in the table of all" cmp <(own everything) <(own table)
"$EXECTRACE" report --csv --clock=guest -n 1000 --module=meter --irq=no >"$S/table"
expect_lines 0 "$S/table" '^"?asm_' "without interrupts"
expect "all of its functions, its timer too" cmp <(own everything) <(own table)
"$EXECTRACE" calls --module=meter --irq=no >"$S/table"
expect "the timer's call" grep -qzP '\nmeter_tick\n\|  meter_store\n' "$S/table"
end

begin "requests that nobody wakes"
problem lost-wakeup
ended
says '^ +waited: .*diskcheck \[[0-9]+\] [0-9.]+s in queue_wait \(ioctl\)' "the slow queue"
says '^ +[0-9.]+s +[0-9]+%  ([2-4] x )?diskcheck( [^[]*)? \[[0-9]+\] waited in queue_wait \[queues\] \(ioctl\) x[1-4][0-9], [0-9.]+ms each; a timer ended it$' "its time-outs delayed all"
end

begin "one of 32 that was set up otherwise"
problem odd-one-out
says '^  it panicked at [0-9.]+s in kworker/\S+ \[[0-9]+\], on processor 0:$' "who"
expect "where" grep -qE 'process_one_work mixer_work channel_level\S*$' <(stack)
says '^    then .*exc_divide_error.* > panic$' "what followed"
says '^ +[0-9.]+s  channel \[[0-9]+\] \(channel [0-9]+ [0-9]+\): mixer_ioctl, called by __x64_sys_ioctl(, [0-9]+ times)?$' "programs"
says '^ +[0-9.]+s  31 of 32 calls of mixer_set_gain \[mixer\] call channel_calibrate; not that of channel \[[0-9]+\], [0-9.]+s before it panicked$' "the one that was otherwise"
end

begin "init ends, for a process has killed the reader of a FIFO"
problem killed-reader
says '^The guest of .*: its kernel panicked at [0-9.]+s and reset it, 1 processor$' "the outcome"
says '^  how it came to that:$' "back to the reason"
says '^ +[0-9.]+s  /bin/busybox sh /init \[1\] exit 141$' "init, with the status of a signal"
says '^ +[0-9.]+s  sh /etc/collect \[[0-9]+\] SIGPIPE: nobody read /run/metrics any more$' "who ended by that signal"
says '^ +[0-9.]+s  cat /run/metrics \[[0-9]+\], which had read that, SIGKILL, sent by sh /etc/tidy \[[0-9]+\]$' "who was killed, and by whom"
says '^  programs that ended well, though what they wrote was lost:$' "a full file system, of which nobody took notice"
says '^ +[0-9.]+s  sh -c .*echo 4711 >/run/full/id; exit 0.* \[[0-9]+\]$' "who could not write"
says '^ +write\(1</run/full/id>, "4711\\n", 5\) += -1 ENOSPC ' "its call"
asked '[.how_it_came[] | .command + " " + (.sent_by // "-") + " " + (.broken_pipe // "-")] | join("; ")' \
	"/bin/busybox sh /init - -; sh /etc/collect - /run/metrics; cat /run/metrics sh /etc/tidy -" "the same as JSON"
end

begin "init ends, for there can be no more processes"
problem no-more-processes
says '^ +[0-9.]+s  /bin/busybox sh /init \[1\] exit 2: .*can.t fork: Resource temporarily unavailable$' "what init said"
says '^ +clone\(.*= -1 E' "the call that failed"
says '^ +50 processes that sessions 50 \[[0-9]+\] had started had ended then, and it had waited for 0 of them: the others still count$' \
	"whose children were not waited for"
says '^  closed again what it had closed before: sessions 50 \[[0-9]+\], 4 times, last descriptor 3 at [0-9.]+s:$' "who closes twice"
end

begin "who holds a lock is stopped, by a process that is killed"
STAYS=25 ENDS=124 problem stopped-holder
says '^  QEMU was ended by timeout\(1\), whose time was over$' "how it ended"
says '^ +[0-9.]+s  indexer hold \[[0-9]+\] was stopped by a signal, from index_batch < main of indexer: SIGSTOP was sent at [0-9.]+s by sh /etc/governor \[[0-9]+\],$' \
	"who is stopped, where, by whom"
says '^ +which ended at [0-9.]+s, SIGTERM, sent by /bin/busybox sh /init \[1\]$' "and what became of that one"
says '^ +[0-9.]+s  indexer get \[[0-9]+\] in locks_lock_inode_wait \(flock of /run/database.lock\), from .*; locked by indexer hold \[[0-9]+\], which is stopped, since [0-9.]+s$' \
	"who waits for it"
says '^ +[0-9.]+s  indexer await \[[0-9]+\] in futex_wait_queue.* < await_link < main of indexer; until a time of a clock that .* set at [0-9.]+s$' \
	"who waits for a time that is far away now"
asked '[.waiting[] | select(.stopped_by == "SIGSTOP").stopper] | join(" ")' "sh /etc/governor" "the same as JSON"
end

begin "a real-time task keeps others from the processor"
problem real-time
ended
says '^ +[0-9.]+s +[0-9]+%  .* could run, and had no processor: for [0-9.]+s of it ran$' "those it keeps from it"
says '^ +mixer audio \[[0-9]+\], which is SCHED_FIFO: wait_ring of mixer [0-9.]+s$' "it, and its function"
says '^ +[0-9.]+m?s +[0-9]+%  mixer records \[[0-9]+\] ran, [0-9.]+m?s of it in lookup_record of mixer and below: ' "the program that has the kernel work"
says '^ +[0-9.]+m?s  /bin/busybox sh /init \[1\] started [0-9]+, 60 x expr, of [0-9.]+m?s each$' "many short programs"
asked '[.phases[] | select(.name == "User space").functions[] | select(.name == "[unknown]")] | length' 0 "nothing that it ran is without a name"
"$EXECTRACE" graph wait_ring >"$S/graph"
expect_lines 1 "$S/graph" '^# wait_ring: 1 calls, [0-9.]+s in all, .* [0-9.]+s of it itself$' "it spun, and waited for nobody"
end

begin "a reset by who writes to the wrong file"
problem reset-by-link
says '^The guest of .*: no panic and no oops was recorded, it was reset at [0-9.]+s, 1 processor$' "the outcome"
says '^  it was reset at [0-9.]+s by sh \[[0-9]+\], on processor 0$' "who"
says '^    sh /etc/lamp blink \[[0-9]+\], started by /bin/busybox sh /init \[1\]$' "its command"
says '^    in the system call write\(1</proc/sysrq-trigger>, "blink\\n", 6\)$' "what it did"
says '^    sysrq_handle_reboot  <- here$' "where, though it has jumped on"
asked '[.ended_by[0].stack[] | select(.jumped).name] | last' sysrq_handle_reboot "which is marked"
says '^    then .*machine_emergency_restart$' "what followed"
says '^    \[ *[0-9.]+\] sh \[[0-9]+\]: sysrq: Resetting$' "the log, with who made the kernel say so"
asked '.ended_by[0] | .task, .own_will, (.stack | map(.name) | index("write_sysrq_trigger") > 0)' "sh
false
true" "the same as JSON"
says '^ +[0-9.]+s  services /run/services \[[0-9]+\] SIGSEGV at address 0$' "a program that crashed"
says '^ +its last system call: read\(3</run/services>, "", 255\) = 0$' "what it read"
says '^ +that file was truncated [0-9.]+[mu]?s before by sh -c .*: >/run/services; sleep 0.2.* \[[0-9]+\]$' "and who had made that empty"
says "^ +[0-9.]+s  cat /run/nothing \\[[0-9]+\\] exit 1: cat: can't open '/run/nothing': No such file" "one that failed"
asked '.failed_programs[] | select(.status == 1).failed_call | test("^openat.*/run/nothing.* = -1 ENOENT")' true "its call"
sh -c "\"\$EXECTRACE\" $(sed -n 's/^  more: exectrace \(syscalls --pid=\)/\1/p' "$S/err")" >"$S/table"
expect "times of its command are those of the page" awk -v end="$(jq '.guests[0].ended / 1e9' "$S/json")" '/write\(.*blink/ {
	good = $3 <= end && end - $3 < 0.04 } END { exit !good }' "$S/table"
expect "the end comes before the phases" test "$(grep -n 'it was reset at.*on processor' "$S/err" | cut -d: -f1)" -lt "$(grep -n 'Kernel start' "$S/err" | cut -d: -f1)"
end

begin "a watchdog that is not fed, because of a lock"
problem starved-watchdog
says '^  it was reset at [0-9.]+s in an interrupt of \S+ \[[0-9]+\], on processor 0: the timer dog_bites \[dog\]$' "what"
says '^    dog_bites \[dog\]  <- here$' "where"
says '^ +[0-9.]+s  [0-9]+ x [a-z]*stat[a-z]*\(/run/ready\) = ENOENT, every [0-9.]+ms until [0-9.]+s$' "what was tried in vain"
asked '.tried[0] | .what, .error, .count > 4' "/run/ready
ENOENT
true" "the same as JSON"
says '^ +[0-9.]+s  feeder \[[0-9]+\] \(feeder /run/state\): dog_write' "who fed it last"
says '^ +[0-9.]+s  feeder /run/state \[[0-9]+\] in locks_lock_inode_wait \(flock of /run/state\), from .*look < main of feeder; locked by sh /etc/backup \[[0-9]+\] since [0-9.]+s$' "what that waits for, and who has it"
says '^ +and [0-9]+ more that slept or waited for children: ' "others wait, too"
asked '.waiting[0] | .command, .for, .what' "feeder /run/state
lock
/run/state" "the same as JSON"
asked '.waiting[0].holder' "sh /etc/backup" "the holder"
end

begin "too little memory"
problem out-of-memory
says '^The guest of .*: its kernel killed a process for lack of memory at [0-9.]+s' "the outcome"
says '^  it killed a process for lack of memory at [0-9.]+s in spool \[[0-9]+\], on processor 0:$' "who wanted more"
expect "for a file of a tmpfs" grep -q 'shmem_write_begin' <(stack)
says '%  Shutdown$' "it was switched off"
end

begin "servers that do not answer, and pipes into which nobody writes"
STAYS=60 ENDS=124 problem no-answer
says '^ +[0-9.]+s  asker sendto 10.0.0.1 53 \[[0-9]+\] in \S+ \(recvfrom of socket:\[[0-9]+\]\), .*; 10.0.0.1:53 has not answered what was sent there at [0-9.]+s$' "by sendto"
says '^ +[0-9.]+s  asker sendmsg 10.0.0.2 514 \[[0-9]+\] in .*; 10.0.0.2:514 has not answered what was sent there at [0-9.]+s$' "by sendmsg"
says '^ +[0-9.]+s  asker poll 10.0.0.3 123 \[[0-9]+\] in \S+ \(poll of socket:\[[0-9]+\]\), .*; 10.0.0.3:123 has not answered what was sent there at [0-9.]+s$' "by connect, and waits in poll"
says '^ +[0-9.]+s  asker connect 10.0.0.4 80 \[[0-9]+\] in \S+ \(connect of port 80\), .*; 10.0.0.4:80 has not answered$' "one that is not connected yet"
says '^ +[0-9.]+s  cat /run/jobs \[[0-9]+\] in pipe_read \(read of /run/jobs\).*; sleep 1000 \[[0-9]+\] had written to it last, at [0-9.]+s$' "a FIFO"
says '^ +[0-9.]+s  cat \[[0-9]+\] in pipe_read \(read of pipe:\[[0-9]+\]\).*; sleep 1001 \[[0-9]+\] had written to it last, at [0-9.]+s$' "a pipe"
asked '[.waiting[] | select(.server).server] | sort | join(" ")' "10.0.0.1:53 10.0.0.2:514 10.0.0.3:123 10.0.0.4:80" "the servers as JSON"
asked '[.waiting[] | select(.writer).writer] | sort | join(", ")' "sleep 1000, sleep 1001" "and the writers"
"$EXECTRACE" syscalls >"$S/table"
expect_lines 1 "$S/table" 'sendto\(3<socket:\[[0-9]+\]>, "who is there\?\\0", 14, 0, \{sa_family=AF_INET, sin_port=htons\(53\), sin_addr=inet_addr\("10\.0\.0\.1"\)\}, 16\) = 14' "a call as strace shows it"
expect_lines 1 "$S/table" 'sendmsg\(3<.*>, \{msg_name=\{sa_family=AF_INET, sin_port=htons\(514\), sin_addr=inet_addr\("10\.0\.0\.2"\)\}, msg_namelen=16, ' "a message"
expect_lines 2 "$S/table" 'connect\(3<.*>, \{sa_family=AF_INET, sin_port=htons\((123|80)\), sin_addr=inet_addr\("10\.0\.0\.[34]"\)\}, 16\)' "connections"
expect_lines 1 "$S/table" 'poll\(\[\{fd=3<UDP:10\.0\.0\.3:123>, events=POLLIN\}\], 1, -1\)' "what is polled, by its name"
expect_lines some "$S/table" 'pipe2?\(\[3<pipe:\[[0-9]+\]>, 4<pipe:\[[0-9]+\]>\]' "a pipe's ends"
end

begin "a semaphore that a kernel thread has to write"
STAYS=60 ENDS=124 problem written-table
says '^ +[0-9.]+s  sh -c .*/look.* in rwsem_down_read_slowpath\S* \(write of \S+\), called by table_look \[table\].*; table_writer \[[0-9]+\] has the lock$' "who waits, and for whom"
asked '[.waiting[] | select(.owner).owner_is] | join(" ")' has "the same as JSON"
end

begin "threads that wait for each other"
STAYS=60 ENDS=124 problem deadlock
one=$(sed -nE 's/^ +[0-9.]+s  first \[([0-9]+)\] of locker cycle .*/\1/p' "$S/err")
says '^ +[0-9.]+s  first \[[0-9]+\] of locker cycle \[[0-9]+\] in \S+ \(futex\), .*___pthread_mutex_lock < in_cycle .*; second \[[0-9]+\] has the lock$' "one of two"
says '^ +[0-9.]+s  second \[[0-9]+\] of locker cycle \[[0-9]+\] in \S+ \(futex\), .*; first \[[0-9]+\] has the lock$' "the other one"
says '^ +[0-9.]+s  locker ended \[[0-9]+\] in .*; taker \[[0-9]+\] had the lock, and has ended$' "a lock that nobody will unlock"
says '^ +[0-9.]+s  taker \[[0-9]+\] of locker itself \[[0-9]+\] in .*; it has the lock itself$' "one that has locked twice"
expect_lines 2 "$S/err" '^  deadlock: first \[[0-9]+\] waits for second \[[0-9]+\], which waits for first \[[0-9]+\]$' "both circles, also that of which the kernel knew"
expect_lines 1 "$S/err" '^  deadlock: taker \[[0-9]+\] waits for a lock that it has itself$' "the circle of one"
expect "the numbers are theirs" grep -q "^  deadlock: first \[$one\] waits" "$S/err"
asked '[.waiting[] | select(.deadlock) | .task + " " + .owner] | sort | join(", ")' "first second, first second, second first, second first, taker taker" "the same as JSON"
asked '[.waiting[] | select(.owner_is == "joined").for] | unique | join(" ")' child "who waits for the end of a thread"
end

finish
