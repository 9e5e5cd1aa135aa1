/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of attributes of inet_diag: the first instruction of a filter of sockets (INET_DIAG_REQ_BYTECODE,
 * net/ipv4/inet_diag.c) and what it is about; a socket's bits.
 */
#include "netlink.h"

#include <linux/inet_diag.h>
#include <string.h>
#include <sys/socket.h>

#define MAX_CONDITION 8u /* bytes of a condition without an address */

static void put_operation(struct printer *p, const unsigned char *raw)
{
	put_text(p, "{code=");
	put_enum(p, raw[0], SET_inetdiagcode);
	put_format(p, ", yes=%u, no=%u}", raw[1], (unsigned)load_number(raw + 2, 2));
}

static void put_condition_address(struct printer *p, struct piece piece, unsigned family)
{
	unsigned char raw[16];
	unsigned size = family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;

	if (!size || !piece.n)
		return;
	if (piece.n < size) {
		put_text(p, ", addr=");
		put_hex_bytes(p, piece);
	} else if (!peek_bytes(p, piece.addr, raw, size)) {
		put_text(p, ", addr=");
		put_addr(p, piece.addr);
	} else if (family == AF_INET) {
		put_text(p, ", addr=");
		put_inet_address(p, AF_INET, raw);
	} else {
		put_text(p, ", ");
		put_inet6_field(p, "addr", raw);
	}
}

static void put_host_condition(struct printer *p, struct piece piece, const unsigned char *raw)
{
	put_text(p, "{family=");
	put_enum(p, raw[0], SET_domain);
	put_format(p, ", prefix_len=%u, port=%d", raw[1], (int)load_number(raw + 4, 4));
	put_condition_address(p, behind(piece, sizeof(struct inet_diag_hostcond)), raw[0]);
	put_text(p, "}");
}

/* Bytes that the condition of an instruction has; 0: none. */
static unsigned condition_size(unsigned code)
{
	switch (code) {
	case INET_DIAG_BC_S_COND:
	case INET_DIAG_BC_D_COND:
	case INET_DIAG_BC_MARK_COND:
	case INET_DIAG_BC_CGROUP_COND:
		return 8;
	case INET_DIAG_BC_S_GE:
	case INET_DIAG_BC_S_LE:
	case INET_DIAG_BC_D_GE:
	case INET_DIAG_BC_D_LE:
	case INET_DIAG_BC_S_EQ:
	case INET_DIAG_BC_D_EQ:
	case INET_DIAG_BC_DEV_COND:
		return 4;
	default:
		return 0;
	}
}

static void put_condition(struct printer *p, struct piece piece, unsigned code)
{
	unsigned char raw[MAX_CONDITION];
	unsigned size = condition_size(code);

	if (!size || piece.n < size)
		put_hex_bytes(p, piece);
	else if (!peek_bytes(p, piece.addr, raw, size))
		put_addr(p, piece.addr);
	else if (code == INET_DIAG_BC_S_COND || code == INET_DIAG_BC_D_COND)
		put_host_condition(p, piece, raw);
	else if (code == INET_DIAG_BC_MARK_COND)
		put_format(p, "{mark=%u, mask=%u}", (unsigned)load_number(raw, 4), (unsigned)load_number(raw + 4, 4));
	else if (code == INET_DIAG_BC_CGROUP_COND)
		put_unsigned(p, load_number(raw, 8));
	else if (code == INET_DIAG_BC_DEV_COND)
		print_interface(p, load_number(raw, 4), 0);
	else
		put_operation(p, raw);
}

void put_bytecode(struct printer *p, struct piece piece)
{
	unsigned char raw[4];

	if (!peek_bytes(p, piece.addr, raw, sizeof(raw))) {
		put_addr(p, piece.addr);
		return;
	}
	put_operation(p, raw);
	piece = behind(piece, sizeof(raw));
	if (!piece.n)
		return;
	put_text(p, ", ");
	put_condition(p, piece, raw[0]);
}

void put_socket_bits(struct printer *p, struct piece piece)
{
	static const char *const names[] = {"recverr",         "is_icsk",      "freebind",
	                                    "hdrincl",         "mc_loop",      "transparent",
	                                    "mc_all",          "nodefrag",     "bind_address_no_port",
	                                    "recverr_rfc4884", "defer_connect"};
	unsigned n = sizeof(names) / sizeof(names[0]);
	const char *separator = "";
	uint64_t bits;

	if (!peek_number(p, piece.addr, 2, &bits)) {
		put_addr(p, piece.addr);
		return;
	}
	put_text(p, "{");
	for (unsigned i = 0; i < n; i++) {
		if (!(bits >> i & 1))
			continue;
		put_format(p, "%s%s=1", separator, names[i]);
		separator = ", ";
	}
	if (bits >> n)
		put_format(p, "%sunused=%#llx /* bits 3..8 */", separator, (unsigned long long)bits >> n);
	put_text(p, "}");
	put_beyond(p, piece.addr, 2, piece.n);
}
