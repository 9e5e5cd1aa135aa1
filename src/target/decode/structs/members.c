/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of structures that are more than a number: parts of it with a meaning, what they point to, what follows. */
#include <exectrace/target/decode/structs/structs.h>

#define V4L_NEXT 0xc0000000u      /* V4L2_CTRL_FLAG_NEXT_CTRL, V4L2_CTRL_FLAG_NEXT_COMPOUND */
#define V4L_CLASS 0xffff0000u     /* of a control */
#define V4L_TIMESTAMP 0x0000e000u /* V4L2_BUF_FLAG_TIMESTAMP_MASK */
#define V4L_SOURCE 0x00070000u    /* V4L2_BUF_FLAG_TSTAMP_SRC_MASK */

/* Two numbers of 32 bits. */
void print_fraction(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "%u/%u", (unsigned)value, (unsigned)(value >> 32));
}

/* aux: the names that some of them have. */
void print_fourcc(struct printer *p, uint64_t value, unsigned aux)
{
	const char *name = value_name(aux, (uint32_t)value);

	if (!p->inner && p->d->names == DECODE_NAMES_RAW) {
		put_hex(p, value);
		return;
	}
	put_text(p, "v4l2_fourcc(");
	for (unsigned i = 0; i < 4; i++) {
		put_text(p, i ? ", " : "");
		put_char(p, (unsigned char)(value >> 8 * i), false);
	}
	put_text(p, ")");
	if (name)
		put_format(p, " /* %s */", name);
}

void print_version(struct printer *p, uint64_t value, unsigned aux)
{
	bool inner = p->inner;

	(void)aux;
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	put_format(p, "KERNEL_VERSION(%u, %u, %u)", (unsigned)value >> 16, (unsigned)value >> 8 & 0xff,
	           (unsigned)value & 0xff);
	end_names(p, inner);
}

void print_uuid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	for (unsigned i = 0; i < p->size; i++)
		put_format(p, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", p->raw[i]);
}

/* A number, by its name if it has one. */
void print_named(struct printer *p, uint64_t value, unsigned aux)
{
	const char *name = value_name(aux, value);
	bool inner = p->inner;

	if (!name) {
		put_unsigned(p, value);
	} else if (begin_names(p, value, NUMBER_UNSIGNED)) {
		put_text(p, name);
		end_names(p, inner);
	}
}

/* One of 64 bits, of which the largest means that there is no limit. */
void print_maximum(struct printer *p, uint64_t value, unsigned aux)
{
	print_named(p, value, aux);
}

/* Seconds, and nanoseconds behind. */
void print_nanoseconds(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t fraction = load_number(p->raw + 8, 4);

	(void)aux;
	put_format(p, "{sec=%llu, nsec=%llu}", (unsigned long long)value, (unsigned long long)fraction);
	put_date(p, (int64_t)value, fraction, 9);
}

/* --- What is elsewhere in memory --- */

/* How many there are. */
static uint64_t count_of(struct printer *p)
{
	uint64_t n = p->counted ? p->items : 1;

	p->counted = false;
	p->unread |= !n;
	return n;
}

static void put_structs(struct printer *p, uint64_t addr, unsigned structure)
{
	struct array array = {.addr = addr, .n = count_of(p), .print = print_struct, .aux = structure};

	array.size = struct_size(p, structure);
	array.capped = p->most && p->most < items_max(p);
	if (array.capped)
		array.max = p->most;
	p->most = 0;
	p->unread |= !addr;
	put_array(p, &array);
}

/* One, or as many as it is said to be. */
void print_pointed(struct printer *p, uint64_t value, unsigned structure)
{
	if (p->counted)
		put_structs(p, value, structure);
	else
		put_struct(p, value, structure);
}

void print_pointed_bytes(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_bytes(p, value, count_of(p));
}

static void item_named(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t value;

	if (peek_number(p, addr, 8, &value))
		print_named(p, value, aux);
}

/* Numbers of 64 bits, with -v. aux: the names that some of them have. */
void print_pointed_numbers(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.addr = value, .n = count_of(p), .size = 8, .print = item_named, .aux = aux};

	if (p->d->verbose)
		put_array(p, &array);
	else
		put_addr(p, value);
}

void print_tail_numbers(struct printer *p, uint64_t value, unsigned aux)
{
	struct array array = {.n = count_of(p), .size = 8, .print = item_named, .aux = aux};

	(void)value;
	array.addr = p->base + p->at;
	put_array(p, &array);
}

/* Structures behind the one that says how many there are. */
void print_tail(struct printer *p, uint64_t value, unsigned structure)
{
	(void)value;
	put_structs(p, p->base + p->at, structure);
}

/* A pointer to one structure, which is no array. */
void print_points(struct printer *p, uint64_t value, unsigned structure)
{
	bool made = p->made, giving = p->giving;

	p->made = p->giving = false;
	put_struct(p, value, structure);
	p->made = made;
	p->giving = giving;
}

/* Bytes behind the structure that says how many there are. */
void print_tail_bytes(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t n = p->counted ? p->items : 0;

	(void)value;
	(void)aux;
	p->counted = false;
	put_bytes(p, p->base + p->at, n);
}

/* Bytes that are no string. */
void print_first_bytes(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned n = p->size < p->d->string_max ? p->size : p->d->string_max;

	(void)value;
	(void)aux;
	put_quoted(p, (const char *)p->raw, n, n < p->size);
}

/* Bytes of a member, as many as it is said to have. */
void print_bytes(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t n = p->counted && p->items < p->size ? p->items : p->size;

	(void)value;
	(void)aux;
	p->counted = false;
	put_quoted(p, (const char *)p->raw, (size_t)n, false);
}

/* A string of which all is shown when it is not ended there. */
void print_name(struct printer *p, uint64_t value, unsigned aux)
{
	size_t n = strnlen((const char *)p->raw, p->size);

	(void)value;
	(void)aux;
	put_quoted(p, (const char *)p->raw, n, n == p->size);
}

/* --- Arrays of arrays --- */

/* aux: the items of a row, 16 times, and the bytes of an item. */
void print_rows(struct printer *p, uint64_t value, unsigned aux)
{
	const unsigned char *raw = p->raw;
	unsigned size = p->size, row = (aux >> 4) * (aux & 15);

	(void)value;
	put_text(p, "[");
	for (unsigned at = 0; row && at + row <= size; at += row) {
		put_text(p, at ? ", " : "");
		p->raw = raw + at;
		p->size = row;
		print_hexes(p, 0, aux & 15);
	}
	put_text(p, "]");
}

/* --- Video --- */

/* What is asked for beside the control. */
static void put_next(struct printer *p, uint32_t next)
{
	const char *separator = "";
	bool inner = p->inner;

	if (begin_names(p, next, NUMBER_HEX)) {
		for (uint32_t bit = V4L_NEXT & ~(V4L_NEXT >> 1); bit & V4L_NEXT; bit >>= 1) {
			if (!(next & bit))
				continue;
			put_format(p, "%s%s", separator, value_name(SET_u_v4l_next, bit));
			separator = "|";
		}
		end_names(p, inner);
	}
	put_text(p, "|");
}

/* A control, by its name, or by its class. aux: whether it may be the question for the one behind it. */
void print_v4l_id(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t next = aux ? (uint32_t)value & V4L_NEXT : 0, id = (uint32_t)value & ~next;
	const char *class = value_name(SET_u_v4l_class, id & V4L_CLASS);
	bool inner = p->inner, raw = !inner && p->d->names == DECODE_NAMES_RAW;

	if (next && !raw)
		put_next(p, next);
	if (raw || !class || value_name(SET_u_v4l_id, id)) {
		put_enum(p, raw ? value : id, SET_u_v4l_id);
	} else if (begin_names(p, id, NUMBER_HEX)) {
		put_format(p, "%s+%#x", class, id & ~V4L_CLASS);
		end_names(p, inner);
	}
}

/* Flags of a buffer, and two numbers among them. */
void print_v4l_flags(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t flags = (uint32_t)value & ~(V4L_TIMESTAMP | V4L_SOURCE);

	(void)aux;
	if (!p->inner && p->d->names == DECODE_NAMES_RAW) {
		put_hex(p, value);
		return;
	}
	if (flags) {
		put_flags(p, flags, SET_u_v4l_buffer);
		put_text(p, "|");
	}
	put_enum(p, value & V4L_TIMESTAMP, SET_u_v4l_timestamp);
	put_text(p, "|");
	put_enum(p, value & V4L_SOURCE, SET_u_v4l_source);
}
