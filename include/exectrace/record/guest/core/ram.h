/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's memory as it lies in this process. Every read is checked, and one that faults is an error only. */
#ifndef EXECTRACE_RECORD_GUEST_CORE_RAM_H
#define EXECTRACE_RECORD_GUEST_CORE_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct ram {
	uintptr_t base; /* 0: not known */
	uint64_t size;
	unsigned tries;             /* left */
	uintptr_t small, small_end; /* a mapping that was looked at and is too small */
	FILE *maps;                 /* /proc/self/maps; NULL: it cannot be opened, or is no longer needed */
	int err;                    /* why it cannot */
};

#define RAM_TRIES 256

/* Before QEMU gives up its rights, or goes to another root directory. */
void ram_init(struct ram *ram);

/* Looks in /proc/self/maps for the mapping that holds `host`, if it is large enough to be the guest's memory. */
bool ram_find(struct ram *ram, const void *host);

/* True when all n bytes at `host` are the guest's memory. */
bool ram_holds(const struct ram *ram, uintptr_t host, size_t n);

/* Copies n bytes at `host`, which have to be the guest's memory. */
bool ram_read(const struct ram *ram, uintptr_t host, void *to, size_t n);

/* While a vCPU runs and waits for it: then the memory is there, and nobody has to be asked. */
static inline bool ram_copy(const struct ram *ram, uintptr_t host, void *to, size_t n)
{
	if (!ram_holds(ram, host, n))
		return false;
	memcpy(to, (const void *)host, n);
	return true;
}

/* Copies n bytes of this process, through the kernel. False: not all of them are there. */
bool ram_peek(uintptr_t host, void *to, size_t n);

#endif
