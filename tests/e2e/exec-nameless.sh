#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wrap where the process has to be executed again in an unusual way: a program without a name, very many arguments, stops.
. "$(dirname "$0")/../lib.sh"

# wrapped PATTERN COMMAND...: as without us, and the program is wrapped
wrapped()
{
	local pattern=$1

	shift
	run_as plain "$@"
	run_as act "$EXECTRACE" --engine="$ENGINE" --run='wrap env' --cmd="$pattern" -- "$@"
	expect_same "$S/act.status" "$S/plain.status" "the status"
	expect_same "$S/act.out" "$S/plain.out" "the output"
}

begin "a program in a memfd that it keeps"
wrapped '^\S*prog .*PICKME' "$V/memfd" open "$V/prog" -x 3 PICKME
expect_lines 0 "$S/act.err" 'cannot' "it is wrapped"
end
begin "a program in a memfd that is closed: it has no path, and runs as it is"
wrapped '^\S*prog .*PICKME' "$V/memfd" closed "$V/prog" -x 3 PICKME
expect_lines 1 "$S/act.err" '^exectrace: \[[0-9]+\] cannot be wrapped: No such file or directory$' "it is said"
end
begin "a file that is deleted while its program runs"
cp "$V/prog" "$S/gone"
wrapped '^\S*gone PICKME' sh -c "cp $V/prog gone; exec 3<gone; exec ./gone PICKME"
end
begin "14,000 arguments"
# shellcheck disable=SC2046 # words
wrapped '^\S*true 1 2 ' /bin/true $(seq 14000)
expect_lines 0 "$S/act.err" 'cannot' "it is wrapped"
end

# stops ACTION FROM TO: programs are stopped at moments around their exec, seen stopped, and continued
stops()
{
	local n

	n=$(rounds 150)
	run_as act "$EXECTRACE" --engine="$ENGINE" --run="$1" --cmd='^/bin/cat -u' -- \
		"$V/execstops" "$n" "$2" "$3" /bin/cat -u
	expect_lines 1 "$S/act.status" ' exit 0$' "$1: it ends"
	expect_lines 1 "$S/act.out" "^$n stopped, 0 ended instead, 0 never seen, 0 ran on\$" "$1: each stop is one"
	expect_lines 0 "$S/act.err" 'cannot' "$1: no failure"
}

patience=60
begin "stops around the exec of a program that is picked"
stops 'attach true {pid}' 0 1500
stops 'wrap env' 100 900
end
finish
