/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in the order of the network, and addresses of hosts and devices. */
#include <exectrace/target/decode/structs/network.h>
#include <exectrace/target/decode/structs/structs.h>

#include <arpa/inet.h>
#include <endian.h>
#include <net/ethernet.h>
#include <string.h>
#include <sys/socket.h>

#define SHARED_UMEM 1u /* XDP_SHARED_UMEM (linux/if_xdp.h) */

void put_hex_quoted(struct printer *p, const void *bytes, size_t n)
{
	const unsigned char *raw = bytes;

	put_text(p, "\"");
	for (size_t i = 0; i < n; i++)
		put_format(p, "\\x%02x", raw[i]);
	put_text(p, "\"");
}

bool begin_bytes(struct printer *p, const void *bytes, size_t n)
{
	if (p->inner || !p->d->names)
		return true;
	put_hex_quoted(p, bytes, n);
	if (p->d->names == DECODE_NAMES_RAW)
		return false;
	put_text(p, " /* ");
	p->inner = true;
	return true;
}

void put_hardware(struct printer *p, const void *bytes, size_t n)
{
	const unsigned char *raw = bytes;
	bool inner = p->inner;

	if (!begin_bytes(p, bytes, n))
		return;
	for (size_t i = 0; i < n; i++)
		put_format(p, "%s%02x", i ? ":" : "", raw[i]);
	end_names(p, inner);
}

void put_inet_address(struct printer *p, int family, const unsigned char *bytes)
{
	char text[INET6_ADDRSTRLEN];
	bool inner = p->inner;

	if (!begin_bytes(p, bytes, family == AF_INET ? 4 : 16))
		return;
	put_format(p, family == AF_INET ? "inet_addr(\"%s\")" : "inet_pton(AF_INET6, \"%s\")",
	           inet_ntop(family, bytes, text, sizeof(text)));
	end_names(p, inner);
}

void put_inet6_field(struct printer *p, const char *name, const unsigned char *bytes)
{
	char text[INET6_ADDRSTRLEN];

	if (p->d->names) {
		put_format(p, "%s=", name);
		put_inet_address(p, AF_INET6, bytes);
	} else {
		inet_ntop(AF_INET6, bytes, text, sizeof(text));
		put_format(p, "inet_pton(AF_INET6, \"%s\", &%s)", text, name);
	}
}

/* --- Fields --- */

static void put_turned(struct printer *p, uint64_t value, unsigned size, bool hex)
{
	unsigned turned = size == 2 ? be16toh((uint16_t)value) : be32toh((uint32_t)value);
	bool inner = p->inner;

	if (!begin_bytes(p, &value, size)) /* this machine is little-endian, as those of load_number */
		return;
	put_format(p, hex ? "%s(%#x)" : "%s(%u)", size == 2 ? "htons" : "htonl", turned);
	end_names(p, inner);
}

void print_be16(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_turned(p, value, 2, false);
}

void print_be32(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_turned(p, value, 4, false);
}

void print_be32_hex(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_turned(p, value, 4, true);
}

/* aux: the set of names. */
void print_be16_enum(struct printer *p, uint64_t value, unsigned aux)
{
	bool inner = p->inner;

	if (!begin_bytes(p, &value, 2))
		return;
	put_text(p, "htons(");
	put_enum(p, be16toh((uint16_t)value), aux);
	put_text(p, ")");
	end_names(p, inner);
}

/* Likewise, but the number itself is never shown as bytes. */
void print_htons_enum(struct printer *p, uint64_t value, unsigned aux)
{
	put_text(p, "htons(");
	put_enum(p, be16toh((uint16_t)value), aux);
	put_text(p, ")");
}

/* The address of a group of a bridge: the protocol behind it says what it is. */
void print_group_address(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned protocol = be16toh((uint16_t)load_number(p->raw + 16, 2));

	(void)value;
	(void)aux;
	if (protocol == ETHERTYPE_IP)
		put_inet_address(p, AF_INET, p->raw);
	else if (protocol == ETHERTYPE_IPV6)
		put_inet_address(p, AF_INET6, p->raw);
	else
		put_hex_quoted(p, p->raw, 16);
}

void print_mac(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_hardware(p, p->raw, counted_items(p, 1));
}

/* aux: the family. */
void print_inet(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	put_inet_address(p, (int)aux, p->raw);
}

unsigned host_family(const struct printer *p, const unsigned char *raw, unsigned back)
{
	unsigned family = back ? *(raw - back) : p->family;

	return back || family == AF_INET6 ? family : AF_INET;
}

/* The address of a socket that netlink tells of. */
void print_host(struct printer *p, uint64_t value, unsigned back)
{
	unsigned family = host_family(p, p->raw, back);

	(void)value;
	if (family == AF_INET || family == AF_INET6)
		put_inet_address(p, (int)family, p->raw);
	else
		put_hex_quoted(p, p->raw, p->size);
}

void print_hex_counted(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_hex_quoted(p, p->raw, counted_items(p, 1));
}

static void put_octet(struct printer *p, unsigned octet)
{
	put_format(p, "%#02x", octet);
}

void print_octet(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_octet(p, (unsigned)value);
}

void print_octets(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned n = counted_items(p, 1);

	(void)value;
	(void)aux;
	put_text(p, "[");
	for (unsigned i = 0; i < n; i++) {
		put_text(p, i ? ", " : "");
		put_octet(p, p->raw[i]);
	}
	put_text(p, "]");
}

void print_quoted(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_quoted(p, (const char *)p->raw, counted_items(p, 1), false);
}

void print_hex8(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "%#08x", (unsigned)value);
}

/* A descriptor, if the flags of the sockaddr_xdp that it is in say so. */
void print_umem_fd(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (load_number(p->raw - 10, 2) & SHARED_UMEM)
		print_fd(p, value, 0);
	else if (value)
		put_hex(p, value);
}

/* The number, and its name in a remark. */
void print_noted(struct printer *p, uint64_t value, unsigned aux)
{
	const char *name = value_name(aux, value);

	put_hex(p, value);
	if (!name)
		name = value_set(aux)->unknown;
	if (p->d->names != DECODE_NAMES_RAW && *name)
		put_format(p, " /* %s */", name);
}

void print_noted_flags(struct printer *p, uint64_t value, unsigned aux)
{
	const struct value_set *set = value_set(aux);
	const char *separator = " /* ";
	uint64_t left = value;

	put_hex(p, value);
	if (p->d->names == DECODE_NAMES_RAW || !value)
		return;
	for (size_t i = 0; i < set->n; i++) {
		if (!set->names[i].value || (left & set->names[i].value) != set->names[i].value)
			continue;
		put_format(p, "%s%s", separator, set->names[i].name);
		separator = "|";
		left &= ~(uint64_t)set->names[i].value;
	}
	if (left == value)
		put_format(p, " /* %s", set->unknown);
	else if (left)
		put_format(p, "|%#llx", (unsigned long long)left);
	put_text(p, " */");
}
