#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program is picked whatever way it is executed: exactly it, from its first instruction, with its pid, output and status.
. "$(dirname "$0")/../lib.sh"
needs strace

pick -m "parent behind" "the root command" -- "$V/prog" -x 3 PICKME
pick -m "parent behind" "a shell's child" -- sh -c "$V/prog a; $V/prog -x 3 PICKME; echo \$?; $V/prog c"
pick "a great-grandchild" -- sh -c "sh -c 'sh -c \"$V/prog PICKME; true\"; true'; true"
pick "executed by the shell itself" -- sh -c "$V/prog a; exec $V/prog PICKME"
pick "one that is killed" -- sh -c "$V/prog -k SEGV PICKME; echo \$?"
pick "a static program" -- sh -c "$V/progstatic a; $V/progstatic PICKME"
for form in execve execvp execveat-cwd execveat-dir execveat-fd fexecve opath procfd memfd deleted symlink; do
	pick "$form" -- "$V/execform" $form "$V/prog" PICKME
done
pick_undumpable undumpable -- "$V/execform" undumpable "$V/prog" PICKME
pick -s "null-env" -- "$V/execform" null-env "$V/prog" PICKME
pick -n -r "^$V/prog$" "no arguments at all" -- "$V/execform" null-argv "$V/prog"
pick -n -r "^$V/prog$" "an empty argument vector" -- "$V/execform" empty-argv "$V/prog"
for form in fork vfork spawn spawnp spawnattr clone-vfork clone-vm clone-untraced orphan; do
	[ "$form-$ENGINE" != clone-untraced-ptrace ] || {
		skip_case "a child by $form" "not with engine ptrace: CLONE_UNTRACED says so"
		continue
	}
	pick "a child by $form" -- "$V/spawnform" $form "$V/prog" -x 3 PICKME
done
for form in other busy zombie failing race; do
	pick "threads: $form" -- "$V/threadform" $form "$V/prog" PICKME
done
only_root "after giving up root" && pick "after giving up root" -- sh -c "$V/execform setuid $V/prog PICKME"
finish
