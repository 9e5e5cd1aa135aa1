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
		(ulimit -v "${memory:-unlimited}"; exec timeout "$(limit 30)" "$EXECTRACE" $command hostile) >"$S/shown" 2>>"$S/says" </dev/null
		expect "$command ends by itself" test $? -lt 124
		expect_lines 0 "$S/shown" 'TOP SECRET' "$command shows nothing of it"
	done
	timeout "$(limit 30)" "$EXECTRACE" diff hostile "$S/data" >"$S/shown" 2>>"$S/says"
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

	begin "a file without an end in the place of ${name/#trace*/a file of records}"
	fresh
	cp -r "$S/data" hostile
	rm "hostile/$name"
	truncate -s 1T "hostile/$name" 2>/dev/null || truncate -s 16G "hostile/$name"
	memory=400000 look
	[ "$name" != execs.jsonl ] || expect_lines some "$S/says" "hostile/$name: line 1: longer than 64 MiB" "it is told"
	end

	[ "$name" = execs.jsonl ] || continue
	begin "an endless line between others in $name"
	fresh
	cp -r "$S/data" hostile
	echo 'no exec' >>"hostile/$name"
	cat "$S/data/$name" >>"hostile/$name"
	lines=$(wc -l <"hostile/$name")
	truncate -s 16G "hostile/$name"
	memory=400000 look
	expect_lines some "$S/says" "hostile/$name: line $((lines / 2 + 1)): not as exectrace writes it; line $((lines + 1)): longer than 64 MiB" \
		"both are told"
	"$EXECTRACE" tree hostile >"$S/shown" 2>"$S/says"
	expect_lines some "$S/shown" 'ls /' "the other lines are shown"
	expect_equal "$(wc -l <"$S/says")" 1 "in one line"
	end
done

# What takes a hundred times more memory as values than as text.
for name in run.json execs.jsonl; do
	for value in '[]' 0; do
		begin "millions of values $value in $name"
		fresh
		cp -r "$S/data" hostile
		{
			printf '{"pid":1,"command":['
			yes "$value," | head -n 4000000 | tr -d '\n'
			printf '0]}\n'
		} >"hostile/$name"
		memory=400000 look
		expect_lines some "$S/says" "hostile/$name: (line 1: )?not as exectrace writes it" "it is told"
		end
	done
done
finish
