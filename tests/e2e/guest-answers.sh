#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What boots of a real kernel answer: the story of one, what two of the same guest have in common, and which function was
# made slow in another one.
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"

needs qemu-system-x86_64 timeout jq
: "${BUILD:=${V%/tests/victims}}"
GUEST=$BUILD/guest
[ -s "$GUEST/vmlinuz" ] || skip "no kernel for a guest could be had"
[ -s "$GUEST/initrd.gz" ] || skip "no file system for a guest could be made"

# boot NAME [WORD]...: boots the guest with more words on the kernel's command line; the recording is NAME.xtr
boot()
{
	local name=$1

	shift
	timeout "$(limit 85)" qemu-system-x86_64 -accel tcg -m 256 -nographic -no-reboot -nodefaults -serial stdio -kernel "$GUEST/vmlinuz" \
		-initrd "$GUEST/initrd.gz" -append "console=ttyS0 panic=-1 no_timer_check quiet $*" \
		-plugin "$BUILD/exectrace-guest.so,out=$name.xtr" >"$name.out" 2>"$name.err" </dev/null
}

# shown COMMAND [ARG]...: what a command prints, in $S/out and $S/err; its status
shown()
{
	"$EXECTRACE" "$@" >"$S/out" 2>"$S/err" </dev/null
}

boot one
expect_equal $? 0 "a boot"
boot two
expect_equal $? 0 "another one"
boot slow init_on_free=1
expect_equal $? 0 "one whose kernel clears all pages that are free"

# Threads of the kernel end in the middle of their calls, and what has their stacks then are other tasks.
begin "calls that never return are those of the task that made them"
shown report --csv --clock=guest -n 1000000 --task=init one.xtr
expect_equal $? 0 "the status"
expect_lines some "$S/out" '^"?kernel_init"?,' "what the first task calls"
expect "no function has more time than the task" awk -F, 'NR > 1 && $6 > 100 { bad = 1 } END { exit bad }' "$S/out"
expect_lines 0 "$S/out" '^"?kthread"?,' "nothing that only a thread of the kernel calls"
shown report --csv --clock=guest -n 1000000 one.xtr
all=$(sed -n 's/^"*cryptomgr_test"*,\([0-9]*\),.*/\1/p' "$S/out")
shown report --csv --clock=guest -n 1000000 --task=cryptomgr_test one.xtr
expect_equal "$(sed -n 's/^"*cryptomgr_test"*,\([0-9]*\),.*/\1/p' "$S/out")" "$all" "all calls of what runs in a thread of that name"
end

begin "the story of a boot"
shown timeline one.xtr
expect_equal $? 0 "the status"
lines=$(wc -l <"$S/out")
expect "50 to 150 lines ($lines)" test "$lines" -ge 50 -a "$lines" -le 150
for phase in Firmware 'Boot loader and decompressor' 'Kernel, before start_kernel' 'Kernel start' Initcalls 'User space'; do
	expect_lines 1 "$S/out" "== $phase ==" "$phase"
done
grep -o '== .* ==' "$S/out" | head -n 6 | tr '\n' ' ' >"$S/phases"
expect_lines 1 "$S/phases" 'Firmware.*decompressor.*before.*start ==.*Initcalls.*User' "in this order"
expect_lines some "$S/out" ' initcall ' "initcalls"
expect_lines 1 "$S/out" ' program init$' "the first program"
grep -q '^module loaded' one.out && expect_lines 1 "$S/out" 'module \[dummy\]: dummy_init_module' "a module"
shown timeline --all --csv --clock=guest one.xtr
expect "thousands of functions with --all" test "$(grep -c ',function,' "$S/out")" -gt 3000
expect "in the order of time" sh -c "tail -n +2 '$S/out' | cut -d, -f1 | sort -n -c"
end

begin "programs and modules of the story"
shown timeline --all --csv one.xtr
expect "a program runs as long as what it calls, and not longer than it is there" awk -F, '
	$9 == "program" && $10 == "init" { from = $1; elapsed = $2; ran = $3 }
	$9 == "function" && $5 == 1 && $11 == "init" && $1 > from && $3 > most { most = $3 }
	END { exit !(elapsed && most && ran >= most && ran <= elapsed) }' "$S/out"
if grep -q '^module loaded' one.out; then
	expect "a module is its load" awk -F, '
		$9 == "module" { module = $1 " " $2 } $10 ~ /^(__do_sys_|__x64_sys_)finit_module$/ { load = $1 " " $2 }
		END { exit !(load && load == module) }' "$S/out"
fi
sed -n 's/^\([0-9]*\),.*,function,kthreadd,.*/\1/p' "$S/out" >"$S/first"
shown tree --csv one.xtr
sed -n 's/^2,[0-9]*,[0-9]*,\([0-9]*\),.*/\1/p' "$S/out" >>"$S/first"
expect "tree and timeline count from the same time" awk '{ at[NR] = $1 } END { exit !(NR == 2 && at[2] > at[1] * 0.75 && at[2] < at[1] * 1.25) }' "$S/first"
shown timeline --min-time=10ms --csv one.xtr
expect_equal $? 0 "limits of time, by the host's"
awk -F, '$9 == "phase" { print $10, $1 }' "$S/out" >"$S/got"
shown timeline --csv one.xtr
awk -F, '$9 == "phase" { print $10, $1 }' "$S/out" >"$S/want"
expect_same "$S/got" "$S/want" "phases are where they were"
end

# An initcall is called from do_one_initcall: that, and when it began, is in the call trace too.
begin "initcalls are those of the call trace"
shown timeline --all --csv --clock=guest one.xtr
awk -F, '$9 == "initcall" { print $1, $10 }' "$S/out" | sort >"$S/initcalls"
shown calls --csv --clock=guest --function=do_one_initcall --depth=2 one.xtr
awk -F, '$11 == 1 { print $1, $12 }' "$S/out" | sort >"$S/called"
expect "there are hundreds" test "$(wc -l <"$S/initcalls")" -gt 200
expect_equal "$(comm -23 "$S/initcalls" "$S/called" | head -n 3)" "" "each was called from there"
end

begin "a graph has the calls that the call trace has"
shown graph --csv --percent-limit=0 --depth=1 acpi_init one.xtr
awk -F, '$4 == "callee" { print $6, $3 }' "$S/out" | sort >"$S/got"
shown calls --csv --function=acpi_init --depth=2 --irq=no one.xtr
awk -F, '$11 == 1 { n[$12]++ } END { for (f in n) print f, n[f] }' "$S/out" | sort >"$S/want"
expect_same "$S/got" "$S/want" "what acpi_init calls, and how often"
end

# Only loops that wait for time to pass differ: to calibrate clocks.
begin "two boots of the same guest"
shown diff --json --by=function one.xtr two.xtr
expect_equal $? 0 "the status"
jq -r '.[].name' "$S/out" >"$S/names"
expect_lines 0 "$S/names" 'clear_page|memset|memcpy' "work is not what differs"
# Linux 6.12 tests its arithmetic with random numbers, and clocks are the host's.
expect "nearly nothing differs" test "$(grep -c -v -E 'calib|timer|delay|clock|loader|tsc|^mpi' "$S/names")" -le 1
end

begin "a boot with a slow function"
shown diff --json --by=function one.xtr slow.xtr
# A kernel that tests its ciphers with keys made by chance has more or less to compute each time.
jq '[.[] | select(.name | test("mpi") | not)]' "$S/out" >"$S/others"
expect_equal "$(jq -r '.[0].name' "$S/others" | sed 's/clear_page_[a-z]*/clear_page/')" clear_page "it is on top"
expect "by far" test "$(jq '.[0] | .self_b > 10 * .self_a' "$S/others")" = true
shown diff --json --by=path one.xtr slow.xtr
expect "its path has how it came to that" sh -c "jq -r '[.[] | select(.name | test(\"mpi\") | not)][0].name' '$S/out' | grep -q '^[a-z].*;.*;clear_page'"
end

begin "children as perf shows them"
shown report --children --csv one.xtr
expect_equal "$(awk -F, '$4 == "start_kernel" { print ($1 > 10 * $2) }' "$S/out")" 1 "start_kernel has what it called"
expect "all own time is there" awk -F, -v total="$("$EXECTRACE" report -f Fl --csv one.xtr | awk -F, 'NR > 1 && $1 !~ /^\[no function\]/ { s += $2 } END { print s }')" \
	'NR > 1 { s += $2 } END { print s, total; exit s != total }' "$S/out"
shown report --by=process --csv -f Fc one.xtr
expect_lines 1 "$S/out" '^init-1,' "processes"
end

finish
