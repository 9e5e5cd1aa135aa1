/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/analysis.h>

#include <ctype.h>
#include <errno.h>
#include <exectrace/answer/view/guest.h>
#include <exectrace/answer/view/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/options/help.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define NOTES_MAX 20 /* lines about what was wrong with a recording */

const char *const analysis_events[] = {"calls", "samples", "functions", NULL};

unsigned analysis_choice(const struct option_use *use)
{
	unsigned n = 0;

	while (use->spec->choices[n] && strcmp(use->spec->choices[n], use->value) != 0)
		n++;
	return n;
}

static int refuse(const struct option_use *use, const char *what, struct buf *err)
{
	int r = buf_printf(err, "--%s: '%s' is not %s (argument %d)", use->spec->name, use->value, what, use->at);

	return r ? r : -EINVAL;
}

int analysis_count(const struct option_use *use, size_t *n, struct buf *err)
{
	char *end;

	errno = 0;
	*n = strtoul(use->value, &end, 10);
	if (!isdigit((unsigned char)*use->value) || *end || errno || !*n)
		return refuse(use, "a number from 1 on", err);
	return 0;
}

int analysis_percent(const struct option_use *use, double *percent, struct buf *err)
{
	char *end;

	*percent = strtod(use->value, &end);
	if (*end == '%')
		end++;
	if ((!isdigit((unsigned char)*use->value) && *use->value != '.') || *end || !(*percent >= 0 && *percent <= 100))
		return refuse(use, "a percentage", err);
	return 0;
}

void analysis_sample_columns(const struct table_column *columns, struct table_column *to)
{
	static const char *const names[][4] = {{"Calls", "calls", "Samples", "samples"},
	                                       {"Calls A", "calls_a", "Samples A", "samples_a"},
	                                       {"Calls B", "calls_b", "Samples B", "samples_b"}};
	size_t n = 0;

	for (; columns[n].title; n++) {
		to[n] = columns[n];
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (strcmp(columns[n].title, names[i][0]) != 0)
				continue;
			to[n].title = names[i][2];
			to[n].key = names[i][3];
		}
	}
	to[n] = (struct table_column){0};
}

static int take_filter(struct analysis *a, const struct option_use *use, struct buf *err)
{
	struct buf why = BUF_INIT;
	int rc = syscall_filter_parse(&a->select.filter, use->value, &why);

	a->select.filtered = true;
	if (rc == -EINVAL && buf_printf(err, "--filter: %s", why.data))
		rc = -ENOMEM;
	buf_release(&why);
	return rc;
}

static int take_pids(struct analysis *a, const struct option_use *use, struct buf *err)
{
	int rc = call_select_pids(&a->select, use->value);

	return rc == -EINVAL ? refuse(use, "a list of process ids", err) : rc;
}

static int take_control(struct analysis *a, const struct option_use *use, struct buf *err)
{
	const char *name = strcmp(use->spec->name, "functions") == 0 ? "function" : use->spec->name;
	struct buf why = BUF_INIT;
	int rc;

	a->controlled = true;
	rc = control_set(&a->control, name, use->value, &why);
	if (rc && why.len && buf_printf(err, "--%s: %s", use->spec->name, why.data))
		rc = -ENOMEM;
	buf_release(&why);
	return rc;
}

static int take(struct analysis *a, const struct option_use *use, struct buf *err)
{
	switch (use->spec->id) {
	case ANALYSIS_FILTER:
		return take_filter(a, use, err);
	case ANALYSIS_PATH:
		a->select.path = use->value;
		return 0;
	case ANALYSIS_ONLY_FAILED:
		a->select.failed = true;
		return 0;
	case ANALYSIS_PID:
		return take_pids(a, use, err);
	case ANALYSIS_COMM:
		a->select.comm = use->value;
		return 0;
	case ANALYSIS_TIME:
		a->time = use->value;
		return call_select_time(&a->select, use->value, 0) ? refuse(use, "two times 'A,B' in seconds", err) : 0;
	case ANALYSIS_MIN:
		return duration_parse(use->value, &a->select.min) ? refuse(use, "a duration such as 2ms", err) : 0;
	case ANALYSIS_CONTROL:
		return take_control(a, use, err);
	case ANALYSIS_EVENT:
		a->select.event = (enum select_event)(analysis_choice(use) + 1);
		return 0;
	case ANALYSIS_CSV:
		a->format = TABLE_CSV;
		return 0;
	case ANALYSIS_JSON:
		a->format = TABLE_JSON;
		return 0;
	case ANALYSIS_COLOR:
		a->color = (enum color_choice)analysis_choice(use);
		return 0;
	case ANALYSIS_NO_PAGER:
		a->paged = false;
		return 0;
	default:
		a->help = true;
		return 0;
	}
}

/* The arguments that are no options. */
static int take_words(struct analysis *a, const struct analysis_command *command, const struct options *o,
                      struct buf *err)
{
	int n = 0;
	int rc;

	/* A single one of two is the recording only when that is all there has to be. */
	if (command->word && n < o->n_words)
		a->word = o->argv[o->words[n++]];
	if (n < o->n_words)
		a->data = o->argv[o->words[n++]];
	if (n == o->n_words)
		return 0;
	rc = buf_printf(err, "unexpected '%s' (argument %d); try '" PROGRAM " help %s'", o->argv[o->words[n]],
	                o->words[n], command->command->name);
	return rc ? rc : -EINVAL;
}

static int parse(struct analysis *a, const struct analysis_command *command, void *ctx, struct options *o,
                 struct buf *err)
{
	struct option_use use;
	int rc;

	while ((rc = options_next(o, &use, err)) > 0) {
		rc = use.spec->id < ANALYSIS_OPTIONS ? take(a, &use, err) : command->option(ctx, &use, err);
		if (rc)
			return rc;
	}
	return rc;
}

/* Each file that was being written at a moment is open when that is read. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Triggers and filters are about the calls of functions. */
static int check_control(const struct analysis *a, const struct recording *r, struct buf *err)
{
	size_t first;

	if (!a->controlled || !recording_files(r) || guest_count(r, &first))
		return 0;
	return buf_puts(err, "triggers and filters are about the functions of a guest, and these are system calls")
	               ? -ENOMEM
	               : -EINVAL;
}

int analysis_open(struct analysis *a, struct recording **r, const char *path, const struct recording_options *options,
                  struct buf *err)
{
	struct recording_options all = {0};
	int rc;

	if (options)
		all = *options;
	all.no_guests = a->select.event == SELECT_CALLS || a->select.event == SELECT_SAMPLES;
	all.progress = progress_tell;
	all.ctx = &a->progress;
	allow_files();
	rc = recording_open(r, path, &all, err);
	if (!rc && a->time)
		(void)call_select_time(&a->select, a->time, recording_start(*r));
	return rc ? rc : check_control(a, *r, err);
}

void analysis_page(struct analysis *a, struct page *page)
{
	page_begin(page, a->paged, a->color);
	page->writing = progress_end;
	page->ctx = &a->progress;
	page->err = a->err;
}

/* Says what was wrong with a recording. */
static void say_notes(const struct strv *notes)
{
	for (size_t i = 0; i < notes->n && i < NOTES_MAX; i++)
		err_say(ERR_ERROR, "%s", notes->items[i]);
	if (notes->n > NOTES_MAX)
		err_say(ERR_ERROR, "... and %zu more", notes->n - NOTES_MAX);
}

int analysis_status(int rc, const struct buf *err)
{
	if (rc)
		err_say(ERR_ERROR, "%s", err->len ? err->data : strerror(-rc));
	return rc ? ANALYSIS_FAILED : 0;
}

/* Ends a command that came to rc. The exit status. */
static int end(const struct analysis_command *command, struct recording *const *r, int rc, const struct buf *err)
{
	bool damaged = false;

	for (unsigned i = 0; i < ANALYSIS_RECORDINGS; i++) {
		if (!r[i])
			continue;
		damaged |= recording_damaged(r[i]);
		say_notes(recording_notes(r[i]));
		if (!command->execs && !recording_files(r[i]))
			err_say(ERR_NOTE, "nothing was recorded there; `exectrace tree` shows what was executed");
		recording_close(r[i]);
	}
	rc = analysis_status(rc, err);
	return damaged ? ANALYSIS_FAILED : rc;
}

int analysis_main(struct analysis *a, const struct analysis_command *command, void *ctx, char **argv, int at)
{
	struct recording *r[ANALYSIS_RECORDINGS] = {NULL};
	cleanup_buf struct buf err = BUF_INIT;
	struct options o;
	int rc;

	*a = (struct analysis){.paged = true, .data = RECORDING_DEFAULT, .err = &err};
	options_init(&o, command->command->options, argv, at);
	options_mix(&o);
	rc = parse(a, command, ctx, &o, &err);
	if (!rc && a->help) {
		rc = output_text(&err, help_command(&err, PROGRAM, command->command));
	} else {
		if (!rc)
			rc = take_words(a, command, &o, &err);
		if (!rc && command->settle)
			rc = command->settle(ctx, &err);
		progress_begin(&a->progress);
		if (!rc)
			rc = command->run(ctx, r, &err);
		progress_end(&a->progress);
		rc = end(command, r, rc, &err);
	}
	call_select_release(&a->select);
	control_release(&a->control);
	return rc;
}
