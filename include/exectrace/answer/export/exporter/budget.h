/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much may be written. What is exported is gone through twice: the first time everything is measured, then the
 * shortest calls are folded away: their time is that of the calls around them, so that sums stay what they are.
 */
#ifndef EXECTRACE_ANSWER_EXPORT_EXPORTER_BUDGET_H
#define EXECTRACE_ANSWER_EXPORT_EXPORTER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget;

/* What is folded away. */
struct budget_folded {
	uint64_t events, time; /* how many, and their own times together, ns (or ticks that are no time) */
	uint64_t kept;         /* events that stay */
	uint64_t below;        /* what is folded is shorter than that; 0: nothing is */
	uint64_t fixed;        /* bytes that cannot be folded */
};

/* "200000": that many events; "50M", "800k", "1.5G": so many bytes, in powers of 1024. 0 or -EINVAL. */
int budget_parse(const char *text, uint64_t *bytes, uint64_t *events);

/* One of these is 0. *ret is set on success only. 0 or -ENOMEM. */
int budget_new(struct budget **ret, uint64_t bytes, uint64_t events);

/* Frees it. NULL is allowed. */
void budget_free(struct budget *b);

/* True the first time. */
bool budget_measures(const struct budget *b);

/* The first time: an event of this length, of which `time` is its own, takes so many bytes. */
void budget_add(struct budget *b, uint64_t length, uint64_t time, uint64_t bytes);

/* The first time: so many bytes are written whatever is folded. */
void budget_add_fixed(struct budget *b, uint64_t bytes);

/* Ends the first time: settles what is folded. */
void budget_settle(struct budget *b);

/* The second time: is an event of this length folded away? */
bool budget_folds(const struct budget *b, uint64_t length);

/* What is folded away in all; after budget_settle. */
struct budget_folded budget_folded(const struct budget *b);

#endif
