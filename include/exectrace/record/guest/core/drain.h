/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that takes events out of the rings and writes them to the file. */
#ifndef EXECTRACE_RECORD_GUEST_CORE_DRAIN_H
#define EXECTRACE_RECORD_GUEST_CORE_DRAIN_H

#include <exectrace/format/data/writer.h>
#include <exectrace/format/gate/gate.h>
#include <exectrace/record/guest/core/functions.h>
#include <exectrace/record/guest/core/output.h>
#include <exectrace/record/guest/core/ring.h>
#include <pthread.h>
#include <regex.h>

#define DRAIN_CPUS 256

/* What is known of one vCPU's ring. */
struct drain_cpu {
	struct ring *ring;
	uint64_t clock;             /* of its last event */
	uint32_t stack;             /* in use; 0: none yet */
	bool busy;                  /* is being read: it cannot wait for itself */
	struct ring_values *values; /* of its next call or, when `returns` is set, return; NULL: none */
	bool returns;
};

/* A task as RING_TASK told of it last; all 0: never. */
struct drain_task {
	uint64_t words[6];
};

struct flight;

struct drain {
	struct functions *functions;
	struct data_writer *writer;
	int fd;
	_Atomic(struct drain_cpu *) cpus[DRAIN_CPUS];
	uint32_t last;  /* of the vCPU whose event was written last, plus 1 */
	uint8_t *known; /* a bit for each function that is in the file */
	uint8_t *known_origins;
	uint8_t *typed;    /* a bit for each function whose signature is in the file */
	struct gate *gate; /* NULL: all is wanted */
	uint8_t *judged;   /* with it: a bit for each function that it has heard of, ... */
	uint32_t filtered; /* ... the function that stands for what is left out, ... */
	regex_t task;      /* ... and names of tasks that are wanted */
	bool has_task;
	struct flight *flight;    /* NULL: all that is written stays */
	struct drain_task *tasks; /* with it: by number of the stack */
	uint64_t n_tasks;
	uint64_t taken;   /* words of all rings */
	uint64_t flushed; /* clock_now when a block was written last */
	int error;        /* of a write, 0: none */
	pthread_t thread;
	bool running;
	_Atomic bool stop;
};

/* Creates the file and writes its header. 0 or -errno. */
int drain_open(struct drain *d, struct functions *functions, const struct output *to, const struct data_facts *facts);

/*
 * Before any event: what of them is wanted (filter_stage.c), in ticks of the second clock; `filtered` is the number of
 * the function that stands for what is left out. And that only the last `size` bytes of events stay in the file
 * (flight.c). 0 or -errno.
 */
int drain_control(struct drain *d, const struct control_config *config, uint64_t hz, uint32_t filtered);
int drain_flight(struct drain *d, const struct output *to, const struct data_facts *facts, uint64_t size);

/* Adds a vCPU's ring. 0 or -errno. */
int drain_add(struct drain *d, uint32_t cpu, struct ring *ring);

/* Starts the thread. 0 or -errno. */
int drain_start(struct drain *d);

/* Writes what is in the rings by now. For tests, and the thread. 0, or what a write failed with. */
int drain_run(struct drain *d);

/* Ends the thread and writes what is in the rings. 0, or what a write failed with at any time. */
int drain_stop(struct drain *d);

/* Adds a system call that has not returned, as RING_UNFINISHED has it. After drain_stop. As drain_run. */
int drain_unfinished(struct drain *d, const uint64_t words[12]);

/* Adds what the kernel logged, when a vCPU's clock was so; it is freed. After drain_stop. As drain_run. */
int drain_message(struct drain *d, uint32_t cpu, uint64_t clock, struct ring_message *message);

/* Ends the thread; writes what is left and the note; closes the file and frees what the drain has. 0, or what a write
 * failed with at any time. */
int drain_end(struct drain *d, const char *note);

#endif
