#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: a libvirtd that runs already starts a domain; QEMU is another user, in a mount namespace, and sandboxed.
# limit: 600
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

patience=120
needs libvirtd virsh unshare nsenter
is_root || skip "libvirtd takes root"
id libvirt-qemu >"$S/why" 2>&1 || skip "there is no user libvirt-qemu"

# daemon: libvirtd with directories of its own, as $daemon: one that the machine has is not disturbed
daemon()
{
	cat >"$S/qemu.conf" <<-'END'
	stdio_handler = "file"
	security_driver = "none"
	END
	# shellcheck disable=SC2016 # expanded there
	unshare -m sh -c 'cd / && mkdir -p /run/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt /etc/libvirt &&
		for d in /run/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt /etc/libvirt; do
			mount -t tmpfs -o mode=755 none "$d" || exit
		done
		cp "$0/qemu.conf" /etc/libvirt && exec libvirtd --pid-file=/run/libvirt/pid --timeout=600' "$S" >"$S/daemon.log" 2>&1 </dev/null &
	daemon=$!
	wait_for 60 answers
}

# inside COMMAND...: where the daemon is
inside()
{
	nsenter -t $daemon -m -- "$@" </dev/null
}

answers()
{
	inside virsh -q -c qemu:///system list >"$S/why" 2>&1
}

# domain: starts it; what its serial line says comes to $S/boot/serial
domain()
{
	mkdir -p "$S/boot"
	cp "$GUEST/vmlinuz" "$GUEST/initrd.gz" "$S/boot"
	rm -f "$S/boot/serial"
	cat >"$S/domain.xml" <<-END
	<domain type='qemu'>
	<name>traced</name><memory unit='MiB'>256</memory><vcpu>1</vcpu>
	<os><type arch='x86_64' machine='pc'>hvm</type>
	<kernel>$S/boot/vmlinuz</kernel><initrd>$S/boot/initrd.gz</initrd><cmdline>$WORDS</cmdline></os>
	<devices><emulator>$(command -v qemu-system-x86_64)</emulator>
	<serial type='file'><source path='$S/boot/serial'/></serial></devices>
	</domain>
	END
	inside virsh -q -c qemu:///system create "$S/domain.xml" >"$S/created" 2>&1
}

ran()
{
	tr -d '\r' 2>"$S/why" <"$S/boot/serial" | grep -q '^guest ends'
}

# watching ACTION: exectrace on the daemon, as $pid
watching()
{
	fresh
	"$EXECTRACE" -v --engine="$ENGINE" --pid=$daemon --run="$1" --exe='qemu-system-*' >out 2>err &
	pid=$!
	expect "it is watched" wait_for 30 has err 'processes are watched'
}

# ended: the domain, and exectrace by a signal
ended()
{
	inside virsh -q -c qemu:///system destroy traced >destroyed 2>&1
	expect_equal $? 0 "the domain is ended"
	kill -INT $pid
	wait $pid
	expect_equal $? 130 "it ends by the signal"
}

daemon || skip "libvirtd does not run here: $(tail -n 1 "$S/daemon.log")"
domain || skip "libvirtd starts no domain here: $(cat "$S/created")"
inside virsh -q -c qemu:///system destroy traced >destroyed 2>&1

begin "the guest of a domain"
install -d -o libvirt-qemu "$S/guests"
watching "guest --output=$S/guests/{n}.xtr"
expect "it starts" domain
expect "it runs to its end" wait_for $patience ran
qemu=$(pgrep -u libvirt-qemu -f 'guest=traced' | head -n 1)
expect "in another mount namespace" test "$(readlink "/proc/$qemu/ns/mnt")" != "$(readlink /proc/self/ns/mnt)"
expect_equal "$(sed -n 's/^Seccomp:.//p' "/proc/$qemu/status")" 2 "sandboxed"
ended
expect_lines 1 err 'match 1, rule 1 \(guest\): ' "it was picked"
expect_lines 1 err 'the guest halted' "how it ended"
"$RECORDED" "$S/guests/1.xtr" >recorded
clean "$S/boot/serial" >said
sound
expect_equal "$(calls_of fib)" 21891 "each call of the guest's program"
end

begin "a directory that is closed to QEMU's user"
watching guest
expect "it starts" domain
expect "it runs to its end, as without us" wait_for $patience ran
ended
expect_lines 1 err 'may not make .*/exectrace.data/guest-1-[0-9]*.xtr: Permission denied: its guest is not traced' "it is told"
end

kill $daemon
wait $daemon
finish
