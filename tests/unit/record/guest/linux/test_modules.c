/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules as they lie in a guest's memory: a struct module, its tables of symbols and names. */
#include "tap.h"
#include <elf.h>
#include <exectrace/record/guest/linux/modules.h>
#include <stdlib.h>

#define BASE 0xffffffffc0000000ull
#define MODULE 0x100 /* offsets into the memory */
#define TABLES 0x200
#define SYMBOLS 0x300
#define NAMES 0xf80 /* so that they go over the end of a page */
#define SIZE 0x2000

static const struct types types = {
	.modules = true,
	.module_name = 24,
	.module_kallsyms = 96,
	.kallsyms_symbols = 0,
	.kallsyms_count = 8,
	.kallsyms_names = 16,
};

static char memory[SIZE];

static bool read_memory(void *user, uint64_t address, void *to, size_t n)
{
	(void)user;
	if (address < BASE || address - BASE > SIZE || n > SIZE - (address - BASE))
		return false;
	memcpy(to, memory + (address - BASE), n);
	return true;
}

static const struct guest_memory guest = {read_memory, NULL};

static void put64(size_t at, uint64_t v)
{
	memcpy(memory + at, &v, sizeof(v));
}

/* Adds a symbol and its name; *names is where the next name goes. */
static void put_symbol(unsigned i, unsigned type, uint64_t address, const char *name, uint32_t *names)
{
	Elf64_Sym symbol = {.st_name = *names,
	                    .st_info = ELF64_ST_INFO(STB_LOCAL, type),
	                    .st_shndx = 1,
	                    .st_value = address,
	                    .st_size = 16};

	memcpy(memory + SYMBOLS + i * sizeof(symbol), &symbol, sizeof(symbol));
	strcpy(memory + NAMES + *names, name);
	*names += (uint32_t)strlen(name) + 1;
}

static void make(const char *name, uint64_t code)
{
	uint32_t names = 1;

	memset(memory, 0, sizeof(memory));
	strcpy(memory + MODULE + 24, name);
	put64(MODULE + 96, BASE + TABLES);
	put64(TABLES, BASE + SYMBOLS);
	put64(TABLES + 8, 6);
	put64(TABLES + 16, BASE + NAMES);
	put_symbol(1, STT_FUNC, code + 0x40, "second_function_with_a_name_that_is_longer_than_others", &names);
	put_symbol(2, STT_OBJECT, code + 0x48, "data", &names);
	put_symbol(3, STT_FUNC, code, "first", &names);
	put_symbol(4, STT_FUNC, code + 0x80,
	           "a_third_one_whose_name_goes_over_the_end_of_the_page_so_that_it_is_read"
	           "_in_two_parts_by_those_who_read_by_pages",
	           &names);
	put_symbol(5, STT_FUNC, code + 0x30, "__pfx_second", &names);
}

static void test_module(void)
{
	struct functions functions;
	struct modules modules = {0};
	struct function f;
	const struct module *m = NULL;

	(void)functions_init(&functions);
	make("loop", BASE + 0x10000);
	m = modules_add(&modules, &types, &guest, BASE + MODULE, &functions);
	if (!CHECK(m != NULL))
		return;
	CHECK_STR(m->origin->name, "[loop]");
	CHECK(m->start == BASE + 0x10000 && m->end > BASE + 0x10080);
	CHECK(modules_look(&modules, BASE + 0x10000, &f) && strcmp(f.name, "first") == 0 && f.size == 16);
	CHECK(modules_look(&modules, BASE + 0x10080, &f) && strlen(f.name) > 100);
	CHECK(!modules_look(&modules, BASE + 0x10048, &f)); /* data */
	CHECK(!modules_look(&modules, BASE + 0x10001, &f));
	CHECK(modules_look(&modules, BASE + 0x10036, &f) && f.address == BASE + 0x10040 && *f.name == 's');
	CHECK(!modules_look(&modules, BASE, &f));
	/* Another one at the same place, and one beside it. */
	make("next", BASE + 0x10080);
	CHECK(modules_add(&modules, &types, &guest, BASE + MODULE, &functions) != NULL);
	CHECK(!modules_look(&modules, BASE + 0x10000, &f));
	CHECK(modules_look(&modules, BASE + 0x10080, &f) && strcmp(f.name, "first") == 0);
	CHECK_STR(f.origin->name, "[next]");
	make("far", BASE + 0x20000);
	CHECK(modules_add(&modules, &types, &guest, BASE + MODULE, &functions) != NULL);
	CHECK(modules_look(&modules, BASE + 0x10080, &f) && modules_look(&modules, BASE + 0x20000, &f));
	CHECK_INT(modules.n, 3);
	modules_release(&modules);
	functions_release(&functions);
}

/* Memory that is not there, counts that cannot be. */
static void test_damage(void)
{
	struct functions functions;
	struct modules modules = {0};

	(void)functions_init(&functions);
	make("x", BASE + 0x10000);
	CHECK(!modules_add(&modules, &types, &guest, 0, &functions));
	put64(TABLES + 8, 1u << 30);
	CHECK(!modules_add(&modules, &types, &guest, BASE + MODULE, &functions));
	put64(TABLES + 8, 1000); /* beyond the memory */
	CHECK(!modules_add(&modules, &types, &guest, BASE + MODULE, &functions));
	put64(TABLES + 8, 0);
	CHECK(!modules_add(&modules, &types, &guest, BASE + MODULE, &functions));
	make("x", BASE + 0x10000);
	put64(TABLES + 16, 0x1000); /* no names */
	CHECK(!modules_add(&modules, &types, &guest, BASE + MODULE, &functions));
	make("x", UINT64_MAX - 0x81); /* at the end of all addresses */
	CHECK(modules_add(&modules, &types, &guest, BASE + MODULE, &functions) != NULL);
	modules_release(&modules);
	functions_release(&functions);
}

int main(void)
{
	test_module();
	test_damage();
	return TAP_DONE();
}
