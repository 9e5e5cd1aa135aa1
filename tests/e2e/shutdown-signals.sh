#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGTERM, SIGINT and SIGHUP end exectrace in bounded time whatever the state of a pick, a second one at once; the keyboard works
# when only tools are left.
# limit: 240
. "$(dirname "$0")/../lib.sh"
needs strace gdbserver

# told SECONDS STATUS NAME SIGNALS READY ACTION COMMAND...: exectrace gets SIGNALS when READY is seen among its messages, and has
# ended SECONDS later with STATUS as its parent sees it
told()
{
	local seconds=$1 want=$2 name=$3 signals=$4 ready=$5 action=$6 pid start sig told=''

	shift 6
	fresh
	rm -f "$S/told".*
	"$V/waitstatus" -t "$(limit 60)" -p "$S/told.pid" "$S/told.status" \
		"$EXECTRACE" --engine="$ENGINE" --run="$action" --exe=prog -- "$@" </dev/null >"$S/told.out" 2>"$S/told.err" &
	pid=$!
	begin "$name"
	wait_for 20 has "$S/told.err" "$ready"
	result $? "it is in the state" "$S/told.err"
	start=${EPOCHREALTIME/[^0-9]/}
	for sig in $signals; do
		[ -z "$told" ] || sleep 0.3 # a second request, not the same one twice (timeout(1) does that)
		kill -"$sig" "$(cat "$S/told.pid")"
		told=1
	done
	wait $pid
	seconds=$(limit "$seconds")
	took=$((${EPOCHREALTIME/[^0-9]/} - start))
	result $((took >= seconds * 1000000)) "it ended within $seconds s: $((took / 1000)) ms" "$S/told.err"
	expect_equal "$(head -n 1 "$S/told.status")" "$want" "status"
	end
	cd "$S" || exit 1
}

# What waitstatus writes for a process that a signal has killed, and for one that exits.
"$V/waitstatus" "$S/by15.status" sh -c 'kill -TERM $$'
"$V/waitstatus" "$S/by2.status" sh -c 'kill -INT $$'
"$V/waitstatus" "$S/exit7.status" sh -c 'exit 7'
"$V/waitstatus" "$S/exit5.status" sh -c 'exit 5'
by15=$(head -n 1 "$S/by15.status")
by2=$(head -n 1 "$S/by2.status")
exit7=$(head -n 1 "$S/exit7.status")
exit5=$(head -n 1 "$S/exit5.status")

# has_tool: shell words that wait until the last process in the background has a tracer other than exectrace
has_tool='until t=$(sed -n "s/^TracerPid:.//p" /proc/$!/status) && [ "$t" -gt 0 ] && [ "$t" != $PPID ]; do :; done'
attach='attach sh -c "echo tool >&2; exec sleep 100" {pid}'
deaf='attach sh -c "trap : TERM INT HUP; echo tool >&2; echo >mark; while :; do sleep 0.2; done" {pid}'
told 4 "$by15" "stopped, the command itself" TERM 'stopped before' stop "$V/prog" a
told 4 "$by15" "stopped, below the command" TERM 'stopped before' stop sh -c "$V/prog a; exit 5"
told 4 "$by2" "stopped, twice" "INT INT" 'stopped before' stop "$V/prog" a
told 8 "$by15" "gdbserver without a client, the command itself" TERM 'Listening' gdbserver "$V/prog" a
told 12 "$by15" "gdbserver without a client, below the command" TERM 'Listening' gdbserver sh -c "$V/prog a; exit 5"
told 3 "$by15" "gdbserver without a client, twice" "TERM TERM" 'Listening' gdbserver sh -c "$V/prog a; exit 5"
told 8 "$by15" "a tool that never attaches" TERM '^tool' "$attach" sh -c "$V/prog a; exit 5"
told 12 "$by15" "a tool that does not end either" TERM '^tool' "$deaf" sh -c "$V/prog a; exit 5"
told 3 "$by15" "a tool that does not end either, twice" "TERM TERM" '^tool' "$deaf" sh -c "$V/prog a; exit 5"
told 8 "$exit7" "a command that has something to do first" TERM '^on' stop sh -c 'trap "sleep 1; exit 7" TERM; echo on >&2; while :; do sleep 0.1; done'
told 8 "$by15" "a command that ignores the signal" TERM '^on' stop sh -c 'trap "" TERM; echo on >&2; exec sleep 9'
told 3 "$by15" "a command that ignores the signal, twice" "TERM TERM" '^on' stop sh -c 'trap "" TERM; echo on >&2; exec sleep 9'
told 8 "$exit5" "only a tool is left" TERM 'waiting for' "strace -o /dev/null" sh -c "$V/prog -s 12000 a & $has_tool; exit 5"
told 6 "$exit5" "only a tool is left that does not end" INT 'waiting for' "$deaf" sh -c "$V/prog a & until [ -e mark ]; do :; done; exit 5"
told 4 "$exit5" "only gdbserver without a client is left" HUP 'waiting for' gdbserver sh -c "$V/prog a & $has_tool; exit 5"

# keys NAME KEY: typed when only tools are left
keys()
{
	fresh
	begin "$1 when only tools are left"
	printf '%s\n' "sleep 5 & $has_tool; exit 3" >left
	"$V/ptyrun" -t "$(limit 30)" 'expect=waiting for' "send=$2" expect=status -- sh -c \
		"trap : INT QUIT; $EXECTRACE --engine=$ENGINE --run='strace -o /dev/null' --exe=sleep -- sh left; echo status \$?" \
		</dev/null >"$S/keys.out" 2>&1
	result $? "exectrace ended" "$S/keys.out"
	expect_lines 1 "$S/keys.out" '^(\^C)?status 3' "with the command's status"
	end
}
keys "Ctrl-C" '\003'
keys "Ctrl-\\" '\034'

fresh
printf '%s\n' "sleep 3 & $has_tool; exit 3" >left
begin "Ctrl-Z and fg when only tools are left"
PS1='READY> ' HISTFILE='' "$V/ptyrun" -t "$(limit 30)" 'expect=READY>' \
	"send=$EXECTRACE --engine=$ENGINE --run='strace -o q' --exe=sleep -- sh left\\r" 'expect=waiting for' \
	'send=\032' expect=Stopped 'expect=READY>' 'send=fg; echo status $?\r' 'expect=status 3' 'send=exit 0\r' -- \
	bash --norc --noprofile --noediting -i </dev/null >"$S/keys.out" 2>&1
result $? "it stops, goes on and ends" "$S/keys.out"
expect_lines 1 "$S/run/q" '^\+\+\+ exited with 0' "strace saw the end"
end

both "the command's pid alone is stopped and continued" -- sh -c '(sleep 0.3; kill -CONT $$) & kill -STOP $$; wait; echo done'
both "the same with SIGTSTP" -- sh -c '(sleep 0.3; kill -CONT $$) & kill -TSTP $$; wait; echo done'
finish
