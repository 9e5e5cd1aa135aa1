/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "uses.h"

#include <ctype.h>
#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/syscalls/schema.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_RANGE_LATER 4 /* CLOSE_RANGE_CLOEXEC */

void uses_set(uint64_t *bits, int fd)
{
	if (fd >= 0 && fd < USES_MAX)
		bits[fd / 64] |= 1ull << fd % 64;
}

bool uses_has(const uint64_t *bits, int fd)
{
	return fd >= 0 && fd < USES_MAX && bits[fd / 64] >> fd % 64 & 1;
}

static void use(struct uses *uses, int fd)
{
	if (!uses_has(uses->closed, fd))
		uses_set(uses->used, fd);
}

static void use_all(struct uses *uses)
{
	for (int fd = 0; fd < USES_MAX; fd++)
		use(uses, fd);
}

/* Of a call whose descriptors stand in memory every number might be one. */
static int use_numbers(struct uses *uses, const struct data_syscall *call)
{
	cleanup_buf struct buf text = BUF_INIT;
	int rc = call_print(&text, call, false);

	for (const char *at = text.data; !rc && at && *at;) {
		char *end;

		if (!isdigit((unsigned char)*at)) {
			at++;
			continue;
		}
		use(uses, (int)strtoul(at, &end, 10) & INT32_MAX);
		at = end;
	}
	return rc;
}

/* "/proc/self/fd/3" */
static void use_paths(struct uses *uses, const struct data_syscall *call)
{
	static const char word[] = "/fd/";

	for (unsigned i = 0; i < call->nextras; i++) {
		const struct data_text *text = &call->extras[i].text;
		const char *at = text->n ? memmem(text->bytes, text->n, word, strlen(word)) : NULL;
		int fd = 0;

		if (!at)
			continue;
		for (at += strlen(word); at < text->bytes + text->n && isdigit((unsigned char)*at) && fd < USES_MAX;
		     at++)
			fd = 10 * fd + *at - '0';
		use(uses, fd);
	}
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* Calls that end a descriptor, or only ask of it. True when it was one. */
static bool take_end(struct uses *uses, const char *name, const struct data_syscall *call)
{
	const uint64_t *args = call->args;

	if (strcmp(name, "close") == 0) {
		uses_set(uses->closed, (int)args[0]);
		return true;
	}
	if (strcmp(name, "close_range") == 0) {
		uint64_t last = (uint32_t)args[1] < USES_MAX ? (uint32_t)args[1] : USES_MAX - 1;

		for (uint64_t fd = (uint32_t)args[0]; fd <= last && !(args[2] & CLOSE_RANGE_LATER); fd++)
			uses_set(uses->closed, (int)fd);
		return true;
	}
	if (strncmp(name, "fcntl", 5) != 0 || (args[1] != F_GETFD && args[1] != F_SETFD && args[1] != F_GETFL))
		return false;
	/* Who does this takes care that nobody below has it. */
	if (args[1] == F_SETFD && args[2] & FD_CLOEXEC)
		uses_set(uses->closed, (int)args[0]);
	return true;
}

int uses_take(struct uses *uses, const struct data_syscall *call)
{
	static const char *const in_memory[] = {"poll",    "ppoll",    "select",    "pselect6",
	                                        "sendmsg", "sendmmsg", "epoll_ctl", NULL};
	static const char *const anything[] = {"io_uring_setup", "io_uring_enter", "io_uring_register", NULL};
	static const char *const detail[] = {"close", "read", "write", "mmap", NULL};
	const struct arch *arch = arch_by_call(call->arch, call->nr);
	const struct syscall_desc *desc = arch ? syscall_by_nr(arch, call->nr) : NULL;

	if (!desc)
		return 0;
	uses->detailed |= is_one_of(desc->name, detail);
	if (call->error && call->result == -EBADF)
		return 0;
	if (take_end(uses, desc->name, call))
		return 0;
	use_paths(uses, call);
	if (is_one_of(desc->name, anything))
		use_all(uses);
	if (is_one_of(desc->name, in_memory))
		return use_numbers(uses, call);
	for (unsigned i = 0; i < desc->nargs && i < call->nargs; i++) {
		bool fd = desc->args[i].kind == KIND_FD || desc->args[i].kind == KIND_ATFD;

		/* What it was is gone. */
		if (fd && i == 1 && strncmp(desc->name, "dup", 3) == 0 && (int)call->args[1] != (int)call->args[0])
			uses_set(uses->closed, (int)call->args[1]);
		else if (fd)
			use(uses, (int)call->args[i]);
	}
	return 0;
}
