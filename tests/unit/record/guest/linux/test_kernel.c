/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel somewhere in a guest's memory, with symbols there, in a file, or in both. What is said of it goes to stderr.
 */
#include "kallsyms_image.h"
#include "tap.h"
#include <exectrace/record/guest/linux/kernel.h>
#include <exectrace/record/guest/linux/types.h>
#include <stdlib.h>
#include <unistd.h>

#define RAM_SIZE (32u << 20)
#define LINKED 0xffffffff81000000ull
#define SLIDE 0x1400000ull
#define PLACE (4u << 20) /* of the image in the memory */
#define BANNER 0x2000    /* in the image */
#define MAP "kernel-test.map"

static char *memory;
static struct ram ram;

/* A map with _text, the banner, and n functions that the image of the tests has, at the addresses of `base`. */
static void write_map(uint64_t base, unsigned n)
{
	FILE *out = fopen(MAP, "w");

	if (!CHECK(out != NULL))
		return;
	fprintf(out, "%016llx T _text\n%016llx D linux_banner\n", (unsigned long long)base + 16,
	        (unsigned long long)base + BANNER);
	fprintf(out, "%016llx T only_in_the_file\n0000000000001000 D percpu\n", (unsigned long long)base + 23);
	for (unsigned i = 2; i < n; i++) {
		uint64_t address;
		char type, name[400];

		image_symbol(i, &address, &type, name);
		fprintf(out, "%016llx %c %s\n", (unsigned long long)(address - IMAGE_BASE + base), type, name);
	}
	fclose(out);
}

static void begin(struct kernel *k, const char *file)
{
	memset(memory, 0, RAM_SIZE);
	*k = (struct kernel){.tries = 2, .file = file};
}

static bool find(struct kernel *k, uint64_t base)
{
	return kernel_find(k, &ram, base + 0x100, memory + PLACE + 0x100);
}

/* No symbols in the memory: the banner shows where the kernel is. */
static void test_file_alone(void)
{
	struct kernel k;
	struct function f;

	begin(&k, MAP);
	write_map(LINKED, IMAGE_SYMBOLS);
	CHECK(!find(&k, LINKED + SLIDE));
	strcpy(memory + PLACE + BANNER, "Linux version 6.1");
	if (!CHECK(find(&k, LINKED + SLIDE)))
		return;
	CHECK(k.start == LINKED + SLIDE + 16);
	CHECK(kallsyms_find(&k.table, "percpu")->address == 0x1000);
	CHECK_INT(kernel_look(&k, LINKED + SLIDE + 23, &f), KERNEL_FUNCTION);
	CHECK_STR(f.name, "only_in_the_file");
	kallsyms_release(&k.table);
}

/* The code by which the kernel is entered: what of it is a function, what an interrupt. */
static void test_entries(void)
{
	static const struct {
		const char *name;
		enum kernel_entry what;
	} entries[] = {
		{"__entry_text_start", KERNEL_NOTHING},
		{"asm_common_interrupt", KERNEL_INTERRUPT},
		{"asm_call_irq_on_stack", KERNEL_FUNCTION},
		{"asm_exc_page_fault", KERNEL_INTERRUPT},
		{"asm_exc_nmi", KERNEL_APART},
		{"asm_exc_nmi_kvm", KERNEL_INTERRUPT},
		{"asm_exc_debug", KERNEL_APART},
		{"asm_load_gs_index", KERNEL_FUNCTION},
		{"__switch_to_asm", KERNEL_FUNCTION},
		{"error_entry", KERNEL_NOTHING},
		{"entry_SYSCALL_64", KERNEL_NOTHING},
		{"__entry_text_end", KERNEL_FUNCTION},
		{"asm_outside", KERNEL_FUNCTION},
		{"__x86_return_thunk", KERNEL_NOTHING},
		{"__pi___x86_return_thunk", KERNEL_NOTHING},
		{"__pi_memcpy", KERNEL_FUNCTION},
		{"call_depth_return_thunk", KERNEL_NOTHING},
		{"its_return_thunk", KERNEL_NOTHING},
	};
	struct kernel k;
	struct function f;
	FILE *out = fopen(MAP, "w");

	if (!CHECK(out != NULL))
		return;
	fprintf(out, "%016llx T _text\n%016llx D linux_banner\n", LINKED, LINKED + BANNER);
	for (unsigned i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		fprintf(out, "%016llx t %s\n", LINKED + 0x3000 + i * 16, entries[i].name);
	fclose(out);
	begin(&k, MAP);
	strcpy(memory + PLACE + BANNER, "Linux version 5.10");
	if (!CHECK(find(&k, LINKED + SLIDE)))
		return;
	for (unsigned i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		CHECK_INT(kernel_look(&k, LINKED + SLIDE + 0x3000 + i * 16, &f), entries[i].what);
	CHECK_INT(kernel_look(&k, LINKED + SLIDE + 0x3018, &f), KERNEL_NOTHING);
	kallsyms_release(&k.table);
}

/* What is in front of a function, where a call that is counted begins, is its beginning, but of no label. */
static void test_padding(void)
{
	static const char *const names[] = {"_text",       "__pfx_padded", "padded", "__pfx_error_entry",
	                                    "error_entry", "next"};
	struct kernel k;
	struct function f;
	FILE *out = fopen(MAP, "w");

	if (!CHECK(out != NULL))
		return;
	fprintf(out, "%016llx D linux_banner\n", LINKED + BANNER);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(out, "%016llx t %s\n", LINKED + i * 16, names[i]);
	fclose(out);
	begin(&k, MAP);
	strcpy(memory + PLACE + BANNER, "Linux version 6.8");
	if (!CHECK(find(&k, LINKED + SLIDE)))
		return;
	for (unsigned at = 16; at <= 32; at += 4) {
		CHECK_INT(kernel_look(&k, LINKED + SLIDE + at, &f), KERNEL_FUNCTION);
		CHECK_STR(f.name, "padded");
		CHECK(f.address == LINKED + SLIDE + 32 && f.size == 16);
	}
	CHECK_INT(kernel_look(&k, LINKED + SLIDE + 36, &f), KERNEL_NOTHING);
	CHECK_INT(kernel_look(&k, LINKED + SLIDE + 54, &f), KERNEL_NOTHING);
	CHECK_INT(kernel_look(&k, LINKED + SLIDE + 74, &f), KERNEL_NOTHING);
	kallsyms_release(&k.table);
}

static void put_symbols(void)
{
	struct image image = {.layout = IMAGE_NEW};

	image_make(&image);
	memcpy(memory + PLACE + (1u << 20), image.bytes.data, image.bytes.len);
	buf_release(&image.bytes);
}

/* Symbols in the memory; the file has one more, or is another kernel's. */
static void test_both(void)
{
	struct kernel k;
	size_t n;

	begin(&k, NULL);
	put_symbols();
	CHECK(!find(&k, IMAGE_BASE - 0x1000)); /* no block of the kernel: it could be a module's */
	CHECK(k.table.n == 0 && k.tries == 1);
	if (!CHECK(find(&k, IMAGE_BASE)))
		return;
	CHECK(k.start == IMAGE_BASE + 16);
	n = k.table.n;
	kallsyms_release(&k.table);
	k = (struct kernel){.tries = 1, .file = MAP};
	write_map(LINKED, IMAGE_SYMBOLS);
	CHECK(find(&k, IMAGE_BASE) && k.table.n > n);
	CHECK(kallsyms_find(&k.table, "only_in_the_file")->address == IMAGE_BASE + 23);
	kallsyms_release(&k.table);
	k = (struct kernel){.tries = 1, .file = MAP};
	write_map(LINKED, IMAGE_SYMBOLS / 2);
	CHECK(find(&k, IMAGE_BASE) && k.table.n == n);
	kallsyms_release(&k.table);
	begin(&k, NULL);
	CHECK(!find(&k, IMAGE_BASE) && !find(&k, IMAGE_BASE) && !find(&k, IMAGE_BASE));
	CHECK_INT(k.tries, 0);
}

/* A block of the lower half, or outside the memory, is not looked at. */
static void test_no_kernel(void)
{
	struct kernel k;

	begin(&k, NULL);
	CHECK(!kernel_find(&k, &ram, 0x401000, memory + PLACE));
	CHECK(!kernel_find(&k, &ram, LINKED, memory + RAM_SIZE));
	CHECK_INT(k.tries, 2);
}

static void test_types(void)
{
	struct kernel k;
	struct types types = {.tasks = true};

	begin(&k, NULL);
	k.start = LINKED;
	k.host = (int64_t)((uintptr_t)memory + PLACE - LINKED);
	types_read(&types, &k, &ram, false);
	CHECK(!types.tasks && !types.files && !types.modules);
}

int main(void)
{
	memory = aligned_alloc(4096, RAM_SIZE);
	if (!CHECK(memory != NULL))
		return TAP_DONE();
	ram = (struct ram){.base = (uintptr_t)memory, .size = RAM_SIZE};
	test_file_alone();
	test_entries();
	test_padding();
	test_both();
	test_no_kernel();
	test_types();
	(void)unlink(MAP);
	free(memory);
	return TAP_DONE();
}
