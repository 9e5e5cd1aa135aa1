#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: what is no QEMU, or cannot be traced, runs as if nothing had been asked for; a plugin that cannot work says so and does not disturb.
# groups: guest
. "$(dirname "$0")/../lib.sh"

needs qemu-system-x86_64
echo quit >"$S/quit"
QUIT=(qemu-system-x86_64 -nodefaults -display none -S -monitor stdio)
: "${BUILD:=${V%/tests/victims}}"

# left_alone NAME MESSAGE COMMAND...: nothing matches; MESSAGE is said
left_alone()
{
	begin "$1"
	fresh
	"${@:3}" >want 2>want.err <"$S/quit"
	status=$?
	et -v --run=guest --cmd=. -- "${@:3}" >out 2>err <"$S/quit"
	expect_equal $? $status "the same status"
	expect_same out want "the same output"
	expect_lines 0 err 'match 1' "no match"
	expect_lines some err "$2" "what is said"
	end
}

left_alone "no QEMU" 'is no QEMU' "$V/prog" a
left_alone "a version" 'boots nothing' qemu-system-x86_64 --version
left_alone "no machine" 'boots nothing' "${QUIT[@]}" -machine none
left_alone "a list" 'boots nothing' qemu-system-x86_64 -cpu help
cp "$V/prog" "$S/qemu-system-odd"
left_alone "a QEMU without plugins" 'qemu-system-odd was built without plugins' "$S/qemu-system-odd" -x 3

printf '#!/bin/sh\nexit 3\n' >"$S/qemu-system-script"
chmod 755 "$S/qemu-system-script"
left_alone "a script that is called like one" 'is no QEMU' "$S/qemu-system-script" -m 1

begin "files that are of another kind"
fresh
for word in --plugin=/etc/passwd --plugin=/dev/null --plugin=/ ; do
	et --run="guest $word" --cmd=. -- touch started >out 2>err
	expect_equal "$? $(cat err)" "125 exectrace: --run: guest: ${word#*=}: no plugin of QEMU" "$word"
done
et --run="guest --guest-root=/etc/passwd" --cmd=. -- touch started >out 2>err
expect_equal "$? $(cat err)" "125 exectrace: --run: guest: /etc/passwd: Not a directory" "a root that is a file"
expect "nothing was started" test ! -e started
end

begin "a pipe that nobody reads"
fresh
mkfifo pipe
et --run='guest --output=pipe' --cmd=. -- "${QUIT[@]}" >out 2>err <"$S/quit"
expect_equal $? 0 "its status"
expect_lines 1 err '/pipe: No such device or address: the guest is not traced$' "it is not waited for"
end

begin "KVM"
fresh
et --run=guest --cmd=. -- "${QUIT[@]}" -accel kvm -accel tcg >out 2>err <"$S/quit"
expect_lines some err 'KVM, where nothing can be traced .*; left alone$' "it is said"
expect_lines 0 err 'match 1' "no match"
end

begin "KVM, which is taken away"
fresh
printf 'info kvm\nquit\n' >"$S/ask"
et --run='guest --tcg --output=tcg.xtr' --cmd=. -- "${QUIT[@]}" -enable-kvm -cpu host >out 2>err <"$S/ask"
expect_equal $? 0 "its status"
expect_lines 1 err 'match 1, rule 1 \(guest\): .* -enable-kvm -cpu host$' "it is picked"
expect_lines some out 'kvm support: (disabled|not compiled)' "it does without"
expect "with the plugin" test -s tcg.xtr
end

begin "KVM, which several options ask for"
fresh
et --run='guest --tcg --output=tcg.xtr' --cmd=. -- "${QUIT[@]}" -machine pc,accel=kvm -enable-kvm >out 2>err <"$S/ask"
expect_equal $? 0 "its status"
expect_lines some out 'kvm support: (disabled|not compiled)' "it does without"
expect "with the plugin" test -s tcg.xtr
fresh
et --run='guest --output=tcg.xtr' --cmd=. -- "${QUIT[@]}" -enable-kvm -machine accel=tcg >out 2>err <"$S/ask"
expect_equal $? 0 "its status"
expect_lines 1 err 'match 1' "the last one counts"
ln -s "$(command -v qemu-system-x86_64)" my-kvm
et --run=guest --cmd=. -- ./my-kvm "${QUIT[@]:1}" >out 2>err <"$S/quit"
expect_lines some err 'KVM, where nothing can be traced .*; left alone$' "so does QEMU's own name"
end

begin "a QEMU with options of its own that look like others"
fresh
et --run='guest --output=here.xtr' --cmd=. -- "${QUIT[@]}" -name version -append -help -kernel /nowhere >out 2>err <"$S/quit"
expect_lines 1 err 'match 1, rule 1 \(guest\)' "it is picked"
end

begin "names with a comma, another directory"
fresh
mkdir "a,b"
et --run='guest --output=a,b/{n}.xtr' --cmd=. -- sh -c "cd / && exec ${QUIT[*]}" >out 2>err <"$S/quit"
expect_equal $? 0 "its status"
expect_lines 0 err 'exectrace-guest' "no complaint"
expect "the file is where it should be" test -s a,b/1.xtr
end

if is_root && command -v setpriv >/dev/null; then
	begin "a plugin that QEMU may not open"
	fresh
	mkdir -m 700 own && cp "$BUILD/exectrace-guest.so" own
	et --run='guest --plugin=own/exectrace-guest.so' --cmd=. -- setpriv --reuid=65534 --regid=65534 --clear-groups \
		"${QUIT[@]}" >out 2>err <"$S/quit"
	expect_equal $? 0 "its status"
	expect_lines some out 'QEMU .* monitor' "it runs"
	expect_lines 1 err 'may not open .*/own/exectrace-guest.so: Permission denied: .*; left alone$' "it is said"
	expect_lines 0 err 'match 1' "no match"
	end
else
	skip_case "a plugin that QEMU may not open" "needs root and setpriv"
fi

# plugin OPTIONS: QEMU starts and ends as without it
plugin()
{
	fresh
	"${QUIT[@]}" -plugin "$BUILD/exectrace-guest.so,$1" >out 2>err <"$S/quit"
	expect_equal $? 0 "QEMU ends well"
	expect_lines some out 'QEMU .* monitor' "its monitor answers"
}

begin "an unknown option"
plugin nonsense=1
expect_lines 1 err "^exectrace-guest: unknown option or value nonsense=1: the guest is not traced$" "it is said"
end
begin "a file that cannot be made"
plugin out=/nowhere/at/all.xtr
expect_lines 1 err "^exectrace-guest: /nowhere/at/all.xtr: No such file or directory: the guest is not traced$" "it is said"
end
begin "a full disk"
plugin out=/dev/full
expect_lines 1 err "^exectrace-guest: /dev/full: No space left on device" "it is said"
end

begin "options of the action"
for wrong in --clock=sun --nonsense 'here.xtr' --plugin=/nowhere/plugin.so; do
	et --run="guest $wrong" -- true >out 2>err
	expect_equal $? 125 "$wrong is refused"
	expect_lines 1 err '^exectrace: --run: guest: ' "in one line"
done
end

finish
