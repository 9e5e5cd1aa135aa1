#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: the flight recorder, and what is kept of a guest that failed.
# limit: 900
# once: the engine has no part in it
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

# The file has the last events, and no more than twice the size; names are beside that.
begin "a flight recorder, and a guest that panics"
fresh
INIT='' et --keep=failed --run='guest --ring=256K' --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null
expect_equal $? 0 "QEMU ends well"
expect_lines some out 'Kernel panic - not syncing: VFS: Unable to mount root' "the guest does not"
expect_lines 1 err "the guest's kernel panicked: what was recorded is kept$" "it is said"
expect_equal "$(ls exectrace.data)" "execs.jsonl
$(basename exectrace.data/guest-1-*.xtr)
run.json" "one file, and nothing beside it"
"$RECORDED" exectrace.data/guest-1-*.xtr >recorded
expect_lines 0 recorded '^wrong' "it is sound"
expect_lines 1 recorded '^file: whole$' "it is whole"
expect_lines 1 recorded '^function .* 1 \[kernel\] panic$' "the panic is there"
expect_lines 1 recorded '^function .* 1 \[kernel\] kernel_init$' "and the calls that led to it, which began long before"
expect_lines 0 recorded '^function .* \[kernel\] (setup_arch|trap_init)$' "what came first is gone"
expect_lines 1 recorded "^note the guest's kernel panicked$" "it is noted"
expect "the file is small" test "$(stat -c %s exectrace.data/guest-1-*.xtr)" -lt 700000
end

begin "a flight recorder of a QEMU that is killed"
fresh
WORDS="$WORDS symbols" et --keep=failed --run='guest --ring=256K --output=made.xtr' --cmd='^qemu-system' -- sh "$S/harness" >out 2>err </dev/null &
job=$!
wait_for 60 has out 'fib.20. = 6765' || result 1 "the guest runs" out
kill -KILL "$(sed -n 's/^exectrace: \[\([0-9]*\)\] match 1.*/\1/p' err)"
wait $job
"$RECORDED" made.xtr >recorded
expect_lines 0 recorded '^wrong' "it is sound"
expect_lines 1 recorded '^file: cut$' "it can be read"
expect_lines 1 recorded '^function .* \[kernel\] kthreadd$' "what was open is there"
expect_lines 0 recorded '^function .* \[kernel\] setup_arch$' "what came first is gone"
expect "nothing beside it" test ! -e made.xtr.next
end

begin "a guest that did well"
fresh
boot 'guest --filter=start_kernel --output=made.xtr' --keep=failed
expect_lines some said '^guest ends$' "the guest ran to its end"
expect "nothing is kept" test ! -e made.xtr
expect_lines 0 err 'exectrace why' "and no command named that would show it"
end

begin "a QEMU that becomes a daemon"
fresh
et --keep=failed --run='guest --output=made.xtr' --cmd='^qemu-system' -- qemu-system-x86_64 -accel tcg -m 32 -display none \
	-nodefaults -S -daemonize -pidfile pid >out 2>err </dev/null
expect_equal $? 0 "its first process ends well"
expect "the daemon is there" kill -TERM "$(cat pid)"
wait_for 60 test ! -e pid || result 1 "it ends" err
expect "what it recorded stays" test -s made.xtr
expect "nothing is beside it" test ! -e made.xtr.panic -a ! -e made.xtr.next
end

if is_root && qemu-system-x86_64 -help | grep -q '^-chroot '; then
	begin "a QEMU that goes to another root directory"
	fresh
	mkdir jail
	printf '%s\n' "exec \$BARE -no-reboot -serial stdio -chroot jail -append \"\$WORDS\" \$INIT" >"$S/jailed"
	# Half of it is there for sure; from fib on the guest makes over 128K.
	et --run='guest --ring=1M --output=made.xtr' --cmd='^qemu-system' -- sh "$S/jailed" >out 2>err </dev/null
	expect_equal $? 0 "its status"
	expect_lines 0 err 'exectrace-guest:' "no complaint"
	clean out >said
	"$RECORDED" made.xtr >recorded
	sound
	expect_equal "$(calls_of fib)" 21891 "with names, and to the end"
	expect_lines 0 recorded '^function .* \[kernel\] (setup_arch|trap_init)$' "what came first is gone"
	expect "nothing is beside it" test ! -e made.xtr.next
	INIT='' et --keep=failed --run='guest --output=dead.xtr' --cmd='^qemu-system' -- sh "$S/jailed" >out 2>err </dev/null
	expect_lines 1 err "the guest's kernel panicked: what was recorded is kept$" "a panic is seen"
	expect "and kept" test -s dead.xtr -a ! -e dead.xtr.panic
	end
else
	skip_case "a QEMU that goes to another root directory" "needs root, and a QEMU that does"
fi

finish
