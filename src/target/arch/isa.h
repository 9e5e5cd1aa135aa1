/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables, one file an instruction set; arch.c is the only one that lists them. */
#ifndef EXECTRACE_SRC_TARGET_ARCH_ISA_H
#define EXECTRACE_SRC_TARGET_ARCH_ISA_H

#include <exectrace/target/arch/arch.h>

extern const struct arch arch_x86_64;
extern const struct arch arch_i386;
extern const struct arch arch_x32;
extern const struct arch arch_aarch64;

#endif
