/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proto.h"

#include <errno.h>
#include <string.h>

#define VARINT_MAX 10 /* bytes of a number */

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

static char *put_varint(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

/* Room for n bytes at the end of the buffer; NULL after a failure. */
static char *room(struct proto *p, size_t n)
{
	if (!p->err)
		p->err = buf_reserve(p->out, n);
	return p->err ? NULL : p->out->data + p->out->len;
}

static void took(struct proto *p, const char *end)
{
	p->out->len = (size_t)(end - p->out->data);
	p->out->data[p->out->len] = '\0';
}

void proto_number(struct proto *p, unsigned field, uint64_t value)
{
	char *at = room(p, 2 * VARINT_MAX);

	if (!at)
		return;
	at = put_varint(at, (uint64_t)field << 3 | WIRE_VARINT);
	took(p, put_varint(at, value));
}

void proto_bytes(struct proto *p, unsigned field, const void *bytes, size_t n)
{
	char *at = room(p, 2 * VARINT_MAX + n);

	if (!at)
		return;
	at = put_varint(at, (uint64_t)field << 3 | WIRE_BYTES);
	at = put_varint(at, n);
	if (n)
		memcpy(at, bytes, n);
	took(p, at + n);
}

/* One byte is kept for the length, which is enough for most; proto_close makes room when it is not. */
size_t proto_open(struct proto *p, unsigned field)
{
	char *at = room(p, VARINT_MAX + 1);

	if (!at)
		return 0;
	took(p, put_varint(at, (uint64_t)field << 3 | WIRE_BYTES) + 1);
	return p->out->len;
}

void proto_close(struct proto *p, size_t opened)
{
	char length[VARINT_MAX];
	char *at = room(p, VARINT_MAX);
	size_t n, bytes;

	if (!at)
		return;
	n = p->out->len - opened;
	bytes = (size_t)(put_varint(length, n) - length);
	at = p->out->data + opened - 1;
	if (bytes > 1)
		memmove(at + bytes, at + 1, n);
	memcpy(at, length, bytes);
	took(p, at + bytes + n);
}
