/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `why` says of a guest that guest_sample.h has recorded. */
#ifndef EXECTRACE_TESTS_UNIT_GUEST_PAGE_H
#define EXECTRACE_TESTS_UNIT_GUEST_PAGE_H

#include "guest_sample.h"

#include <exectrace/answer/why/guest/guest.h>

/* Each line is on the page; one that begins with a ! is not. json: part of its object, NULL: any. Ends the guest. */
static inline void guest_check_page(struct guest *g, const char *const lines[], const char *json)
{
	struct guest_story *story = NULL;
	struct buf err = BUF_INIT, page = BUF_INIT, object = BUF_INIT;
	struct jsonl j = {.out = &object};

	if (guest_open_recording(g) && CHECK_INT(guest_story_read(&story, g->recording, 0, &err), 0)) {
		guest_story_outcome(&page, story);
		buf_putc(&page, '\n');
		guest_story_print(&page, story, "");
		for (size_t i = 0; lines[i]; i++) {
			const bool absent = *lines[i] == '!';

			if (!CHECK(page.data && (strstr(page.data, lines[i] + absent) != NULL) != absent))
				tap_show(lines[i], page.data);
		}
		jsonl_begin(&j);
		guest_story_json(&j, story);
		CHECK_INT(jsonl_end(&j), 0);
		if (!CHECK(object.data && (!json || strstr(object.data, json))))
			tap_show("object:", object.data);
	}
	guest_story_free(story);
	buf_release(&err);
	buf_release(&page);
	buf_release(&object);
	guest_end(g);
}

#endif
