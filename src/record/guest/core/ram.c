/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/core/ram.h>

#include <exectrace/record/guest/core/say.h>

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define SMALLEST (16u << 20) /* firmware and video memory have mappings of their own */

void ram_init(struct ram *ram)
{
	*ram = (struct ram){.tries = RAM_TRIES, .maps = fopen("/proc/self/maps", "re")};
	ram->err = ram->maps ? 0 : errno;
}

/* No more is to be looked for. */
static void close_maps(struct ram *ram)
{
	if (ram->maps)
		(void)fclose(ram->maps);
	ram->maps = NULL;
}

bool ram_find(struct ram *ram, const void *host)
{
	unsigned long start = 0, end = 0;
	char line[512];

	if (ram->base || !host || !ram->tries || ((uintptr_t)host >= ram->small && (uintptr_t)host < ram->small_end))
		return ram->base != 0;
	ram->tries--;
	if (!ram->maps) {
		ram->tries = 0;
		plugin_say("/proc/self/maps: %s: the guest's memory cannot be found, and no names in it",
		           strerror(ram->err));
		return false;
	}
	rewind(ram->maps);
	while (fgets(line, sizeof(line), ram->maps)) {
		if (sscanf(line, "%lx-%lx", &start, &end) != 2 || (uintptr_t)host < start || (uintptr_t)host >= end)
			continue;
		if (end - start >= SMALLEST) {
			ram->base = start;
			ram->size = end - start;
		} else {
			ram->small = start;
			ram->small_end = end;
		}
		break;
	}
	if (ram->base || !ram->tries)
		close_maps(ram);
	return ram->base != 0;
}

bool ram_holds(const struct ram *ram, uintptr_t host, size_t n)
{
	return ram->base && host >= ram->base && host - ram->base <= ram->size && n <= ram->size - (host - ram->base);
}

bool ram_peek(uintptr_t host, void *to, size_t n)
{
	struct iovec from = {(void *)host, n}, here = {to, n};

	return process_vm_readv(getpid(), &here, 1, &from, 1, 0) == (ssize_t)n;
}

bool ram_read(const struct ram *ram, uintptr_t host, void *to, size_t n)
{
	/* QEMU may have unmapped it, or its file may have been cut. */
	return ram_holds(ram, host, n) && ram_peek(host, to, n);
}
