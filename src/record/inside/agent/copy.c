/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the arguments of a call point to, as chunks of its record. */
#include "agent.h"

#define AT_FDCWD (-100)
#define NR_READLINKAT 267
#define NR_GETSOCKOPT 55
#define LEVEL_SOCKET 1    /* SOL_SOCKET */
#define OPTION_DOMAIN 39  /* SO_DOMAIN */
#define DOMAIN_NETLINK 16 /* AF_NETLINK */
#define NO_SOCKET 88      /* ENOTSOCK */
#define BAD_FD 9          /* EBADF */
#define PATH_BYTES 1024   /* of what a descriptor refers to */

static uint64_t argument(const struct area *area, unsigned n)
{
	return n == 0   ? area->rdi
	       : n == 1 ? area->rsi
	       : n == 2 ? area->rdx
	       : n == 3 ? area->r10
	       : n == 4 ? area->r8
	                : area->r9;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

/* Room for n bytes; 0: there is none. */
static struct chunk *reserve(struct making *m, uint64_t n)
{
	struct chunk *chunk = (struct chunk *)m->at;

	if (n > INSIDE_RECORD_MAX || sizeof(*chunk) + n + 8 > (uint64_t)(m->end - m->at)) {
		m->failed = 1;
		return 0;
	}
	return chunk;
}

static void keep(struct making *m, struct chunk *chunk, uint64_t addr, uint64_t n, unsigned kind)
{
	chunk->addr = addr;
	chunk->n = (uint32_t)n;
	chunk->kind = (uint16_t)kind;
	chunk->unused = 0;
	m->record->chunks++;
	m->at += sizeof(*chunk) + ((n + 7) & ~(uint64_t)7);
}

/* n bytes at addr, or nothing when not all of them are there. */
static const void *put_bytes(struct making *m, uint64_t addr, uint64_t n)
{
	struct chunk *chunk;

	if (!n || !may_be_there(addr, n))
		return 0;
	chunk = reserve(m, n);
	if (!chunk || agent_copy(chunk + 1, addr, n))
		return 0;
	keep(m, chunk, addr, n, CHUNK_BYTES);
	return chunk + 1;
}

static void put_string(struct making *m, uint64_t addr, uint64_t most)
{
	struct chunk *chunk = may_be_there(addr, 1) ? reserve(m, most) : 0;
	char *bytes;
	int64_t n;

	if (!chunk)
		return;
	bytes = (char *)(chunk + 1);
	n = agent_string(bytes, addr, most);
	if (n > 0)
		keep(m, chunk, addr, (uint64_t)n, bytes[n - 1] ? CHUNK_BYTES : CHUNK_STRING);
}

/* Items of which all or none are to be there: where some are missing the program is looked at. */
static const void *put_items(struct making *m, uint64_t addr, uint64_t n)
{
	const void *bytes = put_bytes(m, addr, n);

	if (!bytes && addr && n)
		m->failed = 1;
	return bytes;
}

static void put_vectors(struct making *m, const struct need *need, uint64_t addr, uint64_t n, uint64_t total)
{
	if (n > NEED_VECTORS_MAX)
		m->failed = 1;
	for (uint64_t i = 0; i < n && i < need->most && !m->failed; i++, addr += 16) {
		const uint64_t *vector = put_items(m, addr, 16);
		uint64_t shown;

		if (!vector)
			return;
		shown = at_most(vector[1], total);
		if (total != ~(uint64_t)0)
			total -= shown;
		(void)put_bytes(m, vector[0], at_most(shown, need->size));
	}
}

/* Where one is shorter than it can be there is an end, as put_dents() in target/decode has it. */
static void put_entries(struct making *m, uint64_t addr, uint64_t returned, uint64_t length_at)
{
	const uint64_t n = at_most(returned, DENTS_MAX);
	struct chunk *chunk = !n || may_be_there(addr, n) ? reserve(m, sizeof(uint32_t)) : 0;
	uint32_t count = 0;
	uint16_t length;

	if (!chunk)
		return;
	for (uint64_t at = 0; at + length_at + 2 < n; at += length, count++) {
		if (agent_copy(&length, addr + at + length_at, 2))
			return;
		if (length <= length_at + 2)
			break;
	}
	*(uint32_t *)(chunk + 1) = count;
	keep(m, chunk, addr, sizeof(count), CHUNK_ENTRIES);
}

static void put_command(struct making *m, const struct area *area, uint64_t addr, int at_exit)
{
	int out, n = need_ioctl(area->rsi, &out);

	if (n > 0 && out == at_exit)
		(void)put_bytes(m, addr, (uint64_t)n);
}

/* The int at addr, where it is more than 0. */
static uint64_t count_at(uint64_t addr)
{
	int n;

	return may_be_there(addr, sizeof(n)) && !agent_copy(&n, addr, sizeof(n)) && n > 0 ? (uint64_t)n : 0;
}

/* Or it is not known. */
static int is_netlink(const struct area *area)
{
	int domain = 0;
	unsigned n = sizeof(domain);
	int64_t err = agent_call(NR_GETSOCKOPT, (const uint64_t[5]){area->rdi, LEVEL_SOCKET, OPTION_DOMAIN,
	                                                            (uint64_t)&domain, (uint64_t)&n});

	return err ? err != -NO_SOCKET && err != -BAD_FD : domain == DOMAIN_NETLINK;
}

/* What netlink sockets send and receive is looked at further. */
static void put_data(struct making *m, const struct area *area, uint64_t addr, uint64_t n, uint64_t most)
{
	if (n >= MESSAGE_LOOKED_AT && is_netlink(area))
		m->failed = 1;
	else
		(void)put_bytes(m, addr, at_most(n, most));
}

/* Control messages; those that bring descriptors are looked at where the thread stops: they have names. */
static void put_control(struct making *m, uint64_t addr, uint64_t n, int at_exit)
{
	const unsigned char *bytes;
	uint64_t head[2];

	if (addr && n > CONTROL_MAX)
		m->failed = 1;
	if (m->failed || !addr)
		return;
	bytes = put_items(m, addr, n);
	if (!bytes || !at_exit)
		return;
	for (uint64_t at = 0; n >= sizeof(head) && at <= n - sizeof(head);) {
		__builtin_memcpy(head, bytes + at, sizeof(head));
		if (need_brings_fds((int)head[1], (int)(head[1] >> 32)))
			m->failed = 1;
		if (head[0] < sizeof(head) || head[0] > n)
			return;
		at += (head[0] + 7) & ~(uint64_t)7;
	}
}

static void put_message(struct making *m, const struct area *area, const struct need *need, uint64_t addr, int at_exit)
{
	const uint64_t *there, total = at_exit ? area->result : ~(uint64_t)0;
	uint64_t header[MSGHDR_BYTES / 8];
	uint32_t n;

	if (at_exit && (int64_t)total < 0) {
		(void)put_bytes(m, addr + 8, 4);
		return;
	}
	there = put_items(m, addr, MSGHDR_BYTES);
	if (!there)
		return;
	if (is_netlink(area)) {
		m->failed = 1;
		return;
	}
	__builtin_memcpy(header, there, sizeof(header));
	n = (uint32_t)header[1];
	(void)put_items(m, header[0], n < 2 ? 0 : at_most(n, SOCKADDR_MAX));
	put_vectors(m, need, header[2], header[3], total);
	put_control(m, header[4], header[5], at_exit);
}

static void put_mask(struct making *m, uint64_t addr)
{
	const uint64_t *mask = put_bytes(m, addr, 16);
	uint64_t at, n;

	if (!mask)
		return;
	at = mask[0];
	n = mask[1];
	if (n <= 8)
		(void)put_bytes(m, at, n);
}

static void put_option(struct making *m, const struct area *area, uint64_t addr, uint64_t n)
{
	if (need_option(area->rsi, area->rdx))
		(void)put_items(m, addr, n);
	else
		m->failed = 1;
}

/* What is sent and received, and options and addresses; 0: it is something else. */
static int put_of_socket(struct making *m, const struct area *area, const struct need *need)
{
	uint64_t addr = argument(area, need->arg), count = argument(area, need->count);
	uint64_t returned = (int64_t)area->result > 0 ? area->result : 0;

	switch (need->kind) {
	case NEED_FILLED_COUNTED:
		(void)put_items(m, addr, at_most(count_at(count), need->size));
		break;
	case NEED_OPTION:
		put_option(m, area, addr, (int)count > 0 ? at_most((uint32_t)count, need->size) : 0);
		break;
	case NEED_FILLED_OPTION:
		put_option(m, area, addr, at_most(count_at(count), need->size));
		break;
	case NEED_SENT:
		put_data(m, area, addr, count, need->size);
		break;
	case NEED_RECEIVED:
		put_data(m, area, addr, at_most(returned, count), need->size);
		break;
	case NEED_MESSAGE:
	case NEED_FILLED_MESSAGE:
		put_message(m, area, need, addr, need->kind == NEED_FILLED_MESSAGE);
		break;
	default:
		return 0;
	}
	return 1;
}

/* How many bytes there are of what is nothing but bytes. */
static uint64_t plain_bytes(const struct area *area, const struct need *need)
{
	uint64_t count = argument(area, need->count);
	uint64_t returned = (int64_t)area->result > 0 ? area->result : 0;
	uint32_t positive = (int)count > 0 ? (uint32_t)count : 0;

	if (!returned && (need->kind == NEED_BYTES_FOUND || need->kind == NEED_BITS_FOUND))
		return 0;
	switch (need->kind) {
	case NEED_BYTES:
	case NEED_BYTES_FOUND:
		return need->size;
	case NEED_COUNTED:
		return at_most(count, need->size);
	case NEED_COUNTED_INT:
		return at_most(positive, need->size);
	case NEED_RETURNED:
		return at_most(returned, need->size);
	case NEED_RETURNED_SOME:
		return at_most(returned ? returned : 1, need->size);
	case NEED_BITS:
	case NEED_BITS_FOUND:
		return at_most((positive + UINT64_C(63)) / 64 * 8, need->size);
	default:
		return 0;
	}
}

void agent_put(struct making *m, const struct area *area, const struct need *need)
{
	uint64_t addr = argument(area, need->arg), count = argument(area, need->count);
	uint64_t returned = (int64_t)area->result > 0 ? area->result : 0;

	switch (need->kind) {
	case NEED_STRING:
		put_string(m, addr, need->size);
		break;
	case NEED_ITEMS:
	case NEED_ITEMS_FOUND:
		if (returned || need->kind == NEED_ITEMS)
			(void)put_items(m, addr, at_most((uint32_t)count, need->most) * need->size);
		break;
	case NEED_COMMAND_IN:
	case NEED_COMMAND_OUT:
		put_command(m, area, addr, need->kind == NEED_COMMAND_OUT);
		break;
	case NEED_ENTRIES:
		put_entries(m, addr, returned, need->size);
		break;
	case NEED_EVENTS:
		(void)put_items(m, addr, at_most(returned, need->most) * need->size);
		break;
	case NEED_VECTORS:
		put_vectors(m, need, addr, count, ~(uint64_t)0);
		break;
	case NEED_FILLED_VECTORS:
		put_vectors(m, need, addr, count, returned);
		break;
	case NEED_MASK:
		put_mask(m, addr);
		break;
	case NEED_NAME_LENGTH:
		(void)put_bytes(m, addr + 8, 4);
		break;
	default:
		if (!put_of_socket(m, area, need))
			(void)put_bytes(m, addr, plain_bytes(area, need));
		break;
	}
}

void agent_put_link(struct making *m, uint64_t fd)
{
	char name[] = "/proc/thread-self/fd/\0\0\0\0\0\0\0\0\0\0";
	struct chunk *chunk = reserve(m, PATH_BYTES);
	unsigned at = sizeof("/proc/thread-self/fd/") - 1, n = 0;
	char digits[12];
	int64_t got;

	if (!chunk)
		return;
	do
		digits[n++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (n)
		name[at++] = digits[--n];
	got = agent_call(NR_READLINKAT,
	                 (const uint64_t[5]){(uint64_t)AT_FDCWD, (uint64_t)name, (uint64_t)(chunk + 1), PATH_BYTES, 0});
	if (got > 0)
		keep(m, chunk, m->record->args[0], (uint64_t)got, CHUNK_LINK);
}

void agent_put_stack(struct making *m, const struct area *area)
{
	const uint64_t n = area->stack_end - area->rsp;
	struct chunk *chunk = may_be_there(area->rsp, n) ? reserve(m, sizeof(struct stack_chunk) + n) : 0;
	struct stack_chunk *registers = chunk ? (struct stack_chunk *)(chunk + 1) : 0;

	if (!registers || agent_copy(registers + 1, area->rsp, n)) {
		m->failed = 1;
		return;
	}
	registers->site = area->site;
	registers->rbx = area->rbx;
	registers->rbp = area->rbp;
	registers->r12 = area->r12;
	registers->r13 = area->r13;
	registers->r14 = area->r14;
	registers->r15 = area->r15;
	keep(m, chunk, area->rsp, sizeof(*registers) + n, CHUNK_STACK);
}
