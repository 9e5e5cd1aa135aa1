/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/pidns.h>

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEVELS 33          /* MAX_PID_NS_LEVEL, and the first namespace */
#define STATUS_BYTES 8192u /* of /proc/TID/status, up to the last of the lines that are read */

/* The numbers of a process in each namespace, the outermost, which is that of /proc, first. */
struct levels {
	int ids[LEVELS];
	unsigned n;
};

/* Who is looked for. */
struct wanted {
	uint64_t ns, own;
	unsigned level; /* of `ns` below that of /proc */
	enum pidns_type type;
	int id;
};

static const char *const lines[] =
	{[PIDNS_TID] = "\nNSpid:", [PIDNS_TGID] = "\nNStgid:", [PIDNS_PGID] = "\nNSpgid:", [PIDNS_SID] = "\nNSsid:"};

/* 0: not known. */
static uint64_t namespace_of(pid_t tid)
{
	struct stat st;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)tid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* False when it is gone, or the kernel does not tell (before Linux 4.1). */
static bool read_levels(pid_t tid, enum pidns_type type, struct levels *levels)
{
	char text[STATUS_BYTES], *at, *end;
	cleanup_fd int fd = proc_open(tid, "status", O_RDONLY);
	long n = fd < 0 ? -1 : fd_read_all(fd, text, sizeof(text) - 1);

	levels->n = 0;
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, lines[type]);
	if (!at)
		return false;
	for (at += strlen(lines[type]); *at != '\n' && levels->n < LEVELS; at = end) {
		long id = strtol(at, &end, 10);

		if (end == at)
			break;
		levels->ids[levels->n++] = (int)id;
	}
	return levels->n > 0;
}

/* Whether the namespace so many above that of a process is the one. */
static bool is_below(pid_t tid, unsigned above, uint64_t ns)
{
	cleanup_fd int fd = proc_open(tid, "ns/pid", O_RDONLY);
	struct stat st;

	for (; fd >= 0 && above; above--) {
		int parent = ioctl(fd, NS_GET_PARENT);

		fd_close(&fd);
		fd = parent;
	}
	return fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == ns;
}

static bool has_number(pid_t tid, const struct wanted *wanted, pid_t *ours)
{
	struct levels levels;

	if (!read_levels(tid, wanted->type, &levels) || levels.n <= wanted->level ||
	    levels.ids[wanted->level] != wanted->id || levels.ids[0] <= 0)
		return false;
	*ours = levels.ids[0];
	return true;
}

static bool is_wanted(pid_t tid, const struct wanted *wanted, pid_t *ours)
{
	struct levels levels;
	uint64_t ns = namespace_of(tid);

	if (!ns || ns == wanted->own || !has_number(tid, wanted, ours))
		return false;
	return ns == wanted->ns || (read_levels(tid, PIDNS_TID, &levels) && levels.n > wanted->level &&
	                            is_below(tid, levels.n - 1 - wanted->level, wanted->ns));
}

/* Looks at the processes, or threads, that a directory lists. */
static pid_t search(const char *path, const struct wanted *wanted, pid_t *ours)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && is_wanted(pid, wanted, ours))
			found = pid;
	}
	if (dir)
		closedir(dir);
	return found;
}

static pid_t search_threads(const struct wanted *wanted, pid_t *ours)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		uint64_t ns = pid > 0 ? namespace_of(pid) : 0;
		char path[32];

		if (!ns || ns == wanted->own)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
		found = search(path, wanted, ours);
	}
	if (dir)
		closedir(dir);
	return found;
}

static struct pidns_entry *entry_of(struct pidns *ns, const struct wanted *wanted)
{
	return &ns->entries[((unsigned)wanted->id * PIDNS_TYPES + wanted->type) % PIDNS_ENTRIES];
}

static bool remembers(const struct pidns_entry *entry, const struct wanted *wanted)
{
	return entry->ns == wanted->ns && entry->type == wanted->type && entry->id == wanted->id;
}

static pid_t find_elsewhere(struct pidns *ns, pid_t tid, const struct wanted *wanted)
{
	struct pidns_entry *entry = entry_of(ns, wanted);
	pid_t ours = 0, witness;

	if (remembers(entry, wanted) && has_number(entry->witness, wanted, &ours))
		return ours;
	witness = is_wanted(tid, wanted, &ours) ? tid : search("/proc", wanted, &ours);
	if (!witness && wanted->type == PIDNS_TID)
		witness = search_threads(wanted, &ours);
	if (!witness)
		return 0;
	*entry = (struct pidns_entry){wanted->ns, wanted->type, wanted->id, witness};
	return ours;
}

pid_t pidns_find(struct pidns *ns, pid_t tid, enum pidns_type type, int id)
{
	struct wanted wanted = {.type = type, .id = id};
	struct levels levels;

	if (!ns->own)
		ns->own = namespace_of(getpid());
	wanted.own = ns->own;
	wanted.ns = namespace_of(tid);
	if (!wanted.ns || id <= 0)
		return 0;
	if (wanted.ns == ns->own)
		return id;
	if (!read_levels(tid, PIDNS_TID, &levels))
		return 0;
	wanted.level = levels.n - 1;
	return find_elsewhere(ns, tid, &wanted);
}

int proc_comm(pid_t tid, char comm[PROC_COMM_MAX])
{
	cleanup_fd int fd = proc_open(tid, "comm", O_RDONLY);
	long n = fd < 0 ? fd : fd_read_all(fd, comm, PROC_COMM_MAX);

	if (n > 0 && comm[n - 1] == '\n')
		n--;
	if (n >= PROC_COMM_MAX)
		n = PROC_COMM_MAX - 1;
	comm[n > 0 ? n : 0] = '\0';
	return n < 0 ? (int)n : 0;
}
