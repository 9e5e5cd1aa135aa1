#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With few descriptors or processes it runs as ever, or ends with 125 and a line, and then the command was not run. It never hangs.
. "$(dirname "$0")/../lib.sh"

# Made here: with few descriptors or processes the shell could not.
short=$(limit 10)
long=$(limit 60)

# nobody_left: with -D it still writes when the command has ended
nobody_left()
{
	! readlink /proc/[0-9]*/exe 2>/dev/null | grep -qxF "$(realpath "$S")/exectrace"
}

# attempt LIMIT... -- ARG...: in $outcome the status, whether the command ran, and how many lines were said
attempt()
{
	local few=()

	while [ "$1" != -- ]; do
		few+=("$1")
		shift
	done
	shift
	fresh
	(ulimit "${few[@]}" && exec "$S/under" ${who:+$who} -- timeout --foreground -k 1 "$short" "$S/exectrace" -q "$@" --engine="$ENGINE" \
		--run=log --cmd='[N]OSUCH_PATTERN' -- sh -c ': >marker; exit 3') >"$S/out" 2>"$S/err"
	outcome="$? $([ -e marker ] && echo ran || echo not)"
	wait_for 10 nobody_left
	outcome="$outcome $(grep -c . "$S/err")"
}

cp "$EXECTRACE" "$S/exectrace"
cp "$V/under" "$S/under"
chmod 755 "$S/exectrace" "$S/under"
who=
for flags in "" "-D" "-o rec" "-D -o rec"; do
	case $flags in -D*) behind_can "few descriptors ($flags)" || continue ;; esac
	begin "few descriptors${flags:+ ($flags)}"
	refused=0
	ran=0
	for n in 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 32 64; do
		# shellcheck disable=SC2086 # words
		attempt -n "$n" -- $flags
		expect "ulimit -n $n" ran_or_said_why
		case $outcome in
		125*) refused=$((refused + 1)) ;;
		3*) ran=$((ran + 1)) ;;
		esac
	done
	expect "some are too few" test $refused -gt 0
	expect "some are enough" test $ran -gt 2
	end
done

if is_root; then
	# A user of our own, whose processes are nobody else's; a shell's limit is in force for the program that it becomes.
	uid=$((200000 + $$))
	for flags in "" -D; do
		begin "few processes${flags:+ ($flags)}"
		refused=0
		for n in 1 2 3 4 5 6 8 16; do
			wait_for 10 eval "! ps -o pid= -u $uid >/dev/null"
			fresh
			# shellcheck disable=SC2086 # words
			setpriv --reuid=$uid --regid=$uid --clear-groups bash -c "ulimit -u $n; exec $S/exectrace -q $flags --engine=$ENGINE \
				--run=log --cmd='[N]OSUCH_PATTERN' -- sh -c ': >marker; exit 3'" >"$S/out" 2>"$S/err" &
			pid=$!
			expect "ulimit -u $n: it ends" wait_for 10 eval "! kill -0 $pid"
			kill -KILL $pid 2>/dev/null
			wait $pid 2>/dev/null
			outcome="$? $([ -e marker ] && echo ran || echo not) $(grep -c . "$S/err")"
			expect "ulimit -u $n" ran_or_said_why
			[ "${outcome%% *}" != 125 ] || refused=$((refused + 1))
		done
		expect "some are too few" test $refused -gt 0
		end
	done
else
	skip_case "few processes" "must be run as root to become a user of its own"
fi

begin "where it starts it can look at processes"
for n in 12 14 16 18 20 24; do
	fresh
	cp /bin/true picked
	(ulimit -n "$n" && exec timeout --foreground -k 1 "$long" "$EXECTRACE" --engine="$ENGINE" --run='strace -o s' --exe=picked --cwd="$PWD" -- \
		sh -c ': >marker; ./picked; ./picked & ./picked & wait; exit 3') >"$S/out" 2>"$S/err"
	case $? in
	3) expect_lines 3 "$S/err" '^exectrace: \[[0-9]+\] (match [1-3],|matches, but cannot be attached to: Too many open files)' \
		"ulimit -n $n: each is matched, or it is said why not" ;;
	125) expect "ulimit -n $n: it is not run" test ! -e marker ;;
	*) expect "ulimit -n $n: a right status" false ;;
	esac
done
expect_lines 1 "$S/err" '^exectrace: 3 of 4 commands matched$' "ulimit -n 24: all are matched"
end

# The ends of others' processes are worth less than to see the next exec.
begin "descriptors are left to look at processes with"
fresh
(ulimit -n 28 && exec timeout --foreground -k 1 "$long" "$EXECTRACE" --engine="$ENGINE" -o rec --run='log --output=log' --cmd='^sleep 0\.31' -- \
	sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.31 & done; wait; exit 3') >"$S/out" 2>"$S/err"
expect_equal $? 3 "the status"
expect_lines 1 "$S/err" '^exectrace: 20 of 21 commands matched$' "all are matched"
expect_lines 1 "$S/err" '^exectrace: too few descriptors \(ulimit -n 28\)' "it says what is not known, once"
expect_lines 20 log 'sleep 0.31$' "all are logged"
end

begin "tools have the caller's limits"
fresh
(ulimit -Sn 77 && exec timeout --foreground -k 1 "$long" "$EXECTRACE" -q --engine="$ENGINE" \
	--run="attach sh -c 'ulimit -Sn >tool; exec strace -qq -o /dev/null -p {pid}'" --cmd='^\S*prog PICK' -- \
	sh -c "ulimit -Sn >command; $V/prog PICK") >"$S/out" 2>"$S/err"
expect_equal "$(cat command)" 77 "the command"
expect_equal "$(cat tool)" 77 "the tool"
end
finish
