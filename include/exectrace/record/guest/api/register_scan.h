/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's registers without a call for each: QEMU keeps them as 16 words in its state of a CPU, which at the
 * beginning of a block, and where memory is accessed, are what the guest has. Where they are is found by asking for
 * them once in the way of its gdb stub. Builds that do not export that function have no registers for us.
 */
#ifndef EXECTRACE_RECORD_GUEST_API_REGISTER_SCAN_H
#define EXECTRACE_RECORD_GUEST_API_REGISTER_SCAN_H

#include <exectrace/record/guest/api/qemu.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in QEMU's own state of a CPU the general registers are. */
struct registers {
	size_t offset; /* 0: not known */
	size_t candidate;
	unsigned seen;  /* how often the candidate was right */
	unsigned tries; /* left */
};

/* Looks for the registers; true when they are known. In the thread of a vCPU, between two blocks. */
bool registers_find(struct registers *r, const struct qemu *q);

/* Those of a vCPU; NULL: not known. */
const uint64_t *registers_of(const struct registers *r, const struct qemu *q, unsigned vcpu, void **cpu);

#endif
