/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a decoder asks of the traced process: its memory, and the paths behind its descriptors. */
#ifndef EXECTRACE_RECORD_TRACE_PROCESS_MEMORY_H
#define EXECTRACE_RECORD_TRACE_PROCESS_MEMORY_H

#include <exectrace/record/trace/process/about.h>
#include <exectrace/record/trace/process/contexts.h>
#include <exectrace/record/trace/process/paths.h>

#define SOCKETS_MAX 64u /* sockets of which it is remembered whether they are netlink ones */

/* Of one socket: inodes of sockets are not used again. */
struct netlink_socket {
	unsigned long inode; /* 0: free */
	int protocol;        /* as decoder.netlink has it */
};

struct memory {
	const struct snapshot *snapshot; /* of the thread's; where it is not whole, the process is asked */
	const struct thread *thread;     /* whose it is now */
	struct fd_paths paths;
	struct netlink_socket sockets[SOCKETS_MAX];
	struct about about;
	struct contexts *contexts; /* NULL: none are shown */
	bool partial;              /* not all calls are seen: none holds */
};

/* A decoder that looks at thread memory->tid. */
struct decoder memory_decoder(struct memory *memory, unsigned string_max);

/* The decoder says more of descriptors (enum form_fds) and of numbers of processes (enum form_pids). */
void memory_tell(struct memory *memory, struct decoder *decoder, unsigned fds, unsigned pids);

/* From now on it is that of the event's thread. */
void memory_of(struct memory *memory, const struct call_event *event);

/* Behind that: forgets the paths that the event may have changed. */
void memory_after(struct memory *memory, const struct call_event *event);

void memory_release(struct memory *memory);

#endif
