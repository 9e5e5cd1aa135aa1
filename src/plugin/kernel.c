/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel.h"

#include <string.h>

/* Symbols are at most this far from the code that runs first. */
#define BELOW (64u << 20)
#define ABOVE (96u << 20)

struct image {
	const struct ram *ram;
	uintptr_t host; /* of offset 0 */
};

static bool read_image(void *user, uint64_t offset, void *to, size_t n)
{
	const struct image *image = user;

	return ram_read(image->ram, image->host + offset, to, n);
}

static uint64_t address_of(const struct kernel *k, const char *name)
{
	const struct kallsym *symbol = kallsyms_find(&k->table, name);

	return symbol ? symbol->address : 0;
}

bool kernel_find(struct kernel *k, const struct ram *ram, uint64_t address, const void *host)
{
	uint64_t at = (uintptr_t)host - ram->base, start;
	struct image image = {.ram = ram};
	struct kallsyms_memory memory = {.user = &image, .read = read_image};

	if (k->table.n || !k->tries || !kernel_address(address) || !ram_holds(ram, (uintptr_t)host, 1))
		return false;
	k->tries--;
	start = at > BELOW ? (at - BELOW) & ~4095ull : 0;
	image.host = ram->base + start;
	memory.size = (at + ABOVE < ram->size ? at + ABOVE : ram->size) - start;
	if (kallsyms_read(&memory, &k->table))
		return false;
	k->host = (int64_t)((uintptr_t)host - address);
	k->start = address_of(k, "_text");
	k->end = address_of(k, "_end");
	k->entry_start = address_of(k, "__entry_text_start");
	k->entry_end = address_of(k, "__entry_text_end");
	k->has_fork_asm = address_of(k, "ret_from_fork_asm") != 0;
	return true;
}

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Code that is jumped to, or leaves its own return address to somebody else. */
static bool is_label(const struct kernel *k, const char *name)
{
	static const char *const labels[] = {"__x86_",    "error_entry", "paranoid_entry",   "early_idt_handler",
	                                     "retbleed_", "srso_",       "ret_from_fork_asm"};

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		if (begins(name, labels[i]))
			return true;
	}
	return !k->has_fork_asm && strcmp(name, "ret_from_fork") == 0;
}

enum kernel_entry kernel_look(const struct kernel *k, uint64_t address, struct function *function)
{
	const struct kallsym *symbol = kallsyms_function(&k->table, address);
	const char *name = symbol ? kallsyms_name(&k->table, symbol) : NULL;

	if (!symbol || symbol->address != address || is_label(k, name))
		return KERNEL_NOTHING;
	*function = (struct function){
		.origin = k->origin,
		.address = address,
		.size = kallsyms_end(&k->table, symbol) - address,
		.name = name,
	};
	if (address < k->entry_start || address >= k->entry_end)
		return KERNEL_FUNCTION;
	if (begins(name, "asm_") && strcmp(name, "asm_load_gs_index") != 0)
		return KERNEL_INTERRUPT;
	return strcmp(name, "__switch_to_asm") == 0 || strcmp(name, "asm_load_gs_index") == 0 ? KERNEL_FUNCTION
	                                                                                      : KERNEL_NOTHING;
}
