/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/state.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/limits.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_MAX 8192 /* bytes of /proc/PID/status */
#define FDS_MAX 256     /* descriptors that are told */

static const char *const namespaces[] = {"mnt", "net", "pid_for_children", "user", "ipc", "uts", "cgroup"};
#define NAMESPACES (sizeof(namespaces) / sizeof(*namespaces))

/* Everything but descriptors and environment, as text that can be compared. */
struct facts {
	struct buf status; /* /proc/PID/status */
	struct rlimit limits[LIMITS];
	bool limited; /* they are known */
	struct buf ns[NAMESPACES];
	struct buf cgroup;
};

struct state_base {
	struct facts facts;
	struct strv env; /* by name */
	struct strv fds; /* as lines, sorted */
};

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static void read_file(pid_t pid, const char *name, struct buf *out)
{
	cleanup_fd int fd = proc_open(pid, name, O_RDONLY);
	char text[STATUS_MAX];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (n > 0)
		buf_append(out, text, (size_t)n);
}

static void read_facts(struct facts *facts, pid_t pid)
{
	char name[32];

	read_file(pid, "status", &facts->status);
	read_file(pid, "cgroup", &facts->cgroup);
	facts->limited = limits_read(facts->limits, pid);
	for (size_t i = 0; i < NAMESPACES; i++) {
		snprintf(name, sizeof(name), "ns/%s", namespaces[i]);
		(void)proc_link(pid, name, &facts->ns[i]);
	}
}

static void release_facts(struct facts *facts)
{
	buf_release(&facts->status);
	buf_release(&facts->cgroup);
	for (size_t i = 0; i < NAMESPACES; i++)
		buf_release(&facts->ns[i]);
}

static int read_descriptors(pid_t tid, struct strv *lines);

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int state_base_new(struct state_base **ret)
{
	struct state_base *base = calloc(1, sizeof(*base));
	int err = base ? 0 : -ENOMEM;

	for (size_t i = 0; environ && environ[i] && !err; i++)
		err = strv_push(&base->env, environ[i]);
	if (err) {
		state_base_free(base);
		return err;
	}
	if (base->env.n)
		qsort(base->env.items, base->env.n, sizeof(*base->env.items), by_text);
	read_facts(&base->facts, getpid());
	err = read_descriptors(getpid(), &base->fds);
	if (err) {
		state_base_free(base);
		return err;
	}
	if (base->fds.n)
		qsort(base->fds.items, base->fds.n, sizeof(*base->fds.items), by_text);
	*ret = base;
	return 0;
}

void state_base_free(struct state_base *base)
{
	if (!base)
		return;
	release_facts(&base->facts);
	strv_release(&base->env);
	strv_release(&base->fds);
	free(base);
}

/* --- Comparing ---------------------------------------------------------------------------------------------------- */

static int add(struct strv *lines, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int add(struct strv *lines, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int n, err;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	err = strv_push(lines, text);
	free(text);
	return err;
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len) == 0);
}

static bool has(const struct strv *sorted, const char *text)
{
	return sorted->n && bsearch(&text, sorted->items, sorted->n, sizeof(*sorted->items), by_text);
}

/* True when v has a variable of the name that text begins with. */
static bool has_name(const struct strv *v, const char *text)
{
	size_t n = strcspn(text, "=");

	for (size_t i = 0; i < v->n; i++)
		if (strncmp(v->items[i], text, n) == 0 && v->items[i][n] == '=')
			return true;
	return false;
}

static int add_env(const struct state_base *base, const struct strv *env, struct strv *lines)
{
	int err = 0;

	for (size_t i = 0; i < env->n && !err; i++)
		if (!has(&base->env, env->items[i]))
			err = add(lines, "env %s", env->items[i]);
	for (size_t i = 0; i < base->env.n && !err; i++)
		if (!has_name(env, base->env.items[i]))
			err = add(lines, "unset %.*s", (int)strcspn(base->env.items[i], "="), base->env.items[i]);
	return err;
}

/* The value of a line of /proc/PID/status, "" when there is none. n: its length. */
static const char *field(const struct facts *facts, const char *name, size_t *n)
{
	const char *at = facts->status.data ? strstr(facts->status.data, name) : NULL;

	*n = 0;
	if (!at)
		return "";
	at += strlen(name);
	at += strspn(at, "\t ");
	*n = strcspn(at, "\n");
	while (*n && at[*n - 1] == ' ') /* behind the last one of Groups */
		--*n;
	return at;
}

/* "umask 0077", "uid 0 1000 0" */
static int add_field(const struct facts *base, const struct facts *own, const char *name, const char *word,
                     struct strv *lines)
{
	size_t n, m;
	const char *one = field(base, name, &n), *two = field(own, name, &m);
	const char *last = m ? memrchr(two, '\t', m) : NULL;
	cleanup_buf struct buf text = BUF_INIT;

	if (!m || (n == m && memcmp(one, two, n) == 0))
		return 0;
	/* Of four ids the last one, that of the file system, follows the effective one. */
	for (const char *c = two; c < (last ? last : two + m); c++)
		buf_putc(&text, *c == '\t' ? ' ' : *c);
	return text.err ? text.err : add(lines, "%s %s", word, text.data);
}

/* The C library has these two for itself; posix_spawn(3) of glibc before 2.37 leaves them ignored. */
#define SIGCANCEL 32
#define SIGSETXID 33

/* Of a set of signals those that the base does not have. SIGSYS may be blocked for a moment by whoever records the
 * process's calls from inside. */
static int add_signals(const struct facts *base, const struct facts *own, const char *name, const char *word,
                       struct strv *lines)
{
	size_t n;
	uint64_t before = strtoull(field(base, name, &n), NULL, 16), now = strtoull(field(own, name, &n), NULL, 16);
	int err = 0;

	for (int sig = 1; sig <= 64 && !err; sig++) {
		const char *abbrev = sigabbrev_np(sig);

		if (!(now & ~before & 1ull << (sig - 1)) || sig == SIGCANCEL || sig == SIGSETXID || sig == SIGSYS)
			continue;
		err = abbrev ? add(lines, "%s %s", word, abbrev) : add(lines, "%s %d", word, sig);
	}
	return err;
}

static void limit_text(rlim_t limit, char *text, size_t size)
{
	if (limit == RLIM_INFINITY)
		snprintf(text, size, "unlimited");
	else
		snprintf(text, size, "%llu", (unsigned long long)limit);
}

/* A line for each hierarchy in which it is elsewhere: cgroups(7), "/proc/pid/cgroup". */
static int add_cgroups(const struct facts *base, const struct facts *own, struct strv *lines)
{
	int err = 0;

	for (const char *line = own->cgroup.len ? own->cgroup.data : ""; *line && !err;) {
		size_t n = strcspn(line, "\n"), step = n + (line[n] == '\n');

		if (!base->cgroup.len || !memmem(base->cgroup.data, base->cgroup.len, line, step))
			err = add(lines, "cgroup %.*s", (int)n, line);
		line += step;
	}
	return err;
}

static int add_facts(const struct facts *base, const struct facts *own, struct strv *lines)
{
	char soft[24], hard[24];
	int err = add_field(base, own, "\nUmask:", "umask", lines);

	if (!err)
		err = add_field(base, own, "\nUid:", "uid", lines);
	if (!err)
		err = add_field(base, own, "\nGid:", "gid", lines);
	if (!err)
		err = add_field(base, own, "\nGroups:", "groups", lines);
	if (!err)
		err = add_field(base, own, "\nCapEff:", "capabilities", lines);
	if (!err)
		err = add_signals(base, own, "\nSigIgn:", "ignored", lines);
	if (!err)
		err = add_signals(base, own, "\nSigBlk:", "blocked", lines);
	for (size_t i = 0; i < LIMITS && base->limited && own->limited && !err; i++) {
		if (memcmp(&base->limits[i], &own->limits[i], sizeof(struct rlimit)) == 0)
			continue;
		limit_text(own->limits[i].rlim_cur, soft, sizeof(soft));
		limit_text(own->limits[i].rlim_max, hard, sizeof(hard));
		err = add(lines, "limit %s %s %s", limit_names[i], soft, hard);
	}
	for (size_t i = 0; i < NAMESPACES && !err; i++)
		if (own->ns[i].len && !same(&base->ns[i], &own->ns[i]))
			err = add(lines, "ns %s", own->ns[i].data);
	return err ? err : add_cgroups(base, own, lines);
}

/* --- Descriptors -------------------------------------------------------------------------------------------------- */

/* Whether an exec closes it (proc(5), fdinfo: flags in octal). */
static bool closes_on_exec(pid_t tid, const char *fd)
{
	struct buf text = BUF_INIT;
	const char *flags;
	char name[32];
	bool closes;

	snprintf(name, sizeof(name), "fdinfo/%.16s", fd);
	read_file(tid, name, &text);
	flags = text.data ? strstr(text.data, "flags:") : NULL;
	closes = flags && strtoul(flags + strlen("flags:"), NULL, 8) & O_CLOEXEC;
	buf_release(&text);
	return closes;
}

/* "fd 3 /tmp/x", of those that stay open. */
static int add_descriptor(pid_t tid, const char *fd, struct strv *lines)
{
	cleanup_buf struct buf target = BUF_INIT;
	char name[32];

	snprintf(name, sizeof(name), "fd/%.16s", fd);
	/* Of the standard ones that would be odd, and is not worth the look. */
	if (proc_link(tid, name, &target) || (strlen(fd) > 1 || *fd > '2' ? closes_on_exec(tid, fd) : false))
		return 0;
	return add(lines, "fd %s %s", fd, target.data);
}

static int read_descriptors(pid_t tid, struct strv *lines)
{
	int fd = proc_open(tid, "fd", O_RDONLY | O_DIRECTORY), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		fd_close(&fd);
		return 0;
	}
	while (lines->n < FDS_MAX && !err && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = add_descriptor(tid, entry->d_name, lines);
	closedir(dir);
	return err;
}

/* True when one of the lines begins as `line` does, up to the path. */
static bool has_descriptor(const struct strv *lines, const char *line)
{
	size_t n = strlen("fd ") + strcspn(line + strlen("fd "), " ") + 1;

	for (size_t i = 0; i < lines->n; i++)
		if (strncmp(lines->items[i], line, n) == 0)
			return true;
	return false;
}

static int add_descriptors(const struct state_base *base, pid_t tid, struct strv *lines)
{
	struct strv own = STRV_INIT;
	int err = read_descriptors(tid, &own);

	for (size_t i = 0; i < own.n && !err; i++)
		if (!has(&base->fds, own.items[i]))
			err = strv_push(lines, own.items[i]);
	for (size_t i = 0; i < base->fds.n && !err; i++)
		if (!has_descriptor(&own, base->fds.items[i]))
			err = add(lines, "closed %.*s", (int)strcspn(base->fds.items[i] + strlen("fd "), " "),
			          base->fds.items[i] + strlen("fd "));
	strv_release(&own);
	return err;
}

int state_base_lines(const struct state_base *base, struct strv *lines)
{
	/* Against limits of nothing all are told. */
	const struct facts nothing = {.limited = true};
	int err = 0;

	for (size_t i = 0; i < base->env.n && !err; i++)
		err = add(lines, "env %s", base->env.items[i]);
	if (!err)
		err = add_facts(&nothing, &base->facts, lines);
	return err ? err : strv_extend(lines, &base->fds);
}

int state_read(const struct state_base *base, pid_t tid, const struct strv *env, struct strv *lines)
{
	struct facts own = {0};
	int err;

	read_facts(&own, tid);
	err = own.status.len ? 0 : -ESRCH;
	if (!err && env)
		err = add_env(base, env, lines);
	if (!err)
		err = add_facts(&base->facts, &own, lines);
	if (!err)
		err = add_descriptors(base, tid, lines);
	release_facts(&own);
	return err;
}
