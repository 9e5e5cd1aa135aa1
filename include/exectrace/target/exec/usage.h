/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several sources tell of what a process used, put together. */
#ifndef EXECTRACE_TARGET_EXEC_USAGE_H
#define EXECTRACE_TARGET_EXEC_USAGE_H

#include <exectrace/target/exec/print.h>

/*
 * Sets the processor time. total: exact, ns, or 0 when only the others are there; user, system: as the kernel counted
 * them by its ticks, which say how the total is divided (cputime_adjust, kernel/sched/cputime.c).
 */
void exec_usage_set_cpu(struct exec_usage *usage, uint64_t total, uint64_t user, uint64_t system);

/* Adds what usage does not know, and from does. */
void exec_usage_complete(struct exec_usage *usage, const struct exec_usage *from);

/* True when anything is known. */
bool exec_usage_known(const struct exec_usage *usage);

/* Adds ", cpu 1.10ms, 3.2M" as far as it is known. 0 or -ENOMEM. */
int exec_usage_print(struct buf *out, const struct exec_usage *usage);

/* Adds a size in bytes with a unit and two digits or more: "812", "3.2K", "32M". 0 or -ENOMEM. */
int exec_usage_print_size(struct buf *out, uint64_t bytes);

#endif
