/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the reader share. */
#ifndef EXECTRACE_SRC_FORMAT_DATA_READ_H
#define EXECTRACE_SRC_FORMAT_DATA_READ_H

#include "crc.h"
#include "dictionary.h"
#include "record_schema.h"

#include <exectrace/format/data/reader.h>
#include <exectrace/format/data/varint.h>
#include <zstd.h>

#define SMALL 512 /* small records that are read together */
#define CALLS 64  /* system calls */

/* Behind each stream, readable and 0: calls are read together without a look at the end. */
#define READ_SLACK (CALLS * DATA_VARINT_MAX + DATA_VARINT_SLACK)

/* A stream that is being read; the READ_SLACK bytes behind end are readable, and 0. */
struct cursor {
	const uint8_t *p, *end;
	const uint8_t *start; /* NULL: the block has none */
};

#define HEAD_COMMON (offsetof(struct data_syscall, enter) / sizeof(uint64_t))

/* A system call's head, as a block defines it. */
struct read_head {
	uint64_t common[HEAD_COMMON]; /* the members of struct data_syscall before `enter`: one copy for them all */
	uint32_t flags;
	/* of the last call with this head; 0 before the first */
	uint64_t stack;
	uint64_t args[DATA_ARGS];
};

/* Where blocks come from. */
struct blocks {
	int fd;                  /* -1: memory */
	const uint8_t *bytes;    /* memory */
	uint64_t size;           /* of memory */
	uint64_t offset, number; /* of the next block */
	bool last;               /* the block before it was marked as the last */
	bool loading;            /* only dictionaries are wanted */
	struct buf packed;
	ZSTD_DCtx *zstd;
	struct crc_table crc;
};

/* A block, unpacked, and how far its records have been read. */
struct block {
	struct data_block facts;
	bool last;        /* it is marked as the last */
	bool cut;         /* there is none: it is not there as a whole, or a last one was not seen */
	const char *what; /* is wrong with it */
	uint32_t left;    /* records */
	uint64_t clock[DATA_CLOCKS];
	struct cursor streams[DATA_STREAMS];
	struct buf unpacked;
	/* Of the records before those that are left: what was read in one go, see block_expand. */
	struct buf items; /* struct data_small, also of records that are not small: these without a function */
	struct buf rare;  /* where those are: uint32_t, then the number of items */
	uint32_t n_items, n_rare;
};

/* What all calls have, of those that come next: their types are read. */
struct calls {
	uint32_t at, n;
	uint32_t head[CALLS];
	uint64_t clock[CALLS], duration[CALLS], result[CALLS], args[CALLS][DATA_ARGS];
};

struct data_reader {
	/* the file */
	struct blocks blocks; /* the other thread's while there is one */
	char *name;
	struct buf header;
	struct data_facts facts;
	enum data_end end;
	int error;               /* stays */
	bool may_ahead;          /* blocks may be read ahead */
	struct readahead *ahead; /* NULL: they are not */
	/* where it is */
	uint64_t offset, number; /* of the next block */
	bool last;               /* the block before it was marked as the last */
	/* the block */
	struct block now;
	uint32_t item, next_rare; /* of the next record in its items; of the next one that is not small in its list */
	const char *what;         /* is wrong with a record; NULL: nothing yet */
	struct buf heads;         /* struct read_head */
	uint32_t n_heads;
	struct record_schema_scratch scratch;
	struct data_small small[SMALL];
	struct calls calls;
	/* over all blocks */
	uint64_t loaded; /* dictionaries of the blocks before this offset are known */
	struct dictionary dictionary;
};

/*
 * n bytes at an offset of the file, in memory or read into `to`. The count that there is (*p is valid for so many), or
 * -errno.
 */
long read_bytes(const struct blocks *blocks, uint64_t offset, size_t n, struct buf *to, const uint8_t **p);

/* Reads the next block and makes it the current one. 1, 0 at the end, -EBADMSG with a line, -ENOMEM, -errno. */
int read_block(struct data_reader *r, struct buf *why);

/* Says that the current block is bad, and how. -EBADMSG. */
int read_bad(struct data_reader *r, const char *what, struct buf *why);

/* One of those in struct data_small. */
static inline bool read_is_small(unsigned type)
{
	return (type >= DATA_CALL && type < DATA_SWITCH) || type == DATA_UNWIND;
}

/* Passes over what is left of the current block. */
static inline void read_drop(struct data_reader *r)
{
	r->now.left = 0;
	r->item = r->now.n_items = 0;
	r->calls.at = r->calls.n = 0;
}

/* --- unpack.c ----------------------------------------------------------------------------------------------------- */

/* Unpacks the next block. 1; 0 at the end, with b->cut; -EBADMSG with b->what; -ENOMEM; -errno. */
int blocks_next(struct blocks *blocks, struct block *b);

void blocks_release(struct blocks *blocks);
void block_release(struct block *b);

/* --- flat_records.c
 * ------------------------------------------------------------------------------------------------------ */

/*
 * Reads the clock of all records of a block that has calls of a guest, and the function of those that are small; up to
 * where something is wrong, which is met again. Without memory nothing is read.
 */
void block_expand(struct block *b);

/* --- readahead.c
 * ------------------------------------------------------------------------------------------------------ */

/* Lets another thread unpack the blocks that come next, a few of them. 0 or -errno. */
int readahead_start(struct readahead **ret, struct blocks *blocks);

/* Gives the next one, as blocks_next does, to b, whose memory is used again. Nothing comes behind what is not 1. */
int readahead_next(struct readahead *ahead, struct block *b);

/* Ends the thread, wherever it is. NULL is allowed. */
void readahead_end(struct readahead *ahead);

/* One entry of a column of rare records: n bytes at *p. False when the column is too short. */
static inline bool read_entry(struct cursor *c, const uint8_t **p, size_t *n)
{
	const uint8_t *next;
	uint64_t length;

	if (c->p >= c->end)
		return false;
	next = data_varint_get(c->p, &length);
	if (next > c->end || length > (size_t)(c->end - next))
		return false;
	*p = next;
	*n = (size_t)length;
	c->p = next + length;
	return true;
}

/* What is wrong with a record. */
extern const char read_cut[], read_damaged[];

/* The next number of a stream; at its end 0, and r->what is set. */
static inline uint64_t take(struct data_reader *r, unsigned stream)
{
	struct cursor *c = &r->now.streams[stream];
	const uint8_t *next;
	uint64_t v;

	/* At the end this is what the slack says: nine bytes, which are behind it. */
	next = data_varint_get(c->p, &v);
	if (__builtin_expect(next > c->end, 0)) {
		r->what = read_cut;
		return 0;
	}
	c->p = next;
	return v;
}

/* --- syscall_batch.c
 * ------------------------------------------------------------------------------------------------------ */

/* Reads what a record of a system call has beside its type and clock. 0 or -ENOMEM; r->what when it is damaged. */
int read_call(struct data_reader *r, struct data_event *event);

/* Reads the numbers of the calls that come next. False: it is to be read alone; r->what when they are damaged. */
bool calls_prepare(struct data_reader *r);

/* The next one of those, while calls.at < calls.n. 1, or as read_failed. */
int calls_next(struct data_reader *r, struct data_event *event, struct buf *why);

/* After an error in the middle of a block, which has been counted already. -EBADMSG with a line, or rc where it is less
 * than 0. */
int read_failed(struct data_reader *r, int rc, struct buf *why);

#endif
