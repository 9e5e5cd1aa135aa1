/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a hostile guest may have in its memory, as the plugin reads it: page tables, modules, files in the page cache,
 * the vdso. The input is that memory, again and again, so that any address leads somewhere. What must hold: no access
 * outside, and an end.
 */
#include "../unit/messages_types.h"
#include "expect.h"
#include <exectrace/record/guest/linux/arguments.h>
#include <exectrace/record/guest/linux/descriptors.h>
#include <exectrace/record/guest/linux/elfimage.h>
#include <exectrace/record/guest/linux/messages.h>
#include <exectrace/record/guest/linux/modules.h>
#include <exectrace/record/guest/linux/programs.h>
#include <stdlib.h>
#include <string.h>

#define RAM_SIZE (64u << 10)
#define BYTES_MAX (1u << 20) /* that are read for one input */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
	size_t left; /* bytes that may be read */
};

static bool read_input(void *user, uint64_t address, void *to, size_t n)
{
	struct input *in = user;

	if (n > in->left)
		return false;
	in->left -= n;
	for (size_t done = 0, part; done < n; done += part) {
		size_t at = (address + done) % in->size;

		part = in->size - at < n - done ? in->size - at : n - done;
		memcpy((char *)to + done, in->data + at, part);
	}
	return true;
}

static const struct types types = {
	.modules = true,
	.module_name = 24,
	.module_kallsyms = 8,
	.kallsyms_count = 8,
	.kallsyms_names = 16,
	.files = true,
	.page_size = 64,
	.page_mapping = 24,
	.page_index = 32,
	.mapping_host = 0,
	.mapping_root = 16,
	.node_shift = 0,
	.node_slots = 40,
	.inode_number = 64,
	.inode_size = 80,
	.inode_names = 88,
	MESSAGES_TYPES,
	.descriptors = true,
	.task_files = 8,
	.files_table = 32,
	.table_files = 8,
	.file_path = 16,
	.path_dentry = 8,
	.mount_public = 32,
	.mount_parent = 16,
	.mount_point = 24,
	.dentry_inode = 48,
	.dentry_alias = 8,
	.dentry_name = 40,
	.dentry_parent = 24,
};

static void modules(struct input *in)
{
	const struct guest_memory memory = {read_input, in};
	struct functions functions;
	struct modules all = {0};
	struct types types_kept;
	struct function f;

	if (functions_init(&functions))
		return;
	types_kept = types;
	types_kept.module_types = true;
	types_kept.module_btf_base = 40;
	if (btf_open(&types_kept.btf, in->data, in->size) == 0)
		modules_coming(&all, &types_kept, &memory, 8);
	for (uint64_t at = 0; at < 3; at++) {
		const struct module *m = modules_add(&all, &types, &memory, at * 8, &functions);

		if (m)
			(void)modules_look(&all, m->start, &f);
	}
	modules_release(&all);
	btf_close(types_kept.btf);
	functions_release(&functions);
}

/* Files of tasks: mounts and directories may lead anywhere, and in circles. */
static void descriptors(struct input *in)
{
	const struct guest_memory memory = {read_input, in};
	struct descriptors all = {0};

	in->left = BYTES_MAX;
	for (uint32_t fd = 0; fd < 4; fd++) {
		const char *name = descriptors_find(&all, &types, &memory, fd * 8 + 1, fd);

		if (name)
			(void)strlen(name);
	}
	descriptors_release(&all);
}

/* Records of the kernel's log, one after the other, each final or not. */
static void messages(struct input *in)
{
	const struct guest_memory memory = {read_input, in};
	struct message_open open = {0};

	in->left = BYTES_MAX;
	for (uint64_t entry = 0; entry < 16; entry++) {
		struct message_open committed = {0};
		struct message_told told;

		committed.message = message_read(&types, &memory, entry * 8, 0, &committed.id);
		if (!committed.message)
			continue;
		expect(committed.message->size <= MESSAGE_MAX && committed.message->level <= DATA_LEVEL_MAX);
		told = message_commit(&open, &committed, entry % 3 == 0);
		free(told.before);
		free(told.now);
	}
	free(open.message);
}

/* The input as types, and as what arguments of these lead to. */
static void arguments(struct input *in)
{
	const struct guest_memory memory = {read_input, in};
	static const uint64_t registers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	struct arguments *a = NULL;
	struct btf *btf = NULL;

	in->left = BYTES_MAX;
	if (btf_open(&btf, in->data, in->size))
		return;
	for (unsigned depth = 0; depth <= ARGUMENTS_DEPTH_MAX; depth += 4) {
		a = arguments_of(btf, "paint");
		if (a) {
			ring_values_drop(arguments_read(a, registers, &memory, depth));
			if (a->result.place != ARGUMENT_NOWHERE)
				ring_values_drop(arguments_read_result(a, registers, &memory, depth));
			free(a->signature);
		}
		free(a);
	}
	btf_close(btf);
}

static void elf(struct input *in)
{
	const struct elf_source file = {read_input, in};
	struct elfimage image;

	in->left = BYTES_MAX;
	if (elfimage_read(&image, &file))
		(void)elfimage_address(&image, 100);
	symbols_release(&image.symbols);
}

static void programs(struct input *in)
{
	char *memory = aligned_alloc(4096, RAM_SIZE);
	struct ram ram = {.base = (uintptr_t)memory, .size = RAM_SIZE};
	struct pages pages = {.ram = &ram, .root = (uintptr_t)memory, .levels = 4, .low = RAM_SIZE};
	struct functions functions;
	struct kallsym symbol = {0};
	struct kernel kernel = {.table = {.items = &symbol, .n = 1, .names = (char[]){""}},
	                        .start = 1ull << 63,
	                        .end = (1ull << 63) + RAM_SIZE};
	const struct programs_context context = {&types, &pages, &functions, &kernel, "/nowhere"};
	struct programs all = {0};
	struct program_place place;
	struct function f;
	uint8_t bytes[16];

	if (!memory || functions_init(&functions)) {
		free(memory);
		return;
	}
	in->left = RAM_SIZE;
	(void)read_input(in, 0, memory, RAM_SIZE);
	memcpy(&pages.memmap, memory, sizeof(pages.memmap));
	pages.memmap |= 1ull << 63;
	kernel.host = (int64_t)((uintptr_t)memory - kernel.start);
	for (uint64_t physical = 0; physical < 3 * 4096; physical += 4096) {
		if (!programs_find(&all, &context, physical, &place))
			continue;
		(void)program_function(&place, &f);
		(void)programs_read(&context, &place, bytes, sizeof(bytes));
	}
	programs_release(&all);
	functions_release(&functions);
	free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {.data = data, .size = size, .left = BYTES_MAX};

	if (!size)
		return 0;
	modules(&in);
	descriptors(&in);
	messages(&in);
	arguments(&in);
	elf(&in);
	programs(&in);
	return 0;
}
