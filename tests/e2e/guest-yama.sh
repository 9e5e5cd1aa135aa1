#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where Yama restricts who may attach (kernel.yama.ptrace_scope): exectrace in a guest with a kernel of Debian's, which has Yama.
# guest: with the machine's own exectrace, strace and their libraries
# limit: 600
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

needs busybox cpio gzip ldd strace
root=$S/root

# put FILE PLACE: into the guest, with the libraries it is linked with
put()
{
	local library

	mkdir -p "$root/$(dirname "$2")"
	cp -L "$1" "$root/$2" || exit 1
	ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$root/$(dirname "$library")"
		[ -e "$root/$library" ] || cp -L "$library" "$root/$library"
	done
}

mkdir -p "$root"/{bin,dev,proc,sys,tmp,etc,mnt}
cp "$(command -v busybox)" "$root/bin/busybox"
put "$EXECTRACE" usr/bin/exectrace
put "$(command -v strace)" usr/bin/strace
put /bin/true usr/bin/victim
printf '%s:x:%s::/mnt:/bin/sh\n' root 0:0 user 1000:1000 >"$root/etc/passwd"
printf '%s:x:%s:\n' root 0 user 1000 >"$root/etc/group"
cat >"$root/init" <<END
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
chmod 777 /mnt
export engine=--engine=$ENGINE
sh /script
poweroff -f
END
cat >"$root/tree" <<'END'
/usr/bin/victim -a
/usr/bin/victim -l
exit 7
END
# With -D exectrace ends after the command.
cat >"$root/script" <<'END'
nobody()
{
	! grep -qsx exectrace /proc/[0-9]*/comm
}

# soon COMMAND...: waits until it succeeds, a minute at most
soon()
{
	n=0
	until "$@" || [ $n -gt 600 ]; do sleep 0.1; n=$((n + 1)); done
}

END
# try SCOPE USER NAME OPTIONS: the tree under exectrace; what it says, and its status, behind a line with the name
cat >>"$root/script" <<'END'
try()
{
	echo "== $3"
	echo "$1" >/proc/sys/kernel/yama/ptrace_scope
	rm -f /mnt/out
	su "$2" -c "exectrace $4 --cmd='^/usr/bin/victim -l' -- sh /tree"
	echo "status $?"
	soon nobody
	n=0
	while [ ! -s /mnt/out ] && [ $n -lt 100 ] && [ -n "$output" ]; do sleep 0.1; n=$((n + 1)); done
	[ ! -s /mnt/out ] || grep -c 'exit_group(0)' /mnt/out
}

gone()
{
	[ ! -d "/proc/$1" ]
}

cd /mnt
output=1
try 1 user strace "$engine --run='strace -o /mnt/out'"
try 1 user trace "$engine --run='trace --output=/mnt/out'"
try 1 user behind "-v -D --run='strace -o /mnt/out'"
output=
try 1 user 'notify behind' '--engine=notify -D --run=log'
try 1 user log "$engine --run=log --cmd='^sh /tree' --run=log"
echo '== killed'
su user -c "exec exectrace $engine --run=stop --cmd='^/usr/bin/victim -l' -- sh /killed 2>/mnt/said" &
soon grep -q release /mnt/said
cat /mnt/said
kill -9 "$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$(cat /mnt/root)/status")"
soon gone "$(cat /mnt/root)"
try 2 user 'two for a user' "$engine --run=log"
try 2 root 'two for root' "$engine --run=log"
try 3 root three "$engine --run=log"
echo '== end'
END
cat >"$root/killed" <<'END'
echo $$ >/mnt/root
/usr/bin/victim -l
echo "it gave $?"
END
chmod 755 "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$S/initrd.gz"

# shellcheck disable=SC2086 # words
$BARE -m 768 -no-reboot -serial stdio -initrd "$S/initrd.gz" -append "$WORDS" >boot 2>&1 </dev/null
tr -d '\r' <boot >said

# part NAME: what was said of it
part()
{
	sed -n "/== $1\$/,/^==/p" said | sed '1d;/^==/d' >part
}

begin "$ENGINE: an ordinary user's strace, with scope 1"
part strace
expect_lines 1 part '\[[0-9]*\] match 1, rule 1 \(strace\): /usr/bin/victim -l' "it is picked"
expect_lines 1 part '^status 7$' "the command's status"
expect_lines 1 part '^1$' "strace has it up to its exit"
end
begin "$ENGINE: the tracer, with scope 1"
part trace
expect_lines 1 part '1 of 3 commands matched' "it is picked"
expect_lines 1 part '^1$' "the tracer has it up to its exit"
end
begin "$ENGINE: -D takes the engine that can, and says why"
part behind
expect_lines 1 part 'engine ptrace: kernel\.yama\.ptrace_scope is 1: with -D' "it says why"
expect_lines 1 part '1 of 3 commands matched' "it is picked"
expect_lines 1 part '^1$' "strace has it up to its exit"
part 'notify behind'
expect_lines 1 part 'cannot watch the command: kernel\.yama\.ptrace_scope is 1: with -D' "notify alone is refused"
expect_lines 1 part '^status 125$' "its status"
end
begin "$ENGINE: log"
part log
expect_lines 1 part '/usr/bin/victim -l$' "the process"
expect_lines 1 part 'exit 7,.*sh /tree$' "the command, with its status: a process of ours, so its status is known on any kernel"
end
begin "$ENGINE: scopes 2 and 3 are refused before the command starts"
part 'two for a user'
expect_lines 1 part 'cannot watch the command: kernel\.yama\.ptrace_scope is 2: only root' "scope 2"
expect_lines 1 part '^status 125$' "its status"
part 'two for root'
expect_lines 1 part '1 of 3 commands matched' "root may"
part three
expect_lines 1 part 'cannot watch the command: kernel\.yama\.ptrace_scope is 3: nobody' "scope 3"
expect_lines 1 part '^status 125$' "its status"
end
begin "$ENGINE: exectrace killed while a process is stopped, with scope 1"
part killed
expect_lines 1 part '^it gave 0$' "the process runs on"
end
finish
