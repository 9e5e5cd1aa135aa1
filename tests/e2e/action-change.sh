#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wrap, args: the program is executed under another one, or with other arguments and variables; pid, descriptors and status stay its own.
# groups: check tools
. "$(dirname "$0")/../lib.sh"

# changed WANT RUN [OPTION...]: like act, but the output is another: WANT is that of the picked program
changed()
{
	local want=$1 run=$2

	shift 2
	printf 'says a\n%s\nsays c\n' "$want" >"$S/want"
	PROG_LOG=$S/pids run_as act "$EXECTRACE" --engine="$ENGINE" "$@" --run="$run" --cmd='^\S*proggdb .*PICKME' -- sh -c "$TREE"
	expect_same "$S/act.out" "$S/want" "the tree's output"
	check_picked "$S/act.err" "${run%% *}"
	expect_equal "$(match_pid "$S/act.err")" "$(sed -n 's/ .*PICKME.*//p' "$S/pids" | tail -n 1)" "the pid stays"
}

plain=$'says PICKME\nGIVEN=(unset)\nstatus 3'
given=$'says PICKME\nGIVEN=yes\nstatus 3'

begin "wrap: env X=Y"
changed "$given" "wrap env GIVEN=yes"
end
begin "wrap: a script"
printf '#!/bin/sh\necho "wrapped with $1 $(basename "$2") $3"\nGIVEN=yes\nexport GIVEN\nshift\nexec "$@"\n' >"$S/wrapper"
chmod 755 "$S/wrapper"
changed $'wrapped with --record proggdb -x\n'"$given" "wrap $S/wrapper --record"
end
begin "wrap: a shell that runs it as a child"
printf '#!/bin/sh\n"$@"\necho inner status $?\nexit 5\n' >"$S/outer"
chmod 755 "$S/outer"
printf 'says a\nsays PICKME\nGIVEN=(unset)\ninner status 3\nstatus 5\nsays c\n' >"$S/want"
run_as act "$EXECTRACE" --engine="$ENGINE" --run="wrap $S/outer" --cmd='^\S*proggdb .*PICKME' -- sh -c "$TREE"
expect_same "$S/act.out" "$S/want" "the tree's output"
check_picked "$S/act.err" wrap
end
begin "wrap: names are replaced"
changed "$given" "wrap env GIVEN=yes WRAP={n}-{rule}-{comm}"
end
begin "wrap: a wrapper that fails"
printf '#!/bin/sh\nexit 9\n' >"$S/failing"
chmod 755 "$S/failing"
printf 'says a\nstatus 9\nsays c\n' >"$S/want"
run_as act "$EXECTRACE" --engine="$ENGINE" --run="wrap $S/failing" --cmd='^\S*proggdb .*PICKME' -- sh -c "$TREE"
expect_same "$S/act.out" "$S/want" "its status is seen"
end
if command -v strace >/dev/null; then
	begin "wrap: strace -D"
	changed "$plain" "wrap strace -D -o $S/wrapped"
	expect "the log is whole" wait_for 30 has "$S/wrapped" '^\+\+\+ exited with 3'
	expect_lines 1 "$S/wrapped" '^execve\(".*PICKME' "with the execve"
	end
fi
if command -v valgrind >/dev/null; then
	begin "wrap: valgrind"
	changed "$plain" "wrap valgrind --log-file=$S/valgrind"
	expect_lines some "$S/valgrind" 'Command: .*proggdb -x 3 -e GIVEN PICKME' "valgrind's log"
	expect_lines some "$S/valgrind" 'ERROR SUMMARY: 0 errors' "to the end"
	end
else
	skip_case "wrap: valgrind" "valgrind is not installed"
fi
if command -v gdb >/dev/null; then
	begin "wrap: gdb --args"
	printf 'set startup-with-shell off\nbreak work\nrun\ncontinue\nquit $_exitcode\n' >"$S/commands.gdb"
	run_as act "$EXECTRACE" --engine="$ENGINE" --run="wrap gdb -nx -batch -x $S/commands.gdb --args" --cmd='^\S*proggdb .*PICKME' -- \
		sh -c "$TREE"
	if [ "$ENGINE" = ptrace ]; then
		check_picked "$S/act.err" wrap # gdb cannot trace what we trace
	else
		expect_lines some "$S/act.out" '^Breakpoint 1, work \(argc=1' "it stops in work"
		expect_lines 1 "$S/act.out" '^status 3$' "the status"
		check_picked "$S/act.err" wrap
	fi
	end
fi

begin "args: a variable"
changed "$given" "args --env=GIVEN=yes"
end
begin "args: an argument"
changed $'says PICKME extra\nGIVEN=(unset)\nstatus 3' "args --append=extra"
end
begin "args: several, with spaces and names"
changed $'says PICKME two words 1 \nGIVEN=yes no\nstatus 3' "args --append='two words' --append={n} --append= --env='GIVEN=yes no'"
end
begin "args: a variable that is there is replaced"
export GIVEN=before
changed "$given" "args --env=GIVEN=yes"
unset GIVEN
end
for prog in progstatic prog32 prog32static; do
	has_victim $prog "args: $prog" || continue
	begin "args: $prog"
	fresh
	et --run='args --append=extra --env=GIVEN=yes' --cmd="$PICK" -- sh -c "$V/$prog -x 3 -e GIVEN PICKME; echo \$?" >"$S/out" 2>"$S/err"
	expect_equal "$(cat "$S/out")" $'says PICKME extra\nGIVEN=yes\n3' "its output"
	end
	begin "wrap: $prog"
	fresh
	et --run='wrap env GIVEN=yes' --cmd="$PICK" -- sh -c "$V/$prog -x 3 -e GIVEN PICKME; echo \$?" >"$S/out" 2>"$S/err"
	expect_equal "$(cat "$S/out")" $'says PICKME\nGIVEN=yes\n3' "its output"
	end
done
begin "args: many bytes stay as they were"
fresh
"$V/bigargs" bytes "$V/dump" >"$S/want"
et -q --run='args --append=added' --cmd='^\S*dump PICKME' -- "$V/bigargs" bytes "$V/dump" >"$S/out" 2>"$S/err"
expect_same <(grep '^argv\[' "$S/out") <(grep '^argv\[' "$S/want") "the first arguments"
expect_lines 1 "$S/out" '^argc 10$' "one more"
end
begin "args: 20,000 arguments and one more"
fresh
et -q --run='args --append=added' --cmd='^\S*dump PICKME' -- "$V/bigargs" many "$V/dump" >"$S/out" 2>"$S/err"
expect_lines 1 "$S/out" '^argc 20002$' "one more"
end
begin "args: a script"
fresh
printf '#!/bin/sh\necho script "$@"\n' >script
chmod 755 script
et -q --run='args --append=added' --cmd='^\./script' -- ./script a >"$S/out" 2>"$S/err"
expect_equal "$(cat "$S/out")" "script a added" "its arguments"
end
begin "wrap: a script"
fresh
printf '#!/bin/sh\necho script $GIVEN "$@"\n' >script
chmod 755 script
et -q --run='wrap env GIVEN=yes' --cmd='^\./script' -- ./script a >"$S/out" 2>"$S/err"
expect_equal "$(cat "$S/out")" "script yes a" "its output"
end
finish
