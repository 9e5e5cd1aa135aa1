/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What netlink.c and attributes.c share. */
#ifndef EXECTRACE_SRC_TARGET_DECODE_CALLS_NETLINK_H
#define EXECTRACE_SRC_TARGET_DECODE_CALLS_NETLINK_H

#include <exectrace/target/decode/calls/calls.h>

#define OWN_TYPES 0x10u /* NLMSG_MIN_TYPE: types below are those of all protocols */

/* Messages and attributes of one call that are shown: vectors of buffers may have the same memory again and again. */
#define PIECES_MAX 2000u

/* Bytes of the traced process that are yet to be shown. */
struct piece {
	uint64_t addr;
	uint64_t n;
};

/* What lies n bytes further on. */
static inline struct piece behind(struct piece piece, uint64_t n)
{
	return n < piece.n ? (struct piece){piece.addr + n, piece.n - n} : (struct piece){piece.addr, 0};
}

/* Messages, structures and attributes begin at multiples of four bytes. */
static inline uint64_t aligned(uint64_t n)
{
	return (n + 3) & ~UINT64_C(3);
}

/* The bytes as "\x01\x02": as many as of a string. */
void put_hex_bytes(struct printer *p, struct piece piece);

/* What a header says of its message. */
struct netlink_message {
	unsigned protocol, type, flags;
};

/* Attributes of which no names are known. */
void put_unnamed_attributes(struct printer *p, struct piece piece);

/*
 * What is behind the header of a message: a structure and attributes, if the tables know it (attributes.c). False: they
 * do not, and nothing was shown.
 */
bool put_structured(struct printer *p, struct piece piece, const struct netlink_message *header);

#endif
