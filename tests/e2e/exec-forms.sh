#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every way to execute a program works as without exectrace.
. "$(dirname "$0")/../lib.sh"

for form in execve execvp execveat-cwd execveat-dir execveat-fd fexecve opath procfd memfd deleted symlink \
	null-argv empty-argv null-env undumpable; do
	both "$form" -- "$V/execform" $form "$V/prog" -x 3 a b
	both "$form, a static program" -- "$V/execform" $form "$V/progstatic" -x 3 a b
done
only_root "after giving up root" && both "after giving up root" -- "$V/execform" setuid /bin/echo a b
for form in fork vfork spawn spawnp spawnattr clone-vfork clone-vm clone-untraced orphan; do
	both "a child by $form" -- "$V/spawnform" $form "$V/prog" -x 3 a b
	both "a child by $form, killed" -- "$V/spawnform" $form "$V/prog" -k SEGV a b
	both "a child by $form, failing" -- "$V/spawnform" $form /nonexistent/prog a b
	both "a child by $form, not executable" -- "$V/spawnform" $form /etc/passwd a b
done
for form in other busy zombie failing race; do
	both "threads: $form" -- "$V/threadform" $form "$V/prog" -x 3 a b
	both "threads in a child: $form" -- sh -c "$V/threadform $form $V/prog -x 3 a b; echo \$?"
done
both "threads race, many times" -- sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do $V/threadform race $V/prog \$i; done"
both "an exec of itself" -- bash -c 'n=${1:-0}; echo $n; [ $n -lt 20 ] && exec bash -c "$0" "$0" $((n + 1)); exit 5' \
	'n=${1:-0}; echo $n; [ $n -lt 20 ] && exec bash -c "$0" "$0" $((n + 1)); exit 5'

prepare()
{
	printf '#!%s first\n' "$V/dump" >one
	printf '#!./one second\n' >two
	printf '#!/bin/sh\necho script $0 "$@"\nexit 6\n' >shell
	printf '#! /usr/bin/env -S A=1 %s third\n' "$V/dump" >envscript
	printf '#!%s' "$V/prog" >noend
	chmod 755 one two shell envscript noend
	ln -s shell link
	mkdir dir
}
both "a script" -- ./shell a b
both "a script through a link" -- ./link a b
both "a script whose interpreter is a script" -- ./two a b
both "a script with an argument in its first line" -- ./one a b
both "a script run by env -S" -- ./envscript a b
both "a script without an end of line" -- ./noend
both "a script by fexecve" -- "$V/execform" execveat-fd ./shell a b
both "a script by fexecve, closed on exec" -- "$V/execform" fexecve ./shell a b
both "a script found through PATH" -- env PATH="/nonexistent:dir:.:$PATH" shell a b
finish
