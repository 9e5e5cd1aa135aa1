/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of a kernel (BTF) made by hand: words behind each other, a header in front, names behind. */
#ifndef EXECTRACE_TESTS_UNIT_BTF_MADE_H
#define EXECTRACE_TESTS_UNIT_BTF_MADE_H

#include <exectrace/base/buf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <string.h>

struct made {
	struct buf types, names, all;
};

static inline uint32_t name(struct made *m, const char *text)
{
	uint32_t at = (uint32_t)m->names.len;

	(void)buf_append(&m->names, text, strlen(text) + 1);
	return *text ? at : 0;
}

static inline void put(struct made *m, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t words[3] = {a, b, c};

	(void)buf_append(&m->types, words, sizeof(words));
}

/* Puts a header in front. */
static inline void assemble(struct made *m)
{
	struct btf_header header = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(header)};

	header.type_len = (uint32_t)m->types.len;
	header.str_off = header.type_len;
	header.str_len = (uint32_t)m->names.len;
	m->all.len = 0;
	(void)buf_append(&m->all, &header, sizeof(header));
	(void)buf_append(&m->all, m->types.data, m->types.len);
	(void)buf_append(&m->all, m->names.data, m->names.len);
}

#define INFO(kind, n, flag) ((uint32_t)(kind) << 24 | (uint32_t)(flag) << 31 | (n))

static inline void release(struct made *m)
{
	buf_release(&m->types);
	buf_release(&m->names);
	buf_release(&m->all);
}

/* One word behind a type. */
static inline void more(struct made *m, uint32_t word)
{
	(void)buf_append(&m->types, &word, sizeof(word));
}

/* Numbers of the types below. */
enum made_type {
	MADE_INT = 1,
	MADE_CHAR,
	MADE_CONST_CHAR,
	MADE_STRING, /* const char * */
	MADE_INNER,  /* struct inner { int a; int b : 3; const char *text; struct inner *next; } */
	MADE_INNER_POINTER,
	MADE_COLOR, /* enum color { RED = 1, BLUE = 2, ODD = -1 } */
	MADE_BOOL,
	MADE_LONG,  /* unsigned long */
	MADE_WIDE,  /* struct wide { unsigned long x, y, z; } */
	MADE_KUID,  /* struct { unsigned long val; } kuid */
	MADE_PAINT, /* int paint(int a, const char *name, unsigned long len, struct inner *in, enum color c, bool on,
	               int g) */
	MADE_PAINT_FUNCTION,
	MADE_STORE, /* void store(struct wide w, struct kuid id, char c) */
	MADE_STORE_FUNCTION,
	MADE_MAKE, /* const char *make(void) */
	MADE_MAKE_FUNCTION,
	MADE_TYPES = MADE_MAKE_FUNCTION,
};

static inline void argument(struct made *m, const char *text, uint32_t type)
{
	more(m, name(m, text));
	more(m, type);
}

static inline void make_functions(struct made *m)
{
	memset(m, 0, sizeof(*m));
	(void)name(m, "");
	put(m, name(m, "int"), INFO(BTF_KIND_INT, 0, 0), 4);
	more(m, BTF_INT_SIGNED << 24 | 32);
	put(m, name(m, "char"), INFO(BTF_KIND_INT, 0, 0), 1);
	more(m, 8);
	put(m, 0, INFO(BTF_KIND_CONST, 0, 0), MADE_CHAR);
	put(m, 0, INFO(BTF_KIND_PTR, 0, 0), MADE_CONST_CHAR);
	put(m, name(m, "inner"), INFO(BTF_KIND_STRUCT, 4, 1), 24);
	put(m, name(m, "a"), MADE_INT, 0);
	put(m, name(m, "b"), MADE_INT, 3u << 24 | 32);
	put(m, name(m, "text"), MADE_STRING, 64);
	put(m, name(m, "next"), MADE_INNER_POINTER, 128);
	put(m, 0, INFO(BTF_KIND_PTR, 0, 0), MADE_INNER);
	put(m, name(m, "color"), INFO(BTF_KIND_ENUM, 3, 0), 4);
	argument(m, "RED", 1);
	argument(m, "BLUE", 2);
	argument(m, "ODD", UINT32_MAX);
	put(m, name(m, "_Bool"), INFO(BTF_KIND_INT, 0, 0), 1);
	more(m, BTF_INT_BOOL << 24 | 8);
	put(m, name(m, "unsigned long"), INFO(BTF_KIND_INT, 0, 0), 8);
	more(m, 64);
	put(m, name(m, "wide"), INFO(BTF_KIND_STRUCT, 3, 0), 24);
	for (uint32_t i = 0; i < 3; i++)
		put(m, name(m, (const char *[]){"x", "y", "z"}[i]), MADE_LONG, 64 * i);
	put(m, name(m, "kuid"), INFO(BTF_KIND_STRUCT, 1, 0), 8);
	put(m, name(m, "val"), MADE_LONG, 0);
	put(m, 0, INFO(BTF_KIND_FUNC_PROTO, 7, 0), MADE_INT);
	argument(m, "a", MADE_INT);
	argument(m, "name", MADE_STRING);
	argument(m, "len", MADE_LONG);
	argument(m, "in", MADE_INNER_POINTER);
	argument(m, "c", MADE_COLOR);
	argument(m, "on", MADE_BOOL);
	argument(m, "g", MADE_INT);
	put(m, name(m, "paint"), INFO(BTF_KIND_FUNC, 0, 0), MADE_PAINT);
	put(m, 0, INFO(BTF_KIND_FUNC_PROTO, 3, 0), 0);
	argument(m, "w", MADE_WIDE);
	argument(m, "id", MADE_KUID);
	argument(m, "", MADE_CHAR);
	put(m, name(m, "store"), INFO(BTF_KIND_FUNC, 0, 0), MADE_STORE);
	put(m, 0, INFO(BTF_KIND_FUNC_PROTO, 0, 0), MADE_STRING);
	put(m, name(m, "make"), INFO(BTF_KIND_FUNC, 0, 0), MADE_MAKE);
	assemble(m);
}

#endif
