/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++ and Rust as people write them. */
#ifndef EXECTRACE_TARGET_SYMBOL_DEMANGLE_H
#define EXECTRACE_TARGET_SYMBOL_DEMANGLE_H

#include <exectrace/base/buf.h>

/*
 * Adds the readable form of a symbol's name to out, without parameters ("ns::thing::size"); the name as it is when it
 * is not mangled, or longer than 4096 bytes. What comes behind an @ (a version, "@plt") stays. 0 or -ENOMEM.
 */
int demangle(struct buf *out, const char *name);

/* Likewise, with parameters ("ns::thing::size() const"). */
int demangle_whole(struct buf *out, const char *name);

#endif
