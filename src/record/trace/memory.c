/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory.h"

#include <errno.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdio.h>

static int read_memory(void *user, uint64_t addr, void *to, size_t n)
{
	const struct memory *memory = user;
	int err = snapshot_read(memory->snapshot, addr, to, n);

	return err && !memory->snapshot->whole ? mem_read(memory->tid, addr, to, n) : err;
}

static int look_up(const struct memory *memory, int fd, struct buf *out)
{
	char name[32] = "cwd";

	if (fd != AT_FDCWD)
		snprintf(name, sizeof(name), "fd/%d", fd);
	return proc_link(memory->tid, name, out);
}

static int find_path(void *user, int fd, struct buf *out)
{
	struct memory *memory = user;
	struct fd_path *entry = &memory->paths[(unsigned)fd % PATHS_MAX];
	int err = 0;

	if (fd < 0 && fd != AT_FDCWD)
		return -EBADF;
	if (entry->tgid != memory->tgid || entry->fd != fd) {
		buf_reset(&entry->path, 4096);
		entry->tgid = 0;
		err = look_up(memory, fd, &entry->path);
		if (err)
			return err;
		entry->tgid = memory->tgid;
		entry->fd = fd;
	}
	return buf_append(out, entry->path.data, entry->path.len);
}

static int find_netlink(void *user, int fd)
{
	struct memory *memory = user;
	struct netlink_socket *entry;
	struct buf path = BUF_INIT;
	unsigned long inode = 0;
	int protocol = -ENOENT;

	if (!find_path(user, fd, &path) && path.data)
		(void)sscanf(path.data, "socket:[%lu]", &inode);
	buf_release(&path);
	if (!inode)
		return -ENOTSOCK;
	entry = &memory->sockets[inode % SOCKETS_MAX];
	if (entry->inode != inode)
		*entry = (struct netlink_socket){inode,
		                                 proc_is_netlink(memory->tid, fd) ? DECODE_NETLINK_ANY : -ENOTSOCK};
	/* One without an address is not listed: it gets one with the first message that it sends. */
	if (entry->protocol == DECODE_NETLINK_ANY)
		protocol = proc_netlink(memory->tid, inode);
	if (protocol >= 0)
		entry->protocol = protocol;
	return entry->protocol;
}

/*
 * These leave descriptors and names as they are: the calls that there are most of, and all that a signal brings with
 * it. A link costs more to read than the rest of what a call does to the tracer.
 */
static const char keeps[] =
	"read,write,pread64,pwrite64,readv,writev,preadv,pwritev,lseek,fstat,mmap,brk,poll,futex,newfstatat,stat,"
	"lstat,access,ioctl,munmap,statx,getdents64,rt_sigaction,mprotect,rt_sigprocmask,epoll_wait,"
	"rt_sigreturn,rt_sigsuspend,rt_sigpending,rt_sigtimedwait,sigaltstack,pause,kill,tkill,tgkill,"
	"alarm,setitimer,getitimer,timer_settime,nanosleep,clock_nanosleep,clock_gettime,gettimeofday,time,times,"
	"getpid,getppid,gettid,getuid,geteuid,getgid,getegid,getpgrp,getpgid,getsid,getrusage,sched_yield,"
	"ppoll,select,pselect6,epoll_pwait,epoll_ctl,sendto,recvfrom,sendfile,copy_file_range,fsync,fdatasync,"
	"ftruncate,faccessat,faccessat2,readlink,readlinkat,getcwd,fadvise64,madvise,mremap,getrandom,uname,sysinfo";

struct decoder memory_decoder(struct memory *memory, unsigned string_max)
{
	struct buf why = BUF_INIT;

	(void)syscall_filter_parse(&memory->keeps, keeps, &why); /* without memory all are asked for anew */
	buf_release(&why);
	return (struct decoder){
		.read = read_memory,
		.fd_path = find_path,
		.netlink = find_netlink,
		.user = memory,
		.string_max = string_max,
	};
}

static void forget_paths(struct memory *memory)
{
	for (size_t i = 0; i < PATHS_MAX; i++)
		memory->paths[i].tgid = 0;
}

void memory_of(struct memory *memory, const struct thread *thread)
{
	memory->tid = thread->tid;
	memory->tgid = thread->tgid;
	memory->snapshot = &thread->memory;
	if (memory->partial)
		forget_paths(memory);
}

void memory_after(struct memory *memory, const struct thread *thread)
{
	if (!syscall_filter_has(&memory->keeps, thread->call.arch, thread->call.nr))
		forget_paths(memory);
}

void memory_release(struct memory *memory)
{
	for (size_t i = 0; i < PATHS_MAX; i++)
		buf_release(&memory->paths[i].path);
}
