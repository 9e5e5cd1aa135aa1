/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording that is written. What fails is told by the functions' results: 0, -ENOMEM, -errno of a write. */
#ifndef EXECTRACE_SRC_RECORD_IMPORT_PRODUCT_H
#define EXECTRACE_SRC_RECORD_IMPORT_PRODUCT_H

#include "lines.h"
#include <exectrace/format/data/intern.h>
#include <exectrace/format/data/writer.h>
#include <exectrace/record/import/import.h>

struct product {
	struct data_writer *writer;
	struct import_counts *counts;
	struct intern functions; /* by address, or by name where there is no address: their numbers */
	uint8_t *defined;        /* by number: its record is written */
	size_t room;             /* of `defined` */
	uint64_t stack;          /* the records happen on it, ... */
	uint32_t cpu;            /* ... on this CPU */
	bool any;                /* there was a switch */
	uint64_t clock;          /* of the last record */
};

/*
 * Begins a file on fd, which stays the caller's; `kind` is what its clock counts (enum data_clock_kind), `hz` how fast.
 */
int product_open(struct product *made, int fd, uint32_t kind, uint64_t hz, struct import_counts *counts);

/* Writes what is left. With rc, the result of reading the log, not 0: gives up instead. rc, or what failed. */
int product_close(struct product *made, int rc);

/* The number of the function with this address or, when that is 0, this name; not 0. */
int product_number(struct product *made, uint64_t address, struct span name, uint64_t *id);

/* Whether the function with this number, one of product_number, has a record. */
static inline bool product_defined(const struct product *made, uint64_t id)
{
	return id < made->room && made->defined[id];
}

/* Writes a function's record, the first time. */
int product_define(struct product *made, const struct data_function *function);

/* The records that follow happen on this stack and CPU, from `clock` on. */
static inline int product_on(struct product *made, uint64_t clock, uint64_t stack, uint32_t cpu)
{
	made->clock = clock;
	if (made->any && made->stack == stack && made->cpu == cpu)
		return 0;
	made->any = true;
	made->stack = stack;
	made->cpu = cpu;
	return data_writer_switch(made->writer, clock, stack, cpu);
}

/* Says that a stack is that of a task. */
int product_task(struct product *made, uint64_t stack, uint32_t pid);

/* Says what the clock of a CPU was when its last record was over. */
int product_until(struct product *made, uint64_t clock, uint32_t cpu);

/* Adds a note for the reader of the recording. */
int product_note(struct product *made, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
