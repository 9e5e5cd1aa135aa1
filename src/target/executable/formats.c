/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of programs that are registered with the kernel as it runs: binfmt_misc. */
#include "header.h"

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* <sys/mount.h> and <linux/mount.h> cannot both be had with every libc. */
#define CREATE_FLAGS 1u /* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC */
#define CONFIG_CREATE 6 /* FSCONFIG_CMD_CREATE */

/* Whether the kernel has them at all by now: they may be a module that nobody has loaded. */
static bool kernel_has_them(void)
{
	char text[8192];
	cleanup_fd int fd = open("/proc/filesystems", O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? -1 : fd_read_all(fd, text, sizeof(text) - 1);

	if (n < 0)
		return true;
	text[n] = '\0';
	return strstr(text, "\tbinfmt_misc\n") != NULL;
}

/* Where they are listed, mounted for nobody but us (fsopen(2), Linux 5.2). Root only. A descriptor or -errno. */
static int open_unmounted(void)
{
	cleanup_fd int fs = (int)syscall(SYS_fsopen, "binfmt_misc", CREATE_FLAGS);
	int fd = -1;

	if (fs < 0 || syscall(SYS_fsconfig, fs, CONFIG_CREATE, NULL, NULL, 0))
		return -errno;
	fd = (int)syscall(SYS_fsmount, fs, CREATE_FLAGS, 0);
	return fd < 0 ? -errno : fd;
}

static int open_list(void)
{
	int fd = open("/proc/sys/fs/binfmt_misc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd >= 0 && fstatfs(fd, &fs) == 0 && (unsigned long)fs.f_type == BINFMTFS_MAGIC)
		return fd;
	fd_close(&fd);
	return open_unmounted();
}

bool header_other_formats(pid_t tid)
{
	cleanup_fd int fd = -1;
	cleanup_fd int again = -1;
	int entries = 0;
	DIR *dir = NULL;

	if (!kernel_has_them())
		return false;
	/* Formats are a matter of a user namespace (Linux 6.7), or of one that it lies in. */
	fd = proc_shares(tid, "ns/user") ? open_list() : -1;
	again = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = again < 0 ? NULL : fdopendir(again);
	if (!dir)
		return true;
	again = -1;
	while (readdir(dir))
		entries++;
	closedir(dir);
	return entries > 4; /* ".", "..", "register", "status" */
}
