#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that fail, each with another error: what `why` names that was in their way.
. "$(dirname "$0")/../lib.sh"
needs perl

# met STATUS REGEX NAME COMMAND...: a run that ends with the status has the line at its end
met()
{
	local status=$1 regex=$2 name=$3

	shift 3
	fresh
	et -q --why -- "$@" >"$S/out" 2>"$S/err"
	expect_equal $? "$status" "the status of the command"
	expect_lines some "$S/err" "$regex" "$name"
}

begin "EEXIST: who made it"
met 1 '^ .* mkdir\("lock", 0777\) += -1 EEXIST .*; made by mkdir lock \[[0-9]+\] at .*<- its message$' "a directory" \
	sh -c 'mkdir lock; sh -c "sleep 0; exec mkdir lock"'
met 1 'symlink.*= -1 EEXIST .*; made by touch a b \[[0-9]+\] at .*<- its message$' "the link, not what it leads to" \
	sh -c 'touch a b; exec ln -s a b'
mkdir "$S/there"
met 1 '^ .* mkdir\(".*/there", 0777\) += -1 EEXIST .*; no recorded process has made it  <- its message$' "it was there" mkdir "$S/there"
end

begin "ENOTEMPTY: what is in it, and who made that"
met 1 'rmdir\("d"\) += -1 ENOTEMPTY .*; in it is late, made by touch d/late \[[0-9]+\] at .*<- its message$' "the last one" \
	sh -c 'mkdir d; touch d/early; touch d/late; touch d/gone; rm d/gone; exec rmdir d'
end

begin "ENOTDIR: which part of the path is none"
met 1 '= -1 ENOTDIR .*; no directory: .*/run/a; made by touch a \[[0-9]+\] at .*<- its message$' "a file" sh -c 'touch a; exec cat a/b'
end

begin "ETXTBSY: who writes, who runs"
met 126 'execve\("./s".* = -1 ETXTBSY .*; perl -e .* \[[0-9]+\] has it open to write' "it is written" \
	sh -c 'cp /bin/true s; perl -e "open(F, q(>>s)); system q(./s 2>&1); exit 126"; exit $?'
met 2 '= -1 ETXTBSY .*; ./s 60 \[[0-9]+\] runs it  <- its message$' "it runs" sh -c 'cp /bin/sleep s; ./s 60 & p=$!
	until cmp -s /proc/$p/comm - <<-END
		s
	END
	do :; done
	exec 2>&1; (: >>s); status=$?; kill $p; exit $status'
end

begin "EACCES: whose mode denies it"
met 126 'execve\("./x".* = -1 EACCES .*; .*/run/x is -rw-------  *of [^ ]+:[^ ]+  <- its message$' "a program" \
	sh -c 'umask 077; echo exit >x; exec ./x'
# The other engine does not see as whom setpriv has executed it.
if [ "$ENGINE-$(id -u)" = notify-0 ]; then
	met 1 'openat\(.*/b/f", O_RDONLY\) = -1 EACCES .*; .*/run/b is drwx------ of root:root  <- its message$' "a directory above" \
		sh -c 'mkdir -m 700 b; touch b/f; exec setpriv --reuid=65534 --clear-groups cat $PWD/b/f'
	met 1 '= -1 EACCES .*; .*/run/f is -rw-r----- of root:root  <- its message$' "a file" \
		sh -c 'echo >f; chmod 640 f; exec setpriv --reuid=65534 --regid=65534 --clear-groups cat f'
	met 1 '= -1 EACCES .*; .*/run is drwx.* of root:root  <- its message$' "the directory that a file is to be made in" \
		sh -c 'chmod 755 .; exec setpriv --reuid=65534 --regid=65534 --clear-groups mkdir new'
	met 0 '' "by the group it may" sh -c 'echo >f; chgrp 4711 f; chmod 640 f; exec setpriv --reuid=65534 --groups=4711 cat f'
fi
end

begin "ENOEXEC: what the file is"
met 8 'execve.* = -1 ENOEXEC .*; it is for AArch64  <- its message$' "of another machine" \
	perl -e 'open(F, ">x"); print F "\177ELF\2\1\1", "\0" x 9, "\2\0\267\0"; chmod 0700, "x"; close F; $x = "./x"; syscall(59, $x, $v = pack("pQ", $x, 0), $e = pack("Q", 0)); print("$!\n"); exit 8'
met 8 'execve.* = -1 ENOEXEC .*; it is empty  <- its message$' "of nothing" \
	perl -e 'open(F, ">x"); chmod 0700, "x"; close F; $x = "./x"; syscall(59, $x, $v = pack("pQ", $x, 0), $e = pack("Q", 0)); print("$!\n"); exit 8'
end

begin "EBADF: who has closed it"
met 2 'dup2\(3, 1\) += -1 EBADF .*; .*/run/f was closed by an execve, as it was opened with O_CLOEXEC  <- its message$' "O_CLOEXEC" \
	sh -c 'exec perl -MFcntl -e '\''open F, ">", "f"; fileno(F) == 3 or die; exec "sh", "-c", "echo hi >&3"'\'
met 2 'dup2\(3, 1\) += -1 EBADF .*; .*/run/f was closed by sh -c .* \[[0-9]+\] at .*  <- its message$' "the parent" \
	sh -c 'exec 3>f; exec 3>&-; sh -c "sleep 0; echo hi >&3" || exit $?'
met 2 'dup2\(3, 1\) += -1 EBADF .*; .*/run/f was closed at [0-9.]+[mu]?s  <- its message$' "itself" \
	sh -c 'exec 3>f; exec 3>&-; echo hi >&3'
met 2 'dup2\(7, 1\) += -1 EBADF [^;]*  <- its message$' "nobody" sh -c 'echo hi >&7'
end

begin "E2BIG: the error of a long command line is not cut off"
met 126 'execve\(.*\.\.\.\) = -1 E2BIG \(Argument list too long\)' "behind its arguments" \
	sh -c 'exec true $(perl -e "print qq(x) x 200000")'
end

begin "EPERM of ptrace: it is traced by exectrace"
met 3 'ptrace\(PTRACE_TRACEME\) += -1 EPERM .*; exectrace traces that process' "itself" \
	perl -e 'syscall(101, 0, 0, 0, 0) == -1 and print(STDERR "$!\n"), exit 3'
end

begin "EMFILE: a limit that another process has set"
met 24 'RLIMIT_NOFILE is 24, set by prlimit --pid [0-9]+ --nofile=24:24 \[[0-9]+\] at ' "prlimit" \
	sh -c 'prlimit --pid $$ --nofile=24:24; exec perl -e '\''open $f[$_], "<", "/etc/passwd" or die "open: $!\n" for 1 .. 99'\
end

begin "colours are no message"
met 1 '^    \| a red message$' "are left out" \
	perl -e 'print STDERR "\e[31ma red \e[0mmessage\e[K\n"; exit 1'
end

begin "ESRCH: the process had ended"
met 3 'kill\([0-9]+, SIGTERM\) += -1 ESRCH .*; sleep 0 \[[0-9]+\] had ended at .*: exit 0  <- its message$' "whose number it was" \
	perl -e '$p = fork; exec "sleep", 0 if !$p; waitpid $p, 0; kill(15, $p) or print("$!\n"), exit 3'
end

if [ "$(id -u)" = 0 ] && unshare -m sh -c 'mount -t tmpfs x /mnt' 2>/dev/null; then
	begin "EBUSY: who is in it"
	met 32 'umount2\(".*/m", 0\) += -1 EBUSY .*; sleep 60 \[[0-9]+\] uses it  <- its message$' "a working directory" unshare -m sh -c 'mkdir m
		mount -t tmpfs x m; cd m; sleep 60 & p=$!; cd ..
		until grep -qx sleep /proc/$p/comm; do :; done; umount m; status=$?; kill $p; exit $status'
	end
	# The page asks for the mounts that exectrace sees.
	cat >"$S/mounted" <<-'END'
		#!/bin/sh
		exec unshare -m sh -c 'mount -t tmpfs x /mnt && cp /bin/true /mnt && mount -o "remount,$OPTION" /mnt && exec "$@"' sh "$INNER" "$@"
	END
	chmod +x "$S/mounted"
	export OPTION INNER=$EXECTRACE
	begin "EROFS and EACCES: how it is mounted"
	OPTION=ro EXECTRACE=$S/mounted met 1 'unlinkat\(.*= -1 EROFS .*; /mnt \(tmpfs\) is mounted read-only  <- its message$' "read-only" \
		rm /mnt/true
	OPTION=noexec EXECTRACE=$S/mounted met 126 'execve\(.*= -1 EACCES .*; /mnt \(tmpfs\) is mounted noexec  <- its message$' "noexec" \
		sh -c /mnt/true
	OPTION=nosuid EXECTRACE=$S/mounted met 2 'openat\(.*= -1 EISDIR [^;]*$' "neither" sh -c ': >/mnt'
	end
	unset OPTION INNER
else
	skip_case "EBUSY, EROFS" "may not mount"
fi

: >"$S/fixed"
if [ "$(id -u)" = 0 ] && chattr +i "$S/fixed" 2>/dev/null; then
	begin "EPERM: attributes of files"
	met 1 'unlinkat\(.*= -1 EPERM .*; .*/fixed is immutable: chattr \+i  <- its message$' "immutable" rm -f "$S/fixed"
	chattr -i "$S/fixed"
	chattr +a "$S/fixed"
	met 2 'openat\(.*= -1 EPERM .*; .*/fixed can only be appended to: chattr \+a  <- its message$' "append only" \
		sh -c ': >"$1"' sh "$S/fixed"
	chattr -a "$S/fixed"
	end
else
	skip_case "attributes of files" "chattr does not set one here"
fi

if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)" -gt 80 ]; then
	begin "a setting of the system"
	met 13 'bind\(.*= -1 EACCES .*; /proc/sys/net/ipv4/ip_unprivileged_port_start is [0-9]+  <- its message$' "ports of root" \
		setpriv --reuid=65534 --regid=65534 --clear-groups \
		perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0); bind(S, sockaddr_in(80, INADDR_LOOPBACK)) or die "bind: $!\n"'
	end
else
	skip_case "a setting of the system" "every port is free for all, or we are not root"
fi

cat >"$S/resolve.pl" <<'END'
# resolve.pl NAME CODE...: asks a server of its own for the name, once for each CODE that it answers with.
use Socket;
my ($name, @codes) = @ARGV;
my $at = sockaddr_in(53, inet_aton("127.77.7.7"));
socket(S, AF_INET, SOCK_DGRAM, 0);
bind(S, $at) or exit 77;
socket(C, AF_INET, SOCK_DGRAM, 0);
connect(C, $at);
for (@codes) {
	my $question = join("", map { pack("C/a", $_) } split(/\./, $name)) . "\0\0\1\0\1";
	send(C, pack("nnnnnn", 1, 0x100, 1, 0, 0, 0) . $question, 0);
	my $from = recv(S, $_[0], 512, 0);
	send(S, pack("nnnnnn", 1, 0x8180 | $_, 1, !$_, 0, 0) . $question, 0, $from);
	recv(C, my $answer, 512, 0);
}
print STDERR "cannot resolve $name\n";
exit 4;
END
perl "$S/resolve.pl" a.b 0 2>/dev/null
if [ $? = 4 ]; then
	begin "what name servers answer"
	met 4 '^ .* name server 127.77.7.7:53 has no address of "db.test.invalid": NXDOMAIN, no such name, 2 times  <- its message$' "none" \
		perl "$S/resolve.pl" db.test.invalid 3 3
	met 4 '^ .* name server 127.77.7.7:53 has no address of "dbase": SERVFAIL  <- its message$' "a failure of its own" perl "$S/resolve.pl" dbase 2
	met 4 '^  it wrote' "a search that succeeds" perl "$S/resolve.pl" dbase 3 0
	expect_lines 0 "$S/err" 'name server' "is forgotten"
	end
else
	skip_case "what name servers answer" "port 53 is not free"
fi

begin "EPIPE and SIGPIPE: who read there"
met 141 '^  SIGPIPE came from its writing to what nobody reads any more$' "the signal" bash -c 'set -o pipefail; yes | head -n 1'
expect_lines some "$S/err" '^ .*write\(1<pipe:.* = -1 EPIPE .*; at its other end was head -n 1 \[[0-9]+\]' "who read"
met 5 'write\(.* = -1 EPIPE .*; at its other end was perl - END \[[0-9]+\], which had ended at .*: SIGKILL' "a server that died" \
	sh -c 'perl - END <<-"EOF"
		use Socket;
		socketpair(S, C, AF_UNIX, SOCK_STREAM, 0);
		if (!fork) { close S; sysread C, $_, 1; kill 9, $$; sleep 9 }
		close C; $SIG{PIPE} = "IGNORE"; syswrite S, "x"; wait; syswrite(S, "y") or exit 5
	EOF'
end

begin "ENOENT: it was made, but in another directory"
met 1 '= -1 ENOENT .*; no recorded process has made it, but sh -c .* \[[0-9]+\] has made /.*/run/there/settings  <- its message$' "where" \
	sh -c 'mkdir there; echo >there/settings; cat settings || exit 1'
end

begin "ENOENT: its directory, or the file itself, has another name"
met 1 '= -1 ENOENT .*; its directory /.*/run/here was renamed to /.*/run/there by mv here there \[[0-9]+\] at [0-9.]+m?s  <- its message$' "a directory" \
	sh -c 'mkdir -p here/below; echo >here/below/settings; mv here there; cat here/below/settings || exit 1'
met 1 '= -1 ENOENT .*; renamed to /.*/run/there by mv here there \[[0-9]+\] at [0-9.]+m?s  <- its message$' "the file" \
	sh -c 'echo >here; mv here there; cat here || exit 1'
end

begin "ECONNREFUSED: the port is bound on another address"
listen='use Socket;
socket(S, PF_INET, SOCK_STREAM, 0) && bind(S, sockaddr_in(20000 + $$ % 10000, inet_aton("127.0.0.2"))) && listen(S, 1) or die $!;
socket(C, PF_INET, SOCK_STREAM, 0);
connect(C, sockaddr_in(20000 + $$ % 10000, inet_aton("127.0.0.1"))) or die "connect: $!\n";'
met 111 '= -1 ECONNREFUSED .*; bound by perl .* \[[0-9]+\] at [0-9.]+m?s, but as 127\.0\.0\.2:([0-9]+), not as 127\.0\.0\.1:\1  <- its message$' "where" \
	perl -e "$listen"
end

begin "SIGKILL while it was stopped"
met 137 '^  for [0-9.]+[mu]?s until then it was stopped by a signal$' "what it was doing" \
	perl -e 'if (!($p = fork)) { kill "STOP", $$; exit } do { open F, "/proc/$p/stat" } until <F> =~ / T /i; select undef, undef, undef, 0.2; kill 9, $p; waitpid $p, 0; exit 137'
end

begin "SIGALRM: of its own"
met 142 '^  SIGALRM came from a timer of its own$' "a timer" perl -e 'alarm 1; sleep 60'
end

begin "who gives up in silence: by whom"
met 1 '^ +└ grep -q b f \[[0-9]+\]: exit 1  <- it began here$' "a shell with -e" sh -c 'set -e; echo a >f; grep -q b f; echo not reached'
end

finish
