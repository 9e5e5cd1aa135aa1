/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Little-endian numbers of a fixed size, and where they lie in the headers. */
#ifndef EXECTRACE_SRC_FORMAT_DATA_WIRE_H
#define EXECTRACE_SRC_FORMAT_DATA_WIRE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Offsets in the header of a file. */
enum wire_header {
	WIRE_CRC = 8, /* of all behind it */
	WIRE_MAJOR = 12,
	WIRE_MINOR = 14,
	WIRE_LENGTH = 16,
	WIRE_ARCH = 20,
	WIRE_REQUIRED = 24,
	WIRE_OPTIONAL = 32,
	WIRE_PAGE_SIZE = 40,
	WIRE_CPUS = 44,
	WIRE_PID = 48,
	WIRE_TEXTS = 52,
	WIRE_CLOCKS = 64, /* two of WIRE_CLOCK_SIZE bytes */
};

/* Offsets in a clock. */
enum wire_clock {
	WIRE_CLOCK_KIND = 0,
	WIRE_CLOCK_HZ = 8,
	WIRE_CLOCK_START = 16,
	WIRE_CLOCK_REALTIME = 24,
	WIRE_CLOCK_SIZE = 32,
};

/* Offsets in the header of a block. */
enum wire_block {
	WIRE_BLOCK_MAGIC = 0,
	WIRE_BLOCK_CRC = 4, /* of the header behind it */
	WIRE_BLOCK_BODY_CRC = 8,
	WIRE_BLOCK_LENGTH = 12,
	WIRE_BLOCK_NUMBER = 16,
	WIRE_BLOCK_RECORDS = 20,
	WIRE_BLOCK_STREAMS = 24,
	WIRE_BLOCK_FLAGS = 26,
	WIRE_BLOCK_UNPACKED = 28,
	WIRE_BLOCK_FIRST = 32,
	WIRE_BLOCK_LAST = 48,
};

/* Offsets in a row of a block's table of streams. */
enum wire_stream {
	WIRE_STREAM_ID = 0,
	WIRE_STREAM_CODEC = 2,
	WIRE_STREAM_UNPACKED = 4,
	WIRE_STREAM_PACKED = 8,
};

static inline void wire_put16(uint8_t *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void wire_put32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void wire_put64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint16_t wire_get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t wire_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t wire_get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

#endif
