/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of our own sockets, by the kernel's answers and by the files that list them. */
#include "tap.h"
#include <arpa/inet.h>
#include <exectrace/target/process/sockets.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct socket_asker asker;

static uint32_t inode_of(int fd)
{
	struct stat st;

	CHECK_INT(fstat(fd, &st), 0);
	return (uint32_t)st.st_ino;
}

static struct socket_facts ask(int fd, const char *protocol)
{
	char name[SOCKET_PROTOCOL_MAX];
	struct socket_facts facts;

	CHECK_INT(socket_protocol(getpid(), fd, name), 0);
	CHECK(strncmp(name, protocol, strlen(protocol)) == 0);
	socket_ask(&asker, getpid(), name, inode_of(fd), &facts);
	return facts;
}

static void inet(int domain, const char *protocol, const char *host)
{
	struct sockaddr_storage to = {.ss_family = (sa_family_t)domain};
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&to;
	struct sockaddr_in *in = (struct sockaddr_in *)&to;
	socklen_t n = domain == AF_INET ? sizeof(*in) : sizeof(*in6);
	int listener = socket(domain, SOCK_STREAM, 0), client = socket(domain, SOCK_STREAM, 0);
	char wanted[SOCKET_ADDRESS_MAX];
	struct socket_facts facts;

	CHECK_INT(inet_pton(domain, host, domain == AF_INET ? (void *)&in->sin_addr : (void *)&in6->sin6_addr), 1);
	if (listener < 0 || bind(listener, (struct sockaddr *)&to, n)) {
		printf("# no %s here\n", protocol);
		return;
	}
	CHECK(!ask(client, protocol).found);
	CHECK_INT(listen(listener, 1), 0);
	CHECK_INT(getsockname(listener, (struct sockaddr *)&to, &n), 0);
	if (connect(client, (struct sockaddr *)&to, n)) {
		printf("# no network here\n");
		return;
	}
	snprintf(wanted, sizeof(wanted), domain == AF_INET ? "%s:%u" : "[%s]:%u", host, ntohs(in->sin_port));
	facts = ask(listener, protocol);
	CHECK(facts.found);
	CHECK_STR(facts.local, wanted);
	CHECK_STR(facts.remote, "");
	facts = ask(client, protocol);
	CHECK(facts.found);
	CHECK_STR(facts.remote, wanted);
	close(listener);
	close(client);
}

static void local(bool peers)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int pair[2], fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct socket_facts facts;
	int n = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "exectrace-test-%d", (int)getpid());

	CHECK(!ask(fd, "UNIX").found);
	CHECK_INT(bind(fd, (struct sockaddr *)&name,
	               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) + (socklen_t)n),
	          0);
	facts = ask(fd, "UNIX");
	CHECK(facts.found);
	CHECK_INT(facts.n_name, n + 1);
	CHECK(memcmp(facts.name, name.sun_path, facts.n_name) == 0);
	close(fd);
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	facts = ask(pair[0], "UNIX");
	CHECK_INT(facts.peer, peers ? inode_of(pair[1]) : 0);
	close(pair[0]);
	close(pair[1]);
}

static void netlink(void)
{
	struct sockaddr_nl name = {.nl_family = AF_NETLINK, .nl_pid = (uint32_t)getpid()};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct socket_facts facts;

	CHECK_INT(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	facts = ask(fd, "NETLINK");
	CHECK(facts.found);
	CHECK_INT(facts.protocol, NETLINK_ROUTE);
	CHECK_INT(facts.port, getpid());
	close(fd);
}

static void all(bool peers)
{
	inet(AF_INET, "TCP", "127.0.0.1");
	inet(AF_INET6, "TCPv6", "::1");
	local(peers);
	netlink();
}

int main(void)
{
	struct socket_facts facts;
	struct stat network;

	socket_ask(&asker, getpid(), "nonsense", 1, &facts);
	CHECK(!facts.found && facts.family == SOCKET_OTHER);
	all(true);
	socket_asker_release(&asker);
	/* As where it may not ask. */
	CHECK_INT(stat("/proc/self/ns/net", &network), 0);
	asker = (struct socket_asker){.refused = true, .network = network.st_ino};
	all(false);
	socket_asker_release(&asker);
	return tap_done();
}
