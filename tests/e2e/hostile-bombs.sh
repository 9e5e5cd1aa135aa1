#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that are small as files and large when they are read: the commands end, within bounded memory and processor time.
# once: the engine has no part in it
. "$(dirname "$0")/../lib.sh"
export EXECTRACE

# look KIND COMMAND...
look()
{
	local kind=$1

	shift
	(ulimit -v 4000000; ulimit -t "$(limit 60)"; exec "$EXECTRACE" "$@" "$S/$kind.xtr") >"$S/shown" 2>"$S/says" </dev/null
	status=$?
	expect "$1 ends by itself" test $status -lt 124
	expect_lines 0 "$S/says" 'Cannot allocate memory|internal' "$1 has memory enough"
	expect "$1 says one line at most" test "$(wc -l <"$S/says")" -le 1
}

for kind in argv maps stacks; do
	begin "a recording: many $kind"
	"$V/../tools/bomb" $kind "$S/$kind.xtr"
	expect "it is small" test "$(stat -c %s "$S/$kind.xtr")" -lt 20000000
	look $kind report
	look $kind syscalls
	[ $kind != argv ] || look $kind tree
	[ $kind != stacks ] || look $kind export --format=folded
	end
	rm -f "$S/$kind.xtr"
done
finish
