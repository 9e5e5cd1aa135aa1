/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the entries of .eh_frame. */
#ifndef EXECTRACE_SRC_TARGET_SYMBOL_FRAMES_H
#define EXECTRACE_SRC_TARGET_SYMBOL_FRAMES_H

#include "private.h"

/* Bytes that are read one after another; running out of them is remembered. */
struct reader {
	const unsigned char *at, *end;
	bool bad;
};

/* What a CIE says of its FDEs. */
struct cie {
	unsigned char coding; /* of addresses */
	bool augmented;       /* FDEs have augmentation data */
	bool signal;
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	struct reader program; /* the rules that all FDEs begin with */
};

/* A number of n bytes, 0 at the end. */
uint64_t reader_take(struct reader *r, unsigned n);

/* Numbers in LEB128. */
uint64_t reader_leb(struct reader *r);
int64_t reader_sleb(struct reader *r);

/* A coded address. vaddr: of the place it is read from. */
uint64_t reader_coded(struct reader *r, const struct elf *elf, unsigned char coding, uint64_t vaddr);

/* Begins with the entry at `at`: its id, and a reader behind that which ends with the entry. False at the end. */
bool frames_enter(const unsigned char *at, const unsigned char *end, struct reader *r, uint64_t *id);

/* The CIE of the FDE whose id, just read by r, is given. s: .eh_frame. False when it is none that can be read. */
bool frames_cie(const struct elf *elf, const struct elf_section *s, const struct reader *r, uint64_t id,
                struct cie *cie);

#endif
