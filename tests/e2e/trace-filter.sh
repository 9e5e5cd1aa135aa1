#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The built-in tracer with a filter that the kernel applies: it selects what strace selects, and no call fails because of it, whoever
# ends when.
. "$(dirname "$0")/../lib.sh"

# traced OPTIONS COMMAND...: the trace of a command goes to $S/log
traced()
{
	local options=$1

	shift
	fresh
	rm -f "$S/log"
	et -q --run="trace --output=$S/log $options" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
}

# calls FILE: name and result of each call, also of those in two pieces; which process is first, and its number, are chance, and so is
# how often a shell asks before one has ended
calls()
{
	sed -E -n -e 's/^[0-9]+ +[0-9.]+ (<\.\.\. )?([a-z0-9_]+)( resumed>|\().* = (-?[0-9]+)[^=]*$/\2 = \4/p' "$1" |
		sed -E -e 's/^(v?fork|clone3?|wait4) = [1-9].*/\1/' -e '/^wait4 = 0$/d' | sort
}

# execs FILE: what was to be executed
execs()
{
	grep -aoE ' execve(at)?\([^]]*\]' "$1" | sort
}

# like NAME LIST COMMAND...: strace and the tracer with the same filter
like()
{
	local name=$1 list=$2

	shift 2
	begin "$name"
	fresh
	strace -f -y -ttt -T -e trace="$list" -o "$S/theirs" "$@" >"$S/out.theirs" 2>/dev/null </dev/null
	traced "--filter=$list" "$@"
	# The ptrace engine hands over at the end of the execve.
	[ "$ENGINE" = notify ] || sed -i '1{/ execve(/d}' "$S/theirs"
	calls "$S/theirs" >"$S/theirs.calls"
	calls "$S/log" >"$S/ours.calls"
	expect "there are some" test -s "$S/ours.calls"
	expect_same "$S/ours.calls" "$S/theirs.calls" "the same calls and results"
	execs "$S/theirs" >"$S/theirs.execs"
	execs "$S/log" >"$S/ours.execs"
	expect_same "$S/ours.execs" "$S/theirs.execs" "the same programs and arguments"
	expect_same "$S/out" "$S/out.theirs" "the same output"
	end
}

if command -v strace >/dev/null; then
	seq 3000 >"$S/numbers"
	like "a shell" openat,read,write,close \
		sh -c 'sort -rn "$0" -o sorted; cat sorted; x=$(tail -n 1 "$0"); (echo $x; exit 3) || cat /none' "$S/numbers"
	like "programs that execute others" execve,openat sh -c 'ls /none; env env cat /dev/null; exec nosuchprogram' "$S"
	like "%process" %process sh -c "(exec $V/prog -x 3 a); $V/prog b & wait; env -i $V/prog c | cat"
	like "%file" %file sh -c "cd /; $V/prog -x 3 a; cat /none; env env $V/prog b"
	mkdir -p bin1 bin2 bin3
	printf '#!%s\n' "$V/prog" >bin3/script
	printf '#!/none\n' >bin2/other
	chmod +x bin3/script bin2/other
	like "a script, along a path" execve env PATH="$S/bin1:$S/bin2:$S/bin3:$PATH" sh -c 'script a; env script b; other; env other'
	like "a thread that executes" execve,execveat "$V/threadform" other "$V/prog" hi
	like "a thread that fails to execute, and then does" execve "$V/threadform" failing "$V/prog" hi
	for form in vfork spawn clone-vm; do
		like "$form" execve,exit_group "$V/spawnform" $form "$V/prog" hi
	done
	like "execveat only" execveat sh -c "$V/prog a; $V/execform fexecve $V/prog b"
	like "threads, one of which executes" set_robust_list,write,uname "$V/threadform" other "$V/prog" hi
	has_victim prog32 "a 32-bit program" && like "a 32-bit program" openat,write,brk sh -c "$V/prog a; $V/prog32 b"
	has_victim int80 "the other entry" && like "the other entry" openat,write,mmap "$V/int80" "$V/prog" c
fi

# filters OPTIONS: how many filters the process has under them
filters()
{
	traced "$1" grep Seccomp_filters /proc/self/status
	cut -f 2 "$S/out"
}

if grep -q Seccomp_filters /proc/self/status && is_root; then
	begin "the filter is the kernel's"
	before=$(filters "")
	expect_equal "$(filters --filter=openat)" $((before + 1)) "one more"
	expect_equal "$(filters --filter=openat,execve)" $((before + 1)) "also where the engine has one for execve"
	end
fi

if is_root; then
	begin "--verbose says why all calls stop"
	ln -sf "$EXECTRACE" "$S/exectrace-trace"
	for action in trace "attach $S/exectrace-trace --verbose -p {pid}"; do
		for list in execve,getppid getppid; do
			fresh
			et -v --run="$action --filter=$list --output=$S/log" --first -- "$V/prog" a >"$S/out" 2>"$S/err"
			why=0
			# A tracer by hand knows nothing of the engine's filter.
			case "$ENGINE $action" in
			"notify attach "*) why=1 ;;
			esac
			expect_lines $why "$S/err" \
				'^exectrace.*: --filter: every call stopped the process, .*: the process has a seccomp filter of its own$' \
				"$action, $list"
		done
	done
	end
fi

begin "--no-follow: the children's calls go well and are not shown"
traced '--no-follow --filter=write,openat' sh -c "$V/prog a; echo b; cat $S/none $V/../victims/prog >/dev/null; (echo c); exit 6"
expect_equal $? 6 "the command's status"
expect_equal "$(tr '\n' ' ' <"$S/out")" "says a b c " "the output"
expect_equal "$(calls "$S/log" | grep -c '^write')" 1 "one write"
expect_equal "$(awk '{ print $1 }' "$S/log" | sort -u | wc -l)" 1 "one process"
end

if command -v strace >"$S/why"; then
	begin "--no-follow: the children can have another tracer"
	for options in --filter=openat "--filter=openat --source=stops" --source=inside; do
		traced "--no-follow $options" sh -c "for i in 1 2 3; do strace -f -o $S/theirs $V/prog a || echo failed; done"
		expect_equal "$(tr '\n' ' ' <"$S/out")" "says a says a says a " "$options: the output"
		expect_lines 1 "$S/theirs" '^[0-9]+ +execve\(.*/prog"' "$options: it traces"
	done
	end
else
	skip_case "--no-follow: the children can have another tracer" "strace is not installed"
fi

finish
