/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures by the tables of structs.inc and structs-uapi.inc. */
#include <exectrace/target/decode/values/printer.h>

#include <string.h>

#define STRUCT_MAX 4096 /* bytes of the largest structure that is shown */

struct structs_field {
	const char *name;
	uint8_t kind;
	uint8_t shown; /* SHOWN_VERBOSE, SHOWN_FILLED */
	uint16_t aux;
	uint16_t at[2], size[2]; /* with 64-bit and 32-bit longs */
};

#define KIND_NESTED KIND_IN
#define SHOWN_VERBOSE 1 /* with `verbose` only */
#define SHOWN_FILLED 2  /* not while it is only what the kernel is given */

/* clang-format off */
#define FIELD(name, kind, shown, aux, o64, s64, o32, s32) \
	{#name, KIND_##kind, shown, aux, {o64, o32}, {s64, s32}}
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

_Static_assert(KIND_COUNT <= UINT8_MAX && STRUCT_COUNT <= UINT16_MAX && SET_COUNT <= UINT16_MAX, "they fit a field");

unsigned struct_size(const struct printer *p, unsigned structure)
{
	return layouts[structure].size[p->word == 4];
}

static void put_layout(struct printer *p, const unsigned char *bytes, const unsigned char *given, unsigned structure);

static unsigned field_size(const struct printer *p, const struct structs_field *field)
{
	return field->kind == KIND_NESTED ? struct_size(p, field->aux) : field->size[p->word == 4];
}

static void put_field(struct printer *p, const unsigned char *bytes, const struct structs_field *field)
{
	p->raw = bytes + field->at[p->word == 4];
	p->size = field->size[p->word == 4];
	if (field->kind == KIND_NESTED)
		put_layout(p, p->raw, NULL, field->aux);
	else
		print_kind(p, field->kind, load_number(p->raw, p->size), field->aux);
}

/* Whether it differs from what was given. */
static bool has_changed(const struct printer *p, const struct structs_field *field, const unsigned char *bytes,
                        const unsigned char *given)
{
	unsigned at = field->at[p->word == 4];

	return memcmp(bytes + at, given + at, field_size(p, field)) != 0;
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

/* given: what the fields were before: only those are shown that have changed since. NULL: all. */
static void put_layout(struct printer *p, const unsigned char *bytes, const unsigned char *given, unsigned structure)
{
	const struct layout *layout = &layouts[structure];
	const char *separator = "{";
	bool more = false;

	for (size_t i = 0; i < layout->n; i++) {
		const struct structs_field *field = &layout->fields[i];
		size_t mark = p->out->len, value;

		if (p->ends && field->at[p->word == 4] + field_size(p, field) > p->ends) {
			separator = put_beginning(p, bytes, field, separator);
			continue;
		}
		if (given ? !has_changed(p, field, bytes, given) : p->giving && field->shown & SHOWN_FILLED)
			continue;
		if (field->kind == KIND_MORE || (field->shown & SHOWN_VERBOSE && !p->d->verbose)) {
			more = true;
			continue;
		}
		put_format(p, "%s%s=", separator, field->name);
		value = p->out->len;
		put_field(p, bytes, field);
		if (p->out->len == value && value > mark)
			buf_cut(p->out, mark);
		else
			separator = ", ";
	}
	put_text(p, more ? (*separator == '{' ? "{...}" : ", ...}") : *separator == '{' ? "{}" : "}");
}

void put_struct(struct printer *p, uint64_t addr, unsigned structure)
{
	unsigned char bytes[STRUCT_MAX] = {0};
	unsigned n = struct_size(p, structure), size = p->size;

	if (n > sizeof(bytes) || !peek_bytes(p, addr, bytes, n)) {
		put_addr(p, addr);
		return;
	}
	if (structure == STRUCT_siginfo)
		put_siginfo(p, bytes);
	else if (structure == STRUCT_schedparam)
		put_format(p, "[%d]", (int)load_number(bytes, 4));
	else
		put_layout(p, bytes, NULL, structure);
	p->size = size;
	p->raw = NULL;
}

void put_changes(struct printer *p, const unsigned char *bytes, const unsigned char *given, unsigned structure)
{
	put_layout(p, bytes, given, structure);
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

void print_struct(struct printer *p, uint64_t addr, unsigned structure)
{
	put_struct(p, addr, structure);
}

/* --- Fields of many things ---------------------------------------------------------------------------------------- */

void print_more(struct printer *p, uint64_t value, unsigned aux)
{
	(void)p;
	(void)value;
	(void)aux;
}

/* How many items the next field has is no field of its own. */
void print_items(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	p->items = value;
	p->counted = true;
}

/* How many items of that size the field has. */
static unsigned items_of(struct printer *p, unsigned size)
{
	unsigned room = size ? p->size / size : 0;
	bool counted = p->counted;

	p->counted = false;
	return counted && p->items < room ? (unsigned)p->items : room;
}

/* How many of n items are shown. */
static unsigned items_shown(const struct printer *p, unsigned n)
{
	return n < p->d->string_max ? n : p->d->string_max;
}

/* aux: bytes of a number, or the structure. */
typedef void put_item_fn(struct printer *p, const unsigned char *item, unsigned aux);

/* The field as items of `size` bytes each. */
static void put_items(struct printer *p, unsigned size, put_item_fn *put, unsigned aux)
{
	const unsigned char *raw = p->raw;
	unsigned n = items_of(p, size), shown = items_shown(p, n);

	put_text(p, "[");
	for (unsigned i = 0; i < shown; i++) {
		put_text(p, i ? ", " : "");
		put(p, raw + (size_t)i * size, aux);
	}
	put_text(p, shown < n ? ", ...]" : "]");
}

static void put_number_item(struct printer *p, const unsigned char *item, unsigned size)
{
	put_unsigned(p, load_number(item, size));
}

static void put_signed_item(struct printer *p, const unsigned char *item, unsigned size)
{
	p->size = size;
	put_signed(p, as_signed(p, load_number(item, size)));
}

static void put_hex_item(struct printer *p, const unsigned char *item, unsigned size)
{
	put_hex(p, load_number(item, size));
}

void print_numbers(struct printer *p, uint64_t value, unsigned size)
{
	(void)value;
	put_items(p, size, put_number_item, size);
}

void print_signed(struct printer *p, uint64_t value, unsigned size)
{
	(void)value;
	put_items(p, size, put_signed_item, size);
}

void print_hexes(struct printer *p, uint64_t value, unsigned size)
{
	(void)value;
	put_items(p, size, put_hex_item, size);
}

void print_hex_string(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_text(p, "\"");
	for (unsigned i = 0; i < p->size; i++)
		put_format(p, "\\x%02x", p->raw[i]);
	put_text(p, "\"");
}

void print_hex_pad(struct printer *p, uint64_t value, unsigned aux)
{
	for (unsigned i = 0; i < p->size; i++) {
		if (!p->raw[i])
			continue;
		print_hex_string(p, value, aux);
		return;
	}
}

/* What is not used is shown when somebody has used it. */
void print_reserved(struct printer *p, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < p->size; i++) {
		if (!p->raw[i])
			continue;
		if (p->size <= size && size)
			put_hex(p, value);
		else
			put_items(p, size, put_hex_item, size);
		return;
	}
}

static void put_struct_item(struct printer *p, const unsigned char *item, unsigned structure)
{
	put_layout(p, item, NULL, structure);
}

void print_structs(struct printer *p, uint64_t value, unsigned structure)
{
	(void)value;
	put_items(p, struct_size(p, structure), put_struct_item, structure);
}
