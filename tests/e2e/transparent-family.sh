#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Parents and children: every process has the parent it would have, no parent sees a child too many, orphans and daemons live on.
. "$(dirname "$0")/../lib.sh"

both "the parent of a child is the shell" -- sh -c 'export P=$$; sh -c "[ \$PPID = $P ] && echo right; :"'
both "the parent of an orphan" -- "$V/spawnform" orphan "$V/prog" x
both "death of the parent is signalled" -- "$V/spawnform" pdeathsig "$V/prog" -s 3000 x
both "every SIGCHLD, with its details" -- "$V/sigchld" "$V/prog" -x 2
both "the root command has no child of ours" -- bash -c 'read -r x </proc/$$/task/$$/children; echo "$x"; "$1/prog" x & wait -n; wait; echo $?' bash "$V"
both "children killed around their exec" -- sh -c "$V/killrace 150 $V/count file 2>/dev/null"
both "50 children at once" -- env PATH="$V:$PATH" sh -c 'parallel 50 count file; wc -c <file'
both "background jobs" -- sh -c "for i in 1 2 3 4 5; do $V/prog -x \$i >/dev/null & done; for i in 1 2 3 4 5; do wait %\$i; echo \$?; done"
both "a pipeline in its own group" -- bash -c "set -m; $V/prog a | cat | md5sum"
both "coprocess and process substitution" -- bash -c "cat <($V/prog a) <($V/prog b)"
both "signals between processes of the tree" -- sh -c "$V/siglog 100 USR1 >log & while ! grep -qs ready log; do sleep 0.05; done; kill -USR1 \$!; wait \$!; echo \$?; cat log"

# Children that exectrace itself inherits through an exec are not the command.
begin "a child inherited from the caller is not taken for the command"
fresh
timeout "$(limit 10)" sh -c 'sleep 0.1 & exec "$@"' sh "$EXECTRACE" --engine="$ENGINE" -q "${NOTHING[@]}" -- sh -c 'sleep 0.3; exit 9' \
	>"$S/child.out" 2>&1
expect_equal $? 9 "the status"
expect_equal "$(cat "$S/child.out")" "" "no message"
end

# A daemon outlives the root command: we return at once, and the daemon can still execute programs.
# In a daemon: waits for the file go, which is made when exectrace has ended, but not for ever; then makes the file left.
wait_for_go='i=0; until [ -e go ] || [ $i -ge 300 ]; do sleep 0.1; i=$((i+1)); done; [ -e go ] || : >gave_up; : >left'
for model in parent behind; do
	[ $model = parent ] || behind_can "the same with -D" || continue
	flag=
	[ $model = parent ] || flag=-D
	begin "a daemon goes on${flag:+ (-D)}"
	fresh
	et -q $flag "${NOTHING[@]}" -- sh -c "setsid sh -c '$wait_for_go; $V/prog -x 4 daemon >daemon.out; echo \$? >>daemon.out; mv daemon.out finished' \
		</dev/null >/dev/null 2>&1 & exit 3" >"$S/daemon.out" 2>"$S/daemon.err"
	expect_equal $? 3 "the root command's status"
	expect "we returned before the daemon's end" test ! -e gave_up
	: >go
	expect "the daemon's programs run" wait_for 30 test -e finished
	printf 'says daemon\n4\n' >"$S/daemon.want"
	expect_same finished "$S/daemon.want" "they run rightly"
	end

	# It holds the caller's pipe no longer than the daemon does.
	begin "a pipe that a daemon does not hold is closed${flag:+ (-D)}"
	fresh
	et -q $flag "${NOTHING[@]}" -- sh -c "setsid sh -c '$wait_for_go' </dev/null >/dev/null 2>&1 & echo out" 2>&1 | cat >"$S/daemon.out"
	expect "the reader saw the end before the daemon's end" test ! -e gave_up
	: >go
	wait_for 30 test -e left
	expect_equal "$(cat "$S/daemon.out")" out "the output"
	end
done
finish
