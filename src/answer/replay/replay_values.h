/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results on their way to their calls. */
#ifndef EXECTRACE_SRC_ANSWER_REPLAY_REPLAY_VALUES_H
#define EXECTRACE_SRC_ANSWER_REPLAY_REPLAY_VALUES_H

#include <exectrace/answer/replay/replay_state.h>

/* Copies what a CALL_ARGS or CALL_RESULT record has into *to, with one reference, instead of what was there. 0 or
 * -ENOMEM. */
int replay_values_keep(struct replay_kept **to, const struct data_event *event);

/* One more, or one less, who needs it (a struct replay_kept). NULL is allowed. */
void replay_values_hold(void *kept);
void replay_values_drop(void *kept);

/* What it has. */
const struct data_values *replay_kept_values(const struct replay_kept *k, bool *result);

/* Takes a SIGNATURE, CALL_ARGS or CALL_RESULT record; others are passed over. 0 or -ENOMEM. */
int replay_values_take(struct replay *p, const struct data_event *event);

/* The record that they stood before is done. */
static inline void replay_values_forget(struct replay *p)
{
	if (__builtin_expect(p->kept != NULL, 0)) {
		replay_values_drop(p->kept);
		p->kept = NULL;
	}
}

#endif
