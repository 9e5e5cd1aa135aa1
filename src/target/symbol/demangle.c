/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/symbol/demangle.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <string.h>

/* Where Debian puts it; its own name would be <demangle.h>. */
#include <libiberty/demangle.h>

#define NAME_MAX_BYTES 4096u

/* Names that are certainly not mangled spare us the library: Rust's and C++'s begin with one of these. */
static int may_be_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 || strncmp(name, "__Z", 3) == 0 ||
	       strncmp(name, "_GLOBAL_", 8) == 0;
}

static int demangle_as(struct buf *out, const char *name, int options)
{
	size_t n = strcspn(name, "@");
	cleanup_free char *plain = NULL;
	cleanup_buf struct buf bare = BUF_INIT;

	if (!may_be_mangled(name) || n > NAME_MAX_BYTES)
		return buf_puts(out, name);
	if (buf_append(&bare, name, n))
		return -ENOMEM;
	plain = cplus_demangle(bare.data, options | DMGL_ANSI | DMGL_AUTO);
	if (!plain)
		return buf_puts(out, name);
	return buf_puts(out, plain) ? -ENOMEM : buf_puts(out, name + n);
}

int demangle(struct buf *out, const char *name)
{
	return demangle_as(out, name, 0);
}

int demangle_whole(struct buf *out, const char *name)
{
	return demangle_as(out, name, DMGL_PARAMS);
}
