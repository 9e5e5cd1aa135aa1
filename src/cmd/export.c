/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/export/export.h>

#include "guest.h"
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
	OPT_DIFF,
};

static const char *const formats[] = {"json", "folded", "html", "perfetto", NULL};

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
         .help = "json (the default): an object a line; folded: stacks for flame graphs; html: a page "
                 "with a flame graph, a chart and a table; perfetto: for ui.perfetto.dev"},
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
	{.name = "diff",
         .arg = "OTHER",
         .id = OPT_DIFF,
         .hint = OPTION_FILE,
         .help = "html: show what DATA has more or less of than this recording"},
	{.name = "help", .letter = 'h', .id = ANALYSIS_HELP, .flags = OPTION_LAST, .help = "show this"},
	{0},
};

struct export_command {
	struct analysis analysis;
	const char *format, *output;
	const char *diff; /* the other recording; NULL: none */
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
	case OPT_DIFF:
		c->diff = use->value;
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
	else if (c->diff && !export_compares(c->format))
		r = buf_puts(err, "--diff goes with --format=html only");
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

/* Whether it is of a guest's calls: as guest_file, and -EINVAL when the format or an option has nothing to do with
 * them. */
static int find_guest(struct export_command *c, struct recording *r, size_t *file, struct buf *err)
{
	const struct call_select *select = &c->analysis.select;
	int rc;

	if (!export_has_guests(c->format))
		return 0;
	rc = guest_file(r, file, err);
	if (rc > 0 && guest_check(&c->analysis, true, err))
		return err->len ? -EINVAL : -ENOMEM;
	if (rc > 0 && (select->min || select->n_pids || select->comm))
		return buf_puts(err, "of a guest all calls are shown: without --min, --pid and --comm") ? -ENOMEM
		                                                                                        : -EINVAL;
	return rc;
}

/* Gives the exporter what a recording has. *p: the replay that it was given, which has to stay. */
static int export_recording(struct export_command *c, struct recording *r, struct exporter *exporter, struct replay **p,
                            struct buf *err)
{
	const struct guest_select all = {0};
	size_t file;
	int rc = find_guest(c, r, &file, err);

	if (!rc)
		return export_events(c, r, exporter);
	if (rc > 0)
		rc = guest_open(p, &all, &c->analysis, r, file, err);
	return rc ? rc : exporter_guest(exporter, *p);
}

/* The other recording first: *other and *p have to stay until the exporter is done. */
static int export_other(struct export_command *c, struct exporter *exporter, struct recording **other,
                        struct replay **p, struct buf *err)
{
	const struct recording_options options = {.names = true, .by_files = true};
	int rc = recording_open(other, c->diff, &options, err);

	if (rc)
		return rc;
	exporter_compare(exporter, *other);
	rc = export_recording(c, *other, exporter, p, err);
	exporter_compare(exporter, NULL);
	return rc;
}

/* Both are of a guest, or both are not. */
static int check_same(const struct recording *r, const struct recording *other, struct buf *err)
{
	bool guest = recording_files(r) && recording_file(r, 0)->guest_clock != DATA_CLOCK_NONE;
	bool other_guest = recording_files(other) && recording_file(other, 0)->guest_clock != DATA_CLOCK_NONE;

	if (guest == other_guest &&
	    (!guest || recording_file(r, 0)->guest_clock == recording_file(other, 0)->guest_clock))
		return 0;
	return buf_puts(err, "--diff: these recordings are of different kinds, or have different clocks") ? -ENOMEM
	                                                                                                  : -EINVAL;
}

static int export_both(struct export_command *c, struct recording *r, struct exporter *exporter, struct buf *err)
{
	struct recording *other = NULL;
	struct replay *replay = NULL, *other_replay = NULL;
	int rc = c->diff ? export_other(c, exporter, &other, &other_replay, err) : 0;

	if (!rc && other)
		rc = check_same(r, other, err);
	if (!rc)
		rc = export_recording(c, r, exporter, &replay, err);
	if (!rc)
		rc = exporter_finish(exporter, err);
	replay_free(replay);
	replay_free(other_replay);
	recording_close(other);
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
	rc = export_both(c, r, exporter, err);
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
	const struct recording_options options = {.names = true, .by_files = export_is_sums(c->format)};
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
