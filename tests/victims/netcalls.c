/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netcalls
 * Addresses and options of sockets, control messages, and messages of netlink with what depends on their family or on
 * what lies beside it. The sockets are none, or the kernel refuses what it is told: that is shown all the same.
 */
#include "victim.h"

#include <arpa/inet.h>
#include <linux/ax25.h>
#include <linux/icmp.h>
#include <linux/if_alg.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/nfc.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/vm_sockets.h>
#include <linux/x25.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/timex.h>

#include "netlinkcalls.h"

static void to(const void *address, unsigned n)
{
	connect(-1, address, n);
}

static void addresses(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(0x7f000001)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(53), .sin6_scope_id = 1};
	struct sockaddr_ll link = {.sll_family = AF_PACKET, .sll_protocol = htons(3), .sll_ifindex = 1, .sll_halen = 9};
	struct sockaddr_vm vm = {.svm_family = AF_VSOCK, .svm_cid = 2, .svm_port = 1024, .svm_reserved1 = 7};
	struct sockaddr_nfc_llcp nfc = {.sa_family = AF_NFC, .nfc_protocol = 5, .dsap = 1, .service_name_len = 3};
	struct sockaddr_alg alg = {.salg_family = AF_ALG,
	                           .salg_type = "hash",
	                           .salg_feat = 0x1001,
	                           .salg_name = "sha1"};
	struct sockaddr_x25 x25 = {.sx25_family = AF_X25, .sx25_addr = {"0123456789abcdef"}};
	struct full_sockaddr_ax25 ax25 = {.fsa_ax25 = {.sax25_family = AF_AX25, .sax25_ndigis = 3}};
	unsigned char rxrpc[36] = {AF_RXRPC, 0, 1, 0, 2, 0, 16, 0, AF_INET, 0, 0, 80, 127, 0, 0, 1};
	unsigned char xdp[16] = {44, 0, 1, 0, 1, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0};

	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	memcpy(nfc.service_name, "urn", 3);
	for (unsigned i = 0; i < 4; i++) {
		ax25_address *call = i ? &ax25.fsa_digipeater[i - 1] : &ax25.fsa_ax25.sax25_call;

		for (unsigned k = 0; k < 6; k++)
			call->ax25_call[k] = (char)("DB0KV DB-0K      *SMALL "[i * 6 + k] << 1);
	}
	to(&in, sizeof(in));
	to(&in, 9);
	to(&in6, sizeof(in6));
	to(&in6, 24);
	to(&link, sizeof(link));
	to(&vm, sizeof(vm));
	to(&nfc, sizeof(nfc));
	to(&nfc, sizeof(struct sockaddr_nfc) + 1);
	to(&alg, sizeof(alg));
	to(&alg, 27);
	to(&x25, sizeof(x25));
	to(&ax25, sizeof(struct sockaddr_ax25) + 15);
	to(&ax25, sizeof(ax25));
	to(rxrpc, sizeof(rxrpc));
	to(xdp, sizeof(xdp));
}

static void options(void)
{
	struct packet_mreq member = {.mr_ifindex = 1, .mr_alen = 6, .mr_address = {1, 2, 3, 4, 5, 6}};
	struct tpacket_req ring = {4096, 2, 2048, 4};
	struct group_req group = {.gr_interface = 1, .gr_group.ss_family = AF_INET};
	struct ip_mreq old = {.imr_multiaddr.s_addr = htonl(0xe0000003)};
	uint32_t types = 1 << ICMP_ECHO | 1 << ICMP_REDIRECT, n = 255;

	setsockopt(-1, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &member, sizeof(member));
	setsockopt(-1, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &member, sizeof(member) + 1);
	setsockopt(-1, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring));
	setsockopt(-1, SOL_IP, MCAST_JOIN_GROUP, &group, sizeof(group));
	setsockopt(-1, SOL_IP, IP_ADD_MEMBERSHIP, &old, sizeof(old));
	setsockopt(-1, SOL_IP, IP_ADD_MEMBERSHIP, &old, 7);
	setsockopt(-1, 255, ICMP_FILTER, &types, sizeof(types));
	types = ~types;
	setsockopt(-1, 255, ICMP_FILTER, &types, sizeof(types));
	setsockopt(-1, SOL_SOCKET, 74, &n, sizeof(n)); /* SO_TXREHASH */
	setsockopt(-1, SOL_SOCKET, SO_REUSEADDR, &n, 5);
	setsockopt(-1, SOL_SOCKET, SO_REUSEADDR, &n, 3);
	setsockopt(-1, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &n, 5);
}

static void control(void)
{
	long raw[64] = {0};
	struct cmsghdr *c = (struct cmsghdr *)raw;
	struct msghdr m = {.msg_control = raw};

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(40 * sizeof(int));
	memset(CMSG_DATA(c), 0xff, 40 * sizeof(int));
	m.msg_controllen = CMSG_SPACE(40 * sizeof(int));
	sendmsg(-1, &m, 0);
	m.msg_controllen += sizeof(long);
	sendmsg(-1, &m, 0);
	c->cmsg_len = 3;
	sendmsg(-1, &m, 0);
	c->cmsg_len = CMSG_LEN(sizeof(long));
	c->cmsg_type = SO_TIMESTAMP;
	m.msg_controllen = CMSG_SPACE(sizeof(long));
	sendmsg(-1, &m, 0);
}

static void links(void)
{
	static const int families[] = {AF_UNIX, AF_BRIDGE, AF_INET6};
	int fd = netlink(NETLINK_ROUTE);
	uint32_t n = 250;
	struct nlattr *outer, *inner;
	struct message m;

	for (unsigned i = 0; i < 3; i++) {
		begin(&m, RTM_GETLINK, NLM_F_REQUEST, sizeof(struct ifinfomsg));
		m.rest[0] = (char)families[i];
		outer = attribute(&m, IFLA_PROTINFO, "", 0);
		attribute(&m, 1, &n, 4);
		ends(&m, outer);
		ask(fd, &m);
	}
	for (unsigned i = 0; i < 2; i++) {
		begin(&m, RTM_GETLINK, NLM_F_REQUEST, sizeof(struct ifinfomsg));
		outer = attribute(&m, IFLA_LINKINFO, "", 0);
		attribute(&m, IFLA_INFO_KIND, i ? "veth" : "bridge", i ? 5 : 7);
		inner = attribute(&m, IFLA_INFO_DATA, "", 0);
		attribute(&m, IFLA_BR_FORWARD_DELAY, &n, 4);
		attribute(&m, IFLA_BR_STP_STATE, &n, 4);
		ends(&m, inner);
		ends(&m, outer);
		ask(fd, &m);
	}
	begin(&m, RTM_GETSTATS, NLM_F_REQUEST, sizeof(struct if_stats_msg));
	((struct if_stats_msg *)m.rest)->filter_mask = 1u << IFLA_STATS_LINK_64 | 0x100;
	ask(fd, &m);
	close(fd);
}

static void routes(void)
{
	int fd = netlink(NETLINK_ROUTE);
	unsigned char via[] = {AF_INET, 0, 10, 0, 0, 1};
	struct rtnexthop *hop;
	struct nlattr *outer;
	struct message m;

	begin(&m, RTM_GETROUTE, NLM_F_REQUEST, sizeof(struct rtmsg));
	m.rest[0] = AF_INET;
	attribute(&m, RTA_VIA, via, sizeof(via));
	outer = attribute(&m, RTA_MULTIPATH, "", 0);
	for (unsigned i = 0; i < 2; i++) {
		hop = more(&m, sizeof(*hop));
		hop->rtnh_ifindex = 1;
		attribute(&m, RTA_GATEWAY, "\12\0\0\1", 4);
		hop->rtnh_len = sizeof(*hop) + 8;
	}
	ends(&m, outer);
	ask(fd, &m);
	m.header.nlmsg_len -= 2;
	ask(fd, &m);
	close(fd);
}

static void sockets(void)
{
	int fd = netlink(NETLINK_SOCK_DIAG);
	struct inet_diag_req_v2 *request = NULL;
	struct message m;

	for (unsigned i = 0; i < 2; i++) {
		begin(&m, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, sizeof(*request));
		request = (void *)m.rest;
		request->sdiag_family = i ? AF_INET6 : AF_INET;
		request->sdiag_protocol = IPPROTO_TCP;
		request->idiag_states = 1 << 1 | 1 << 10;
		request->idiag_ext = 1 << (INET_DIAG_INFO - 1);
		request->id.idiag_sport = htons(22);
		attribute(&m, INET_DIAG_REQ_BYTECODE, "\2\0\4\0\0\0\26\0", 8);
		ask(fd, &m);
	}
	begin(&m, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 1);
	ask(fd, &m);
	begin(&m, NLMSG_ERROR, 0x100, sizeof(struct nlmsgerr)); /* NLM_F_CAPPED */
	((struct nlmsgerr *)m.rest)->error = -13;
	((struct nlmsgerr *)m.rest)->msg.nlmsg_len = NLMSG_HDRLEN;
	attribute(&m, 2, "\1\0\0\0", 4); /* NLMSGERR_ATTR_OFFS */
	ask(fd, &m);
	close(fd);
}

int main(void)
{
	struct timex time = {0};

	adjtimex(&time); /* the tests look at what comes behind it */
	addresses();
	options();
	control();
	links();
	routes();
	sockets();
	return 0;
}
