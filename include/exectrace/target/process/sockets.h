/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel knows of the sockets of a process (sock_diag(7)). */
#ifndef EXECTRACE_TARGET_PROCESS_SOCKETS_H
#define EXECTRACE_TARGET_PROCESS_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SOCKET_PROTOCOL_MAX 16 /* bytes of a protocol's name, with the NUL */
#define SOCKET_ADDRESS_MAX 64  /* of an address with its port */
#define SOCKET_NAME_MAX 108    /* of the name of a UNIX socket */

enum socket_family { SOCKET_OTHER, SOCKET_INET, SOCKET_UNIX, SOCKET_NETLINK };

struct socket_facts {
	enum socket_family family;
	bool found;                      /* what follows is known */
	char local[SOCKET_ADDRESS_MAX];  /* SOCKET_INET: "127.0.0.1:80", "[::1]:80" */
	char remote[SOCKET_ADDRESS_MAX]; /* "": not connected */
	uint32_t peer;                   /* SOCKET_UNIX: inode of what it is connected to; 0: of nothing */
	char name[SOCKET_NAME_MAX];      /* ...: a first byte of 0 is an abstract one */
	size_t n_name;
	unsigned protocol; /* SOCKET_NETLINK: NETLINK_* */
	uint32_t port;
};

/* Whom it asks: a socket in one network. Begins as zeroes. */
struct socket_asker {
	bool open, refused;
	int fd;
	uint64_t network; /* inode of its namespace */
};

/* The name of the protocol of a descriptor that is a socket. 0 or -errno. */
int socket_protocol(pid_t tid, int fd, char protocol[SOCKET_PROTOCOL_MAX]);

/* What is known of the socket `inode` of that protocol in the network of thread tid. */
void socket_ask(struct socket_asker *asker, pid_t tid, const char *protocol, uint32_t inode,
                struct socket_facts *facts);

void socket_asker_release(struct socket_asker *asker);

#endif
