/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From rows of KFT, each a call with its duration, to calls and returns in order of their time. */
#ifndef EXECTRACE_SRC_RECORD_IMPORT_KFT_H
#define EXECTRACE_SRC_RECORD_IMPORT_KFT_H

#include "product.h"

#define KFT_UNKNOWN UINT64_MAX /* the end of a call that was not seen */
#define KFT_INTERRUPT (-1)     /* the process id in an interrupt */

/* A row. */
struct kft_row {
	uint64_t entry; /* us since the start */
	uint64_t end;   /* KFT_UNKNOWN */
	int64_t pid;    /* KFT_INTERRUPT */
	uint32_t cpu;
	uint64_t function; /* its number */
	uint64_t caller;   /* 0: unknown */
};

/* A call that has not ended. */
struct kft_call {
	uint64_t end;
	uint64_t function;
	bool interrupt;
};

/* A stack: of a process, or of a CPU that is idle or in an interrupt that interrupts nothing. */
struct kft_stack {
	uint64_t id;
	uint32_t cpu; /* it was on last */
	struct kft_call *calls;
	size_t n, cap;
};

/* The end of a call, which is the innermost one of its stack whose end is known when its time has come. */
struct kft_end {
	uint64_t time, order;
	size_t stack;
};

struct kft {
	struct product *out;
	struct intern ids; /* of stacks: their numbers are places in `stacks`, plus 1 */
	struct kft_stack *stacks;
	size_t n, cap;
	struct kft_end *ends; /* a binary heap, the earliest first */
	size_t n_ends, cap_ends;
	uint64_t orders;
	size_t running[256]; /* by CPU: the stack that runs there, plus 1; 0: none */
	uint64_t now;
};

/* Adds a row: nothing comes before the rows that were added. 0, -ENOMEM, -errno of a write. */
int kft_add(struct kft *k, const struct kft_row *row);

/* Ends the calls whose end is known. The others stay open. */
int kft_finish(struct kft *k);

void kft_release(struct kft *k);

#endif
