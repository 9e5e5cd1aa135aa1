#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --keep=failed: which files of a tool's go, and which never do.
. "$(dirname "$0")/../lib.sh"
needs strace

# two ACTION: of two processes that are picked the first does well, the second does not
two()
{
	et -q --keep=failed --run="$1" --cmd='^\S*prog ' -- sh -c "$V/prog a; $V/prog -x 1 b" >"$S/out" 2>"$S/err"
}

files()
{
	ls | tr '\n' ' '
}

for words in '-fo log.{n}' '-folog.{n}' '-qqo log.{n} -f' '-s 9 -f --output=log.{n}' '-f --output log.{n}'; do
	begin "strace $words"
	fresh
	two "strace $words"
	expect_equal "$(files)" "log.2 " "the one that failed"
	end
done

begin "strace -ff: the files of all processes of the one that did well"
fresh
echo other >log.1.123
echo other >log.1.name
touch -d '1 hour ago' log.1.123
printf '#!/bin/sh\n%s a & %s b\nwait\nexit 0\n' "$V/prog" "$V/prog" >"$S/well"
printf '#!/bin/sh\n%s a & %s b\nwait\nexit 1\n' "$V/prog" "$V/prog" >"$S/ill"
chmod 755 "$S/well" "$S/ill"
et -q --keep=failed --run='strace -ff -o log.{n}' --cmd='^\S*/(well|ill)$' -- sh -c "$S/well; $S/ill" >"$S/out" 2>"$S/err"
expect_equal "$(cat log.1.name 2>/dev/null)" other "a file that is none of them"
expect_equal "$(ls log.2.* 2>/dev/null | wc -l)" 3 "three processes of the one that failed"
expect_equal "$(echo log.1.*)" "log.1.123 log.1.name" "of the other one only what was there before, untouched"
end

begin "what is added to, and what a command takes, stays"
fresh
echo first >log
two 'strace -A -o log'
expect "the first line" has log '^first$'
expect "what was added" has log 'exited with 1'
rm -f log
echo mine >'|cat >copy'
two "strace -o '|cat >copy'"
expect_equal "$(cat '|cat >copy')" mine "a file of that name"
end

begin "a file that the tool never wrote to stays"
fresh
echo mine >log
two 'strace --no-such-option -o log'
expect_equal "$(cat log)" mine "it is as it was"
end

begin "a file under whose name another match writes stays"
fresh
mkfifo go
et -q --keep=failed --run='strace -o log' --cmd='^\S*prog |^sh -c read' -- \
	sh -c 'sh -c "read x <go; exit 1" & "$1" a; echo >go; wait' sh "$V/prog" >"$S/out" 2>"$S/err"
expect_equal "$(files)" "go log " "that of the one that failed is there"
end

begin "a link stays, and what it leads to"
fresh
echo mine >target
ln -s target log
et -q --keep=failed --run='strace -o log' --cmd='^\S*prog ' -- "$V/prog" a >"$S/out" 2>"$S/err"
expect_equal "$(files)" "log target " "both"
end
finish
