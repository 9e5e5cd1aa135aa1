/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures by the tables of structs.inc and structs-uapi.inc. */
#include "fields.h"

#include <exectrace/target/decode/structs/network.h>

#include <string.h>
#include <sys/socket.h>

#define STRUCT_MAX 4096 /* bytes of the largest structure that is shown */

/* clang-format off */
#define FIELD(name, kind, shown, aux, o64, s64, o32, s32) \
	{#name, KIND_##kind, (aux) + FITS(#name, FIELD_NAME_ROOM), shown, {o64, o32}, {s64, s32}}
/* clang-format on */
#define M(name, kind, ...) FIELD(name, kind, 0, 0, __VA_ARGS__)
#define MV(name, kind, ...) FIELD(name, kind, 1, 0, __VA_ARGS__)
#define MS(name, kind, set, ...) FIELD(name, kind, 0, SET_##set, __VA_ARGS__)
#define MSV(name, kind, set, ...) FIELD(name, kind, 1, SET_##set, __VA_ARGS__)
#define MN(name, kind, number, ...) FIELD(name, kind, 0, number, __VA_ARGS__)
#define MNV(name, kind, number, ...) FIELD(name, kind, 1, number, __VA_ARGS__)
#define MT(name, structure, o64, o32) FIELD(name, NESTED, 0, STRUCT_##structure, o64, 0, o32, 0)
#define MTV(name, structure, o64, o32) FIELD(name, NESTED, 1, STRUCT_##structure, o64, 0, o32, 0)

#define U(name, kind, aux, shown, ...) FIELD(name, kind, shown, aux, __VA_ARGS__)

#define STRUCT(id, s64, s32, ...) static const struct structs_field fields_##id[] = {__VA_ARGS__};
#include <exectrace/target/syscalls/structs.inc>

#include <exectrace/target/syscalls/structs-uapi.inc>
#undef STRUCT

#define STRUCT(id, s64, s32, ...) {{s64, s32}, fields_##id, sizeof(fields_##id) / sizeof(fields_##id[0])},
static const struct layout {
	uint16_t size[2];
	const struct structs_field *fields;
	size_t n;
} layouts[] = {
#include <exectrace/target/syscalls/structs.inc>

#include <exectrace/target/syscalls/structs-uapi.inc>
};

_Static_assert(KIND_COUNT <= UINT16_MAX && STRUCT_COUNT <= UINT16_MAX && SET_COUNT <= UINT16_MAX, "they fit a field");

unsigned struct_size(const struct printer *p, unsigned structure)
{
	return layouts[structure].size[p->word == 4];
}

unsigned struct_style(unsigned structure)
{
	const struct structs_field *first = &layouts[structure].fields[0];

	return first->kind == KIND_STYLE ? first->aux : 0;
}

static void put_layout(struct printer *p, const unsigned char *bytes, const unsigned char *given, unsigned structure);

static void put_moved_field(struct printer *p, const struct structs_field *field, uint64_t value)
{
	uint64_t before = load_number(p->before + (p->raw - p->start), p->size);

	print_kind(p, field->kind, before, field->aux);
	if (before == value)
		return;
	put_text(p, " => ");
	print_kind(p, field->kind, value, field->aux);
}

/* Notes where a field ends, and cuts one in whose middle its structure does. */
static void note_end(struct printer *p, unsigned kind)
{
	p->known = (uint64_t)(p->raw - p->start) + p->size;
	if (p->known > p->length && (kind == KIND_CHARS || kind == KIND_HEXES))
		p->size -= (unsigned)(p->known - p->length);
}

void put_field(struct printer *p, const unsigned char *bytes, const struct structs_field *field)
{
	uint64_t value;

	p->at = field->at[p->word == 4];
	p->raw = bytes + p->at;
	p->size = field->size[p->word == 4];
	if (field->kind == KIND_NESTED) {
		put_layout(p, p->raw, NULL, field->aux);
		return;
	}
	if (p->length && field->kind != KIND_ITEMS)
		note_end(p, field->kind);
	value = load_number(p->raw, p->size);
	if (field->shown & SHOWN_BRIEF && !p->d->verbose)
		put_addr(p, value);
	else if (field->shown & SHOWN_MOVED && p->before && p->length)
		put_moved_field(p, field, value);
	else
		print_kind(p, field->kind, value, field->aux);
}

/* Of a field in whose middle the structure ends: the bytes that are there. Returns the separator of the next field. */
static const char *put_beginning(struct printer *p, const unsigned char *bytes, const struct structs_field *field,
                                 const char *separator)
{
	unsigned at = field->at[p->word == 4];

	if (at >= p->ends)
		return separator;
	put_format(p, "%s%s=", separator, field->name);
	p->raw = bytes + at;
	p->size = p->ends - at;
	print_hex_string(p, 0, 0);
	return ", ";
}

/* An address of AF_INET6 has its name in it: not in front, where it ends. False: the field is none. */
static bool put_named_host(struct printer *p, const unsigned char *bytes, const struct structs_field *field, size_t end)
{
	const unsigned char *raw = bytes + field->at[p->word == 4];

	if (field->kind != KIND_HOST || host_family(p, raw, field->aux) != AF_INET6)
		return false;
	buf_cut(p->out, end - strlen(field->name) - 1);
	put_inet6_field(p, field->name, raw);
	return true;
}

/* By hand: lines of calls that are made all the time have some of them. */
static void put_name(struct printer *p, const char *separator, const char *name)
{
	put_text(p, separator);
	put_text(p, name);
	put_text(p, "=");
}

static void put_named(struct printer *p, const struct structs_field *field, struct walk *walk)
{
	size_t mark = p->out->len, value;

	if (field->shown & SHOWN_BARE)
		put_text(p, walk->bracket ? " => [" : " => ");
	else
		put_name(p, field->shown & SHOWN_ARROW ? " => " : walk->separator, field->name);
	value = p->out->len;
	if (!put_named_host(p, walk->bytes, field, value))
		put_field(p, walk->bytes, field);
	if (p->out->len == value && value > mark)
		buf_cut(p->out, mark);
	else
		walk->separator = ", ";
}

/* A field like most: it depends on nothing, and says nothing about others. */
static inline bool is_simple(const struct printer *p, const struct structs_field *field, const struct walk *walk)
{
	_Static_assert(KIND_MORE < KIND_ITEMS && KIND_ITEMS < KIND_STYLE && KIND_STYLE < KIND_HAS, "they are in a row");
	bool says = field->kind >= KIND_MORE && field->kind <= KIND_HAS;

	return !says && !field->shown && !walk->given && !walk->asked && !walk->skip && !p->ends;
}

static void put_fields(struct printer *p, struct walk *walk, unsigned structure)
{
	const struct layout *layout = &layouts[structure];
	bool styled = struct_style(structure);

	for (size_t i = 0; i < layout->n && !walk->nothing; i++) {
		const struct structs_field *field = &layout->fields[i];

		if (is_simple(p, field, walk)) {
			put_named(p, field, walk);
			p->counted = false;
			continue;
		}
		if (is_said(p, field, walk))
			continue;
		if (is_behind(p, field, walk))
			break;
		walk->skip |= !is_meant(p, field, walk);
		if (p->ends && field->at[p->word == 4] + field_size(p, field) > p->ends)
			walk->separator = put_beginning(p, walk->bytes, field, walk->separator);
		else if (walk->skip || is_hidden(p, field, walk, styled))
			;
		else if (field->kind == KIND_MORE || (field->shown & SHOWN_VERBOSE && !p->d->verbose))
			walk->more = true;
		else
			put_named(p, field, walk);
		walk->skip = p->counted = false;
	}
}

static void put_end(struct printer *p, const struct walk *walk)
{
	bool first = *walk->separator == '{';

	put_text(p, walk->more ? (first ? "{...}" : ", ...}") : first ? "{}" : "}");
}

static void put_layout(struct printer *p, const unsigned char *bytes, const unsigned char *given, unsigned structure)
{
	struct walk walk = {.bytes = bytes, .given = given, .separator = "{"};

	put_fields(p, &walk, structure);
	put_end(p, &walk);
}

void put_struct(struct printer *p, uint64_t addr, unsigned structure)
{
	unsigned char bytes[STRUCT_MAX]; /* not cleared, which would take longer than all the rest */
	unsigned n = struct_size(p, structure), size = p->size;
	uint64_t base = p->base, length = p->length;

	if (n > sizeof(bytes) || !peek_bytes(p, addr, bytes, n)) {
		put_addr(p, addr);
		return;
	}
	p->base = addr;
	p->length = 0;
	if (structure == STRUCT_siginfo)
		put_siginfo(p, bytes);
	else if (structure == STRUCT_schedparam)
		put_format(p, "[%d]", (int)load_number(bytes, 4));
	else
		put_layout(p, bytes, NULL, structure);
	p->base = base;
	p->length = length;
	p->size = size;
	p->raw = NULL;
}

void put_changes(struct printer *p, const unsigned char *bytes, const unsigned char *given, unsigned structure)
{
	put_layout(p, bytes, given, structure);
	p->raw = NULL;
}

static bool is_zero(const unsigned char *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

bool put_given(struct printer *p, uint64_t addr, unsigned structure)
{
	unsigned char bytes[STRUCT_MAX];
	unsigned n = struct_size(p, structure), size = p->size;
	struct walk walk = {.bytes = bytes, .separator = "{"};

	if (n > sizeof(bytes) || !peek_bytes(p, addr, bytes, n)) {
		put_addr(p, addr);
		return false;
	}
	if (struct_style(structure) & STYLE_ZERO && is_zero(bytes, n))
		return true;
	p->base = addr;
	p->giving = true;
	p->unread = false;
	put_fields(p, &walk, structure);
	p->giving = false;
	if (!(struct_style(structure) & STYLE_JOINED) || p->unread)
		put_end(p, &walk);
	p->size = size;
	p->raw = NULL;
	return !p->unread || struct_style(structure) & STYLE_NOTE;
}

void put_made(struct printer *p, uint64_t addr, const unsigned char *given, unsigned structure)
{
	unsigned char bytes[STRUCT_MAX];
	unsigned n = struct_size(p, structure), style = struct_style(structure);
	struct walk walk = {.bytes = bytes, .given = given, .separator = style & STYLE_JOINED ? ", " : "{"};
	bool readable = n <= sizeof(bytes) && peek_bytes(p, addr, bytes, n);
	size_t mark = p->out->len;

	if (style & STYLE_ARROW)
		put_text(p, style & STYLE_ZERO && given && is_zero(given, n) ? ", " : " => ");
	if (style & STYLE_ADDRESS && !(readable && call_succeeded(p))) {
		put_addr(p, addr);
		return;
	}
	p->made = true;
	p->base = addr;
	walk.bracket = style & STYLE_VALUE;
	if (readable && (call_succeeded(p) || style & STYLE_FAILED))
		put_fields(p, &walk, structure);
	p->made = false;
	if (walk.bracket && *walk.separator == ',')
		put_text(p, "]");
	else if (style & STYLE_JOINED || *walk.separator == ',')
		put_end(p, &walk);
	else
		buf_cut(p->out, mark);
	p->raw = NULL;
}

void put_struct_of(struct printer *p, uint64_t addr, uint64_t n, unsigned structure)
{
	unsigned char bytes[STRUCT_MAX] = {0};
	unsigned size = struct_size(p, structure);

	if (n < size)
		size = (unsigned)n;
	if (size > sizeof(bytes) || !peek_bytes(p, addr, bytes, size)) {
		put_addr(p, addr);
		return;
	}
	p->ends = size;
	put_layout(p, bytes, NULL, structure);
	p->ends = 0;
	p->raw = NULL;
}

uint64_t put_struct_as_long(struct printer *p, uint64_t addr, uint64_t n, unsigned structure)
{
	unsigned char bytes[STRUCT_MAX] = {0};
	unsigned size = struct_size(p, structure);

	if (size > sizeof(bytes) || !n || !peek_bytes(p, addr, bytes, n < size ? n : size)) {
		put_addr(p, addr);
		return 0;
	}
	p->length = n;
	p->start = bytes;
	put_layout(p, bytes, NULL, structure);
	p->length = 0;
	p->raw = NULL;
	return p->known;
}

void put_first_field(struct printer *p, uint64_t value, unsigned structure, uint64_t unreadable)
{
	const struct structs_field *field = &layouts[structure].fields[0];

	put_format(p, "{%s=", field->name);
	print_kind(p, field->kind, value, field->aux);
	if (unreadable)
		put_format(p, ", %#llx}", (unsigned long long)unreadable);
	else
		put_text(p, ", ...}");
}

void put_nested(struct printer *p, const unsigned char *bytes, unsigned structure)
{
	put_layout(p, bytes, NULL, structure);
}

void print_struct(struct printer *p, uint64_t addr, unsigned structure)
{
	put_struct(p, addr, structure);
}
