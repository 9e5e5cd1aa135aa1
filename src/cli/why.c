/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/why.h>

#include <errno.h>
#include <exectrace/answer/view/several.h>
#include <exectrace/answer/why/set.h>
#include <exectrace/answer/why/why.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <exectrace/cli/commands.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_PID = ANALYSIS_OPTIONS,
	OPT_CMD,
	OPT_UNDER,
	OPT_PICKED,
	OPT_JSON,
	OPT_FIRST_DIFFERENCE,
};

static const struct option_spec why_table[] = {
	{.name = "pid",
         .letter = 'p',
         .arg = "PID",
         .id = OPT_PID,
         .group = "Processes",
         .help = "this process, and those below it, instead of COMMAND"},
	{.name = "cmd",
         .arg = "REGEX",
         .id = OPT_CMD,
         .help = "the first process in one of whose command lines REGEX is found"},
	{.name = "under",
         .arg = "REGEX",
         .id = OPT_UNDER,
         .help = "the first process below one in whose command line REGEX is found"},
	{.name = "picked", .id = OPT_PICKED, .help = "the first process that a rule picked"},
	{.name = "first-difference",
         .id = OPT_FIRST_DIFFERENCE,
         .help = "where two runs of the same command part: exectrace why --first-difference GOOD [BAD]"},
	{.name = "json", .id = OPT_JSON, .group = "Output", .help = "a JSON object, times in ns"},
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct cli_why {
	struct analysis analysis;
	struct why_options options;
	bool json;
	bool difference;
};

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct cli_why *w = ctx;
	size_t n = 0;
	int rc;

	switch (use->spec->id) {
	case OPT_JSON:
		w->json = true;
		return 0;
	case OPT_FIRST_DIFFERENCE:
		w->difference = true;
		return 0;
	case OPT_CMD:
		w->options.cmd = use->value;
		return 0;
	case OPT_UNDER:
		w->options.under = use->value;
		return 0;
	case OPT_PICKED:
		w->options.picked = true;
		return 0;
	default:
		rc = analysis_count(use, &n, err);
		w->options.pid = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
		return rc;
	}
}

static int run_difference(struct cli_why *w, struct recording *r[], struct buf *err)
{
	const struct recording_options options = {.no_guests = true};
	struct page page;
	int rc;

	if (w->json || w->options.pid || w->options.picked) {
		rc = buf_puts(err, "--first-difference goes with --cmd and --under only");
		return rc ? rc : -EINVAL;
	}
	if (!w->analysis.word) {
		rc = buf_puts(err, "--first-difference needs a recording: GOOD [BAD]; BAD is " RECORDING_DEFAULT
		                   " when it is not given");
		return rc ? rc : -EINVAL;
	}
	rc = analysis_open(&w->analysis, &r[0], w->analysis.word, &options, err);
	if (!rc)
		rc = analysis_open(&w->analysis, &r[1], w->analysis.data, &options, err);
	if (rc)
		return rc;
	analysis_page(&w->analysis, &page);
	rc = why_difference(&page.text, r[0], r[1], &w->options, err);
	return page_end(&page, rc);
}

/* Recordings, or with --first-difference GOOD [BAD]. */
static int settle(void *ctx, struct buf *err)
{
	struct cli_why *w = ctx;
	struct analysis *a = &w->analysis;
	int rc;

	if (w->difference && a->n_more > 2) {
		rc = buf_printf(err, "unexpected '%s'; --first-difference has GOOD [BAD]", a->more[2]);
		return rc ? rc : -EINVAL;
	}
	if (w->difference) {
		a->word = a->n_more ? a->more[0] : NULL;
		a->data = a->n_more > 1 ? a->more[1] : a->data;
	} else if (a->n_more) {
		a->data = a->more[0];
	}
	return 0;
}

static int run_one(struct cli_why *w, struct recording *r, struct buf *err)
{
	struct why *why = NULL;
	struct page page;
	int rc = why_new(&why, r, &w->options, err);

	if (!rc) {
		analysis_page(&w->analysis, &page);
		rc = w->json ? why_json(why, &page.text) : why_text(why, &page.text);
		rc = page_end(&page, rc);
	}
	why_free(why);
	return rc;
}

/* One in which no process fits is as one that was not given, as long as there is another one. */
static int add_one(struct cli_why *w, struct why_set *set, struct several *several, struct buf *err)
{
	struct recording *r = *several->r;
	const struct why_options *o = &w->options;
	struct why *why = NULL;
	int rc = why_new(&why, r, o, err);

	if (rc == -ENOMEM || rc == -EINVAL)
		return rc;
	if (!rc)
		rc = why_set_add(set, why, recording_path(r));
	else if (rc == -ENOENT && (o->pid || o->cmd || o->under || o->picked))
		several_unfit(several);
	else
		several_skip(several, err->len ? err->data : strerror(-rc));
	why_free(why);
	return rc == -ENOMEM ? rc : 0;
}

static int run_set(struct cli_why *w, struct several *several, struct buf *err)
{
	struct why_set *set = why_set_new();
	struct recording *r = *several->r;
	struct page page;
	int rc = set ? 1 : -ENOMEM;

	for (; rc > 0; rc = rc ? rc : several_next(several, &r, err))
		rc = add_one(w, set, several, err);
	if (!rc) {
		analysis_page(&w->analysis, &page);
		rc = w->json ? why_set_json(set, &page.text) : why_set_text(set, &page.text);
		rc = page_end(&page, rc);
	}
	why_set_free(set);
	return rc;
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	const struct recording_options options = {.no_guests = true, .names = true};
	struct cli_why *w = ctx;
	struct several several = {.analysis = &w->analysis, .options = &options, .r = &r[0]};
	struct recording *first;
	int rc;

	if (w->difference)
		return run_difference(w, r, err);
	several.paths = w->analysis.more;
	several.n_paths = w->analysis.n_more;
	if (!several.n_paths)
		several.paths = NULL;
	rc = several_next(&several, &first, err);
	if (rc <= 0)
		return rc;
	return w->analysis.n_more > 1 ? run_set(w, &several, err) : run_one(w, first, err);
}

void why_print(const char *data)
{
	static const struct recording_options reading = {.no_guests = true, .names = true};
	static const struct why_options options;
	cleanup_buf struct buf text = BUF_INIT, err = BUF_INIT;
	struct recording *r = NULL;
	struct why *why = NULL;
	int rc = recording_open(&r, data, &reading, &err);

	if (!rc)
		rc = why_new(&why, r, &options, &err);
	if (!rc)
		rc = why_text(why, &text);
	if (!rc)
		rc = fd_write_all(STDERR_FILENO, text.data, text.len);
	if (rc)
		err_say(ERR_ERROR, "why: %s", err.len ? err.data : strerror(-rc));
	why_free(why);
	recording_close(r);
}

static int why_main(char **argv, int at)
{
	static const struct analysis_command command =
		{.command = &cmd_why, .option = take_option, .settle = settle, .run = run, .sets = true, .execs = true};
	struct cli_why w = {0};

	return analysis_main(&w.analysis, &command, &w, argv, at);
}

const struct command cmd_why = {
	.name = "why",
	.args = "[OPTION]... [DATA... | GOOD [BAD]]",
	.summary = "say why a recorded run failed, and what it waited for",
	.about = "DATA is a directory that a run recorded into (exectrace.data), or one of its .xtr files.\n"
		 "Of several ones, one page: a paragraph for each cause.\n",
	.options = why_table,
	.takes_file = true,
	.run = why_main,
};
