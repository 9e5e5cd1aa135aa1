/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of memory, and what is read in them. */
#include <exectrace/target/decode/snapshot.h>

#include <errno.h>
#include <string.h>

#define KEEP_BYTES 65536u /* of the memory for one call's ranges */

void snapshot_begin(struct snapshot *snapshot)
{
	snapshot->n = 0;
	snapshot->link_n = 0;
	snapshot->entries_at = 0;
	buf_reset(&snapshot->bytes, KEEP_BYTES);
	snapshot->whole = true;
}

void snapshot_add(struct snapshot *snapshot, uint64_t addr, const void *bytes, size_t n, bool ends)
{
	size_t at = snapshot->bytes.len;

	if (snapshot->n < SNAPSHOT_RANGES && buf_append(&snapshot->bytes, bytes, n) == 0)
		snapshot->ranges[snapshot->n++] = (struct snapshot_range){addr, at, n, ends};
}

void snapshot_entries(struct snapshot *snapshot, uint64_t addr, uint32_t n)
{
	snapshot->entries_at = addr;
	snapshot->entries = n;
}

void snapshot_link(struct snapshot *snapshot, int fd, const void *path, size_t n)
{
	size_t at = snapshot->bytes.len;

	if (buf_append(&snapshot->bytes, path, n))
		return;
	snapshot->link = fd;
	snapshot->link_at = at;
	snapshot->link_n = n;
}

int snapshot_read(const struct snapshot *snapshot, uint64_t addr, void *to, size_t n)
{
	const struct snapshot_range *string = NULL;

	for (unsigned i = 0; i < snapshot->n; i++) {
		const struct snapshot_range *range = &snapshot->ranges[i];
		uint64_t from = addr - range->addr;

		if (addr < range->addr || from >= range->n)
			continue;
		if (n <= range->n - from) {
			memcpy(to, snapshot->bytes.data + range->at + from, n);
			return 0;
		}
		if (range->ends)
			string = range;
	}
	if (!string)
		return -EFAULT;
	addr -= string->addr;
	memcpy(to, snapshot->bytes.data + string->at + addr, string->n - addr);
	memset((char *)to + (string->n - addr), 0, n - (string->n - addr));
	return 0;
}

bool snapshot_find_entries(const struct snapshot *snapshot, uint64_t addr, unsigned *n)
{
	*n = snapshot->entries;
	return addr && snapshot->entries_at == addr;
}

void snapshot_release(struct snapshot *snapshot)
{
	buf_release(&snapshot->bytes);
	*snapshot = (struct snapshot){0};
}
