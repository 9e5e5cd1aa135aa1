/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <linux/btf.h>
#include <string.h>

#define KIND_ENUM64 19 /* newer than the oldest header we build with */
#define INFO(kind, n, flag) ((uint32_t)(kind) << 24 | (uint32_t)(flag) << 31 | (uint32_t)(n))
#define NAME_MAX_BYTES 511 /* what is longer, btf.h takes for none */
#define NAMES_MAX (8u << 20)
#define BITS_OFFSET_MAX 0xffffffu /* of a member where any is a bit field */

static void put(struct emit *e, uint32_t word)
{
	(void)buf_append(&e->types, &word, sizeof(word));
}

static void put_head(struct emit *e, const char *name, uint32_t info, uint32_t type)
{
	put(e, emit_name(e, name));
	put(e, info);
	put(e, type);
}

int emit_list_add(struct emit_list *list, const struct emit_member *item)
{
	if (list->n == EMIT_MEMBERS_MAX)
		return -E2BIG;
	if (grow_array((void **)&list->items, list->n, &list->cap, sizeof(*list->items)))
		return -ENOMEM;
	list->items[list->n++] = *item;
	return 0;
}

void emit_begin(struct emit *e)
{
	(void)buf_putc(&e->names, '\0');
	emit_unknown(e);
}

void emit_release(struct emit *e)
{
	buf_release(&e->types);
	buf_release(&e->names);
}

uint32_t emit_name(struct emit *e, const char *name)
{
	uint32_t at = (uint32_t)e->names.len;
	size_t n = name ? strnlen(name, NAME_MAX_BYTES) : 0;

	if (!n || n == NAME_MAX_BYTES || e->names.len > NAMES_MAX || buf_append(&e->names, name, n + 1))
		return 0;
	return at;
}

void emit_unknown(struct emit *e)
{
	put_head(e, "", INFO(BTF_KIND_FWD, 0, 0), 0);
}

void emit_number(struct emit *e, const char *name, uint32_t encoding, uint32_t size)
{
	put_head(e, name, INFO(BTF_KIND_INT, 0, 0), size);
	put(e, encoding << 24 | 8 * size);
}

void emit_sized(struct emit *e, const char *name, uint32_t kind, uint32_t size)
{
	put_head(e, name, INFO(kind, 0, 0), size);
}

void emit_other(struct emit *e, const char *name, uint32_t kind, uint32_t type)
{
	put_head(e, name, INFO(kind, 0, 0), type);
}

void emit_array(struct emit *e, uint32_t type, uint32_t count)
{
	put_head(e, "", INFO(BTF_KIND_ARRAY, 0, 0), 0);
	put(e, type);
	put(e, 0); /* of its index: nobody asks */
	put(e, count);
}

/* Values are as numbers of that size are shown: extended by their sign. */
void emit_enum(struct emit *e, const char *name, uint32_t size, const struct emit_list *list)
{
	bool wide = size == 8, negative = false;
	unsigned unused = 64 - 8 * (size < 8 ? size : 8);

	for (size_t i = 0; i < list->n; i++)
		negative |= (int64_t)list->items[i].value < 0;
	put_head(e, name, INFO(wide ? KIND_ENUM64 : BTF_KIND_ENUM, list->n, negative), size);
	for (size_t i = 0; i < list->n; i++) {
		int64_t value = (int64_t)(list->items[i].value << unused) >> unused;

		put(e, list->items[i].name);
		put(e, (uint32_t)value);
		if (wide)
			put(e, (uint32_t)((uint64_t)value >> 32));
	}
}

/* True for a member that can be told, beside bit fields or not. */
static bool fits(const struct emit_member *m, bool bits)
{
	return m->value <= (bits ? BITS_OFFSET_MAX : UINT32_MAX);
}

void emit_structure(struct emit *e, bool is_union, const char *name, uint32_t size, const struct emit_list *list)
{
	bool bits = false;
	uint32_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		bits |= list->items[i].bits != 0;
	for (size_t i = 0; i < list->n; i++)
		n += fits(&list->items[i], bits);
	put_head(e, name, INFO(is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT, n, bits), size);
	for (size_t i = 0; i < list->n; i++) {
		const struct emit_member *m = &list->items[i];

		if (!fits(m, bits))
			continue;
		put(e, m->name);
		put(e, m->type);
		put(e, bits ? m->bits << 24 | (uint32_t)m->value : (uint32_t)m->value);
	}
}

void emit_function(struct emit *e, uint32_t result, const struct emit_list *parameters)
{
	put_head(e, "", INFO(BTF_KIND_FUNC_PROTO, parameters->n, 0), result);
	for (size_t i = 0; i < parameters->n; i++) {
		put(e, parameters->items[i].name);
		put(e, parameters->items[i].type);
	}
}

char *emit_end(struct emit *e, size_t *n)
{
	const struct btf_header header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(header),
		.type_len = (uint32_t)e->types.len,
		.str_off = (uint32_t)e->types.len,
		.str_len = (uint32_t)e->names.len,
	};
	struct buf all = BUF_INIT;

	*n = sizeof(header) + e->types.len + e->names.len;
	if (e->types.err || e->names.err || buf_append(&all, &header, sizeof(header)) ||
	    buf_append(&all, e->types.data, e->types.len) || buf_append(&all, e->names.data, e->names.len)) {
		buf_release(&all);
		return NULL;
	}
	return buf_steal(&all);
}
