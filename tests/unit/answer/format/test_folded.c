/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks: order, sums, and names that would break the lines. */
#include "tap.h"

#include <exectrace/answer/format/folded.h>
#include <exectrace/base/cleanup.h>

#define TEXT(literal) ((struct data_text){literal, sizeof(literal) - 1})

static void weigh(struct folded *f, struct folded_stack stack, uint64_t weight)
{
	size_t number = 0;

	CHECK_INT(folded_stack(f, &stack, &number), 0);
	folded_add(f, number, weight);
}

static void lines_of(struct folded *f, struct buf *out)
{
	uint64_t weight;
	int r = 1;

	for (size_t i = 0; r > 0; i++)
		r = folded_line(f, i, out, &weight);
	CHECK_INT(r, 0);
}

/* What is small goes to one line for each root; nothing is lost. */
static void folds(void)
{
	static const struct data_text functions[] = {TEXT("main")};
	cleanup_buf struct buf out = BUF_INIT;
	struct folded *f;

	if (!CHECK_INT(folded_new(&f), 0))
		return;
	weigh(f, (struct folded_stack){TEXT("prog"), functions, 1, TEXT("read")}, 7);
	weigh(f, (struct folded_stack){TEXT("prog"), functions, 1, TEXT("write")}, 8);
	weigh(f, (struct folded_stack){TEXT("prog"), NULL, 0, TEXT("close")}, 2);
	weigh(f, (struct folded_stack){TEXT("a;b"), NULL, 0, TEXT("close")}, 1);
	CHECK_INT(folded_fold(f, 8), 0);
	lines_of(f, &out);
	CHECK_STR(out.data, "a\\x3bb;[folded] 1\nprog;[folded] 9\nprog;main;[write] 8\n");
	folded_free(f);
}

static void sums(void)
{
	static const struct data_text functions[] = {TEXT("inner"), TEXT("outer")};
	static const struct data_text others[] = {TEXT("outer"), TEXT("main")};
	cleanup_buf struct buf out = BUF_INIT;
	struct folded *f;

	if (!CHECK_INT(folded_new(&f), 0))
		return;
	weigh(f, (struct folded_stack){TEXT("prog"), functions, 2, TEXT("read")}, 7);
	weigh(f, (struct folded_stack){TEXT("prog"), NULL, 0, TEXT("read")}, 1);
	weigh(f, (struct folded_stack){TEXT("prog"), others, 2, TEXT("read")}, 5);
	weigh(f, (struct folded_stack){TEXT("a"), NULL, 0, TEXT("close")}, UINT64_MAX - 1);
	weigh(f, (struct folded_stack){TEXT("prog"), functions, 2, TEXT("read")}, 4);
	weigh(f, (struct folded_stack){TEXT("prog"), functions, 2, TEXT("write")}, 0);
	weigh(f, (struct folded_stack){TEXT("a"), NULL, 0, TEXT("close")}, 9);
	lines_of(f, &out);
	CHECK_STR(out.data, "a;[close] 18446744073709551615\n"
	                    "prog;[read] 1\n"
	                    "prog;main;outer;[read] 5\n"
	                    "prog;outer;inner;[read] 11\n");
	folded_free(f);
}

static void odd_names(void)
{
	static const struct data_text functions[] = {TEXT("in\nner 5"), TEXT("a;b\0c"), TEXT("ch\xc3\xa9, \xff\xc3")};
	cleanup_buf struct buf out = BUF_INIT;
	struct folded *f;

	if (!CHECK_INT(folded_new(&f), 0))
		return;
	weigh(f, (struct folded_stack){TEXT("#x"), functions, 3, TEXT("read")}, 3);
	weigh(f, (struct folded_stack){TEXT(""), NULL, 0, TEXT("a]\t\xc2\x85;")}, 3);
	lines_of(f, &out);
	CHECK_STR(out.data, "?;[a]\\x09\\xc2\\x85\\x3b] 3\n"
	                    "\\x23x;ch\xc3\xa9, \\xff\\xc3;a\\x3bb\\x00c;in\\x0aner 5;[read] 3\n");
	folded_free(f);
}

/* More than a table begins with. */
static void many(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct folded *f;
	char name[32];
	size_t lines = 0, number;

	if (!CHECK_INT(folded_new(&f), 0))
		return;
	for (int i = 0; i < 3000; i++) {
		struct folded_stack stack = {.root = {name, (size_t)snprintf(name, sizeof(name), "p%d", i % 1000)}};

		if (folded_stack(f, &stack, &number) || number != (size_t)(i % 1000))
			CHECK(false);
		folded_add(f, number, 1);
	}
	lines_of(f, &out);
	for (const char *at = out.data; at && (at = strchr(at, '\n')); at++)
		lines += memcmp(at - 2, " 3", 2) == 0;
	CHECK_INT((long long)lines, 1000);
	folded_free(f);
}

int main(void)
{
	sums();
	folds();
	odd_names();
	many();
	return TAP_DONE();
}
