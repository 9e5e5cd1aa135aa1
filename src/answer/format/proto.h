/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/), writing only. Fields are
 * added to a buffer in any order; a message within a message is opened and closed around its fields. A failure stays
 * in `err`, and nothing is added after it.
 */
#ifndef EXECTRACE_SRC_ANSWER_FORMAT_PROTO_H
#define EXECTRACE_SRC_ANSWER_FORMAT_PROTO_H

#include <exectrace/base/buf.h>
#include <stdint.h>

struct proto {
	struct buf *out;
	int err; /* 0 or -ENOMEM */
};

/* A number (uint32, uint64, int32, int64, bool, enum). */
void proto_number(struct proto *p, unsigned field, uint64_t value);

/* A string or bytes. Strings have to be UTF-8. */
void proto_bytes(struct proto *p, unsigned field, const void *bytes, size_t n);

/* Opens a message; what proto_close wants. */
size_t proto_open(struct proto *p, unsigned field);

/* Closes the message that was opened last. */
void proto_close(struct proto *p, size_t opened);

#endif
