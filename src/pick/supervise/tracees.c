/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracees.h"

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>

#define NAMED 3         /* that are shown */
#define COMMAND_MAX 80u /* bytes of a command line */

/* A tracer is a thread. */
static bool is_traced_by(pid_t pid, pid_t tool)
{
	struct proc_status status;
	pid_t tracer = proc_tracer(pid);

	return tracer > 0 && (tracer == tool || (proc_status(tracer, &status) == 0 && status.tgid == tool));
}

static int print_one(struct buf *out, pid_t pid)
{
	cleanup_buf struct buf line = BUF_INIT;
	struct strv words = STRV_INIT;
	int err = proc_strings(pid, "cmdline", &words);

	if (!err)
		err = quote_shell_strv(&line, &words);
	strv_release(&words);
	if (err)
		return err == -ENOMEM ? err : 0; /* it has ended */
	if (line.len > COMMAND_MAX) {
		buf_cut(&line, COMMAND_MAX);
		err = buf_puts(&line, "...");
	}
	return err ? err : buf_printf(out, "%s%s [%d]", out->len ? ", " : "", line.len ? line.data : "?", (int)pid);
}

int tracees_print(struct buf *out, pid_t tool, pid_t picked)
{
	DIR *dir = opendir("/proc"); /* the kernel has no list of them but all processes */
	const struct dirent *entry;
	unsigned n = 0;
	int err = 0;

	while (dir && !err && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || !is_traced_by(pid, tool))
			continue;
		if (pid == picked) {
			buf_reset(out, SIZE_MAX);
			n = 0;
			break;
		}
		if (n++ < NAMED)
			err = print_one(out, pid);
	}
	if (!err && n > NAMED)
		err = buf_printf(out, " and %u more", n - NAMED);
	if (dir)
		closedir(dir);
	return err;
}
