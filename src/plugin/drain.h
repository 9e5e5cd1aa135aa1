/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that takes events out of the rings and writes them to the file. */
#ifndef EXECTRACE_SRC_PLUGIN_DRAIN_H
#define EXECTRACE_SRC_PLUGIN_DRAIN_H

#include "functions.h"
#include "ring.h"
#include <exectrace/data/writer.h>
#include <pthread.h>

#define DRAIN_CPUS 256

/* What is known of one vCPU's ring. */
struct drain_cpu {
	struct ring *ring;
	uint64_t clock; /* of its last event */
	uint32_t stack; /* in use; 0: none yet */
	bool busy;      /* is being read: it cannot wait for itself */
};

struct drain {
	struct functions *functions;
	struct data_writer *writer;
	int fd;
	_Atomic(struct drain_cpu *) cpus[DRAIN_CPUS];
	uint32_t last;  /* of the vCPU whose event was written last, plus 1 */
	uint8_t *known; /* a bit for each function that is in the file */
	uint8_t *known_origins;
	uint64_t flushed; /* clock_now when a block was written last */
	int error;        /* of a write, 0: none */
	pthread_t thread;
	bool running;
	_Atomic bool stop;
};

/* Creates the file and writes its header. 0 or -errno. */
int drain_open(struct drain *d, struct functions *functions, const char *path, const struct data_facts *facts);

/* Adds a vCPU's ring. 0 or -errno. */
int drain_add(struct drain *d, uint32_t cpu, struct ring *ring);

/* Starts the thread. 0 or -errno. */
int drain_start(struct drain *d);

/* Writes what is in the rings by now. For tests, and the thread. 0, or what a write failed with. */
int drain_run(struct drain *d);

/* Ends the thread; writes what is left and the note; closes the file and frees what the drain has. 0, or what a write
 * failed with at any time. */
int drain_end(struct drain *d, const char *note);

#endif
