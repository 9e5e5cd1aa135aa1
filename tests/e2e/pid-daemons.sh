#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --pid with what starts programs in real life: a terminal's shell, a daemon that starts jobs by the clock, a server with threads.
. "$(dirname "$0")/../lib.sh"

needs tmux busybox python3
busybox --list | grep -qx crond || skip "this busybox has no crond"
[ "$ENGINE" = ptrace ] || is_root || skip "a listener without no_new_privs takes root"

# watching PID ARG...: exectrace on a process that runs, as $pid, which ends when its program has
watching()
{
	rm -f "$S/err"
	"$EXECTRACE" -v --engine="$ENGINE" --pid="$1" --first "${@:2}" >"$S/out" 2>"$S/err" </dev/null &
	pid=$!
	expect "it is watched" wait_for 30 has "$S/err" 'processes are watched'
}

# ends: it ends within $1 seconds
ends()
{
	expect "it ends when its program has" wait_for "$1" over $pid
	kill $pid 2>"$S/why"
	wait $pid
	expect_equal $? 0 "its status"
}

# over PID
over()
{
	! grep -q '^State:.[^Z]' "/proc/$1/status" 2>"$S/why"
}

begin "a shell in tmux"
tmux -L "et$$" -f /dev/null new-session -d -x 80 -y 24 "PS1='ready> ' sh"
expect_equal $? 0 "tmux runs"
shell=$(tmux -L "et$$" list-panes -F '#{pane_pid}')
watching "$shell" --run="strace -o $S/log" --cmd='prog picked$'
tmux -L "et$$" send-keys "$V/prog other; $V/prog picked; echo status \$?" Enter
ends 60
expect_lines 1 "$S/log" '^write\(1, "says picked' "what strace saw"
shows()
{
	tmux -L "et$$" capture-pane -p >"$S/screen"
	has "$S/screen" '^status [0-9]'
}
expect "the shell goes on" wait_for 30 shows
expect_lines 1 "$S/screen" '^says other$' "what was not picked"
expect_lines 1 "$S/screen" '^says picked$' "what was"
tmux -L "et$$" kill-server
end

# No other cron than this: it has its tables in a directory of its own. It changes to the user of a job.
if is_root; then
	begin "a job of cron"
	mkdir "$S/tables"
	echo "* * * * * $V/prog from cron >$S/said" >"$S/tables/root"
	busybox crond -f -c "$S/tables" -L "$S/cron.log" </dev/null &
	cron=$!
	watching $cron --run="strace -o $S/log" --cmd='^\S*/prog from cron$'
	ends 150
	expect_lines 1 "$S/log" '^write\(1, "says from' "what strace saw"
	expect_equal "$(cat "$S/said")" "says from cron" "what the job wrote"
	expect "cron goes on" kill -0 $cron
	kill $cron
	wait $cron
	end
else
	skip_case "a job of cron" "busybox's crond takes root"
fi

begin "a server with threads, which start programs at once"
cat >"$S/server.py" <<'END'
import subprocess, sys, threading
for line in sys.stdin:
    threads = [threading.Thread(target=subprocess.run, args=([sys.argv[1], str(i)],)) for i in range(int(line))]
    for t in threads: t.start()
    for t in threads: t.join()
    print("done", flush=True)
END
mkfifo "$S/requests"
python3 "$S/server.py" "$V/prog" <"$S/requests" >"$S/served" 2>&1 &
server=$!
exec 7>"$S/requests"
echo 2 >&7
served()
{
	[ "$(grep -c '^done$' "$S/served")" -ge "$1" ]
}
expect "it runs" wait_for 30 served 1
watching $server --run="strace -o $S/log" --cmd='prog 13$'
echo 20 >&7
ends 60
expect_lines 1 "$S/log" '^write\(1, "says 13' "what strace saw"
expect "all are served" wait_for 30 served 2
exec 7>&-
wait $server
expect_equal $? 0 "the server's status"
expect_lines 22 "$S/served" '^says [0-9]+$' "each wrote its line"
end
finish
