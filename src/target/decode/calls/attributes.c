/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink messages that are a structure and attributes behind it, by the tables of netlink.inc (rtnetlink(7)). */
#include "netlink.h"

#include <arpa/inet.h>
#include <endian.h>
#include <linux/netlink.h>
#include <string.h>

#define ATTRIBUTE_MAX 512 /* bytes of a value that is shown as more than bytes */
#define ANY_TYPE 0xffff   /* the row of a nest for attributes without one */
#define DEPTH_MAX 8       /* of attributes in attributes */
#define STRUCTS_MAX 64

/* How a value is shown. Addresses are of the family of the message; what is behind BITFIELD is read where it is. */
/* clang-format off */
#define FORMS(F) F(U8) F(U16) F(U32) F(U64) F(S32) F(X16) F(X32) F(BE16) F(BE64) F(STRING) F(HW) F(FD) F(UID) F(CLOCK) \
	F(INTERFACE) F(ADDRESS) F(IN4) F(IN6) F(ENUM) F(FLAGS) F(BITFIELD) F(U16S) F(U32S) F(X64S) F(INDEXED) \
	F(STRUCT) F(STRUCTS) F(NEST)
#define FORM(name) FORM_##name,
enum form { FORMS(FORM) };
/* clang-format on */

struct row {
	uint16_t type;
	uint8_t form;
	uint8_t least; /* bytes that a value has at least */
	uint16_t aux;  /* structure, set or nest */
};

/* clang-format off */
#define A(type, form, least, aux) {type, FORM_##form, least, aux}
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
#define ANY 0xffff
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

/* Where attributes are: what they belong to. */
struct place {
	unsigned family; /* of the message */
	unsigned depth;
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
static const struct row *find_row(const struct nest_table *nest, unsigned type)
{
	for (size_t i = 0; i < nest->n; i++)
		if (nest->rows[i].type == type || (nest->rows[i].type == ANY_TYPE && value_name(nest->set, type)))
			return &nest->rows[i];
	return NULL;
}

static void put_inet(struct printer *p, int family, const unsigned char *raw)
{
	char text[INET6_ADDRSTRLEN];

	put_format(p, family == AF_INET ? "inet_addr(\"%s\")" : "inet_pton(AF_INET6, \"%s\")",
	           inet_ntop(family, raw, text, sizeof(text)));
}

static bool put_address_of(struct printer *p, const unsigned char *raw, size_t n, unsigned family)
{
	if (family == AF_INET && n >= 4)
		put_inet(p, AF_INET, raw);
	else if (family == AF_INET6 && n >= 16)
		put_inet(p, AF_INET6, raw);
	else
		return false;
	return true;
}

static void put_hardware(struct printer *p, const unsigned char *raw, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_format(p, "%s%02x", i ? ":" : "", raw[i]);
}

/* Numbers in the row, as many as fit. */
static void put_numbers(struct printer *p, struct piece piece, const struct row *row)
{
	uint64_t items = piece.n / row->least, value;

	for (uint64_t i = 0; i < items; i++) {
		const char *name = row->form == FORM_INDEXED ? value_name(row->aux, i) : NULL;

		if (!peek_number(p, piece.addr + row->least * i, row->least, &value)) {
			if (i)
				put_format(p, ", ... /* %#llx */]", (unsigned long long)(piece.addr + row->least * i));
			else
				put_addr(p, piece.addr);
			return;
		}
		if (i >= p->d->string_max) {
			put_text(p, ", ...]");
			return;
		}
		put_text(p, i ? ", " : "[");
		if (name)
			put_format(p, "[%s]=", name);
		else if (row->form == FORM_INDEXED)
			put_format(p, "[%llu]=", (unsigned long long)i);
		if (row->form == FORM_X64S)
			put_hex(p, value);
		else
			put_unsigned(p, value);
	}
	put_text(p, "]");
}

static void put_bitfield(struct printer *p, const unsigned char *raw, unsigned set)
{
	put_text(p, "{value=");
	put_flags(p, load_number(raw, 4), set);
	put_text(p, ", selector=");
	put_flags(p, load_number(raw + 4, 4), set);
	put_text(p, "}");
}

/* A number of the bytes that its form has at least. */
static void put_number(struct printer *p, uint64_t value, const struct row *row)
{
	switch (row->form) {
	case FORM_S32:
		put_signed(p, (int32_t)value);
		break;
	case FORM_X16:
	case FORM_X32:
		put_hex(p, value);
		break;
	case FORM_BE16:
		put_format(p, "htons(%u)", be16toh((uint16_t)value));
		break;
	case FORM_BE64:
		put_format(p, "htobe64(%llu)", (unsigned long long)be64toh(value));
		break;
	case FORM_FD:
		print_fd(p, value, 0);
		break;
	case FORM_UID:
		print_uid(p, value, 0);
		break;
	case FORM_INTERFACE:
		print_interface(p, value, 0);
		break;
	case FORM_ENUM:
		put_enum(p, value, row->aux);
		break;
	case FORM_FLAGS:
		put_flags(p, value, row->aux);
		break;
	default:
		put_unsigned(p, value);
		break;
	}
}

/* In as many bytes as its sender has. False: those are too many for a number. */
static bool put_clock(struct printer *p, const unsigned char *raw, size_t n)
{
	unsigned char wide[8] = {0};

	if (n > sizeof(wide))
		return false;
	memcpy(wide, raw, n);
	p->size = 8;
	print_ticks(p, load_number(wide, 8), 0);
	return true;
}

/* What was read of a value; false: it has not that form. */
static bool put_form(struct printer *p, const unsigned char *raw, size_t n, const struct row *row, unsigned family)
{
	switch (row->form) {
	case FORM_STRING:
		put_quoted(p, (const char *)raw, strnlen((const char *)raw, n), !memchr(raw, 0, n));
		return true;
	case FORM_HW:
		put_hardware(p, raw, n);
		return true;
	case FORM_ADDRESS:
		return put_address_of(p, raw, n, family);
	case FORM_IN4:
		return put_address_of(p, raw, n, AF_INET);
	case FORM_IN6:
		return put_address_of(p, raw, n, AF_INET6);
	case FORM_CLOCK:
		return put_clock(p, raw, n);
	case FORM_BITFIELD:
		put_bitfield(p, raw, row->aux);
		return true;
	default:
		put_number(p, load_number(raw, row->least), row);
		return true;
	}
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

static void put_value(struct printer *p, struct piece piece, const struct row *row, struct place place)
{
	unsigned char raw[ATTRIBUTE_MAX];
	bool fits = row && piece.n >= (row->form == FORM_BITFIELD ? 8 : row->least);

	if (fits && row->form >= FORM_U16S && row->form <= FORM_INDEXED) {
		put_numbers(p, piece, row);
	} else if (fits && row->form == FORM_STRUCT) {
		put_struct_of(p, piece.addr, piece.n, row->aux);
	} else if (fits && row->form == FORM_STRUCTS && piece.n >= struct_size(p, row->aux)) {
		put_structs(p, piece, row->aux);
	} else if (fits && row->form == FORM_NEST && place.depth < DEPTH_MAX) {
		place.depth++;
		put_attributes(p, piece, row->aux, place);
	} else if (!fits || row->form >= FORM_U16S || piece.n > sizeof(raw)) {
		put_hex_bytes(p, piece);
	} else if (!peek_bytes(p, piece.addr, raw, piece.n)) {
		put_addr(p, piece.addr);
	} else if (!put_form(p, raw, piece.n, row, place.family)) {
		put_hex_bytes(p, piece);
	}
}

static void put_attribute(struct printer *p, struct piece piece, unsigned nest, struct place place)
{
	const struct nest_table *table = nest < NESTS ? &nests[nest] : NULL;
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
	put_value(p, behind(piece, NLA_HDRLEN), table ? find_row(table, type) : NULL, place);
	put_text(p, "]");
}

/* The bytes of the attribute that piece begins with, all when it cannot be read; 0: what is there is none. */
static uint64_t attribute_size(struct printer *p, struct piece piece)
{
	uint64_t len;

	if (piece.n < NLA_HDRLEN)
		return 0;
	if (!peek_number(p, piece.addr, 2, &len))
		return piece.n;
	if (len < NLA_HDRLEN)
		return 0;
	return aligned(len);
}

static void put_attributes(struct printer *p, struct piece piece, unsigned nest, struct place place)
{
	uint64_t size = attribute_size(p, piece);
	bool many = size && behind(piece, size).n;

	put_text(p, many ? "[" : "");
	for (unsigned i = 0; size; i++, piece = behind(piece, size)) {
		size = attribute_size(p, piece);
		if (!size)
			break;
		put_text(p, i ? ", " : "");
		if (i >= p->d->string_max || p->pieces++ >= PIECES_MAX) {
			put_text(p, "...");
			piece.n = 0;
			break;
		}
		put_attribute(p, piece, nest, place);
	}
	if (piece.n) {
		put_text(p, many ? ", " : "");
		put_hex_bytes(p, piece);
	}
	put_text(p, many ? "]" : "");
}

static bool is_readable(struct printer *p, uint64_t addr, uint64_t n)
{
	uint64_t byte;

	return peek_number(p, addr, 1, &byte) && peek_number(p, addr + n - 1, 1, &byte);
}

void put_unnamed_attributes(struct printer *p, struct piece piece)
{
	put_attributes(p, piece, NESTS, (struct place){0});
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
	if (piece.n < size) {
		put_first_field(p, family, message->structure, 0);
		return true;
	}
	if (!is_readable(p, piece.addr, size)) {
		put_first_field(p, family, message->structure, piece.addr + 1);
		return true;
	}
	put_struct(p, piece.addr, message->structure);
	if (piece.n > aligned(size)) {
		put_text(p, ", ");
		piece = behind(piece, aligned(size));
		if (message->nest == NESTS)
			put_hex_bytes(p, piece);
		else
			put_attributes(p, piece, message->nest, (struct place){(unsigned)family, 0});
	}
	return true;
}
