/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of sockets: their names by level, and what they are set to. */
#include <exectrace/target/decode/calls/calls.h>

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define NO_SET UINT16_MAX
#define HARDWARE_MAX 8 /* bytes of an address in struct packet_mreq */

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

static bool is_filter(unsigned option)
{
	return option == SO_ATTACH_FILTER || option == SO_ATTACH_REUSEPORT_CBPF;
}

/* Numbers and structures that options of SOL_SOCKET are set to. */
static bool put_socket_option(struct printer *p, uint64_t addr, unsigned option, uint64_t len)
{
	uint64_t value;

	if (option == SO_LINGER && !p->at_exit && len < 8)
		put_addr(p, addr);
	else if (option == SO_LINGER)
		put_struct_of(p, addr, len, STRUCT_linger);
	else if (option == SO_PEERCRED)
		put_struct_of(p, addr, len, STRUCT_ucred);
	else if (is_filter(option) && len >= struct_size(p, STRUCT_filter))
		put_struct(p, addr, STRUCT_filter);
	else if (option == SO_ERROR && len == 4 && peek_number(p, addr, 4, &value) && value && value < 4096)
		put_format(p, "[%s]", strerrorname_np((int)value) ? strerrorname_np((int)value) : "?");
	else
		return false;
	return true;
}

static bool put_multicast(struct printer *p, uint64_t addr, uint64_t len)
{
	char group[INET_ADDRSTRLEN], interface[INET_ADDRSTRLEN];
	struct in_addr in[2];

	if (len < sizeof(in) || !peek_bytes(p, addr, in, sizeof(in)))
		return false;
	inet_ntop(AF_INET, &in[0], group, sizeof(group));
	inet_ntop(AF_INET, &in[1], interface, sizeof(interface));
	put_format(p, "{imr_multiaddr=inet_addr(\"%s\"), imr_interface=inet_addr(\"%s\")}", group, interface);
	return true;
}

static bool put_multicast6(struct printer *p, uint64_t addr, uint64_t len)
{
	char group[INET6_ADDRSTRLEN];
	struct ipv6_mreq request;

	if (len < sizeof(request) || !peek_bytes(p, addr, &request, sizeof(request)))
		return false;
	inet_ntop(AF_INET6, &request.ipv6mr_multiaddr, group, sizeof(group));
	put_format(p, "{inet_pton(AF_INET6, \"%s\", &ipv6mr_multiaddr), ipv6mr_interface=", group);
	print_interface(p, request.ipv6mr_interface, 0);
	put_text(p, "}");
	return true;
}

static bool put_packet_member(struct printer *p, uint64_t addr, uint64_t len)
{
	unsigned char raw[16];
	unsigned n;

	if (len < sizeof(raw) || !peek_bytes(p, addr, raw, sizeof(raw)))
		return false;
	n = (unsigned)load_number(raw + 6, 2);
	put_text(p, "{mr_ifindex=");
	print_interface(p, load_number(raw, 4), 0);
	put_text(p, ", mr_type=");
	put_enum(p, load_number(raw + 4, 2), SET_packetmember);
	put_format(p, ", mr_alen=%u, mr_address=", n);
	for (unsigned i = 0; i < n && i < HARDWARE_MAX; i++)
		put_format(p, "%s%02x", i ? ":" : "", raw[8 + i]);
	put_text(p, "}");
	return true;
}

static bool put_packet_option(struct printer *p, uint64_t addr, unsigned option, uint64_t len)
{
	if (option == PACKET_ADD_MEMBERSHIP || option == PACKET_DROP_MEMBERSHIP)
		return put_packet_member(p, addr, len);
	if ((option == PACKET_RX_RING || option == PACKET_TX_RING) && len >= 16)
		put_struct(p, addr, STRUCT_tpacketreq);
	else if (option == PACKET_STATISTICS && len >= 12)
		put_struct(p, addr, STRUCT_tpacketstats);
	else
		return false;
	return true;
}

/* What has a structure of its own; false: it is shown as a number or bytes. */
static bool put_known_option(struct printer *p, uint64_t addr, uint64_t len)
{
	unsigned option = (unsigned)call_arg(p, 2);

	switch ((unsigned)call_arg(p, 1)) {
	case SOL_SOCKET:
		return put_socket_option(p, addr, option, len);
	case IPPROTO_IP:
		return (option == IP_ADD_MEMBERSHIP || option == IP_DROP_MEMBERSHIP) && put_multicast(p, addr, len);
	case IPPROTO_IPV6:
		return (option == IPV6_ADD_MEMBERSHIP || option == IPV6_DROP_MEMBERSHIP ||
		        option == IPV6_JOIN_ANYCAST || option == IPV6_LEAVE_ANYCAST) &&
		       put_multicast6(p, addr, len);
	case SOL_PACKET:
		return put_packet_option(p, addr, option, len);
	default:
		return false;
	}
}

/* Too few bytes for a number. */
static void put_raw(struct printer *p, uint64_t addr, unsigned n)
{
	unsigned char raw[4] = {0};

	if (!peek_bytes(p, addr, raw, n)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "\"");
	for (unsigned i = 0; i < n; i++)
		put_format(p, "\\x%02x", raw[i]);
	put_text(p, "\"");
}

/* Options of SOL_SOCKET that are ints. */
static bool is_int(const struct printer *p)
{
	unsigned option = (unsigned)call_arg(p, 2);

	return (unsigned)call_arg(p, 1) == SOL_SOCKET && option != SO_BINDTODEVICE && option != SO_PEERSEC &&
	       option != SO_PEERGROUPS && option != SO_PEERNAME && option != SO_RCVTIMEO && option != SO_SNDTIMEO &&
	       !is_filter(option) && option != SO_GET_FILTER && option != SO_TYPE && option != SO_LINGER &&
	       option != SO_PEERCRED;
}

static void put_option(struct printer *p, uint64_t addr, int len)
{
	uint64_t value;

	if (len > 0 && put_known_option(p, addr, (uint64_t)len))
		return;
	if ((len == 4 || (len > 4 && is_int(p))) && peek_number(p, addr, 4, &value))
		put_format(p, "[%d]", (int)value);
	else if (len > 0 && len < 4 && is_int(p) && !p->at_exit)
		put_addr(p, addr);
	else if (len > 0 && len < 4 && is_int(p))
		put_raw(p, addr, (unsigned)len);
	else if (len > 0)
		put_bytes(p, addr, (uint64_t)len);
	else
		put_addr(p, addr);
}

void print_sockoptval(struct printer *p, uint64_t value, unsigned aux)
{
	put_option(p, value, (int)call_arg(p, aux));
}

void print_osockoptval(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t len;

	if (peek_number(p, call_arg(p, aux), 4, &len))
		put_option(p, value, (int)len);
	else
		put_addr(p, value);
}
