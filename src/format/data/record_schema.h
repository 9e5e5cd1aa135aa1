/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of the record types that are rare: a table that writing and reading share. Such a record is one entry in
 * column 0 of its type: a number, the length of what follows, and the fields in order. Fields that a reader does not
 * know are at the end, and passed over; those that are not there are 0.
 */
#ifndef EXECTRACE_SRC_FORMAT_DATA_RECORD_SCHEMA_H
#define EXECTRACE_SRC_FORMAT_DATA_RECORD_SCHEMA_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

/* Memory for what a decoded record points to; record_schema_scratch_release frees it. */
struct record_schema_scratch {
	struct buf list; /* frames or symbols */
	struct data_extra extras[DATA_EXTRAS_MAX];
};

/* True for types that have a row in the table. */
bool record_schema_known(unsigned type);

/* True for types that define what later records refer to. */
bool record_schema_is_dictionary(unsigned type);

/* Adds the fields of the event to out. 0, -ENOMEM, -EINVAL (out may have grown in both cases). */
int record_schema_encode(struct buf *out, const struct data_event *event);

/* Adds the n extras to out, as they are within a record. As record_schema_encode. */
int record_schema_encode_extras(struct buf *out, const struct data_extra *extras, unsigned n);

/*
 * Reads n bytes at p, behind which DATA_VARINT_SLACK bytes are readable, into the member of event->type. Texts point
 * into the bytes, lists into scratch. 0, -ENOMEM, or -EBADMSG when they break a rule.
 */
int record_schema_decode(struct record_schema_scratch *scratch, const uint8_t *p, size_t n, struct data_event *event);

/* Decodes extras alone: into call->extras. */
int record_schema_decode_extras(struct record_schema_scratch *scratch, const uint8_t *p, size_t n,
                                struct data_syscall *call);

/* Frees what scratch holds. */
void record_schema_scratch_release(struct record_schema_scratch *scratch);

#endif
