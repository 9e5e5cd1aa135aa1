/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC-32C (Castagnoli; RFC 3720, appendix B.4), sixteen bytes at a time. */
#ifndef EXECTRACE_SRC_FORMAT_DATA_CRC_H
#define EXECTRACE_SRC_FORMAT_DATA_CRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crc_table {
	uint32_t row[16][256];
	bool instruction; /* the processor has one for it, which is used then */
};

/* Fills the table: once for each user, a few microseconds. */
void crc_init(struct crc_table *table);

/* The checksum of n bytes. */
uint32_t crc_of(const struct crc_table *table, const void *bytes, size_t n);

#endif
