/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the guest's kernel. */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_KERNEL_H
#define EXECTRACE_RECORD_GUEST_LINUX_KERNEL_H

#include <exectrace/record/guest/core/functions.h>
#include <exectrace/record/guest/core/ram.h>
#include <exectrace/target/symbol/kallsyms.h>
#include <stdbool.h>
#include <stdint.h>

/* What begins where a block begins. */
enum kernel_entry {
	KERNEL_NOTHING,
	KERNEL_FUNCTION,
	KERNEL_INTERRUPT, /* or exception */
	KERNEL_APART,     /* an exception that always has a stack of its own (IST) */
};

struct kernel {
	struct kallsyms table;
	struct origin *origin;
	uint64_t start, end;             /* of its image, addresses of the guest */
	uint64_t entry_start, entry_end; /* of the code that is entered and left in other ways than by calls */
	bool has_fork_asm;               /* ret_from_fork is a function, not a label */
	int64_t host;                    /* of its image: add it to an address for where that is in this process */
	unsigned tries;                  /* left */
	const char *file;                /* a vmlinux or System.map, for what is not in memory; NULL: none */
};

#define KERNEL_TRIES 16
#define KERNEL_PADDING 16 /* bytes in front of a function, at most (CONFIG_FUNCTION_PADDING_BYTES) */

/* True for an address in the upper half, where the kernel is. */
static inline bool kernel_address(uint64_t address)
{
	return address >> 63;
}

/*
 * Reads the symbols when this block of code is the kernel's and they are not known yet: those in its memory, and those
 * of the file when it belongs to this kernel. True: now they are known. Says what cannot be used.
 */
bool kernel_find(struct kernel *k, const struct ram *ram, uint64_t address, const void *host);

/*
 * True for the name of what is in front of a function: room that is left there, where the kernel may put code that runs
 * before each call of it (CONFIG_CALL_DEPTH_TRACKING, CONFIG_FINEIBT).
 */
bool kernel_padding(const char *name);

/* What begins at an address, with its function for all but KERNEL_NOTHING. What is in front of it begins it, too. */
enum kernel_entry kernel_look(const struct kernel *k, uint64_t address, struct function *function);

#endif
