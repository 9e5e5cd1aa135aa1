/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of descriptors beside their paths, and of processes beside their numbers. */
#ifndef EXECTRACE_RECORD_TRACE_PROCESS_ABOUT_H
#define EXECTRACE_RECORD_TRACE_PROCESS_ABOUT_H

#include <exectrace/record/form/form.h>
#include <exectrace/target/decode/decode.h>
#include <exectrace/target/process/pidns.h>
#include <exectrace/target/process/sockets.h>

struct about_socket;

/* Begins as zeroes, but for what is asked for. */
struct about {
	unsigned fds;  /* set of enum form_fds */
	unsigned pids; /* set of enum form_pids */
	bool ahead;    /* the process may have run on: other files may have its descriptors */
	struct about_socket *sockets;
	struct socket_asker asker;
	struct pidns pidns;
};

/* Of a descriptor, as decoder.fd_about has it; pid: whose it is. */
void about_fd(struct about *about, pid_t pid, int fd, const char *path, struct decode_fd *to);

/* Of the number of a process as thread tid has it, as decoder.process has it. */
void about_process(struct about *about, pid_t tid, enum decode_id type, int id, struct decode_process *to);

/* The process behind a pidfd of thread tid, by our number; 0: none. */
pid_t about_pidfd(pid_t tid, int fd);

/* A call has ended: sockets may have other addresses. */
void about_changed(struct about *about, const struct syscall_call *call);

void about_release(struct about *about);

#endif
