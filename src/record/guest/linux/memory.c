/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/memory.h>

#define PAGE 4096

size_t guest_memory_some(const struct guest_memory *memory, uint64_t address, char *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t part = PAGE - (address + done) % PAGE;

		if (part > n - done)
			part = n - done;
		if (!memory->read(memory->user, address + done, to + done, part))
			break;
		done += part;
	}
	return done;
}
