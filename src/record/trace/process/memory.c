/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/trace/process/memory.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <linux/sched.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_memory(void *user, uint64_t addr, void *to, size_t n)
{
	const struct memory *memory = user;
	int err = snapshot_read(memory->snapshot, addr, to, n);

	return err && !memory->snapshot->whole ? mem_read(memory->thread->tid, addr, to, n) : err;
}

/* The names are those of our own network: of a process in another one nothing is said. */
static int find_interface(void *user, unsigned index, char *name)
{
	const struct memory *memory = user;
	cleanup_buf struct buf own = BUF_INIT, its = BUF_INIT;

	if (!index)
		return -ENODEV;
	if (proc_link(getpid(), "ns/net", &own) || proc_link(memory->thread->tid, "ns/net", &its) ||
	    strcmp(own.data, its.data) != 0)
		return -EPERM;
	return if_indextoname(index, name) ? 0 : -errno;
}

static bool find_entries(void *user, uint64_t addr, unsigned *n)
{
	const struct memory *memory = user;

	return snapshot_find_entries(memory->snapshot, addr, n);
}

static int find_path(void *user, int fd, struct buf *out)
{
	struct memory *memory = user;
	int err = 0;
	const struct buf *path = fd_paths_find(&memory->paths, memory->thread, fd, &err);

	return path ? buf_append(out, path->data, path->len) : err;
}

static int find_netlink(void *user, int fd)
{
	struct memory *memory = user;
	struct netlink_socket *entry;
	struct buf path = BUF_INIT;
	unsigned long inode = 0;
	int protocol = -ENOENT;

	if (memory->snapshot->whole) /* none of a message is */
		return -ENOTSOCK;
	if (!find_path(user, fd, &path) && path.data)
		(void)sscanf(path.data, "socket:[%lu]", &inode);
	buf_release(&path);
	if (!inode)
		return -ENOTSOCK;
	entry = &memory->sockets[inode % SOCKETS_MAX];
	if (entry->inode != inode)
		*entry = (struct netlink_socket){inode, proc_is_netlink(memory->thread->tid, fd) ? DECODE_NETLINK_ANY
		                                                                                 : -ENOTSOCK};
	/* One without an address is not listed: it gets one with the first message that it sends. */
	if (entry->protocol == DECODE_NETLINK_ANY)
		protocol = proc_netlink(memory->thread->tid, inode);
	if (protocol >= 0)
		entry->protocol = protocol;
	return entry->protocol;
}

static int find_path_of(void *user, pid_t pid, int fd, struct buf *out)
{
	char name[32];

	(void)user;
	snprintf(name, sizeof(name), "fd/%d", fd);
	return proc_link(pid, name, out);
}

static void tell_fd(void *user, pid_t pid, int fd, const char *path, struct decode_fd *to)
{
	struct memory *memory = user;

	memory->about.ahead = !pid && memory->paths.ahead;
	about_fd(&memory->about, pid ? pid : memory->thread->tid, fd, path, to);
}

static pid_t find_pidfd(void *user, int fd)
{
	const struct memory *memory = user;

	return about_pidfd(memory->thread->tid, fd);
}

static pid_t find_process(void *user, enum decode_id type, int id)
{
	struct memory *memory = user;

	return pidns_find(&memory->about.pidns, memory->thread->tid, (enum pidns_type)type, id);
}

static void tell_process(void *user, enum decode_id type, int id, struct decode_process *to)
{
	struct memory *memory = user;

	about_process(&memory->about, memory->thread->tid, type, id, to);
}

static int find_context(void *user, pid_t pid, int fd, const char *path, struct buf *out)
{
	struct memory *memory = user;

	return contexts_of_file(memory->contexts, pid ? pid : memory->thread->tid, fd, path, out);
}

void memory_tell(struct memory *memory, struct decoder *decoder, unsigned fds, unsigned pids)
{
	memory->about.fds = fds;
	memory->about.pids = pids;
	decoder->about_fds = fds & ~(unsigned)FORM_PATHS;
	decoder->fd_path_of = find_path_of;
	decoder->fd_about = tell_fd;
	decoder->pidfd = find_pidfd;
	decoder->find_process = find_process;
	decoder->process = pids ? tell_process : NULL;
	decoder->context = memory->contexts ? find_context : NULL;
}

struct decoder memory_decoder(struct memory *memory, unsigned string_max)
{
	fd_paths_init(&memory->paths);
	return (struct decoder){
		.read = read_memory,
		.entries = find_entries,
		.fd_path = find_path,
		.netlink = find_netlink,
		.interface = find_interface,
		.user = memory,
		.string_max = string_max,
	};
}

static void on_child(struct fd_paths *paths, const struct thread *thread)
{
	fd_paths_inherit(paths, thread->parent_pid, thread->tgid);
	if (!(thread->clone_flags & CLONE_FILES))
		return;
	fd_paths_share(paths, thread->parent_pid);
	fd_paths_share(paths, thread->tgid);
}

void memory_of(struct memory *memory, const struct call_event *event)
{
	const struct thread *thread = event->thread;

	memory->thread = thread;
	memory->snapshot = &thread->memory;
	memory->paths.ahead = event->ahead;
	if (memory->partial)
		fd_paths_forget(&memory->paths, thread->tgid);
	else if (event->type == CALL_BEGIN && thread->parent_pid && thread->parent_pid != thread->tgid)
		on_child(&memory->paths, thread);
	else if (event->type == CALL_LATE)
		fd_paths_take(&memory->paths, thread);
	else if (event->type == CALL_EXIT)
		fd_paths_made(&memory->paths, thread, read_memory, memory);
}

void memory_after(struct memory *memory, const struct call_event *event)
{
	const struct thread *thread = event->thread;

	if (event->type == CALL_ENTER) {
		fd_paths_begun(&memory->paths, thread);
	} else if (event->type == CALL_EXIT) {
		fd_paths_changed(&memory->paths, thread);
		about_changed(&memory->about, &thread->call);
	} else if (event->type == CALL_EXEC) {
		fd_paths_exec(&memory->paths, thread->tgid);
	} else if (event->type == CALL_END && thread->tid == thread->tgid) {
		fd_paths_end(&memory->paths, thread->tgid);
	}
}

void memory_release(struct memory *memory)
{
	fd_paths_release(&memory->paths);
	about_release(&memory->about);
}
