/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/analysis.h>

#include "analysis_words.h"
#include <ctype.h>
#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/output/output.h>
#include <exectrace/answer/view/guest.h>
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

	/* "-n=3": behind a letter the value follows at once. */
	if (!r && *use->value == '=')
		r = buf_printf(err, "; write --%s%s", use->spec->name, use->value);
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

static void take_process(struct process_select *select, const struct option_use *use)
{
	if (use->spec->id == ANALYSIS_CMD)
		select->cmd = use->value;
	else if (use->spec->id == ANALYSIS_UNDER)
		select->under = use->value;
	else
		select->picked = true;
}

static int take_control(struct analysis *a, const struct option_use *use, struct buf *err)
{
	struct buf why = BUF_INIT;
	int rc;

	a->controlled = true;
	rc = control_set(&a->control, use->spec->name, use->value, &why);
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
	case ANALYSIS_ERROR:
		return call_select_errors(&a->select, use->value) ? refuse(use, "a list of errors such as EMFILE", err)
		                                                  : 0;
	case ANALYSIS_PID:
		return take_pids(a, use, err);
	case ANALYSIS_COMM:
		a->select.comm = use->value;
		return 0;
	case ANALYSIS_CMD:
	case ANALYSIS_UNDER:
	case ANALYSIS_PICKED:
		take_process(&a->processes, use);
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

static struct recording_options reading(struct analysis *a, const struct recording_options *options)
{
	struct recording_options all = {0};

	if (options)
		all = *options;
	all.no_guests |= a->select.event == SELECT_CALLS || a->select.event == SELECT_SAMPLES;
	all.progress = progress_tell;
	all.ctx = &a->progress;
	return all;
}

int analysis_open(struct analysis *a, struct recording **r, const char *path, const struct recording_options *options,
                  struct buf *err)
{
	const struct recording_options all = reading(a, options);
	int rc;

	allow_files();
	rc = recording_open(r, path, &all, err);
	if (!rc && a->time)
		(void)call_select_time(&a->select, a->time, recording_start(*r));
	return rc ? rc : check_control(a, *r, err);
}

int analysis_no_process(const struct process_select *processes, struct buf *err)
{
	if (!process_select_any(processes) || processes->chosen)
		return 0;
	buf_printf(err, "0 of %zu processes fit ", processes->processes);
	return process_select_print(err, processes) ? -ENOMEM : -ENOENT;
}

/* The calls of those processes that fit, by the numbers that they have in the recording. */
static int choose_calls(struct analysis *a, const struct process_tree *tree, const struct recording *r, struct buf *err)
{
	struct call_select *select = &a->select;
	size_t n = recording_processes(r), chosen = 0;
	int rc = analysis_no_process(&a->processes, err);

	if (rc)
		return rc;
	free(select->processes);
	select->processes = calloc(n + 1, sizeof(bool));
	if (!select->processes)
		return -ENOMEM;
	select->n_processes = n;
	for (size_t i = 0; i < n; i++) {
		const struct tree_node *node = process_tree_node(tree, (uint32_t)i);

		select->processes[i] = node && process_selected(&a->processes, node);
		chosen += select->processes[i];
	}
	if (chosen || !recording_files(r))
		return 0;
	buf_printf(err, "no calls were recorded of the %zu of %zu processes that fit ", a->processes.chosen,
	           a->processes.processes);
	return process_select_print(err, &a->processes) ? -ENOMEM : -ENOENT;
}

int analysis_choose(struct analysis *a, const char *path, const struct recording_options *options, struct buf *err)
{
	struct recording_options all = reading(a, options);
	struct process_tree *tree = NULL;
	struct recording *r = NULL;
	int rc;

	if (!process_select_any(&a->processes))
		return 0;
	all.names = false;
	rc = recording_open(&r, path, &all, err);
	if (!rc)
		rc = process_tree_new(&tree, r, NULL, NULL);
	if (!rc)
		rc = process_select_begin(&a->processes, tree, r, err);
	if (!rc)
		rc = choose_calls(a, tree, r, err);
	process_tree_free(tree);
	recording_close(r);
	return rc;
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

int analysis_nothing(const struct analysis *a, struct buf *err)
{
	const struct call_select *s = &a->select;
	bool asked = s->filtered || s->path || s->failed || s->n_pids || s->processes || s->comm || s->timed ||
	             s->min || s->no_startup;
	int rc;

	if (!asked || s->chosen || !s->calls)
		return 0;
	rc = buf_puts(err, "0 of ");
	if (!rc)
		rc = cell_grouped(err, s->calls);
	if (!rc)
		rc = buf_puts(err, s->calls == 1 ? " call" : " calls");
	if (!rc && s->path && !s->path_seen)
		rc = buf_printf(err, "; '%s' occurs nowhere", s->path);
	return rc ? rc : -ENOENT;
}

void analysis_close(struct analysis *a, struct recording **r)
{
	if (!*r)
		return;
	a->damaged |= recording_damaged(*r);
	say_notes(recording_notes(*r));
	if (!a->execs && !recording_files(*r))
		err_say(ERR_NOTE,
		        "%s: no calls were recorded, only what was executed (see `exectrace tree`); "
		        "--run='trace --format=data', profile or guest record more",
		        recording_path(*r));
	recording_close(*r);
	*r = NULL;
}

/* Ends a command that came to rc. The exit status. */
static int end(struct analysis *a, struct recording **r, int rc, const struct buf *err)
{
	for (unsigned i = 0; i < ANALYSIS_RECORDINGS; i++)
		analysis_close(a, &r[i]);
	rc = analysis_status(rc, err);
	return a->damaged ? ANALYSIS_FAILED : rc;
}

int analysis_main(struct analysis *a, const struct analysis_command *command, void *ctx, char **argv, int at)
{
	struct recording *r[ANALYSIS_RECORDINGS] = {NULL};
	cleanup_buf struct buf err = BUF_INIT;
	struct options o;
	int rc;

	*a = (struct analysis){.paged = true, .data = RECORDING_DEFAULT, .execs = command->execs, .err = &err};
	options_init(&o, command->command->options, argv, at);
	options_mix(&o);
	rc = parse(a, command, ctx, &o, &err);
	if (!rc && a->help) {
		rc = output_text(&err, help_command(&err, PROGRAM, command->command));
	} else {
		if (!rc)
			rc = analysis_words(a, command, &o, at, &err);
		if (!rc && command->settle)
			rc = command->settle(ctx, &err);
		progress_begin(&a->progress);
		if (!rc)
			rc = command->run(ctx, r, &err);
		progress_end(&a->progress);
		rc = end(a, r, rc, &err);
	}
	options_release(&o);
	free(a->more);
	call_select_release(&a->select);
	process_select_release(&a->processes);
	control_release(&a->control);
	return rc;
}
