/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the sampler share. */
#ifndef EXECTRACE_SRC_RECORD_SAMPLE_PRIVATE_H
#define EXECTRACE_SRC_RECORD_SAMPLE_PRIVATE_H

#include "image.h"
#include "queue.h"
#include "session.h"
#include <exectrace/format/data/writer.h>
#include <exectrace/record/common/places.h>
#include <exectrace/record/common/stacktable.h>
#include <exectrace/record/sample/sample.h>

#define SAMPLE_FRAMES 512u /* of a stack at most, with those of the kernel */
#define COMM_BYTES 64u     /* of a thread's name: the kernel has 16, and 64 for its own threads */
#define BUCKETS 256u

struct sampled_process {
	struct sampled_process *next;
	pid_t pid;
	struct image *image;
	pid_t *tids; /* of the threads that are there */
	size_t n, cap;
	bool executes;         /* a new program whose file is not known yet ... */
	char comm[COMM_BYTES]; /* ... has this name */
};

struct sampler {
	const struct sample_options *options;
	struct session session;
	int fd;
	struct data_writer *writer;
	struct queue queue;
	struct code_files files;
	struct images images;
	struct places places;
	struct stack_table table;
	bool kernel_read; /* a frame of it was there */
	struct unwind_frame frames[SAMPLE_FRAMES];
	struct sampled_process *processes[BUCKETS];
	uint64_t now;     /* of what is being recorded */
	uint64_t flushed; /* clock_now */
	uint64_t told;    /* lost records that are in the file */
	struct sample_result result;
	int error; /* of a definition that was written meanwhile */
};

/* Adds a record with the present time. 0 or -errno. */
int sampler_put(struct sampler *s, struct data_event *event);

/* --- tasks.c: processes and threads ------------------------------------------------------------------------------ */

/* Records the process that was attached to. 0 or -errno. */
int tasks_introduce(struct sampler *s, pid_t pid);

/* What the kernel tells of processes. 0 or -errno. */
int tasks_on_fork(struct sampler *s, const struct ring_record *record);
int tasks_on_exit(struct sampler *s, const struct ring_record *record);
int tasks_on_comm(struct sampler *s, const struct ring_record *record);
int tasks_on_map(struct sampler *s, const struct ring_record *record);

/* The process of a thread; both are recorded if they were not known. NULL without memory, or after a failed write. */
struct sampled_process *tasks_of(struct sampler *s, pid_t pid, pid_t tid);

void tasks_release(struct sampler *s);

/* --- frames.c: stacks --------------------------------------------------------------------------------------------- */

/* Records a sample. 0 or -errno. */
int frames_on_sample(struct sampler *s, const struct ring_record *record);

/* Records the names of functions that have none yet. 0 or -ENOMEM. */
int frames_name(struct sampler *s);

#endif
