/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a ring as records of the file. All return 0, or what data/writer.h says. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_CORE_RECORD_H
#define EXECTRACE_SRC_RECORD_GUEST_CORE_RECORD_H

#include <exectrace/record/guest/core/drain.h>

#define RECORD_ORIGINS_MAX (1u << 16)

struct data_text record_text(const char *text);

/* True for a function that is in the file. */
static inline bool record_knows(const struct drain *d, uint32_t function)
{
	return d->known[function % FUNCTIONS_MAX / 8] >> function % 8 & 1;
}

/* An event of one word. The functions that it names are defined before it. */
int record_event(struct drain *d, uint32_t cpu, uint64_t clock, unsigned kind, uint32_t number);

/* One with words behind it, but for RING_CLOCK and RING_AFTER. */
int record_more(struct drain *d, uint32_t cpu, uint64_t clock, unsigned more, const uint64_t *words);

/* Arguments of the call that is the next record, or the result of the one that ends with it. */
int record_values(struct drain *d, uint64_t clock, const struct ring_values *values, bool returns);

/* What was left out in the call entered last: by the function that stands for it. */
int record_filtered(struct drain *d, uint64_t clock, uint64_t count, uint64_t ticks);

/* Defines all that is defined in the file, and the tasks, in another one. */
int record_all(struct drain *d, struct data_writer *to, uint64_t clock);

#endif
