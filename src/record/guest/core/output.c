/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/core/output.h>

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <sys/stat.h>

int output_find(struct output *o, const char *path, const struct output_dir *want)
{
	struct stat st;
	int rc = 0;

	*o = (struct output){.path = path, .known = want->known};
	o->dir = want->known ? fd_directory_of(path, &o->name) : file_directory_of(path, &o->name);
	if (o->dir < 0)
		return o->dir;
	if (want->known && fstat(o->dir, &st))
		rc = -errno;
	else if (want->known && (st.st_dev != want->device || st.st_ino != want->inode))
		rc = -ESTALE;
	if (rc)
		fd_close(&o->dir);
	return rc;
}

int output_open(const struct output *o)
{
	int fd;

	if (o->known)
		return file_create(o->dir, o->name);
	/* A pipe that nobody reads is an error: the guest shall not wait for it. */
	fd = file_open_output(o->path, O_NONBLOCK, true);
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, 0);
	return fd;
}
