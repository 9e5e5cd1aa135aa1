#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Users: as root, setuid programs gain what they gain without us and no_new_privs stays off; as another user everything else works.
. "$(dirname "$0")/../lib.sh"

is_root || skip "must be run as root to become other users"
prepare()
{
	install -m 4755 "$V/state" suid
	install -m 2755 "$V/state" sgid
	cp "$V/prog" "$V/under" "$V/state" "$V/waitstatus" .
	chmod 755 .
}
fresh
if ./under gid=65534 uid=65534 -- ./suid ids | grep -q '^Uid:[[:space:]]*65534[[:space:]]*0'; then
	both "a setuid program run by a user in root's tree" -- ./under gid=65534 uid=65534 -- ./suid ids prctl
	both "a setgid program run by a user in root's tree" -- ./under gid=65534 uid=65534 -- ./sgid ids prctl
	both "a user's shell that runs a setuid program" -- ./under gid=65534 uid=65534 -- sh -c './suid ids; ./state ids'
else
	skip_case "setuid programs" "the scratch directory is mounted nosuid"
fi
both "no_new_privs is not set" -- sh -c 'grep NoNewPrivs /proc/self/status'

# exectrace itself as a user: it must be able to read the program, so take a copy.
cp "$EXECTRACE" "$S/exectrace" && chmod 755 "$S/exectrace"
EXECTRACE=$S/exectrace
fresh
./under gid=65534 uid=65534 -- test -x "$EXECTRACE" || skip "an ordinary user cannot reach the scratch directory"
both -p 'gid=65534 uid=65534' "as a user: statuses" -- sh -c './prog -x 3 a; echo $?; ./prog -k TERM; echo $?'
both -p 'gid=65534 uid=65534' "as a user: what is inherited" -- ./state ids signals limits sched fds
both -p 'gid=65534 uid=65534' "as a user: an undumpable program" -- sh -c './under dumpable=0 -- ./prog x'
begin "as a user: one process is picked"
fresh
chmod 777 . && : >"$S/user.log" && chmod 666 "$S/user.log"
./under gid=65534 uid=65534 -- "$EXECTRACE" --engine="$ENGINE" --run="strace -o $S/user.log" --cmd="$PICK" -- \
	sh -c './prog a; ./prog -x 2 PICKME' >"$S/user.out" 2>"$S/user.err"
expect_equal $? 2 "the status"
check_picked "$S/user.err" strace
check_strace "$S/user.log"
end
finish
