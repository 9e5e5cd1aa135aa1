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

/* How a value is shown. Addresses are of the family of the message; what is behind BITFIELD is read where it is. */
/* clang-format off */
#define FORMS(F) F(U8) F(U16) F(U32) F(U64) F(S32) F(X16) F(X32) F(BE16) F(BE64) F(STRING) F(HW) F(FD) F(UID) F(CLOCK) \
	F(INTERFACE) F(ADDRESS) F(IN4) F(IN6) F(ENUM) F(BEENUM) F(FLAGS) F(NOTED) F(XANY) F(KIND) \
	F(VIA) F(BITFIELD) F(BYTECODE) F(SOCKOPT) F(FILTER) F(ADDRESSES) \
	F(U8S) F(U16S) F(U32S) F(X64S) F(INDEXED) F(SINDEXED) F(NINDEXED) \
	F(STRUCTS) F(STRUCT) F(STRUCTREST) F(STRUCTNEST) F(RECORDS) F(INTERFACENEST) F(NEST)
#define FORM(name) FORM_##name,
enum form { FORMS(FORM) };
/* clang-format on */

/* How an attribute is shown. */
struct row {
	uint16_t type;
	uint8_t form;
	uint8_t least;    /* bytes that a value has at least */
	uint16_t aux;     /* structure, set or nest */
	uint16_t more;    /* nest of what is behind a structure */
	uint16_t family;  /* of the messages whose attribute it is */
	const char *kind; /* of the devices whose attribute it is; NULL: of all */
};

/* A value of one of the forms up to NINDEXED, or bytes (attribute_values.c). family: of the message. */
void put_attribute_value(struct printer *p, struct piece piece, const struct row *row, unsigned family);

/* A struct inet_diag_sockopt, and what is behind it. */
void put_socket_bits(struct printer *p, struct piece piece);

/* The instruction that a filter of sockets begins with, of four bytes at least (inet_diag.c). */
void put_bytecode(struct printer *p, struct piece piece);

/* Attributes of what a message of an error says beside the error. */
void put_error_attributes(struct printer *p, struct piece piece);

/* Attributes of which no names are known. */
void put_unnamed_attributes(struct printer *p, struct piece piece);

/*
 * What is behind the header of a message: a structure and attributes, if the tables know it (attributes.c). False: they
 * do not, and nothing was shown.
 */
bool put_structured(struct printer *p, struct piece piece, const struct netlink_message *header);

#endif
