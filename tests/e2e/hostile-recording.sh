#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings by somebody else, looked at with every command: names in them that lead elsewhere, are no files, or never end.
# once: the engine has no part in it
. "$(dirname "$0")/../lib.sh"

et -q -o "$S/data" --run="trace --format=data --stack" --first -- sh -c 'ls / >/dev/null' 2>"$S/err"
echo 'TOP SECRET' >"$S/secret"
xtr=$(basename "$S"/data/*.xtr)

# look: each command ends, and none shows the secret; what they say is in $S/says
look()
{
	local command

	: >"$S/says"
	for command in report calls tree timeline syscalls graph export 'export --format=chrome' 'report --children'; do
		# shellcheck disable=SC2086 # a command and its option
		(ulimit -v "${memory:-unlimited}"; exec timeout 30 "$EXECTRACE" $command hostile) >"$S/shown" 2>>"$S/says" </dev/null
		expect "$command ends by itself" test $? -lt 124
		expect_lines 0 "$S/shown" 'TOP SECRET' "$command shows nothing of it"
	done
	timeout 30 "$EXECTRACE" diff hostile "$S/data" >"$S/shown" 2>>"$S/says"
	expect "diff ends by itself" test $? -lt 124
	expect_lines 0 "$S/says" 'TOP SECRET' "nor what they say"
}

for name in run.json execs.jsonl "$xtr"; do
	begin "a link in the place of ${name/#trace*/a file of records}"
	fresh
	cp -r "$S/data" hostile
	ln -sf "$S/secret" "hostile/$name"
	look
	expect_lines some "$S/says" "hostile/$name: Too many levels of symbolic links|hostile/$name: not a regular file" "it is told"
	ln -sf "$S/data/$name" "hostile/$name"
	look
	expect_lines some "$S/says" "hostile/$name: " "one to a good file is none of the recording's either"
	end

	begin "what is no file in the place of ${name/#trace*/a file of records}"
	fresh
	cp -r "$S/data" hostile
	rm "hostile/$name"
	mkfifo "hostile/$name"
	look
	rm "hostile/$name"
	mkdir "hostile/$name"
	look
	expect_lines some "$S/says" "hostile/$name: not a regular file" "it is told"
	end

	[ "$name" = run.json ] || continue
	begin "a file without an end in the place of $name"
	fresh
	cp -r "$S/data" hostile
	rm "hostile/$name"
	truncate -s 1T "hostile/$name" 2>/dev/null || truncate -s 16G "hostile/$name"
	memory=4000000 look
	end
done
finish
