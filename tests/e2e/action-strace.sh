#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# strace and ltrace as actions: a whole log of one program, their options, output names, and what happens when they end early.
. "$(dirname "$0")/../lib.sh"
needs strace

begin "strace"
act "strace -o $S/log"
check_strace "$S/log"
end
begin "strace with options"
act "strace -f -tt -e trace=write -o $S/log"
expect_lines 2 "$S/log" 'write\(1, "(says|GIVEN)' "two writes"
expect_lines 0 "$S/log" 'brk\(' "nothing else"
end
begin "strace -ff: a log for each process, named by pid"
act "strace -ff -o $S/many"
check_strace "$S/many.$(match_pid "$S/act.err")"
end
begin "names in the output are replaced"
act "strace -o $S/{comm}-{n}-{rule}-{pid}-{host}-{time}"
expect "the log has its name" test -s "$(echo "$S/proggdb-1-1-$(match_pid "$S/act.err")-$(uname -n)"-[0-9]*)"
end
begin "strace without -o prints to standard error"
act "strace"
expect_lines some "$S/act.err" 'write\(1, "says PICKME' "the write"
end
begin "strace that is told to end early"
act "strace -o $S/early --syscall-limit=5 -z -e trace=all"
end
begin "a tool that ends at once: the program runs on"
act "attach false {pid}"
expect_lines some "$S/act.err" '^exectrace: \[[0-9]+\] ' "it is said"
end
begin "a tool that is killed: the program runs on"
printf '#!/bin/sh\nkill -KILL $$\n' >"$S/tool"
chmod 755 "$S/tool"
act "attach $S/tool {pid}"
end
begin "many matches, one after the other"
fresh
et --run="strace -o $S/each.{n}" --cmd='^\S*prog ' -- sh -c "for i in 1 2 3 4 5 6 7 8; do $V/prog \$i; done" >"$S/out" 2>"$S/err"
expect_lines 8 "$S/out" '^says [1-8]$' "all ran"
for i in 1 2 3 4 5 6 7 8; do
	check_strace "$S/each.$i"
	expect_lines 1 "$S/each.$i" "says $i" "log $i is of command $i"
done
end
begin "tools and programs have the processors that the command has"
fresh
printf '#!/bin/sh\ngrep ^Cpus_allowed_list: /proc/self/status /proc/"$1"/status >>"$2"\nexec strace -o /dev/null -p "$1"\n' >"$S/tool"
et --run="attach $S/tool {pid} $S/cpus" --cmd='^\S*prog ' -- sh -c "for i in 1 2 3 4 5 6 7 8; do $V/prog \$i; done" >"$S/out" 2>"$S/err"
expect_lines 16 "$S/cpus" ":$(grep ^Cpus_allowed_list: /proc/self/status)\$" "all of them"
end
begin "many matches at once"
fresh
et --run="strace -o $S/once.{n}" --cmd='^prog' -- env PATH="$V:$PATH" parallel 12 prog x >"$S/out" 2>"$S/err"
expect_lines 1 "$S/out" '^good 12, bad 0, killed 0$' "all ran"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	check_strace "$S/once.$i"
done
end
begin "what it has left is named while its end is waited for"
fresh
et --run="strace -q -f -o $S/left" --cmd='^sh -c .*left' -- sh -c "sh -c 'sleep $(limit 3) & : left; exit 3'" >"$S/out" 2>"$S/err"
expect_equal $? 3 "the status"
expect_lines 1 "$S/err" 'the command has ended; waiting for \[[0-9]+\] \(strace\), which has left sleep [0-9]+ \[[0-9]+\] running$' "by its command line"
end
begin "a command that is told to end does not leave a tool that goes on for ever"
fresh
"$EXECTRACE" --engine="$ENGINE" --run="strace -o $S/told" --cmd='^sleep 770$' \
	-- sh -c 'setsid sleep 770 & exec sleep 780' >"$S/out" 2>"$S/err" &
pid=$!
expect "strace has it" wait_for 20 test -s "$S/told"
daemon=$(match_pid "$S/err")
kill -TERM $pid
expect "it ends" wait_for 30 eval "! kill -0 $pid"
kill -KILL $pid 2>/dev/null # if not
wait $pid 2>/dev/null
expect_lines 1 "$S/err" "waiting for .$daemon. .strace.$" "why it waits"
expect_lines 1 "$S/err" 'told to end; its tools are now, too$' "and that it does not wait for ever"
expect "what strace had lives on" grep -q '^TracerPid:[[:space:]]0$' "/proc/$daemon/status"
kill "$daemon"
end
if kernel_can 6.15 "--keep=failed throws away the log of a success" "a pidfd tells how its process ended; before, strace has it to itself"; then
	begin "--keep=failed throws away the log of a success"
	fresh
	et --keep=failed --run="strace -o $S/keep.{n}" --cmd='^\S*prog ' -- sh -c "$V/prog a; $V/prog -x 1 b; $V/prog -k TERM c; $V/prog d" \
		>"$S/out" 2>"$S/err"
	expect_equal "$(cd "$S" && ls keep.* | tr '\n' ' ')" "keep.2 keep.3 " "the logs of the failed ones"
	end
fi

if command -v ltrace >/dev/null && ltrace -o "$S/plain.ltrace" "$V/proggdb" x >/dev/null 2>&1 && has "$S/plain.ltrace" getopt; then
	begin "ltrace"
	act "ltrace -o $S/ltrace"
	expect_lines some "$S/ltrace" '^([0-9]+ )?getopt\(' "library calls from main on"
	expect_lines some "$S/ltrace" 'exited \(status 3\)' "to the end"
	end
else
	skip_case "ltrace" "ltrace does not work here without us, or is not installed"
fi
finish
