/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms_image.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/target/symbol/kallsyms.h>
#include <stdlib.h>

static int read_image(struct image *image, struct kallsyms *table)
{
	struct kallsyms_memory memory = {image->bytes.len, IMAGE_ADDRESS, image, image_read};

	return kallsyms_read(&memory, table);
}

/* How many of the symbols that were put in came out, each at its place in the order. */
static unsigned right(const struct kallsyms *table, bool count_up)
{
	unsigned n = 0;

	for (unsigned i = 0; i < IMAGE_SYMBOLS && i < table->n; i++) {
		uint64_t address;
		char type, name[400];

		image_symbol(i, &address, &type, name);
		if (count_up && address < IMAGE_BASE)
			address = IMAGE_BASE;
		n += table->items[i].address == address && table->items[i].type == type &&
		     strcmp(kallsyms_name(table, &table->items[i]), name) == 0;
	}
	return n;
}

static void test_layout(enum image_layout layout, bool count_up, size_t gap)
{
	struct image image = {.layout = layout, .count_up = count_up, .gap = gap};
	struct kallsyms table;

	image_make(&image);
	CHECK_INT(read_image(&image, &table), 0);
	CHECK_INT((long long)table.n, IMAGE_SYMBOLS);
	CHECK_INT(right(&table, count_up), IMAGE_SYMBOLS);
	kallsyms_release(&table);
	buf_release(&image.bytes);
}

/* Where the memory is has to be known for one layout. */
static void test_address(void)
{
	struct image image = {.layout = IMAGE_PLACE};
	struct kallsyms_memory memory = {0, 0, &image, image_read};
	struct kallsyms table;

	image_make(&image);
	memory.size = image.bytes.len;
	CHECK_INT(kallsyms_read(&memory, &table), -ENOENT);
	memory.address = IMAGE_ADDRESS + 8;
	CHECK_INT(kallsyms_read(&memory, &table), -ENOENT);
	memory.address = IMAGE_ADDRESS;
	CHECK_INT(kallsyms_read(&memory, &table), 0);
	kallsyms_release(&table);
	buf_release(&image.bytes);
}

static void test_lookup(void)
{
	struct image image = {.layout = IMAGE_OLD};
	struct kallsyms table;
	const struct kallsym *symbol;

	image_make(&image);
	if (!CHECK(read_image(&image, &table) == 0))
		return;
	symbol = kallsyms_lookup(&table, IMAGE_BASE + 13 * 16 + 5);
	CHECK_STR(kallsyms_name(&table, symbol) + strlen(kallsyms_name(&table, symbol)) - 6, "_end13");
	CHECK_INT((long long)(kallsyms_end(&table, symbol) - symbol->address), 32); /* 14 is where 13 is */
	symbol = kallsyms_lookup(&table, IMAGE_BASE + 11 * 16);
	CHECK_STR(kallsyms_name(&table, symbol), "sys_function_11");
	CHECK_INT((long long)(kallsyms_end(&table, symbol) - symbol->address), 16);
	CHECK_STR(kallsyms_name(&table, kallsyms_function(&table, IMAGE_BASE + 12 * 16)), "sys_function_11");
	CHECK(kallsyms_lookup(&table, 0xfff) == NULL);
	CHECK_STR(kallsyms_name(&table, kallsyms_lookup(&table, UINT64_MAX)), "sys_function_1499");
	symbol = kallsyms_find(&table, "sys_function_1000");
	CHECK(symbol && symbol->address == IMAGE_BASE + 1000 * 16);
	CHECK(kallsyms_find(&table, "sys_function_") == NULL);
	kallsyms_release(&table);
	buf_release(&image.bytes);
}

/* Whatever is cut off or broken: no table, or one that is whole. */
static void test_damage(void)
{
	struct image image = {.layout = IMAGE_SEQUENCE};
	struct kallsyms table;
	unsigned found = 0, wrong = 0;

	image_make(&image);
	for (size_t cut = 0; cut < image.bytes.len; cut += 97) {
		struct kallsyms_memory memory = {cut, IMAGE_ADDRESS, &image, image_read};
		int rc = kallsyms_read(&memory, &table);

		found += rc == 0;
		wrong += rc == 0 ? right(&table, false) != IMAGE_SYMBOLS : rc != -ENOENT || table.items || table.names;
		kallsyms_release(&table);
	}
	CHECK(found > 0);
	CHECK_INT(wrong, 0);
	image.bytes.data[image.bytes.len - 100 * 8 - 2] = 0; /* the last token's index */
	CHECK_INT(read_image(&image, &table), -ENOENT);
	buf_release(&image.bytes);
}

/* Those of a file, moved, beside those that are there. */
static void test_merge(void)
{
	struct kallsym here[] = {{0x1000, 0, 'D', false}, {IMAGE_BASE, 7, 'T', false}};
	struct kallsym there[] = {{0x1000, 0, 'D', false},
	                          {0x2000, 7, 'D', false},
	                          {0x81000000, 13, 'T', false},
	                          {0x81000010, 19, 't', false}};
	struct kallsyms table = {.n = 2, .names_size = 13}, more = {there, 4, (char *)"percpu\0other\0_text\0f", 21};

	table.items = malloc(sizeof(here));
	table.names = malloc(13);
	if (!CHECK(table.items && table.names))
		return;
	memcpy(table.items, here, sizeof(here));
	memcpy(table.names, "percpu\0_text", 13);
	CHECK_INT(kallsyms_merge(&table, &more, 0x80000000, IMAGE_BASE - 0x81000000), 0);
	CHECK_INT((long long)table.n, 4);
	CHECK_STR(kallsyms_name(&table, &table.items[1]), "other");
	CHECK(kallsyms_find(&table, "other")->address == 0x2000);
	CHECK(kallsyms_find(&table, "f")->address == IMAGE_BASE + 0x10);
	CHECK(kallsyms_at(&table, IMAGE_BASE, "_text") && !kallsyms_at(&table, IMAGE_BASE, "f"));
	CHECK(!kallsyms_at(&table, IMAGE_BASE + 1, "_text"));
	kallsyms_release(&table);
}

static int parse(const char *text, struct kallsyms *table)
{
	return kallsyms_parse(text, strlen(text), table);
}

/* What other programs make of such lines. */
static void test_line(void)
{
	static const char text[] = "C0008000  T\t start  [mod]\r";
	struct kallsyms_line line;

	CHECK(kallsyms_line(text, text + sizeof(text) - 1, &line));
	CHECK(line.address == 0xc0008000 && line.type == 'T');
	CHECK(line.name_bytes == 5 && memcmp(line.name, "start", 5) == 0);
	CHECK(line.module_bytes == 3 && memcmp(line.module, "mod", 3) == 0);
	/* Cut anywhere, nothing is read behind the end. */
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *cut = malloc(n + 1);

		memcpy(cut, text, n);
		if (kallsyms_line(cut, cut + n, &line) != (n > 13) || line.name_bytes > 5 ||
		    (n < sizeof(text) - 2 && line.module_bytes))
			CHECK_INT((long long)n, -1);
		free(cut);
	}
}

static void test_text(void)
{
	static const char *const bad[] = {"",
	                                  "\n",
	                                  "0",
	                                  "ffff T\n",
	                                  "ffff T \n",
	                                  "x T a\n",
	                                  "ffff  a\n",
	                                  "12345678901234567 T a\n",
	                                  "ff T a\n\nff T b\n"};
	struct kallsyms table;
	const struct kallsym *symbol;

	CHECK_INT(parse("ffffffff81000100 T two\nffffffff81000000 t one\nffffffff81000080 D data\n"
	                "ffffffffc0000000 t init\t[mod]",
	                &table),
	          0);
	CHECK_INT((long long)table.n, 4);
	symbol = kallsyms_function(&table, 0xffffffff810000ff);
	CHECK_STR(symbol ? kallsyms_name(&table, symbol) : NULL, "one");
	CHECK_STR(symbol ? kallsyms_module(&table, symbol) : NULL, "");
	CHECK_INT((long long)(kallsyms_end(&table, symbol) - symbol->address), 0x80);
	symbol = kallsyms_function(&table, 0xffffffffc0000123);
	CHECK_STR(symbol ? kallsyms_name(&table, symbol) : NULL, "init");
	CHECK_STR(symbol ? kallsyms_module(&table, symbol) : NULL, "mod");
	CHECK(!kallsyms_function(&table, 0xffffffff80ffffff));
	kallsyms_release(&table);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(parse(bad[i], &table) == -EBADMSG && !table.items && !table.names);
	CHECK_INT(kallsyms_parse("ff T a\0b\n", 9, &table), -EBADMSG);
	CHECK_INT(parse("0 T one\n0000000000000000 T two\n", &table), -EACCES);
}

int main(void)
{
	test_line();
	test_text();
	test_layout(IMAGE_OLD, false, 0);
	test_layout(IMAGE_SEQUENCE, false, 0);
	test_layout(IMAGE_NEW, false, 0);
	test_layout(IMAGE_OLD, true, 0);
	test_layout(IMAGE_NEW, true, 0);
	test_layout(IMAGE_PLACE, true, 0);
	test_layout(IMAGE_OLD, false, 5 << 20); /* more than is looked at first */
	test_address();
	test_lookup();
	test_damage();
	test_merge();
	return TAP_DONE();
}
