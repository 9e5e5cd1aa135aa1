/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/program.h>

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/procfs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DELETED " (deleted)"

static bool has_name(const char *file)
{
	const size_t n = sizeof(DELETED) - 1;
	size_t len = strlen(file);

	return file[0] == '/' && (len < n || strcmp(file + len - n, DELETED) != 0);
}

/* What the kernel calls a descriptor that was executed (AT_EXECFN, fs/exec.c), and which the exec may have closed. */
static bool is_closed(pid_t tid, const char *asked)
{
	char name[64];
	struct stat st;
	unsigned fd = 0;

	if (sscanf(asked, "/dev/fd/%u", &fd) != 1)
		return false;
	snprintf(name, sizeof(name), "/proc/%d/fd/%u", (int)tid, fd);
	return lstat(name, &st) != 0;
}

static int find_descriptor(pid_t tid, const struct stat *exe, struct buf *path)
{
	char name[64];
	DIR *dir = NULL;
	const struct dirent *entry = NULL;
	int err = -ENOENT;

	snprintf(name, sizeof(name), "/proc/%d/fd", (int)tid);
	dir = opendir(name);
	if (!dir)
		return -errno;
	while (err == -ENOENT && (entry = readdir(dir))) {
		struct stat st;

		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && st.st_dev == exe->st_dev &&
		    st.st_ino == exe->st_ino)
			err = buf_printf(path, "/proc/self/fd/%s", entry->d_name);
	}
	closedir(dir);
	return err;
}

int program_path(pid_t tid, const char *asked, const char *file, struct buf *path)
{
	cleanup_buf struct buf exe = BUF_INIT;
	char name[64];
	struct stat st;
	int err = 0;

	if (asked && *asked)
		return is_closed(tid, asked) ? -ENOENT : buf_puts(path, asked);
	if (file && has_name(file))
		return buf_puts(path, file);
	err = proc_link(tid, "exe", &exe);
	if (err)
		return err;
	/* A script's interpreter is not what was executed. */
	if (file && strcmp(file, exe.data) != 0)
		return -ENOENT;
	if (has_name(exe.data))
		return buf_puts(path, exe.data);
	snprintf(name, sizeof(name), "/proc/%d/exe", (int)tid);
	return stat(name, &st) ? -errno : find_descriptor(tid, &st, path);
}
