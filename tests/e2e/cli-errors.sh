#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mistakes on the command line: one line on standard error that names the offending text, status 125, and the command is not started.
. "$(dirname "$0")/../lib.sh"

# refused NAME REGEX ARG...
refused()
{
	local name=$1 regex=$2

	shift 2
	fresh
	begin "$name"
	et "$@" -- sh -c ': >started' >"$S/out" 2>"$S/err"
	expect_equal $? 125 "status 125"
	expect_equal "$(wc -l <"$S/err")" 1 "one line"
	expect_lines 1 "$S/err" "^exectrace: .*$regex" "it names what is wrong"
	expect_equal "$(cat "$S/out")" "" "no output"
	expect "the command was not started" test ! -e started
	end
}

refused "a bad regex" "a\(b.*(3|4)" --run=log --cmd='a(b'
refused "a bad regex in --parent" '\[z-a\]' --run=log --parent='[z-a]'
refused "a bad value of --env" 'x\*\*' --run=log --env='A=x**'
refused "an unknown option" nosuchoption --run=log --nosuchoption
refused "an unknown short option" '[`-]Z|Z' --run=log -Z
refused "an unknown action" nosuchaction --run='nosuchaction -x'
refused "an empty action" run --run=
refused "a bad option of profile" nosuchoption --run='profile --nosuchoption'
refused "a bad frequency of profile" "'0'" --run='profile -F 0'
refused "a bad option of trace" nosuchoption --run='trace --nosuchoption'
refused "a bad filter of trace" nosuchcall --run='trace --filter=read,nosuchcall'
refused "a missing argument of an action" attach --run=attach
refused "attach without {pid}" '\{pid\}|pid' --run='attach strace -p 1'
refused "wrap without a program" wrap --run=wrap
refused "wrap with a program that is not there" nosuchprogram --run='wrap nosuchprogram'
refused "an unknown engine" nosuchengine --run=log --engine=nosuchengine
refused "a bad --nth" '3-x' --run=log --nth=3-x
refused "a bad --nth: zero" '0' --run=log --nth=0
refused "a bad --nth: backwards" '5-2' --run=log --nth=5-2
refused "a bad --limit" 'many' --run=log --limit=many
refused "an unknown user" nosuchuser --run=log --user=nosuchuser
refused "an open quote in an action" 'strace -o "x' --run='strace -o "x'
refused "a bad format of log" nosuchformat --run='log --format=nosuchformat'
refused "a bad --color" nosuchcolor --run=log --color=nosuchcolor
refused "a bad --keep" nosuchkeep --run=log --keep=nosuchkeep
refused "a rule file that is not there" nosuchfile --rules=nosuchfile
printf '%s\n' '# rules' '' 'run = nosuchaction' >"$S/action.rules"
printf '%s\n' 'run = log --format=nosuchformat' 'cmd = x' >"$S/format.rules"
printf '%s\n' 'run = log' 'cmd = a(b' >"$S/regex.rules"
refused "an unknown action in a rule file" 'action\.rules:3: .*nosuchaction' --rules="$S/action.rules"
refused "a bad option of an action in a rule file" 'format\.rules:1: .*nosuchformat' --rules="$S/format.rules"
refused "a bad regex in a rule file" 'regex\.rules:2: .*offset' --rules="$S/regex.rules"
refused "no rule" rule

# What was probably meant.
refused "a mistyped action" 'did you mean strace\?' --run=strac
refused "a program as an action" "--run='wrap valgrind'" --run=valgrind
refused "an argument of an action outside the quotes" "--run='strace -f'" --run=strace -f
refused "-- is no value" "'--parent' needs an argument" --run=log --parent
refused "a glob for a regular expression" 'not a glob' --run=log --cmd='*.c'

# hinted STATUS NAME REGEX ARG...: it is no command line of a run
hinted()
{
	local status=$1 name=$2 regex=$3

	shift 3
	begin "$name"
	"$EXECTRACE" "$@" >"$S/out" 2>"$S/err"
	expect_equal $? "$status" "the status"
	expect_lines 1 "$S/err" "^exectrace: .*$regex" "it says what was meant"
	expect_equal "$(wc -l <"$S/err")" 1 "one line"
	end
}

hinted 125 "options behind COMMAND" "put --cmd=prog in front of 'true'" true --cmd=prog
hinted 125 "a mistyped command" "did you mean 'exectrace report'" repot
hinted 125 "an action as a command" '--run=trace -- ls' trace ls
fresh
hinted 1 "no data" "No such file or directory; to record: " report
hinted 1 "no log" 'not a log of KFT, KFI or QEMU' import "$0"
begin "help for an action"
"$EXECTRACE" help gdbserver >"$S/out" 2>"$S/err"
expect_equal $? 0 "status 0"
expect_lines 1 "$S/out" '^  gdbserver ' "its usage"
for name in trace profile; do
	"$EXECTRACE" $name --help >"$S/out" 2>"$S/err"
	expect_equal $? 0 "$name --help: status 0"
	expect_lines 1 "$S/out" "^usage: exectrace-$name " "$name --help: its options"
done
end

# none NAME REGEX ARG...: the run is as without us, and the last line has a hint
none()
{
	local name=$1 regex=$2

	shift 2
	fresh
	begin "$name"
	et "$@" -- sh -c 'env true; env true; exit 3' >"$S/out" 2>"$S/err"
	expect_equal $? 3 "the status of the command"
	expect_lines 1 "$S/err" "^exectrace: 0 of [0-9]+ commands matched.*$regex" "a hint"
	end
}

none "--nth beyond the last" 'let 2 through, none is number 7' --run=log --cmd='^true' --nth=7
none "--cwd of no directory" '--cwd=nosuchdir: there is no such directory' --run=log --cwd=nosuchdir
none "a slip of the keyboard" 'nearest: true' --run=log --exe=treu

begin "a tool that is not installed"
fresh
mkdir "$S/bin"
for tool in sh rm; do
	ln -s "$(command -v $tool)" "$S/bin/"
done
PATH=$S/bin "$EXECTRACE" --engine="$ENGINE" --run=strace --cmd=x -- sh -c ': >started' >"$S/out" 2>"$S/err"
expect_equal $? 125 "status 125"
expect_lines 1 "$S/err" '^exectrace: .*strace' "it names the tool"
expect "the command was not started" test ! -e started
end
begin "a missing argument of an option"
"$EXECTRACE" --run=log --cmd >"$S/out" 2>"$S/err"
expect_equal $? 125 "status 125"
expect_lines 1 "$S/err" '^exectrace: .*cmd' "it names the option"
end
begin "no command"
"$EXECTRACE" --run=log >"$S/out" 2>"$S/err"
expect_equal $? 125 "status 125"
expect_equal "$(wc -l <"$S/err")" 1 "one line"
expect_lines 1 "$S/err" '^exectrace: .*command' "it says so"
end
begin "--help"
"$EXECTRACE" --help >"$S/out" 2>"$S/err"
expect_equal $? 0 "status 0"
for option in run cmd exe cwd env parent under user nth first limit rules list engine behind output keep color; do
	expect_lines some "$S/out" "--$option" "--$option"
done
end
begin "--version"
"$EXECTRACE" --version >"$S/out" 2>"$S/err"
expect_equal $? 0 "status 0"
expect_lines some "$S/out" '^exectrace [0-9]' "name and number"
end
begin "options after the command are the command's"
fresh
et -q "${NOTHING[@]}" "$V/dump" --run=nosuch -x --help >"$S/out" 2>"$S/err"
expect_equal $? 0 "the command ran"
expect_lines 1 "$S/out" '^argc 4$' "with its arguments"
end
begin "run and -- say that a word is a command to be run"
fresh
mkdir bin
printf '#!/bin/sh\necho ours "$@"\n' >bin/report
chmod 755 bin/report
PATH=$PWD/bin:$PATH et -q "${NOTHING[@]}" -- report x >"$S/out" 2>"$S/err"
expect_equal "$(cat "$S/out")" "ours x" "after --"
PATH=$PWD/bin:$PATH "$EXECTRACE" run --engine="$ENGINE" -q "${NOTHING[@]}" report x >"$S/out" 2>"$S/err"
expect_equal "$(cat "$S/out")" "ours x" "after run"
end
finish
