/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "release.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#define DEVELOPED 50 /* the third number from which on a release is being developed */

/* The release whose number is in a text of n bytes; 0: none. */
static unsigned number(const char *text, size_t n)
{
	char copy[16];
	unsigned major, minor, micro;

	n = n < sizeof(copy) ? n : sizeof(copy) - 1;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (sscanf(copy, "%2u.%2u.%2u", &major, &minor, &micro) != 3)
		return 0;
	return 100 * major + minor + (micro >= DEVELOPED);
}

unsigned release_find(const char *memory, size_t n)
{
	static const char title[] = "QEMU emulator version ";
	const char *end = memory + n, *at = memory;
	unsigned release = 0;

	while (!release && (at = memmem(at, (size_t)(end - at), title, sizeof(title) - 1))) {
		at += sizeof(title) - 1;
		release = number(at, (size_t)(end - at));
	}
	return release;
}

/* The first object is the program; its constants are not writable. */
static int look(struct dl_phdr_info *object, size_t size, void *release)
{
	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum && !*(unsigned *)release; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && (part->p_flags & PF_R) && !(part->p_flags & PF_W))
			*(unsigned *)release =
				release_find((const char *)(object->dlpi_addr + part->p_vaddr), part->p_filesz);
	}
	return 1;
}

unsigned release_of_program(void)
{
	unsigned release = 0;

	(void)dl_iterate_phdr(look, &release);
	return release;
}
