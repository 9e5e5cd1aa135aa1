#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On a terminal: the foreground group, Ctrl-C, Ctrl-\, Ctrl-Z and fg, background reads, window size, hang-up and modes are as without
# exectrace.
. "$(dirname "$0")/../lib.sh"

# shown: what a terminal shows; which terminal a run gets (major 136) depends on what else runs on the machine, and when bash
# tells of a job that ended with 6 on how fast that is; so does whether Ctrl-C is echoed by a terminal whose last user it kills
shown()
{
	tr -d '\r' | sed 's/device 136:[0-9]*/device 136:N/; /^\[1\].*Exit 6/d; s/^\^C$//'
}

# A key that sends a signal throws away what the terminal has not shown yet: whole lines are waited for before one is pressed.

# term NAME STEP... -- COMMAND...: COMMAND on a terminal of its own, plain and under exectrace; what the terminal shows is the same
term()
{
	local name=$1 steps=() model flag

	shift
	while [ "$1" != -- ]; do
		steps+=("$1")
		shift
	done
	shift
	fresh
	"$V/ptyrun" -t "$(limit 60)" "${steps[@]}" -- "$@" </dev/null 2>&1 | shown >"$S/plain.out"
	for model in parent behind; do
		[ $model = parent ] || behind_can "the same with -D" || continue
		flag=
		[ $model = parent ] || flag=-D
		fresh
		"$V/ptyrun" -t "$(limit 60)" "${steps[@]}" -- "$EXECTRACE" --engine="$ENGINE" -q $flag "${NOTHING[@]}" -- "$@" </dev/null 2>&1 |
			shown >"$S/tool.out"
		expect_same "$S/tool.out" "$S/plain.out" "$name${flag:+ (-D)}"
	done
}

# job NAME STEP...: the same in a shell with job control; ./t runs its arguments plain or under exectrace
job()
{
	local name=$1 model run
	local -A tag=([parent]='' [behind]=' (-D)')

	shift
	for model in plain parent behind; do
		[ $model != behind ] || behind_can "$name (-D)" || continue
		case $model in
		plain) run= ;;
		parent) run="$EXECTRACE --engine=$ENGINE -q --run=strace --cmd=NOSUCH[_]PATTERN --" ;;
		behind) run="$EXECTRACE --engine=$ENGINE -q -D --run=strace --cmd=NOSUCH[_]PATTERN --" ;;
		esac
		fresh
		printf '#!/bin/sh\nexec %s "$@"\n' "$run" >t
		chmod +x t
		PS1='READY> ' HISTFILE='' "$V/ptyrun" -t "$(limit 60)" expect='READY>' "$@" send='exit 3\r' -- \
			bash --norc --noprofile --noediting -i </dev/null 2>&1 |
			tr -d '\r' | sed 's/^\(\[[0-9]*\]\) [0-9]*$/\1 PID/' >"$S/$model.out"
		[ $model = plain ] || expect_same "$S/$model.out" "$S/plain.out" "$name${tag[$model]}"
	done
}

term "it has the terminal, in the foreground" -- "$V/state" terminal fds
term "so has a grandchild" -- sh -c "$V/state terminal; :"
term "the size of the window" expect=ready size=123x45 'send=\r' -- sh -c 'echo ready; read -r x; stty size'
term "a change of the size of the window" expect=ready size=99x33 -- "$V/siglog" 100 WINCH
term "Ctrl-C" 'expect=ready\r\n' 'send=\003' -- "$V/siglog" 200 INT
term "Ctrl-C kills the command" 'expect=ready\r\n' 'send=\003' -- sh -c 'echo ready; exec sleep 60'
term "Ctrl-\\" 'expect=ready\r\n' 'send=\034' -- "$V/siglog" 200 QUIT
term "Ctrl-C in a shell with children" 'expect=ready\r\n' 'send=\003' -- sh -c 'trap "echo trap" INT; echo ready; sleep 10; echo on'
term "hang-up" 'expect=ready\r\n' hangup -- sh -c 'echo ready; exec sleep 60'
term "reading the terminal" 'expect=ready\r\n' 'send=hello\r' -- sh -c 'echo ready; read -r x; echo "got $x"'
term "end of input" 'expect=ready\r\n' 'send=hello\r' 'send=\004' -- sh -c 'echo ready; cat'

job "Ctrl-Z, jobs, fg" 'send=./t cat\r' 'send=first\r' expect=first 'expect=first\r\n' 'send=\032' expect=Stopped 'expect=READY>' \
	'send=jobs\r' 'expect=Stopped' 'expect=READY>' 'send=fg\r' 'expect=cat' 'send=second\r' expect=second expect=second \
	'send=\004' 'expect=READY>' 'send=echo status $?\r' 'expect=status 0' 'expect=READY>'
job "Ctrl-Z, bg, wait" 'send=mkfifo on; ./t sh -c '"'"'echo started; read x <on; exit 6'"'"'\r' expect=started 'expect=started\r\n' 'send=\032' \
	expect=Stopped 'expect=READY>' 'send=bg >/dev/null; echo >on; wait %1; echo status $?\r' 'expect=status 6' 'expect=READY>'
job "Ctrl-C returns to the shell" 'send=./t sh -c "echo started; exec sleep 60"\r' expect=started 'expect=started\r\n' 'send=\003' 'expect=READY>' 'send=echo status $?\r' \
	'expect=status 130' 'expect=READY>'
job "a background command that reads the terminal stops" 'send=./t cat & until jobs -s | grep -q .; do sleep 0.1; done\r' 'expect=READY>' 'send=jobs\r' \
	'expect=Stopped' 'expect=READY>' 'send=kill -KILL %1; while kill -0 $! 2>/dev/null; do sleep 0.1; done\r' expect=Killed 'expect=READY>'
job "the modes of the terminal stay" 'send=stty -g >modes1; ./t sh -c "stty -echo; stty echo"; stty -g >modes2\r' 'expect=READY>' \
	'send=cmp modes1 modes2 && echo sa""me modes\r' 'expect=same modes' 'expect=READY>'
finish
