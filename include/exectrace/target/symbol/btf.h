/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The types of a kernel as it carries them in its own memory (BTF, Documentation/bpf/btf.rst): where in a structure a
 * member is, and what functions take and give. The bytes may be anything; every offset in them is checked.
 */
#ifndef EXECTRACE_TARGET_SYMBOL_BTF_H
#define EXECTRACE_TARGET_SYMBOL_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf;

/* Takes n bytes apart, which are the caller's and have to stay. 0 with *ret set; -EBADMSG: they are no BTF; -ENOMEM. */
int btf_open(struct btf **ret, const void *bytes, size_t n);

/* Likewise for a module: its types go on where those of its kernel end (a split BTF). base has to stay, too. */
int btf_open_split(struct btf **ret, const struct btf *base, const void *bytes, size_t n);

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

/* --- Functions ---------------------------------------------------------------------------------------------------- */

enum btf_class {
	BTF_CLASS_OTHER, /* not whole, a function, ... */
	BTF_CLASS_VOID,
	BTF_CLASS_BOOL,
	BTF_CLASS_CHAR, /* char itself, not u8 */
	BTF_CLASS_UNSIGNED,
	BTF_CLASS_SIGNED,
	BTF_CLASS_POINTER,
	BTF_CLASS_ENUM,
	BTF_CLASS_STRUCTURE, /* or union */
	BTF_CLASS_ARRAY,
	BTF_CLASS_FLOAT,
};

/* A type, behind its other names. */
struct btf_value {
	enum btf_class class;
	uint32_t type;   /* its number */
	uint32_t target; /* of what a pointer leads to, or of an array's items; 0: void */
	uint32_t count;  /* items of an array */
	uint64_t size;   /* bytes */
	bool constant;   /* on the way there: it is not to be written to */
};

/* What stands in a structure, or among the arguments of a function. */
struct btf_member_value {
	const char *name; /* "" without one */
	struct btf_value value;
	uint64_t bit;      /* of a structure: where it begins */
	unsigned bit_size; /* of a bit field; 0: it is none */
};

/* What a type is, by its number. */
void btf_value(const struct btf *btf, uint32_t type, struct btf_value *value);

/* The type of a function, by its name: a number, 0: there is none. Of a module: its own functions only. The first use
 * sorts all of them; one thread at a time. */
uint32_t btf_function(struct btf *btf, const char *name);

/* Argument i, from 0, of the type of a function. False: there are no more, or any number (...). */
bool btf_argument(const struct btf *btf, uint32_t function, uint32_t i, struct btf_member_value *argument);

/* The result of the type of a function. */
void btf_result(const struct btf *btf, uint32_t function, struct btf_value *result);

/* Member i, from 0, of a structure or union. False: there are no more. */
bool btf_field(const struct btf *btf, uint32_t structure, uint32_t i, struct btf_member_value *member);

/* Name and value i, from 0, of an enum. False: there are no more. */
bool btf_enumerator(const struct btf *btf, uint32_t type, uint32_t i, const char **name, int64_t *value);

#endif
