#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tree that works against us: arguments that change while they are read, parks without number, no descriptor left, programs of another
# user's rights. What is decided may be out of date; nothing else may go wrong.
. "$(dirname "$0")/../lib.sh"

begin "arguments that another thread changes while they are looked at"
et -o rec --run=log --cmd='PICKME$' -- "$V/argvrace" 60 /bin/true >"$S/out" 2>"$S/err"
expect_equal "$?" 0 "exit status"
expect_equal "$(cat "$S/out")" "60 of 60 ended well" "each program runs"
expect_lines 1 "$S/err" '^exectrace: [0-9]+ of [0-9]+ commands matched(; |$)' "the count"
expect_lines 0 "$S/err" '^exectrace: (warning|error|internal)' "nothing is wrong"
expect_equal "$(grep -c '"path":"/bin/true"' rec/execs.jsonl)" 60 "each is recorded once"
expect "what is recorded can be read" "$EXECTRACE" tree rec
end

begin "the same, and what is decided is done"
et -q --run='args --env=PICKED=1' --cmd='PICKME$' -- "$V/argvrace" 60 /bin/true >"$S/out" 2>"$S/err"
expect_equal "$? $(cat "$S/out")" "0 60 of 60 ended well" "each program runs"
end

begin "hundreds of programs parked at once"
et --run='attach /bin/true {pid}' --cmd='^\S*prog ' -- "$V/parallel" 200 "$V/prog" a >"$S/out" 2>"$S/err"
expect_equal "$?" 0 "exit status"
expect_lines 1 "$S/out" '^good 200, bad 0, killed 0$' "all of them run on"
expect_lines 1 "$S/err" '^exectrace: 200 of [0-9]+ commands matched$' "the count"
end

# The shell has all numbers but two up to its limit open when it becomes the program: the loader needs one.
fill='ulimit -n 64; for ((i = 3; i < 62; i++)); do eval "exec $i</dev/null"; done; exec "$0" -x 3 PICKME'
if ! command -v strace >/dev/null; then
	skip_case "a program with hardly a descriptor left" "strace is not installed"
else
	pick "a program with hardly a descriptor left" -- bash -c "$fill" "$V/prog"
fi
begin "a program with hardly a descriptor left, for our own tracer"
et -q --run="trace -o $S/calls" --cmd='^\S*prog .*PICKME' -- bash -c "$fill" "$V/prog" >"$S/out" 2>"$S/err"
expect_equal "$?" 3 "exit status"
expect_lines 1 "$S/calls" '\+\+\+ exited with 3 \+\+\+$' "its end"
expect_lines 0 "$S/err" . "nothing is said"
end

# --user is about who calls execve; the engine ptrace knows only who it has become.
who=65534 not=0
[ "$ENGINE" = notify ] || who=0 not=65534
only_root "a setuid program and --user" || finish
begin "a setuid program and --user"
fresh
cp "$V/state" suid
chmod 4755 suid
for user in 65534 0; do
	et --run=log --user=$user --cmd='^\./suid' -- setpriv --reuid=65534 --regid=65534 --clear-groups ./suid ids >"$S/out.$user" 2>"$S/err.$user"
done
expect_lines 1 "$S/err.$who" '^exectrace: 1 of [0-9]+ commands matched' "the one user"
expect_lines 1 "$S/err.$not" '^exectrace: 0 of [0-9]+ commands matched' "not the other"
expect_same "$S/out.65534" "$S/out.0" "it does the same"
expect_lines some "$S/out.0" '\b0\b' "as root"
end
finish
