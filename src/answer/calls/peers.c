/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/peers.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/kerrno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SOCKET "socket:["
#define TYPE_MASK 0xf /* of the type that socket(2) gets; above it are SOCK_CLOEXEC and SOCK_NONBLOCK */

struct peer {
	int type;         /* SOCK_STREAM, ...; 0: unknown */
	const char *name; /* what it is connected to; NULL: unknown */
	const char *own;  /* what it is bound to; NULL: unknown */
	/* Where the last connect was to go that failed: the name for that call alone */
	const char *refused;
};

static struct data_text extra_of(const struct data_syscall *call, unsigned arg)
{
	for (size_t i = 0; i < call->nextras; i++)
		if (call->extras[i].arg == arg && call->extras[i].kind == DATA_EXTRA_TEXT && call->extras[i].text.n)
			return call->extras[i].text;
	return (struct data_text){"", 0};
}

/* The number in "socket:[4711]" at the beginning of a text, and how long that is; 0: it is none. */
static size_t socket_at(const char *at, const char *end, uint64_t *inode)
{
	const char *digit = at + sizeof(SOCKET) - 1;
	uint64_t n = 0;

	if ((size_t)(end - at) < sizeof(SOCKET) || memcmp(at, SOCKET, sizeof(SOCKET) - 1) != 0)
		return 0;
	for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
		if (__builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*digit - '0'), &n))
			return 0;
	if (digit == end || *digit != ']' || digit == at + sizeof(SOCKET) - 1)
		return 0;
	*inode = n;
	return (size_t)(digit + 1 - at);
}

/* The socket that an argument, or with DATA_ARGS the result, is a descriptor of. False: it is none. */
static bool socket_of(const struct data_syscall *call, unsigned arg, uint64_t *inode)
{
	struct data_text text = extra_of(call, arg);
	const char *open = text.n ? memchr(text.bytes, '<', text.n) : NULL;

	return open && socket_at(open + 1, text.bytes + text.n, inode);
}

/* --- Addresses ---------------------------------------------------------------------------------------------------- */

/* What stands behind `key` in an address, up to one of `ends`. */
static bool value_of(struct data_text text, const char *key, const char *ends, struct data_text *value)
{
	const char *at = memmem(text.bytes, text.n, key, strlen(key)), *end = text.bytes + text.n;
	size_t n = 0;

	if (!at)
		return false;
	at += strlen(key);
	while (at + n < end && !strchr(ends, at[n]))
		n++;
	*value = (struct data_text){at, n};
	return at + n < end;
}

static const char *protocol_of(int type)
{
	return type == SOCK_STREAM ? "TCP" : type == SOCK_DGRAM ? "UDP" : "INET";
}

/* Adds the name of an address as decode writes it; nothing where it has none yet. 0 or -ENOMEM. */
static int put_address(struct buf *out, struct data_text text, int type)
{
	struct data_text host, port;

	if (value_of(text, "sun_path=\"", "\"", &host) && host.n)
		return buf_printf(out, "UNIX:%.*s", (int)host.n, host.bytes);
	if (value_of(text, "sun_path=@\"", "\"", &host))
		return buf_printf(out, "UNIX:@%.*s", (int)host.n, host.bytes);
	if (!value_of(text, "port=htons(", ")", &port) || (port.n == 1 && *port.bytes == '0'))
		return 0;
	if (value_of(text, "inet_addr(\"", "\"", &host))
		return buf_printf(out, "%s:%.*s:%.*s", protocol_of(type), (int)host.n, host.bytes, (int)port.n,
		                  port.bytes);
	if (value_of(text, "inet_pton(AF_INET6, \"", "\"", &host))
		return buf_printf(out, "%s:[%.*s]:%.*s", protocol_of(type), (int)host.n, host.bytes, (int)port.n,
		                  port.bytes);
	return 0;
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

static struct peer *peer_of(struct peers *peers, uint64_t inode)
{
	struct peer *peer = idmap_get(&peers->sockets, inode, 0);

	if (peer)
		return peer;
	peer = calloc(1, sizeof(*peer));
	if (peer && idmap_put(&peers->sockets, inode, 0, peer)) {
		free(peer);
		return NULL;
	}
	return peer;
}

/* connect(2): it goes on, and may succeed. */
static bool goes_on(const struct data_syscall *call)
{
	return call->result == -EINPROGRESS || call->result == -EALREADY || call->result == -EINTR ||
	       is_restart(call->result);
}

/* The name of a socket that a call gives it. */
static const char **name_of(struct peers *peers, struct peer *peer, const struct data_syscall *call, uint64_t inode,
                            bool own)
{
	if (own)
		return &peer->own;
	if (!call->error || goes_on(call))
		return &peer->name;
	peers->refused = inode;
	return &peer->refused;
}

/* Gives a socket the name of the address in an argument. 0 or -ENOMEM. */
static int name_it(struct peers *peers, const struct data_syscall *call, unsigned arg, bool own)
{
	struct data_text address = extra_of(call, arg);
	cleanup_buf struct buf name = BUF_INIT;
	struct call_parts parts = {0};
	struct peer *peer;
	uint64_t inode;
	int rc = 0;

	if (!socket_of(call, 0, &inode))
		return 0;
	/* It may have been recorded as it was in memory. */
	if (!address.n)
		rc = call_take_apart(&parts, call, false);
	if (!rc && arg < parts.nargs)
		address = parts.args[arg].text;
	peer = rc ? NULL : peer_of(peers, inode);
	rc = peer ? put_address(&name, address, peer->type) : -ENOMEM;
	call_parts_release(&parts);
	if (rc || !name.len)
		return rc;
	return pool_text(&peers->texts, name.data, name.len, name_of(peers, peer, call, inode, own), NULL);
}

/* A number that is used again stands for a new socket. */
static int on_socket(struct peers *peers, const struct data_syscall *call)
{
	struct peer *peer;
	uint64_t inode;

	if (!socket_of(call, DATA_ARGS, &inode))
		return 0;
	peer = peer_of(peers, inode);
	if (!peer)
		return -ENOMEM;
	*peer = (struct peer){.type = (int)(call->args[1] & TYPE_MASK)};
	return 0;
}

static int on_accept(struct peers *peers, const struct data_syscall *call)
{
	uint64_t from, to;
	struct peer *listener, *peer;

	if (!socket_of(call, DATA_ARGS, &to))
		return 0;
	listener = socket_of(call, 0, &from) ? idmap_get(&peers->sockets, from, 0) : NULL;
	peer = peer_of(peers, to);
	if (!peer)
		return -ENOMEM;
	*peer = (struct peer){0};
	if (listener)
		*peer = (struct peer){.type = listener->type, .name = listener->own};
	return 0;
}

int peers_take(struct peers *peers, const struct data_syscall *call)
{
	char buf[CALL_NAME_MAX];
	const char *name;

	peers->refused = 0;
	if (!call->nextras)
		return 0;
	name = call_name(call, buf);
	if (strcmp(name, "connect") == 0)
		return name_it(peers, call, 1, false);
	if (call->error)
		return 0;
	if (strcmp(name, "socket") == 0)
		return on_socket(peers, call);
	if (strcmp(name, "accept") == 0 || strcmp(name, "accept4") == 0)
		return on_accept(peers, call);
	/* The port that the kernel chose is known behind bind. */
	if (strcmp(name, "bind") == 0 || strcmp(name, "getsockname") == 0)
		return name_it(peers, call, 1, true);
	return 0;
}

const char *peers_find(const struct peers *peers, uint64_t inode)
{
	const struct peer *peer = idmap_get(&peers->sockets, inode, 0);

	if (peer && inode == peers->refused)
		return peer->refused;
	return !peer ? NULL : peer->name ? peer->name : peer->own;
}

void peers_release(struct peers *peers)
{
	for (size_t i = 0; i < peers->sockets.cap; i++)
		free(peers->sockets.slots[i].value);
	idmap_release(&peers->sockets);
	pool_release(&peers->texts);
}
