/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks of a guest that were stopped by a signal at the end. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_STUCK_STOPPED_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_STUCK_STOPPED_H

#include <exectrace/answer/why/guest/programs/tell.h>

/* Whether it was. */
bool stopped_is(const struct guest_stuck *s);

/* Finds who sent the signal. What fails is kept in t->err. */
void stopped_tell(struct tell *t, struct guest_stuck *s);

/* Adds ": SIGSTOP was sent at 7.7s by governor [83]"; nothing when nobody is known. */
void stopped_print(struct buf *out, const struct guest_story *g, const struct guest_stuck *s);
void stopped_json(struct jsonl *j, const struct guest_stuck *s);

#endif
