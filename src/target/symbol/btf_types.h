/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types as they lie in their bytes: for btf.c and btf_function.c. */
#ifndef EXECTRACE_SRC_TARGET_SYMBOL_BTF_TYPES_H
#define EXECTRACE_SRC_TARGET_SYMBOL_BTF_TYPES_H

#include <exectrace/target/symbol/btf.h>
#include <linux/btf.h>
#include <string.h>

/* Kinds that are newer than the oldest header we build with. */
#define KIND_DECL_TAG 17
#define KIND_TYPE_TAG 18
#define KIND_ENUM64 19

#define BTF_DEPTH_MAX 16 /* of structures within each other, and of names for a type */

struct btf {
	const struct btf *base; /* whose types come before, with numbers and names; NULL: none */
	const char *types, *names;
	size_t types_size, names_size;
	uint32_t *at; /* of each type, from 1: its offset */
	uint32_t n;
	uint32_t *functions; /* numbers within `at` of those with a name, by their names; NULL: not looked for yet */
	uint32_t n_functions;
};

/* A type's head, copied: nothing is aligned. */
static inline struct btf_type btf_head(const struct btf *btf, size_t at)
{
	struct btf_type type;

	memcpy(&type, btf->types + at, sizeof(type));
	return type;
}

#endif
