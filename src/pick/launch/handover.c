/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "handover.h"

#include "attach.h"
#include "keeper.h"
#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_called_keeper(pid_t pid)
{
	char name[32] = "";
	cleanup_fd int fd = proc_open(pid, "comm", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);

	return n > 0 && strcmp(name, KEEPER_NAME "\n") == 0;
}

static int find_keepers(struct keepers *keepers)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry = NULL;
	int err = 0;

	keepers->looked = true;
	while (dir && !err && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == getpid() || !is_called_keeper(pid))
			continue;
		err = grow_array((void **)&keepers->pids, keepers->n, &keepers->cap, sizeof(*keepers->pids));
		if (!err)
			keepers->pids[keepers->n++] = pid;
	}
	if (dir)
		closedir(dir);
	return err ? -ENOMEM : 0;
}

/* Ours, or of the user whose process it is about. */
static bool is_trusted(pid_t keeper, pid_t pid)
{
	struct proc_status its;
	struct proc_status status;

	if (proc_status(keeper, &its))
		return false;
	return its.euid == geteuid() || (proc_status(pid, &status) == 0 && its.euid == status.euid);
}

/* True when it is one end of a pair that the process has made. */
static bool is_door(int fd, pid_t pid)
{
	struct ucred made = {0};
	socklen_t n = sizeof(made);

	return door_is_socket(fd) && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &made, &n) == 0 && made.pid == pid;
}

/* The outer end of its door; -ENOENT: there is none, or not for us. */
static int fetch_door(pid_t pid)
{
	cleanup_fd int pidfd = pidfd_of(pid);
	int fd = pidfd < 0 ? -1 : pidfd_fetch(pidfd, DOOR_FD);

	if (fd >= 0 && is_door(fd, pid))
		return fd;
	fd_close(&fd);
	return -ENOENT;
}

/* What it has said, if that makes sense. */
static int accept_offer(const struct offer *offer, int listener, struct handed *handed)
{
	handed->by = offer->by;
	handed->watched = offer->watched;
	handed->watched.told = false;
	if (offer->err)
		return offer->err == -EADDRINUSE ? -EADDRINUSE : -ENOENT;
	if (listener < 0 || !attach_is_listener(getpid(), listener))
		return -ENOENT;
	handed->listener = listener;
	return 0;
}

/* -EAGAIN: it did not answer. */
static int ask_one(pid_t keeper, const struct ask *ask, struct handed *handed)
{
	cleanup_fd int door = is_trusted(keeper, ask->pid) ? fetch_door(keeper) : -1;
	struct offer offer;
	int line[2] = {-1, -1};
	int listener = -1;
	int err = door < 0 ? -ENOENT : fd_socketpair(line);

	if (!err)
		err = door_send(door, ask, sizeof(*ask), line[1]);
	fd_close(&line[1]);
	if (!err)
		err = door_hear(line[0], &offer, sizeof(offer), &listener);
	if (!err)
		err = accept_offer(&offer, listener, handed);
	if (err) {
		fd_close(&listener);
		fd_close(&line[0]);
	}
	handed->line = line[0];
	return err;
}

int handover_ask(struct keepers *keepers, const struct ask *ask, struct handed *handed)
{
	int err = keepers->looked ? 0 : find_keepers(keepers);

	*handed = (struct handed){.listener = -1, .line = -1};
	for (size_t i = 0; i < keepers->n && !err; i++) {
		int asked = keepers->pids[i] ? ask_one(keepers->pids[i], ask, handed) : -ENOENT;

		if (asked == 0 || asked == -EADDRINUSE)
			return asked;
		if (asked != -ENOENT) /* it is not asked again */
			keepers->pids[i] = 0;
	}
	return err ? err : -ENOENT;
}

void handover_done(struct handed *handed, bool yes)
{
	char byte = 0;
	int none = -1;

	if (yes && handed->line >= 0 && door_send(handed->line, &byte, sizeof(byte), -1) == 0)
		(void)door_hear(handed->line, &byte, sizeof(byte), &none);
	fd_close(&none);
	fd_close(&handed->line);
}
