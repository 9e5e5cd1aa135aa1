/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types made by hand, and those of the kernel that runs here: the compiler knows as well where members are. */
#include "btf_made.h"
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

static void test_functions(void)
{
	struct btf_member_value value;
	struct btf_value result;
	struct made m;
	struct btf *btf = NULL;
	const char *word = "";
	int64_t number = 0;

	make_functions(&m);
	if (!CHECK(btf_open(&btf, m.all.data, m.all.len) == 0))
		return;
	CHECK_INT(btf_function(btf, "paint"), MADE_PAINT);
	CHECK_INT(btf_function(btf, "store"), MADE_STORE);
	CHECK_INT(btf_function(btf, "make"), MADE_MAKE);
	CHECK_INT(btf_function(btf, "pain"), 0);
	CHECK_INT(btf_function(btf, "inner"), 0);
	CHECK(btf_argument(btf, MADE_PAINT, 1, &value));
	CHECK_STR(value.name, "name");
	CHECK_INT(value.value.class, BTF_CLASS_POINTER);
	btf_value(btf, value.value.target, &result);
	CHECK(result.class == BTF_CLASS_CHAR && result.constant);
	CHECK(!btf_argument(btf, MADE_PAINT, 7, &value) && !btf_argument(btf, MADE_INT, 0, &value));
	btf_result(btf, MADE_PAINT, &result);
	CHECK(result.class == BTF_CLASS_SIGNED && result.size == 4);
	btf_result(btf, MADE_STORE, &result);
	CHECK_INT(result.class, BTF_CLASS_VOID);
	CHECK(btf_field(btf, MADE_INNER, 1, &value) && value.bit == 32 && value.bit_size == 3);
	CHECK(!btf_field(btf, MADE_INNER, 4, &value) && !btf_field(btf, MADE_COLOR, 0, &value));
	CHECK(btf_enumerator(btf, MADE_COLOR, 2, &word, &number) && number == -1);
	CHECK_STR(word, "ODD");
	CHECK(!btf_enumerator(btf, MADE_COLOR, 3, &word, &number));
	btf_close(btf);
	release(&m);
}

/* A module's types: numbers and names go on where those of its kernel end. */
static void test_split(void)
{
	struct btf *base = NULL, *btf = NULL;
	struct btf_member_value value;
	struct made m, own = {0};
	uint32_t names;

	make_functions(&m);
	names = (uint32_t)m.names.len;
	(void)name(&own, "");
	put(&own, names + name(&own, "card"), INFO(BTF_KIND_STRUCT, 1, 0), 4);
	put(&own, 1, MADE_INT, 0); /* a name of the kernel's: "int" */
	put(&own, 0, INFO(BTF_KIND_PTR, 0, 0), MADE_TYPES + 1);
	put(&own, 0, INFO(BTF_KIND_FUNC_PROTO, 1, 0), MADE_INT);
	argument(&own, "", 0); /* its words come next */
	own.types.len -= 8;
	more(&own, names + name(&own, "card_of"));
	more(&own, MADE_TYPES + 2);
	put(&own, names + name(&own, "probe"), INFO(BTF_KIND_FUNC, 0, 0), MADE_TYPES + 3);
	assemble(&own);
	if (!CHECK(btf_open(&base, m.all.data, m.all.len) == 0 &&
	           btf_open_split(&btf, base, own.all.data, own.all.len) == 0))
		return;
	CHECK_INT(btf_function(btf, "probe"), MADE_TYPES + 3);
	CHECK_INT(btf_function(btf, "paint"), 0);
	CHECK(btf_argument(btf, MADE_TYPES + 3, 0, &value) && value.value.class == BTF_CLASS_POINTER);
	CHECK_STR(value.name, "card_of");
	CHECK(btf_field(btf, value.value.target, 0, &value) && value.value.class == BTF_CLASS_SIGNED);
	CHECK_STR(value.name, "int");
	CHECK(btf_argument(btf, MADE_PAINT, 0, &value));
	CHECK(!btf_argument(btf, MADE_TYPES + 9, 0, &value));
	btf_close(btf);
	btf_close(base);
	release(&own);
	release(&m);
}

int main(void)
{
	test_functions();
	test_split();
	test_members();
	test_damage();
	test_knot();
	test_real();
	return TAP_DONE();
}
