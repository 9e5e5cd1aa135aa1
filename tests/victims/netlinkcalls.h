/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of netlink, for the victims that send some. */
#ifndef NETLINKCALLS_H
#define NETLINKCALLS_H

#include <linux/netlink.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* A message that is built. */
struct message {
	struct nlmsghdr header;
	char rest[500];
};

static inline void *more(struct message *m, size_t n)
{
	void *at = (char *)m + NLMSG_ALIGN(m->header.nlmsg_len);

	m->header.nlmsg_len = (uint32_t)(NLMSG_ALIGN(m->header.nlmsg_len) + n);
	return memset(at, 0, n);
}

static inline struct nlattr *attribute(struct message *m, int type, const void *value, size_t n)
{
	struct nlattr *a = more(m, NLA_HDRLEN + n);

	a->nla_len = (uint16_t)(NLA_HDRLEN + n);
	a->nla_type = (uint16_t)type;
	memcpy((char *)a + NLA_HDRLEN, value, n);
	return a;
}

/* What was added since belongs to it. */
static inline void ends(struct message *m, struct nlattr *outer)
{
	outer->nla_len = (uint16_t)((char *)m + m->header.nlmsg_len - (char *)outer);
}

static inline void begin(struct message *m, int type, int flags, size_t n)
{
	memset(m, 0, sizeof(*m));
	m->header.nlmsg_len = NLMSG_HDRLEN;
	m->header.nlmsg_type = (uint16_t)type;
	m->header.nlmsg_flags = (uint16_t)flags;
	m->header.nlmsg_seq = 5;
	more(m, n);
}

static inline void ask(int fd, struct message *m)
{
	send(fd, m, m->header.nlmsg_len, MSG_DONTWAIT);
}

/* It has an address: only then the kernel lists it. */
static inline int netlink(int protocol)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW, protocol);

	bind(fd, (struct sockaddr *)&address, sizeof(address));
	return fd;
}

#endif
