#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --secontext: contexts of SELinux. Files keep the attribute on any kernel; of a process there is one only where SELinux runs, so a file
# stands in for it here, and a policy of two lines for the one that says what files ought to have.
. "$(dirname "$0")/../lib.sh"
needs setfattr getfattr
engines "notify" "what is tested is the tracer's, and the same with both"

mkdir "$S/files" "$S/files/inner" "$S/tracers"
cd "$S/files" || exit 1
ln -s "$EXECTRACE" "$S/tracers/exectrace-trace"
full=system_u:object_r:tmp_t:s0:c1
for file in one inner/two plain odd; do echo "$file" >"$file"; done
setfattr -n security.selinux -v "$full" one 2>"$S/why" || skip "no attribute can be set: $(cat "$S/why")"
setfattr -n security.selinux -v 'user_u:object_r:inner_t:s0' inner
setfattr -n security.selinux -v 'user_u:object_r:two]!_t:s0' inner/two
setfattr -n security.selinux -v 'no context' odd

# traced OPTIONS COMMAND...: leaves $S/log
traced()
{
	local options=$1

	shift
	# shellcheck disable=SC2086
	"$S/tracers/exectrace-trace" --format=strace -e trace=openat,read,newfstatat,fstat,chdir,connect $options -o "$S/log" "$@" >"$S/out" 2>"$S/err" </dev/null
}

begin "types of files, by their names and by descriptors"
traced --secontext cat one plain odd
expect_equal "$?" 0 "the command's status"
expect_lines 1 "$S/log" '^openat\(AT_FDCWD, "one" \[tmp_t\], O_RDONLY\) += 3 \[tmp_t\]$' "where it is opened, and of the result"
expect_lines 1 "$S/log" '^(newfstatat\(3 \[tmp_t\], "", |fstat\(3 \[tmp_t\], )' "where its descriptor is used"
expect_lines 1 "$S/log" '^openat\(AT_FDCWD, "plain", O_RDONLY\) += 3$' "none where there is none"
expect_lines 1 "$S/log" '^openat\(AT_FDCWD, "odd" \[no context\], O_RDONLY\)' "what has no parts is shown as it is"
end

begin "behind paths of descriptors, and whole"
traced "--secontext=full -y" cat one
expect_lines 1 "$S/log" "^openat\\(AT_FDCWD<$S/files>, \"one\" \\[$full\\], O_RDONLY\\) = 3<$S/files/one> \\[$full\\]\$" "both"
traced "-e secontext=!mismatch" cat one
expect_lines 1 "$S/log" "^openat\\(AT_FDCWD, \"one\" \\[$full\\], O_RDONLY\\) += 3 \\[$full\\]\$" "all but mismatch is full"
traced "--secontext=none" cat one
expect_lines 1 "$S/log" '^openat\(AT_FDCWD, "one", O_RDONLY\) += 3$' "none"
end

begin "what ends a context is told from what is in it"
traced --secontext cat inner/two
expect_lines 1 "$S/log" '"inner/two" \[two\\135\\41_t\], O_RDONLY\)' "in octal"
end

begin "a path is what it is to the process"
traced --secontext sh -c 'cd inner && read -r line <two && cat <../one' # from another directory
expect_lines 1 "$S/log" '^chdir\("[^"]*inner" \[inner_t\]\)' "a directory"
expect_lines 1 "$S/log" '"two" \[two\\135\\41_t\], O_RDONLY\)' "from the current directory on"
expect_lines 1 "$S/log" '"\.\./one" \[tmp_t\], O_RDONLY\)' "up from it"
traced --secontext python3 -c 'import os; d = os.open("inner", 0); os.stat("two", dir_fd=d); os.stat("../one", dir_fd=d)'
expect_lines 1 "$S/log" '^newfstatat\([0-9]+ \[inner_t\], "two" \[two\\135\\41_t\], ' "from a descriptor on"
expect_lines 1 "$S/log" '^newfstatat\([0-9]+ \[inner_t\], "\.\./one" \[tmp_t\], ' "up from one"
end

begin "in JSON, and what is found by --path"
"$S/tracers/exectrace-trace" --format=json -e trace=newfstatat,fstat --secontext -o "$S/log" cat one >"$S/out" 2>"$S/err"
expect_lines some "$S/log" '"name":"(newfstatat|fstat)","args":\["3<[^"]*/one> \[tmp_t\]"' "JSON"
traced "--secontext -P one" cat one plain
expect_lines 1 "$S/log" '"one" \[tmp_t\], O_RDONLY' "the call that has it as a name"
expect_lines 1 "$S/log" '^(newfstatat|fstat)\(3 \[tmp_t\]' "by descriptor"
expect_lines 0 "$S/log" plain "no other"
end

begin "what is refused"
traced --secontext=half true
expect_equal "$?" 125 "status"
expect_lines 1 "$S/err" '^exectrace: half: not full or mismatch$' "one line"
"$S/tracers/exectrace-trace" --format=data --secontext true 2>"$S/err"
expect_equal "$?" 125 "not with a recording"
end

# alone COMMAND...: where mounts are the command's own
alone()
{
	unshare -m "$@"
}

# may_mount CASE: in a chroot the root is no mount, which unshare(1) wants
may_mount()
{
	only_root "$1" || return
	alone true 2>"$S/why" || { skip_case "$1" "no mounts of one's own here"; false; }
}

if only_root "what files ought to have" && alone mount -t tmpfs none /mnt 2>/dev/null && [ -e /etc/selinux ]; then
	begin "what files ought to have, of another context"
	cat >"$S/policy" <<-'END'
		mount -t tmpfs none /etc/selinux && mkdir -p /etc/selinux/try/contexts/files || exit 1
		printf 'SELINUX=permissive\nSELINUXTYPE=try\n' >/etc/selinux/config
		printf '/.*\tsystem_u:object_r:default_t:s0\n%s/one\t--\tsystem_u:object_r:tmp_t:s0:c1\n' "$PWD" >/etc/selinux/try/contexts/files/file_contexts
		"$@"
	END
	export -f traced
	export S
	alone bash "$S/policy" bash -c 'traced --secontext=mismatch cat one inner/two plain'
	expect_lines 1 "$S/log" '"one" \[tmp_t\], O_RDONLY\) += 3 \[tmp_t\]$' "as it ought to be"
	expect_lines 1 "$S/log" '"inner/two" \[two\\135\\41_t!!default_t\], O_RDONLY\) += 3 \[two\\135\\41_t!!default_t\]$' "another one, of the type"
	expect_lines 1 "$S/log" '"plain", O_RDONLY\) += 3$' "nothing of a file without one"
	alone bash "$S/policy" bash -c 'traced --secontext=full,mismatch cat one inner/two'
	expect_lines 1 "$S/log" '"inner/two" \[user_u:object_r:two\\135\\41_t:s0!!system_u:object_r:default_t:s0\]' "as a whole"
	end
fi

if may_mount "no policy"; then
	begin "no policy: types all the same, and one line"
	alone sh -c 'mount -t tmpfs none /etc/selinux 2>/dev/null; exec "$@"' sh "$S/tracers/exectrace-trace" --format=strace --secontext=mismatch \
		-e trace=openat -o "$S/log" cat one >"$S/out" 2>"$S/err"
	expect_equal "$?" 0 "the command's status"
	expect_lines 1 "$S/log" '"one" \[tmp_t\], O_RDONLY\) += 3 \[tmp_t\]$' "the context"
	expect_lines 1 "$S/err" '^exectrace: --secontext=mismatch' "why there is nothing more"
	end
fi

if may_mount "of a process"; then
	begin "of a process, in front of its lines"
	cat >"$S/process" <<-'END'
		bash -c 'until [ -e go ]; do read -rt 0.1 <> <(:); done; echo done >done; exit 3' &
		pid=$!
		printf 'staff_u:staff_r:staff_t:s0-s0:c0\n' >own
		mount --bind own "/proc/$pid/attr/current" || exit 1
		"$1" --format=strace "$2" -t -e trace=write -o log -p "$pid" 2>err &
		until grep -q attached err 2>/dev/null; do sleep 0.05; done
		: >go
		wait $!
	END
	for form in :staff_t =full:staff_u:staff_r:staff_t:s0-s0:c0; do
		rm -f go log err
		alone timeout "$(limit 30)" bash "$S/process" "$S/tracers/exectrace-trace" "--secontext${form%%:*}"
		expect_lines 1 log "^\\[${form#*:}\\] [0-9:]{8} write\\(1, \"done\\\\n\", 5\\) += 5\$" "${form%%:*}: in front of the time"
	done
	end
fi
finish
