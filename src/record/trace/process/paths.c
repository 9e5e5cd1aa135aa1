/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "path_table.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/decode/need.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/syscalls/schema.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATE (-2) /* no descriptor: marks a process that runs on while its calls are told */

/*
 * These leave descriptors and names as they are: the calls that there are most of, and all that a signal or a child
 * brings with it.
 */
static const char keeps[] =
	"read,write,pread64,pwrite64,readv,writev,preadv,pwritev,lseek,fstat,mmap,brk,poll,futex,newfstatat,stat,"
	"lstat,access,ioctl,munmap,statx,getdents64,rt_sigaction,mprotect,rt_sigprocmask,epoll_wait,"
	"rt_sigreturn,rt_sigsuspend,rt_sigpending,rt_sigtimedwait,sigaltstack,pause,kill,tkill,tgkill,"
	"alarm,setitimer,getitimer,timer_settime,nanosleep,clock_nanosleep,clock_gettime,gettimeofday,time,times,"
	"getpid,getppid,gettid,getuid,geteuid,getgid,getegid,getpgrp,getpgid,getsid,getrusage,sched_yield,"
	"ppoll,select,pselect6,epoll_pwait,epoll_ctl,sendto,recvfrom,sendmsg,recvmsg,getsockopt,setsockopt,"
	"getsockname,getpeername,sendfile,copy_file_range,fsync,fdatasync,"
	"ftruncate,faccessat,faccessat2,readlink,readlinkat,getcwd,fadvise64,madvise,mremap,getrandom,uname,sysinfo,"
	"clone,clone3,fork,vfork,wait4,waitid,set_robust_list,set_tid_address,rseq,arch_prctl,prlimit64,prctl";

/* A process is stopped at the end of these, also one that is late (CALL_LATE), which has other descriptors then, ... */
static const char changes[] = "close_range,unshare,chroot";

/* ... another current directory, ... */
static const char moves[] = "chdir,fchdir";

/* ... or files have other names, also those that other processes have open. */
static const char renames[] = "rename,renameat,renameat2,unlink,unlinkat,rmdir";

/* These may return a new descriptor, with some of their commands, or put one into memory. */
static const char gives[] = "fcntl,fcntl64,ioctl,clone,clone3,pipe,pipe2,socketpair,recvmsg,recvmmsg";

void fd_paths_init(struct fd_paths *paths)
{
	struct buf why = BUF_INIT;

	(void)syscall_filter_parse(&paths->keeps, keeps, &why); /* without memory all are looked up again */
	(void)syscall_filter_parse(&paths->changes, changes, &why);
	(void)syscall_filter_parse(&paths->renames, renames, &why);
	(void)syscall_filter_parse(&paths->moves, moves, &why);
	(void)syscall_filter_parse(&paths->gives, gives, &why);
	buf_release(&why);
}

static bool is_late(struct fd_paths *paths, pid_t tgid)
{
	return path_table_find(paths, tgid, LATE);
}

static void copy(struct fd_paths *paths, pid_t child, const struct fd_path *from)
{
	struct fd_path *to;

	path_table_set(paths, child, from->fd, from->path.data, from->path.len);
	to = path_table_find(paths, child, from->fd);
	if (to)
		to->stale = from->stale;
}

void fd_paths_inherit(struct fd_paths *paths, pid_t maker, pid_t child)
{
	for (size_t i = 0; i < PATHS_BUCKETS; i++) {
		for (const struct fd_path *entry = paths->buckets[i]; entry; entry = entry->next) {
			if (entry->tgid == maker)
				copy(paths, child, entry);
		}
	}
}

static int look_up(pid_t tid, int fd, struct buf *out)
{
	char name[32] = "cwd";

	if (fd != AT_FDCWD)
		snprintf(name, sizeof(name), "fd/%d", fd);
	return proc_link(tid, name, out);
}

struct late {
	struct fd_paths *paths;
	pid_t tgid;
};

static bool is_gone(int err)
{
	return err == -ENOENT || err == -ESRCH;
}

static int take_link(void *user, pid_t tid, int fd)
{
	struct buf path = BUF_INIT;
	struct late *late = user;

	int err = look_up(tid, fd, &path);

	if (!err)
		path_table_set(late->paths, late->tgid, fd, path.data, path.len);
	else if (!is_gone(err))
		path_table_drop(late->paths, late->tgid, fd);
	buf_release(&path);
	return 0;
}

void fd_paths_take(struct fd_paths *paths, const struct thread *thread)
{
	struct late late = {paths, thread->tgid};

	path_table_clear(paths, thread->tgid);
	path_table_set(paths, thread->tgid, LATE, "", 0);
	(void)take_link(&late, thread->tid, AT_FDCWD);
	(void)proc_fds(thread->tid, take_link, &late);
}

const struct buf *fd_paths_find(struct fd_paths *paths, const struct thread *thread, int fd, int *err)
{
	struct fd_path *entry = path_table_find(paths, thread->tgid, fd);
	struct buf path = BUF_INIT;

	*err = fd < 0 && fd != AT_FDCWD ? -EBADF : 0;
	if (!*err && !entry && paths->ahead && is_late(paths, thread->tgid))
		*err = -EBADF; /* one that it has by now it has opened since */
	if (*err || (entry && !entry->stale))
		return *err ? NULL : &entry->path;
	*err = look_up(thread->tid, fd, &path);
	if (!*err)
		path_table_set(paths, thread->tgid, fd, path.data, path.len);
	buf_release(&path);
	/* What is gone by now was there at the call, when that has been told late. A path that is too long is not gone.
	 */
	entry = path_table_find(paths, thread->tgid, fd);
	if (entry && is_gone(*err) && is_late(paths, thread->tgid))
		*err = 0;
	return entry && !*err ? &entry->path : NULL;
}

static void make_one(struct fd_paths *paths, const struct thread *thread, int fd)
{
	struct late now = {paths, thread->tgid};

	path_table_drop(paths, thread->tgid, fd); /* in place of another one, perhaps */
	if (is_late(paths, thread->tgid))
		(void)take_link(&now, thread->tid, fd);
}

static bool gives_pidfd(const struct thread *thread, const struct syscall_desc *desc, fd_paths_read *read, void *user)
{
	uint64_t flags = thread->call.args[0];

	return (strcmp(desc->name, "clone3") != 0 || read(user, thread->call.args[0], &flags, sizeof(flags)) == 0) &&
	       (flags & CLONE_PIDFD);
}

static void make_pairs(struct fd_paths *paths, const struct thread *thread, const struct syscall_desc *desc,
                       fd_paths_read *read, void *user)
{
	for (unsigned i = 0; i < desc->nargs; i++) {
		int fds[2];

		if (desc->args[i].kind == KIND_OFDS && read(user, thread->call.args[i], fds, sizeof(fds)) == 0) {
			make_one(paths, thread, fds[0]);
			make_one(paths, thread, fds[1]);
		}
	}
}

/* By one of the calls that may do so (`gives`). */
static void made_by(struct fd_paths *paths, const struct thread *thread, const struct syscall_desc *desc,
                    fd_paths_read *read, void *user)
{
	const bool received = strncmp(desc->name, "recvm", 5) == 0;
	bool made = false;

	if (received && (!is_late(paths, thread->tgid) || paths->ahead))
		return; /* those that bring descriptors stop */
	if (received)
		fd_paths_take(paths, thread);
	else if (strcmp(desc->name, "ioctl") == 0)
		made = thread->result.value > 0; /* TIOCGPTPEER and others do */
	else if (strncmp(desc->name, "fcntl", 5) == 0)
		made = need_fcntl_gives_fd(thread->call.args[1]);
	else if (strncmp(desc->name, "clone", 5) != 0)
		make_pairs(paths, thread, desc, read, user);
	else if (is_late(paths, thread->tgid) && gives_pidfd(thread, desc, read, user))
		fd_paths_take(paths, thread);
	if (made)
		make_one(paths, thread, (int)thread->result.value);
}

void fd_paths_made(struct fd_paths *paths, const struct thread *thread, fd_paths_read *read, void *user)
{
	const struct snapshot *memory = &thread->memory;
	const struct syscall_desc *desc = syscall_by_nr(thread->call.arch, thread->call.nr);

	if (memory->link_n)
		path_table_set(paths, thread->tgid, memory->link, memory->bytes.data + memory->link_at, memory->link_n);
	else if (!desc || thread->result.error)
		return;
	else if (desc->ret == SYSCALL_RET_FD)
		make_one(paths, thread, (int)thread->result.value);
	else if (syscall_filter_has(&paths->gives, thread->call.arch, thread->call.nr))
		made_by(paths, thread, desc, read, user);
}

void fd_paths_forget(struct fd_paths *paths, pid_t tgid)
{
	for (size_t i = 0; i < PATHS_BUCKETS; i++) {
		for (struct fd_path *entry = paths->buckets[i]; entry; entry = entry->next)
			entry->stale |= entry->tgid == tgid;
	}
}

void fd_paths_exec(struct fd_paths *paths, pid_t tgid)
{
	path_table_drop(paths, tgid, LATE);
	fd_paths_forget(paths, tgid);
}

void fd_paths_end(struct fd_paths *paths, pid_t tgid)
{
	path_table_clear(paths, tgid);
}

/* Whether it is the name of a file, or of a directory above it. */
static bool has_name(const struct buf *path, const char *name, size_t n)
{
	const char *at = path->data, *end = path->data + path->len;

	while (at && (at = memmem(at, (size_t)(end - at), name, n))) {
		const char *behind = at + n;

		/* " (deleted)" */
		if (at > path->data && at[-1] == '/' && (behind == end || *behind == '/' || *behind == ' '))
			return true;
		at++;
	}
	return false;
}

static void look_again(struct fd_path *entry)
{
	struct buf path = BUF_INIT;

	if (look_up(entry->tgid, entry->fd, &path)) {
		buf_release(&path);
		return;
	}
	buf_release(&entry->path);
	entry->path = path;
}

/* A name was given to a file, or taken from one: whoever has it open. */
static void on_name(struct fd_paths *paths, const char *name, size_t n)
{
	for (size_t i = 0; i < PATHS_BUCKETS && n; i++) {
		for (struct fd_path *entry = paths->buckets[i]; entry; entry = entry->next) {
			if (!has_name(&entry->path, name, n))
				continue;
			entry->stale |= !is_late(paths, entry->tgid);
			if (!entry->stale)
				look_again(entry);
		}
	}
}

static void on_names(struct fd_paths *paths, const struct thread *thread, const struct syscall_desc *desc)
{
	for (unsigned i = 0; i < desc->nargs; i++) {
		cleanup_buf struct buf path = BUF_INIT;
		const char *last;

		if (desc->args[i].kind != KIND_PATH || mem_read_str(thread->tid, thread->call.args[i], PATH_MAX, &path))
			continue;
		while (path.len && path.data[path.len - 1] == '/')
			buf_cut(&path, path.len - 1);
		last = path.len ? strrchr(path.data, '/') : NULL;
		last = last ? last + 1 : path.data;
		if (path.len)
			on_name(paths, last, strlen(last));
	}
}

void fd_paths_begun(struct fd_paths *paths, const struct thread *thread)
{
	const struct syscall_desc *desc = NULL;

	if (syscall_filter_has(&paths->keeps, thread->call.arch, thread->call.nr)) /* most do */
		return;
	desc = syscall_by_nr(thread->call.arch, thread->call.nr);
	if (desc && strcmp(desc->name, "close") == 0 && is_late(paths, thread->tgid))
		path_table_drop(paths, thread->tgid, (int)thread->call.args[0]);
}

void fd_paths_changed(struct fd_paths *paths, const struct thread *thread)
{
	const struct syscall_call *call = &thread->call;
	struct late now = {paths, thread->tgid};
	const struct syscall_desc *desc = NULL;

	if (syscall_filter_has(&paths->keeps, call->arch, call->nr))
		return;
	desc = syscall_by_nr(call->arch, call->nr);
	if (desc && !thread->result.error && syscall_filter_has(&paths->renames, call->arch, call->nr))
		on_names(paths, thread, desc);
	if (!is_late(paths, thread->tgid))
		fd_paths_forget(paths, thread->tgid);
	else if (syscall_filter_has(&paths->changes, call->arch, call->nr))
		fd_paths_take(paths, thread);
	else if (syscall_filter_has(&paths->moves, call->arch, call->nr))
		(void)take_link(&now, thread->tid, AT_FDCWD);
}

void fd_paths_share(struct fd_paths *paths, pid_t tgid)
{
	path_table_drop(paths, tgid, LATE);
	fd_paths_forget(paths, tgid);
}

void fd_paths_release(struct fd_paths *paths)
{
	path_table_clear(paths, 0);
}
