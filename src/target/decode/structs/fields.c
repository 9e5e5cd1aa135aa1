/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fields.h"

#include <string.h>

unsigned field_size(const struct printer *p, const struct structs_field *field)
{
	return field->kind == KIND_NESTED ? struct_size(p, field->aux) : field->size[p->word == 4];
}

/* Whether it differs from what was given. */
static bool has_changed(const struct printer *p, const struct structs_field *field, const unsigned char *bytes,
                        const unsigned char *given)
{
	unsigned at = field->at[p->word == 4];

	return memcmp(bytes + at, given + at, field_size(p, field)) != 0;
}

/* Whether the structure has the field behind that one, which is a condition. */
static bool holds(const struct printer *p, const struct structs_field *field, const unsigned char *bytes)
{
	uint64_t value = load_number(bytes + field->at[p->word == 4], field->size[p->word == 4]);

	if (field->kind == KIND_WHEN)
		return value_name(field->aux, value);
	if (field->kind == KIND_UNLESS)
		return !value_name(field->aux, value) || (field->shown & SHOWN_VERBOSE && p->d->verbose);
	if (field->kind == KIND_BIT)
		return value >> field->aux & 1;
	for (unsigned i = sizeof(value); i < field->size[p->word == 4]; i++)
		value |= bytes[field->at[p->word == 4] + i];
	return (value != 0) == (field->kind == KIND_NONZERO) || (field->aux && p->d->verbose);
}

/* There are no more than there was room for. */
static void limit_items(struct printer *p)
{
	uint64_t before = p->before && p->length ? load_number(p->before + (p->raw - p->start), p->size) : p->items;

	if (p->items > before)
		p->items = before;
}

/* Whether it says for which content of another field there is the next one, or that an argument counts its items. */
static bool is_case(struct printer *p, const struct structs_field *field, struct walk *walk)
{
	switch (field->kind) {
	case KIND_ARG:
		p->items = (uint32_t)call_arg(p, field->aux);
		p->counted = true;
		return true;
	case KIND_TAG:
		walk->tag = load_number(walk->bytes + field->at[p->word == 4], field->size[p->word == 4]);
		return true;
	case KIND_CASE:
		walk->met |= walk->tag == field->aux;
		break;
	case KIND_HAS:
	case KIND_HASNOT:
		walk->met |= ((walk->tag >> field->aux & 1) != 0) == (field->kind == KIND_HAS);
		break;
	default:
		return false;
	}
	walk->asked = true;
	return true;
}

bool is_said(struct printer *p, const struct structs_field *field, struct walk *walk)
{
	switch (field->kind) {
	case KIND_STYLE:
		return true;
	case KIND_AFTER:
		walk->nothing = walk->skip && p->made;
		walk->skip = false;
		return true;
	case KIND_WHEN:
	case KIND_UNLESS:
	case KIND_BIT:
	case KIND_NONZERO:
	case KIND_ZERO:
		walk->skip |= !holds(p, field, walk->bytes);
		return true;
	case KIND_ITEMS:
		if (!walk->skip) {
			put_field(p, walk->bytes, field);
			limit_items(p);
		}
		return true;
	default:
		return is_case(p, field, walk);
	}
}

bool is_behind(const struct printer *p, const struct structs_field *field, const struct walk *walk)
{
	return p->length && field->shown & SHOWN_GROWN &&
	       (uint64_t)(walk->bytes - p->start) + field->at[p->word == 4] >= p->length;
}

bool is_meant(const struct printer *p, const struct structs_field *field, struct walk *walk)
{
	bool met = !walk->asked || walk->met;
	uint64_t value;

	walk->asked = walk->met = false;
	if (!met || !(field->shown & SHOWN_NONZERO))
		return met;
	value = load_number(walk->bytes + field->at[p->word == 4], field->size[p->word == 4]);
	return (field->kind == KIND_BITFIELD ? bits_of(value, field->aux) : value) != 0;
}

bool is_hidden(const struct printer *p, const struct structs_field *field, const struct walk *walk, bool styled)
{
	if (field->shown & SHOWN_FILLED && p->giving)
		return true;
	if (!styled)
		return walk->given && !has_changed(p, field, walk->bytes, walk->given);
	return (field->shown & SHOWN_GIVEN && p->made) || (field->shown & SHOWN_FAILED && !p->result.error) ||
	       (field->shown & SHOWN_DONE && p->result.error) ||
	       (field->shown & SHOWN_CHANGED && !(walk->given && has_changed(p, field, walk->bytes, walk->given)));
}
