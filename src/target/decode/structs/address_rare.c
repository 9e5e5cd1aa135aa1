/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of sockets whose parts depend on each other. */
#include <exectrace/target/decode/structs/network.h>
#include <exectrace/target/decode/structs/structs.h>

#include <string.h>
#include <sys/socket.h>

#define RXRPC_BYTES 36u
#define TRANSPORT_AT 8u
#define NFC_BYTES 16u
#define ALG_NAME_AT 24u
#define AX25_BYTES 16u
#define IEEE802154_BYTES 20u
#define CALL_BYTES 7u /* of an ax25_address: six letters and a number, each shifted by one bit */
#define DIGIPEATERS_MAX 8u
#define LONG_BYTES 8u /* of an address of IEEE 802.15.4 */

/* --- AF_RXRPC --- */

static void put_transport_bytes(struct printer *p, const char *raw, size_t n)
{
	if (n <= 2)
		return;
	put_text(p, ", ");
	put_quoted(p, raw + 2, n - 2, false);
}

static void put_transport(struct printer *p, const char *raw, size_t len)
{
	unsigned family = (unsigned)load_number(raw, 2);
	const char *name = family == AF_INET ? "sin" : "sin6";

	if (family != AF_INET && family != AF_INET6) {
		put_text(p, "{family=");
		put_enum(p, family, SET_domain);
		put_transport_bytes(p, raw, len);
		put_text(p, "}");
		return;
	}
	put_format(p, "{%s={%s_family=", name, name);
	put_enum(p, family, SET_domain);
	if (family == AF_INET && len >= 16)
		put_address_fields(p, raw, STRUCT_sockinet);
	else if (family == AF_INET6 && len >= 24)
		put_inet6(p, raw, len);
	else
		put_transport_bytes(p, raw, len);
	put_text(p, "}}");
}

static void put_rxrpc(struct printer *p, const char *raw)
{
	size_t len = load_number(raw + 6, 2), room = RXRPC_BYTES - TRANSPORT_AT;

	put_address_fields(p, raw, STRUCT_sockrxrpc);
	put_text(p, ", transport=");
	put_transport(p, raw + TRANSPORT_AT, len < room ? len : room);
}

/* --- AF_IEEE802154 --- */

static void put_ieee802154(struct printer *p, const char *raw)
{
	unsigned type = (unsigned)load_number(raw + 4, 4);

	put_text(p, ", addr={addr_type=");
	print_noted(p, type, SET_ieee802154type);
	put_text(p, ", pan_id=");
	print_noted(p, load_number(raw + 8, 2), SET_ieee802154pan);
	if (type == 2) {
		put_text(p, ", short_addr=");
		print_noted(p, load_number(raw + 10, 2), SET_ieee802154addr);
	} else if (type) {
		put_text(p, ", hwaddr=");
		put_hardware(p, raw + 10, LONG_BYTES);
	}
	put_text(p, "}");
}

/* --- AF_ALG --- */

/* The name is as long as the address says. */
static void put_alg(struct printer *p, const char *raw, size_t n)
{
	size_t room = n - ALG_NAME_AT;

	put_address_fields(p, raw, STRUCT_sockalg);
	put_text(p, ", salg_name=");
	p->raw = (const unsigned char *)raw + ALG_NAME_AT;
	p->size = (unsigned)room;
	if (room > 1 || !raw[ALG_NAME_AT])
		print_chars(p, 0, 0);
	else
		put_text(p, "\"\"...");
	p->raw = NULL;
}

/* --- AF_NFC --- */

static void put_nfc(struct printer *p, const char *raw, size_t n)
{
	unsigned more = struct_size(p, STRUCT_socknfcllcp);

	put_address_fields(p, raw, n >= more ? STRUCT_socknfcllcp : STRUCT_socknfc);
	if (n > NFC_BYTES && n < more)
		put_text(p, ", ...");
}

/* --- AF_AX25 --- */

/*
 * Puts into text how a call sign is written, as far as it is: true. *plain: there is nothing in its bytes that is not
 * in the text.
 */
static bool call_sign(const unsigned char *call, char text[CALL_BYTES], bool *plain)
{
	unsigned n = 0;

	*plain = !(call[CALL_BYTES - 1] & ~0x1eu);
	for (unsigned i = 0; i < CALL_BYTES - 1; i++) {
		char c = (char)(call[i] >> 1);

		*plain &= !(call[i] & 1);
		if (c < ' ' || c > '~' || c == '*')
			return false;
		text[i] = c;
		if (c == ' ')
			continue;
		*plain &= n == i && ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
		n = i + 1;
	}
	text[n] = 0;
	*plain &= n > 0;
	return true;
}

static void put_call(struct printer *p, const unsigned char *call)
{
	static const unsigned char none[CALL_BYTES] = {0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0};
	unsigned station = call[CALL_BYTES - 1] >> 1 & 0xf;
	char text[CALL_BYTES];
	bool plain, known = call_sign(call, text, &plain);

	if (memcmp(call, none, sizeof(none)) == 0) {
		put_text(p, "*");
	} else if (known && plain) {
		put_format(p, "%s-%u", text, station);
	} else {
		put_text(p, "{ax25_call=");
		put_hex_quoted(p, call, CALL_BYTES);
		put_text(p, "}");
		if (known)
			put_format(p, " /* %s-%u */", text, station);
	}
}

static void put_ax25(struct printer *p, const char *raw, size_t n)
{
	const unsigned char *calls = (const unsigned char *)raw + AX25_BYTES;
	int digis = (int)load_number(raw + 12, 4);
	unsigned there = (unsigned)(n - AX25_BYTES) / CALL_BYTES;
	unsigned wanted = digis > (int)DIGIPEATERS_MAX ? DIGIPEATERS_MAX : (unsigned)digis;

	put_text(p, digis > 0 ? ", fsa_ax25={sax25_call=" : ", sax25_call=");
	put_call(p, (const unsigned char *)raw + 2);
	put_format(p, ", sax25_ndigis=%d", digis);
	if (digis <= 0)
		return;
	put_text(p, "}, fsa_digipeater=[");
	for (unsigned i = 0; i < wanted && i < there; i++) {
		put_text(p, i ? ", " : "");
		put_call(p, calls + (size_t)i * CALL_BYTES);
	}
	put_text(p, wanted <= there ? "]" : there ? ", ...]" : "...]");
	if (there > DIGIPEATERS_MAX || (n - AX25_BYTES) % CALL_BYTES)
		put_text(p, ", ...");
}

bool put_rare_address(struct printer *p, unsigned family, const char *raw, size_t n)
{
	if (family == AF_RXRPC && n >= RXRPC_BYTES)
		put_rxrpc(p, raw);
	else if (family == AF_IEEE802154 && n >= IEEE802154_BYTES)
		put_ieee802154(p, raw);
	else if (family == AF_ALG && n > ALG_NAME_AT)
		put_alg(p, raw, n);
	else if (family == AF_NFC && n >= NFC_BYTES)
		put_nfc(p, raw, n);
	else if (family == AF_AX25 && n >= AX25_BYTES)
		put_ax25(p, raw, n);
	else
		return false;
	return true;
}
