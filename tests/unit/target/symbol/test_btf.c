/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types made by hand, and those of the kernel that runs here: the compiler knows as well where members are. */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/target/symbol/btf.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct made {
	struct buf types, names, all;
};

static uint32_t name(struct made *m, const char *text)
{
	uint32_t at = (uint32_t)m->names.len;

	(void)buf_append(&m->names, text, strlen(text) + 1);
	return *text ? at : 0;
}

static void put(struct made *m, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t words[3] = {a, b, c};

	(void)buf_append(&m->types, words, sizeof(words));
}

/* Puts a header in front. */
static void assemble(struct made *m)
{
	struct btf_header header = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(header)};

	header.type_len = (uint32_t)m->types.len;
	header.str_off = header.type_len;
	header.str_len = (uint32_t)m->names.len;
	m->all.len = 0;
	(void)buf_append(&m->all, &header, sizeof(header));
	(void)buf_append(&m->all, m->types.data, m->types.len);
	(void)buf_append(&m->all, m->names.data, m->names.len);
}

#define INFO(kind, n, flag) ((uint32_t)(kind) << 24 | (uint32_t)(flag) << 31 | (n))

/*
 * 1 int; 2 struct inner { int a; int b; }; 3 typedef inner_t; 4 union { inner_t u; int v; }; 5 const 4;
 * 6 struct outer { int first; const union { ... }; int bits : 3; inner_t in; }
 */
static void make(struct made *m)
{
	const uint32_t of_int = 32;

	memset(m, 0, sizeof(*m));
	(void)name(m, "");
	put(m, name(m, "int"), INFO(BTF_KIND_INT, 0, 0), 4);
	(void)buf_append(&m->types, &of_int, sizeof(of_int));
	put(m, name(m, "inner"), INFO(BTF_KIND_STRUCT, 2, 0), 8);
	put(m, name(m, "a"), 1, 0);
	put(m, name(m, "b"), 1, 32);
	put(m, name(m, "inner_t"), INFO(BTF_KIND_TYPEDEF, 0, 0), 2);
	put(m, 0, INFO(BTF_KIND_UNION, 2, 0), 8);
	put(m, name(m, "u"), 3, 0);
	put(m, name(m, "v"), 1, 0);
	put(m, 0, INFO(BTF_KIND_CONST, 0, 0), 4);
	put(m, name(m, "outer"), INFO(BTF_KIND_STRUCT, 4, 1), 24);
	put(m, name(m, "first"), 1, 0);
	put(m, 0, 5, 32);
	put(m, name(m, "bits"), 1, 3u << 24 | 96);
	put(m, name(m, "in"), 3, 128);
	assemble(m);
}

static void release(struct made *m)
{
	buf_release(&m->types);
	buf_release(&m->names);
	buf_release(&m->all);
}

/* The offset, or the error. */
static long at(const struct btf *btf, const char *structure, const char *path)
{
	uint32_t offset = 0;
	int rc = btf_member(btf, structure, path, &offset);

	return rc ? rc : (long)offset;
}

static void test_members(void)
{
	struct made m;
	struct btf *btf = NULL;

	make(&m);
	if (!CHECK(btf_open(&btf, m.all.data, m.all.len) == 0))
		return;
	CHECK_INT(at(btf, "inner", "a"), 0);
	CHECK_INT(at(btf, "inner", "b"), 4);
	CHECK_INT(at(btf, "outer", "first"), 0);
	CHECK_INT(at(btf, "outer", "u"), 4);
	CHECK_INT(at(btf, "outer", "v"), 4);
	CHECK_INT(at(btf, "outer", "u.b"), 8);
	CHECK_INT(at(btf, "outer", "in.b"), 20);
	CHECK_INT(at(btf, "outer", "bits"), -EINVAL);
	CHECK_INT(at(btf, "outer", "b"), -ENOENT);
	CHECK_INT(at(btf, "outer", "first.a"), -ENOENT);
	CHECK_INT(at(btf, "inner_t", "a"), -ENOENT);
	CHECK_INT(at(btf, "nothing", "a"), -ENOENT);
	CHECK_INT(at(btf, "inner", "aa"), -ENOENT);
	CHECK_INT(btf_size(btf, "inner"), 8);
	CHECK_INT(btf_size(btf, "outer"), 24);
	CHECK_INT(btf_size(btf, "inner_t"), 0);
	CHECK_INT(btf_size(btf, "nothing"), 0);
	btf_close(btf);
	release(&m);
}

static void test_damage(void)
{
	struct made m;
	unsigned wrong = 0;

	make(&m);
	for (size_t n = 0; n < m.all.len; n++) {
		struct btf *btf = NULL;
		void *exact = malloc(n + 1); /* so that a tool sees what is read behind it */

		memcpy(exact, m.all.data, n);
		wrong += btf_open(&btf, exact, n) != -EBADMSG;
		btf_close(btf);
		free(exact);
	}
	CHECK_INT(wrong, 0);
	btf_close(NULL);
	release(&m);
}

/* A union that holds itself, without a name, a thousand times: the search ends. */
static void test_knot(void)
{
	struct made m;
	struct btf *btf = NULL;

	make(&m);
	put(&m, name(&m, "knot"), INFO(BTF_KIND_UNION, 1000, 0), 8);
	for (int i = 0; i < 1000; i++)
		put(&m, 0, 7, 0);
	assemble(&m);
	if (CHECK(btf_open(&btf, m.all.data, m.all.len) == 0)) {
		CHECK_INT(at(btf, "knot", "a"), -ENOENT);
		CHECK_INT(at(btf, "inner", "b"), 4);
	}
	btf_close(btf);
	release(&m);
}

/* The running kernel's: struct sembuf is one of its interface, which never changes. */
static void test_real(void)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct btf *btf = NULL;
	struct stat st = {0};
	char *bytes = NULL;
	ssize_t n = 0, r = 1;

	if (fd < 0 || fstat(fd, &st) || !(bytes = malloc((size_t)st.st_size))) {
		printf("# no types of the running kernel here\n");
		return;
	}
	while (n < st.st_size && (r = read(fd, bytes + n, (size_t)(st.st_size - n))) > 0)
		n += r;
	if (CHECK(btf_open(&btf, bytes, (size_t)n) == 0)) {
		CHECK_INT(at(btf, "timespec64", "tv_nsec"), 8);
		CHECK_INT(at(btf, "pt_regs", "sp"), 152);
		CHECK(at(btf, "task_struct", "comm") > 100);
		CHECK(at(btf, "task_struct", "mm.pgd") == -ENOENT); /* a pointer is no structure */
		CHECK(at(btf, "page", "mapping") >= 0);             /* in a union without a name */
	}
	btf_close(btf);
	free(bytes);
	close(fd);
}

int main(void)
{
	test_members();
	test_damage();
	test_knot();
	test_real();
	return TAP_DONE();
}
