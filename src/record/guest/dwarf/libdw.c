/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <dlfcn.h>
#include <pthread.h>

struct libdw dw;
static bool found;

static bool find(void *library, const char *name, void *function)
{
	void *address = dlsym(library, name); /* also in libelf, which it needs */

	*(void **)function = address;
	return address;
}

static void load(void)
{
	void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

#define LIBDW_FIND(name) &&find(library, #name, &dw.name)
	found = library LIBDW_FUNCTIONS(LIBDW_FIND);
#undef LIBDW_FIND
	if (found)
		found = dw.elf_version(EV_CURRENT) != EV_NONE;
}

const struct libdw *libdw(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, load);
	return found ? &dw : NULL;
}
