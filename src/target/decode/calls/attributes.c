/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink messages that are a structure and attributes behind it, by the tables of netlink.inc (rtnetlink(7)). */
#include "netlink.h"

#include <linux/netlink.h>
#include <string.h>

#define ANY_TYPE 0xffff /* the row of a nest for attributes without one */
#define DEPTH_MAX 8     /* of attributes in attributes */
#define STRUCTS_MAX 64

/* clang-format off */
#define A(type, form, least, aux) {type, FORM_##form, least, aux, NESTS, ANY, NULL}
#define AX(type, form, least, aux, more, family, kind) {type, FORM_##form, least, aux, more, family, kind}
#define ANY 0xffff
#define MESSAGE(...)
#define NEST(id, set, ...) NEST_##id,
enum nest {
#include <exectrace/target/syscalls/netlink.inc>
	NESTS
};
#undef NEST
#define NEST(id, set, ...) static const struct row rows_##id[] = {__VA_ARGS__};
#include <exectrace/target/syscalls/netlink.inc>
#undef NEST
#define NEST(id, set, ...) {set, rows_##id, sizeof(rows_##id) / sizeof(rows_##id[0])},
static const struct nest_table {
	uint16_t set;
	const struct row *rows;
	size_t n;
} nests[] = {
#include <exectrace/target/syscalls/netlink.inc>
};
#undef NEST
#undef MESSAGE
#define NEST(id, set, ...)
#define REQUEST 1
#define ANSWER 2
#define MESSAGE(protocol, type, structure, nest, family, how) {protocol, type, structure, nest, family, how},
static const struct message {
	uint16_t protocol, type, structure, nest;
	uint16_t family; /* the first byte; ANY */
	uint16_t how;    /* REQUEST: with NLM_F_REQUEST; ANSWER: without; ANY */
} messages[] = {
#include <exectrace/target/syscalls/netlink.inc>
};
/* clang-format on */

#define KIND_BYTES 16 /* of the name of a kind of device */

/* Where attributes are: what they belong to. */
struct place {
	unsigned family; /* of the message */
	unsigned depth;
	char kind[KIND_BYTES]; /* what the attributes beside say that the device is */
};

static const struct message *find_message(const struct netlink_message *message, unsigned family)
{
	unsigned how = message->flags & NLM_F_REQUEST ? REQUEST : ANSWER;

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if (messages[i].protocol == message->protocol && messages[i].type == message->type &&
		    (messages[i].family == ANY || messages[i].family == family) &&
		    (messages[i].how == ANY || messages[i].how == how))
			return &messages[i];
	return NULL;
}

/* How the attribute is shown; NULL: as bytes. */
static const struct row *find_row(const struct nest_table *nest, unsigned type, const struct place *place)
{
	for (size_t i = 0; i < nest->n; i++) {
		const struct row *row = &nest->rows[i];

		if (row->type != type && !(row->type == ANY_TYPE && value_name(nest->set, type)))
			continue;
		if ((row->family == ANY || row->family == place->family) &&
		    (!row->kind || strcmp(row->kind, place->kind) == 0))
			return row;
	}
	return NULL;
}

static void item_struct(struct printer *p, uint64_t addr, unsigned structure)
{
	put_struct(p, addr, structure);
}

static void put_structs(struct printer *p, struct piece piece, unsigned structure)
{
	unsigned size = struct_size(p, structure);
	struct array array = {.addr = piece.addr, .n = piece.n / size, .size = size, .print = item_struct};

	array.max = STRUCTS_MAX;
	array.aux = structure;
	put_array(p, &array);
}

static void put_attributes(struct printer *p, struct piece piece, unsigned nest, struct place place);

static bool is_readable(struct printer *p, uint64_t addr, uint64_t n)
{
	uint64_t byte;

	return peek_number(p, addr, 1, &byte) && peek_number(p, addr + n - 1, 1, &byte);
}

/* Attributes behind something, if there are any. */
static void put_attributes_behind(struct printer *p, struct piece piece, unsigned nest, struct place place)
{
	if (!piece.n)
		return;
	put_text(p, ", ");
	put_attributes(p, piece, nest, place);
}

/* Structures whose first member says how long they are with the attributes behind them. */
static void put_records(struct printer *p, struct piece piece, const struct row *row, struct place place)
{
	uint64_t size = struct_size(p, row->aux), len = 0;
	bool many = peek_number(p, piece.addr, 2, &len) && len >= size && behind(piece, aligned(len)).n >= size;
	struct piece next;

	if (!is_readable(p, piece.addr, size)) {
		put_addr(p, piece.addr);
		return;
	}
	put_text(p, many ? "[" : "");
	for (unsigned i = 0; piece.n >= size; i++, piece = next) {
		put_text(p, i ? ", [" : "[");
		if (i >= p->d->string_max || p->pieces++ >= PIECES_MAX) {
			put_text(p, "...]");
			break;
		}
		if (!peek_number(p, piece.addr, 2, &len))
			len = 0;
		next = len >= size ? behind(piece, aligned(len)) : (struct piece){0};
		if (len >= size && len < piece.n)
			piece.n = len;
		put_struct(p, piece.addr, row->aux);
		if (len >= size)
			put_attributes_behind(p, behind(piece, aligned(size)), row->more, place);
		put_text(p, "]");
	}
	put_text(p, many ? "]" : "");
}

static void put_structure(struct printer *p, struct piece piece, const struct row *row, struct place place)
{
	unsigned size = struct_size(p, row->aux);

	if (row->form == FORM_STRUCT) {
		put_struct_of(p, piece.addr, piece.n, row->aux);
		return;
	}
	put_struct(p, piece.addr, row->aux);
	piece = behind(piece, row->form == FORM_STRUCTNEST ? aligned(size) : size);
	if (row->form == FORM_STRUCTNEST) {
		put_attributes_behind(p, piece, row->more, place);
	} else if (piece.n) {
		put_text(p, ", ");
		put_hex_bytes(p, piece);
	}
}

/* What has attributes in it. */
static void put_nest(struct printer *p, struct piece piece, const struct row *row, struct place place)
{
	uint64_t index;

	place.depth++;
	if (row->form == FORM_RECORDS) {
		put_records(p, piece, row, place);
	} else if (row->form == FORM_NEST) {
		place.kind[0] = 0;
		put_attributes(p, piece, row->aux, place);
	} else if (row->form != FORM_INTERFACENEST) {
		put_structure(p, piece, row, place);
	} else if (peek_number(p, piece.addr, 4, &index)) {
		print_interface(p, index, 0);
		put_attributes_behind(p, behind(piece, 4), row->aux, place);
	} else {
		put_addr(p, piece.addr);
	}
}

static void put_value(struct printer *p, struct piece piece, const struct row *row, struct place place)
{
	bool fits = row && piece.n >= (row->form == FORM_BITFIELD ? 8 : row->least);

	if (!fits)
		put_hex_bytes(p, piece);
	else if (row->form == FORM_STRUCTS && piece.n >= struct_size(p, row->aux))
		put_structs(p, piece, row->aux);
	else if (row->form == FORM_STRUCT || row->form == FORM_STRUCTREST)
		put_structure(p, piece, row, place);
	else if (row->form >= FORM_STRUCTNEST && place.depth < DEPTH_MAX)
		put_nest(p, piece, row, place);
	else
		put_attribute_value(p, piece, row, place.family);
}

/* What kind of device the attributes are about. */
static void note_kind(struct printer *p, struct piece piece, struct place *place)
{
	size_t n = piece.n < KIND_BYTES - 1 ? piece.n : KIND_BYTES - 1;

	memset(place->kind, 0, sizeof(place->kind));
	if (!peek_bytes(p, piece.addr, place->kind, n))
		place->kind[0] = 0;
}

/* The attribute that piece begins with, which has four bytes at least. */
static void put_attribute(struct printer *p, struct piece piece, unsigned nest, struct place *place)
{
	const struct nest_table *table = nest < NESTS ? &nests[nest] : NULL;
	const struct row *row;
	uint64_t len = 0, word = 0;
	unsigned type;

	if (!peek_number(p, piece.addr, 2, &len) || !peek_number(p, piece.addr + 2, 2, &word)) {
		put_addr(p, piece.addr);
		return;
	}
	type = (unsigned)word & NLA_TYPE_MASK;
	if (len < piece.n)
		piece.n = len;
	put_format(p, "%s{nla_len=%u, nla_type=%s%s", piece.n > NLA_HDRLEN ? "[" : "", (unsigned)len,
	           word & NLA_F_NESTED ? "NLA_F_NESTED|" : "",
	           word & NLA_F_NET_BYTEORDER ? "NLA_F_NET_BYTEORDER|" : "");
	if (table)
		put_enum(p, type, table->set);
	else
		put_hex(p, type);
	put_text(p, "}");
	if (piece.n <= NLA_HDRLEN)
		return;
	put_text(p, ", ");
	row = table ? find_row(table, type, place) : NULL;
	if (row && row->form == FORM_KIND)
		note_kind(p, behind(piece, NLA_HDRLEN), place);
	put_value(p, behind(piece, NLA_HDRLEN), row, *place);
	put_text(p, "]");
}

/* The bytes of the attribute that piece begins with: 0: all the others are not looked at. */
static uint64_t attribute_size(struct printer *p, struct piece piece)
{
	uint64_t len;

	if (!peek_number(p, piece.addr, 4, &len))
		return 0;
	len &= 0xffff;
	return len < NLA_HDRLEN ? 0 : aligned(len);
}

static void put_attributes(struct printer *p, struct piece piece, unsigned nest, struct place place)
{
	uint64_t size = piece.n >= NLA_HDRLEN ? attribute_size(p, piece) : 0, word;
	bool many = size && behind(piece, size).n;

	put_text(p, many ? "[" : "");
	for (unsigned i = 0; piece.n; i++, piece = behind(piece, size ? size : piece.n)) {
		put_text(p, i ? ", " : "");
		if (piece.n < NLA_HDRLEN) {
			put_hex_bytes(p, piece);
			break;
		}
		if (i && !peek_number(p, piece.addr, 4, &word)) {
			put_format(p, "... /* %#llx */", (unsigned long long)piece.addr);
			break;
		}
		if (i >= p->d->string_max || p->pieces++ >= PIECES_MAX) {
			put_text(p, "...");
			break;
		}
		size = attribute_size(p, piece);
		put_attribute(p, piece, nest, &place);
	}
	put_text(p, many ? "]" : "");
}

void put_unnamed_attributes(struct printer *p, struct piece piece)
{
	put_attributes(p, piece, NESTS, (struct place){0});
}

void put_error_attributes(struct printer *p, struct piece piece)
{
	put_attributes(p, piece, NEST_error, (struct place){0});
}

/* Of a structure that is not there: its first field, by which the others are chosen. */
static void put_less(struct printer *p, struct piece piece, const struct message *message, unsigned family)
{
	bool chosen = message->protocol == NETLINK_ROUTE || message->protocol == NETLINK_SOCK_DIAG;
	bool small = piece.n < struct_size(p, message->structure);

	if (chosen)
		put_first_field(p, family, message->structure, small ? 0 : piece.addr + 1);
	else if (small)
		put_hex_bytes(p, piece);
	else
		put_addr(p, piece.addr);
}

bool put_structured(struct printer *p, struct piece piece, const struct netlink_message *header)
{
	const struct message *message;
	uint64_t family = 0, size;

	if (!peek_number(p, piece.addr, 1, &family))
		return false;
	message = find_message(header, (unsigned)family);
	if (!message)
		return false;
	size = struct_size(p, message->structure);
	if (piece.n < size || !is_readable(p, piece.addr, size)) {
		put_less(p, piece, message, (unsigned)family);
		return true;
	}
	p->family = (uint16_t)family;
	put_struct(p, piece.addr, message->structure);
	if (piece.n <= aligned(size))
		return true;
	put_text(p, ", ");
	piece = behind(piece, aligned(size));
	if (message->nest == NESTS)
		put_hex_bytes(p, piece);
	else
		put_attributes(p, piece, message->nest, (struct place){.family = (unsigned)family});
	return true;
}
