#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The test suite: what prog counts in poem.txt, and that it complains of a file that is not there.
cd ../src || exit 1
poem=../tests/poem.txt
failed=0

expect()
{
	if [ "$2" = "$3" ]; then
		echo "ok: $1"
	else
		echo "FAIL: $1: $2 instead of $3"
		failed=1
	fi
}

expect bytes "$(./prog -c $poem)" "$(stat -c %s $poem)"
expect words "$(./prog -w $poem)" 28
expect lines "$(./prog -l $poem)" 4
expect complaint "$(./prog -w nowhere.txt 2>&1)" 'nowhere.txt: No such file or directory'
exit $failed
