/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `export` does, once its options are read. */
#ifndef EXECTRACE_SRC_CLI_EXPORT_RUN_H
#define EXECTRACE_SRC_CLI_EXPORT_RUN_H

#include <exectrace/answer/export/export.h>
#include <exectrace/answer/output/outdir.h>
#include <exectrace/answer/output/outfile.h>
#include <exectrace/answer/output/outparts.h>
#include <exectrace/answer/view/guest.h>

struct export_run {
	struct analysis analysis;
	struct guest_select guest;
	const char *format, *output;
	const char *diff; /* the other recording; NULL: none */
	bool weighted;
	enum export_weight weight;
	uint64_t budget_bytes, budget_events; /* 0: no limit */
	uint64_t split_bytes, split_time;     /* of a file, ns; both 0: there is one file */
	/* private */
	struct budget *budget;
	struct replay *replay[2]; /* of a guest's calls, and of the other recording's */
	struct outfile file;
	struct outdir directory;
	struct outparts parts;
	uint64_t hz; /* ticks a second; 0: they are no time */
	int failed;  /* what writing failed with */
	bool full;
	bool incomplete; /* recordings are left that were not exported */
};

/* Whether only the longest calls are to be exported. */
static inline bool export_is_limited(const struct export_run *c)
{
	return c->budget_bytes || c->budget_events;
}

/*
 * Exports; ctx: struct export_run. As `run` of struct analysis_command. A reader of standard output that leaves is no
 * failure.
 */
int export_run(void *ctx, struct recording *r[ANALYSIS_RECORDINGS], struct buf *err);

#endif
