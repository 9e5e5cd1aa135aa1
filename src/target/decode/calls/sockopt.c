/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of sockets: their names by level, and what they are set to. */
#include <exectrace/target/decode/calls/calls.h>

#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define NO_SET UINT16_MAX
#define ICMP_TYPES 32 /* bits of a struct icmp_filter */
#define ICMP_FILTER 1 /* linux/icmp.h */

static const struct level {
	uint16_t level, set;
	uint16_t get; /* names that getsockopt has for numbers of other names */
} levels[] = {
	{0, SET_ipopt, SET_ipgetopt}, {1, SET_sockopt, SET_sockgetopt},  {6, SET_tcpopt, NO_SET},
	{17, SET_udpopt, NO_SET},     {41, SET_ipv6opt, SET_ipv6getopt}, {132, SET_sctpopt, NO_SET},
	{255, SET_rawopt, NO_SET},    {263, SET_packetopt, NO_SET},      {270, SET_netlinkopt, NO_SET},
	{279, SET_algopt, NO_SET},    {282, SET_tlsopt, NO_SET},
};

/* aux: 1 for getsockopt. */
void print_sockopt(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned level = (unsigned)call_arg(p, 1);

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (levels[i].level != level)
			continue;
		if (aux && levels[i].get != NO_SET && value_name(levels[i].get, (uint32_t)value))
			put_enum(p, (uint32_t)value, levels[i].get);
		else
			put_enum(p, (uint32_t)value, levels[i].set);
		return;
	}
	put_format(p, "%u", (unsigned)value);
}

/* --- What they are set to ----------------------------------------------------------------------------------------- */

typedef void put_option_fn(struct printer *p, uint64_t addr, uint64_t len);

static void put_multicast(struct printer *p, uint64_t addr, uint64_t len)
{
	unsigned char raw[8];

	if (len < sizeof(raw) || !peek_bytes(p, addr, raw, sizeof(raw))) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{imr_multiaddr=");
	put_inet_address(p, AF_INET, raw);
	put_text(p, ", imr_interface=");
	put_inet_address(p, AF_INET, raw + 4);
	put_text(p, "}");
}

static void put_multicast6(struct printer *p, uint64_t addr, uint64_t len)
{
	struct ipv6_mreq request;

	if (len < sizeof(request) || !peek_bytes(p, addr, &request, sizeof(request))) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{");
	put_inet6_field(p, "ipv6mr_multiaddr", (const unsigned char *)&request.ipv6mr_multiaddr);
	put_text(p, ", ipv6mr_interface=");
	print_interface(p, request.ipv6mr_interface, 0);
	put_text(p, "}");
}

/* A struct group_req: an interface, and the address as of bind(2). */
static void put_group(struct printer *p, uint64_t addr, uint64_t len)
{
	char raw[8 + SOCKADDR_MAX];
	unsigned size = p->word + SOCKADDR_MAX;

	if (len < size || !peek_bytes(p, addr, raw, size)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{gr_interface=");
	print_interface(p, load_number(raw, 4), 0);
	put_text(p, ", gr_group=");
	put_address(p, raw + p->word, SOCKADDR_MAX);
	put_text(p, "}");
}

static void put_icmp_filter(struct printer *p, uint64_t addr, uint64_t len)
{
	uint64_t bits;
	bool most;
	const char *separator = "";

	if (len < 4 || !peek_number(p, addr, 4, &bits)) {
		put_addr(p, addr);
		return;
	}
	most = __builtin_popcountll(bits) >= ICMP_TYPES * 2 / 3;
	put_text(p, most ? "~[" : "[");
	for (unsigned type = 0; type < ICMP_TYPES; type++) {
		if ((bool)(bits >> type & 1) == most)
			continue;
		put_text(p, separator);
		separator = " ";
		if (value_name(SET_icmptype, type))
			put_enum(p, type, SET_icmptype);
		else
			put_unsigned(p, type);
	}
	put_text(p, "]");
}

static void item_number(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t value;

	(void)aux;
	if (peek_number(p, addr, 4, &value))
		put_unsigned(p, value);
}

/* The groups as bits when they are asked for; setting them is an error. */
static void put_memberships(struct printer *p, uint64_t addr, uint64_t len)
{
	struct array array = {.addr = addr, .n = len / 4, .size = 4, .print = item_number};
	uint64_t value;

	if (p->at_exit)
		put_array(p, &array);
	else if (len >= 4 && peek_number(p, addr, 4, &value))
		put_format(p, "[%d]", (int)value);
	else
		put_addr(p, addr);
}

/* Getting a filter (SO_GET_FILTER has the number of attaching one) takes a length of instructions. */
static void put_socket_filter(struct printer *p, uint64_t addr, uint64_t len)
{
	if (p->at_exit)
		put_filter(p, addr, len, true);
	else if (len >= 2 * p->word)
		put_filter_program(p, addr, true);
	else
		put_addr(p, addr);
}

enum option_form {
	INT,   /* four bytes, however many there are */
	ERROR, /* likewise, of errno */
	NAMED, /* likewise, of a set of names */
	WHOLE, /* a structure */
	EXACT, /* a structure, and no byte more */
	PART,  /* as far as a structure is there */
	GIVEN, /* likewise, but whole when it is set */
	OWN,
};

static const struct option {
	uint16_t level, option;
	uint16_t form;
	uint16_t aux; /* structure or set */
	put_option_fn *put;
} options[] = {
	{SOL_SOCKET, SO_DEBUG, INT, 0, NULL},
	{SOL_SOCKET, SO_REUSEADDR, INT, 0, NULL},
	{SOL_SOCKET, SO_DONTROUTE, INT, 0, NULL},
	{SOL_SOCKET, SO_BROADCAST, INT, 0, NULL},
	{SOL_SOCKET, SO_SNDBUF, INT, 0, NULL},
	{SOL_SOCKET, SO_RCVBUF, INT, 0, NULL},
	{SOL_SOCKET, SO_KEEPALIVE, INT, 0, NULL},
	{SOL_SOCKET, SO_OOBINLINE, INT, 0, NULL},
	{SOL_SOCKET, SO_NO_CHECK, INT, 0, NULL},
	{SOL_SOCKET, SO_PRIORITY, INT, 0, NULL},
	{SOL_SOCKET, SO_BSDCOMPAT, INT, 0, NULL},
	{SOL_SOCKET, SO_REUSEPORT, INT, 0, NULL},
	{SOL_SOCKET, SO_PASSCRED, INT, 0, NULL},
	{SOL_SOCKET, SO_RCVLOWAT, INT, 0, NULL},
	{SOL_SOCKET, SO_SNDLOWAT, INT, 0, NULL},
	{SOL_SOCKET, SO_DETACH_FILTER, INT, 0, NULL},
	{SOL_SOCKET, SO_TIMESTAMP_OLD, INT, 0, NULL},
	{SOL_SOCKET, SO_ACCEPTCONN, INT, 0, NULL},
	{SOL_SOCKET, SO_SNDBUFFORCE, INT, 0, NULL},
	{SOL_SOCKET, SO_RCVBUFFORCE, INT, 0, NULL},
	{SOL_SOCKET, SO_PASSSEC, INT, 0, NULL},
	{SOL_SOCKET, SO_TIMESTAMPNS_OLD, INT, 0, NULL},
	{SOL_SOCKET, SO_MARK, INT, 0, NULL},
	{SOL_SOCKET, SO_TIMESTAMPING_OLD, INT, 0, NULL},
	{SOL_SOCKET, SO_RXQ_OVFL, INT, 0, NULL},
	{SOL_SOCKET, SO_WIFI_STATUS, INT, 0, NULL},
	{SOL_SOCKET, SO_PEEK_OFF, INT, 0, NULL},
	{SOL_SOCKET, SO_NOFCS, INT, 0, NULL},
	{SOL_SOCKET, SO_LOCK_FILTER, INT, 0, NULL},
	{SOL_SOCKET, SO_SELECT_ERR_QUEUE, INT, 0, NULL},
	{SOL_SOCKET, SO_BUSY_POLL, INT, 0, NULL},
	{SOL_SOCKET, SO_INCOMING_CPU, INT, 0, NULL},
	{SOL_SOCKET, SO_CNX_ADVICE, INT, 0, NULL},
	{SOL_SOCKET, SO_INCOMING_NAPI_ID, INT, 0, NULL},
	{SOL_SOCKET, SO_ZEROCOPY, INT, 0, NULL},
	{SOL_SOCKET, SO_TIMESTAMP_NEW, INT, 0, NULL},
	{SOL_SOCKET, SO_TIMESTAMPNS_NEW, INT, 0, NULL},
	{SOL_SOCKET, SO_TIMESTAMPING_NEW, INT, 0, NULL},
	{SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, INT, 0, NULL},
	{SOL_SOCKET, SO_PREFER_BUSY_POLL, INT, 0, NULL},
	{SOL_SOCKET, SO_BUSY_POLL_BUDGET, INT, 0, NULL},
	{SOL_SOCKET, 73, INT, 0, NULL},              /* SO_RESERVE_MEM */
	{SOL_SOCKET, 75, INT, 0, NULL},              /* SO_RCVMARK */
	{SOL_SOCKET, 76, INT, 0, NULL},              /* SO_PASSPIDFD */
	{SOL_SOCKET, 74, NAMED, SET_txrehash, NULL}, /* SO_TXREHASH */
	{SOL_SOCKET, SO_LINGER, GIVEN, STRUCT_linger, NULL},
	{SOL_SOCKET, SO_PEERCRED, PART, STRUCT_ucred, NULL},
	{SOL_SOCKET, SO_ATTACH_FILTER, OWN, 0, put_socket_filter},
	{SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, OWN, 0, put_socket_filter},
	{SOL_SOCKET, SO_ERROR, ERROR, 0, NULL},
	{IPPROTO_IP, IP_ADD_MEMBERSHIP, OWN, 0, put_multicast},
	{IPPROTO_IP, IP_DROP_MEMBERSHIP, OWN, 0, put_multicast},
	{IPPROTO_IP, MCAST_JOIN_GROUP, OWN, 0, put_group},
	{IPPROTO_IP, MCAST_LEAVE_GROUP, OWN, 0, put_group},
	{IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, OWN, 0, put_multicast6},
	{IPPROTO_IPV6, IPV6_DROP_MEMBERSHIP, OWN, 0, put_multicast6},
	{IPPROTO_IPV6, IPV6_JOIN_ANYCAST, OWN, 0, put_multicast6},
	{IPPROTO_IPV6, IPV6_LEAVE_ANYCAST, OWN, 0, put_multicast6},
	{IPPROTO_IPV6, MCAST_JOIN_GROUP, OWN, 0, put_group},
	{IPPROTO_IPV6, MCAST_LEAVE_GROUP, OWN, 0, put_group},
	{SOL_RAW, ICMP_FILTER, OWN, 0, put_icmp_filter},
	{SOL_PACKET, PACKET_ADD_MEMBERSHIP, EXACT, STRUCT_packetmreq, NULL},
	{SOL_PACKET, PACKET_DROP_MEMBERSHIP, EXACT, STRUCT_packetmreq, NULL},
	{SOL_PACKET, PACKET_RX_RING, EXACT, STRUCT_tpacketreq, NULL},
	{SOL_PACKET, PACKET_TX_RING, EXACT, STRUCT_tpacketreq, NULL},
	{SOL_PACKET, PACKET_STATISTICS, PART, STRUCT_tpacketstats, NULL},
	{SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_DROP_MEMBERSHIP, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_PKTINFO, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_BROADCAST_ERROR, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_NO_ENOBUFS, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_RX_RING, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_TX_RING, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_LISTEN_ALL_NSID, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, OWN, 0, put_memberships},
	{SOL_NETLINK, NETLINK_CAP_ACK, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_EXT_ACK, INT, 0, NULL},
	{SOL_NETLINK, NETLINK_GET_STRICT_CHK, INT, 0, NULL},
};

static const struct option *find_option(unsigned level, unsigned option)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].level == level && options[i].option == option)
			return &options[i];
	return NULL;
}

/* Too few bytes for a number. */
static void put_raw(struct printer *p, uint64_t addr, unsigned n)
{
	unsigned char raw[4] = {0};

	if (!peek_bytes(p, addr, raw, n)) {
		put_addr(p, addr);
		return;
	}
	put_hex_quoted(p, raw, n);
}

static void put_named_int(struct printer *p, uint64_t value, unsigned set)
{
	const char *name = value_name(set, value);
	bool inner = p->inner;

	if (!name) {
		put_signed(p, (int)value);
		if (p->d->names != DECODE_NAMES_RAW)
			put_format(p, " /* %s */", value_set(set)->unknown);
	} else if (begin_names(p, value, NUMBER_INT)) {
		put_text(p, name);
		end_names(p, inner);
	}
}

static void put_int(struct printer *p, uint64_t addr, uint64_t len, const struct option *option)
{
	uint64_t value;
	const char *name;

	if (len < 4 && p->at_exit) {
		put_raw(p, addr, (unsigned)len);
		return;
	}
	if (len < 4 || !peek_number(p, addr, 4, &value)) {
		put_addr(p, addr);
		return;
	}
	name = option->form == ERROR && value && value < 4096 ? strerrorname_np((int)value) : NULL;
	put_text(p, "[");
	if (option->form == NAMED)
		put_named_int(p, value, option->aux);
	else if (name)
		put_text(p, name);
	else
		put_signed(p, (int)value);
	put_text(p, "]");
}

static void put_structure(struct printer *p, uint64_t addr, uint64_t len, const struct option *option)
{
	unsigned size = struct_size(p, option->aux);
	bool part = option->form == PART || (option->form == GIVEN && p->at_exit);

	if (part)
		put_struct_of(p, addr, len, option->aux);
	else if (len < size || (option->form == EXACT && len > size))
		put_addr(p, addr);
	else
		put_struct(p, addr, option->aux);
}

/* What is not known: a number, if it has the size of one. */
static void put_any(struct printer *p, uint64_t addr, uint64_t len)
{
	uint64_t value;

	if (len == 4 && peek_number(p, addr, 4, &value))
		put_format(p, "[%d]", (int)value);
	else
		put_bytes(p, addr, len);
}

static void put_option(struct printer *p, uint64_t addr, int len)
{
	const struct option *option = find_option((unsigned)call_arg(p, 1), (unsigned)call_arg(p, 2));

	if (len <= 0)
		put_addr(p, addr);
	else if (!option)
		put_any(p, addr, (uint64_t)len);
	else if (option->form <= NAMED)
		put_int(p, addr, (uint64_t)len, option);
	else if (option->form == OWN)
		option->put(p, addr, (uint64_t)len);
	else
		put_structure(p, addr, (uint64_t)len, option);
}

void print_sockoptval(struct printer *p, uint64_t value, unsigned aux)
{
	put_option(p, value, (int)call_arg(p, aux));
}

void print_osockoptval(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t len, room = p->state->saved[0];

	/* Some options have the kernel say how many bytes there are, not how many it has stored. */
	if (peek_number(p, call_arg(p, aux), 4, &len))
		put_option(p, value, (int)room >= 0 && room < len ? (int)room : (int)len);
	else
		put_addr(p, value);
}
