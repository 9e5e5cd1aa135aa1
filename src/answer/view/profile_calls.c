/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls and the samples of recordings, summed up for the table of `report`. */
#include <exectrace/answer/view/profile_table.h>

#include <errno.h>
#include <exectrace/answer/view/guest.h>
#include <exectrace/base/cleanup.h>

/* A profile of calls and one of samples; without stacks when it is not wanted. */
struct both {
	struct profile calls, samples;
};

static int add_all(struct both *both, struct call_select *select, struct recording *r)
{
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) == 1) {
		if (!call_selected(select, &event))
			continue;
		rc = both->calls.stacks ? calltree_stacks_add(both->calls.stacks, &event) : 0;
		if (!rc && both->samples.stacks)
			rc = calltree_stacks_add(both->samples.stacks, &event);
		if (rc)
			return rc;
	}
	return rc;
}

/* Whether a recording is one of calls or samples, as the first one. */
static bool is_alike(struct several *several, const struct recording *r)
{
	size_t file;
	cleanup_buf struct buf why = BUF_INIT;
	int guests = guest_files(several->analysis, r, &file, &why);

	if (guests)
		several_skip(several, guests < 0 && why.len ? why.data : SEVERAL_GUEST);
	return !guests;
}

static int add_more(struct both *both, struct call_select *select, struct several *several)
{
	struct calltree_stacks *const stacks[] = {both->calls.stacks, both->samples.stacks};
	struct recording *r;
	int rc;

	for (;;) {
		for (size_t i = 0; i < 2; i++)
			if (stacks[i])
				calltree_stacks_leave(stacks[i]);
		rc = several_next(several, &r, several->analysis->err);
		if (rc <= 0)
			return rc;
		if (!is_alike(several, r))
			continue;
		for (size_t i = 0; i < 2; i++)
			if (stacks[i])
				calltree_stacks_join(stacks[i], r);
		rc = add_all(both, select, r);
		if (rc)
			return rc;
	}
}

static int show_both(const struct profile_table *table, struct both *both, struct page *page, struct buf *err)
{
	struct profile *calls = &both->calls, *samples = &both->samples;
	bool sampled = samples->stacks && calltree_stacks_sum(samples->stacks)->samples;
	bool called = calls->stacks && calltree_stacks_sum(calls->stacks)->calls;
	int rc = 0;

	if (sampled && called && table->format != TABLE_TEXT)
		return buf_puts(err, ANALYSIS_BOTH) ? -ENOMEM : -EINVAL;
	if (sampled || !calls->stacks)
		rc = profile_table_print(table, samples, page);
	if (!rc && sampled && called)
		rc = buf_puts(&page->text, "\n");
	if (!rc && (called || (calls->stacks && !sampled)))
		rc = profile_table_print(table, calls, page);
	return rc;
}

int profile_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                       struct page *page, struct buf *err)
{
	struct both both = {0};
	int rc = 0;

	if (select->event != SELECT_SAMPLES)
		rc = profile_init(&both.calls, r, SELECT_CALLS, table->keys, table->weight);
	if (!rc && select->event != SELECT_CALLS)
		rc = profile_init(&both.samples, r, SELECT_SAMPLES, table->keys, table->weight);
	if (!rc)
		rc = add_all(&both, select, r);
	if (!rc && table->several)
		rc = add_more(&both, select, table->several);
	if (!rc)
		rc = show_both(table, &both, page, err);
	profile_release(&both.calls);
	profile_release(&both.samples);
	return rc;
}
