/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/procself.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

int proc_is_ours(struct buf *why)
{
	char target[32];
	ssize_t n = readlink("/proc/self", target, sizeof(target) - 1);
	int err = errno;

	if (n < 0 && err != ENOENT) {
		(void)buf_printf(why, "/proc/self: %s", strerror(err));
		return -err;
	}
	target[n < 0 ? 0 : n] = '\0';
	if (n > 0 && strtol(target, NULL, 10) == (long)getpid())
		return 0;
	/* From outside of the namespace that it belongs to, /proc has no self. */
	if (n < 0 && access("/proc/sys", F_OK)) {
		(void)buf_puts(why, "no /proc is mounted: mount -t proc proc /proc");
		return -ENOENT;
	}
	(void)buf_puts(
		why, "/proc is that of another pid namespace: unshare needs --mount-proc, or mount -t proc proc /proc");
	return -EXDEV;
}

/* Mounts in it are nobody else's. */
static int leave_mounts(void)
{
	if (unshare(CLONE_NEWNS))
		return -errno;
	/* Below chroot(8) the root directory is no mount. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && mount(NULL, "/proc", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	return 0;
}

int proc_make_ours(void)
{
	int err = leave_mounts();

	return err || mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 ? err : -errno;
}

char proc_state(pid_t pid)
{
	char text[256]; /* the state follows the name, of 64 bytes at most */
	const char *at = NULL;
	long n = 0;
	cleanup_fd int fd = -1;

	snprintf(text, sizeof(text), "/proc/%d/stat", (int)pid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? fd : fd_read_all(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strrchr(text, ')');
	return at && at[1] == ' ' ? at[2] : 0;
}
