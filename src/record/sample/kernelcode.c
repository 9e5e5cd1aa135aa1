/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernelcode.h"

#include <errno.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/file.h>
#include <exectrace/base/grow.h>
#include <exectrace/record/common/places.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_BYTES (256u << 20) /* of /proc/kallsyms that are read */

/* Functions of a module begin here; "": of the kernel itself. What was before ends. 0 or -ENOMEM. */
static int begin_part(struct kernel_code *k, uint64_t start, const char *module)
{
	int rc;

	if (k->n && k->parts[k->n - 1].end == PLACES_KERNEL_END)
		k->parts[k->n - 1].end = start;
	if (!*module)
		return 0;
	rc = grow_array((void **)&k->parts, k->n, &k->cap, sizeof(*k->parts));
	if (rc)
		return rc;
	k->parts[k->n] = (struct kernel_part){.start = start, .end = PLACES_KERNEL_END};
	snprintf(k->parts[k->n].path, KERNEL_PATH_MAX, "[%s]", module);
	k->n++;
	return 0;
}

/* As a function goes on to the next one, so does a module. */
static int divide(struct kernel_code *k)
{
	const char *module = "";
	int rc = 0;

	for (size_t i = 0; i < k->names.n && !rc; i++) {
		const struct kallsym *symbol = &k->names.items[i];

		/* Of several names at a place the first one counts. */
		if (symbol->address < PLACES_KERNEL_START || symbol->address >= PLACES_KERNEL_END ||
		    kallsyms_function(&k->names, symbol->address) != symbol ||
		    strcmp(kallsyms_module(&k->names, symbol), module) == 0)
			continue;
		module = kallsyms_module(&k->names, symbol);
		rc = begin_part(k, symbol->address, module);
	}
	return rc;
}

int kernel_code_parse(struct kernel_code *k, const char *text, size_t n)
{
	int rc = kallsyms_parse(text, n, &k->names);

	return rc ? rc : divide(k);
}

int kernel_code_read(struct kernel_code *k)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_fd int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : file_read_all(fd, NAMES_BYTES, &text);

	if (!rc)
		rc = kernel_code_parse(k, text.data, text.len);
	return rc == -ENOMEM ? rc : 0;
}

void kernel_code_see(struct kernel_code *k, uint64_t address)
{
	size_t i = BOUND_ABOVE(k->parts, k->n, end, address);

	if (i == k->n || k->parts[i].start > address || k->parts[i].seen)
		return;
	k->parts[i].seen = true;
	k->seen++;
}

void kernel_code_release(struct kernel_code *k)
{
	kallsyms_release(&k->names);
	free(k->parts);
	*k = (struct kernel_code){0};
}
