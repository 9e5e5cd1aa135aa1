/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules of the guest's kernel, and their functions. */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_MODULES_H
#define EXECTRACE_RECORD_GUEST_LINUX_MODULES_H

#include <exectrace/record/guest/core/functions.h>
#include <exectrace/record/guest/linux/memory.h>
#include <exectrace/record/guest/linux/symbols.h>
#include <exectrace/record/guest/linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#define MODULES_MAX 4096

/* The types of a module. */
struct module_types {
	struct btf *base, *btf; /* base: that they build on; NULL: not known, or the kernel's */
	char *base_bytes, *btf_bytes;
};

struct module {
	struct module *next;
	struct origin *origin;
	uint64_t start, end;    /* from the first to the end of the last of its functions */
	bool gone;              /* another module is there now */
	struct symbols symbols; /* functions have its names: they stay */
	struct module_types types;
};

struct modules {
	struct module *first;
	unsigned n;
	struct module_types coming; /* of a module that is being loaded, ... */
	uint64_t coming_address;    /* ... at this address; 0: of none */
};

/* Reads the struct module at an address; modules that were at the same place have gone. NULL: it could not be read. */
const struct module *modules_add(struct modules *modules, const struct types *types, const struct guest_memory *memory,
                                 uint64_t address, struct functions *functions);

/*
 * The types of the module at an address, while its file is in memory: they are kept until it is added. Not without
 * types->btf.
 */
void modules_coming(struct modules *modules, const struct types *types, const struct guest_memory *memory,
                    uint64_t address);

/* The function of a module that begins at an address, in *function. */
bool modules_look(const struct modules *modules, uint64_t address, struct function *function);

/* Frees all, names too. */
void modules_release(struct modules *modules);

#endif
