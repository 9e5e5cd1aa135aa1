/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/export/export.h>

#include "outfile.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/cmd/analysis.h>
#include <exectrace/cmd/commands.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_FORMAT = ANALYSIS_OPTIONS,
	OPT_OUTPUT,
	OPT_WEIGHT,
};

static const char *const formats[] = {"json", "folded", "perfetto", NULL};

/* In the order of enum export_weight. */
static const char *const weights[] = {"time", "count", NULL};

static const struct option_spec export_table[] = {
	ANALYSIS_SELECT_ROWS,
	{.name = "format",
         .letter = 'f',
         .arg = "FORMAT",
         .id = OPT_FORMAT,
         .choices = formats,
         .group = "Output",
         .help = "json (the default): an object a line; folded: stacks for flame graphs; perfetto: for "
                 "ui.perfetto.dev"},
	{.name = "output",
         .letter = 'o',
         .arg = "FILE",
         .id = OPT_OUTPUT,
         .hint = OPTION_FILE,
         .help = "write to FILE, which is there when it is complete (default: standard output)"},
	{.name = "weight",
         .arg = "WEIGHT",
         .id = OPT_WEIGHT,
         .choices = weights,
         .help = "of folded stacks: time (the default), in ns; count, of system calls"},
	{.name = "help", .letter = 'h', .id = ANALYSIS_HELP, .flags = OPTION_LAST, .help = "show this"},
	{0},
};

struct export_command {
	struct analysis analysis;
	const char *format, *output;
	bool weighted;
	enum export_weight weight;
	struct outfile out;
	int failed; /* what writing failed with */
};

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct export_command *c = ctx;

	(void)err;
	switch (use->spec->id) {
	case OPT_FORMAT:
		c->format = use->value;
		return 0;
	case OPT_OUTPUT:
		c->output = use->value;
		return 0;
	default:
		c->weighted = true;
		c->weight = (enum export_weight)analysis_choice(use);
		return 0;
	}
}

static int check(void *ctx, struct buf *err)
{
	const struct export_command *c = ctx;
	int r = 0;

	if (c->weighted && strcmp(c->format, "folded") != 0)
		r = buf_puts(err, "--weight goes with --format=folded only");
	else if (!c->output && export_is_binary(c->format) && isatty(STDOUT_FILENO))
		r = buf_printf(err, "%s is not for a terminal: use --output=FILE", c->format);
	return r ? r : err->len ? -EINVAL : 0;
}

static int write_out(void *user, const char *bytes, size_t n)
{
	struct export_command *c = user;

	c->failed = fd_write_all(c->out.fd, bytes, n);
	return c->failed;
}

/* Is a process of execs.jsonl wanted? What only calls have does not count here. */
static bool wants(void *user, uint32_t pid, const char *comm)
{
	const struct call_select *select = &((const struct export_command *)user)->analysis.select;
	bool listed = !select->n_pids;

	for (size_t i = 0; i < select->n_pids; i++)
		listed |= select->pids[i] == pid;
	return listed && (!select->comm || fnmatch(select->comm, comm, 0) == 0);
}

static int export_events(struct export_command *c, struct recording *r, struct exporter *exporter)
{
	/* Whose events are wanted, whatever is asked of calls. Its list of pids is the other's. */
	struct call_select who = {.pids = c->analysis.select.pids,
	                          .n_pids = c->analysis.select.n_pids,
	                          .comm = c->analysis.select.comm};
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) > 0) {
		if (event.thread && !call_selected(&who, &event))
			continue;
		rc = exporter_event(exporter, &event, !event.thread || call_selected(&c->analysis.select, &event));
		if (rc)
			return rc;
	}
	return rc;
}

static int export_all(struct export_command *c, struct recording *r, struct buf *err)
{
	const struct call_select *select = &c->analysis.select;
	const struct export_options options = {
		.weight = c->weight,
		.from = select->timed ? select->from : 0,
		.to = select->timed ? select->until : 0,
		.wants = wants,
		.write = write_out,
		.user = c,
	};
	struct exporter *exporter;
	int rc = exporter_new(&exporter, c->format, r, &options);

	if (rc)
		return rc;
	rc = export_events(c, r, exporter);
	if (!rc)
		rc = exporter_finish(exporter, err);
	exporter_free(exporter);
	return rc;
}

/* Nobody reads standard output any more: a quiet end. */
static bool is_quiet(const struct export_command *c)
{
	return c->failed == -EPIPE && !c->output;
}

static int write_file(struct export_command *c, struct recording *r, struct buf *err)
{
	const char *name = c->output ? c->output : "standard output";
	int rc = outfile_open(&c->out, c->output), bad;

	c->failed = rc;
	if (!rc) {
		rc = export_all(c, r, err);
		/* Of a bad execs.jsonl all that could be read was written. */
		bad = rc && err->len && !c->failed ? rc : 0;
		rc = outfile_close(&c->out, bad ? 0 : rc);
		if (rc && !c->failed && !bad)
			c->failed = rc;
		rc = rc ? rc : bad;
	}
	if (is_quiet(c))
		return 0;
	if (c->failed && buf_printf(err, "cannot write to %s: %s", name, strerror(-c->failed)))
		return -ENOMEM;
	return rc;
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	struct export_command *c = ctx;
	/* Weights are sums: the order of files does not matter. */
	const struct recording_options options = {.names = true, .by_files = strcmp(c->format, "folded") == 0};
	int rc = analysis_open(&c->analysis, &r[0], c->analysis.data, &options, err);

	return rc ? rc : write_file(c, r[0], err);
}

static int export_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_export,
	                                                .option = take_option,
	                                                .settle = check,
	                                                .run = run};
	struct export_command c = {.format = formats[0]};

	return analysis_main(&c.analysis, &command, &c, argv, at);
}

const struct command cmd_export = {
	.name = "export",
	.args = "[OPTION]... [DATA]",
	.summary = "write a recording in a format that other tools read",
	.about = "DATA is a directory that a run recorded into (exectrace.data), or one of its\n"
		 ".xtr files.\n",
	.options = export_table,
	.takes_file = true,
	.run = export_main,
};
