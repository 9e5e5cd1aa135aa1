/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/jsonl.h>

#include <exectrace/answer/format/text.h>
#include <exectrace/base/quote.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 20 /* of a number of 64 bits */

static void put(struct jsonl *j, const char *text)
{
	if (!j->err)
		j->err = buf_puts(j->out, text);
}

/* The comma that separates from what stands before. */
static void separate(struct jsonl *j)
{
	if (!j->err && j->comma)
		j->err = buf_putc(j->out, ',');
	j->comma = true;
}

static void name(struct jsonl *j, const char *key)
{
	size_t n = strlen(key);
	char *at;

	if (!j->err)
		j->err = buf_reserve(j->out, n + sizeof(",\"\":"));
	if (j->err)
		return;
	at = j->out->data + j->out->len;
	if (j->comma)
		*at++ = ',';
	j->comma = true;
	*at++ = '"';
	at = mempcpy(at, key, n);
	*at++ = '"';
	*at++ = ':';
	*at = '\0';
	j->out->len = (size_t)(at - j->out->data);
}

static void put_digits(struct jsonl *j, uint64_t value)
{
	char digits[DIGITS_MAX], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	if (!j->err)
		j->err = buf_append(j->out, at, (size_t)(digits + sizeof(digits) - at));
}

void jsonl_begin(struct jsonl *j)
{
	put(j, "{");
	j->comma = false;
}

int jsonl_end(struct jsonl *j)
{
	put(j, "}\n");
	return j->err;
}

void jsonl_number(struct jsonl *j, const char *key, int64_t value)
{
	name(j, key);
	if (value < 0)
		put(j, "-");
	put_digits(j, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void jsonl_unsigned(struct jsonl *j, const char *key, uint64_t value)
{
	name(j, key);
	put_digits(j, value);
}

void jsonl_bool(struct jsonl *j, const char *key, bool value)
{
	name(j, key);
	put(j, value ? "true" : "false");
}

static void put_text(struct jsonl *j, struct data_text text)
{
	if (!j->err && j->valid)
		j->err = quote_json_valid(j->out, text.bytes, text.n);
	else if (!j->err)
		j->err = quote_json(j->out, text.bytes, text.n);
}

void jsonl_text(struct jsonl *j, const char *key, struct data_text text)
{
	name(j, key);
	put_text(j, text);
}

void jsonl_members(struct jsonl *j, struct data_text json)
{
	separate(j);
	if (!j->err)
		j->err = buf_append(j->out, json.bytes, json.n);
}

void jsonl_json(struct jsonl *j, const char *key, struct data_text json)
{
	name(j, key);
	if (!j->err)
		j->err = buf_append(j->out, json.bytes, json.n);
}

void jsonl_string(struct jsonl *j, const char *key, const char *string)
{
	jsonl_text(j, key, text_of(string));
}

void jsonl_list(struct jsonl *j)
{
	put(j, "[");
	j->comma = false;
}

void jsonl_array(struct jsonl *j, const char *key)
{
	name(j, key);
	jsonl_list(j);
}

void jsonl_item(struct jsonl *j, struct data_text text)
{
	separate(j);
	put_text(j, text);
}

void jsonl_array_end(struct jsonl *j)
{
	put(j, "]");
	j->comma = true;
}

void jsonl_object(struct buf *objects, struct jsonl *object)
{
	if (objects->len)
		buf_putc(objects, ',');
	buf_append(objects, object->out->data ? object->out->data : "", object->out->len);
	buf_fail(objects, object->err);
	buf_reset(object->out, SIZE_MAX);
}

void jsonl_objects(struct jsonl *j, const char *key, struct buf *objects)
{
	if (objects->err && !j->err)
		j->err = objects->err;
	name(j, key);
	put(j, "[");
	put(j, objects->data ? objects->data : "");
	put(j, "]");
	buf_release(objects);
}
