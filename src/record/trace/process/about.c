/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/trace/process/about.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/syscalls/schema.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define SOCKETS 64u       /* that are remembered */
#define FDINFO_BYTES 4096 /* of /proc/PID/fdinfo/FD */

/* Inodes of sockets are not used again. */
struct about_socket {
	uint32_t inode; /* 0: free */
	char protocol[SOCKET_PROTOCOL_MAX];
	struct socket_facts facts; /* while facts.found is set */
};

_Static_assert((int)DECODE_TID == (int)PIDNS_TID && (int)DECODE_TGID == (int)PIDNS_TGID &&
                       (int)DECODE_PGID == (int)PIDNS_PGID && (int)DECODE_SID == (int)PIDNS_SID,
               "they are the same");

/* --- Sockets --- */

static void put_facts(const struct about_socket *socket, struct buf *out, struct decode_fd *to)
{
	const struct socket_facts *facts = &socket->facts;
	const char *name = value_name(SET_netlinkproto, facts->protocol);

	if (!facts->found || facts->family == SOCKET_UNIX)
		(void)buf_printf(out, "%s:[%u", socket->protocol, socket->inode);
	else if (facts->family == SOCKET_INET)
		(void)buf_printf(out, "%s:[%s%s%s", socket->protocol, facts->local, *facts->remote ? "->" : "",
		                 facts->remote);
	else if (name)
		(void)buf_printf(out, "%s:[%s:%u", socket->protocol, name + strlen("NETLINK_"), facts->port);
	else
		(void)buf_printf(out, "%s:[%u:%u", socket->protocol, facts->protocol, facts->port);
	if (facts->peer)
		(void)buf_printf(out, "->%u", facts->peer);
	(void)buf_append(&to->name, facts->name, facts->n_name);
	to->end = "]";
}

static bool about_socket_of(struct about *about, pid_t pid, int fd, const char *path, struct decode_fd *to)
{
	struct about_socket *socket;
	unsigned inode = 0;

	if (sscanf(path, "socket:[%u]", &inode) != 1 || !inode)
		return false;
	if (!about->sockets)
		about->sockets = calloc(SOCKETS, sizeof(*about->sockets));
	if (!about->sockets)
		return false;
	socket = &about->sockets[inode % SOCKETS];
	if (socket->inode != inode) {
		*socket = (struct about_socket){.inode = inode};
		(void)socket_protocol(pid, fd, socket->protocol);
	}
	if (!*socket->protocol) {
		socket->inode = 0;
		return false;
	}
	if (!socket->facts.found)
		socket_ask(&about->asker, pid, socket->protocol, inode, &socket->facts);
	put_facts(socket, &to->text, to);
	return true;
}

void about_changed(struct about *about, const struct syscall_call *call)
{
	const struct syscall_desc *desc = about->sockets ? syscall_by_nr(call->arch, call->nr) : NULL;

	if (!desc || !(desc->classes & SYSCALL_NETWORK) || strncmp(desc->name, "send", 4) == 0 ||
	    strncmp(desc->name, "recv", 4) == 0)
		return;
	for (unsigned i = 0; i < SOCKETS; i++)
		about->sockets[i].facts.found = false;
}

/* --- Other descriptors --- */

static bool about_device(pid_t pid, int fd, const char *path, bool ahead, struct decode_fd *to)
{
	char link[64];
	struct stat st;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd);
	if (*path != '/' || stat(ahead ? path : link, &st) || (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode)))
		return false;
	(void)buf_printf(&to->text, "<%s %u:%u>", S_ISCHR(st.st_mode) ? "char" : "block", major(st.st_rdev),
	                 minor(st.st_rdev));
	return true;
}

static bool about_process_behind(pid_t pid, int fd, const char *path, struct decode_fd *to)
{
	pid_t behind = 0;

	if (strcmp(path, "anon_inode:[pidfd]") == 0 || strncmp(path, "pidfd:", 6) == 0)
		behind = about_pidfd(pid, fd);
	if (behind > 0)
		(void)buf_printf(&to->text, "pid:%d", (int)behind);
	return behind > 0;
}

/* Whether the path of a descriptor, which ends in " (deleted)", is not that of a file of this name. */
static bool is_deleted(pid_t pid, int fd, const char *path)
{
	struct stat file, named;
	char link[64];

	if (fd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)pid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd);
	return stat(path, &named) != 0 ||
	       (stat(link, &file) == 0 && (file.st_dev != named.st_dev || file.st_ino != named.st_ino));
}

pid_t about_pidfd(pid_t tid, int fd)
{
	char name[32], text[FDINFO_BYTES];
	const char *line;
	cleanup_fd int info = -1;
	long n;

	if (fd < 0)
		return 0;
	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	info = proc_open(tid, name, O_RDONLY);
	n = info < 0 ? -1 : fd_read_all(info, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, "\nPid:");
	return line ? (pid_t)strtol(line + strlen("\nPid:"), NULL, 10) : 0;
}

void about_fd(struct about *about, pid_t pid, int fd, const char *path, struct decode_fd *to)
{
	static const char gone[] = " (deleted)";
	size_t n = strlen(path);
	bool own = fd != AT_FDCWD;

	if (own && about->fds & FORM_SOCKETS && about_socket_of(about, pid, fd, path, to)) {
		to->bare = true;
		return;
	}
	if (own && about->fds & FORM_PIDFDS && about_process_behind(pid, fd, path, to)) {
		to->bare = true;
		return;
	}
	if (n >= sizeof(gone) && strcmp(path + n - (sizeof(gone) - 1), gone) == 0)
		to->deleted = is_deleted(pid, fd, path);
	if (own && about->fds & FORM_DEVICES && about_device(pid, fd, path, about->ahead, to))
		return;
	to->bare = !(about->fds & FORM_PATHS);
	to->deleted = to->deleted && !to->bare;
}

/* --- Processes --- */

void about_process(struct about *about, pid_t tid, enum decode_id type, int id, struct decode_process *to)
{
	pid_t ours = pidns_find(&about->pidns, tid, (enum pidns_type)type, id);

	if (!ours)
		return;
	if (about->pids & FORM_OURS && ours != id)
		to->ours = ours;
	if (about->pids & FORM_COMMS && type <= DECODE_TGID)
		(void)proc_comm(ours, to->comm);
}

void about_release(struct about *about)
{
	free(about->sockets);
	about->sockets = NULL;
	socket_asker_release(&about->asker);
}
