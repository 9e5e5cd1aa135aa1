/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define FILE_NAME "libsqlite3.so.0"

/* POSIX lets a pointer of dlsym be one of a function; ISO C has no conversion for that. */
static bool find(void *handle, const char *name, void *to, size_t n, struct buf *why)
{
	void *at = dlsym(handle, name);

	memcpy(to, &at, n);
	return at || (buf_printf(why, "%s has no %s", FILE_NAME, name), false);
}

int library_load(struct library *library, struct buf *why)
{
	void *handle = dlopen(FILE_NAME, RTLD_NOW);

	if (!handle) {
		(void)buf_printf(why, "SQLite is not installed (Debian: libsqlite3-0): %s", dlerror());
		return -ELIBACC;
	}
#define F(name)                                                                          \
	if (!find(handle, "sqlite3_" #name, &library->name, sizeof(library->name), why)) \
		return -ELIBACC;
	LIBRARY_FUNCTIONS(F)
#undef F
	return 0;
}
