/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's view of the guest's memory: its own page tables (init_top_pgt), and where physical pages are. */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_PAGES_H
#define EXECTRACE_RECORD_GUEST_LINUX_PAGES_H

#include <exectrace/record/guest/linux/kernel.h>
#include <stdatomic.h>

#define PAGE_BYTES 4096u
#define PAGES_KNOWN 64 /* places of struct pages that are remembered; a power of two */

struct pages {
	const struct ram *ram;
	uintptr_t root;  /* of the page tables, in this process; 0: not known */
	unsigned levels; /* 4 or 5 */
	uint64_t low;    /* bytes of memory below the hole before 4 GiB; the rest begins at 4 GiB */
	uint64_t memmap; /* address of the first struct page */
	uint64_t direct; /* address at which all memory is mapped, one behind the other; 0: not known */
	bool scattered;  /* they are not there */
	/* Where 2 MiB of them are, once looked up, for they stay there; 0: not known. As pack() has it. */
	_Atomic uint64_t known[PAGES_KNOWN];
	struct {
		uintptr_t root, memmap, frames, five, direct;
	} at; /* of what the kernel has of these, in this process; 0: it does not tell */
};

/* Looks up where the kernel keeps it. */
void pages_init(struct pages *pages, const struct kernel *k, const struct ram *ram);

/* Reads it. False: the kernel does not tell, or has not set it up yet. */
bool pages_find(struct pages *pages);

/* Where a physical address is in this process; 0: it is no memory. */
uintptr_t pages_host(const struct pages *pages, uint64_t physical);

/* The physical address of a place in this process; UINT64_MAX: it is no memory of the guest. */
uint64_t pages_physical(const struct pages *pages, uintptr_t host);

/*
 * Copies n bytes at an address of the kernel while a vCPU runs and waits for it, when they are where all memory is
 * mapped, as what the kernel has allocated mostly is. False: they are not.
 */
static inline bool pages_copy(const struct pages *pages, uint64_t address, void *to, size_t n)
{
	uint64_t physical = address - pages->direct;

	return pages->direct && address >= pages->direct && physical < pages->low && n <= pages->low - physical &&
	       ram_copy(pages->ram, pages->ram->base + physical, to, n);
}

/* Copies n bytes at an address of the kernel. */
bool pages_read(struct pages *pages, uint64_t address, void *to, size_t n);

#endif
