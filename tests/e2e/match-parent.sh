#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The parent of a picked process sees what it would see without us: one end, no stop, no delay that a signal could tell, and the process keeps
# its pid, parent, group and descriptors.
. "$(dirname "$0")/../lib.sh"
needs strace

# seen NAME ACTION -- COMMAND...: COMMAND prints what a parent sees of a picked process; the same as plain
seen()
{
	local name=$1 action=$2

	shift 3
	run_as plain "$@"
	run_as picked "$EXECTRACE" --engine="$ENGINE" --run="$action" --cmd='^\S*(prog|state|dump) ' -- "$@"
	begin "$name"
	expect_same "$S/picked.status" "$S/plain.status" "same wait status"
	expect_as_plain picked
	expect_lines some "$S/picked.err" '^exectrace: [1-9][0-9]* of [0-9]+ commands matched$' "it was picked"
	end
}

for word in strace "strace -f" log args; do
	case $word in
	strace*) action="$word -o $S/seen.{n}" ;;
	args) action="args --env=X=1" ;;
	*) action=$word ;;
	esac
	seen "its events: $word" "$action" -- "$V/watchstops" "$V/prog" -x 3 PICKME
	seen "its death: $word" "$action" -- "$V/watchstops" "$V/prog" -k SEGV PICKME
	seen "every SIGCHLD: $word" "$action" -- "$V/sigchld" "$V/prog" -x 3 PICKME
	seen "a vfork's parent: $word" "$action" -- "$V/spawnform" vfork "$V/prog" -x 3 PICKME
	seen "its descriptors: $word" "$action" -- sh -c "$V/state fds; :"
	seen "its signals: $word" "$action" -- sh -c "trap '' USR1 CHLD; $V/state signals; :"
	seen "its group, limits, ids: $word" "$action" -- sh -c "$V/state groups limits ids prctl sched misc; :"
	seen "its parent: $word" "$action" -- bash -c 'export P=$$; "$1"/prog PICKME & wait $!; echo $?' bash "$V"
done
seen "its arguments: strace" "strace -o $S/seen.{n}" -- "$V/bigargs" many "$V/dump"
seen "its environment: strace" "strace -o $S/seen.{n}" -- "$V/bigargs" environ "$V/dump"
seen "its edge strings: strace" "strace -o $S/seen.{n}" -- "$V/bigargs" edge "$V/dump"
finish
