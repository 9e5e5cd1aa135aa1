#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A long run goes through each format in memory that does not grow with its calls: four times as many take no more. (A call that
# was kept would take some eight bytes at least, six megabytes in all.)
# once: the engine has no part in it
. "$(dirname "$0")/../lib.sh"
needs python3
patience=60

# peak COMMAND...: the most memory that it had, in kB
peak()
{
	python3 -c '
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))' "$@" 2>"$S/says"
}

begin "two recordings"
expect "a quarter of a million calls" "$V/../tools/long" "$S/short" 250000
expect "a million" "$V/../tools/long" "$S/long" 1000000
end

for format in json csv folded callgrind chrome html otlp perfetto uftrace; do
	begin "$format"
	few=$(peak "$EXECTRACE" export --format=$format --output="$S/exported" "$S/short")
	expect_equal $? 0 "the short one"
	rm -rf "$S/exported"
	many=$(peak "$EXECTRACE" export --format=$format --output="$S/exported" "$S/long")
	expect_equal $? 0 "the long one"
	case $format in json) expect_equal "$(grep -c '"ph":"sys"' "$S/exported")" 1000000 "all calls" ;; esac
	expect "no more for the long one: $few kB, $many kB" test "$many" -lt $((few + 3000))
	rm -rf "$S/exported"
	end
done

begin "in files"
few=$(peak "$EXECTRACE" export --split=1M --output="$S/part" "$S/short")
many=$(peak "$EXECTRACE" export --split=20M --output="$S/piece" "$S/long")
expect "no more for the long one: $few kB, $many kB" test "$many" -lt $((few + 3000))
expect_equal "$(cat "$S"/piece.*.jsonl | grep -c '"ph":"sys"')" 1000000 "all calls"
rm -f "$S"/piece.* "$S"/part.*
end

if command -v sqlite3 >/dev/null; then
	begin "a database"
	many=$(peak "$EXECTRACE" export --format=sqlite --output="$S/db" "$S/long")
	expect_equal $? 0 "it is written"
	expect "its pages and no more: $many kB" test "$many" -lt 170000
	expect_equal "$(sqlite3 -readonly "$S/db" 'SELECT count(*) FROM calls')" 1000000 "all calls"
	rm -f "$S/db"
	end
fi
finish
