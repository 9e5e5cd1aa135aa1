/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/sockets.h>

#include <arpa/inet.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/netlink_diag.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define REPLY_BYTES 32768u /* more than the kernel puts into one message of a dump */
#define ANSWER_SECONDS 2   /* it does not wait for the kernel any longer */

struct protocol {
	const char *name;
	enum socket_family family;
	uint8_t domain, number;
	const char *file; /* that lists them, in /proc/TID; NULL: none does */
};

static const struct protocol protocols[] = {
	{"TCP", SOCKET_INET, AF_INET, IPPROTO_TCP, "net/tcp"},
	{"UDP", SOCKET_INET, AF_INET, IPPROTO_UDP, "net/udp"},
	{"UDP-Lite", SOCKET_INET, AF_INET, IPPROTO_UDPLITE, "net/udplite"},
	{"DCCP", SOCKET_INET, AF_INET, IPPROTO_DCCP, NULL},
	{"SCTP", SOCKET_INET, AF_INET, IPPROTO_SCTP, NULL},
	{"RAW", SOCKET_INET, AF_INET, IPPROTO_RAW, "net/raw"},
	{"TCPv6", SOCKET_INET, AF_INET6, IPPROTO_TCP, "net/tcp6"},
	{"UDPv6", SOCKET_INET, AF_INET6, IPPROTO_UDP, "net/udp6"},
	{"UDPLITEv6", SOCKET_INET, AF_INET6, IPPROTO_UDPLITE, "net/udplite6"},
	{"DCCPv6", SOCKET_INET, AF_INET6, IPPROTO_DCCP, NULL},
	{"SCTPv6", SOCKET_INET, AF_INET6, IPPROTO_SCTP, NULL},
	{"RAWv6", SOCKET_INET, AF_INET6, IPPROTO_RAW, "net/raw6"},
	{"UNIX", SOCKET_UNIX, AF_UNIX, 0, "net/unix"},
	{"UNIX-STREAM", SOCKET_UNIX, AF_UNIX, 0, "net/unix"},
	{"NETLINK", SOCKET_NETLINK, AF_NETLINK, 0, "net/netlink"},
};

struct question {
	struct nlmsghdr head;
	union {
		struct inet_diag_req_v2 inet;
		struct unix_diag_req unix_;
		struct netlink_diag_req netlink;
	} of;
};

static const struct protocol *find_protocol(const char *name)
{
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		if (strcmp(protocols[i].name, name) == 0)
			return &protocols[i];
	return NULL;
}

int socket_protocol(pid_t tid, int fd, char protocol[SOCKET_PROTOCOL_MAX])
{
	char path[64];
	ssize_t n;

	memset(protocol, 0, SOCKET_PROTOCOL_MAX);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)tid, fd);
	n = getxattr(path, "system.sockprotoname", protocol, SOCKET_PROTOCOL_MAX - 1);
	if (n < 0)
		protocol[0] = '\0';
	return n < 0 ? -errno : 0;
}

/* --- A socket in the right network --- */

/* A socket of the network that `network` is; our own thread is back in its own behind that. */
static int open_in(int network)
{
	cleanup_fd int own = proc_open(gettid(), "ns/net", O_RDONLY);
	int fd = -1;

	if (own < 0 || setns(network, CLONE_NEWNET))
		return -EPERM;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (setns(own, CLONE_NEWNET))
		fd_close(&fd);
	return fd < 0 ? -EPERM : fd;
}

/* Asks for nothing that is there already. */
static bool asker_is_for(struct socket_asker *asker, pid_t tid)
{
	const struct timeval patience = {.tv_sec = ANSWER_SECONDS};
	cleanup_fd int network = proc_open(tid, "ns/net", O_RDONLY), own = proc_open(getpid(), "ns/net", O_RDONLY);
	struct stat st, ours;

	if (network < 0 || fstat(network, &st) || own < 0 || fstat(own, &ours))
		return false;
	if ((asker->open || asker->refused) && asker->network == st.st_ino)
		return asker->open;
	socket_asker_release(asker);
	asker->fd = st.st_ino == ours.st_ino ? socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)
	                                     : open_in(network);
	asker->open = asker->fd >= 0;
	asker->refused = !asker->open;
	asker->network = st.st_ino;
	if (asker->open)
		(void)setsockopt(asker->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return asker->open;
}

void socket_asker_release(struct socket_asker *asker)
{
	if (asker->open)
		fd_close(&asker->fd);
	*asker = (struct socket_asker){0};
}

/* --- What is asked --- */

static bool ask(const struct socket_asker *asker, const struct protocol *protocol, uint32_t inode)
{
	static const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct question q = {.head = {.nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
	size_t n = sizeof(q.of.inet);

	if (protocol->family == SOCKET_INET) {
		q.of.inet.sdiag_family = protocol->domain;
		q.of.inet.sdiag_protocol = protocol->number;
		q.of.inet.idiag_states = UINT32_MAX;
	} else if (protocol->family == SOCKET_UNIX) {
		n = sizeof(q.of.unix_);
		q.head.nlmsg_flags = NLM_F_REQUEST; /* this one can be asked for by its inode */
		q.of.unix_.sdiag_family = AF_UNIX;
		q.of.unix_.udiag_states = UINT32_MAX;
		q.of.unix_.udiag_ino = inode;
		q.of.unix_.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER;
		memset(q.of.unix_.udiag_cookie, 0xff, sizeof(q.of.unix_.udiag_cookie));
	} else {
		n = sizeof(q.of.netlink);
		q.of.netlink.sdiag_family = AF_NETLINK;
		q.of.netlink.sdiag_protocol = NDIAG_PROTO_ALL;
	}
	q.head.nlmsg_len = (uint32_t)NLMSG_LENGTH(n);
	return sendto(asker->fd, &q, q.head.nlmsg_len, 0, (const struct sockaddr *)&kernel, sizeof(kernel)) > 0;
}

/* --- What is answered --- */

static void put_address(char *out, unsigned domain, const void *addr, uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (!inet_ntop((int)domain, addr, text, sizeof(text)))
		return;
	snprintf(out, SOCKET_ADDRESS_MAX, domain == AF_INET6 ? "[%s]:%u" : "%s:%u", text, ntohs(port));
}

static bool take_inet(const struct nlmsghdr *head, uint32_t inode, struct socket_facts *facts)
{
	const struct inet_diag_msg *msg = NLMSG_DATA(head);

	if (head->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)) || msg->idiag_inode != inode)
		return false;
	put_address(facts->local, msg->idiag_family, msg->id.idiag_src, msg->id.idiag_sport);
	if (msg->id.idiag_dport)
		put_address(facts->remote, msg->idiag_family, msg->id.idiag_dst, msg->id.idiag_dport);
	return true;
}

static void take_attribute(const struct nlattr *attribute, struct socket_facts *facts)
{
	const void *data = (const char *)attribute + NLA_HDRLEN;
	size_t n = attribute->nla_len - (size_t)NLA_HDRLEN;

	if (attribute->nla_type == UNIX_DIAG_PEER && n >= sizeof(facts->peer)) {
		memcpy(&facts->peer, data, sizeof(facts->peer));
	} else if (attribute->nla_type == UNIX_DIAG_NAME) {
		facts->n_name = n < sizeof(facts->name) ? n : sizeof(facts->name);
		memcpy(facts->name, data, facts->n_name);
		/* Behind a path there may be a NUL; an abstract name is what it is. */
		if (facts->n_name && *facts->name)
			facts->n_name = strnlen(facts->name, facts->n_name);
	}
}

static bool take_unix(const struct nlmsghdr *head, uint32_t inode, struct socket_facts *facts)
{
	const struct unix_diag_msg *msg = NLMSG_DATA(head);
	size_t at = NLMSG_LENGTH(sizeof(*msg));

	if (head->nlmsg_len < at || msg->udiag_ino != inode)
		return false;
	while (at + NLA_HDRLEN <= head->nlmsg_len) {
		const struct nlattr *attribute = (const struct nlattr *)(const void *)((const char *)head + at);

		if (attribute->nla_len < NLA_HDRLEN || attribute->nla_len > head->nlmsg_len - at)
			break;
		take_attribute(attribute, facts);
		at += NLA_ALIGN(attribute->nla_len);
	}
	return facts->peer || facts->n_name;
}

static bool take_netlink(const struct nlmsghdr *head, uint32_t inode, struct socket_facts *facts)
{
	const struct netlink_diag_msg *msg = NLMSG_DATA(head);

	if (head->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)) || msg->ndiag_ino != inode)
		return false;
	facts->protocol = msg->ndiag_protocol;
	facts->port = msg->ndiag_portid;
	return true;
}

/* True when it is the last message. */
static bool take(const struct nlmsghdr *head, uint32_t inode, struct socket_facts *facts)
{
	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return true; /* the end of a dump, or an error */
	if (!facts->found && facts->family == SOCKET_INET)
		facts->found = take_inet(head, inode, facts);
	else if (!facts->found && facts->family == SOCKET_UNIX)
		facts->found = take_unix(head, inode, facts);
	else if (!facts->found)
		facts->found = take_netlink(head, inode, facts);
	return !(head->nlmsg_flags & NLM_F_MULTI);
}

/* Reads all of it, for the next answer is to be that of the next question. */
static bool read_answer(const struct socket_asker *asker, uint32_t inode, struct socket_facts *facts)
{
	_Alignas(struct nlmsghdr) char bytes[REPLY_BYTES];
	bool last = false;

	while (!last) {
		ssize_t n = recv(asker->fd, bytes, sizeof(bytes), 0);
		const struct nlmsghdr *head = (const struct nlmsghdr *)(const void *)bytes;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		for (size_t left = (size_t)n; !last && NLMSG_OK(head, left); head = NLMSG_NEXT(head, left))
			last = take(head, inode, facts);
	}
	return true;
}

/* --- Without an answer: files that list sockets ---------------------------------------------------------------------
 */

/* An address as words of the machine in hexadecimal digits. */
static void put_digits(char *out, unsigned domain, const char *digits, unsigned port)
{
	uint32_t words[4] = {0};
	char word[9] = "";

	for (size_t i = 0; i < 4 && strlen(digits) >= 8 * (i + 1); i++) {
		memcpy(word, digits + 8 * i, 8);
		words[i] = (uint32_t)strtoul(word, NULL, 16);
	}
	put_address(out, domain, words, htons((uint16_t)port));
}

static bool read_inet(const char *line, const struct protocol *protocol, uint32_t inode, struct socket_facts *facts)
{
	char from[33] = "", to[33] = "";
	unsigned near = 0, far = 0, number = 0;

	if (sscanf(line, "%*s %32[0-9A-F]:%x %32[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %u", from, &near, to, &far,
	           &number) != 5 ||
	    number != inode)
		return false;
	put_digits(facts->local, protocol->domain, from, near);
	if (far)
		put_digits(facts->remote, protocol->domain, to, far);
	return true;
}

static bool read_unix(const char *line, uint32_t inode, struct socket_facts *facts)
{
	unsigned number = 0;
	int at = 0;
	size_t n;

	if (sscanf(line, "%*s %*s %*s %*s %*s %*s %u %n", &number, &at) != 1 || number != inode || !at)
		return false;
	n = strcspn(line + at, "\n");
	facts->n_name = n < sizeof(facts->name) ? n : sizeof(facts->name);
	memcpy(facts->name, line + at, facts->n_name);
	if (facts->n_name && *facts->name == '@')
		*facts->name = '\0';
	return facts->n_name > 0;
}

static bool read_netlink(const char *line, uint32_t inode, struct socket_facts *facts)
{
	unsigned number = 0;

	return sscanf(line, "%*s %u %u %*s %*s %*s %*s %*s %*s %u", &facts->protocol, &facts->port, &number) == 3 &&
	       number == inode;
}

/* What is not known there: to what a UNIX socket is connected. */
static void look_up(pid_t tid, const struct protocol *protocol, uint32_t inode, struct socket_facts *facts)
{
	cleanup_fd int fd = protocol->file ? proc_open(tid, protocol->file, O_RDONLY) : -1;
	cleanup_free char *line = NULL;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t size = 0;

	if (!file)
		return;
	fd = -1;
	while (!facts->found && getline(&line, &size, file) > 0) {
		if (protocol->family == SOCKET_INET)
			facts->found = read_inet(line, protocol, inode, facts);
		else if (protocol->family == SOCKET_UNIX)
			facts->found = read_unix(line, inode, facts);
		else
			facts->found = read_netlink(line, inode, facts);
	}
	fclose(file);
}

void socket_ask(struct socket_asker *asker, pid_t tid, const char *protocol, uint32_t inode, struct socket_facts *facts)
{
	const struct protocol *known = find_protocol(protocol);

	*facts = (struct socket_facts){.family = known ? known->family : SOCKET_OTHER};
	if (!known)
		return;
	if (!asker_is_for(asker, tid))
		look_up(tid, known, inode, facts);
	else if (!ask(asker, known, inode) || !read_answer(asker, inode, facts))
		socket_asker_release(asker);
}
