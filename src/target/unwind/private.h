/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An address space and the stack that is being unwound, shared by the files that serve libunwind. */
#ifndef EXECTRACE_SRC_TARGET_UNWIND_PRIVATE_H
#define EXECTRACE_SRC_TARGET_UNWIND_PRIVATE_H

#include <exectrace/target/symbol/cfi.h>
#include <exectrace/target/unwind/unwind.h>
#include <libunwind.h>

#define PAGE 4096u
#define PAGES 8u   /* kept while one stack is unwound */
#define MISSED 8u  /* addresses remembered that lie in no mapping */
#define KNOWN 512u /* addresses of which it is known whether they are a trampoline; a power of two */

/* Addresses that no program has: there libunwind finds the tables we made, that of module i at MADE_UP + i *
 * MADE_UP_STEP.
 */
#define MADE_UP 0xf000000000000000ull
#define MADE_UP_STEP (1ull << 32)

/* A file that is mapped with executable memory. */
struct unwind_module {
	struct elf *elf; /* the file, or no more than its first mapping, read from memory; NULL: free */
	uint64_t bias;
	uint64_t low, high;            /* the addresses it covers */
	uint64_t ip_low, ip_high;      /* the executable mapping */
	struct elf_unwind_table table; /* vaddrs */
	bool has_table;
	const struct elf_pair *index; /* what serves for a table at MADE_UP in a file without one */
	uint64_t index_base;          /* vaddr */
	size_t index_n;
};

#define STEPS 4096u   /* addresses whose plain rule is remembered */
#define STEP_SAVED 8u /* registers that a plain rule has at most */

/* How to get from a frame to its caller: the CFA is a register and an offset, registers are saved at offsets from it.
 */
struct step {
	uint64_t pc; /* for this address; 0: free */
	int64_t cfa_offset;
	uint8_t word;    /* bytes of a register */
	uint8_t cfa_reg; /* DWARF's number */
	uint8_t n;
	bool plain; /* false: the rules are not that plain */
	bool last;  /* there is no caller */
	struct {
		uint8_t reg;
		int64_t offset;
	} saved[STEP_SAVED];
};

/* A page of the tracee's memory. */
struct unwind_page {
	uint64_t addr; /* 1: free */
	unsigned char bytes[PAGE];
};

struct unwind_space {
	struct elf_cache *cache;
	unw_addr_space_t as;
	struct maps maps;
	struct unwind_module *modules; /* sorted by ip_low */
	size_t n_modules;
	struct unwind_module *recent; /* found last by address */
	struct elf *vdso;
	uint64_t generation;
	bool told;               /* maps and stacks are given: see unwind_space_told */
	bool beyond;             /* memory was asked for that lies behind the copy of the stack */
	bool elsewhere;          /* memory was looked at that is neither of files nor near the stack pointer */
	bool stale;              /* the maps are to be read again */
	uint64_t missed[MISSED]; /* not found even in fresh maps */
	unsigned missed_next;

	/* The stack being unwound. */
	pid_t tid;
	const struct regs *regs;
	unsigned char *stack; /* a copy of it */
	uint64_t base;        /* the address that it begins at */
	size_t len, cap;
	size_t reads;            /* how often memory was asked for */
	uint64_t top;            /* the highest address used */
	struct step *steps;      /* STEPS of them, NULL before the first */
	const struct arch *arch; /* of the registers read last */
	size_t expect;           /* bytes that stacks of this space lately needed */
	struct unwind_page pages[PAGES];
	unsigned pages_next;

	struct {
		uint64_t pc;
		bool signal;
	} known[KNOWN];
};

/* The file whose code ip is in; looks at fresh maps for an unknown one. NULL when there is none. */
struct unwind_module *space_module(struct unwind_space *space, uint64_t ip);

/* Rereads the maps when they are stale. 0 or -errno. */
int space_refresh(struct unwind_space *space);

/* Begins with a stack at sp: reads as much as was needed lately. 0; -ESRCH. */
int stack_begin(struct unwind_space *space, uint64_t sp);

/* Begins with a copy of the stack that is at sp. 0 or -ENOMEM. */
int stack_given(struct unwind_space *space, uint64_t sp, const void *stack, size_t n);

/* Learns how much of the stack was needed. */
void stack_end(struct unwind_space *space);

/*
 * Reads n bytes, up to 8, from the copy of the stack, a file, or the tracee's memory. 0 or -errno; -ELOOP when that was
 * done far too often for one stack, as unwind tables that loop make us do.
 */
int space_read(struct unwind_space *space, uint64_t addr, void *to, size_t n);

/* A register of the stack being unwound, by DWARF's number. False when there is none. */
bool space_register(const struct unwind_space *space, unsigned reg, uint64_t *value);

/*
 * step.c: the frames of a program of 64 or 32 bits, by the rules of its files. Their number, at most max (at least 1);
 * 0: libunwind has to do it.
 */
size_t walk_by_rules(struct unwind_space *space, struct unwind_frame *frames, size_t max);

/* What libunwind calls; its argument is the space. */
extern unw_accessors_t unwind_accessors;

#endif
