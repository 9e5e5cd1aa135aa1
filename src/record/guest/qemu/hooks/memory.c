/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that arguments of system calls lead to, as it is: addresses of sockets, lists of descriptors, locks. Who reads
 * the recording has a decoder for it. Of programs of 64 bits.
 */
#include "hooks.h"

#include <linux/audit.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#define WORD 8
#define MEMORY_BYTES 128   /* at one address: struct sockaddr_storage */
#define MESSAGES 2         /* of sendmmsg(2): a resolver asks for two kinds of addresses at once */
#define POLLED 6           /* descriptors of poll(2) */
#define MESSAGE (7 * WORD) /* struct msghdr */
#define MESSAGES_STEP (8 * WORD)
#define MUTEX_BYTES 20 /* of glibc's pthread_mutex_t: lock, count, owner, users, kind (bits/struct_mutex.h) */
#define MUTEX_WAITED 2
#define RESULT_MAX ((uint64_t)-4096)

enum look {
	LOOK_NOWHERE,
	LOOK_ADDRESS,     /* of a socket; its length is the next argument */
	LOOK_ADDRESS_OUT, /* the same, from the kernel; its length is where the next argument points to */
	LOOK_MESSAGE,     /* struct msghdr, with the address in it */
	LOOK_MESSAGE_OUT,
	LOOK_MESSAGES, /* struct mmsghdr; as many as the next argument says */
	LOOK_POLL,     /* struct pollfd; the same */
	LOOK_PAIR,     /* of descriptors, from the kernel */
	LOOK_FUTEX,    /* of a lock that is waited for */
};

static const struct {
	uint8_t look, arg;
} looks[] = {
	[SYS_poll] = {LOOK_POLL, 0},
	[SYS_pipe] = {LOOK_PAIR, 0},
	[SYS_connect] = {LOOK_ADDRESS, 1},
	[SYS_accept] = {LOOK_ADDRESS_OUT, 1},
	[SYS_sendto] = {LOOK_ADDRESS, 4},
	[SYS_recvfrom] = {LOOK_ADDRESS_OUT, 4},
	[SYS_sendmsg] = {LOOK_MESSAGE, 1},
	[SYS_recvmsg] = {LOOK_MESSAGE_OUT, 1},
	[SYS_bind] = {LOOK_ADDRESS, 1},
	[SYS_getsockname] = {LOOK_ADDRESS_OUT, 1},
	[SYS_getpeername] = {LOOK_ADDRESS_OUT, 1},
	[SYS_socketpair] = {LOOK_PAIR, 3},
	[SYS_futex] = {LOOK_FUTEX, 0},
	[SYS_ppoll] = {LOOK_POLL, 0},
	[SYS_accept4] = {LOOK_ADDRESS_OUT, 1},
	[SYS_pipe2] = {LOOK_PAIR, 0},
	[SYS_sendmmsg] = {LOOK_MESSAGES, 1},
};

/* An argument of a call. */
struct argument_at {
	struct plugin *plugin;
	struct vcpu *v;
	struct syscall *call;
	uint8_t arg;
};

static enum look look_of(const struct syscall *call, uint8_t *arg)
{
	uint32_t number = (uint32_t)call->what;

	if (call->what >> 32 != AUDIT_ARCH_X86_64 || number >= sizeof(looks) / sizeof(looks[0]))
		return LOOK_NOWHERE;
	*arg = looks[number].arg;
	return looks[number].look;
}

/* What is at an address, into `to` when that is not NULL, too. How many of n bytes are there. */
static size_t add_memory(const struct argument_at *a, uint64_t address, size_t n, void *to)
{
	char bytes[WORD + MEMORY_BYTES];
	size_t have = 0;

	if (address && n <= MEMORY_BYTES)
		have = hook_read_some(a->v, address, bytes + WORD, n);
	if (!have)
		return 0;
	memcpy(bytes, &address, WORD);
	if (to)
		memcpy(to, bytes + WORD, have);
	hook_add_extra(a->call, a->arg, DATA_EXTRA_MEMORY, bytes, WORD + have);
	return have;
}

static void add_address(const struct argument_at *a, uint64_t address, uint32_t n)
{
	add_memory(a, address, n < MEMORY_BYTES ? n : MEMORY_BYTES, NULL);
}

static void add_address_out(const struct argument_at *a)
{
	uint64_t address = a->call->args[a->arg], length = a->call->args[a->arg + 1];
	uint32_t n = 0;

	if (address && add_memory(a, length, sizeof(n), &n) == sizeof(n))
		add_address(a, address, n);
}

static void add_message(const struct argument_at *a, uint64_t address)
{
	uint64_t words[MESSAGE / WORD];

	if (add_memory(a, address, sizeof(words), words) == sizeof(words))
		add_address(a, words[0], (uint32_t)words[1]);
}

static void add_messages(const struct argument_at *a)
{
	for (uint64_t i = 0; i < a->call->args[a->arg + 1] && i < MESSAGES; i++)
		add_message(a, a->call->args[a->arg] + i * MESSAGES_STEP);
}

/* n descriptors, `step` bytes from one to the next. */
static void add_descriptors(const struct argument_at *a, uint64_t n, size_t step)
{
	char items[POLLED * WORD];
	size_t have;

	if (n > POLLED)
		return;
	have = add_memory(a, a->call->args[a->arg], (size_t)n * step, items);
	for (size_t at = 0; at + step <= have; at += step) {
		uint32_t fd;

		memcpy(&fd, items + at, sizeof(fd));
		hook_add_descriptor(a->plugin, a->v, a->arg, DATA_EXTRA_DESCRIPTOR, fd);
	}
}

/*
 * A futex tells who holds it where it is a lock: with the number of a thread in it (futex(2), FUTEX_LOCK_PI; also where
 * a library does so by itself), or beside it in glibc's pthread_mutex_t, whose word is 2 while somebody waits for it.
 */
static void add_futex(const struct argument_at *a)
{
	uint32_t value = (uint32_t)a->call->args[2];

	switch (a->call->args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		if (value != MUTEX_WAITED && !(value & FUTEX_WAITERS))
			return;
		break;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		break;
	default:
		return;
	}
	add_memory(a, a->call->args[a->arg], MUTEX_BYTES, NULL);
}

void hook_look_before(struct plugin *p, struct vcpu *v, struct stack *stack)
{
	struct argument_at a = {p, v, &stack->call, 0};
	enum look look = look_of(&stack->call, &a.arg);
	const uint64_t *args = stack->call.args;

	switch (look) {
	case LOOK_ADDRESS:
		add_address(&a, args[a.arg], (uint32_t)args[a.arg + 1]);
		break;
	case LOOK_MESSAGE:
		add_message(&a, args[a.arg]);
		break;
	case LOOK_MESSAGES:
		add_messages(&a);
		break;
	case LOOK_POLL:
		add_descriptors(&a, args[a.arg + 1], WORD);
		break;
	case LOOK_FUTEX:
		add_futex(&a);
		break;
	default:
		break;
	}
}

void hook_look_behind(struct plugin *p, struct vcpu *v, struct stack *stack, uint64_t result)
{
	struct argument_at a = {p, v, &stack->call, 0};
	enum look look = result <= RESULT_MAX ? look_of(&stack->call, &a.arg) : LOOK_NOWHERE;
	const uint64_t *args = stack->call.args;

	switch (look) {
	case LOOK_ADDRESS_OUT:
		add_address_out(&a);
		break;
	case LOOK_MESSAGE_OUT:
		add_message(&a, args[a.arg]);
		break;
	case LOOK_POLL:
		if (result && args[a.arg + 1] <= POLLED)
			add_memory(&a, args[a.arg], (size_t)args[a.arg + 1] * WORD, NULL);
		break;
	case LOOK_PAIR:
		add_descriptors(&a, 2, sizeof(uint32_t));
		break;
	default:
		break;
	}
}
