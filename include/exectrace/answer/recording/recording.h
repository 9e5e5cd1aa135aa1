/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was recorded, as one stream of events: a directory (run.json, execs.jsonl, a .xtr file for each picked process)
 * or a single .xtr file. Nothing is held but what processes, threads, names and stacks need. Times are ns of
 * CLOCK_MONOTONIC on the machine of the recording. What the files hold may be anything: what is wrong with one becomes
 * a note, and the others are read on.
 */
#ifndef EXECTRACE_ANSWER_RECORDING_RECORDING_H
#define EXECTRACE_ANSWER_RECORDING_RECORDING_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <exectrace/format/data/record.h>
#include <exectrace/target/exec/print.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_DEFAULT "exectrace.data" /* where a run records when it is not told */

struct recording;

/* How to read; all 0 is the default. */
struct recording_options {
	bool names;     /* recording_stack will be asked: names, which stand at the end of a file, are read first */
	bool no_guests; /* leave out the files with the calls of guests */
	bool by_files;  /* one file after the other instead of all by time: faster when the order does not matter */
	/* Told now and then that `done` of `total` bytes have been read; done starts over when the files do. NULL:
	 * nobody.
	 */
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
};

/* A .xtr file. */
struct recorded_file {
	const char *path;
	uint32_t pid;      /* of the picked process; 0: unknown */
	uint32_t arch;     /* AUDIT_ARCH_... of the machine */
	const char *host;  /* its name; "" unknown */
	uint64_t start;    /* a time ... */
	uint64_t realtime; /* ... and CLOCK_REALTIME then, ns since 1970; 0: unknown */
	/* Of the calls of a guest, which answer/replay/replay.h reads. */
	uint32_t guest_clock; /* enum data_clock_kind; DATA_CLOCK_NONE: it has none */
	uint64_t guest_hz;    /* ticks a second; 0: they are no time */
	uint64_t guest_start; /* its clock at `start` */
};

/* A process, as far as the events up to now tell. It stays where it is until recording_close. */
struct recorded_process {
	uint32_t number; /* 0, 1, ... in the order in which they came: an index for tables of others */
	uint32_t pid;
	uint32_t parent_pid;                   /* 0: unknown */
	const struct recorded_process *parent; /* NULL: not recorded; its number is lower */
	unsigned file;                         /* number of its file */
	bool picked;                           /* by a rule, not as a descendant */
	uint64_t start, end;                   /* end: 0 while it is not known */
	bool ended;                            /* status is valid */
	int status;                            /* as wait(2) gives it */
	struct exec_usage usage;               /* until its end, as far as it is known */
	unsigned execs;                        /* successful ones */
	const char *path;                      /* of the file executed last, or inherited; "" unknown */
	struct strv argv;                      /* the same */
	const char *comm;                      /* name of its first thread at the moment; "" unknown */
};

/* A thread, likewise. */
struct recorded_thread {
	uint32_t number; /* 0, 1, ... */
	uint32_t tid;
	struct recorded_process *process;
	const char *comm; /* its name at the moment; equal names are equal pointers; "" unknown */
	uint64_t start, end;
	bool ended;
	int status;
};

/* A function, or what stands for it. Equal functions are equal pointers; all stay until recording_close. */
struct recorded_function {
	uint32_t number;  /* 0, 1, ... */
	const char *name; /* demangled; "file+0x1234" without a symbol, "0x7f0012345678" without a file */
	const char *file; /* path of its file, "" without */
	bool known;       /* a symbol was found */
	bool kernel;      /* it is of the kernel, or of one of its modules */
};

/* A frame of a stack. */
struct recorded_frame {
	const struct recorded_function *function;
	uint64_t address;     /* as recorded: the pc of the first frame, return addresses of the others */
	uint64_t offset;      /* of the address from the start of the function, bytes; 0 without a symbol */
	uint64_t file_offset; /* of the address in the file, bytes; 0 without a file */
};

/* One event. Valid until the next one is read. */
struct recorded_event {
	const struct data_event *record;
	uint64_t time; /* of a system call: of its return. Of a record of a guest: of the last clock record before it */
	unsigned file;
	/* Who did it, NULL when the record is about none. What the record says of it is in it already. */
	const struct recorded_thread *thread;
};

/* What run.json says. Texts are "" and numbers 0 when it does not say. */
struct recorded_run {
	const char *version, *cwd, *host, *system, *engine;
	struct strv command;
	struct strv given; /* what exectrace began with, as lines (state_base_lines of target/process/state.h) */
	unsigned cpus;
	uint64_t start, start_realtime; /* the same moment by both clocks, ns */
	uint64_t end, end_realtime;     /* 0: it has not ended, or died */
	bool ended;                     /* status is valid */
	int status;                     /* of the command, as wait(2) gives it */
	bool used;                      /* cpu_user and cpu_system are known */
	uint64_t cpu_user, cpu_system;  /* of the command and all that was waited for below it, ns */
};

/*
 * Opens what path names. *ret is set on success only. options: NULL for the default. 0, or -errno with one line in
 * `why`: it is not there, not a recording, damaged from its beginning, of a newer version.
 */
int recording_open(struct recording **ret, const char *path, const struct recording_options *options, struct buf *why);

/* Frees it. NULL is allowed. */
void recording_close(struct recording *r);

/* The next event: 1 and *event filled; 0 at the end; -ENOMEM. */
int recording_next(struct recording *r, struct recorded_event *event);

/*
 * The frames of the stack of an event that recording_next has just given, the innermost first. They stay until
 * recording_close; each stack is looked up once. 0, with *n 0 when it has none, or -ENOMEM.
 */
int recording_stack(struct recording *r, const struct recorded_event *event, const struct recorded_frame **frames,
                    size_t *n);

/* What run.json says; NULL when there is none. */
const struct recorded_run *recording_run(const struct recording *r);

/* The path that it was opened by. */
const char *recording_path(const struct recording *r);

/* The file execs.jsonl; NULL when there is none. See answer/recording/execs.h. */
const char *recording_execs(const struct recording *r);

/* The files, in the order of their beginnings. */
size_t recording_files(const struct recording *r);
const struct recorded_file *recording_file(const struct recording *r, size_t i);

/* The processes known by now, by their numbers. */
size_t recording_processes(const struct recording *r);
const struct recorded_process *recording_process(const struct recording *r, size_t i);

/* The threads known by now, by their numbers. */
size_t recording_threads(const struct recording *r);
const struct recorded_thread *recording_thread(const struct recording *r, size_t i);

/* When the recording began. */
uint64_t recording_start(const struct recording *r);

/* A time as ns since 1970; 0 when that is not known for the file. */
uint64_t recording_realtime(const struct recording *r, unsigned file, uint64_t time);

/* One line for each thing that was wrong so far: files left out, damaged, cut; records lost. */
const struct strv *recording_notes(const struct recording *r);

/* True when some of it could not be read because it is damaged or not ours; a cut file is not damaged. */
bool recording_damaged(const struct recording *r);

#endif
