#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# why: the odd one among many processes of the same command: a file that it alone does not open, a call that fails in it alone, its end.
# limit: 120
# once: the engine has no part in it
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../why.sh"
needs jq seq

# tool LINE...: a shell script ./tool, run 20 times by ./run, with its number
tool()
{
	printf '%s\n' "$@" >tool
	# shellcheck disable=SC2016 # of that script
	echo 'for i in $(seq 1 20); do sh ./tool $i; done; exit 0' >run
	: >common.conf
	: >cal.conf
}

# none: nothing is odd
none()
{
	expect_lines 0 "$S/err" '^What differs from many others' "$1"
	expect_equal "$("$EXECTRACE" why --json | jq -c .odd_processes)" '[]' "and in JSON"
}

begin "a file that one of them did not open"
fresh
tool '. ./common.conf' '[ "$1" = 11 ] || . ./cal.conf'
ask 0 sh ./run
says '^What differs from many others of the same command$' "the part"
says '^  sh \./tool 11 \[[0-9]+\]: did not open .*/cal\.conf, as the other 19 did$' "which one"
expect_lines 1 "$S/err" ', as the other |, unlike the other ' "no other"
expect_equal "$("$EXECTRACE" why --json | jq -c '.odd_processes[] | [.command, .of, .kind, .lacks, .more]')" '["sh ./tool 11",20,"access",true,0]' "as JSON"
end

begin "a file that one of them opened"
fresh
tool '. ./common.conf' '[ "$1" != 11 ] || . ./cal.conf'
ask 0 sh ./run
says '^  sh \./tool 11 \[[0-9]+\]: opened .*/cal\.conf, unlike the other 19$' "which one"
end

begin "a call that failed in one of them"
fresh
tool '. ./common.conf' '[ "$1" != 11 ] || cd ./missing 2>/dev/null' 'exit 0'
ask 0 sh ./run
says '^  sh \./tool 11 \[[0-9]+\]: chdir\(.*/missing\) = ENOENT, unlike the other 19$' "which one"
end

begin "how one of them ended"
fresh
tool '. ./common.conf' '[ "$1" != 11 ]'
ask 0 sh ./run
says '^  sh \./tool 11 \[[0-9]+\]: exit 1, unlike the other 19$' "which one"
end

begin "what is not odd"
fresh
tool '. ./common.conf' '. ./cal.conf' ': >"made.$1"'
ask 0 sh ./run
none "names that differ in numbers only"
fresh
tool '[ -e made ] || : >made'
ask 0 sh ./run
none "the first one makes what the others find"
fresh
tool '[ $(($1 % 2)) = 0 ] || . ./cal.conf'
ask 0 sh ./run
none "half of them do it"
fresh
tool '[ "$1" = 11 ] || . ./cal.conf'
sed -i 's/seq 1 20/seq 8 14/' run
ask 0 sh ./run
none "seven of them"
end

finish
