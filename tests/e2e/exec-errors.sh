#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An exec that fails returns the errno it would return, by execve and by posix_spawn, and the caller lives on.
. "$(dirname "$0")/../lib.sh"

both "every errno" -- "$V/execerr" "$V/prog"
both "every errno, in a child" -- sh -c "$V/execerr $V/prog; echo \$?"
fresh
path=
for i in {1..300}; do
	path+=/nonexistent/$i:
done
both "a long PATH" -- env PATH="$path/usr/bin:/bin" sh -c 'true; sleep 0; env true; echo $?; nosuchcommand 2>/dev/null; echo $?'
both "a long PATH and posix_spawnp" -- env PATH="$path$V" spawnform spawnp prog a
prepare()
{
	mkdir first second
	printf 'no program\n' >first/tool
	printf '#!/nonexistent/interpreter\n' >first/script
	printf '#!/bin/sh\necho second $0\n' >second/tool
	cp second/tool second/script
	chmod 644 first/tool
	chmod 755 first/script second/*
}
both "a PATH with files that cannot be executed" -- env PATH="first:second:$PATH" sh -c 'tool; echo $?; script; echo $?'
both "a script that has no first line, by execvp" -- env PATH="second:$PATH" sh -c "printf 'echo text\n' >second/text; chmod 755 second/text; env text"

# What a failing exec costs: nothing that the next one would notice.
both "many failing execs" -- "$V/exectimer" 0 "$(rounds 20000)"
finish
