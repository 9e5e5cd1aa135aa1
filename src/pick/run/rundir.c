/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/run/rundir.h>

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <exectrace/base/quote.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME "run.json"
#define NEW_NAME FILE_NAME ".new"
#define EXECS_NAME "execs.jsonl"
#define OPENING (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY)

/* How run.json begins, see describe. */
static const char opening[] = "{\"exectrace\":";

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

/* What a run writes into its directory by itself; beside the recording of a guest there may be two more files. */
static bool is_ours(const char *name)
{
	return strcmp(name, FILE_NAME) == 0 || strcmp(name, NEW_NAME) == 0 || strcmp(name, EXECS_NAME) == 0 ||
	       ends_in(name, ".xtr") || ends_in(name, ".xtr.next") || ends_in(name, ".xtr.panic");
}

/* What is in a directory. */
struct content {
	bool empty;
	char other[NAME_MAX + 1]; /* a name that no run of ours writes; "" when there is none */
};

/* Looks at all names in a directory, and removes those of ours when `away`. 0 or -errno. */
static int look(int fd, bool away, struct content *content)
{
	int copy = openat(fd, ".", OPENING);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry = NULL;
	int err = dir ? 0 : -errno;

	*content = (struct content){.empty = true};
	while (dir && !err && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		content->empty = false;
		if (!is_ours(name))
			(void)snprintf(content->other, sizeof(content->other), "%s", name);
		else if (away && unlinkat(fd, name, 0))
			err = -errno;
	}
	if (dir)
		closedir(dir);
	else
		fd_close(&copy);
	return err;
}

/* True when run.json in it is one of ours. */
static bool has_run(int fd)
{
	cleanup_fd int file = openat(fd, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	char start[sizeof(opening) - 1];

	return file >= 0 && read(file, start, sizeof(start)) == (ssize_t)sizeof(start) &&
	       memcmp(start, opening, sizeof(start)) == 0;
}

/* Removes the recording that is there under a name, if any. */
static int remove_old(int parent, const char *name, const char *shown, struct buf *why)
{
	struct content content = {0};
	cleanup_fd int fd = openat(parent, name, OPENING);
	int err = fd < 0 ? -errno : look(fd, false, &content);

	if (err == -ENOENT)
		return 0;
	if (!err && content.other[0]) {
		(void)buf_printf(why, "%s: %s in it is not of a recording; move %s away", shown, content.other, shown);
		return -ENOTEMPTY;
	}
	if (err == -ENOTDIR || err == -ELOOP)
		(void)buf_printf(why, "%s is not a recording of exectrace; move it away", shown);
	if (!err)
		err = look(fd, true, &content);
	if (!err && unlinkat(parent, name, AT_REMOVEDIR))
		err = -errno;
	if (err && !why->len)
		(void)buf_printf(why, "cannot replace %s: %s", shown, strerror(-err));
	return err;
}

/* Opens the directory that has just been made, or was empty; others may have put another in its place. */
static int take(struct rundir *dir, int fd, struct buf *why)
{
	int err = fd < 0 ? -errno : faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) ? -errno : 0;

	if (err) {
		(void)buf_printf(why, "cannot write to directory %s: %s", dir->path, strerror(-err));
		fd_close(&fd);
		return err;
	}
	dir->fd = fd_high(fd);
	return dir->fd < 0 ? dir->fd : 0;
}

static int make(struct rundir *dir, int parent, const char *name, struct buf *why)
{
	int err = mkdirat(parent, name, FILE_DIR_MODE) ? -errno : 0;

	if (!err)
		return take(dir, openat(parent, name, OPENING), why);
	if (err != -EEXIST)
		(void)buf_printf(why, "cannot make directory %s: %s", dir->path, strerror(-err));
	return err;
}

/* What is there under the name has to be empty, or a recording that can be kept as an older one. */
static int set_aside(struct rundir *dir, int parent, const char *name, struct buf *why)
{
	cleanup_buf struct buf old = BUF_INIT, shown = BUF_INIT;
	struct content content = {0};
	int fd = openat(parent, name, OPENING), err = fd < 0 ? -errno : look(fd, false, &content);

	if (!err && content.empty)
		return take(dir, fd, why);
	if (err == -ENOTDIR || err == -ELOOP || (!err && content.other[0] && !has_run(fd))) {
		(void)buf_printf(why, "%s is not a recording of exectrace and is left alone%s", dir->path,
		                 strcmp(dir->path, RUNDIR_DEFAULT) == 0
		                         ? "; see --output"
		                         : "; a tool's own -o belongs inside the quotes: --run='strace -o FILE'");
		err = -EEXIST;
	}
	fd_close(&fd);
	if (!err && (buf_printf(&old, "%s.old", name) || buf_printf(&shown, "%s.old", dir->path)))
		err = -ENOMEM;
	if (!err)
		err = remove_old(parent, old.data, shown.data, why);
	if (!err && renameat(parent, name, parent, old.data))
		err = -errno;
	return err ? err : make(dir, parent, name, why);
}

/* Completion writes a slash at the end. */
static char *without_slashes(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return strndup(path, n);
}

int rundir_make(struct rundir *dir, const char *path, struct buf *why)
{
	const char *name = NULL;
	cleanup_fd int parent = -1;
	int err = 0;

	*dir = (struct rundir){.fd = -1, .execs = -1, .path = without_slashes(path)};
	if (!dir->path)
		return -ENOMEM;
	parent = fd_directory_of(dir->path, &name);
	err = parent < 0 ? parent : !*name ? -EISDIR : make(dir, parent, name, why);
	if (err == -EEXIST)
		err = set_aside(dir, parent, name, why);
	if (err && !why->len)
		(void)buf_printf(why, "cannot make directory %s: %s", dir->path, strerror(-err));
	if (err)
		rundir_release(dir);
	return err;
}

/* --- run.json --- */

static int add_string(struct buf *out, const char *label, const char *text)
{
	int err = buf_puts(out, label);

	return err ? err : quote_json(out, text, strlen(text));
}

static int add_moment(struct buf *out, const char *name, uint64_t realtime, uint64_t monotonic)
{
	return buf_printf(out, ",\"%s\":{\"realtime\":%llu,\"monotonic\":%llu}", name, (unsigned long long)realtime,
	                  (unsigned long long)monotonic);
}

static int add_seconds(struct buf *out, const char *name, uint64_t ns)
{
	return buf_printf(out, ",\"%s\":%llu.%09llu", name, (unsigned long long)(ns / NS_PER_S),
	                  (unsigned long long)(ns % NS_PER_S));
}

/* words: ended by NULL. */
static int add_words(struct buf *out, const char *name, char *const *words)
{
	int err = buf_printf(out, ",\"%s\":[", name);

	for (size_t i = 0; words && words[i] && !err; i++)
		err = add_string(out, i ? "," : "", words[i]);
	return err ? err : buf_putc(out, ']');
}

static int describe(struct rundir *dir, const char *engine, char *const *command, const struct strv *given)
{
	cleanup_free char *cwd = getcwd(NULL, 0);
	struct utsname name;
	int err = uname(&name) ? -errno : add_string(&dir->head, opening, EXECTRACE_VERSION);

	if (!err)
		err = add_words(&dir->head, "command", command);
	if (!err && cwd)
		err = add_string(&dir->head, ",\"cwd\":", cwd);
	if (!err)
		err = add_string(&dir->head, ",\"host\":", name.nodename);
	if (!err)
		err = buf_printf(&dir->head, ",\"system\":\"%s %s\",\"cpus\":%ld", name.sysname, name.release,
		                 sysconf(_SC_NPROCESSORS_ONLN));
	if (!err)
		err = add_string(&dir->head, ",\"engine\":", engine);
	if (!err)
		err = add_words(&dir->head, "given", given->items);
	return err ? err : add_moment(&dir->head, "start", dir->realtime, dir->monotonic);
}

/* The file is replaced whole: a reader sees the old text or the new one. */
static int write_file(const struct rundir *dir, const struct buf *text)
{
	int fd = file_create(dir->fd, NEW_NAME), err = 0;

	if (fd == -EEXIST && unlinkat(dir->fd, NEW_NAME, 0) == 0)
		fd = file_create(dir->fd, NEW_NAME);
	if (fd < 0)
		return fd;
	err = fd_write_all(fd, text->data, text->len);
	fd_close(&fd);
	if (!err && renameat(dir->fd, NEW_NAME, dir->fd, FILE_NAME))
		err = -errno;
	if (err)
		(void)unlinkat(dir->fd, NEW_NAME, 0);
	return err;
}

static int write_with(struct rundir *dir, const char *end)
{
	cleanup_buf struct buf text = BUF_INIT;
	int err = buf_append(&text, dir->head.data, dir->head.len);

	if (!err)
		err = buf_puts(&text, end);
	if (!err)
		err = write_file(dir, &text);
	if (err)
		dir->failed = err;
	return err;
}

int rundir_begin(struct rundir *dir, const char *engine, char *const *command, const struct strv *given)
{
	int err = 0;

	if (!dir->path)
		return 0;
	dir->realtime = clock_wall();
	dir->monotonic = clock_now();
	err = describe(dir, engine, command, given);
	return err ? err : write_with(dir, "}\n");
}

/* What is there of a line that did not fit is taken back, so that all lines are whole. */
static int add_line(struct rundir *dir, const struct buf *text)
{
	cleanup_buf struct buf line = BUF_INIT;
	int err = buf_append(&line, text->data, text->len);

	if (!err)
		err = buf_putc(&line, '\n');
	if (!err && dir->execs < 0) {
		int fd = file_create(dir->fd, EXECS_NAME);

		err = fd < 0 ? fd : 0;
		dir->execs = fd < 0 ? -1 : fd;
	}
	if (!err)
		err = fd_write_all(dir->execs, line.data, line.len);
	if (!err)
		dir->written += line.len;
	else if (dir->execs >= 0)
		(void)ftruncate(dir->execs, (off_t)dir->written);
	return err;
}

int rundir_exec(struct rundir *dir, const struct buf *line)
{
	if (!dir->failed)
		dir->failed = add_line(dir, line);
	return dir->failed;
}

int rundir_end(struct rundir *dir, const struct exec_end *end)
{
	cleanup_buf struct buf text = BUF_INIT;
	uint64_t now = clock_now();
	int err = 0;

	if (!dir->path || !dir->head.len)
		return 0;
	err = add_moment(&text, "end", dir->realtime + (now - dir->monotonic), now);
	if (!err && end->known && WIFEXITED(end->wait_status))
		err = buf_printf(&text, ",\"status\":%d", WEXITSTATUS(end->wait_status));
	if (!err && end->known && WIFSIGNALED(end->wait_status)) {
		err = buf_puts(&text, ",\"signal\":\"");
		if (!err)
			err = exec_print_signal(&text, WTERMSIG(end->wait_status));
		if (!err)
			err = buf_putc(&text, '"');
	}
	if (!err && !end->known)
		err = buf_puts(&text, ",\"status\":null");
	if (!err && end->usage.cpu)
		err = add_seconds(&text, "cpu_user", end->usage.user);
	if (!err && end->usage.cpu)
		err = add_seconds(&text, "cpu_system", end->usage.system);
	if (!err)
		err = buf_puts(&text, "}\n");
	return err ? err : write_with(dir, text.data);
}

void rundir_release(struct rundir *dir)
{
	buf_release(&dir->head);
	free(dir->path);
	dir->path = NULL;
	fd_close(&dir->fd);
	fd_close(&dir->execs);
}
