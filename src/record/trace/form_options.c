/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "form_options.h"

#include "option_table.h"
#include "qualifier.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/record/form/times.h>
#include <exectrace/target/decode/decode.h>
#include <string.h>

unsigned trace_choice(const char *const *names, const char *name)
{
	unsigned i = 0;

	while (strcmp(names[i], name) != 0)
		i++;
	return i;
}

/* -t, and its long form, of which one without a value is the same. */
static int take_clock(struct trace_form *form, const char *value, struct buf *err)
{
	if (!value)
		times_more(form);
	else if (!times_take(form, value))
		return buf_printf(err,
		                  "--absolute-timestamps: '%s' is not of none, time, unix, s, ms, us and ns, with "
		                  "commas between them",
		                  value)
		               ? -ENOMEM
		               : -EINVAL;
	return 0;
}

static enum trace_unit unit(const struct option_use *use)
{
	return use->value ? (enum trace_unit)trace_choice(times_units, use->value) : UNIT_US;
}

static int take_times(struct trace_form *form, const struct option_use *use, struct buf *err)
{
	switch (use->spec->id) {
	case OPT_CLOCK:
		return take_clock(form, use->value, err);
	case OPT_RELATIVE:
		form->relative = true;
		form->relative_unit = unit(use);
		return 0;
	default:
		form->lasting = true;
		form->lasting_unit = unit(use);
		return 0;
	}
}

/* --strings-in-hex is all of them, -x those that need it. */
static void take_hex(struct trace_form *form, const char *value, bool letter)
{
	if (value)
		form->hex = trace_choice(trace_hex, value);
	else
		form->hex = !letter || form->hex ? DECODE_HEX_ALL : DECODE_HEX_STRINGS;
}

/* -q, -qq and -qqq. */
static int take_quiet(struct trace_options *options, const char *value, struct buf *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	int r = value ? buf_printf(&text, "quiet=%s", value) : 0;

	if (value)
		return r ? r : qualifier_apply(options, text.data, err);
	if (options->silenced)
		return buf_puts(err, "-q: --quiet= says it already") ? -ENOMEM : -EINVAL;
	options->quiet++;
	options->form.no_attaching = true;
	options->form.no_ends |= options->quiet > 1;
	options->form.no_superseded |= options->quiet > 2;
	return 0;
}

/* What of a line there is beside the call. */
static int take_parts(struct trace_options *options, const struct option_use *use)
{
	struct trace_form *form = &options->form;

	switch (use->spec->id) {
	case OPT_FOLLOW:
		options->separately |= form->follows && use->letter;
		form->follows = true;
		return 0;
	case OPT_SEPARATELY:
		options->separately = true;
		return 0;
	case OPT_APPEND:
		options->appends = true;
		return 0;
	case OPT_PIDNS:
		form->pids |= FORM_OURS;
		return 0;
	case OPT_NUMBERED:
		form->numbered = true;
		return 0;
	case OPT_PLACED:
		form->placed = true;
		return 0;
	case OPT_SUCCEEDED:
		form->hidden = ~(unsigned)OUTCOME_SUCCESSFUL;
		return 0;
	default: /* what is done without it, too */
		return 0;
	}
}

static int refuse(const struct option_use *use, const char *what, struct buf *err)
{
	return buf_printf(err, "--%s: '%s' is not %s", use->spec->name, use->value, what) ? -ENOMEM : -EINVAL;
}

static int take_table(struct trace_options *options, const struct option_use *use, struct buf *err)
{
	struct trace_counting *counting = &options->counting;

	switch (use->spec->id) {
	case OPT_SORT:
		return table_take_order(&counting->table, use->value) ? 0 : refuse(use, "a column, or none", err);
	case OPT_TABLE:
		return table_take_columns(&counting->table, use->value) ? 0 : refuse(use, "a list of columns", err);
	case OPT_WALL:
		counting->wall = true;
		return 0;
	case OPT_OVERHEAD:
		return times_span(use->value, &counting->overhead) ? 0 : refuse(use, "a time", err);
	default:
		options->both |= use->spec->id == OPT_SUMMARY_TOO || (use->spec->id == OPT_SUMMARY && !use->letter);
		options->summed |= use->spec->id == OPT_SUMMARY && !use->letter;
		options->alone |= use->spec->id == OPT_SUMMARY_ONLY || (use->spec->id == OPT_SUMMARY && use->letter);
		options->summary = true;
		return 0;
	}
}

int form_option(struct trace_options *options, const struct option_use *use, struct buf *err)
{
	struct trace_form *form = &options->form;

	switch (use->spec->id) {
	case OPT_SUMMARY:
	case OPT_SUMMARY_ONLY:
	case OPT_SUMMARY_TOO:
	case OPT_SORT:
	case OPT_TABLE:
	case OPT_WALL:
	case OPT_OVERHEAD:
		return take_table(options, use, err);
	case OPT_CLOCK:
	case OPT_RELATIVE:
	case OPT_TIMES:
		return take_times(form, use, err);
	case OPT_NAMES:
		form->names = trace_choice(use->spec->choices, use->value);
		return 0;
	case OPT_HEX:
		take_hex(form, use->value, use->letter);
		return 0;
	case OPT_WHOLE:
		form->whole = true;
		options->sets.has_whole = false;
		return 0;
	case OPT_QUIET:
		return take_quiet(options, use->value, err);
	default:
		return take_parts(options, use);
	}
}
