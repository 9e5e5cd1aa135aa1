/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/import/import.h>

#include "private.h"
#include <errno.h>

static int choose(struct import *in, enum import_format format)
{
	struct span text;
	int rc = 0;

	if (format == IMPORT_GUESS) {
		rc = lines_peek(&in->lines, &text, in->why);
		if (rc)
			return rc;
		format = simple_likely(text) ? IMPORT_SIMPLE
		         : exec_likely(text) ? IMPORT_EXEC
		         : kft_likely(text)  ? IMPORT_KFT
		                             : IMPORT_GUESS;
	}
	in->counts->format = format;
	if (format == IMPORT_KFT)
		return import_kft(in);
	if (format == IMPORT_EXEC)
		return import_exec(in);
	if (format == IMPORT_SIMPLE)
		return import_simple(in);
	rc = buf_printf(in->why, "%s: not a log of KFT, KFI or QEMU", in->lines.name);
	return rc ? rc : -EBADMSG;
}

int import_log(const char *log, int fd, const struct import_options *options, struct import_counts *counts,
               struct buf *why)
{
	struct import in = {.lines = {.fd = -1}, .counts = counts, .why = why, .fd = fd};
	int rc = 0;

	*counts = (struct import_counts){0};
	if (options->symbols)
		rc = symbols_read(&in.symbols, options->symbols, why);
	if (!rc)
		rc = lines_open(&in.lines, log, why);
	in.lines.progress = options->progress;
	in.lines.ctx = options->ctx;
	if (!rc)
		rc = choose(&in, options->format);
	counts->lines = in.lines.number;
	lines_close(&in.lines);
	symbols_release(&in.symbols);
	return rc;
}
