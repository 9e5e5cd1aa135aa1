#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An interactive gdb on a real terminal (tmux): breakpoint, step, quit; then the tree goes on and the terminal is as before. Two matches queue.
. "$(dirname "$0")/../lib.sh"
needs gdb tmux

window()
{
	tmux -S "$S/socket" -f /dev/null "$@" </dev/null >"$S/tmux.out" 2>&1
}

# sees REGEX: the window has shown it after what was waited for last
sees()
{
	local text before

	text=$(sed 's/\x1b\[[?0-9;]*[a-zA-Z]//g' "$S/shown" | tr -d '\r')
	[[ ${text:place} =~ $1 ]] || return 1
	before=${text:place}
	before=${before%%"${BASH_REMATCH[0]}"*}
	place=$((place + ${#before} + ${#BASH_REMATCH[0]}))
}

type_line()
{
	window send-keys -t main -l -- "$1"
	window send-keys -t main Enter
}

# waits REGEX: for the window to show it; when it once did not, the rest of the dialogue is not waited for
waits()
{
	[ -z "$lost" ] || return
	if ! wait_for 30 sees "$1"; then
		lost=1
		{ echo "the terminal does not show: $1; but:"; tail -n 25 "$S/shown"; } >"$S/why"
		result 1 "the terminal shows: $1" "$S/why"
	fi
}

# has_shown REGEX: at any time: gdb and the tree write at once
has_shown()
{
	local place=0

	expect "the terminal has shown: $1" sees "$1"
}

open_window()
{
	fresh
	printf 'set pagination off\nset confirm off\nset style enabled off\nset width 0\n' >"$S/home/.gdbinit"
	place=0
	lost=
	: >"$S/shown"
	PS1='READY> ' HISTFILE='' window new-session -d -s main -x 250 -y 50 "exec bash --norc --noprofile --noediting -i" \; \
		pipe-pane -t main "cat >>$S/shown"
	type_line "echo REA''DY"
	waits 'READY'
}

close_window()
{
	local pid

	pid=$(tmux -S "$S/socket" display-message -p '#{pid}')
	window kill-server
	wait_for 30 test ! -e "/proc/$pid"
	rm -f "$S/socket"
}

printf '%s\n' "$V/proggdb a" "$V/proggdb -s 500 -x 3 PICKME" 'echo "status $?"' "$V/proggdb c" 'echo "tree ""ends"' >"$S/tree"
printf '%s\n' "$V/proggdb PICKME one &" "$V/proggdb PICKME two &" "$V/proggdb other &" 'wait' 'echo "tree ""ends"' >"$S/two"
run="$EXECTRACE --engine=$ENGINE"

# Which group has the terminal, asked by the shell itself.
cat >"$S/look" <<-'EOF'
stty -a >"$1.modes"
read -r stat <"/proc/$$/stat"
set -- "$1" ${stat##*) }
[ "$7" = $$ ] && echo "the shell has the foreground" >"$1.group"
echo LOO""KED
EOF

begin "break main, continue, next, print, to the end, quit"
open_window
type_line ". $S/look $S/1"
waits 'LOOKED'
type_line "$run --run=gdb --cmd='^\\S*proggdb .*PICKME' -- sh $S/tree; echo ENDS \$?"
waits '\(gdb\) $'
type_line "break main"
waits 'Breakpoint 1 at'
type_line "continue"
waits 'Breakpoint 1, main \(argc=6'
type_line "next"
waits '\(gdb\) $'
type_line "print argc + 1000"
waits '= 1006'
type_line "continue"
waits 'exited with code 03'
type_line "quit"
waits 'ENDS 0'
type_line ". $S/look $S/2"
waits 'LOOKED'
expect_same "$S/2.modes" "$S/1.modes" "the terminal's modes"
expect_same "$S/2.group" "$S/1.group" "the shell has the foreground"
close_window
end

for flag in "" -D; do
	[ -z "$flag" ] || behind_can "the same with -D" || continue
	begin "quit in the middle: the program and the tree go on${flag:+ ($flag)}"
	open_window
	type_line ". $S/look $S/1"
	waits 'LOOKED'
	type_line "$run $flag --run=gdb --cmd='^\\S*proggdb .*PICKME' -- sh $S/tree; echo ENDS \$?"
	waits '\(gdb\) $'
	type_line "break main"
	waits 'Breakpoint 1 at'
	type_line "continue"
	waits 'Breakpoint 1, main \(argc=6'
	type_line "quit"
	waits 'status 3'
	waits 'tree ends'
	waits 'ENDS 0'
	type_line ". $S/look $S/2"
	waits 'LOOKED'
	expect_same "$S/2.modes" "$S/1.modes" "the terminal's modes"
	expect_same "$S/2.group" "$S/1.group" "the shell has the foreground"
	close_window
	end
done

begin "detach and quit"
open_window
type_line "$run --run=gdb --cmd='^\\S*proggdb .*PICKME' -- sh $S/tree; echo ENDS \$?"
waits '\(gdb\) $'
type_line "detach"
type_line "quit"
waits 'status 3'
waits 'ENDS 0'
close_window
end

begin "Ctrl-C goes to gdb while it has the terminal, and the tree lives"
open_window
type_line "$run --run=gdb --cmd='^\\S*proggdb .*PICKME' -- sh $S/tree; echo ENDS \$?"
waits '\(gdb\) $'
window send-keys -t main C-c
waits '\(gdb\) (Quit)?'
type_line "continue"
waits 'exited with code 03'
type_line "quit"
waits 'ENDS 0'
has_shown 'tree ends'
close_window
end

begin "two matches queue"
open_window
type_line "$run --run=gdb --cmd='^\\S*proggdb PICKME' -- sh $S/two; echo ENDS \$?"
waits '\(gdb\) $'
type_line "continue"
waits 'exited normally'
type_line "quit"
waits '\(gdb\) $'
type_line "continue"
waits 'exited normally'
type_line "quit"
waits 'ENDS 0'
has_shown 'tree ends'
close_window
end
finish
