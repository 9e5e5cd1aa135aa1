/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/import/import.h>

#include "private.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int choose(struct import *in, enum import_format format)
{
	struct span text;
	int rc = 0;

	if (format == IMPORT_GUESS) {
		rc = lines_peek(&in->lines, &text, in->why);
		if (rc)
			return rc;
		format = exec_likely(text) ? IMPORT_EXEC : kft_likely(text) ? IMPORT_KFT : IMPORT_GUESS;
	}
	in->counts->format = format;
	if (format == IMPORT_KFT)
		return import_kft(in);
	if (format == IMPORT_EXEC)
		return import_exec(in);
	rc = buf_printf(in->why, "%s: it does not begin like a log of KFT or QEMU", in->lines.name);
	return rc ? rc : -EBADMSG;
}

/* A failure to write has no line yet. */
static int tell(int rc, const char *output, struct buf *why)
{
	if (!rc || rc == -ENOMEM || why->len)
		return rc;
	return buf_printf(why, "%s: %s", output, strerror(-rc)) ? -ENOMEM : rc;
}

static int write_to(struct import *in, const struct import_options *options, const char *output, const char *part)
{
	int rc;

	in->fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (in->fd < 0)
		return tell(-errno, output, in->why);
	rc = tell(choose(in, options->format), output, in->why);
	fd_close(&in->fd);
	if (!rc && rename(part, output))
		rc = tell(-errno, output, in->why);
	if (rc)
		(void)unlink(part);
	return rc;
}

int import_log(const char *log, const char *output, const struct import_options *options, struct import_counts *counts,
               struct buf *why)
{
	cleanup_buf struct buf part = BUF_INIT;
	struct import in = {.lines = {.fd = -1}, .counts = counts, .why = why, .fd = -1};
	int rc = buf_printf(&part, "%s.part", output);

	*counts = (struct import_counts){0};
	if (!rc && options->symbols)
		rc = symbols_read(&in.symbols, options->symbols, why);
	if (!rc)
		rc = lines_open(&in.lines, log, why);
	if (!rc)
		rc = write_to(&in, options, output, part.data);
	counts->lines = in.lines.number;
	lines_close(&in.lines);
	symbols_release(&in.symbols);
	return rc;
}
