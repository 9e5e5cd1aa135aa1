/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "structures.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1024u  /* bytes of a structure as text, about */
#define BYTES_MAX 4096u /* of a structure that are read */
#define ENUM_MAX 1024u  /* names of an enum that are looked at */
#define MEMBERS_MAX 256u

/* What all within one structure have in common. */
struct printing {
	struct buf *out;
	size_t end; /* of the text: no member begins behind it */
	const struct btf *btf;
	const struct guest_memory *memory;
};

static int print_structure(const struct printing *p, uint32_t type, const char *bytes, size_t n, unsigned depth);
static int print_at(const struct printing *p, uint32_t type, uint64_t size, uint64_t address, unsigned depth);

static int print_quoted(struct buf *out, const char *bytes, size_t n, bool cut)
{
	int rc = buf_putc(out, '"');

	rc = rc ? rc : quote_terminal(out, bytes, n);
	return rc ? rc : buf_puts(out, cut ? "\"..." : "\"");
}

static int print_string(const struct printing *p, uint64_t address)
{
	char text[STRUCTURE_STRING];
	size_t have = guest_memory_some(p->memory, address, text, sizeof(text)), n = strnlen(text, have);

	return have ? print_quoted(p->out, text, n, n == have) : buf_printf(p->out, "%#" PRIx64, address);
}

static int print_pointer(const struct printing *p, const struct btf_value *value, uint64_t address, unsigned depth)
{
	struct btf_value target;

	btf_value(p->btf, value->target, &target);
	if (!address)
		return buf_puts(p->out, "NULL");
	if (target.class == BTF_CLASS_CHAR && target.constant)
		return print_string(p, address);
	if (target.class == BTF_CLASS_STRUCTURE && depth)
		return print_at(p, target.type, target.size, address, depth);
	return buf_printf(p->out, "%#" PRIx64, address);
}

static int print_enum(const struct printing *p, uint32_t type, int64_t number)
{
	const char *name;
	int64_t value;

	for (uint32_t i = 0; i < ENUM_MAX && btf_enumerator(p->btf, type, i, &name, &value); i++) {
		if (value == number)
			return quote_terminal(p->out, name, strlen(name));
	}
	return buf_printf(p->out, "%" PRId64, number);
}

/* A number of so many bits; `raw` may have more. */
static int print_number(const struct printing *p, const struct btf_value *value, uint64_t raw, unsigned bits,
                        unsigned depth)
{
	unsigned unused = 64 - bits;
	int64_t number = (int64_t)(raw << unused) >> unused;

	raw = raw << unused >> unused;
	switch (value->class) {
	case BTF_CLASS_POINTER:
		return print_pointer(p, value, raw, depth);
	case BTF_CLASS_ENUM:
		return print_enum(p, value->type, number);
	case BTF_CLASS_BOOL:
		return buf_puts(p->out, raw ? "true" : "false");
	case BTF_CLASS_SIGNED:
	case BTF_CLASS_CHAR:
		return buf_printf(p->out, "%" PRId64, number);
	default:
		return buf_printf(p->out, "%" PRIu64, raw);
	}
}

/* True for bytes that are a text and its end, as names are kept that may have any characters. */
static bool is_text(const char *bytes, size_t n)
{
	size_t length = strnlen(bytes, n), at = 0;

	for (size_t one; at < length && (one = quote_shown_len(bytes + at, length - at)); at += one)
		;
	return length && length < n && at == length;
}

/* A value that has all of its bytes. */
static int print_whole(const struct printing *p, const struct btf_value *value, const char *bytes, unsigned depth)
{
	uint64_t raw = 0;
	struct btf_value item;

	if (value->class == BTF_CLASS_STRUCTURE)
		return depth ? print_structure(p, value->type, bytes, value->size, depth) : buf_puts(p->out, "{...}");
	if (value->class == BTF_CLASS_ARRAY) {
		btf_value(p->btf, value->target, &item);
		if (item.class == BTF_CLASS_CHAR || (item.size == 1 && is_text(bytes, value->size)))
			return print_quoted(p->out, bytes, strnlen(bytes, value->size), false);
		return buf_puts(p->out, "[...]");
	}
	if (!value->size || value->size > sizeof(raw) || value->class == BTF_CLASS_FLOAT)
		return buf_puts(p->out, "?");
	memcpy(&raw, bytes, value->size);
	return print_number(p, value, raw, 8 * (unsigned)value->size, depth);
}

static int print_bits(const struct printing *p, const struct btf_member_value *member, const char *bytes, size_t n)
{
	uint64_t raw = 0, first = member->bit / 8;
	size_t size = n - first < sizeof(raw) ? n - first : sizeof(raw);

	memcpy(&raw, bytes + first, size);
	raw >>= member->bit % 8;
	return print_number(p, &member->value, raw, member->bit_size < 64 ? member->bit_size : 64, 0);
}

/* A member, as far as it is within the n bytes. */
static int print_member(const struct printing *p, const struct btf_member_value *member, const char *bytes, size_t n,
                        unsigned depth)
{
	uint64_t at = member->bit / 8,
		 size = member->bit_size ? (member->bit % 8 + member->bit_size + 7) / 8 : member->value.size;
	int rc = *member->name ? quote_terminal(p->out, member->name, strlen(member->name)) : 0;

	if (!rc && *member->name)
		rc = buf_putc(p->out, '=');
	if (rc)
		return rc;
	if (at >= n || size > n - at)
		return buf_puts(p->out, "?");
	return member->bit_size ? print_bits(p, member, bytes, n) : print_whole(p, &member->value, bytes + at, depth);
}

static int print_structure(const struct printing *p, uint32_t type, const char *bytes, size_t n, unsigned depth)
{
	struct btf_member_value member;
	int rc = buf_putc(p->out, '{');

	for (uint32_t i = 0; !rc && btf_field(p->btf, type, i, &member); i++) {
		if (i)
			rc = buf_puts(p->out, ", ");
		if (rc || p->out->len > p->end || i == MEMBERS_MAX) {
			rc = rc ? rc : buf_puts(p->out, "...");
			break;
		}
		/* What has no name is part of what it is in. */
		rc = print_member(p, &member, bytes, n, depth - (*member.name != '\0'));
	}
	return rc ? rc : buf_putc(p->out, '}');
}

/* What a pointer leads to; the address where that is not there. */
static int print_at(const struct printing *p, uint32_t type, uint64_t size, uint64_t address, unsigned depth)
{
	cleanup_free char *bytes = NULL;
	size_t n = size < BYTES_MAX ? size : BYTES_MAX;

	bytes = malloc(n + 1);
	if (!bytes)
		return -ENOMEM;
	n = p->out->len > p->end ? 0 : guest_memory_some(p->memory, address, bytes, n);
	return n ? print_structure(p, type, bytes, n, depth) : buf_printf(p->out, "%#" PRIx64, address);
}

int structure_print(struct buf *out, const struct btf *btf, uint32_t type, uint64_t address,
                    const struct guest_memory *memory, unsigned depth)
{
	const struct printing p = {out, out->len + TEXT_MAX, btf, memory};
	struct btf_value value;
	char first;

	btf_value(btf, type, &value);
	if (value.class != BTF_CLASS_STRUCTURE || !value.size || !memory->read(memory->user, address, &first, 1))
		return -EFAULT;
	return print_at(&p, type, value.size, address, depth);
}
