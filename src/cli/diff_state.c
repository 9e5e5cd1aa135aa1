/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_state.h"

#include <errno.h>
#include <exectrace/answer/processes/state_diff.h>
#include <string.h>

int diff_state_run(struct analysis *a, struct recording *r[ANALYSIS_RECORDINGS], struct buf *err)
{
	const struct recording_options options = {.no_guests = true, .by_files = true};
	const char *good = a->word ? a->word : DIFF_OLDER, *bad = a->data;
	struct state_side sides[] = {{.title = "GOOD", .path = good},
	                             /* Of one recording two starts. */
	                             {.title = "BAD", .path = bad, .which = strcmp(good, bad) == 0}};
	struct page page;
	int rc = 0;

	a->execs = true;
	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = analysis_open(a, &r[i], sides[i].path, &options, err);
		sides[i].recording = r[i];
		if (!rc)
			rc = state_side_find(&sides[i], a->third, err);
	}
	if (!rc) {
		analysis_page(a, &page);
		rc = page_end(&page, state_diff_show(&sides[0], &sides[1], &page, a->format));
	}
	state_side_release(&sides[0]);
	state_side_release(&sides[1]);
	return rc;
}
