#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Logs of KFT and QEMU, imported and shown: the tables and the call trace that were published of KFT's own tool, made again
# from logs with the same calls; options; what is refused.
. "$(dirname "$0")/../lib.sh"

# shown COMMAND [ARG]...: what a command prints, in $S/out and $S/err; its status
shown()
{
	"$EXECTRACE" "$@" >"$S/out" 2>"$S/err" </dev/null
}

# table: the rows of the table in $S/out, blanks squeezed
table()
{
	sed -n '/^---/,$p' "$S/out" | sed '1d; s/  */ /g; s/ $//'
}

# A boot with counts and times of "Learning the Kernel and Finding Performance Problems with KFI", 2005.
boot_log()
{
	echo "Kernel Instrumentation Run ID 0"
	echo
	echo "Logging started at 0 usec by entry to function start_kernel"
	echo "Total entries filtered = 155574"
	echo
	printf 'Entry\tDelta\tPID\tFunction\tCaller\n'
	awk '
	function share(total, n, i) { return int(total / n) + (i < total % n) }
	function row(entry, delta, name, caller) { print entry "\t" delta "\t0\t" name "\t" caller "+0x10" }
	BEGIN {
		t = k = 0
		for (i = 0; i < 3252; i++) {
			row(t, d = share(7898788, 3252, i), "timer_interrupt", "ret_from_except")
			t += d
		}
		for (i = 0; i < 2870; i++) {
			row(t, d = share(3804507, 2870, i), "do_softirq", "irq_exit")
			if (i < 2863) row(t + 1, share(3790472, 2863, i), "__do_softirq", "do_softirq")
			t += d
		}
		for (i = 0; i < 36; i++) {
			calls = i < 8 ? 2 : 1
			drivers = share(264, 36, i)
			for (j = 0; j < calls; j++) drivers += outer[j] = share(1763745, 44, k + j)
			d = drivers + share(53868, 36, i)
			row(t, d, "release_console_sem", "vprintk")
			row(t, drivers, "call_console_drivers", "release_console_sem")
			at = t
			for (j = 0; j < calls; j++) {
				row(at, outer[j], "_call_console_drivers", "call_console_drivers")
				row(at, inner = share(1763601, 44, k), "__call_console_drivers", "_call_console_drivers")
				row(at, share(1763450, 44, k), "serial8250_console_write", "__call_console_drivers")
				at += outer[j]
				k++
			}
			t += d
		}
	}'
}

boot_log >boot.log
begin "the table of a boot"
shown import boot.log
expect_equal $? 0 "import"
expect_lines 1 "$S/err" '^exectrace: boot.log.xtr: 9189 calls, 8 functions, 155574 calls were left out by filters$' "what was in it"
shown report -f Fctal -n 15 boot.log.xtr
table >"$S/got"
cat >"$S/want" <<'END'
timer_interrupt 3252 7898788 2428 7898788
do_softirq 2870 3804507 1325 14035
__do_softirq 2863 3790472 1323 3790472
release_console_sem 36 1817877 50496 53868
call_console_drivers 36 1764009 49000 264
_call_console_drivers 44 1763745 40085 144
__call_console_drivers 44 1763601 40081 151
serial8250_console_write 44 1763450 40078 1763450
END
expect_same "$S/got" "$S/want" "functions by time"
expect_lines 1 "$S/out" '^# KFT left out 155574 calls by its filters' "what the log says of filters is shown"
expect_lines 1 "$S/out" '^Function  *Count  *Time  *Average  *Local$' "the titles"
shown report -s l -f Fl -n 4 boot.log.xtr
table >"$S/got"
printf '%s\n' "timer_interrupt 7898788" "__do_softirq 3790472" "serial8250_console_write 1763450" "release_console_sem 53868" >"$S/want"
expect_same "$S/got" "$S/want" "functions by local time"
shown report -f Fctlmn -t 1800ms boot.log.xtr
table >"$S/got"
cat >"$S/want" <<'END'
timer_interrupt 3252 7898788 7898788 0
do_softirq 2870 3804507 14035 __do_softirq 2863
__do_softirq 2863 3790472 3790472 0
release_console_sem 36 1817877 53868 call_console_drivers 36
END
expect_same "$S/got" "$S/want" "the callee that takes most"
shown report -s F -f Fpq -n 2 boot.log.xtr
table >"$S/got"
printf '%s\n' "__call_console_drivers 13.04 0.00" "__do_softirq 28.03 28.03" >"$S/want"
expect_same "$S/got" "$S/want" "percentages"
end

begin "triggers and filters afterwards"
shown report -f Fctal --from=entry:do_softirq --to=exit:do_softirq --autorepeat boot.log.xtr
table >"$S/got"
printf '%s\n' "do_softirq 2870 3804507 1325 14035" "__do_softirq 2863 3790472 1323 3790472" "[no function] 0 1817877 0 1817877" >"$S/want"
expect_same "$S/got" "$S/want" "what is within the windows"
expect_lines 1 "$S/out" '^# windows 2870 \(of those that ended the shortest 1\.33ms, on average 1\.33ms, the longest 1\.33ms\); calls 5733; ' "how many windows there were"
shown report -f Fctal --exclude=__do_softirq -n 4 boot.log.xtr
table >"$S/got"
cat >"$S/want" <<'END'
timer_interrupt 3252 7898788 2428 7898788
do_softirq 2870 3804507 1325 14035
[filtered] 2863 3790472 1323 3790472
release_console_sem 36 1817877 50496 53868
END
expect_same "$S/got" "$S/want" "what is left out has a row, and does not change own times"
shown report -f Fc --functions='*console_drivers,0x10' boot.log.xtr
table | grep -v '^\[' >"$S/got"
printf '%s\n' "call_console_drivers 36" "_call_console_drivers 44" "__call_console_drivers 44" >"$S/want"
expect_same "$S/got" "$S/want" "a list of functions"
printf 'begin\n trigger start entry do_softirq\n trigger stop exit __do_softirq\nend\n' >"$S/kfi"
shown calls --config="$S/kfi" -f e boot.log.xtr
expect_equal "$(sed 's/.*[| ]//' "$S/out" | tr '\n' ' ')" "Trace do_softirq __do_softirq " "KFI's language, and the calls of a window"
shown export --format=folded --min-time=50ms boot.log.xtr
expect_lines 1 "$S/out" '^task 0;release_console_sem;call_console_drivers 64000$' "an export of the longest calls"
shown report --from=start boot.log.xtr
expect_equal $? 1 "a trigger that is none"
expect_lines 1 "$S/err" '^exectrace: --from: ' "one line"
end

# do_fork of the same document: what is around the lines that it has is left out.
cat >fork.log <<'END'
Entry(usec) Delta PID Function CalledAt
--------------------------------------
3 11100 19 do_fork sys_clone+0x40
14 1959 19 copy_process do_fork+0xa0
17 80 19 dup_task_struct copy_process+0x94
19 6 19 prepare_to_copy dup_task_struct+0x18
21 2 19 sub_preempt_count prepare_to_copy+0x40
28 6 19 kmem_cache_alloc dup_task_struct+0x28
30 2 19 __might_sleep kmem_cache_alloc+0x90
37 52 19 __get_free_pages dup_task_struct+0x30
39 48 19 __alloc_pages __get_free_pages+0x18
41 2 19 __might_sleep __alloc_pages+0x30
46 2 19 zone_watermark_ok __alloc_pages+0xb4
51 29 19 buffered_rmqueue __alloc_pages+0xd4
54 3 19 __rmqueue buffered_rmqueue+0x90
59 2 19 sub_preempt_count buffered_rmqueue+0x100
63 2 19 bad_range buffered_rmqueue+0x110
68 2 19 __mod_page_state buffered_rmqueue+0x120
72 6 19 prep_new_page buffered_rmqueue+0x130
74 2 19 set_page_refs prep_new_page+0x50
83 1 19 zone_statistics __alloc_pages+0x2e0
1976 9079 19 wake_up_new_task do_fork+0x130
1994 9043 19 preempt_schedule wake_up_new_task+0x88
1996 9018 19 schedule preempt_schedule+0x44
1998 2 19 profile_hit schedule+0x40
2002 2 19 sched_clock schedule+0x4c
2011 8962 19 __switch_to schedule+0x444
2015 11 41 schedule_tail ret_from_fork+0x4
2017 7 41 finish_task_switch schedule_tail+0x20
2020 1 41 sub_preempt_count finish_task_switch+0x50
2033 173 41 do_page_fault handle_page_fault+0xc
2035 2 41 __might_sleep do_page_fault+0x40
2211 267 41 do_page_fault handle_page_fault+0xc
2300 130 41 copy_user_page do_page_fault+0x100
2312 106 41 timer_interrupt ret_from_except+0x0
2432 2 41 page_remove_rmap do_page_fault+0x200
END
begin "the call trace of a fork"
shown import --format=kft -q -o fork.xtr fork.log
expect_equal $? 0 "import"
expect_lines 0 "$S/err" . "-q"
shown calls -l -i fork.xtr
sed -n '4,20p' "$S/out" >"$S/got"
# Entry, Duration, Local and Pid are the published ones, to the microsecond.
cat >"$S/want" <<'END'
        17         80         16      19 |  |  dup_task_struct
        19          6          4      19 |  |  |  prepare_to_copy
        21          2          2      19 |  |  |  |  sub_preempt_count
        28          6          4      19 |  |  |  kmem_cache_alloc
        30          2          2      19 |  |  |  |  __might_sleep
        37         52          4      19 |  |  |  __get_free_pages
        39         48         14      19 |  |  |  |  __alloc_pages
        41          2          2      19 |  |  |  |  |  __might_sleep
        46          2          2      19 |  |  |  |  |  zone_watermark_ok
        51         29         14      19 |  |  |  |  |  buffered_rmqueue
        54          3          3      19 |  |  |  |  |  |  __rmqueue
        59          2          2      19 |  |  |  |  |  |  sub_preempt_count
        63          2          2      19 |  |  |  |  |  |  bad_range
        68          2          2      19 |  |  |  |  |  |  __mod_page_state
        72          6          4      19 |  |  |  |  |  |  prep_new_page
        74          2          2      19 |  |  |  |  |  |  |  set_page_refs
        83          1          1      19 |  |  |  |  |  zone_statistics
END
expect_same "$S/got" "$S/want" "calls and their local times"
sed -n '26,$p' "$S/out" >"$S/got"
# While the first task does not run, its time stands still: the published Local of __switch_to is 8962.
cat >"$S/want" <<'END'
      2011       8962          4      19 |  |  |  |  __switch_to
      2015         11          4      41 schedule_tail
      2017          7          6      41 !  finish_task_switch
      2020          1          1      41 !  !  sub_preempt_count
      2033        173        171      41 do_page_fault
      2035          2          2      41 @  __might_sleep
      2211        267        135      41 do_page_fault
      2300        130         24      41 [  copy_user_page
----------- #### start --------------
      2312        106        106      41 timer_interrupt
----------- #### end ----------------
      2432          2          2      41 [  page_remove_rmap
END
expect_same "$S/got" "$S/want" "another task, and an interrupt"
shown calls --function='do_page_*' -f pt -m 8 -d 2 fork.xtr
cat >"$S/want" <<'END'
    Pid   Duration Trace
     41        173 do_page_
     41          2 |  __might_
     41        267 do_page_
     41        130 |  copy_use
     41          2 |  page_rem
END
expect_same "$S/out" "$S/want" "a function, columns, names cut, levels"
shown calls --task=19 --min=1ms -n 2 fork.xtr
printf '%s\n' Trace do_fork "|  copy_process" >"$S/want"
expect_same "$S/out" "$S/want" "a task, long calls, the first of them"
shown calls --irq=only --csv fork.xtr
expect_lines 1 "$S/out" '^2312000,106000,106000,seen,41,,43,0,1,0,0,timer_interrupt,,,,106000,0$' "interrupts as CSV"
shown report --by=task -f Ft --irq=no fork.xtr
table >"$S/got"
printf '%s\n' "task 41 8852" "task 19 2142" "[interrupts] 106" >"$S/want"
expect_same "$S/got" "$S/want" "tasks"
shown report --under=do_page_fault --min=100 fork.xtr
expect_equal $? 0 "under a function"
shown report --time=0,0.002 --under=dup_task_struct -f Fct -n 1 fork.xtr
expect_equal "$(table)" "dup_task_struct 1 80" "some of the time"
end

begin "a log of QEMU with a System.map, from a pipe"
cat >System.map <<'END'
ffffffff81000000 T start_kernel
ffffffff81000100 t setup
ffffffff81000200 T memset
ffffffff81000300 D data
END
awk 'BEGIN {
	p = "Trace 0: 0x7f0c38000100 [0000000000000000/%s/0000c2b0/ff000200]\n"
	printf p, "00000000fffffff0"
	for (i = 0; i < 1000; i++) {
		printf p, "ffffffff81000000"
		printf p, "ffffffff81000100"
		for (j = 0; j < 10; j++) { printf p, "ffffffff81000200"; printf p, "ffffffff81000210"; printf p, "ffffffff81000120" }
		printf p, "ffffffff81000050"
	}
}' | "$EXECTRACE" import --symbols=System.map -o qemu.xtr - 2>"$S/err"
expect_lines 1 "$S/err" '^exectrace: qemu.xtr: 33001 blocks, 4 functions$' "what was in it"
shown report qemu.xtr
table >"$S/got"
cat >"$S/want" <<'END'
[below the kernel] 1 ~33001 33001 1 100.00 0.00
start_kernel 1000 ~33000 33 2000 100.00 6.06
setup 1000 31000 31 11000 93.94 33.33
memset 10000 20000 2 20000 60.60 60.60
END
expect_same "$S/got" "$S/want" "functions"
shown report --time=1,2 qemu.xtr
expect_equal $? 1 "blocks are no time"
expect_lines 1 "$S/err" '^exectrace: --time: its clock does not count time' "which is said"
end

begin "what is refused"
printf 'Entry Delta PID Function Caller\n400 1390 init_bootmem\n' >bad.log
shown import bad.log
expect_equal $? 1 "a bad log"
expect_lines 1 "$S/err" '^exectrace: bad.log:2: not a row of KFT: a process id is the third column$' "the line of a bad log"
expect "nothing is left" test ! -e bad.log.xtr -a ! -e bad.log.xtr.part
printf 'Entry Delta PID Function Caller\n400 1390 1 init_bootmem setup\n' >own.log
cp own.log before && ln -s own.log link.log
shown import -o link.log own.log
expect_equal $? 1 "a recording in place of its log"
expect_lines 1 "$S/err" "^exectrace: --output: 'link.log' is the log itself\$" "which is said"
expect_same own.log before "the log"
shown import
expect_lines 1 "$S/err" "a log is missing" "no log"
shown report -e open boot.log.xtr
expect_lines 1 "$S/err" "are about system calls" "system calls of a guest"
shown report --by=module "$TESTS/golden/recording"
expect_lines 1 "$S/err" "about the functions of a guest" "functions of system calls"
shown calls "$TESTS/golden/recording"
expect_lines 1 "$S/err" "syscalls. lists them" "calls of system calls"
shown report -f FcX boot.log.xtr
expect_lines 1 "$S/err" "not a list of columns" "a column that is none"
shown report -s Q boot.log.xtr
expect_lines 1 "$S/err" "none of F c t" "an order that is none"
end

begin "a reader that goes away"
"$EXECTRACE" calls boot.log.xtr 2>"$S/err" | head -n 2 >"$S/out"
expect_equal "${PIPESTATUS[0]}" 0 "the status"
expect_lines 0 "$S/err" . "nothing is said"
end

finish
