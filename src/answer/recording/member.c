/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/parts.h>

#include <errno.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <string.h>

int member_open(const char *path, struct buf *why)
{
	int fd = file_open_regular(AT_FDCWD, path, O_NOFOLLOW);

	if (fd >= 0)
		return fd;
	return buf_printf(why, "%s: %s", path, fd == -EMEDIUMTYPE ? "not a regular file" : strerror(-fd)) ? -ENOMEM
	                                                                                                  : fd;
}
