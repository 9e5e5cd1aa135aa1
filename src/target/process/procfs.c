/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/procfs.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/mem.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define STATUS_MAX 32768 /* bytes of status or stat that are looked at: room for thousands of groups */

int proc_open(pid_t tid, const char *name, int flags)
{
	char path[96];
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)tid, name);
	do
		fd = open(path, flags | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/* Reads the beginning of a file of /proc as a string. The length or -errno. */
static long slurp(pid_t tid, const char *name, char *text, size_t max)
{
	cleanup_fd int fd = proc_open(tid, name, O_RDONLY);
	long n = 0;

	if (fd < 0)
		return fd;
	n = fd_read_all(fd, text, max - 1);
	if (n < 0)
		return n;
	text[n] = 0;
	return n;
}

static long status_field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtol(at + strlen(name), NULL, 10) : 0;
}

static uint64_t status_mask(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 16) : 0;
}

static void read_signals(const char *text, struct proc_signals *signals)
{
	const char *at = strstr(text, "\nState:\t");

	signals->state = at ? at[8] : '?';
	signals->pending = status_mask(text, "\nSigPnd:\t") | status_mask(text, "\nShdPnd:\t");
	signals->blocked = status_mask(text, "\nSigBlk:\t");
	signals->caught = status_mask(text, "\nSigCgt:\t");
}

int proc_status(pid_t tid, struct proc_status *status)
{
	char text[STATUS_MAX];
	long n = slurp(tid, "status", text, sizeof(text));
	const char *at = NULL;

	if (n < 0)
		return (int)n;
	status->tgid = (pid_t)status_field(text, "\nTgid:\t");
	status->ppid = (pid_t)status_field(text, "\nPPid:\t");
	status->tracer = (pid_t)status_field(text, "\nTracerPid:\t");
	status->filters = (unsigned)status_field(text, "\nSeccomp_filters:\t");
	status->locked = (unsigned long)status_field(text, "\nVmLck:\t");
	if (!status->filters && status_field(text, "\nSeccomp:\t"))
		status->filters = 1;
	read_signals(text, &status->signals);
	at = strstr(text, "\nUid:\t"); /* real, effective, saved, filesystem */
	at = at ? strchr(at + 6, '\t') : NULL;
	status->euid = at ? (uid_t)strtoul(at + 1, NULL, 10) : (uid_t)-1;
	return 0;
}

bool proc_shares(pid_t tid, const char *name)
{
	char theirs[64], ours[64];
	struct stat a, b;

	snprintf(theirs, sizeof(theirs), "/proc/%d/%s", (int)tid, name);
	snprintf(ours, sizeof(ours), "/proc/self/%s", name);
	return stat(theirs, &a) == 0 && stat(ours, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool proc_in_group(pid_t tid, gid_t gid)
{
	char text[STATUS_MAX], *end = NULL;
	long n = slurp(tid, "status", text, sizeof(text));
	const char *own = n < 0 ? NULL : strstr(text, "\nGid:\t"); /* real, effective, saved, filesystem */
	const char *at = n < 0 ? NULL : strstr(text, "\nGroups:\t");

	own = own ? strchr(own + 6, '\t') : NULL;
	if (own && strtoul(own + 1, NULL, 10) == gid)
		return true;
	for (at = at ? at + 9 : "";; at = end) {
		unsigned long one = strtoul(at, &end, 10);

		if (end == at || one == gid)
			return end != at;
	}
}

int proc_signals(pid_t tid, struct proc_signals *signals)
{
	char text[STATUS_MAX];
	long n = slurp(tid, "status", text, sizeof(text));

	if (n < 0)
		return (int)n;
	read_signals(text, signals);
	return 0;
}

int proc_rights(pid_t tid, struct proc_rights *rights)
{
	char text[STATUS_MAX];
	long n = slurp(tid, "status", text, sizeof(text));
	const char *at = n < 0 ? NULL : strstr(text, "\nUid:\t"); /* real, effective, saved, filesystem */

	if (n < 0)
		return (int)n;
	for (int i = 0; i < 3 && at; i++)
		at = strchr(at + (i ? 1 : 6), '\t');
	if (!at)
		return -EIO;
	rights->uid = (uid_t)strtoul(at + 1, NULL, 10);
	rights->capabilities = status_mask(text, "\nCapEff:\t");
	rights->ambient = status_mask(text, "\nCapAmb:\t");
	return 0;
}

uid_t proc_owner(pid_t tid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)tid);
	return stat(path, &st) ? (uid_t)-1 : st.st_uid;
}

bool proc_has_ended(pid_t tid)
{
	struct proc_status status;

	return proc_status(tid, &status) || proc_status_ended(&status);
}

long proc_children(pid_t pid, char *text, size_t max)
{
	char name[48];

	snprintf(name, sizeof(name), "task/%d/children", (int)pid);
	return slurp(pid, name, text, max);
}

pid_t proc_tracer(pid_t tid)
{
	struct proc_status status;
	int err = proc_status(tid, &status);

	return err ? err : status.tracer;
}

int proc_link(pid_t tid, const char *name, struct buf *out)
{
	char path[96];
	char target[PATH_MAX + 16]; /* room for " (deleted)" */
	ssize_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)tid, name);
	n = readlink(path, target, sizeof(target));
	if (n < 0)
		return -errno;
	return buf_append(out, target, (size_t)n);
}

bool proc_is_netlink(pid_t tid, int fd)
{
	char path[64], protocol[16] = "";

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	return getxattr(path, "system.sockprotoname", protocol, sizeof(protocol) - 1) > 0 &&
	       strcmp(protocol, "NETLINK") == 0;
}

int proc_netlink(pid_t tid, unsigned long inode)
{
	cleanup_fd int fd = proc_open(tid, "net/netlink", O_RDONLY);
	cleanup_free char *line = NULL;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int protocol, found = -ENOENT;
	unsigned long number;
	size_t size = 0;

	if (!file)
		return fd < 0 ? fd : -errno;
	fd = -1;
	while (found < 0 && getline(&line, &size, file) > 0) {
		if (sscanf(line, "%*s %d %*s %*s %*s %*s %*s %*s %*s %lu", &protocol, &number) == 2 && number == inode)
			found = protocol;
	}
	fclose(file);
	return found;
}

int proc_strings(pid_t tid, const char *name, struct strv *out)
{
	cleanup_fd int fd = proc_open(tid, name, O_RDONLY);
	cleanup_buf struct buf all = BUF_INIT;
	char chunk[8192];
	long n = 0;
	int err = 0;

	if (fd < 0)
		return fd;
	while ((n = fd_read_all(fd, chunk, sizeof(chunk))) > 0) {
		if (all.len + (size_t)n > MEM_STRINGS_MAX)
			return -E2BIG;
		if (buf_append(&all, chunk, (size_t)n))
			return -ENOMEM;
	}
	for (size_t at = 0; at < all.len && !err;) {
		size_t len = strnlen(all.data + at, all.len - at);

		err = strv_pushn(out, all.data + at, len);
		at += len + 1;
	}
	return n < 0 ? (int)n : err;
}

/* The text of stat after the program's name, which may hold anything: from field 3 on. */
static const char *stat_fields(pid_t pid, char *text, size_t max)
{
	long n = slurp(pid, "stat", text, max);
	const char *close = n > 0 ? strrchr(text, ')') : NULL;

	return close && close[1] == ' ' ? close + 2 : NULL;
}

static const char *stat_field(const char *fields, unsigned number)
{
	for (unsigned at = 3; fields && at < number; at++) {
		fields = strchr(fields, ' ');
		fields = fields ? fields + 1 : NULL;
	}
	return fields;
}

int proc_stat(pid_t pid, struct proc_stat *stat)
{
	char text[STATUS_MAX];
	const char *fields = stat_fields(pid, text, sizeof(text));
	const char *start = stat_field(fields, 22);
	const char *cpu = stat_field(fields, 39);
	const char *code = stat_field(fields, 52); /* as waitpid(2) has it, while there is an end or a stop */

	if (!start || !cpu)
		return -ESRCH;
	stat->ppid = (pid_t)strtol(stat_field(fields, 4), NULL, 10);
	stat->threads = (unsigned)strtoul(stat_field(fields, 20), NULL, 10);
	stat->start = strtoull(start, NULL, 10);
	stat->cpu = (int)strtol(cpu, NULL, 10);
	stat->stop = code && *fields == 'T' ? (int)strtol(code, NULL, 10) & 0xff : 0;
	return 0;
}

uint64_t proc_start_time(pid_t pid)
{
	struct proc_stat stat;

	return proc_stat(pid, &stat) ? 0 : stat.start;
}

int proc_zombie_status(pid_t pid, int *status)
{
	char text[STATUS_MAX];
	const char *fields = stat_fields(pid, text, sizeof(text));
	const char *code = stat_field(fields, 52);
	struct proc_status who;

	if (!fields || !code)
		return -ESRCH;
	if (fields[0] != 'Z')
		return -EAGAIN;
	/* Those who may not know are shown 0 (do_task_stat, fs/proc/array.c). */
	if (geteuid() != 0 && (proc_status(pid, &who) || who.euid != geteuid()))
		return -EPERM;
	*status = (int)strtol(code, NULL, 10);
	return 0;
}

/*
 * Bytes of a word in the n bytes of an auxiliary vector. Its first type is a small number, and its first value is not 0
 * (create_elf_tables, fs/binfmt_elf.c): so 32-bit words, read as if they were wide, make a large first number. The
 * program itself is not asked: to open it may wait.
 */
static unsigned auxv_word(const unsigned char *raw, long n)
{
	uint64_t first = 0;

	if (n < (long)sizeof(first))
		return 4;
	memcpy(&first, raw, sizeof(first));
	return first >> 32 ? 4 : 8;
}

unsigned proc_word_size(pid_t tid)
{
	unsigned char raw[sizeof(uint64_t)];
	cleanup_fd int fd = proc_open(tid, "auxv", O_RDONLY);

	if (fd < 0 || fd_read_all(fd, raw, sizeof(raw)) != sizeof(raw))
		return sizeof(long);
	return auxv_word(raw, sizeof(raw));
}

int proc_auxv(pid_t tid, unsigned long type, uint64_t *value)
{
	unsigned char raw[1024];
	cleanup_fd int fd = proc_open(tid, "auxv", O_RDONLY);
	unsigned word = 0;
	long n = 0;

	if (fd < 0)
		return fd;
	n = fd_read_all(fd, raw, sizeof(raw));
	if (n < 0)
		return (int)n;
	word = auxv_word(raw, n);
	for (long at = 0; at + 2 * (long)word <= n; at += 2 * (long)word) {
		uint64_t key = 0;

		memcpy(&key, raw + at, word);
		if (key != type)
			continue;
		*value = 0;
		memcpy(value, raw + at + word, word);
		return 0;
	}
	return -ENOENT;
}

static int image_of(pid_t tid, struct proc_image *image)
{
	uint64_t addr = 0;
	int err = proc_auxv(tid, AT_RANDOM, &addr);

	return err ? err : mem_read(tid, addr, image->id, sizeof(image->id));
}

/* Whose image is wanted, and where it is put. */
struct procfs_wanted {
	pid_t pid;
	struct proc_image *image;
};

/* As for proc_threads: ends with the first other thread that has one. */
static int image_of_other(void *user, pid_t tid)
{
	const struct procfs_wanted *wanted = user;

	return tid != wanted->pid && image_of(tid, wanted->image) == 0;
}

int proc_image(pid_t tid, struct proc_image *image)
{
	struct procfs_wanted wanted = {tid, image};
	int err = image_of(tid, image);

	return err && proc_threads(tid, image_of_other, &wanted) > 0 ? 0 : err;
}
