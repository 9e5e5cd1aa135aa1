#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where it starts: /proc, a tree that has a listener, privileges; and what the command and a tool find open.
. "$(dirname "$0")/../lib.sh"

begin "/proc of another pid namespace"
if is_root; then
	for flag in "" -D; do
		fresh
		# shellcheck disable=SC2086 # no word when empty
		timeout --foreground -k 1 "$(limit 20)" unshare -pf "$EXECTRACE" --engine="$ENGINE" -q $flag "${NOTHING[@]}" -- \
			sh -c 'readlink /proc/self/ns/mnt >marker' >"$S/out" 2>"$S/err"
		expect_equal $? 0 "it has its own"
		readlink /proc/self/ns/mnt >"$S/want"
		expect_same marker "$S/want" "the command is where it was"
	done
	cp "$EXECTRACE" "$S/exectrace"
	chmod 755 "$S/exectrace"
	for flag in "" -D; do
		fresh
		# shellcheck disable=SC2086 # no word when empty
		timeout --foreground -k 1 "$(limit 20)" unshare -pf setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$S/exectrace" --engine="$ENGINE" $flag "${NOTHING[@]}" -- sh -c ': >marker' >"$S/out" 2>"$S/err"
		expect_equal $? 125 "the status where it may not mount one"
		expect "the command is not run" test ! -e marker
		expect_lines 1 "$S/err" . "one line"
		expect_lines 1 "$S/err" '^exectrace: cannot start: .*--mount-proc' "that says what to do"
	done
	fresh
	# What --mount-proc does, also below chroot(8), where / is no mount.
	timeout --foreground -k 1 "$(limit 20)" unshare -pfm --propagation unchanged sh -c 'mount --make-rprivate /proc && mount -t proc proc /proc && exec "$@"' \
		sh "$EXECTRACE" --engine="$ENGINE" -q "${NOTHING[@]}" -- sh -c ': >marker; exit 3' >"$S/out" 2>"$S/err"
	expect_equal $? 3 "with its own /proc it runs"
	end
else
	case_name=
	skip_case "/proc of another pid namespace" "must be root to make one"
fi

if is_root && [ "$ENGINE" = notify ]; then
	# In a tree that has a listener already no_new_privs would be of no use.
	cp "$EXECTRACE" "$S/exectrace"
	chmod 755 "$S/exectrace"
	begin "no_new_privs is not set in vain"
	fresh
	grep NoNewPrivs /proc/self/status >"$S/want"
	et -q "${NOTHING[@]}" -- setpriv --reuid=65534 --regid=65534 --clear-groups "$S/exectrace" --list -- \
		grep NoNewPrivs /proc/self/status >"$S/out" 2>"$S/err"
	expect_equal $? 0 "the status"
	expect_same "$S/out" "$S/want" "no_new_privs"
	expect_lines 1 "$S/err" '^exectrace: engine ptrace: this process tree is traced already' "which engine it is, and why"
	end
fi

begin "nothing of ours is open in the command and a tool"
fresh
cat >list <<'E'
#!/bin/bash
for fd in /proc/$$/fd/*; do
	case $(readlink "$fd") in
	${PWD%/*}/* | /dev/* | pipe:* | '' | */list) ;;
	*) echo "$fd is $(readlink "$fd")" ;;
	esac
done
ls -l /proc/$$/fd | grep -E 'seccomp|pidfd|signalfd|eventfd|socket'
grep -c 'zero (deleted)' /proc/$$/maps
E
chmod 755 list
et -q --run="attach sh -c './list >tool; exec strace -qq -o /dev/null -p {pid}'" --cmd='^\S*prog PICK' -- \
	sh -c "./list >command; $V/prog PICK" </dev/null >"$S/out" 2>"$S/err"
expect_equal "$(cat command)" 0 "the command"
expect_equal "$(cat tool)" 0 "the tool"
end
finish
