#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --pid with --engine=notify: what runs already gets a listener, is otherwise as it was, and nothing stays attached.
# once: there is one engine for it
. "$(dirname "$0")/../lib.sh"

is_kernel 5.19 || skip "no listener before Linux 5.19"
is_root || skip "a listener without no_new_privs takes root"

# shellcheck source=tests/pid.sh
. "$TESTS/pid.sh"

begin "a program that a daemon starts is handed to strace"
tree 'while [ ! -e "$S/over" ]; do "$V/prog" one; "$V/prog" two; echo >>rounds; done; exit 5'
touch "$S/gate"
watch --pid=$tree --run="strace -o $S/log" --first --cmd='prog two$'
expect_equal $? 0 "it ends when its one program has"
expect_lines 1 "$S/log" '^write\(1, "says two' "what strace saw"
expect_lines 1 "$S/err" '^exectrace: what ran already goes on with a seccomp listener' "what stays behind"
lines=$(wc -l <rounds)
longer()
{
	[ "$(wc -l <rounds)" -gt $((lines + 2)) ]
}
expect "the daemon goes on" wait_for 30 longer
lives 5
expect_equal "$(sort -u "$S/tree.out" | tr '\n' ',')" "says one,says two," "nothing else was written"
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
end

begin "watched in the middle of a storm: what each process starts from then on is seen once"
tree '"$V/storm" 10 $((each * 5)) "$V/count" count; "$V/storm" 4 $each "$V/prog" late'
touch "$S/gate"
watching --list --cmd='^\S*/prog late$' --pid=$tree
wait $pid
expect_equal $? 0 "its status"
wait $tree
expect_lines 2 "$S/tree.out" '^failed 0, not started 0$' "none failed"
expect_equal "$(wc -c <count)" $((each * 50)) "every program ran"
expect_lines $((4 * each)) "$S/err" 'rule 1 .* matches: .*/prog late$' "each was seen once"
end

begin "a thread in vfork: no call of another one is interrupted when its child ends"
fresh
for i in 1 2 3; do
	rm -f "$S/over" "$S/spawner"
	"$V/spawner" "$S/over" >"$S/spawner" &
	spawner=$!
	expect "it runs" wait_for 30 test -s "$S/spawner"
	watching --list --pid=$spawner
	nap 0.3
	touch "$S/over"
	wait $spawner
	expect_equal "$(tail -n 1 "$S/spawner")" "children: some, interrupted: 0" "what it saw"
	wait $pid
done
end

if command -v python3 >/dev/null; then
	begin "threads that start programs, and calls in progress"
	cat >"$S/server.py" <<-'EOF'
		import os, select, subprocess, sys, threading, time
		def work(n):
		    while not os.path.exists(sys.argv[1]):
		        time.sleep(0.01)
		    for i in range(10):
		        subprocess.run([sys.argv[2], "thread%d" % n], stdout=subprocess.DEVNULL)
		def rest():
		    p = select.epoll()
		    while not os.path.exists(sys.argv[1]):
		        p.poll(0.5)
		threads = [threading.Thread(target=work, args=(n,)) for n in range(4)] + [threading.Thread(target=rest)]
		[t.start() for t in threads]
		[t.join() for t in threads]
	EOF
	tree 'exec python3 "$S/server.py" "$S/go" "$V/prog"'
	touch "$S/gate"
	threads()
	{
		[ "$(find "/proc/$tree/task" -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l)" -ge 6 ]
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

loop='while [ ! -e "$S/over" ]; do "$V/prog" one; nap 0.02; done; exit 7'

begin "args"
tree "$loop"
touch "$S/gate"
watch --pid=$tree --run="args --append=more" --first --exe=prog
expect_equal $? 0 "status"
expect "it got the word" wait_for 30 grep -q '^says one more$' "$S/tree.out"
lives 7
end

begin "log"
tree "$loop"
touch "$S/gate"
watch --pid=$tree --run=log --limit=2 --exe=prog
expect_equal $? 0 "status"
expect_lines 2 "$S/err" '^\[[0-9]+\] .*, exit 0, .*prog one$' "how they ended"
lives 7
end

begin "trace, of the second"
tree "$loop"
touch "$S/gate"
watch --pid=$tree --run="trace --filter=write --output=$S/log" --nth=2 --exe=prog
expect_equal $? 0 "status"
expect_lines 1 "$S/log" ' write\(1.*"says one' "what it wrote"
lives 7
end

begin "wrap"
tree "$loop"
touch "$S/gate"
watch --pid=$tree --run="wrap env ADDED=yes $V/prog -e ADDED" --first --exe=prog
expect_equal $? 0 "status"
expect "in its environment" wait_for 30 grep -q 'yes' "$S/tree.out"
lives 7
end

begin "beside a command, which has a listener of its own"
tree "$loop"
touch "$S/gate"
watch --pid=$tree --run='args --append=more' --limit=1000 --exe=prog -- sh -c "$V/prog mine; until grep -q 'one more' $S/tree.out; do sleep 0.05; done; exit 3"
expect_equal $? 3 "the command's status"
expect_lines 1 "$S/out" '^says mine more$' "it was picked in the command's tree"
expect "and in the other" grep -q '^says one more$' "$S/tree.out"
lives 7
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
end

begin "one that is stopped stays so, and is watched when it goes on"
tree 'while [ ! -e "$S/over" ]; do "$V/prog" one; echo >>rounds; nap 0.01; done; exit 8'
touch "$S/gate"
expect "it runs" wait_for 30 test -s rounds
kill -STOP $tree
expect "it stops" wait_for 30 stands $tree
watching --run=args\ --append=more --first --exe=prog --pid=$tree
expect "it stands" stands $tree
kill -CONT $tree
wait $pid
expect_equal $? 0 "status"
expect "it was picked" wait_for 30 grep -q '^says one more$' "$S/tree.out"
lives 8
end

begin "told to end, the tree goes on, and the ptrace engine sees it"
tree "$loop"
touch "$S/gate"
watching --list --pid=$tree
kill -TERM $pid
wait $pid
expect_equal $? 143 "exectrace ends by the signal"
cp "$S/err" "$S/first"
"$EXECTRACE" -q --pid=$tree --run="args --append=still" --first --exe=prog 2>"$S/err"
expect_equal $? 0 "the ptrace engine sees it"
expect "it got the word" wait_for 30 grep -q '^says one still$' "$S/tree.out"
cp "$S/first" "$S/err"
lives 7
end

begin "told to end while one cannot be stopped for a moment"
fresh
rm -f "$S/err" "$S/go" "$S/tree.out"
"$V/vforking" "$S/go" >"$S/tree.out" 2>&1 &
tree=$!
expect "it runs" wait_for 30 test -s "$S/tree.out"
since=$SECONDS
"$EXECTRACE" -v --engine=notify --pid=$tree --list >"$S/out" 2>"$S/err" &
pid=$!
expect "it looks for them" wait_for 30 has "$S/err" 'engine notify'
nap 0.2
kill -INT $pid
wait $pid
expect_equal $? 130 "it ends by the signal"
expect "soon" test $((SECONDS - since)) -lt "$(limit 20)"
touch "$S/go"
wait $tree
expect_equal $? 4 "the process goes on as it would"
end

begin "one of two cannot be had: the other one has its keeper"
tree "$loop"
touch "$S/gate"
watch --pid=$tree,4194304 --list
expect_equal $? 125 "status"
expect_lines 1 "$S/err" '^exectrace: what ran already goes on with a seccomp listener' "what stays behind"
lines=$(wc -l <"$S/tree.out")
said()
{
	[ "$(wc -l <"$S/tree.out")" -gt $((lines + 3)) ]
}
expect "it goes on" wait_for 30 said
lives 7
end

if has_victim filters && has_victim sandbox; then
	begin "under a filter of its own that allows it"
	fresh
	rm -f "$S/over" "$S/gate"
	"$V/filters" other "$BASH" -c "until [ -e $S/over ]; do $V/prog one; sleep 0.02; done; exit 9" >"$S/tree.out" 2>&1 &
	tree=$!
	expect "it runs" wait_for 30 grep -q 'says one' "$S/tree.out"
	watch --pid=$tree --run="args --append=more" --first --exe=prog
	expect_equal $? 0 "status"
	expect "it got the word" wait_for 30 grep -q '^says one more$' "$S/tree.out"
	lives 9
	end

	begin "under one that does not: it is left alone"
	fresh
	rm -f "$S/over" "$S/gate" "$S/tree.out"
	"$V/sandbox" kill seccomp "$BASH" -c "until [ -e $S/over ]; do $V/prog one; sleep 0.02; done; exit 9" >"$S/tree.out" 2>&1 &
	tree=$!
	expect "it runs" wait_for 30 grep -q 'says one' "$S/tree.out"
	watch --pid=$tree --list
	expect_equal $? 125 "status"
	expect_lines 1 "$S/err" 'its own seccomp filter may not allow that; --engine=ptrace needs none$' "what is said"
	lives 9
	end
fi

if command -v setpriv >/dev/null; then
	begin "an ordinary user: only with no_new_privs"
	fresh
	rm -f "$S/over" "$S/gate" "$S/tree.out"
	chmod 777 "$S"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${as[@]}" "$BASH" -c "until [ -e $S/over ]; do $V/prog one; sleep 0.02; done; exit 6" >"$S/tree.out" 2>&1 </dev/null &
	tree=$!
	expect "it runs" wait_for 30 grep -q 'says one' "$S/tree.out"
	"${as[@]}" "$EXECTRACE" --engine=notify --pid=$tree --list >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status"
	expect_lines 1 "$S/err" '--allow-no-new-privs sets that; --engine=ptrace needs none$' "what is said"
	expect "no_new_privs is not set" grep -q '^NoNewPrivs:.0$' "/proc/$tree/status"
	timeout "$(limit 60)" "${as[@]}" "$EXECTRACE" --engine=notify --allow-no-new-privs --pid=$tree --run="args --append=more" --first \
		--exe=prog >"$S/out" 2>"$S/err"
	expect_equal $? 0 "status with it"
	expect "it got the word" wait_for 30 grep -q '^says one more$' "$S/tree.out"
	expect "no_new_privs is set" grep -q '^NoNewPrivs:.1$' "/proc/$tree/status"
	lives 6
	chmod 755 "$S"
	end
fi
for spaces in "-Ur" "-Urpf --mount-proc" "-mn"; do
	# shellcheck disable=SC2086 # words
	if ! unshare $spaces true 2>"$S/why"; then
		skip_case "unshare $spaces" "not allowed here"
		continue
	fi
	begin "unshare $spaces"
	fresh
	rm -f "$S/over"
	# shellcheck disable=SC2086
	unshare $spaces "$BASH" -c "until [ -e $S/over ]; do $V/prog one; sleep 0.05; done; exit 6" >"$S/tree.out" 2>&1 </dev/null &
	tree=$!
	wait_for 30 test -s "$S/tree.out"
	watch --pid=$tree --run="args --append=more" --limit=2 --exe=prog
	expect_equal $? 0 "its status"
	expect_lines 2 "$S/tree.out" '^says one more$' "who got the word"
	lives 6
	end
done
finish
