/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types by their numbers: of functions, what they take and give, and what is in that. */
#include "btf_types.h"

#include <stdlib.h>

#define POINTER_BYTES 8
#define NAME_MAX_BYTES 512 /* a longer name is none (KSYM_NAME_LEN) */

/* The set that a type is of, and its offset there; NULL: there is no such type. */
static const struct btf *find(const struct btf *btf, uint32_t id, size_t *at)
{
	const struct btf *base = btf->base;

	if (base && id <= base->n)
		btf = base;
	else if (base)
		id -= base->n;
	if (!id || id > btf->n)
		return NULL;
	*at = btf->at[id];
	return btf;
}

/* A name; "" for one that is not there, or has no end. */
static const char *name_at(const struct btf *btf, uint32_t at)
{
	const struct btf *base = btf->base;
	size_t left;

	if (base && at < base->names_size)
		btf = base;
	else if (base)
		at -= (uint32_t)base->names_size;
	left = at < btf->names_size ? btf->names_size - at : 0;
	left = left < NAME_MAX_BYTES ? left : NAME_MAX_BYTES;
	return left && memchr(btf->names + at, '\0', left) ? btf->names + at : "";
}

/* What is behind the head of a type of a kind, item i of `size` bytes: copied. False: it has none. */
static bool item_of(const struct btf *set, size_t at, uint32_t i, void *to, size_t size)
{
	const struct btf_type type = btf_head(set, at);

	if (i >= BTF_INFO_VLEN(type.info))
		return false;
	memcpy(to, set->types + at + sizeof(type) + i * size, size);
	return true;
}

/* --- What a type is ----------------------------------------------------------------------------------------------- */

static void number_value(const struct btf *set, size_t at, const struct btf_type *type, struct btf_value *value)
{
	uint32_t more;

	memcpy(&more, set->types + at + sizeof(*type), sizeof(more));
	value->size = type->size;
	value->class = BTF_INT_ENCODING(more) & BTF_INT_SIGNED ? BTF_CLASS_SIGNED : BTF_CLASS_UNSIGNED;
	if (BTF_INT_ENCODING(more) & BTF_INT_BOOL)
		value->class = BTF_CLASS_BOOL;
	else if (type->size == 1 && strcmp(name_at(set, type->name_off), "char") == 0)
		value->class = BTF_CLASS_CHAR;
}

/* An array of what there is one of, several times: its size is only known where the items' is. */
static void array_value(const struct btf *set, size_t at, struct btf_value *value)
{
	struct btf_array array;

	memcpy(&array, set->types + at + sizeof(struct btf_type), sizeof(array));
	value->class = BTF_CLASS_ARRAY;
	value->target = array.type;
	value->count = array.nelems;
}

/* True when a type is another name of its `type`, which is looked at next. */
static bool take_type(const struct btf *set, size_t at, const struct btf_type *type, struct btf_value *value)
{
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_CONST:
		value->constant = true;
		return true;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case KIND_TYPE_TAG:
		return true;
	case BTF_KIND_INT:
		number_value(set, at, type, value);
		return false;
	case BTF_KIND_PTR:
		value->class = BTF_CLASS_POINTER;
		value->target = type->type;
		value->size = POINTER_BYTES;
		return false;
	case BTF_KIND_ARRAY:
		array_value(set, at, value);
		return false;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		value->class = BTF_CLASS_STRUCTURE;
		break;
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		value->class = BTF_CLASS_ENUM;
		break;
	case BTF_KIND_FLOAT:
		value->class = BTF_CLASS_FLOAT;
		break;
	default:
		return false;
	}
	value->size = type->size;
	return false;
}

/* As btf_value, but for the size of arrays. */
static void look(const struct btf *btf, uint32_t id, struct btf_value *value)
{
	*value = (struct btf_value){.class = id ? BTF_CLASS_OTHER : BTF_CLASS_VOID};
	for (int depth = 0; depth < BTF_DEPTH_MAX; depth++) {
		size_t at = 0;
		const struct btf *set = find(btf, id, &at);
		struct btf_type type;

		if (!set) {
			value->class = id ? BTF_CLASS_OTHER : BTF_CLASS_VOID;
			return;
		}
		type = btf_head(set, at);
		value->type = id;
		if (!take_type(set, at, &type, value))
			return;
		id = type.type;
	}
}

void btf_value(const struct btf *btf, uint32_t type, struct btf_value *value)
{
	struct btf_value item;
	uint64_t count = 1;

	look(btf, type, value);
	if (value->class != BTF_CLASS_ARRAY)
		return;
	item = *value;
	for (int depth = 0; item.class == BTF_CLASS_ARRAY && depth < BTF_DEPTH_MAX; depth++) {
		count = count && item.count > UINT32_MAX / count ? 0 : count * item.count;
		look(btf, item.target, &item);
	}
	value->size = item.size <= UINT32_MAX ? count * item.size : 0;
}

bool btf_field(const struct btf *btf, uint32_t structure, uint32_t i, struct btf_member_value *member)
{
	size_t at = 0;
	const struct btf *set = find(btf, structure, &at);
	struct btf_type type;
	struct btf_member raw;

	if (!set)
		return false;
	type = btf_head(set, at);
	if ((BTF_INFO_KIND(type.info) != BTF_KIND_STRUCT && BTF_INFO_KIND(type.info) != BTF_KIND_UNION) ||
	    !item_of(set, at, i, &raw, sizeof(raw)))
		return false;
	*member = (struct btf_member_value){.name = name_at(btf, raw.name_off), .bit = raw.offset};
	if (BTF_INFO_KFLAG(type.info)) {
		member->bit = BTF_MEMBER_BIT_OFFSET(raw.offset);
		member->bit_size = BTF_MEMBER_BITFIELD_SIZE(raw.offset);
	}
	btf_value(btf, raw.type, &member->value);
	return true;
}

bool btf_enumerator(const struct btf *btf, uint32_t type, uint32_t i, const char **name, int64_t *value)
{
	size_t at = 0;
	const struct btf *set = find(btf, type, &at);
	uint32_t kind, words[3] = {0};
	bool is_signed, found;

	if (!set)
		return false;
	kind = BTF_INFO_KIND(btf_head(set, at).info);
	is_signed = BTF_INFO_KFLAG(btf_head(set, at).info);
	if (kind != BTF_KIND_ENUM && kind != KIND_ENUM64)
		return false;
	found = item_of(set, at, i, words, kind == BTF_KIND_ENUM ? 8 : 12);
	*name = name_at(btf, words[0]);
	if (kind == KIND_ENUM64)
		*value = (int64_t)((uint64_t)words[2] << 32 | words[1]);
	else /* older compilers do not say that it has a sign */
		*value = is_signed || (words[1] >> 31) ? (int64_t)(int32_t)words[1] : (int64_t)words[1];
	return found;
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

/* The name of a function by its place among the types of a set; "" for any other type. */
static const char *function_name(const struct btf *btf, uint32_t i)
{
	const struct btf_type type = btf_head(btf, btf->at[i]);

	return BTF_INFO_KIND(type.info) == BTF_KIND_FUNC ? name_at(btf, type.name_off) : "";
}

static int by_name(const void *a, const void *b, void *btf)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	int order = strcmp(function_name(btf, first), function_name(btf, second));

	return order ? order : (first > second) - (first < second);
}

static bool sort_functions(struct btf *btf)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i <= btf->n; i++)
		n += *function_name(btf, i) != '\0';
	btf->functions = malloc((n + 1) * sizeof(*btf->functions));
	if (!btf->functions)
		return false;
	for (uint32_t i = 1; i <= btf->n; i++) {
		if (*function_name(btf, i))
			btf->functions[btf->n_functions++] = i;
	}
	qsort_r(btf->functions, n, sizeof(*btf->functions), by_name, btf);
	return true;
}

uint32_t btf_function(struct btf *btf, const char *name)
{
	uint32_t low = 0, high;

	if (!btf->functions && !sort_functions(btf))
		return 0;
	high = btf->n_functions;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(function_name(btf, btf->functions[middle]), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == btf->n_functions || strcmp(function_name(btf, btf->functions[low]), name) != 0)
		return 0;
	return btf_head(btf, btf->at[btf->functions[low]]).type;
}

/* The set that the type of a function is of; NULL: it is none. */
static const struct btf *find_function(const struct btf *btf, uint32_t function, size_t *at)
{
	const struct btf *set = find(btf, function, at);

	return set && BTF_INFO_KIND(btf_head(set, *at).info) == BTF_KIND_FUNC_PROTO ? set : NULL;
}

bool btf_argument(const struct btf *btf, uint32_t function, uint32_t i, struct btf_member_value *argument)
{
	size_t at = 0;
	const struct btf *set = find_function(btf, function, &at);
	struct btf_param raw;

	if (!set || !item_of(set, at, i, &raw, sizeof(raw)) || !raw.type)
		return false;
	*argument = (struct btf_member_value){.name = name_at(btf, raw.name_off)};
	btf_value(btf, raw.type, &argument->value);
	return true;
}

void btf_result(const struct btf *btf, uint32_t function, struct btf_value *result)
{
	size_t at = 0;
	const struct btf *set = find_function(btf, function, &at);

	*result = (struct btf_value){.class = BTF_CLASS_OTHER};
	if (set)
		btf_value(btf, btf_head(set, at).type, result);
}
