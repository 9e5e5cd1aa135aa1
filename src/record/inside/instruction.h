/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 instructions, as far as a patch has to know of them. */
#ifndef EXECTRACE_SRC_RECORD_INSIDE_INSTRUCTION_H
#define EXECTRACE_SRC_RECORD_INSIDE_INSTRUCTION_H

#include "sites.h"

/*
 * How long the instruction before the `syscall` at text + TEXT_BEFORE is, if it is one that a patch can move, and
 * nothing speaks for another reading of these bytes; 0: it cannot. nr: what was in rax at the call.
 */
unsigned instruction_before(const unsigned char *text, uint64_t nr);

/* Bytes of the instruction at p, of which max are there; 0: not known. */
unsigned instruction_length(const unsigned char *p, unsigned max);

#endif
