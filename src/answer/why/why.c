/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/why.h>

#include "find.h"
#include "guests.h"
#include "outcome.h"
#include <errno.h>
#include <exectrace/answer/why/failure/elsewhere.h>
#include <exectrace/answer/why/failure/failure.h>
#include <exectrace/answer/why/time/busy.h>
#include <exectrace/answer/why/time/missing.h>
#include <exectrace/answer/why/time/odd.h>
#include <exectrace/answer/why/time/time.h>
#include <exectrace/answer/why/time/waiting.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <string.h>

static int name_data(struct why *why, const char *path)
{
	if (strcmp(path, RECORDING_DEFAULT) == 0)
		return 0;
	buf_putc(&why->data, ' ');
	return quote_shell(&why->data, path, strlen(path));
}

static int find_all(struct why *why)
{
	int rc = 0;

	if (!why->top)
		return 0;
	if (story_failed(why->top))
		rc = failure_chain_find(&why->chain, &why->story, why->top);
	if (!rc)
		rc = waiting_find(&why->waiting, &why->story, why->top);
	if (!rc)
		rc = critical_find(&why->critical, &why->story, why->top);
	if (!rc)
		rc = odd_processes_find(&why->odd, &why->story, why->top);
	if (!rc)
		rc = growing_find(&why->growing, &why->story, why->top);
	return rc ? rc : busy_find(&why->busy, &why->story, why->top);
}

int why_new(struct why **ret, struct recording *r, const struct why_options *options, struct buf *err)
{
	struct why *why = calloc(1, sizeof(*why));
	int rc = why ? story_read(&why->story, r, &(struct story_options){.accesses = true}) : -ENOMEM;

	if (!rc)
		rc = name_data(why, recording_path(r));
	if (!rc)
		why->top = why->story.root;
	if (!rc)
		rc = page_find(&why->top, &why->story, options, &why->others, err);
	if (!rc && why->story.history.samples)
		rc = samples_read(&why->samples, recording_path(r), err);
	if (!rc)
		rc = page_guests_read(why, why->top == why->story.root, err);
	if (!rc && !why->top && !why->n_guests) {
		rc = buf_printf(err, "%s: there are no processes in it", recording_path(r));
		rc = rc ? rc : -ENOENT;
	}
	if (!rc)
		rc = find_all(why);
	if (rc)
		why_free(why);
	else
		*ret = why;
	return rc;
}

void why_free(struct why *why)
{
	if (!why)
		return;
	failure_chain_release(&why->chain);
	waiting_release(&why->waiting);
	critical_release(&why->critical);
	busy_release(&why->busy);
	samples_release(&why->samples);
	page_guests_release(why);
	story_release(&why->story);
	buf_release(&why->data);
	buf_release(&why->others);
	free(why);
}

int why_text(const struct why *why, struct buf *out)
{
	if (why->top) {
		page_outcome(why, out);
		page_failure(why, out);
		if (!why->chain.n)
			page_elsewhere(why, NULL, out);
	}
	page_guests(why, out);
	if (why->top) {
		page_waiting(why, out);
		page_odd(why, out);
		page_time(why, out);
		page_busy(why, out);
		page_samples(why, out);
		page_missing(why, out);
	}
	return out->err;
}
