/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guests of a run. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUESTS_H
#define EXECTRACE_SRC_ANSWER_WHY_GUESTS_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/why/page/page.h>

/* Adds the part. */
void page_guests(const struct why *why, struct buf *out);

/* Reads the guests: all, or those of the top and of what is below it. 0; -EINVAL with a line in err; -ENOMEM. */
int page_guests_read(struct why *why, bool all, struct buf *err);
void page_guests_release(struct why *why);

/* The QEMU of a guest, and how that ended; nothing when it is not known. */
void page_guest_host_json(const struct why *why, const struct guest_story *g, struct jsonl *j);

#endif
