/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON Lines: one object a line (RFC 8259, jsonlines.org). Members are added one after the other between jsonl_begin
 * and jsonl_end; a failure stays in `err`, and nothing is added after it. Keys are words of ours: they need no escapes.
 */
#ifndef EXECTRACE_ANSWER_FORMAT_JSONL_H
#define EXECTRACE_ANSWER_FORMAT_JSONL_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

struct jsonl {
	struct buf *out;
	int err;    /* 0 or -ENOMEM */
	bool valid; /* all of it is to be valid Unicode: texts are as quote_json_valid writes them */
	bool comma; /* private: something stands before what comes next */
};

/* Begins a line. */
void jsonl_begin(struct jsonl *j);

/* Ends it. 0 or -ENOMEM. */
int jsonl_end(struct jsonl *j);

void jsonl_number(struct jsonl *j, const char *key, int64_t value);
void jsonl_unsigned(struct jsonl *j, const char *key, uint64_t value);
void jsonl_bool(struct jsonl *j, const char *key, bool value);

/* The bytes may be any: those that are not UTF-8 become \udcNN, as quote_json writes them, unless it is `valid`. */
void jsonl_text(struct jsonl *j, const char *key, struct data_text text);
void jsonl_string(struct jsonl *j, const char *key, const char *string);

/* Members that are JSON already, at least one, with the commas between them; and a value that is. */
void jsonl_members(struct jsonl *j, struct data_text json);
void jsonl_json(struct jsonl *j, const char *key, struct data_text json);

/* An array of texts, between its beginning and its end; jsonl_list: one without a key. */
void jsonl_array(struct jsonl *j, const char *key);
void jsonl_list(struct jsonl *j);
void jsonl_item(struct jsonl *j, struct data_text text);
void jsonl_array_end(struct jsonl *j);

/*
 * An array of objects: each is made by a jsonl of its own and ended by jsonl_end; jsonl_object moves what that has made
 * into `objects`, and jsonl_objects adds them all as a member, and releases them.
 */
void jsonl_object(struct buf *objects, struct jsonl *object);
void jsonl_objects(struct jsonl *j, const char *key, struct buf *objects);

#endif
