/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses: of sockets, of hosts and of devices. */
#ifndef EXECTRACE_TARGET_DECODE_STRUCTS_NETWORK_H
#define EXECTRACE_TARGET_DECODE_STRUCTS_NETWORK_H

#include <exectrace/target/decode/values/printer.h>

/*
 * Around the text that n bytes stand for: as begin_names, but what is shown of the bytes themselves is a string of
 * hexadecimal numbers. end_names ends it.
 */
bool begin_bytes(struct printer *p, const void *bytes, size_t n);

/* n bytes as `"\x01\x02"`. */
void put_hex_quoted(struct printer *p, const void *bytes, size_t n);

/* The address of a device: 01:02:03. */
void put_hardware(struct printer *p, const void *bytes, size_t n);

/* The address of a host, of AF_INET or AF_INET6: inet_addr("127.0.0.1"), inet_pton(AF_INET6, "::1"). */
void put_inet_address(struct printer *p, int family, const unsigned char *bytes);

/* A field that is one of AF_INET6: inet_pton(AF_INET6, "::1", &name). */
void put_inet6_field(struct printer *p, const char *name, const unsigned char *bytes);

/*
 * The family of the address at raw, a field: what is so many bytes in front of it, or, where that is 0, the family that
 * the message begins with; those of no family of their own are AF_INET's.
 */
unsigned host_family(const struct printer *p, const unsigned char *raw, unsigned back);

/* A socket address in n bytes that were read: {sa_family=...}. */
void put_address(struct printer *p, const char *raw, size_t n);

/* The fields of a structure whose bytes were read, behind a separator and without the brackets around them. */
void put_address_fields(struct printer *p, const char *bytes, unsigned structure);

/* Addresses of families whose structure says more than a table can (address_rare.c); false: it is none of those. */
bool put_rare_address(struct printer *p, unsigned family, const char *raw, size_t n);

/* Port, flow and host of a sockaddr_in6 of n bytes, 24 at least, and its scope, if that is there. */
void put_inet6(struct printer *p, const char *raw, size_t n);

#endif
