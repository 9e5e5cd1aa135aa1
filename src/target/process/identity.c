/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "identity.h"

#include <exectrace/base/fd.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/target/process/procfs.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FEW_FILES 128u

void identities_init(struct identities *ids)
{
	pid_t parent = 0;
	int fd = pidfd_of(getpid());
	struct rlimit files;

	*ids = (struct identities){.tell = fd >= 0 && pidfd_parent(fd, &parent) == 0 && parent == getppid()};
	ids->kept = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FEW_FILES ? IDENTITIES_FEW : IDENTITIES;
	for (unsigned i = 0; i < IDENTITIES; i++)
		ids->known[i].fd = -1;
	fd_close(&fd);
}

void identities_release(struct identities *ids)
{
	for (unsigned i = 0; i < IDENTITIES; i++)
		fd_close(&ids->known[i].fd);
}

/* The inode of a pidfd is the process's alone (pidfs, Linux 6.9). Else its start; that of whom, the pidfd knows. */
static uint64_t read_id(const struct identities *ids, pid_t pid, int fd)
{
	uint64_t start = 0;
	struct stat st;

	if (ids->tell)
		return fstat(fd, &st) == 0 ? (uint64_t)st.st_ino : 0;
	start = proc_start_time(pid);
	return fd < 0 || pidfd_exists(fd) ? start : 0;
}

static struct identity *find_known(struct identities *ids, pid_t pid)
{
	for (unsigned i = 0; i < IDENTITIES; i++) {
		if (ids->known[i].fd >= 0 && ids->known[i].pid == pid)
			return &ids->known[i];
	}
	return NULL;
}

/* The process of that pid, known from now on. NULL when there is none, or no pidfd of it. */
static const struct identity *look_up(struct identities *ids, pid_t pid)
{
	struct identity *known = find_known(ids, pid);
	struct identity found = {.pid = pid, .fd = -1};

	if (known && pidfd_exists(known->fd))
		return known;
	if (!known)
		known = &ids->known[ids->next++ % ids->kept];
	fd_close(&known->fd);
	found.fd = pidfd_of(pid);
	if (found.fd >= 0)
		found.id = read_id(ids, pid, found.fd);
	if (!found.id) {
		fd_close(&found.fd);
		return NULL;
	}
	*known = found;
	return known;
}

uint64_t identities_id(struct identities *ids, pid_t pid)
{
	const struct identity *known = look_up(ids, pid);

	if (known)
		return known->id;
	return ids->tell ? 0 : read_id(ids, pid, -1);
}

pid_t identities_parent(struct identities *ids, pid_t pid)
{
	const struct identity *known = ids->tell ? look_up(ids, pid) : NULL;
	struct proc_stat stat;
	pid_t parent = 0;

	if (ids->tell)
		return known && pidfd_parent(known->fd, &parent) == 0 ? parent : 0;
	return proc_stat(pid, &stat) ? 0 : stat.ppid;
}
