/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of the events is wanted, on its way from the rings to the file. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_CORE_FILTER_STAGE_H
#define EXECTRACE_SRC_RECORD_GUEST_CORE_FILTER_STAGE_H

#include <exectrace/record/guest/core/drain.h>

/* An event of one word, and one with more. 0, or what the writer, or no memory, made of it. */
int filter_stage_take(struct drain *d, uint32_t cpu, uint64_t clock, unsigned kind, uint32_t number,
                      struct ring_values *values);
int filter_stage_more(struct drain *d, uint32_t cpu, struct drain_cpu *c, unsigned more, const uint64_t *words);

void filter_stage_release(struct drain *d);

#endif
