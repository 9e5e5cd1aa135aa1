#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# log: what was executed, as text, tree and JSON Lines; ignore does nothing.
. "$(dirname "$0")/../lib.sh"

# What is not known is shown so (exectrace(1)): before Linux 6.15 that is up to chance.
exit3='exit 3'
status3='"status":3'
killed='"signal":"SIGSEGV"'
if [ "$ENGINE" = notify ] && ! is_kernel 6.15; then
	exit3='(exit 3|\?)'
	status3='"status":(3|null)'
	killed='"-k","SEGV".*("signal":"SIGSEGV"|"status":null,"signal":null)'
fi
begin "text"
act log
expect_lines 1 "$S/act.err" "^\[[0-9]+\] parent [0-9]+ depth 1, $exit3, [0-9.]+(us|ms|s)(, cpu [0-9.]+(us|ms|s))?(, [0-9.]+[KM])?, in $S/run: .*proggdb -x 3 -e GIVEN PICKME$" "the line"
end
begin "text, by name"
act "log --format=text"
expect_lines 1 "$S/act.err" '^\[[0-9]+\] parent .* PICKME$' "the line"
end
begin "json"
act "log --format=json"
grep -a '^{' "$S/act.err" >"$S/json"
expect_equal "$(wc -l <"$S/json")" 1 "one object"
for pair in '"depth":1' '"cwd":"' '"argv":\[".*proggdb","-x","3","-e","GIVEN","PICKME"\]' "$status3" '"signal":null' '"duration":[0-9]' \
	"\"pid\":[0-9]" "\"ppid\":[0-9]" '"uid":[0-9]' '"time":[0-9]+\.[0-9]{9}'; do
	expect_lines 1 "$S/json" "$pair" "it has $pair"
done
end
begin "json of odd bytes is JSON"
fresh
et -q --run='log --format=json' -- sh -c "$V/bigargs bytes $V/prog; $V/prog -k SEGV x" >"$S/out" 2>"$S/err"
grep -a '^{' "$S/err" >"$S/json"
expect_equal "$(wc -l <"$S/json")" 4 "one object a command"
expect_lines 1 "$S/json" "$killed" "death by signal"
if command -v python3 >/dev/null; then
	expect "python reads it" python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"): json.loads(line)' "$S/json"
fi
end
begin "tree"
fresh
et -q --color=never --run='log --format=tree' -- \
	sh -c "sh -c 'sh -c \"$V/prog deepest; :\"; :'; for i in 1 2 3 4 5 6 7 8 9; do $V/prog same; done; $V/prog -x 3 failing; :" \
	>"$S/out" 2>"$S/err"
expect_lines 1 "$S/err" '^\S* ?sh -c' "the root at the left"
expect_lines 1 "$S/err" '^ .*/prog deepest +\[' "the deepest is indented"
expect_lines 0 "$S/err" $'\033' "no colours"
end
if ends_known "tree: statuses, and repeated ones are folded"; then
	begin "tree: statuses, and repeated ones are folded"
	expect_lines 1 "$S/err" 'failing.*exit 3|exit 3.*failing' "the failed one has its status"
	expect_lines some "$S/err" '9 times|x ?9|9 x' "repeated ones are folded"
	end
fi
begin "tree in colours"
fresh
et -q --color=always --run='log --format=tree' -- sh -c "$V/prog -x 3 failing; :" >"$S/out" 2>"$S/err"
expect_lines some "$S/err" $'\033' "colours"
end
begin "a million characters are printed"
fresh
et -q --run=log -- "$V/bigargs" million "$V/prog" >"$S/out" 2>"$S/err"
expect "the log has a line of a command that long" test "$(wc -L <"$S/err")" -gt 100
end
if ends_known "statuses"; then
	begin "statuses"
	fresh
	et -q --run=log --cmd='^\S*prog ' -- sh -c "$V/prog x; $V/prog -x 255 x; $V/prog -k KILL x; :" >"$S/out" 2>"$S/err"
	expect_lines 1 "$S/err" ', exit 0, ' "exit 0"
	expect_lines 1 "$S/err" ', exit 255, ' "exit 255"
	expect_lines 1 "$S/err" ', SIGKILL, ' "SIGKILL"
	end
fi
begin "a full disk"
fresh
et -q --run='log --output=/dev/full' --cmd='^\S*prog ' -- sh -c "$V/prog x; $V/prog x; $V/prog x; exit 3" >"$S/out" 2>"$S/err"
expect_equal $? 3 "exit status"
expect_lines 1 "$S/err" 'cannot write /dev/full: No space left on device' "it is said once"
end
begin "ignore"
fresh
et --run=ignore --cmd='^\S*prog ' -- "$V/prog" x >"$S/out" 2>"$S/err"
expect_equal "$(cat "$S/out")" "says x" "it ran"
expect_lines 0 "$S/err" ' match 1' "no match is reported"
end
finish
