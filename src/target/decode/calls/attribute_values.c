/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of attributes of netlink that are neither structures nor attributes themselves. */
#include "netlink.h"

#include <endian.h>
#include <string.h>
#include <sys/socket.h>

#define USER_HZ 100u
#define ATTRIBUTE_MAX 512 /* bytes of a value that is shown as more than bytes */

static bool put_address_of(struct printer *p, const unsigned char *raw, size_t n, unsigned family)
{
	if (family == AF_INET && n >= 4)
		put_inet_address(p, AF_INET, raw);
	else if (family == AF_INET6 && n >= 16)
		put_inet_address(p, AF_INET6, raw);
	else
		return false;
	return true;
}

/* Numbers in the row, as many as fit. */
static void put_numbers(struct printer *p, struct piece piece, const struct row *row)
{
	uint64_t items = piece.n / row->least, value;

	for (uint64_t i = 0; i < items; i++) {
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
		if (row->form >= FORM_INDEXED)
			put_index(p, i, row->aux, row->form == FORM_NINDEXED);
		if (row->form == FORM_X64S)
			put_hex(p, value);
		else if (row->form >= FORM_SINDEXED)
			put_signed(p, (int32_t)value);
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
	case FORM_BEENUM:
		print_htons_enum(p, value, row->aux);
		break;
	case FORM_FLAGS:
		put_flags(p, value, row->aux);
		break;
	case FORM_NOTED:
		print_noted_flags(p, value, row->aux);
		break;
	default:
		put_unsigned(p, value);
		break;
	}
}

/* Hundredths of a second, in as many bytes as its sender has. False: those are too many for a number. */
static bool put_clock(struct printer *p, const unsigned char *raw, size_t n)
{
	unsigned long long ticks = load_number(raw, (unsigned)n);

	if (n > sizeof(ticks))
		return false;
	put_unsigned(p, ticks);
	if (ticks && p->d->names != DECODE_NAMES_RAW)
		put_format(p, " /* %llu.%02llu s */", ticks / USER_HZ, ticks % USER_HZ);
	return true;
}

/* All of a string that may have NULs in it; without the one that ends it. */
static void put_terminated(struct printer *p, const char *text, size_t n)
{
	bool ended = n && !text[n - 1];
	size_t shown = ended ? n - 1 : n;

	if (shown > p->d->string_max) {
		shown = p->d->string_max;
		ended = false;
	}
	put_quoted(p, text, shown, !ended);
}

/* A struct rtvia. */
static void put_via(struct printer *p, const unsigned char *raw, size_t n)
{
	unsigned family = (unsigned)load_number(raw, 2);

	put_text(p, "{rtvia_family=");
	put_enum(p, family, SET_domain);
	if (family == AF_INET6 && n >= 18) {
		put_text(p, ", ");
		put_inet6_field(p, "rtvia_addr", raw + 2);
	} else if (n > 2) {
		put_text(p, ", rtvia_addr=");
		if (!put_address_of(p, raw + 2, n - 2, family))
			put_hex_quoted(p, raw + 2, n - 2);
	}
	put_text(p, "}");
}

/* What was read of a value; false: it has not that form. */
static bool put_form(struct printer *p, const unsigned char *raw, size_t n, const struct row *row, unsigned family)
{
	switch (row->form) {
	case FORM_STRING:
	case FORM_KIND:
		put_terminated(p, (const char *)raw, n);
		return true;
	case FORM_VIA:
		put_via(p, raw, n);
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
	case FORM_XANY:
		if (n != 1 && n != 2 && n != 4 && n != 8)
			return false;
		put_hex(p, load_number(raw, (unsigned)n));
		return true;
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

static void item_address(struct printer *p, uint64_t addr, unsigned aux)
{
	(void)aux;
	put_sockaddr(p, addr, SOCKADDR_MAX);
}

static void put_addresses(struct printer *p, struct piece piece)
{
	struct array array = {.addr = piece.addr, .n = piece.n / SOCKADDR_MAX, .size = SOCKADDR_MAX};

	array.print = item_address;
	put_array(p, &array);
}

/* Whether it has as many bytes as its row says, whatever is behind them. */
static bool is_number(unsigned form)
{
	return form <= FORM_BE64 || form == FORM_FD || form == FORM_UID || form == FORM_INTERFACE ||
	       form == FORM_ENUM || form == FORM_BEENUM || form == FORM_FLAGS || form == FORM_NOTED;
}

void put_attribute_value(struct printer *p, struct piece piece, const struct row *row, unsigned family)
{
	unsigned char raw[ATTRIBUTE_MAX];

	if (row->form >= FORM_U8S && row->form <= FORM_NINDEXED)
		put_numbers(p, piece, row);
	else if (row->form == FORM_BYTECODE)
		put_bytecode(p, piece);
	else if (row->form == FORM_SOCKOPT)
		put_socket_bits(p, piece);
	else if (row->form == FORM_FILTER)
		put_filter(p, piece.addr, piece.n / row->least, true);
	else if (row->form == FORM_ADDRESSES)
		put_addresses(p, piece);
	else if (row->form >= FORM_U8S || (piece.n > sizeof(raw) && !is_number(row->form)))
		put_hex_bytes(p, piece);
	else if (!peek_bytes(p, piece.addr, raw, is_number(row->form) ? row->least : piece.n))
		put_addr(p, piece.addr);
	else if (!put_form(p, raw, piece.n, row, family))
		put_hex_bytes(p, piece);
}
