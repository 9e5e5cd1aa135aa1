/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types as they lie in the bytes of BTF (include/uapi/linux/btf.h), one behind the other. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_DWARF_EMIT_H
#define EXECTRACE_SRC_RECORD_GUEST_DWARF_EMIT_H

#include "private.h"

#define EMIT_POINTER 8        /* bytes of a pointer */
#define EMIT_MEMBERS_MAX 4096 /* more of them are left out */

struct emit {
	struct buf types, names;
};

/* A member, a parameter or an enumerator. */
struct emit_member {
	uint32_t name, type;
	uint64_t value; /* of an enumerator; of a member the bit where it begins */
	uint32_t bits;  /* of a bit field; 0: it is none */
};

struct emit_list {
	struct emit_member *items;
	size_t n, cap;
};

/* 0; -ENOMEM; -E2BIG: there are too many. */
int emit_list_add(struct emit_list *list, const struct emit_member *item);

/* Makes the first type, TYPES_UNKNOWN. */
void emit_begin(struct emit *e);
void emit_release(struct emit *e);

/* The offset of a name. NULL: it has none. */
uint32_t emit_name(struct emit *e, const char *name);

/* One type each. */
void emit_unknown(struct emit *e);
void emit_number(struct emit *e, const char *name, uint32_t encoding, uint32_t size);
void emit_sized(struct emit *e, const char *name, uint32_t kind, uint32_t size);
void emit_other(struct emit *e, const char *name, uint32_t kind, uint32_t type);
void emit_array(struct emit *e, uint32_t type, uint32_t count);
void emit_enum(struct emit *e, const char *name, uint32_t size, const struct emit_list *list);
void emit_structure(struct emit *e, bool is_union, const char *name, uint32_t size, const struct emit_list *list);
void emit_function(struct emit *e, uint32_t result, const struct emit_list *parameters);

/* All of it with its header, malloc'ed, *n bytes. NULL: no memory. */
char *emit_end(struct emit *e, size_t *n);

#endif
