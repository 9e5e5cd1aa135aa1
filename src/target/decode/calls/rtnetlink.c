/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnetlink(7): links, addresses, routes and neighbours, a structure and the attributes behind it. */
#include "netlink.h"

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>

#define ATTRIBUTE_MAX 256

/* How attributes are shown, by type; those without an entry as bytes. */
enum form { BYTES, NUMBER, STRING, ADDRESS, HARDWARE, TABLE, ADDRESS_FLAGS, FILTER };

static const uint8_t link_forms[] = {
	[IFLA_ADDRESS] = HARDWARE,
	[IFLA_BROADCAST] = HARDWARE,
	[IFLA_IFNAME] = STRING,
	[IFLA_MTU] = NUMBER,
	[IFLA_LINK] = NUMBER,
	[IFLA_QDISC] = STRING,
	[IFLA_MASTER] = NUMBER,
	[IFLA_TXQLEN] = NUMBER,
	[IFLA_OPERSTATE] = NUMBER,
	[IFLA_LINKMODE] = NUMBER,
	[IFLA_NET_NS_PID] = NUMBER,
	[IFLA_IFALIAS] = STRING,
	[IFLA_GROUP] = NUMBER,
	[IFLA_EXT_MASK] = FILTER,
	[IFLA_PROMISCUITY] = NUMBER,
	[IFLA_NUM_TX_QUEUES] = NUMBER,
	[IFLA_NUM_RX_QUEUES] = NUMBER,
	[IFLA_CARRIER] = NUMBER,
	[IFLA_CARRIER_CHANGES] = NUMBER,
	[IFLA_LINK_NETNSID] = NUMBER,
	[IFLA_PROTO_DOWN] = NUMBER,
	[IFLA_GSO_MAX_SEGS] = NUMBER,
	[IFLA_GSO_MAX_SIZE] = NUMBER,
	[IFLA_CARRIER_UP_COUNT] = NUMBER,
	[IFLA_CARRIER_DOWN_COUNT] = NUMBER,
	[IFLA_MIN_MTU] = NUMBER,
	[IFLA_MAX_MTU] = NUMBER,
	[IFLA_ALT_IFNAME] = STRING,
	[IFLA_PERM_ADDRESS] = HARDWARE,
	[IFLA_PARENT_DEV_NAME] = STRING,
	[IFLA_PARENT_DEV_BUS_NAME] = STRING,
	[IFLA_GRO_MAX_SIZE] = NUMBER,
	[IFLA_TSO_MAX_SIZE] = NUMBER,
	[IFLA_TSO_MAX_SEGS] = NUMBER,
	[IFLA_ALLMULTI] = NUMBER,
};

static const uint8_t address_forms[] = {
	[IFA_ADDRESS] = ADDRESS, [IFA_LOCAL] = ADDRESS,       [IFA_LABEL] = STRING,       [IFA_BROADCAST] = ADDRESS,
	[IFA_ANYCAST] = ADDRESS, [IFA_FLAGS] = ADDRESS_FLAGS, [IFA_RT_PRIORITY] = NUMBER,
};

static const uint8_t route_forms[] = {
	[RTA_DST] = ADDRESS,     [RTA_SRC] = ADDRESS,     [RTA_IIF] = NUMBER,
	[RTA_OIF] = NUMBER,      [RTA_GATEWAY] = ADDRESS, [RTA_PRIORITY] = NUMBER,
	[RTA_PREFSRC] = ADDRESS, [RTA_TABLE] = TABLE,     [RTA_MARK] = NUMBER,
};

static const uint8_t neighbour_forms[] = {
	[NDA_DST] = ADDRESS,
	[NDA_LLADDR] = HARDWARE,
	[NDA_PROBES] = NUMBER,
	[NDA_IFINDEX] = NUMBER,
};

/* What the messages about one thing look like: a structure, attributes behind it. */
static const struct subject {
	unsigned structure, attributes;
	const char *family;
	const uint8_t *forms;
	size_t n;
} subjects[] = {
	{STRUCT_ifinfomsg, SET_ifla, "ifi_family", link_forms, sizeof(link_forms)},
	{STRUCT_ifaddrmsg, SET_ifa, "ifa_family", address_forms, sizeof(address_forms)},
	{STRUCT_rtmsg, SET_rta, "rtm_family", route_forms, sizeof(route_forms)},
	{STRUCT_ndmsg, SET_nda, "ndm_family", neighbour_forms, sizeof(neighbour_forms)},
};

static void put_inet_address(struct printer *p, unsigned family, const unsigned char *raw, size_t n)
{
	char text[INET6_ADDRSTRLEN];

	if (family == AF_INET && n == 4)
		put_format(p, "inet_addr(\"%s\")", inet_ntop(AF_INET, raw, text, sizeof(text)));
	else
		put_format(p, "inet_pton(AF_INET6, \"%s\")", inet_ntop(AF_INET6, raw, text, sizeof(text)));
}

static void put_hardware(struct printer *p, const unsigned char *raw, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_format(p, "%s%02x", i ? ":" : "", raw[i]);
}

/* Of n bytes; false: they are not what has this form. */
static bool put_form(struct printer *p, const unsigned char *raw, size_t n, enum form form, unsigned family)
{
	bool number = n == 1 || n == 4;

	if (form == NUMBER && number)
		put_format(p, "%u", (unsigned)load_number(raw, (unsigned)n));
	else if (form == STRING && memchr(raw, 0, n))
		put_quoted(p, (const char *)raw, strlen((const char *)raw), false);
	else if (form == ADDRESS && ((family == AF_INET && n == 4) || (family == AF_INET6 && n == 16)))
		put_inet_address(p, family, raw, n);
	else if (form == HARDWARE && n == 6)
		put_hardware(p, raw, n);
	else if (form == TABLE && n == 4)
		put_enum(p, load_number(raw, 4), SET_rttable);
	else if (form == ADDRESS_FLAGS && n == 4)
		put_flags(p, load_number(raw, 4), SET_ifaflags);
	else if (form == FILTER && n == 4)
		put_flags(p, load_number(raw, 4), SET_linkfilter);
	else
		return false;
	return true;
}

static void put_value(struct printer *p, struct piece piece, enum form form, unsigned family)
{
	unsigned char raw[ATTRIBUTE_MAX];

	if (piece.n > sizeof(raw) || !peek_bytes(p, piece.addr, raw, piece.n) ||
	    !put_form(p, raw, piece.n, form, family))
		put_hex_bytes(p, piece);
}

static void put_attribute(struct printer *p, struct piece piece, const struct subject *subject, unsigned family)
{
	uint64_t len = 0, word = 0;
	unsigned type;

	peek_number(p, piece.addr, 2, &len);
	peek_number(p, piece.addr + 2, 2, &word);
	type = (unsigned)word & NLA_TYPE_MASK;
	if (len < piece.n)
		piece.n = len;
	put_format(p, "%s{nla_len=%u, nla_type=%s%s", piece.n > NLA_HDRLEN ? "[" : "", (unsigned)len,
	           word & NLA_F_NESTED ? "NLA_F_NESTED|" : "",
	           word & NLA_F_NET_BYTEORDER ? "NLA_F_NET_BYTEORDER|" : "");
	put_enum(p, type, subject->attributes);
	put_text(p, "}");
	if (piece.n <= NLA_HDRLEN)
		return;
	put_text(p, ", ");
	put_value(p, behind(piece, NLA_HDRLEN), type < subject->n ? subject->forms[type] : BYTES, family);
	put_text(p, "]");
}

/* The bytes of the attribute that piece begins with; 0: what is there is none. */
static uint64_t attribute_size(struct printer *p, struct piece piece)
{
	uint64_t len;

	if (piece.n < NLA_HDRLEN || !peek_number(p, piece.addr, 2, &len) || len < NLA_HDRLEN)
		return 0;
	return aligned(len);
}

static void put_attributes(struct printer *p, struct piece piece, const struct subject *subject, unsigned family)
{
	bool many = behind(piece, attribute_size(p, piece)).n && attribute_size(p, piece);
	uint64_t size;

	put_text(p, many ? ", [" : ", ");
	for (unsigned i = 0; (size = attribute_size(p, piece)); i++, piece = behind(piece, size)) {
		put_text(p, i ? ", " : "");
		if (i >= p->d->string_max || p->pieces++ >= PIECES_MAX) {
			put_text(p, "...");
			piece.n = 0;
			break;
		}
		put_attribute(p, piece, subject, family);
	}
	if (piece.n)
		put_hex_bytes(p, piece);
	put_text(p, many ? "]" : "");
}

void put_route(struct printer *p, struct piece piece, unsigned type)
{
	unsigned number = (type - OWN_TYPES) / 4;
	const struct subject *subject = number < sizeof(subjects) / sizeof(*subjects) ? &subjects[number] : NULL;
	uint64_t family, size;

	if (!subject || !peek_number(p, piece.addr, 1, &family)) {
		put_hex_bytes(p, piece);
		return;
	}
	size = struct_size(p, subject->structure);
	if (piece.n < size) {
		put_format(p, "{%s=", subject->family);
		put_enum(p, family, SET_domain);
		put_text(p, ", ...}");
		return;
	}
	put_struct(p, piece.addr, subject->structure);
	if (piece.n > aligned(size))
		put_attributes(p, behind(piece, aligned(size)), subject, (unsigned)family);
}
