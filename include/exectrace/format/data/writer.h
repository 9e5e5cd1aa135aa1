/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to bytes. Records are collected in memory and leave as blocks, each in one write; what has not left is lost
 * when the process dies. A failed write is told once: the call that meets it returns -errno, the file is cut back to
 * its last whole block where that is possible, and from then on records are counted and dropped, with 0 returned.
 * SIGXFSZ has to be ignored by whoever writes under RLIMIT_FSIZE. A writer belongs to one thread at a time.
 *
 * All functions that add a record return 0; -EINVAL when it breaks a rule of data/record.h or a limit of data/format.h
 * (nothing is added then); -ENOMEM (not added either); or what a write failed with (the record itself was taken).
 */
#ifndef EXECTRACE_FORMAT_DATA_WRITER_H
#define EXECTRACE_FORMAT_DATA_WRITER_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <exectrace/format/data/record.h>
#include <stdbool.h>

struct data_writer;

/* How to write; all 0 is the default. */
struct data_writer_options {
	uint32_t records;  /* in a block at most; 0: 65536 */
	uint32_t bytes;    /* of texts, frames and symbols in a block, about; 0: 4 MiB */
	uint64_t interval; /* a block is written when it covers this much of the first clock; 0: any time */
	bool raw;          /* does not compress */
	bool open;         /* follows the guest's calls, and has those that are open at the start of each block */
};

/*
 * Begins a file: writes its header to fd (not one with O_APPEND), which stays the caller's, at its present offset.
 * options: NULL for the default. *ret is set on success only; data_writer_close frees it. 0, -EINVAL, -ENOMEM, or what
 * the write failed with.
 */
int data_writer_open(struct data_writer **ret, int fd, const struct data_facts *facts,
                     const struct data_writer_options *options);

/* Writes what was collected as one block; nothing when there is nothing. 0, -ENOMEM, or what the write failed with. */
int data_writer_flush(struct data_writer *w);

/* Writes what is left, marks the end, frees the writer. As data_writer_flush; 0 when a failure was told before. */
int data_writer_close(struct data_writer *w);

/* Frees the writer without writing anything, as after a fork. NULL is allowed. */
void data_writer_abandon(struct data_writer *w);

/*
 * From the next block on, each is written to another file too: that of `start`, a writer that has defined there what is
 * defined so far, and which this one takes over and frees. The guest's calls that are open (see data_writer_options)
 * are told there first, as if they began now. To be called behind data_writer_flush. NULL: no longer. 0, or what
 * writing to it failed with; then it is freed, and nothing else has changed.
 */
int data_writer_tee(struct data_writer *w, struct data_writer *start);

/* The second file becomes the one that is written, the first one, whose descriptor stays the caller's, is left as it
 * is. False: there is none, as after a failed write. */
bool data_writer_turn(struct data_writer *w);

/* The number of records that did not get into the file because of a failed write. */
uint64_t data_writer_dropped(const struct data_writer *w);

/* Bytes of the file so far: the header and all blocks written. */
uint64_t data_writer_size(const struct data_writer *w);

/* The common records, which do not need a time of their own: the record's is enter + duration. */
int data_writer_syscall(struct data_writer *w, const struct data_syscall *call);
int data_writer_unfinished(struct data_writer *w, const struct data_syscall *call);

/* Adds any record: event->type says which; for system calls event->clock is not looked at. */
int data_writer_event(struct data_writer *w, const struct data_event *event);

/* The small records of a guest; clock is a value of the second clock. */
int data_writer_call(struct data_writer *w, uint64_t clock, uint64_t function);
int data_writer_return(struct data_writer *w, uint64_t clock);
int data_writer_tail(struct data_writer *w, uint64_t clock, uint64_t function);
int data_writer_irq_enter(struct data_writer *w, uint64_t clock, uint64_t function);
int data_writer_irq_exit(struct data_writer *w, uint64_t clock);
int data_writer_unwind(struct data_writer *w, uint64_t clock);

/* Many at once, of all types but DATA_UNWIND. The ticks of the first one count from *clock, which becomes that of the
 * last.
 */
int data_writer_packed(struct data_writer *w, uint64_t *clock, const uint64_t *words, size_t n);

/* What follows is of this stack, on this CPU. */
int data_writer_switch(struct data_writer *w, uint64_t clock, uint64_t stack, uint32_t cpu);

/* Adds the words to out, each ended by a NUL, as data_exec.argv has them. 0 or -ENOMEM. */
int data_words(struct buf *out, const struct strv *words);

#endif
