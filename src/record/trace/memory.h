/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a decoder asks of the traced process: its memory, and the paths behind its descriptors. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_MEMORY_H
#define EXECTRACE_SRC_RECORD_TRACE_MEMORY_H

#include <exectrace/record/calls/call.h>
#include <exectrace/target/syscalls/filter.h>

#define PATHS_MAX 64u   /* descriptors remembered */
#define SOCKETS_MAX 64u /* sockets of which it is remembered whether they are netlink ones */

/* Of one descriptor. */
struct fd_path {
	pid_t tgid; /* 0: free */
	int fd;
	struct buf path;
};

/* Of one socket: inodes of sockets are not used again. */
struct netlink_socket {
	unsigned long inode; /* 0: free */
	int protocol;        /* as decoder.netlink has it */
};

struct memory {
	pid_t tid; /* whose it is now */
	pid_t tgid;
	const struct snapshot *snapshot; /* of the thread's; where it is not whole, the process is asked */
	struct fd_path paths[PATHS_MAX];
	struct netlink_socket sockets[SOCKETS_MAX];
	struct syscall_filter keeps; /* calls after which they still hold */
	bool partial;                /* not all calls are seen: none holds */
};

/* A decoder that looks at thread memory->tid. */
struct decoder memory_decoder(struct memory *memory, unsigned string_max);

/* From now on it is this thread's. */
void memory_of(struct memory *memory, const struct thread *thread);

/* A call has ended: forgets the paths that it may have changed. */
void memory_after(struct memory *memory, const struct thread *thread);

void memory_release(struct memory *memory);

#endif
