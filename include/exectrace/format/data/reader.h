/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes to records. Whatever the file holds, nothing but an error comes of it: functions return -EBADMSG and add one
 * line (no newline) to `why`: "FILE: not an exectrace data file", "FILE: block N: what is wrong". All blocks before
 * that one have been read as they were written. A file that ends within a block is no error: see data_reader_end.
 */
#ifndef EXECTRACE_FORMAT_DATA_READER_H
#define EXECTRACE_FORMAT_DATA_READER_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

struct data_reader;

/* How a file ends. */
enum data_end {
	DATA_END_OPEN,  /* not reached yet, or a block is bad */
	DATA_END_WHOLE, /* the writer closed it */
	DATA_END_CUT,   /* behind the last whole block: the writer died, or is still at work, or the disk was full */
};

/* What a block's header says. */
struct data_block {
	uint32_t number;
	uint32_t records;
	uint64_t first[DATA_CLOCKS], last[DATA_CLOCKS]; /* times of its first and last records */
	uint64_t offset, size;                          /* in the file, bytes */
};

/*
 * Opens a file and reads its header. *ret is set on success only. 0; -errno of open(2), mmap(2) with nothing in `why`;
 * -ENODATA for one that ends within its header, even if it is empty: who was to write it may have been killed;
 * -EBADMSG.
 */
int data_reader_open(struct data_reader **ret, const char *path, struct buf *why);

/* From a descriptor, which becomes the reader's (it is closed when this fails); name is for messages. */
int data_reader_fd(struct data_reader **ret, int fd, const char *name, struct buf *why);

/* From n bytes in memory, which are the caller's and have to stay; name stands for FILE in messages. */
int data_reader_memory(struct data_reader **ret, const void *bytes, size_t n, const char *name, struct buf *why);

/* Unmaps and frees. NULL is allowed. */
void data_reader_close(struct data_reader *r);

/* What the header says; the reader's. */
const struct data_facts *data_reader_facts(const struct data_reader *r);

/* Where the next block is, in bytes from the start of the file: how far it has been read. */
uint64_t data_reader_offset(const struct data_reader *r);

/*
 * Lets another thread read and unpack the blocks that come next, where there is more than one; what is read is the
 * same. It ends with the file, with data_reader_close, and with a seek or load. For files that are read to their end,
 * and a machine with several processors.
 */
void data_reader_ahead(struct data_reader *r);

/*
 * The next record, from the next block when the current one has no more; types that are not known are passed over. 1
 * with *event set; 0 at the end; -EBADMSG; -ENOMEM. An error stays: it is returned, without a line, ever after.
 */
int data_reader_next(struct data_reader *r, struct data_event *event, struct buf *why);

/* Goes to the next block, leaving what is left of the current one. 1 with *block set, else as data_reader_next. */
int data_reader_block(struct data_reader *r, struct data_block *block, struct buf *why);

/* Makes a block that data_reader_block has given, of this file, the next one. */
void data_reader_seek(struct data_reader *r, const struct data_block *block);

/* The next record of the current block only: 0 at its end. */
int data_reader_in_block(struct data_reader *r, struct data_event *event, struct buf *why);

/*
 * The next records of the current block, as long as they are small: faster than one by one. How many there are at
 * *items, some hundreds or more, valid until something else is read; 0 tells nothing but that the next record, if
 * there is one, is for data_reader_next.
 */
size_t data_reader_small(struct data_reader *r, const struct data_small **items);

/*
 * The next of the guest's stacks that had open calls where the current block begins, in no order; none when the writer
 * did not follow them. For who begins in the middle of a file; see data_writer_options.open. 1 with *open set, valid
 * until the next record or stack is read; 0 when there are no more; -EBADMSG, -ENOMEM.
 */
int data_reader_open_calls(struct data_reader *r, struct data_open *open, struct buf *why);

/*
 * The bytes of a stream (DATA_STREAM()) of the current block, for those who take a column as a whole: numbers for
 * data_varint_get, with DATA_VARINT_SLACK readable bytes behind them. n is 0 when the block has none of a type that is
 * known. Valid until the next block.
 */
struct data_text data_reader_stream(const struct data_reader *r, unsigned stream);

/* How the file ends, once 0 was returned. */
enum data_end data_reader_end(const struct data_reader *r);

/*
 * Reads the dictionaries of all blocks behind the current one, whose remaining records are passed over: best called
 * before the first. From then on what data/dictionary.h finds does not depend on how far records were read; else a
 * block's dictionaries are known once it is the current one. 0; -EBADMSG with a line (the records up to the bad block
 * can still be read); -ENOMEM; -errno of a failed read.
 */
int data_reader_load(struct data_reader *r, struct buf *why);

#endif
