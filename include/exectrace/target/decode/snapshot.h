/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that the arguments of a call point to, as it was at one moment: copies of ranges of bytes. Whoever sees a
 * call (a source of calls, record/calls/call.h) takes one at the entry of the call, of what the call reads (the names,
 * the bytes of a write, structures), and another in its place at the end, of what it has filled in. Decoders (decode.h,
 * extras.h) read it in place of the process, which may run on, or be gone.
 *
 * What is taken of an argument is said by its kind (kinds.inc), the same table by which it is shown: strings up to
 * their NUL, buffers up to string_max, structures and what counts them by their size. Some kinds follow pointers in
 * what they find; a call that has an argument of such a kind, one of a program with 32-bit words, one whose arguments
 * are in memory, and a message of a netlink socket have no snapshot (`whole` is not set): their decoder has to read the
 * process itself, while that is stopped.
 */
#ifndef EXECTRACE_TARGET_DECODE_SNAPSHOT_H
#define EXECTRACE_TARGET_DECODE_SNAPSHOT_H

#include <exectrace/target/decode/decode.h>

#define SNAPSHOT_RANGES 32u /* of a call; one that needs more, of many iovecs, has no snapshot */

struct snapshot_range {
	uint64_t addr;
	size_t at, n; /* where in `bytes` it is, and its length */
	bool ends;    /* the string that begins there ends with it: its NUL is the last byte */
};

/* Of one thread. Begins as zeroes; a call's is overwritten by that of the next. */
struct snapshot {
	bool whole; /* all that decoders look at and that could be read is in it */
	unsigned n; /* of `ranges` */
	struct snapshot_range ranges[SNAPSHOT_RANGES];
	struct buf bytes;
	uint8_t next; /* the argument with which the end of the call goes on */
	/* What the descriptor that the call has made refers to, in `bytes`; link_n 0: not known. */
	int link;
	size_t link_at, link_n;
	/* How many directory entries the call has put at this address; 0: not known. */
	uint64_t entries_at;
	uint32_t entries;
};

/*
 * Takes that of the entry of a call, in place of what was there. live: reads the process, which is stopped there; its
 * string_max must be that of the decoders; without its netlink what sockets send has no snapshot. What cannot be read
 * is not there. 0 or -ENOMEM.
 */
int snapshot_enter(struct snapshot *snapshot, const struct decoder *live, const struct syscall_call *call);

/* Likewise at the end of the call. */
int snapshot_exit(struct snapshot *snapshot, const struct decoder *live, const struct syscall_call *call,
                  const struct syscall_result *result);

/* For who copies memory otherwise (need.h): empties it; it is whole then. */
void snapshot_begin(struct snapshot *snapshot);

/* Adds n bytes that are at addr. What does not fit is left out: without memory, or with too many ranges. */
void snapshot_add(struct snapshot *snapshot, uint64_t addr, const void *bytes, size_t n, bool ends);

/* Adds how many directory entries there are at addr. */
void snapshot_entries(struct snapshot *snapshot, uint64_t addr, uint32_t n);

/* Adds what a new descriptor refers to. */
void snapshot_link(struct snapshot *snapshot, int fd, const void *path, size_t n);

/*
 * Copies n bytes at addr, as decoder.read does: 0, or -EFAULT when they are not there. Behind the NUL of a string there
 * are zeroes: whoever reads on there, because it does not know how long it is, stops at the NUL.
 */
int snapshot_read(const struct snapshot *snapshot, uint64_t addr, void *to, size_t n);

/* Whether it is known how many directory entries there are at addr, as decoder.entries does: *n. */
bool snapshot_find_entries(const struct snapshot *snapshot, uint64_t addr, unsigned *n);

/* Frees what it holds. */
void snapshot_release(struct snapshot *snapshot);

#endif
