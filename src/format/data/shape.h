/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of the record types that are rare: a table that writing and reading share. Such a record is one entry in
 * column 0 of its type: a number, the length of what follows, and the fields in order. Fields that a reader does not
 * know are at the end, and passed over; those that are not there are 0.
 */
#ifndef EXECTRACE_SRC_FORMAT_DATA_SHAPE_H
#define EXECTRACE_SRC_FORMAT_DATA_SHAPE_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

/* Memory for what a decoded record points to; shape_scratch_release frees it. */
struct shape_scratch {
	struct buf list; /* frames or symbols */
	struct data_extra extras[DATA_EXTRAS_MAX];
};

/* True for types that have a row in the table. */
bool shape_known(unsigned type);

/* True for types that define what later records refer to. */
bool shape_is_dictionary(unsigned type);

/* Adds the fields of the event to out. 0, -ENOMEM, -EINVAL (out may have grown in both cases). */
int shape_encode(struct buf *out, const struct data_event *event);

/* Adds the n extras to out, as they are within a record. As shape_encode. */
int shape_encode_extras(struct buf *out, const struct data_extra *extras, unsigned n);

/*
 * Reads n bytes at p, behind which DATA_VARINT_SLACK bytes are readable, into the member of event->type. Texts point
 * into the bytes, lists into scratch. 0, -ENOMEM, or -EBADMSG when they break a rule.
 */
int shape_decode(struct shape_scratch *scratch, const uint8_t *p, size_t n, struct data_event *event);

/* The same for extras alone: into call->extras. */
int shape_decode_extras(struct shape_scratch *scratch, const uint8_t *p, size_t n, struct data_syscall *call);

/* Frees what scratch holds. */
void shape_scratch_release(struct shape_scratch *scratch);

#endif
