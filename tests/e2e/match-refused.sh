#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a sandbox, an old kernel or a security module denies a way to look at execs, another is taken; where there is none, that is said.
. "$(dirname "$0")/../lib.sh"

ran()
{
	expect_equal "$1" 0 "its status"
	expect_lines 1 "$S/err" "^exectrace: 3 of [0-9]+ commands matched$" "all three were matched"
	expect_lines 0 "$S/err" "could not be read" "nothing was unreadable"
}

prog="for i in 1 2 3; do ./prog x >/dev/null; done; ../prog -x 0 y >/dev/null"
mkdir -p "$S/run"
cp "$V/prog" "$S/run/prog"
cp "$V/prog" "$S/prog"
for errno in EPERM ENOSYS; do
	for calls in openat2 process_vm_readv openat2,process_vm_readv,process_vm_writev; do
		for what in "--exe=$S/run/prog" '--cmd=^./prog'; do
			begin "$calls $errno: ${what%%=*}"
			cd "$S/run" || exit 1
			"$V/denied" $errno $calls timeout -k 1 "$(limit 20)" "$EXECTRACE" --engine="$ENGINE" --run=log "$what" -- sh -c "$prog" 2>"$S/err"
			ran $?
			cd "$S" || exit 1
			end
		done
	done
done

begin "a tool where memory is written by another way"
cd "$S/run" || exit 1
"$V/denied" EPERM process_vm_readv,process_vm_writev timeout -k 1 "$(limit 20)" "$EXECTRACE" --engine="$ENGINE" --run="args --append z" --cmd='^./prog' -- \
	sh -c './prog x' >"$S/out" 2>"$S/err"
expect_equal $? 0 "its status"
expect_lines 1 "$S/out" 'says x z' "its new argument"
cd "$S" || exit 1
end

if ! is_root; then
	skip_case "who may not be read" "needs root to become another user"
elif [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -gt 1 ]; then
	skip_case "who may not be read" "with this kernel.yama.ptrace_scope another user can run nothing"
elif engine_can notify "who may not be read" "it is attached to all"; then
	begin "who may not be read"
	chmod 777 "$S"
	"$V/under" gid=65534 uid=65534 -- timeout -k 1 "$(limit 20)" "$EXECTRACE" --engine="$ENGINE" --run=log --cmd='^\S*prog PICKME' -- \
		"$V/execform" undumpable "$V/prog" PICKME >"$S/out" 2>"$S/err"
	expect_equal $? 0 "its status"
	expect_lines 1 "$S/out" 'says PICKME' "it ran"
	expect_lines 1 "$S/err" '^exectrace: 0 of 2 commands matched' "the count"
	expect_lines 1 "$S/err" '^exectrace: 1 commands could not be read \(.*\): .*root can' "the reason"
	end
fi

# orphan: a process whose parent has ended executes prog; then `done` is there
orphan="(sh -c 'while [ ! -e go ]; do sleep 0.02; done; $V/prog PICKME >out; : >done' &); : >go; while [ ! -e done ]; do sleep 0.02; done"
if [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" != 1 ]; then
	skip_case "an orphan under Yama" "kernel.yama.ptrace_scope is not 1 here"
elif engine_can notify "an orphan under Yama" "it is attached to all"; then
	begin "an orphan under Yama"
	mkdir -m 777 "$S/yama"
	cd "$S/yama" || exit 1
	user=()
	! is_root || user=("$V/under" gid=65534 uid=65534 --)
	"${user[@]}" timeout -k 1 "$(limit 20)" "$EXECTRACE" --engine="$ENGINE" --run=log --cmd=PICKME -- sh -c "$orphan" 2>"$S/err"
	expect_equal $? 0 "its status"
	expect_lines 1 "$S/err" 'commands could not be read .*kernel.yama.ptrace_scope is 1' "the reason"
	cd "$S" || exit 1
	end
fi

# Formats that are registered, but not where we can see it: in a user namespace, so that it is nobody else's matter (Linux 6.7).
cat >"$S/format" <<END
mkdir -p "$S/formats" && mount -t binfmt_misc none "$S/formats" || exit 77
./odd 2>/dev/null
echo ':etodd:M::ETODD::/bin/echo:' >"$S/formats/register" || exit 77
./odd
END
cd "$S" || exit 1
printf 'ETODD\n' >odd
chmod 755 odd
unshare -Urm bash "$S/format" >"$S/plain" 2>"$S/why"
status=$?
if [ $status = 77 ] || ! grep -q odd "$S/plain"; then
	skip_case "formats registered later, and not mounted where we are" "no binfmt_misc of one's own here (Linux 6.7): $(head -n 1 "$S/why")"
else
	begin "formats registered later, and not mounted where we are"
	unshare -Urm timeout -k 1 "$(limit 20)" "$EXECTRACE" --engine="$ENGINE" --run=log --exe=odd -- bash "$S/format" >"$S/out" 2>"$S/err"
	expect_equal $? $status "its status"
	expect_same "$S/out" "$S/plain" "the same output"
	expect_lines 1 "$S/err" '^exectrace: 1 of [0-9]+ commands matched$' "it was matched, and the one that failed was not"
	end
fi

begin "what a daemon will execute is not looked at, and that is said"
et --run=log --cmd='[N]OSUCH' -- sh -c "sh -c 'sleep 1; $V/prog x >$S/late.part; mv $S/late.part $S/late' & exit 0" >"$S/out" 2>"$S/err"
expect_equal $? 0 "its status"
expect_lines 1 "$S/err" '^exectrace: processes of the tree live on: what they execute from now on is not looked at$' "it is said"
expect "the daemon goes on" wait_for 20 test -s "$S/late"
et --run=log --cmd='[N]OSUCH' -- sh -c "$V/prog x; /bin/true" >"$S/out" 2>"$S/err"
expect_lines 0 "$S/err" 'live on' "not said where nothing lives on"
end
finish
