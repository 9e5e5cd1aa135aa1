#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --pid: what runs already, and what is below it, is watched; it is not changed, and nothing stays attached.
. "$(dirname "$0")/../lib.sh"

# An ordinary user's is attached, which he does not have to ask for.
as=()
! is_root || as=(--engine="$ENGINE")
is_root || [ "$ENGINE" = ptrace ] || skip "a listener without no_new_privs takes root"

# watch ARG...: exectrace on a process that runs; one that hangs is ended
watch()
{
	timeout --foreground -k 1 "$(limit 100)" "$EXECTRACE" "${as[@]}" "$@"
}

# watching ARG...: exectrace in the background, as $pid, which has by now what runs already
watching()
{
	rm -f "$S/err"
	"$EXECTRACE" -v "${as[@]}" "$@" >"$S/out" 2>"$S/err" &
	pid=$!
	expect "it is watched" wait_for 30 has "$S/err" 'processes are watched'
}

# tree COMMAND: a tree of its own that runs a shell COMMAND; its pid is $tree. It goes on when $S/gate exists.
tree()
{
	fresh
	rm -f "$S/gate" "$S/tree.out"
	(until [ -e "$S/gate" ]; do nap 0.01; done; eval "$1") >"$S/tree.out" 2>&1 </dev/null &
	tree=$!
}

# free PID: nobody traces it
free()
{
	grep -q '^TracerPid:.0$' "/proc/$1/status"
}

begin "a program that a daemon starts is handed to strace"
tree 'while [ ! -e "$S/over" ]; do "$V/prog" one; "$V/prog" two; echo >>rounds; done; exit 5'
touch "$S/gate"
watch --pid=$tree --run="strace -o $S/log" --first --cmd='prog two$' >"$S/out" 2>"$S/err"
expect_equal $? 0 "it ends when its one program has"
expect_lines 1 "$S/log" '^write\(1, "says two' "what strace saw"
expect_lines 1 "$S/err" '^exectrace: 1 of [0-9]+ commands matched$' "the summary"
expect "nobody is attached any more" free $tree
lines=$(wc -l <rounds)
longer()
{
	[ "$(wc -l <rounds)" -gt "$lines" ]
}
expect "the daemon goes on" wait_for 30 longer
touch "$S/over"
wait $tree
expect_equal $? 5 "and ends as it would"
expect_equal "$(sort -u "$S/tree.out" | tr '\n' ',')" "says one,says two," "nothing else was written"
rm "$S/over"
end

each=$(rounds 40)
begin "all execs of a tree, each once; it ends when the tree does"
tree '"$V/storm" 8 $each "$V/count" count; for i in 1 2 3; do (sh -c "$V/count count; :" ) & done; wait'
watching --list --cmd='^\S*/count count$' --pid=$tree
touch "$S/gate"
wait $pid
expect_equal $? 0 "its status"
wait $tree
expect_lines some "$S/tree.out" '^failed 0, not started 0$' "none failed"
expect_equal "$(wc -c <count)" $((8 * each + 3)) "every program ran"
expect_lines $((8 * each + 3)) "$S/err" 'rule 1 .* matches: .*/count count$' "each was seen once"
expect_equal "$(grep -c 'rule 1 .* matches: ' "$S/err")" "$(grep -o '^exectrace: \[[0-9]*\] rule 1' "$S/err" | sort -u | wc -l)" "as a process of its own"
end

begin "watched in the middle of a storm, and killed: the tree does not notice"
seed=$RANDOM
echo "# seed $seed"
RANDOM=$seed
tree '"$V/storm" 10 $((each * 5)) "$V/count" count'
touch "$S/gate"
killed=0
while [ -e "/proc/$tree" ] && [ $killed -lt "$(rounds 100)" ]; do
	"$EXECTRACE" -q "${as[@]}" --pid=$tree --run=ignore --cmd=never 2>"$S/err" &
	pid=$!
	nap "0.0$((RANDOM % 60 + 10))"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	killed=$((killed + 1))
done
wait $tree
expect_equal "$(cat "$S/tree.out")" "failed 0, not started 0" "after $killed kills: none failed"
expect_equal "$(wc -c <count)" $((each * 50)) "every program ran"
end

if command -v python3 >/dev/null; then
	begin "threads that start programs"
	cat >"$S/server.py" <<-'EOF'
		import os, subprocess, sys, threading, time
		def work(n):
		    while not os.path.exists(sys.argv[1]):
		        time.sleep(0.01)
		    for i in range(10):
		        subprocess.run([sys.argv[2], "thread%d" % n], stdout=subprocess.DEVNULL)
		threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
		[t.start() for t in threads]
		[t.join() for t in threads]
	EOF
	tree 'exec python3 "$S/server.py" "$S/go" "$V/prog"'
	touch "$S/gate"
	threads()
	{
		[ "$(find "/proc/$tree/task" -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l)" -ge 5 ]
	}
	expect "it has its threads" wait_for 60 threads
	watching --list --cmd='prog thread[0-9]$' --pid=$tree
	touch "$S/go"
	wait $pid
	expect_equal $? 0 "its status"
	wait $tree
	expect_equal $? 0 "that of the server"
	for n in 0 1 2 3; do
		expect_lines 10 "$S/err" "rule 1 .* matches: .*prog thread$n\$" "programs of thread $n"
	done
	rm "$S/go"
	end
fi

begin "what can be done with a picked program"
tree 'while [ ! -e "$S/over" ]; do "$V/prog" one; nap 0.02; done'
touch "$S/gate"
watch --pid=$tree --run="args --append=more" --first --exe=prog >"$S/out" 2>"$S/err"
expect_equal $? 0 "args"
expect "it got the word" wait_for 30 grep -q '^says one more$' "$S/tree.out"
watch --pid=$tree --run=log --limit=2 --exe=prog >"$S/out" 2>"$S/err"
expect_equal $? 0 "log"
expect_lines 2 "$S/err" '^\[[0-9]+\] .*, exit 0, .*prog one$' "how they ended"
watch --pid=$tree --run="trace --filter=write --output=$S/log" --nth=2 --exe=prog >"$S/out" 2>"$S/err"
expect_equal $? 0 "trace"
expect_lines 1 "$S/log" ' write\(1.*"says one' "what it wrote"
watch --pid=$tree --run="wrap env ADDED=yes $V/prog -e ADDED" --first --exe=prog >"$S/out" 2>"$S/err"
expect_equal $? 0 "wrap"
expect "in its environment" wait_for 30 grep -q 'yes' "$S/tree.out"
watch --keep=failed --pid=$tree --run="trace --output=$S/kept" --first --exe=prog >"$S/out" 2>"$S/err"
expect_equal $? 0 "a trace of what does well"
expect "is not kept" test ! -e "$S/kept"
if command -v gdb >/dev/null; then
	"$V/ptyrun" 'expect=(gdb)' 'send=break work\r' 'expect=Breakpoint 1 at' 'send=continue\r' 'expect=Breakpoint 1, ' 'send=kill\r' \
		'expect=killed' 'send=quit\r' -- "$EXECTRACE" "${as[@]}" --pid=$tree --run='gdb -q -nx -iex "set style enabled off" -iex "set confirm off"' \
		--first --exe=prog >"$S/out" 2>"$S/err"
	expect_equal $? 0 "gdb on our terminal"
	expect_lines 1 "$S/out" '^ptyrun: exit 0' "and exectrace ends"
fi
"$V/ptyrun" 'pause=300' 'send=\003' -- "$EXECTRACE" -v "${as[@]}" --pid=$tree --list >"$S/out" 2>"$S/err"
expect_lines 1 "$S/out" '^ptyrun: signal 2' "Ctrl-C ends it"
expect "nobody is attached any more" free $tree
touch "$S/over"
wait $tree
rm "$S/over"
end

begin "a build that was started earlier, under its job server"
printf 'all: a b c d e f\na b c d e f: ; @until [ -e go ]; do sleep 0.05; done; %s $@\n' "$V/prog" >"$S/Makefile"
tree 'cp "$S/Makefile" .; exec make -s -j2'
touch "$S/gate"
building()
{
	[ "$(pgrep -c -P $tree 2>/dev/null)" -ge 2 ]
}
expect "it waits" wait_for 30 building
watching --pid=$tree --run='args --append=more' --cmd='^\S*prog [d-e]$'
touch go
wait $pid
expect_equal $? 0 "it ends with the build"
wait $tree
expect_equal $? 0 "which is well"
expect_equal "$(sort "$S/tree.out" | tr '\n' ',')" "says a,says b,says c,says d more,says e more,says f," "the two are picked"
end

if command -v tmux >/dev/null; then
	begin "the shell in another terminal"
	fresh
	tmux -S "$S/socket" -f /dev/null new-session -d -s main "exec sh -i" </dev/null >"$S/tmux.out" 2>&1
	shell=$(tmux -S "$S/socket" list-panes -F '#{pane_pid}')
	watching --pid="$shell" --run="trace --filter=write --output=$S/log" --first --cmd='prog two$'
	tmux -S "$S/socket" send-keys -t main "$V/prog one; $V/prog two; exit" Enter
	wait $pid
	expect_equal $? 0 "its status"
	expect_lines 1 "$S/log" ' write\(1.*"says two' "what was typed there"
	gone()
	{
		[ ! -e "/proc/$shell" ]
	}
	expect "the shell ends as it was told" wait_for 30 gone
	tmux -S "$S/socket" kill-server >"$S/tmux.out" 2>&1
	end
fi

begin "beside a command"
tree 'while [ ! -e "$S/over" ]; do "$V/prog" one; nap 0.01; done'
touch "$S/gate"
watch --pid=$tree --run='args --append=more' --limit=3 --exe=prog -- sh -c "until grep -q 'one more' $S/tree.out; do sleep 0.05; done; exit 3" \
	>"$S/out" 2>"$S/err"
expect_equal $? 3 "the command's status"
expect "it was picked in the other tree" grep -q '^says one more$' "$S/tree.out"
expect "nobody is attached any more" free $tree
touch "$S/over"
wait $tree
rm "$S/over"
end

begin "recorded: the tree begins with what was running"
tree '"$V/prog" one; sh -c "$V/prog two; :"; exit 4'
watching -o "$S/rec" --list --pid=$tree
touch "$S/gate"
wait $pid
wait $tree
"$EXECTRACE" tree "$S/rec" >"$S/out" 2>"$S/err"
expect_equal "$(tail -n +2 "$S/out" | sed -n 's/.*  \([^ ]* *\)[^ ]*\(bash\|prog one\|sh -c\|prog two\).*/\2/p' | tr '\n' ' ')" \
	"bash prog one sh -c prog two " "the processes"
# Who is not attached tells that since Linux 6.15.
[ "$ENGINE" = notify ] && ! is_kernel 6.15 || expect_lines 1 "$S/out" ' 4  +/?.*bash' "how it ended"
end

begin "job control goes on"
tree 'while [ ! -e "$S/over" ]; do echo >>rounds; nap 0.01; done'
touch "$S/gate"
expect "it runs" wait_for 30 test -s rounds
watching --list --pid=$tree
kill -STOP $tree
expect "it stops" wait_for 30 stands $tree
lines=$(wc -l <rounds)
same()
{
	[ "$(wc -l <rounds)" = "$lines" ]
}
expect "it does nothing" always 200 same
kill -CONT $tree
expect "it goes on" wait_for 30 longer
kill -TERM $pid
wait $pid
expect_equal $? 143 "exectrace ends by the signal"
expect "nobody is attached any more" free $tree
touch "$S/over"
wait $tree
rm "$S/over"
end

begin "those that have started exectrace"
fresh
(sh -c "\"$EXECTRACE\" -v ${as[*]} --pid=\$PPID --run=ignore --first --cmd='prog a' 2>$S/err & sleep 0.2; until grep -q watched $S/err; do sleep 0.05; done; kill -INT \$!; wait \$!"; :)
expect_lines 1 "$S/err" '^exectrace: \[[0-9]+\] cannot be watched: it has started exectrace; --force watches it, too$' "the one between"
end

# refused WANTED ARG...
refused()
{
	local wanted=$1

	shift
	watch "$@" >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status of $*"
	expect_lines 1 "$S/err" "^exectrace: .*$wanted" "what is said of $*"
	expect_equal "$(wc -l <"$S/err")" 1 "in one line"
}

begin "what is refused"
tree 'exit 6'
refused 'No such process' --pid=4194304 --list
refused 'not a process number at offset 2' --pid=1,x --list
refused 'needs an argument' --pid= --list
refused 'process 1; --force' --pid=1 --list
refused -- '--behind does not go with --pid' -D --pid=$tree --list true
refused -- '--why without a COMMAND does not go' --why --pid=$tree
refused -- '--force is for --pid' --force --list true
refused 'no rule' --pid=$tree
if has_victim seizer; then
	"$V/seizer" $tree >"$S/seizer" &
	seizer=$!
	traced()
	{
		! free $tree
	}
	expect "another tracer has it" wait_for 30 traced
	refused "\[$tree\] cannot be watched: process $seizer traces it already" --pid=$tree --list
fi
touch "$S/gate"
wait $tree
expect_equal $? 6 "its status"
wait
end

if is_root && command -v setpriv >/dev/null; then
	begin "another user's process"
	tree 'exit 6'
	chmod 755 "$S"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$EXECTRACE" "${as[@]}" --pid=$tree --list >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status"
	expect_lines 1 "$S/err" '^exectrace: .*root may$' "what is said"
	touch "$S/gate"
	wait $tree
	expect_equal $? 6 "its status"
	end
fi
finish
