/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's memory, by its own addresses. */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_MEMORY_H
#define EXECTRACE_RECORD_GUEST_LINUX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads n bytes at an address; false: cannot be read. */
struct guest_memory {
	bool (*read)(void *user, uint64_t address, void *to, size_t n);
	void *user;
};

/* Reads up to n bytes, page by page, as far as they are there; how many. */
size_t guest_memory_some(const struct guest_memory *memory, uint64_t address, char *to, size_t n);

#endif
