/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the writer share. */
#ifndef EXECTRACE_SRC_FORMAT_DATA_PRIVATE_H
#define EXECTRACE_SRC_FORMAT_DATA_PRIVATE_H

#include "crc.h"
#include "open_frames.h"

#include <exectrace/format/data/varint.h>
#include <exectrace/format/data/writer.h>
#include <zstd.h>

/* A stream that grows in memory. There is room for all numbers of a block, so that adding one needs no look. */
struct column {
	uint8_t *data, *p; /* p: where the next byte goes */
	size_t cap;
};

/* What calls have in common that differ only in times, arguments and results. */
struct head {
	uint32_t tid, arch, nr;
	uint32_t flags; /* enum data_head_flag */
	uint32_t block; /* it has the index in this block (number + 1) */
	uint32_t index;
	/* of the last call with this head in this block; 0 before the first */
	uint64_t stack;
	uint64_t args[DATA_ARGS];
};

#define HEADS 4096 /* remembered; a power of two */

struct data_writer {
	/* the file */
	int fd;
	int64_t start;           /* offset of the header in the file; -1 where there is none */
	uint64_t size;           /* the header and whole blocks */
	bool failed;             /* a write failed: all records are dropped */
	struct data_writer *tee; /* writes the same blocks to another file; NULL: none */
	uint64_t dropped;
	/* how to write */
	uint32_t limit;   /* records in a block */
	size_t bytes;     /* of payloads in a block, about */
	int64_t interval; /* of the first clock in a block */
	ZSTD_CCtx *zstd;  /* NULL: raw */
	bool follow;      /* the guest's calls */
	/* the block */
	uint32_t number, records, heads;
	bool seen[DATA_CLOCKS]; /* the block has a record with this clock */
	uint64_t first[DATA_CLOCKS], last[DATA_CLOCKS];
	size_t payloads;        /* bytes of them in the block */
	bool ready[DATA_TYPES]; /* the columns of this type have memory, and records are taken */
	struct column columns[DATA_STREAMS];
	struct head known[HEADS];
	struct buf scratch, out;
	struct open_calls open;
	struct crc_table crc;
};

/* Memory for n bytes in all in a column, and the slack behind them. 0 or -ENOMEM. */
int writer_room(struct column *column, size_t n);

/* encode.c: before the first record of a type, and always when a write failed. 1: the record is dropped; 0; -ENOMEM. */
int writer_prepare(struct data_writer *w, unsigned type);

/* Writes the block, also an empty one. 0, -ENOMEM, or what write(2) failed with. */
int writer_write_block(struct data_writer *w, unsigned flags);

/* Gives the block at p a number, and its header its checksum. */
void writer_number_block(const struct data_writer *w, uint8_t *p, uint32_t number);

/* tee.c: writes the block that is packed to the second file, if there is one. */
void tee_write(struct data_writer *w);

/* Notes that write(2) failed with rc (-errno) and makes the file end with its last whole block. Returns rc. */
int writer_fail(struct data_writer *w, int rc);

#endif
