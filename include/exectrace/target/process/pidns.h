/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of processes of other namespaces (pid_namespaces(7)), and names of processes. */
#ifndef EXECTRACE_TARGET_PROCESS_PIDNS_H
#define EXECTRACE_TARGET_PROCESS_PIDNS_H

#include <stdint.h>
#include <sys/types.h>

#define PIDNS_ENTRIES 256u /* numbers that are remembered */
#define PROC_COMM_MAX 16   /* bytes of a name, with the NUL */

/* What a number means. */
enum pidns_type { PIDNS_TID, PIDNS_TGID, PIDNS_PGID, PIDNS_SID, PIDNS_TYPES };

/* Begins as zeroes. */
struct pidns {
	uint64_t own; /* our namespace, by its inode */
	struct pidns_entry {
		uint64_t ns;
		enum pidns_type type;
		int id;
		pid_t witness; /* a process with that number, by ours */
	} entries[PIDNS_ENTRIES];
};

/* Our number for that of the namespace in which thread tid is. 0: there is none, or it cannot be found out. */
pid_t pidns_find(struct pidns *ns, pid_t tid, enum pidns_type type, int id);

/* The name of a thread, by our number. 0, or -errno and "". */
int proc_comm(pid_t tid, char comm[PROC_COMM_MAX]);

#endif
