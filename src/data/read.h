/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the reader share. */
#ifndef DATA_READ_H
#define DATA_READ_H

#include "crc.h"
#include "dictionary.h"
#include "shape.h"

#include <exectrace/data/reader.h>
#include <exectrace/data/varint.h>
#include <zstd.h>

/* A stream that is being read; the DATA_VARINT_SLACK bytes behind end are readable, and 0. */
struct cursor {
	const uint8_t *p, *end;
	const uint8_t *start; /* NULL: the block has none */
};

/* A system call's head, as a block defines it. */
struct read_head {
	uint32_t tid, arch, nr;
	uint32_t flags;
	/* of the last call with this head; 0 before the first */
	uint64_t stack;
	uint64_t args[DATA_ARGS];
};

struct data_reader {
	/* the file */
	int fd;               /* -1: memory */
	const uint8_t *bytes; /* memory */
	uint64_t size;        /* of memory */
	char *name;
	struct buf header;
	struct data_facts facts;
	enum data_end end;
	int error;    /* stays */
	bool loading; /* only dictionaries are wanted */
	/* where it is */
	uint64_t offset, number; /* of the next block */
	bool last;               /* the block before it was marked as the last */
	struct data_block block;
	/* the block */
	uint32_t left; /* records */
	uint64_t clock[DATA_CLOCKS];
	const char *what; /* is wrong with it; NULL: nothing yet */
	struct cursor streams[DATA_STREAMS];
	struct buf packed, unpacked;
	struct buf heads; /* struct read_head */
	uint32_t n_heads;
	struct shape_scratch scratch;
	/* over all blocks */
	uint64_t loaded; /* dictionaries of the blocks before this offset are known */
	struct dictionary dictionary;
	ZSTD_DCtx *zstd;
	struct crc_table crc;
};

/*
 * n bytes at an offset of the file, in memory or read into `to`. The count that there is (*p is valid for so many), or
 * -errno.
 */
long read_bytes(struct data_reader *r, uint64_t offset, size_t n, struct buf *to, const uint8_t **p);

/* Reads the next block and makes it the current one. 1, 0 at the end, -EBADMSG with a line, -ENOMEM, -errno. */
int read_block(struct data_reader *r, struct buf *why);

/* Says that the current block is bad, and how. -EBADMSG. */
int read_bad(struct data_reader *r, const char *what, struct buf *why);

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

#endif
