#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two runs of the same command: where they part.
. "$(dirname "$0")/../lib.sh"

# both_runs COMMAND...: recorded as good, then, after `spoil`, as bad
both_runs()
{
	et -q --why -o good -- "$@" >"$S/out" 2>"$S/err"
	spoil
	et -q --why -o bad -- "$@" >"$S/out" 2>"$S/err"
	"$EXECTRACE" why --first-difference good bad >"$S/out" 2>"$S/err"
	expect_equal $? 0 "status"
	awk '/^First difference/ { getline; print }' "$S/out" >"$S/first"
}

first()
{
	expect_lines 1 "$S/first" "$1" "the first difference"
}

if engine_can notify "an environment variable" "it does not see what a process executes that it has let go"; then
	begin "an environment variable"
	fresh
	printf '#!/bin/sh\n[ "$ZONE" = UTC ]\n' >t
	chmod 755 t
	echo 'export ZONE=UTC; ./t; exit $?' >suite
	spoil()
	{
		sed -i 's/ZONE=UTC/ZONE=Mars/' suite
	}
	both_runs sh suite
	first '  \./t \[[0-9]+\] began with env ZONE=(Mars, only in BAD|UTC, only in GOOD)$'
	expect_lines 1 "$S/out" './t .* ended with exit 1, in GOOD \[[0-9]+\] with exit 0' "what followed"
	end
fi

begin "what exectrace itself was given"
fresh
export GIVEN=1
spoil()
{
	export GIVEN=2
}
both_runs sh -c 'test $GIVEN = 1'
first 'sh -c .* began with env GIVEN=2, only in BAD$|began with env GIVEN=1, only in GOOD$'
unset GIVEN
end

begin "a file that is not there"
fresh
echo x >data
spoil()
{
	rm data
}
both_runs sh -c 'true; cat data; exit 0'
first 'cat data \[[0-9]+\]: openat\(.*"data".* = -1 ENOENT .*, only in BAD$'
end

begin "a file that only one run opens"
fresh
mkdir conf
echo x >conf/a
echo 'for f in conf/*; do read -r line <"$f"; done; [ "$line" = x ]; exit $?' >suite
spoil()
{
	echo y >conf/b
}
both_runs sh suite
first "sh suite \\[[0-9]+\\] opened $S.*/conf/b, only in BAD\$"
end

begin "a file that is made, one that is removed, and what is written"
fresh
mkdir old older
printf '%s\n' '#!/bin/sh' 'mv "$(cat from)" moved' 'echo moved "$(cat from)"; exit 0' >t
chmod 755 t
echo './t; exit $?' >suite
echo old >from
spoil()
{
	rm -r moved
	echo older >from
	sed -i 's/ moved$/ away/' t
}
both_runs sh suite
expect_lines 1 "$S/out" " wrote to standard output: moved old, only in GOOD\$" "written in one"
expect_lines 1 "$S/out" " wrote to standard output: moved older, only in BAD\$" "written in the other"
end

begin "an address that only one run connects to"
fresh
echo 'import socket
name = open("address").read().strip()
s = socket.socket(socket.AF_UNIX)
s.bind(name)
s.listen()
socket.socket(socket.AF_UNIX).connect(name)
open("result-of-" + name, "w")' >t.py
echo 'python3 t.py; exit $?' >suite
echo one >address
spoil()
{
	echo two >address
}
both_runs sh suite
expect_lines 1 "$S/out" ' t\.py \[[0-9]+\] bound .*/one, only in GOOD$' "bound"
expect_lines 1 "$S/out" ' t\.py \[[0-9]+\] connected to .*/two, only in BAD$' "connected"
expect_lines 1 "$S/out" ' t\.py \[[0-9]+\] opened to write .*/result-of-two, only in BAD$' "written"
end

begin "a process that is not begun"
fresh
touch flag
spoil()
{
	rm flag
}
both_runs sh -c '[ -e flag ] && env true; env false; exit 0'
expect_lines 1 "$S/out" '^ +[0-9.]+[mu]?s  (env )?true \[[0-9]+\] was there, only in GOOD$' "which"
end

begin "a process whose name differs in a number"
fresh
for n in 1 2; do
	echo "cat data$n" >t$n
	echo x >data$n
done
printf '%s\n' 'sh t2' 'exit 0' >suite
spoil()
{
	sed -i '1i sh t1' suite
	rm data2
}
both_runs sh suite
first 'sh t1 \[[0-9]+\] was there, only in BAD$'
expect_lines 1 "$S/out" '^ +[0-9.]+[mu]?s  cat data2 \[[0-9]+\]: openat\(.*ENOENT.*, only in BAD$' "the other is compared with its like"
expect_lines 1 "$S/out" '^ +[0-9.]+[mu]?s  sh t2 .* ended with exit 1, in GOOD' "and ended otherwise"
end

if engine_can notify "a test alone, and in its suite" "it does not see what a process executes that it has let go"; then
	begin "a test alone, and in its suite"
	fresh
	echo '[ "$(umask)" = 0022 ] || { echo wrong mode >&2; exit 1; }' >t.sh
	echo 'sh t.sh; exit $?' >one.sh
	printf '%s\n' 'umask 077' 'sh ./other.sh' 'sh t.sh || bad=1' 'exit $bad' >suite.sh
	echo 'exit 0' >other.sh
	umask 022
	et -q --why -o alone -- sh -c 'ALONE=1 sh one.sh; exit $?' >"$S/out" 2>"$S/err"
	et -q --why -o together -- sh suite.sh >"$S/out" 2>"$S/err"
	"$EXECTRACE" why --first-difference alone together >"$S/out" 2>"$S/err"
	expect_equal $? 0 "status"
	expect_lines 1 "$S/out" '^compared from sh t.sh \[[0-9]+\] and sh t.sh \[[0-9]+\] on$' "the process that failed has its like"
	awk '/^First difference/ { getline; print }' "$S/out" >"$S/first"
	first 'sh t.sh \[[0-9]+\] began with umask 0077, only in BAD$'
	sed -i '/^GOOD/d' "$S/out"
	expect_lines 0 "$S/out" 'one.sh|other.sh' "the way there is not compared"
	"$EXECTRACE" why --first-difference --cmd='^sh t' alone together >"$S/out" 2>"$S/err"
	expect_lines 1 "$S/out" '^compared from sh t.sh .* and sh t.sh .* on$' "by its command line"
	"$EXECTRACE" why --first-difference --cmd='^sh other' alone together >"$S/out" 2>"$S/err"
	expect_equal $? 1 "one that is not in both"
	expect_lines 1 "$S/err" "^exectrace: alone: there is no process in it that fits --cmd='\^sh other'" "says which has none"
	"$EXECTRACE" why --first-difference --json alone together >"$S/out" 2>"$S/err"
	expect_equal $? 1 "an option that does not go with it"
	expect_lines 1 "$S/err" 'goes with --cmd and --under only' "is refused"
	end
fi

begin "nothing"
fresh
spoil()
{
	:
}
both_runs sh -c 'cat /etc/passwd | wc -l; mktemp /tmp/exectrace-XXXXXX | xargs rm'
expect_lines 0 "$S/out" 'ended with|was there' "no process"
end

begin "one that takes longer"
fresh
echo 0.05 >delay
spoil()
{
	echo 1.05 >delay
}
both_runs sh -c 'sleep 0.1; perl -e "open F, q(delay); select undef, undef, undef, <F>"; sleep 0.1'
expect_lines 1 "$S/out" '^What took longer, on the critical chain$' "is said"
expect_equal "$(sed -nE '/^What took longer/,$ s/^  \+([0-9.]+m?s) +perl -e .* \[[0-9]+\]: sleeping \((select|pselect6)\): 1\.[0-9]+s instead of [0-9.]+ms$/perl/p' "$S/out")" perl "what did"
expect_equal "$(grep -A 1 '^What took longer' "$S/out" | grep -c perl)" 1 "first"
spoil()
{
	:
}
end

begin "mistakes"
"$EXECTRACE" why --first-difference >"$S/out" 2>"$S/err"
expect_equal $? 1 "none: status"
expect_lines 1 "$S/err" 'needs a recording: GOOD \[BAD\]' "none"
"$EXECTRACE" why --first-difference good >"$S/out" 2>"$S/err"
expect_equal $? 1 "one, and no exectrace.data: status"
expect_lines 1 "$S/err" '^exectrace: exectrace\.data: No such file' "one, and no exectrace.data"
ln -s bad exectrace.data
"$EXECTRACE" why --first-difference good >"$S/out" 2>"$S/err"
expect_equal $? 0 "one is compared with exectrace.data"
"$EXECTRACE" why good bad >"$S/out" 2>"$S/err"
expect_equal $? 0 "two without the option: status"
expect_lines 1 "$S/out" '^2 recordings: ' "two without the option are two that count together"
"$EXECTRACE" why --first-difference good nosuch >"$S/out" 2>"$S/err"
expect_equal $? 1 "one that is not there: status"
expect_lines 1 "$S/err" "nosuch" "one that is not there"
end

finish
