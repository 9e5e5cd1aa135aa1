/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Whether n bytes at addr are in an extra; *at: where. */
static bool has(const struct data_extra *extra, uint64_t addr, size_t n, const char **at)
{
	uint64_t first;
	size_t have;

	if (extra->kind != DATA_EXTRA_MEMORY || extra->text.n < sizeof(first))
		return false;
	memcpy(&first, extra->text.bytes, sizeof(first));
	have = extra->text.n - sizeof(first);
	if (addr < first || addr - first > have || n > have - (size_t)(addr - first))
		return false;
	*at = extra->text.bytes + sizeof(first) + (size_t)(addr - first);
	return true;
}

int call_memory_read(void *user, uint64_t addr, void *to, size_t n)
{
	const struct call_memory *memory = user;
	const char *found = NULL, *at;

	for (size_t i = 0; i < memory->call->nextras && (!found || memory->behind); i++)
		if (has(&memory->call->extras[i], addr, n, &at))
			found = at;
	if (!found)
		return -EFAULT;
	memcpy(to, found, n);
	return 0;
}

int call_memory_descriptor(void *user, int fd, struct buf *out)
{
	const struct call_memory *memory = user;
	char text[16];
	size_t digits = (size_t)snprintf(text, sizeof(text), "%d<", fd);

	for (size_t i = 0; i < memory->call->nextras; i++) {
		const struct data_extra *extra = &memory->call->extras[i];

		if (extra->kind == DATA_EXTRA_DESCRIPTOR && extra->text.n > digits + 1 &&
		    memcmp(extra->text.bytes, text, digits) == 0)
			return buf_append(out, extra->text.bytes + digits, extra->text.n - digits - 1);
	}
	return -ENOENT;
}
