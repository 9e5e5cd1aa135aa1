/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A replay of what a control_config wants only: records go through a gate (format/gate/gate.h) before they are looked
 * at.
 */
#ifndef EXECTRACE_SRC_ANSWER_REPLAY_REPLAY_GATE_H
#define EXECTRACE_SRC_ANSWER_REPLAY_REPLAY_GATE_H

#include <exectrace/answer/replay/replay_state.h>

/* Makes p->gate when options.control has rules. 0; -EINVAL with a line in why: the clock has no time; -ENOMEM. */
int replay_gate_init(struct replay *p, struct buf *why);
void replay_gate_free(struct replay *p);

/* A new run through the recording. 0 or -ENOMEM. */
int replay_gate_begin(struct replay *p);

/* True for records that have a place among calls. */
bool replay_gate_is_for(uint8_t type);

/* Gives such a record to the gate, which calls replay_apply. 0, -ENOMEM, what the sink returned; so does the other. */
int replay_gate_take(struct replay *p, const struct data_event *event);

/* The end of the recording: what waits is given out, and a note says what was counted. */
int replay_gate_end(struct replay *p);

#endif
