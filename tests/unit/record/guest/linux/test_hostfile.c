/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This very program as a file of the host, with and without its symbols; symbols of kernels. */
#include "tap.h"
#include <errno.h>
#include <exectrace/record/guest/linux/hostfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[4096], self[4096];
static struct stat st;

static void run(const char *command, const char *from, const char *to)
{
	char line[20000];

	(void)snprintf(line, sizeof(line), "%s %s %s", command, from, to);
	CHECK_INT(system(line), 0);
}

static size_t count(const struct elfimage *image, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < image->symbols.n; i++)
		n += strcmp(image->symbols.items[i].name, name) == 0;
	return n;
}

/* What the guest has of it: the headers, no symbols. */
static struct elfimage without_symbols(void)
{
	struct elfimage image = {0};

	CHECK(hostfile_program(&image, false, "", self, (uint64_t)st.st_size));
	symbols_release(&image.symbols);
	image.whole = false;
	return image;
}

static void test_program(void)
{
	struct elfimage image = {0}, known = without_symbols();

	CHECK(known.n > 0 && known.id.n > 1);
	image = known;
	CHECK(hostfile_program(&image, true, "", self, 0)); /* the build id says it, not the size */
	CHECK_INT((long long)count(&image, "main"), 1);
	CHECK(image.whole);
	symbols_release(&image.symbols);
	image = known;
	image.id.bytes[0] ^= 1;
	CHECK(hostfile_program(&image, true, "", self, (uint64_t)st.st_size));
	CHECK_INT((long long)image.symbols.n, 0); /* another program */
	image = known;
	CHECK(hostfile_program(&image, true, "/nowhere", self, (uint64_t)st.st_size));
	CHECK_INT((long long)image.symbols.n, 0);
	image = (struct elfimage){0};
	CHECK(!hostfile_program(&image, false, "", self, (uint64_t)st.st_size + 1));
	CHECK(!hostfile_program(&image, false, "/usr", "/../etc/passwd", 0));
	CHECK(!hostfile_program(&image, false, "", "/dev/zero", 0));
}

static void test_debug_file(void)
{
	struct elfimage image = without_symbols();
	char folder[5000], file[6000];
	size_t n = 0;

	(void)snprintf(folder, sizeof(folder), "%s/usr/lib/debug/.build-id/%02x", dir, image.id.bytes[0]);
	n = (size_t)snprintf(file, sizeof(file), "%s/", folder);
	for (unsigned i = 1; i < image.id.n; i++)
		n += (size_t)snprintf(file + n, sizeof(file) - n, "%02x", image.id.bytes[i]);
	(void)snprintf(file + n, sizeof(file) - n, ".debug");
	run("mkdir -p", folder, "");
	run("cp", self, file);
	CHECK(hostfile_program(&image, true, dir, "/no/such/program", 0));
	CHECK_INT((long long)count(&image, "main"), 1);
	symbols_release(&image.symbols);
}

static int read_text(struct kernel_file *f, const char *text)
{
	char path[5000];
	FILE *out;

	(void)snprintf(path, sizeof(path), "%s/System.map", dir);
	out = fopen(path, "w");
	if (!CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0))
		return -EIO;
	return kernel_file_read(f, path);
}

__attribute__((noinline)) static void test_map(void)
{
	struct kernel_file f;

	CHECK_INT(read_text(&f, "ffffffff81000010 t second\nffffffff81000000 T _text\n0000000000001000 D percpu\n"), 0);
	CHECK_INT((long long)f.table.n, 3);
	CHECK_STR(kallsyms_name(&f.table, &f.table.items[0]), "percpu");
	CHECK(kallsyms_find(&f.table, "_text")->address == 0xffffffff81000000);
	CHECK_INT(kallsyms_find(&f.table, "second")->type, 't');
	CHECK_INT(f.id.n, 0);
	kernel_file_release(&f);
	CHECK_INT(read_text(&f, ""), -EBADMSG);
	CHECK_INT(read_text(&f, "ffffffff81000010 t second\nno line of a map\n"), -EBADMSG);
	CHECK_INT(kernel_file_read(&f, "/nowhere"), -ENOENT);
	CHECK_INT(kernel_file_read(&f, "/dev/zero"), -EBADMSG);
}

/* Any program with symbols will do for a vmlinux. */
static void test_vmlinux(void)
{
	struct kernel_file f;
	struct elfimage known = without_symbols();

	CHECK_INT(kernel_file_read(&f, self), 0);
	CHECK(elfimage_same(&f.id, &known.id) && f.id.address > 0);
	CHECK_INT(kallsyms_find(&f.table, "main")->type, 'T');
	CHECK_INT(kallsyms_find(&f.table, "test_map")->type, 't');
	CHECK_INT(kallsyms_find(&f.table, "self")->type, 'd');
	kernel_file_release(&f);
}

int main(void)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)snprintf(dir, sizeof(dir), "%s.XXXXXX", "hostfile");
	if (!CHECK(n > 0 && stat(self, &st) == 0 && mkdtemp(dir)))
		return TAP_DONE();
	test_program();
	test_debug_file();
	test_map();
	test_vmlinux();
	run("rm -r", dir, "");
	return TAP_DONE();
}
