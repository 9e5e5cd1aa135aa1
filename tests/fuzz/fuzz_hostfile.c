/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of the host with names: a vmlinux, a System.map, a program with its build id. The input is one of them. What
 * must hold: no access outside, an end, and a table in order.
 */
#include <exectrace/record/guest/linux/hostfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void kernel(const char *path)
{
	struct kernel_file f;
	struct kallsyms table = {0};

	if (kernel_file_read(&f, path))
		return;
	for (size_t i = 1; i < f.table.n; i++) {
		if (f.table.items[i - 1].address > f.table.items[i].address)
			abort();
	}
	if (kallsyms_merge(&table, &f.table, 1ull << 63, 1u << 21) || table.n != f.table.n)
		abort();
	/* They are all there already. */
	if (kallsyms_merge(&table, &f.table, 1ull << 63, 1u << 21) || table.n != f.table.n)
		abort();
	kallsyms_release(&table);
	kernel_file_release(&f);
}

static void program(const char *path, size_t size)
{
	struct elfimage image = {.id = {.n = 2}};

	(void)hostfile_program(&image, false, "", path, size);
	(void)elfimage_address(&image, 0x1000);
	symbols_release(&image.symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	char path[64];

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		kernel(path);
		program(path, size);
	}
	close(fd);
	return 0;
}
