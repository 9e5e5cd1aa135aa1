/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information (DWARF 5, 6.4, in the form of .eh_frame): how the registers of the caller are found. Pure:
 * what is in registers and memory is the caller's business. Registers have DWARF's numbers.
 */
#ifndef EXECTRACE_TARGET_SYMBOL_CFI_H
#define EXECTRACE_TARGET_SYMBOL_CFI_H

#include <exectrace/target/symbol/elf.h>

#define CFI_REGISTERS 17 /* of x86: the general ones and the return address; rules for others are skipped */

enum cfi_how {
	CFI_SAME,             /* as it is */
	CFI_UNDEFINED,        /* not to be known; of the return address: this is the outermost frame */
	CFI_SAVED,            /* in memory, at CFA + value */
	CFI_CFA,              /* CFA + value */
	CFI_REGISTER,         /* register `reg` + value */
	CFI_SAVED_EXPRESSION, /* in memory, at what the expression gives */
	CFI_EXPRESSION,       /* what the expression gives */
};

struct cfi_rule {
	enum cfi_how how;
	uint32_t reg; /* below CFI_REGISTERS */
	int64_t value;
	const unsigned char *expression; /* DWARF operations, in the file: valid as long as the elf is */
	size_t n;                        /* bytes of them */
};

/* What holds at one instruction. */
struct cfi_row {
	struct cfi_rule cfa; /* CFI_REGISTER or CFI_EXPRESSION */
	struct cfi_rule registers[CFI_REGISTERS];
	uint32_t return_register; /* which of them is the return address */
	bool signal;              /* the frame of a signal trampoline */
};

/*
 * The rules at vaddr. 0; -ENOENT when there is no information about it; -EBADMSG when that is malformed or has
 * operations that are not known.
 */
int cfi_find(struct elf *elf, uint64_t vaddr, struct cfi_row *row);

/* A frame that rules are applied to. */
struct cfi_frame {
	unsigned word; /* bytes of a register and of an address: 4 or 8 */
	unsigned n;    /* registers that are known */
	uint64_t registers[CFI_REGISTERS];
	/* Reads a word of memory; false when there is none. May write to *value only when it returns true. */
	bool (*read)(void *user, uint64_t address, uint64_t *value);
	void *user;
};

/*
 * What a rule gives, in words of the frame. cfa: of the frame, 0 while the rule of the CFA itself is applied. False
 * when it gives nothing: CFI_SAME, CFI_UNDEFINED, memory that cannot be read, an expression that cannot be evaluated.
 */
bool cfi_value(const struct cfi_rule *rule, const struct cfi_frame *frame, uint64_t cfa, uint64_t *value);

#endif
