/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as text that any reader takes. */
#ifndef EXECTRACE_EXPORT_TEXT_H
#define EXECTRACE_EXPORT_TEXT_H

#include <exectrace/base/buf.h>
#include <exectrace/data/record.h>

/*
 * Adds text; control characters, bytes that are not UTF-8 and the character `refused` (0: none) become \xNN. 0 or
 * -ENOMEM.
 */
int text_append(struct buf *out, struct data_text text, char refused);

/* A string as a text. NULL: empty. */
struct data_text text_of(const char *string);

#endif
