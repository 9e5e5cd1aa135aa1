/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The types of a kernel as it carries them in its own memory (BTF, Documentation/bpf/btf.rst): where in a structure a
 * member is. The bytes may be anything; every offset in them is checked.
 */
#ifndef EXECTRACE_TARGET_SYMBOL_BTF_H
#define EXECTRACE_TARGET_SYMBOL_BTF_H

#include <stddef.h>
#include <stdint.h>

struct btf;

/* Takes n bytes apart, which are the caller's and have to stay. 0 with *ret set; -EBADMSG: they are no BTF; -ENOMEM. */
int btf_open(struct btf **ret, const void *bytes, size_t n);

/* Frees it. NULL is allowed. */
void btf_close(struct btf *btf);

/*
 * Where a member of a structure is, in bytes from its beginning. path: names with dots between them, "mm.pgd"; members
 * of structures and unions without a name are found as those of what they are in. 0 with *offset set; -ENOENT: no such
 * structure or member; -EINVAL: a bit field.
 */
int btf_member(const struct btf *btf, const char *structure, const char *path, uint32_t *offset);

/* How many bytes a structure or union has; 0: there is none of that name. */
uint32_t btf_size(const struct btf *btf, const char *structure);

#endif
