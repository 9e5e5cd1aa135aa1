/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output that is collected and leaves in large writes. */
#ifndef EXECTRACE_ANSWER_FORMAT_SPOOL_H
#define EXECTRACE_ANSWER_FORMAT_SPOOL_H

#include <exectrace/base/buf.h>
#include <stdint.h>

struct spool {
	struct buf text; /* not written yet */
	uint64_t given;  /* bytes that were */
	/* Takes n bytes; 0 or an error, which is passed on. NULL: they are counted only. */
	int (*write)(void *user, const char *bytes, size_t n);
	void *user;
};

/* Bytes of output up to now. */
static inline uint64_t spool_position(const struct spool *d)
{
	return d->given + d->text.len;
}

/*
 * Writes the text when there is much of it. 0, the failure of an append to it, or what write returned; either stays in
 * text.err.
 */
int spool_drain(struct spool *d);

/* Writes all of it. */
int spool_flush(struct spool *d);

#endif
