#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: one call among many that differs, and a function whose calls cost more and more: in why, calls and report.
# limit: 600
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../why.sh"
needs cpio gzip jq
export LC_ALL=C

# asked FILTER WANTED NAME: of the first guest on the page
asked()
{
	expect_equal "$(jq -r ".guests[0] | $1" json)" "$2" "$3"
}

begin "a guest with both"
fresh
mkdir root
cp "$V/guestodd" root/init
(cd root && find . | cpio --quiet -o -H newc | gzip -1) >initrd.gz
INIT="-initrd initrd.gz" WORDS=$WORDS et -q --run=guest --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
expect_equal $? 0 "its status"
expect_lines some out 'guest ends' "it ran to its end"
end

begin "why"
"$EXECTRACE" why >page 2>err
expect_equal $? 0 "status of why"
expect_lines 1 page '^  calls that differ from the others of their function:$' "odd calls"
expect_lines 1 page '^ +[0-9.]+s  31 of 32 calls of set_gain of init call calibrate; not that of odd \[[0-9]+\], [0-9.]+[mu]?s before the end$' "which one"
expect_lines 1 page ' calls of ' "and no other"
grows='13 instructions at the 1st call, 3[0-9],[0-9]{3} at the 3,000th: linear, so quadratic in all; late calls call is_same 2,[0-9]{3} times'
expect_lines 1 page "^ +find of init takes longer call by call: $grows \([0-9]+% of (what was executed in )?this phase\)\$" "what grows"
expect_lines 1 page 'takes longer call by call' "and nothing else"
pasted page
"$EXECTRACE" why --json >json 2>err
asked '.odd_calls | length' 1 "odd calls in JSON"
asked '.odd_calls[0] | .function, .module, .calls, .odd, .task, (.differences | tojson)' 'set_gain
init
32
1
odd
[{"how":"lacks","function":"calibrate"}]' "the one"
asked '.duration as $all | .odd_calls[0].time | . > 0 and . < $all' true "its time"
asked '.growth[] | .function, .phase, .trend, .calls, .late_callee' 'find
User space
linear
3000
is_same' "growth"
asked '.growth[0] | .first < .first_tenth and .first_tenth * 10 < .last_tenth and .last_tenth < .last' true "what it cost"
asked '.growth[0] | .total > .calls * .last * 0.45 and .total < .calls * .last * 0.55' true "all of it"
asked .cost_unit instructions "unit"
end

begin "calls"
"$EXECTRACE" calls --odd -n 1 >odd 2>err
expect_lines 1 odd '^ *[0-9.]+([MG]|m?s)? +1 +32  set_gain +init +odd \[[0-9]+\] +does not call calibrate$' "the most telling one"
expect_equal "$(wc -l <odd)" 2 "a line for it"
"$EXECTRACE" calls --odd=set_gain --csv >shapes 2>err
expect_equal "$(cut -d, -f1-3,5,10 shapes)" 'function,module,calls,task,callees
set_gain,init,31,even,calibrate
set_gain,init,1,odd,' "all shapes"
"$EXECTRACE" calls --odd=set_gain --json >shapes 2>err
expect_equal "$(jq -r '.[] | .calls, .last_task' shapes)" '31
even
1
odd' "as JSON"
expect_equal "$(jq -r '.[1] | .first == .last and .pid == .last_pid' shapes)" true "it is one call"
"$EXECTRACE" calls --odd='set_gai?' >shapes 2>err
expect_equal "$(wc -l <shapes)" 3 "a pattern"
"$EXECTRACE" calls --odd=is_same >shapes 2>err
expect_equal "$(wc -l <shapes)" 2 "calls that are all alike"
"$EXECTRACE" calls --odd --task=odd >out 2>err
expect_equal $? 1 "only some tasks"
expect_lines 1 err '^exectrace: --odd goes with none of --function, --task, --pid, --irq, --min, --max$' "are refused"
"$EXECTRACE" calls --function=find --depth=1 >calls 2>err
expect_equal "$(grep -c '^find$' calls)" 3000 "its calls"
expect_lines 1 calls "^# find init grows: 13 instructions at the 1st call, [0-9.]+k at the 3,000th: linear, so quadratic in all; late calls call is_same 2,[0-9]{3} times\$" "how they grow"
expect_equal "$(tail -n 1 calls | cut -c 1-6)" '# find' "at their end"
"$EXECTRACE" calls --function=calibrate >calls 2>err
expect_lines 0 calls '^#' "others do not grow"
end

begin "report"
"$EXECTRACE" report -n 3 >report 2>err
expect_lines 1 report '^# find init grows: 13 instructions at the 1st call, .*: linear, so quadratic in all; late calls call is_same ' "a line in front"
expect_lines 1 report ' grows: ' "no other"
"$EXECTRACE" report -s g -f Fcgby --csv --clock=guest >report 2>err
expect_equal "$(sed -n 1p report)" 'function,count,growth,first,last' "columns"
expect_lines 1 report '^find,3000,linear,13,[0-9]+$' "the function"
expect_lines 1 report '^add_name,3000,linear,[0-9]+,[0-9]+$' "the one that calls it"
expect_lines 1 report '^is_same,[0-9]+,,,$' "one that does not grow"
expect_equal "$(awk -F, 'NR > 1 && $3 == "" { none = 1 } NR > 1 && $3 != "" && none' report)" '' "those that grow come first"
"$EXECTRACE" report --function=calibrate >report 2>err
expect_lines 0 report ' grows: ' "only what is asked for"
end

begin "results that were recorded"
fresh
mkdir root
cp "$V/guestodd" root/init
(cd root && find . | cpio --quiet -o -H newc | gzip -1) >initrd.gz
INIT="-initrd initrd.gz" WORDS=$WORDS et -q --run='guest --args=__x64_sys_chdir' --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
expect_equal $? 0 "its status"
"$EXECTRACE" calls --odd --csv >odd 2>err
expect_equal "$(grep -c '__x64_sys_chdir,' odd)" 1 "the system call that failed in one process"
expect_lines 1 odd ',1,32,__x64_sys_chdir,\[kernel\],odd,[0-9]+,.*returns -2 \(ENOENT\), not 0"?$' "what it returned, and the others"
"$EXECTRACE" calls --odd=__x64_sys_chdir >shapes 2>err
expect_lines 1 shapes '^# __x64_sys_chdir returned 0 31 times, first at [0-9.]+[a-zG]* by even \[[0-9]+\]$' "with its shapes"
expect_lines 1 shapes '^# __x64_sys_chdir returned -2 \(ENOENT\) 1 time, at [0-9.]+[a-zG]* by odd \[[0-9]+\]$' "and who it was"
expect_lines 0 odd ',set_gain,.*returns ' "nothing of those whose results were not"
end

begin "a guest with neither"
fresh
WORDS=$WORDS et -q --run=guest --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
"$EXECTRACE" why >page 2>err
expect_lines 0 page 'calls that differ from the others' "nothing is odd"
expect_lines 0 page 'takes longer call by call' "nothing grows"
end

finish
