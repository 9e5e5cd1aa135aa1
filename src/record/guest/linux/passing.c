/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "passing.h"

#define WORD 8u
#define WORDS 2u      /* more than these are passed in memory, ... */
#define LOOKED_AT 64u /* ... but for structures of so many bytes that are nothing but one vector */
#define STEPS 512     /* members that are looked at: there are no more in a few words */
#define DEPTH 8

/* What is in a structure, word by word. */
struct words {
	const struct btf *btf;
	bool general[LOOKED_AT / WORD], floats[LOOKED_AT / WORD];
	bool wide;      /* a floating-point number of more than a word is there */
	bool unaligned; /* something is where it would not be on its own */
	bool unknown;
	unsigned steps;
};

static void add_value(struct words *w, const struct btf_value *value, uint64_t at, unsigned depth);

/* Notes what is in [at, at + size). */
static void mark(struct words *w, bool words[LOOKED_AT / WORD], uint64_t at, uint64_t size)
{
	if (!size || at >= LOOKED_AT || size > LOOKED_AT - at) {
		w->unknown = true;
		return;
	}
	for (uint64_t i = at / WORD; i <= (at + size - 1) / WORD; i++)
		words[i] = true;
}

static void add_structure(struct words *w, uint32_t type, uint64_t at, unsigned depth)
{
	struct btf_member_value member;

	for (uint32_t i = 0; !w->unknown && btf_field(w->btf, type, i, &member); i++) {
		uint64_t byte = at + member.bit / 8;

		if (!w->steps--) {
			w->unknown = true;
			return;
		}
		if (member.bit_size)
			mark(w, w->general, byte, (member.bit % 8 + member.bit_size + 7) / 8);
		else
			add_value(w, &member.value, byte, depth);
	}
}

static void add_array(struct words *w, const struct btf_value *value, uint64_t at, unsigned depth)
{
	struct btf_value item;

	btf_value(w->btf, value->target, &item);
	for (uint32_t i = 0; !w->unknown && i < value->count; i++) {
		if (!w->steps-- || !item.size) {
			w->unknown = true;
			return;
		}
		add_value(w, &item, at + i * item.size, depth);
	}
}

static void add_value(struct words *w, const struct btf_value *value, uint64_t at, unsigned depth)
{
	uint64_t alignment = value->size < WORD ? value->size : WORD;

	if (!depth)
		w->unknown = true;
	switch (depth ? value->class : BTF_CLASS_OTHER) {
	case BTF_CLASS_STRUCTURE:
		return add_structure(w, value->type, at, depth - 1);
	case BTF_CLASS_ARRAY:
		return add_array(w, value, at, depth - 1);
	case BTF_CLASS_FLOAT:
		w->wide |= value->size > WORD;
		w->unaligned |= at % alignment != 0;
		return mark(w, w->floats, at, value->size);
	case BTF_CLASS_OTHER:
	case BTF_CLASS_VOID:
		w->unknown = true;
		return;
	default:
		w->unaligned |= !alignment || at % alignment != 0;
		return mark(w, w->general, at, value->size);
	}
}

static struct passing structure(const struct btf *btf, const struct btf_value *value)
{
	struct words w = {.btf = btf, .steps = STEPS};
	struct passing p = {.known = true, .memory = value->size > WORDS * WORD};

	if (value->size > LOOKED_AT)
		return p;
	add_structure(&w, value->type, 0, DEPTH);
	p.memory |= w.unaligned;
	for (unsigned i = 0; !p.memory && i < WORDS; i++) {
		p.general += w.general[i];
		p.floats += w.floats[i] && !w.general[i];
	}
	/* A long double is in memory, what else is as wide is not. */
	p.known = !w.unknown && !(w.wide && p.general);
	return p;
}

struct passing passing_of(const struct btf *btf, const struct btf_value *value)
{
	struct passing p = {.known = true};

	switch (value->class) {
	case BTF_CLASS_VOID:
		return p;
	case BTF_CLASS_STRUCTURE:
		return structure(btf, value);
	case BTF_CLASS_FLOAT:
		p.floats = value->size > WORD ? 2 : 1;
		return p;
	case BTF_CLASS_OTHER:
	case BTF_CLASS_ARRAY:
		p.known = false;
		return p;
	default:
		p.memory = value->size > WORDS * WORD;
		if (!p.memory)
			p.general = value->size > WORD ? 2 : 1;
		p.wide = p.general > 1;
		return p;
	}
}
