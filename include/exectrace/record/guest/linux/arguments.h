/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments and results of functions by the types that the kernel, a module or a program's file has of them, and by the
 * rules by which they are passed (System V ABI, AMD64 supplement, 3.2.3). What pointers lead to is read as it is at
 * this moment.
 */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_ARGUMENTS_H
#define EXECTRACE_RECORD_GUEST_LINUX_ARGUMENTS_H

#include <exectrace/base/buf.h>
#include <exectrace/record/guest/core/arguments.h>
#include <exectrace/record/guest/dwarf/debuginfo.h>
#include <exectrace/record/guest/linux/memory.h>
#include <exectrace/target/symbol/btf.h>

#define ARGUMENTS_DEPTH_MAX 8 /* levels of structures */

/*
 * What is to be read of a function: by its type in btf, or, when that is NULL or has no such function, its registers.
 * btf has to stay. malloc'ed, NULL: no memory.
 */
struct arguments *arguments_of(struct btf *btf, const char *name);

/* Likewise of a program's function, of which its types have to stay. */
struct arguments *arguments_of_program(const struct debug_function *function);

/*
 * Reads the arguments where the function begins, or its result where it ends. registers: the 16 general ones, in the
 * order of their numbers. depth: levels of structures behind pointers; 0: pointers stay numbers. The caller has the one
 * reference. NULL: no memory.
 */
struct ring_values *arguments_read(const struct arguments *a, const uint64_t *registers,
                                   const struct guest_memory *memory, unsigned depth);
struct ring_values *arguments_read_result(const struct arguments *a, const uint64_t *registers,
                                          const struct guest_memory *memory, unsigned depth);

#endif
