/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What goes through a netlink socket (netlink(7)): messages, each with a header. Every length is the sender's word:
 * nothing is read behind the end of the buffer.
 */
#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>

#define HEX_BYTES_MAX 1024u
#define NETFILTER_TABLES 10 /* NFNL_SUBSYS_NFTABLES */

void put_hex_bytes(struct printer *p, struct piece piece)
{
	unsigned char raw[HEX_BYTES_MAX];
	uint64_t shown = piece.n < p->d->string_max ? piece.n : p->d->string_max;

	if (shown > sizeof(raw))
		shown = sizeof(raw);
	if (shown && !peek_bytes(p, piece.addr, raw, shown)) {
		put_addr(p, piece.addr);
		return;
	}
	put_text(p, "\"");
	for (uint64_t i = 0; i < shown; i++)
		put_format(p, "\\x%02x", raw[i]);
	put_text(p, shown < piece.n ? "\"..." : "\"");
}

/* Names of the messages of a subsystem of netfilter (linux/netfilter/nfnetlink.h), by its number. */
static const uint16_t netfilter_types[] = {
	0,
	SET_u_nf_ctnetlink,
	SET_u_nf_expect,
	SET_u_nf_queue,
	SET_u_nf_ulog,
	SET_u_nf_osf,
	SET_u_nf_ipset,
	SET_u_nf_acct,
	SET_u_nf_timeout,
	SET_u_nf_helper,
	SET_u_nf_tables,
	SET_u_nf_compat,
};

static unsigned netfilter_set(unsigned type)
{
	unsigned subsystem = type >> 8;

	if (!subsystem)
		return SET_nfbatch;
	return subsystem < sizeof(netfilter_types) / sizeof(netfilter_types[0]) ? netfilter_types[subsystem] : 0;
}

/* The set of names of the type, of a protocol that has its own; 0: there is none. */
static unsigned type_set(unsigned type, unsigned protocol)
{
	if (type < OWN_TYPES)
		return SET_netlinktype;
	switch (protocol) {
	case NETLINK_ROUTE:
		return SET_routetype;
	case NETLINK_SOCK_DIAG:
		return SET_diagtype;
	case NETLINK_XFRM:
		return SET_xfrmtype;
	case NETLINK_AUDIT:
		return SET_u_audit;
	case NETLINK_SELINUX:
		return SET_selinuxtype;
	case NETLINK_NETFILTER:
		return netfilter_set(type);
	default:
		return SET_netlinktype;
	}
}

static void put_type(struct printer *p, unsigned type, unsigned protocol)
{
	unsigned set = type_set(type, protocol);

	if (protocol == NETLINK_GENERIC && type == OWN_TYPES) {
		put_text(p, "nlctrl");
	} else if (protocol == NETLINK_NETFILTER && type > 0xff) {
		put_enum(p, type >> 8, SET_nfsubsys);
		put_text(p, "<<8|");
		if (set)
			put_enum(p, type & 0xff, set);
		else
			put_hex(p, type & 0xff);
	} else {
		put_enum(p, type, set);
	}
}

/* What a message of that name asks for: which flags it may have. */
static unsigned flags_by_name(const char *name)
{
	if (!name)
		return SET_netlinkflags;
	if (strstr(name, "NEW") || strstr(name, "_ADD") || strstr(name, "UPD"))
		return SET_netlinknew;
	if (strstr(name, "DEL"))
		return SET_netlinkdelete;
	return strstr(name, "GET") ? SET_netlinkget : SET_netlinkflags;
}

/* The flags that depend on what a message asks for (linux/netlink.h); by the last two bits of rtnetlink's types. */
static unsigned more_flags(unsigned type, unsigned protocol)
{
	static const unsigned sets[] = {SET_netlinknew, SET_netlinkdelete, SET_netlinkget, SET_netlinkflags};
	unsigned set = type_set(type, protocol);

	if (type == NLMSG_ERROR)
		return SET_netlinkack;
	if (type < OWN_TYPES)
		return SET_netlinkflags;
	if (protocol == NETLINK_SOCK_DIAG)
		return SET_netlinkget;
	if (protocol == NETLINK_NETFILTER && type > 0xff)
		return set ? flags_by_name(value_name(set, type & 0xff)) : SET_netlinkflags;
	if (protocol == NETLINK_XFRM)
		return flags_by_name(value_name(set, type));
	/* All actions of a kind are deleted as they are listed: from a root (tca_action_flush, net/sched/act_api.c). */
	if (protocol == NETLINK_ROUTE && type == RTM_DELACTION)
		return SET_netlinkget;
	return protocol == NETLINK_ROUTE ? sets[type & 3] : SET_netlinkflags;
}

static void put_netfilter_header(struct printer *p, const unsigned char *raw, bool batch)
{
	unsigned id = (unsigned)load_number(raw + 2, 2);

	put_text(p, "{nfgen_family=");
	put_enum(p, raw[0], SET_domain);
	if (raw[1])
		put_format(p, ", version=%#x /* NFNETLINK_??? */, res_id=", raw[1]);
	else
		put_text(p, ", version=NFNETLINK_V0, res_id=");
	if (!batch && id == NETFILTER_TABLES)
		put_text(p, "NFNL_SUBSYS_NFTABLES");
	else if (!batch && ntohs((uint16_t)id) == NETFILTER_TABLES)
		put_text(p, "htons(NFNL_SUBSYS_NFTABLES)");
	else
		put_format(p, "htons(%u)", ntohs((uint16_t)id));
	put_text(p, "}");
}

/* struct nfgenmsg, and attributes. */
static void put_netfilter(struct printer *p, struct piece piece, unsigned type)
{
	unsigned char raw[4];

	if (piece.n < sizeof(raw)) {
		put_hex_bytes(p, piece);
		return;
	}
	if (!peek_bytes(p, piece.addr, raw, sizeof(raw))) {
		put_addr(p, piece.addr);
		return;
	}
	put_netfilter_header(p, raw, type <= 0xff);
	piece = behind(piece, sizeof(raw));
	if (!piece.n)
		return;
	put_text(p, ", ");
	if (type > 0xff)
		put_unnamed_attributes(p, piece);
	else
		put_hex_bytes(p, piece);
}

/* The flags of all messages are in the low byte. */
static void put_message_flags(struct printer *p, unsigned flags, unsigned type, unsigned protocol)
{
	unsigned more = more_flags(type, protocol);

	if (flags & 0xff || !flags)
		put_flags(p, flags & 0xff, SET_netlinkflags);
	if (flags & 0xff && flags & 0xff00)
		put_text(p, "|");
	if (flags & 0xff00 && more == SET_netlinkflags)
		put_format(p, flags & 0xff ? "%#x" : "%#x /* NLM_F_??? */", flags & 0xff00);
	else if (flags & 0xff00)
		put_flags(p, flags & 0xff00, more);
}

static void put_message(struct printer *p, struct piece piece, unsigned protocol, bool inner);

/* Of the request that an error is about no more than its header may be there; attributes may be behind it. */
static struct piece error_attributes(struct printer *p, struct piece *piece, unsigned flags)
{
	struct piece attributes = {0};
	uint64_t len = NLMSG_HDRLEN;

	if (!(flags & (NLM_F_CAPPED | NLM_F_ACK_TLVS)))
		return attributes;
	if (!(flags & NLM_F_CAPPED) && !peek_number(p, piece->addr + 4, 4, &len))
		return attributes;
	attributes = behind(*piece, 4 + aligned(len));
	piece->n -= attributes.n;
	return attributes;
}

static void put_error(struct printer *p, struct piece piece, unsigned protocol, unsigned flags)
{
	unsigned char raw[sizeof(struct nlmsgerr)];
	struct piece attributes;
	const char *name;
	int error;

	if (piece.n < sizeof(raw)) {
		put_hex_bytes(p, piece);
		return;
	}
	if (!peek_bytes(p, piece.addr, raw, sizeof(raw))) {
		put_addr(p, piece.addr);
		return;
	}
	error = (int)load_number(raw, 4);
	name = error < 0 ? strerrorname_np((int)(-(unsigned)error & INT_MAX)) : NULL;
	attributes = error_attributes(p, &piece, flags);
	put_text(p, attributes.n ? "[" : "");
	if (name)
		put_format(p, "{error=-%s", name);
	else
		put_format(p, "{error=%d", error);
	put_text(p, ", msg=");
	put_message(p, behind(piece, 4), protocol, true);
	put_text(p, "}");
	if (!attributes.n)
		return;
	put_text(p, ", ");
	put_error_attributes(p, attributes);
	put_text(p, "]");
}

/* All messages of these protocols begin with a family. */
static void put_of_family(struct printer *p, struct piece piece, const struct netlink_message *message)
{
	uint64_t family;

	/* A socket's first byte says what the others are. */
	if ((piece.n > 1 || message->protocol != NETLINK_SOCK_DIAG) && put_structured(p, piece, message))
		return;
	if (!peek_number(p, piece.addr, 1, &family)) {
		put_addr(p, piece.addr);
		return;
	}
	put_text(p, "{family=");
	put_enum(p, family, SET_domain);
	if (piece.n > 1) {
		put_text(p, ", data=");
		put_hex_bytes(p, behind(piece, 1));
	}
	put_text(p, "}");
}

static void put_payload(struct printer *p, struct piece piece, const struct netlink_message *message)
{
	unsigned type = message->type, protocol = message->protocol;
	uint64_t number;

	if (type == NLMSG_DONE && piece.n == 4 && peek_number(p, piece.addr, 4, &number))
		put_format(p, "%d", (int)number);
	else if (type == NLMSG_ERROR)
		put_error(p, piece, protocol, message->flags);
	else if (type >= OWN_TYPES && protocol == NETLINK_NETFILTER)
		put_netfilter(p, piece, type);
	else if (type >= OWN_TYPES && (protocol == NETLINK_ROUTE || protocol == NETLINK_SOCK_DIAG))
		put_of_family(p, piece, message);
	else if (type < OWN_TYPES || protocol != NETLINK_SELINUX || !put_structured(p, piece, message))
		put_hex_bytes(p, piece);
}

/* One message of at most piece.n bytes. inner: the request that an error is about; its own error is not looked at. */
static void put_message(struct printer *p, struct piece piece, unsigned protocol, bool inner)
{
	unsigned char raw[NLMSG_HDRLEN];
	uint64_t len;
	unsigned type;

	if (!peek_bytes(p, piece.addr, raw, sizeof(raw))) {
		put_addr(p, piece.addr);
		return;
	}
	len = load_number(raw, 4);
	type = (unsigned)load_number(raw + 4, 2);
	if (len < piece.n)
		piece.n = len;
	put_format(p, "%s{nlmsg_len=%u, nlmsg_type=", piece.n > NLMSG_HDRLEN ? "[" : "", (unsigned)len);
	put_type(p, type, protocol);
	put_text(p, ", nlmsg_flags=");
	put_message_flags(p, (unsigned)load_number(raw + 6, 2), type, protocol);
	put_format(p, ", nlmsg_seq=%u, nlmsg_pid=", (unsigned)load_number(raw + 8, 4));
	put_process(p, DECODE_TGID, load_number(raw + 12, 4));
	put_text(p, "}");
	if (piece.n <= NLMSG_HDRLEN)
		return;
	put_text(p, ", ");
	if (inner && type < OWN_TYPES)
		put_hex_bytes(p, behind(piece, NLMSG_HDRLEN));
	else
		put_payload(p, behind(piece, NLMSG_HDRLEN),
		            &(struct netlink_message){protocol, type, (unsigned)load_number(raw + 6, 2)});
	put_text(p, "]");
}

static void put_netlink(struct printer *p, uint64_t addr, uint64_t n, unsigned protocol)
{
	struct piece piece = {addr, n}, next;
	bool many = false;
	uint64_t len;

	for (unsigned i = 0; piece.n >= NLMSG_HDRLEN; i++, piece = next) {
		if (!peek_number(p, piece.addr, 4, &len)) {
			if (i)
				put_format(p, ", ... /* %#llx */", (unsigned long long)piece.addr);
			else
				put_addr(p, piece.addr);
			piece.n = 0;
			break;
		}
		next = len < NLMSG_HDRLEN ? behind(piece, piece.n) : behind(piece, aligned(len));
		if (!many && next.n)
			put_text(p, "[");
		many |= next.n > 0;
		put_text(p, i ? ", " : "");
		if (i >= p->d->string_max || p->pieces++ >= PIECES_MAX) {
			put_text(p, "...");
			piece.n = 0;
			break;
		}
		put_message(p, piece, protocol, false);
	}
	if (piece.n) {
		put_text(p, many ? ", " : "");
		put_hex_bytes(p, piece);
	}
	put_text(p, many ? "]" : "");
}

/* What udev tells those who listen for devices; the kernel's own messages are text. */
static void put_uevent(struct printer *p, uint64_t addr, uint64_t n)
{
	static const char prefix[8] = "libudev";
	unsigned size = struct_size(p, STRUCT_udevheader);
	unsigned char raw[64];

	if (n < size || size > sizeof(raw) || !peek_bytes(p, addr, raw, size) ||
	    memcmp(raw, prefix, sizeof(prefix)) != 0) {
		put_bytes(p, addr, n);
		return;
	}
	put_text(p, n > size ? "[" : "");
	put_struct(p, addr, STRUCT_udevheader);
	if (n > size) {
		put_text(p, ", ");
		put_bytes(p, addr + size, n - size);
		put_text(p, "]");
	}
}

bool netlink_protocol(const struct printer *p, unsigned *protocol)
{
	int got = p->d->netlink ? p->d->netlink(p->d->user, (int)call_arg(p, 0)) : -ENOTSUP;

	*protocol = (unsigned)got;
	return got >= 0;
}

void put_message_bytes(struct printer *p, uint64_t addr, uint64_t n)
{
	unsigned protocol;

	if (!addr || !n || !netlink_protocol(p, &protocol))
		put_bytes(p, addr, n);
	else if (protocol == NETLINK_KOBJECT_UEVENT)
		put_uevent(p, addr, n);
	else if (n >= NLMSG_HDRLEN)
		put_netlink(p, addr, n, protocol);
	else
		put_hex_bytes(p, (struct piece){addr, n});
}

/* aux: the register with the length. */
void print_sent(struct printer *p, uint64_t value, unsigned aux)
{
	put_message_bytes(p, value, call_arg(p, aux));
}

void print_received(struct printer *p, uint64_t value, unsigned aux)
{
	put_message_bytes(p, value, received_bytes(p, aux));
}
