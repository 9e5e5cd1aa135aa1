/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of the recorded format; exectrace-data(5) describes it byte by byte. A file is a header and blocks; a
 * block is a header, a table of streams, and the streams. Each record has one byte in the stream of types and one
 * number in the stream of its clock; all else of it is in streams of its type alone, so that a reader passes over types
 * that it does not know without a word about them.
 */
#ifndef EXECTRACE_FORMAT_DATA_FORMAT_H
#define EXECTRACE_FORMAT_DATA_FORMAT_H

#define DATA_MAGIC "\x89xtr\r\n\x1a\n" /* 8 bytes, then NUL */
#define DATA_MAGIC_SIZE 8
#define DATA_BLOCK_MAGIC 0x6b6c4278u /* "xBlk" */
#define DATA_MAJOR 1                 /* a reader refuses a higher one */
#define DATA_MINOR 0                 /* only tells; what is new in it can be passed over */

/* Sizes in bytes. */
#define DATA_HEADER_FIXED 128            /* of the header of a file, without its texts */
#define DATA_HEADER_MAX 65536            /* of the header of a file */
#define DATA_BLOCK_HEADER 64             /* of the header of a block */
#define DATA_STREAM_ENTRY 16             /* of a row in a block's table of streams */
#define DATA_BLOCK_MAX (64u << 20)       /* of a block's streams together, uncompressed; of a block */
#define DATA_STREAMS_MAX 4096            /* streams in a block */
#define DATA_RECORDS_MAX (1u << 18)      /* records in a block */
#define DATA_PAYLOAD_MAX (8u << 20)      /* of one record's texts, frames, symbols */
#define DATA_LIST_MAX 65536              /* frames of a stack, symbols of a record, words of an argv */
#define DATA_DICTIONARY_MAX (1ull << 30) /* what a reader keeps of a file */

/* What the first and the second clock of a file count. */
enum data_clock_kind {
	DATA_CLOCK_NONE = 0,
	DATA_CLOCK_MONOTONIC = 1,    /* CLOCK_MONOTONIC, ns */
	DATA_CLOCK_INSTRUCTIONS = 2, /* instructions of the guest */
	DATA_CLOCK_CYCLES = 3,       /* the processor's time stamp counter */
	DATA_CLOCK_BLOCKS = 4,       /* blocks of instructions of the guest, as QEMU translates them */
};

#define DATA_CLOCKS 2

/* Of a record: types below 64 are stamped with the first clock, those from 64 to 127 with the second. */
enum data_type {
	DATA_SYSCALL = 1,
	DATA_UNFINISHED = 2,
	DATA_SIGNAL = 3,
	DATA_THREAD = 4,
	DATA_EXEC = 5,
	DATA_EXIT = 6,
	DATA_COMM = 7,
	DATA_FILE = 8,
	DATA_MAPSET = 9,
	DATA_MAP = 10,
	DATA_UNMAP = 11,
	DATA_STACK = 12,
	DATA_SYMBOLS = 13,
	DATA_LOST = 14,
	DATA_NOTE = 15,
	DATA_SAMPLE = 16,
	DATA_STOP = 17,
	DATA_USAGE = 18,
	DATA_CALL = 64,
	DATA_RETURN = 65,
	DATA_TAIL = 66,
	DATA_IRQ_ENTER = 67,
	DATA_IRQ_EXIT = 68,
	DATA_SWITCH = 69,
	DATA_TASK = 70,
	DATA_MODULE = 71,
	DATA_SYNC = 72,
	DATA_FUNCTION = 73,
	DATA_UNWIND = 74,
	DATA_FILTERED = 75,
	DATA_WINDOW = 76,
	DATA_WAKE = 84,
	DATA_HELD = 85,
	DATA_SIGNATURE = 77,
	DATA_CALL_ARGS = 78,
	DATA_CALL_RESULT = 79,
	DATA_MESSAGE = 80,
	DATA_TYPES = 128, /* one more than any that is or will be */
};

#define DATA_SECOND_CLOCK 0x40 /* the bit of a type that chooses the clock */

/* The number of a stream: column `column` (0 to 15) of a type; type 0 has those of all records. */
#define DATA_STREAM(type, column) ((unsigned)(type)*16u + (column))

enum data_stream {
	DATA_STREAM_TYPES = DATA_STREAM(0, 0),
	DATA_STREAM_CLOCK = DATA_STREAM(0, 1), /* and the second clock behind it */
	DATA_STREAM_OPEN = DATA_STREAM(0, 3),  /* open calls of the guest's stacks where the block begins */
	DATA_STREAM_CALL_HEADS = DATA_STREAM(DATA_SYSCALL, 0),
	DATA_STREAM_CALL_HEAD = DATA_STREAM(DATA_SYSCALL, 1),
	DATA_STREAM_CALL_DURATION = DATA_STREAM(DATA_SYSCALL, 2),
	DATA_STREAM_CALL_RESULT = DATA_STREAM(DATA_SYSCALL, 3),
	DATA_STREAM_CALL_STACK = DATA_STREAM(DATA_SYSCALL, 4),
	DATA_STREAM_CALL_EXTRAS = DATA_STREAM(DATA_SYSCALL, 5),
	DATA_STREAM_CALL_ARGS = DATA_STREAM(DATA_SYSCALL, 8), /* six of them */
	DATA_STREAMS = DATA_STREAM(DATA_TYPES, 0),
};

/* How a stream is packed. */
enum data_codec {
	DATA_RAW = 0,
	DATA_ZSTD = 1,
};

/* Bits of a block. */
enum data_block_flag {
	DATA_BLOCK_LAST = 1 << 0, /* the writer closed the file behind it */
};

/* Bits of a system call's head; the low three are the number of arguments. */
enum data_head_flag {
	DATA_HEAD_ARGS = 7,
	DATA_HEAD_ERROR = 1 << 3,  /* the result is an error */
	DATA_HEAD_STACK = 1 << 4,  /* it has a number in the stream of stacks */
	DATA_HEAD_EXTRAS = 1 << 5, /* it has an entry in the stream of extras */
};

#endif
