/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says of processes beside their calls. */
#ifndef EXECTRACE_RECORD_COMMON_PROCESSES_H
#define EXECTRACE_RECORD_COMMON_PROCESSES_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>
#include <sys/types.h>

/* The name of a thread. 0 or -errno. */
int process_comm(pid_t tid, struct buf *name);

/* The program of a process: the file, and *n words of its argument vector, each ended by a NUL. 0 or -errno. */
int process_program(pid_t tid, struct buf *path, struct buf *words, uint32_t *n);

/* Fills what a siginfo of SIGINFO_BYTES tells beside the number. */
void process_signal(const void *info, struct data_signal *to);

#endif
