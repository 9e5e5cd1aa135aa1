/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/why.h>

#include "find.h"
#include "slower.h"
#include <errno.h>
#include <exectrace/answer/causes/difference.h>
#include <exectrace/answer/why/page/page.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>

#define MORE_MAX 60 /* differences behind the first one that are shown */

static void which(const struct difference *d, struct buf *out)
{
	if (d->kind != DIFFERENT_END)
		buf_puts(out, d->bad ? ", only in BAD" : ", only in GOOD");
}

static const char *const accessed[] = {
	[ACCESS_READ] = "opened", [ACCESS_WRITE] = "opened to write",
	[ACCESS_MAKE] = "made",   [ACCESS_REMOVE] = "removed",
	[ACCESS_BIND] = "bound",  [ACCESS_CONNECT] = "connected to",
};

static void line(const struct difference *d, struct buf *out)
{
	buf_puts(out, "  ");
	clock_print(out, d->time);
	buf_puts(out, "  ");
	page_process(out, d->node, COMMAND_MAX);
	switch (d->kind) {
	case DIFFERENT_STATE:
		buf_puts(out, " began with ");
		page_foreign(out, d->line, 2 * COMMAND_MAX);
		break;
	case DIFFERENT_PROCESS:
		buf_puts(out, " was there");
		break;
	case DIFFERENT_FAILURE:
		buf_puts(out, ": ");
		page_foreign(out, d->failure->text, 2 * COMMAND_MAX);
		break;
	case DIFFERENT_ACCESS:
		buf_printf(out, " %s ", accessed[d->access->kind]);
		page_foreign(out, d->line, 2 * COMMAND_MAX);
		break;
	case DIFFERENT_OUTPUT:
		buf_printf(out, " wrote to standard %s: ", d->output == OUTPUT_STDERR ? "error" : "output");
		quote_terminal(out, d->text.bytes, d->text.n < 2 * COMMAND_MAX ? d->text.n : 2 * COMMAND_MAX);
		break;
	case DIFFERENT_END:
		buf_puts(out, " ended with ");
		page_end_of(out, d->node);
		buf_printf(out, ", in GOOD [%u] with ", d->good->pid);
		page_end_of(out, d->good);
		break;
	}
	which(d, out);
	buf_putc(out, '\n');
}

static void run(const char *title, const struct story *s, struct buf *out)
{
	buf_printf(out, "%s  ", title);
	page_process(out, s->root, COMMAND_MAX);
	buf_puts(out, ": ");
	page_end_of(out, s->root);
	buf_puts(out, " after ");
	clock_print(out, story_end(s, s->root) - story_start(s, s->root));
	buf_printf(out, " (%s)\n", recording_path(s->recording));
}

static void show(const struct differences *d, const struct story *good, const struct story *bad, struct buf *out)
{
	run("GOOD", good, out);
	run("BAD ", bad, out);
	if (d->below) {
		buf_puts(out, "compared from ");
		page_process(out, d->good, COMMAND_MAX);
		buf_puts(out, " and ");
		page_process(out, d->bad, COMMAND_MAX);
		buf_puts(out, " on\n");
	}
	buf_printf(out, "%zu process%s in both\n", d->pairs, d->pairs == 1 ? " is" : "es are");
	if (!d->n) {
		buf_puts(out, "\nNo difference was recorded\n");
		return;
	}
	buf_puts(out, "\nFirst difference\n");
	line(&d->items[0], out);
	if (d->n > 1)
		buf_puts(out, "\nThen\n");
	for (size_t i = 1; i < d->n && i <= MORE_MAX; i++)
		line(&d->items[i], out);
	if (d->n > MORE_MAX + 1)
		buf_printf(out, "  and %zu more\n", d->n - MORE_MAX - 1);
}

static int read_story(struct story *s, struct recording *r, struct buf *err)
{
	int rc = story_read(s, r, &(struct story_options){.accesses = true});

	if (rc || s->root)
		return rc;
	rc = buf_printf(err, "%s: there are no processes in it", recording_path(r));
	return rc ? rc : -ENOENT;
}

/* The processes from which on the runs are compared. */
static int choose(struct differences *d, const struct story *good, const struct story *bad,
                  const struct why_options *options, struct buf *err)
{
	int rc = differences_roots(d, good, bad);

	if (!rc && (options->cmd || options->under)) {
		rc = page_find(&d->good, good, options, NULL, err);
		if (!rc)
			rc = page_find(&d->bad, bad, options, NULL, err);
	}
	return rc;
}

int why_difference(struct buf *out, struct recording *good, struct recording *bad, const struct why_options *options,
                   struct buf *err)
{
	struct story one = {0}, two = {0};
	struct differences d = {0};
	int rc = read_story(&one, good, err);

	if (!rc)
		rc = read_story(&two, bad, err);
	if (!rc)
		rc = choose(&d, &one, &two, options, err);
	if (!rc)
		rc = differences_find(&d, &one, &two);
	if (!rc) {
		show(&d, &one, &two, out);
		rc = page_slower(&one, d.good, &two, d.bad, out);
	}
	if (!rc)
		rc = out->err;
	differences_release(&d);
	story_release(&one);
	story_release(&two);
	return rc;
}
