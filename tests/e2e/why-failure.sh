#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs that fail, each for another reason: what `why` must name.
. "$(dirname "$0")/../lib.sh"
needs perl

# ask STATUS COMMAND...: the page at the end of a run that ends with a status, in $S/err
ask()
{
	local status=$1

	shift
	fresh
	prepare_run
	et -q --why -- "$@" >"$S/out" 2>"$S/err"
	expect_equal $? "$status" "the status of the command"
	expect "at most 100 lines" test "$(wc -l <"$S/err")" -le 100
}

# says REGEX NAME
says()
{
	expect_lines some "$S/err" "$1" "$2"
}

prepare_run()
{
	:
}

begin "a limit: who set it, which descriptors were open"
prepare_run()
{
	printf 'ulimit -n 16\nexec %s opens\n' "$S/opens" >limited.sh
	printf 'sh ./limited.sh || exit 1\n' >suite.sh
}
cat >"$S/opens" <<'END'
#!/usr/bin/perl
open(STDERR, ">>", "/dev/null") if 0;
while (1) { open(my $f, "<", "/etc/passwd") or do { print STDERR "cannot open the log: $!\n"; exit 4 }; push @all, $f; }
END
chmod 755 "$S/opens"
ask 1 sh ./suite.sh
says '^ +└ .*opens .*: exit 4 +<- it began here' "where it began"
says '^    \| cannot open the log: Too many open files' "its message"
says '= -1 EMFILE .*<- its message$' "the call behind the message"
says '^  RLIMIT_NOFILE is 16, set by sh ./limited.sh \[[0-9]+\] at ' "who set the limit"
says '^    [0-9]+ x /etc/passwd, which it opened itself' "what was open"
end

begin "a file that another process has removed"
prepare_run()
{
	printf 'echo 1 >state\ntest -e none\ngrep -q 2 state\nsh -c "sleep 0; rm state"\ncat state\n' >t.sh
}
ask 1 sh -e -c 'sh ./t.sh; echo not reached'
says '^ +└ cat state \[[0-9]+\]: exit 1 +<- it began here' "not the probes: the last one"
says 'ENOENT.*; removed by rm state \[[0-9]+\] at .*<- its message' "who removed it"
says '^  run it: +cd .*/run && cat state$' "how to run it alone"
end

begin "a full disk"
prepare_run()
{
	printf 'all: a b\na:\n\t-grep -q nosuch /dev/null\nb:\n\tseq 100000 >/dev/full\n' >Makefile
}
ask 2 make
says '^ +└ seq 100000 \[[0-9]+\]: exit 1 +<- it began here|^ +└ /bin/sh -c .seq 100000 >/dev/full. \[' "not what make ignores"
says 'write\(1</dev/full>, ".{1,60}"\.\.\., [0-9]+\) = -1 ENOSPC.*<- its message' "the call, cut"
end

begin "a signal: who sent it, and what the process was doing"
prepare_run()
{
	printf 'sh -c "sleep %s; echo" &\npid=$!\n(sleep %s; kill -TERM $pid) &\nwait $pid\n' "$(limit 3)" "$(limit 1)" >t.sh
}
ask 143 sh ./t.sh
says 'sh -c .sleep [0-9]+; echo. \[[0-9]+\]: SIGTERM +<- it began here' "who was killed"
says '^  SIGTERM was sent by sh ./t.sh \[[0-9]+\] at ' "who did it"
says '^  for [0-9.]+[mu]?s until then it was waiting for a child \(wait4\): sleep [0-9]+ \[[0-9]+\]' "what it waited for"
end

begin "a crash"
prepare_run()
{
	printf 'perl -e "kill SEGV => \\$\\$"\nexit 7\n' >t.sh
}
ask 7 sh ./t.sh
says 'perl -e .* \[[0-9]+\]: SIGSEGV' "the chain"
end

begin "a server that nobody has started"
prepare_run()
{
	cat >client.pl <<'END'
use Socket;
for (1 .. 5) {
	socket(my $s, AF_UNIX, SOCK_STREAM, 0);
	exit 0 if connect($s, pack_sockaddr_un("var/names.sock"));
	select(undef, undef, undef, 0.1);
}
print STDERR "gave up\n";
exit 1;
END
}
ask 1 sh -c 'perl client.pl; exit $?'
says '5 x connect\(/.*/run/var/names.sock\) = ENOENT, every [0-9.]+[mu]?s; no recorded process has bound|made it' "the time"
says 'connect\(.*"var/names.sock"}, [0-9]+\) = -1 ENOENT.*, 5 times; no recorded process has made it' "the failure"
end

if has_victim noperf "what perror says, where standard error can be read, too"; then
	begin "what perror says, where standard error can be read, too"
	fresh
	ask 4 sh -c "$V/noperf ./nowhere 2<>log; exit 4"
	says 'it wrote to standard error at ' "it is a message"
	says '^    [|] \./nowhere: No such file or directory$' "its text"
	end
fi

begin "what a shell's echo says, with standard error in a file"
fresh
ask 3 sh -c 'sh -c "echo first >&2; exit 3" 2>log; exit $?'
says 'it wrote to standard error at ' "it is a message"
says '^    [|] first$' "its text"
end

begin "a run that goes well has no failure"
prepare_run()
{
	:
}
ask 0 sh -c 'test -e nosuch; grep -q x /dev/null; false; true'
expect_lines 0 "$S/err" '^Why it failed' "no chain"
says '^sh -c .*: exit 0 after ' "the outcome"
end

begin "what was not recorded is said"
fresh
et -q -o d --run=log -- sh -c 'sh -c "exit 3"; exit $?' >"$S/out" 2>"$S/err"
"$EXECTRACE" why d >"$S/out" 2>"$S/err"
expect_equal $? 0 "status of why"
expect_lines some "$S/out" '^ +└ sh -c .exit 3. \[[0-9]+\]: exit 3 +<- it began here' "the chain from the programs alone"
expect_lines some "$S/out" '^No system calls were recorded' "what is missing"
expect_lines some "$S/out" 'exectrace --why -- sh -c ' "how to get it"
end

if command -v strace >/dev/null && ends_known "ends that are seen late have their order"; then
	begin "ends that are seen late have their order"
	fresh
	timeout --foreground -k 1 "$(limit 30)" strace -qq -o "$S/strace" -e trace=read -e inject=read:delay_enter=50000 \
		"$EXECTRACE" --engine="$ENGINE" -q -o d --run=log -- sh -c 'sh -c "exit 3"; exit $?' >"$S/out" 2>"$S/err" </dev/null
	"$EXECTRACE" why d >"$S/out" 2>"$S/err"
	expect_lines some "$S/out" '^ +└ sh -c .exit 3. \[[0-9]+\]: exit 3 +<- it began here' "what the command waited for ended before it"
	end
fi

begin "--why with rules of its own"
fresh
et -q --why -o d --run=trace --run='trace --format=data' --cmd='^cat ' -- sh -c 'cat nosuch; exit 5' >"$S/out" 2>"$S/err"
expect_equal $? 5 "status"
says '^sh -c .*: exit 5 after ' "the outcome"
end

# A signal that the kernel sends: what for, and where.
prepare_run()
{
	:
}
for how in "null SIGSEGV: it wanted address 0x8, a null pointer" "divide SIGFPE: a division by zero" \
	"beyond SIGBUS: it wanted address 0x[0-9a-f]+, which is mapped, but behind the end of its file"; do
	read -r mode signal what <<<"$how"
	begin "a signal that the kernel sent: ${signal%:}"
	fresh
	et -q --why -- "$V/fatal" "$mode" file >"$S/out" 2>"$S/err"
	says "^  ${signal%:} came from an instruction of its own: $what\$" "what it was for"
	says '^         in (beyond < )?work < main' "where"
	"$EXECTRACE" why --json >"$S/json" 2>"$S/said"
	expect_equal "$(jq -r '.signal | .name, (.code > 0), (.stack | endswith("work < main < _start"))' "$S/json" | tr '\n' ' ')" \
		"${signal%:} true true " "the same in JSON"
	"$EXECTRACE" syscalls --stack >"$S/out" 2>"$S/err"
	expect_equal "$(grep -A 3 -- "--- ${signal%:} at" "$S/out" | grep -c 'fatal(work+0x')" 1 "the stack in the list of calls"
	end
done

begin "a program that hangs, and Ctrl-C"
fresh
et -q --why -- perl -e 'if (!fork) { select undef, undef, undef, 0.5; kill "INT", getppid; exit } sleep 60' \
	>"$S/out" 2>"$S/err"
says '^  SIGINT was sent by perl -e .* \[[0-9]+\] at ' "by whom"
says '^         in .*(Perl_pp_sleep|perl).*' "where it was"
says 'until then it was sleeping' "and what it did"
end

begin "a stack that is full"
fresh
et -q --why -- "$V/fatal" deep >"$S/out" 2>"$S/err"
says '^  SIGSEGV came from .*: its stack is full, at least 64 calls deep, [56][0-9] of them of one function$' "why"
says '^         in deep$' "which"
end

begin "a message with a stack behind it"
prepare_run()
{
	cat >trace.pl <<-'END'
		$\ = "\n";
		print STDERR $_ for "starting", "Exception in main: cannot do it", map("\tat level $_", 1 .. 20);
		exit 5;
	END
}
ask 5 perl trace.pl
says '^    \| Exception in main: cannot do it$' "what happened"
says '^    \| \.\.\.$' "that something is left out"
says '^    \|     at level 20$' "the last line, without its tab"
expect_lines 0 "$S/err" '^    \| starting' "no more than that"
end

begin "a port that is in use: who has it"
prepare_run()
{
	cat >port.pl <<-'END'
		use Socket;
		socket(my $s, PF_INET, SOCK_STREAM, 0);
		bind($s, sockaddr_in(0, INADDR_LOOPBACK)) or die;
		my $name = getsockname $s;
		if (!fork) { socket(my $t, PF_INET, SOCK_STREAM, 0); bind($t, $name) or die "cannot bind: $!\n"; }
		wait;
		exit $? >> 8;
	END
}
ask 98 perl port.pl
says 'bind\(.*EADDRINUSE.*; bound by perl port.pl \[[0-9]+\] at.*<- its message$' "the call"
end

begin "a pipe that stays open in a process behind"
prepare_run()
{
	printf 'got=$(sleep 60 & echo ready)\necho $got\n' >t.sh
}
ask 124 timeout "$(limit 2)" sh ./t.sh
says 'it was reading pipe:.* \(read\),.*; sleep 60 \[[0-9]+\] had it open still$' "who has it"
end

begin "a call for which a seccomp filter ends the process"
fresh
et -q --why -- "$V/fatal" forbidden >"$S/out" 2>"$S/err"
says '^  SIGSYS came from a system call that a seccomp filter forbids it: getppid$' "which one"
"$EXECTRACE" syscalls >"$S/out" 2>"$S/err"
expect_lines 1 "$S/out" ' getppid\(\) += \?$' "it is in the list, though it was not asked for"
end

if command -v gcc >/dev/null; then
begin "a library that is not there: what the loader writes, and where it looked"
prepare_run()
{
	mkdir lib
	echo 'int f(void); int f(void) { return 1; }' >f.c
	echo 'int f(void); int main(void) { return f(); }' >m.c
	gcc -shared -fPIC -o lib/libnotthere.so f.c && gcc -o program m.c -Llib -lnotthere && rm -r lib
}
ask 127 sh -c './program; exit $?'
says '^ +└ ./program \[[0-9]+\]: exit 127 +<- it began here' "where it began"
says '^    \| ./program: error while loading shared libraries: libnotthere.so: ' "its message, by writev"
expect_lines 1 "$S/err" 'libnotthere.so", .*ENOENT.*<- its message$' "the last try"
says '^           and before that in /[^,]+, /[^,]+' "the others in one line"
end
else
	skip_case "a library that is not there: what the loader writes, and where it looked" "gcc is not installed"
fi

begin "a program whose interpreter is not there"
prepare_run()
{
	printf '#!/bin/sh\r\nexit 0\r\n' >script
	chmod 755 script
}
ask 127 sh -c './script; exit $?'
says 'execve\("./script".*ENOENT.*; the file is there, but its interpreter is not: /bin/sh.x0d' "a line that ends in CR LF"
end

begin "what the process itself has killed is not the reason, but what it waited for in vain is"
prepare_run()
{
	:
}
ask 3 perl -e '$pid = fork; exec "sleep", "60" if !$pid; system "true"; kill 9, $pid; waitpid $pid, 0; print "bad\n"; exit 3'
expect_lines 0 "$S/err" '└ sleep' "cleaned up"
says '^    \| bad$' "the process's own last words"
ask 3 perl -e '$pid = fork; exec "sleep", "60" if !$pid; do { open F, "/proc/$pid/comm" } until <F> eq "sleep\n"; select undef, undef, undef, 0.3; kill 9, $pid; waitpid $pid, 0; exit 3'
says '└ sleep 60 \[[0-9]+\]: SIGKILL +<- it began here' "waited for"
end

begin "--json"
fresh
et -q --why -o d -- sh -c 'cat nosuch' >"$S/out" 2>"$S/err"
"$EXECTRACE" why --json d >"$S/json" 2>"$S/err"
expect_equal "$(jq -r '.chain[-1].command' "$S/json")" "$("$EXECTRACE" why d | sed -n 's/^ *└* *\(.*\) \[.*<- it began here$/\1/p;s/^  \(sh -c .cat nosuch.\) \[.*: exit 1$/\1/p' | tail -1)" \
	"where it began, as on the page"
expect_equal "$(jq -r '[.failed_calls[] | select(.error == "ENOENT" and (.what | endswith("/nosuch")))] | length > 0' "$S/json")" true \
	"the call that failed"
expect_equal "$(jq -r '.stderr | test("No such file")' "$S/json")" true "its message"
expect_equal "$(jq -r '([.critical[].time] | add) <= .duration and ([.critical[].time] | add) > .duration * 0.9' "$S/json")" true \
	"the critical chain adds up to the time it took"
end

begin "--pid"
fresh
et -q --why -o d -- sh -c 'sh -c "echo \$\$ >pid; cat nosuch; exit 9"; exit 0' >"$S/out" 2>"$S/err"
expect_lines 0 "$S/err" '^Why it failed' "as a whole it went well"
pid=$(cat pid)
"$EXECTRACE" why --pid="$pid" d >"$S/out" 2>"$S/err"
expect_lines some "$S/out" "\\[$pid\\]: exit 9 after" "one process"
expect_lines some "$S/out" "^Why it failed" "its failure"
"$EXECTRACE" why --pid=1 d >"$S/out" 2>"$S/err"
expect_equal $? 1 "status"
expect_lines 1 "$S/err" 'there is no process in it that fits --pid=1' "one that is not there"
end

finish
