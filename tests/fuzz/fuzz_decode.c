/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any call with any arguments, any result and any memory: no crash, a bounded text without control characters. The
 * input is a head of choices and then the memory, which repeats from BASE on; the arguments mostly point into it. And
 * any list of calls: a filter, or one line that says what is wrong.
 */
#include "expect.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/decode/decode.h>
#include <exectrace/target/syscalls/filter.h>
#include <stdlib.h>
#include <string.h>

#define BASE 0x10000u
#define SIZE 65536u
#define TEXT_MAX (8u * 1024u * 1024u)

struct head {
	uint16_t nr;
	uint8_t abi, choices;
	uint32_t args[SYSCALL_ARGS];
	int32_t ret;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
	const uint8_t *bytes;
	size_t n;
};

static int fake_read(void *user, uint64_t addr, void *to, size_t n)
{
	const struct memory *memory = user;

	if (!memory->n || addr < BASE || addr - BASE > SIZE || n > SIZE - (addr - BASE))
		return -EFAULT;
	for (size_t i = 0; i < n; i++)
		((uint8_t *)to)[i] = memory->bytes[(addr - BASE + i) % memory->n];
	return 0;
}

/* Half of the descriptors are netlink sockets. */
static int fake_netlink(void *user, int fd)
{
	(void)user;
	return fd & 1 ? (int)((unsigned)fd >> 1 & 31) : -ENOTSOCK;
}

static void check_text(const struct buf *out)
{
	expect(out->data && out->len < TEXT_MAX);
	for (size_t i = 0; i < out->len; i++)
		expect(out->data[i] >= ' ' && out->data[i] < 0x7f);
}

static void decode(const struct head *head, struct memory *memory)
{
	struct decoder d = {.read = fake_read,
	                    .netlink = fake_netlink,
	                    .user = memory,
	                    .string_max = head->choices & 63,
	                    .verbose = head->choices & 64};
	struct syscall_call call = {.arch = arch_at(head->abi % 4), .sp = BASE};
	struct syscall_result result = {head->ret, head->ret < 0 && head->ret > -4096};
	struct decode_state state = {0};
	cleanup_buf struct buf out = BUF_INIT;

	call.nr = (head->nr % 600) | call.arch->nr_bit;
	for (unsigned i = 0; i < SYSCALL_ARGS; i++)
		call.args[i] = head->args[i] >> 31 ? BASE + head->args[i] % SIZE : head->args[i];
	expect(decode_enter(&d, &call, &state, &out) == 0);
	if (head->choices & 128)
		expect(decode_gone(&d, &call, &state, &out) == 0);
	else
		expect(decode_exit(&d, &call, &state, &result, &out) == 0);
	check_text(&out);
}

static void siginfo(const struct head *head, struct memory *memory)
{
	cleanup_buf struct buf out = BUF_INIT;
	unsigned char raw[128];

	if (fake_read(memory, BASE, raw, sizeof(raw)))
		return;
	expect(decode_siginfo(NULL, arch_at(head->abi % 2), raw, &out) == 0);
	check_text(&out);
}

static void filter(const struct memory *memory)
{
	cleanup_free char *text = strndup((const char *)memory->bytes, memory->n < 64 ? memory->n : 64);
	cleanup_buf struct buf err = BUF_INIT;
	struct syscall_filter f;
	int rc;

	if (!text || strchr(text, '/')) /* the regex is libc's matter, and may take its time */
		return;
	rc = syscall_filter_parse(&f, text, &err);
	expect(rc == 0 || (rc == -EINVAL && err.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory;
	struct head head;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	memory = (struct memory){data + sizeof(head), size - sizeof(head)};
	decode(&head, &memory);
	siginfo(&head, &memory);
	if (head.abi & 128)
		filter(&memory);
	return 0;
}
