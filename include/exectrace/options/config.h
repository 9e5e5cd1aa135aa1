/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of options: one option a line, with or without the leading "--", as name=value, name value or name. A line that
 * begins with # is a comment. Nothing is quoted: the value is the rest of the line without the blanks around it. Blanks
 * around the first = are allowed too, so a value that begins with = is written name==value. Lines end with \n or \r\n.
 */
#ifndef EXECTRACE_OPTIONS_CONFIG_H
#define EXECTRACE_OPTIONS_CONFIG_H

#include <exectrace/base/buf.h>
#include <stddef.h>

#define CONFIG_SIZE_MAX (16 << 20) /* bytes in a file */

/* One line that is an option. The strings last until the callback returns. */
struct config_item {
	const char *name;  /* without dashes; never empty */
	const char *value; /* "" when the line ends behind the =, NULL when there is neither = nor value */
	int line;          /* from 1 */
};

/* Called for each option in order. 0 to go on; -errno to stop, with a line in err that does not say where. */
typedef int config_fn(void *ctx, const struct config_item *item, struct buf *err);

/* Reads options from len bytes. 0; -EINVAL or what the callback returned, with "LINE: what" in err; -ENOMEM. */
int config_parse(const char *text, size_t len, config_fn *fn, void *ctx, struct buf *err);

/* Adds the content of a file (or pipe) to out. 0 or -errno; -EISDIR for a directory, -EFBIG above CONFIG_SIZE_MAX. */
int config_read(const char *path, struct buf *out);

#endif
