/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/form/outputs.h>

#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <unistd.h>

bool outputs_is_command(const char *name)
{
	return *name == '|' || *name == '!';
}

static void __attribute__((noreturn)) become_command(int from, const char *command)
{
	if (dup2(from, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int outputs_command(const char *command, pid_t *pid)
{
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	*pid = fork();
	if (!*pid)
		become_command(ends[0], command);
	err = *pid < 0 ? -errno : 0;
	fd_close(&ends[0]);
	if (err)
		fd_close(&ends[1]);
	return err ? err : fd_high(ends[1]);
}

int outputs_open(const struct outputs *outputs, pid_t tid)
{
	cleanup_buf struct buf name = BUF_INIT;
	int directory = 0;

	if (buf_printf(&name, "%s.%d", outputs->name, (int)tid))
		return -ENOMEM;
	if (outputs->appends && !outputs->directory)
		return file_open_output(name.data, O_APPEND, false);
	if (outputs->directory) { /* file_create_in closes it */
		directory = fcntl(outputs->directory, F_DUPFD_CLOEXEC, 3);
		if (directory < 0)
			return -errno;
	}
	return file_create_in(directory, name.data);
}
