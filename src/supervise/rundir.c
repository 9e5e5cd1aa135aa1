/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rundir.h"

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME "run.json"
#define NEW_NAME FILE_NAME ".new"

/* What a run writes into its directory by itself. */
static bool is_ours(const char *name)
{
	size_t n = strlen(name);

	return strcmp(name, FILE_NAME) == 0 || strcmp(name, NEW_NAME) == 0 || strcmp(name, "execs.jsonl") == 0 ||
	       (n > 4 && strcmp(name + n - 4, ".xtr") == 0);
}

/* Removes an old directory, unless it holds something that is not ours. */
static void remove_old(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry = NULL;
	bool all = dir != NULL;

	while (all && (entry = readdir(dir)))
		all = is_ours(entry->d_name) || strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	if (all)
		rewinddir(dir);
	while (all && (entry = readdir(dir))) {
		if (is_ours(entry->d_name))
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	(void)rmdir(path);
}

int rundir_make(struct rundir *dir, const char *path)
{
	cleanup_buf struct buf old = BUF_INIT;

	dir->path = path;
	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno != EEXIST || buf_printf(&old, "%s.old", path))
		return -errno;
	remove_old(old.data);
	if (rename(path, old.data))
		return -errno;
	return mkdir(path, 0777) ? -errno : 0;
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

static int add_command(struct buf *out, char *const *command)
{
	int err = buf_puts(out, ",\"command\":[");

	for (size_t i = 0; command[i] && !err; i++)
		err = add_string(out, i ? "," : "", command[i]);
	return err ? err : buf_putc(out, ']');
}

static int describe(struct rundir *dir, const char *engine, char *const *command)
{
	cleanup_free char *cwd = getcwd(NULL, 0);
	struct utsname name;
	int err = uname(&name) ? -errno : add_string(&dir->head, "{\"exectrace\":", EXECTRACE_VERSION);

	if (!err)
		err = add_command(&dir->head, command);
	if (!err && cwd)
		err = add_string(&dir->head, ",\"cwd\":", cwd);
	if (!err)
		err = add_string(&dir->head, ",\"host\":", name.nodename);
	if (!err)
		err = buf_printf(&dir->head, ",\"system\":\"%s %s\",\"cpus\":%ld", name.sysname, name.release,
		                 sysconf(_SC_NPROCESSORS_ONLN));
	if (!err)
		err = add_string(&dir->head, ",\"engine\":", engine);
	return err ? err : add_moment(&dir->head, "start", dir->realtime, dir->monotonic);
}

/* The file is replaced whole: a reader sees the old text or the new one. */
static int write_file(const struct rundir *dir, const struct buf *text)
{
	cleanup_buf struct buf name = BUF_INIT;
	cleanup_buf struct buf new = BUF_INIT;
	cleanup_fd int fd = -1;
	int err = buf_printf(&name, "%s/" FILE_NAME, dir->path);

	if (!err)
		err = buf_printf(&new, "%s/" NEW_NAME, dir->path);
	if (err)
		return err;
	fd = open(new.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0)
		return -errno;
	err = fd_write_all(fd, text->data, text->len);
	if (!err && rename(new.data, name.data))
		err = -errno;
	if (err)
		(void)unlink(new.data);
	return err;
}

static int write_with(const struct rundir *dir, const char *end)
{
	cleanup_buf struct buf text = BUF_INIT;
	int err = buf_append(&text, dir->head.data, dir->head.len);

	if (!err)
		err = buf_puts(&text, end);
	return err ? err : write_file(dir, &text);
}

int rundir_begin(struct rundir *dir, const char *engine, char *const *command)
{
	int err = 0;

	if (!dir->path)
		return 0;
	dir->realtime = clock_wall();
	dir->monotonic = clock_now();
	err = describe(dir, engine, command);
	return err ? err : write_with(dir, "}\n");
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
	if (!err)
		err = buf_puts(&text, "}\n");
	return err ? err : write_with(dir, text.data);
}

void rundir_release(struct rundir *dir)
{
	buf_release(&dir->head);
	dir->path = NULL;
}
