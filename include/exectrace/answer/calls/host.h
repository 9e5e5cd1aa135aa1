/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of a process goes, a QEMU above all: its system calls, an ioctl by its request, apart by what the
 * threads are for; and its threads, with their time in calls and on processors.
 */
#ifndef EXECTRACE_ANSWER_CALLS_HOST_H
#define EXECTRACE_ANSWER_CALLS_HOST_H

#include <exectrace/answer/recording/recording.h>

/* What a thread is for, as its name, its calls and its functions tell. */
enum host_role {
	HOST_OTHER,
	HOST_MAIN,     /* the first thread of a process */
	HOST_VCPU,     /* it runs the guest */
	HOST_IOTHREAD, /* it serves devices of the guest */
	HOST_WORKER,   /* of a pool, for what would block */
	HOST_RCU,      /* QEMU's call_rcu */
};

/* "vCPU", "main loop", ...; "" for HOST_OTHER. */
const char *host_role_name(enum host_role role);

/* A call as made by all threads of a role. */
struct host_call {
	const char *name; /* "ppoll", "ioctl KVM_RUN" */
	enum host_role role;
	uint64_t count, errors;
	uint64_t total, max; /* ns */
};

struct host_thread {
	enum host_role role;
	uint32_t pid, tid;
	const char *comm;          /* the last one */
	uint64_t calls, errors;    /* how many, and those that failed */
	uint64_t in_calls;         /* ns */
	uint64_t samples, sampled; /* how many, ns on processors */
};

struct host;

/* A new one; the recording has to be opened with names, and to outlive it. NULL: no memory. */
struct host *host_new(struct recording *r);

/* Frees it and its rows. NULL is allowed. */
void host_free(struct host *h);

/* Adds a call or a sample; others are passed over. 0 or -ENOMEM. */
int host_add(struct host *h, const struct recorded_event *event);

/* The calls, once all is added, those with most time first. 0 or -ENOMEM. */
int host_calls(struct host *h, const struct host_call **calls, size_t *n);

/* The threads, those with most time on processors, then in calls, first. */
const struct host_thread *const *host_threads(struct host *h, size_t *n);

/* All of them together. */
struct host_thread host_total(const struct host *h);

#endif
