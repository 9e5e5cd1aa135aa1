/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TYPES_MAX (1u << 20)
#define STEPS_MAX 100000 /* members looked at for one path */

/* Bytes behind a type's head; -1: unknown. */
static int64_t more(const struct btf_type *type)
{
	uint32_t n = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case KIND_ENUM64:
		return 12 * (int64_t)n;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return 8 * (int64_t)n;
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case KIND_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

/* Notes where each type begins, up to one that is not known or not whole. */
static int find_types(struct btf *btf)
{
	uint32_t cap = (uint32_t)(btf->types_size / sizeof(struct btf_type)) + 1;

	if (cap > TYPES_MAX)
		cap = TYPES_MAX;
	btf->at = malloc(cap * sizeof(*btf->at));
	if (!btf->at)
		return -ENOMEM;
	for (size_t at = 0; btf->types_size - at >= sizeof(struct btf_type) && btf->n + 1 < cap;) {
		struct btf_type type = btf_head(btf, at);
		int64_t size = more(&type);

		if (size < 0 || (uint64_t)size > btf->types_size - at - sizeof(type))
			break;
		btf->at[++btf->n] = (uint32_t)at;
		at += sizeof(type) + (size_t)size;
	}
	return btf->n ? 0 : -EBADMSG;
}

int btf_open(struct btf **ret, const void *bytes, size_t n)
{
	return btf_open_split(ret, NULL, bytes, n);
}

int btf_open_split(struct btf **ret, const struct btf *base, const void *bytes, size_t n)
{
	struct btf_header header;
	struct btf *btf = NULL;
	size_t left;
	int rc;

	if (n < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != BTF_MAGIC || header.hdr_len < sizeof(header) || header.hdr_len > n)
		return -EBADMSG;
	left = n - header.hdr_len;
	if (header.type_off > left || header.type_len > left - header.type_off || header.str_off > left ||
	    header.str_len > left - header.str_off || !header.str_len)
		return -EBADMSG;
	btf = calloc(1, sizeof(*btf));
	if (!btf)
		return -ENOMEM;
	btf->base = base;
	btf->types = (const char *)bytes + header.hdr_len + header.type_off;
	btf->types_size = header.type_len;
	btf->names = (const char *)bytes + header.hdr_len + header.str_off;
	btf->names_size = header.str_len;
	rc = find_types(btf);
	if (rc)
		btf_close(btf);
	else
		*ret = btf;
	return rc;
}

void btf_close(struct btf *btf)
{
	if (btf) {
		free(btf->at);
		free(btf->functions);
	}
	free(btf);
}

/* True when the name at an offset is the n bytes. */
static bool is_named(const struct btf *btf, uint32_t at, const char *name, size_t n)
{
	return at < btf->names_size && btf->names_size - at > n && memcmp(btf->names + at, name, n) == 0 &&
	       !btf->names[at + n];
}

static bool is_structure(const struct btf_type *type)
{
	return BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT || BTF_INFO_KIND(type->info) == BTF_KIND_UNION;
}

/* The number of the structure that a type is, through its other names; 0: it is none. */
static uint32_t structure_of(const struct btf *btf, uint32_t id)
{
	for (int depth = 0; depth < BTF_DEPTH_MAX && id && id <= btf->n; depth++) {
		struct btf_type type = btf_head(btf, btf->at[id]);

		if (is_structure(&type))
			return id;
		switch (BTF_INFO_KIND(type.info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case KIND_TYPE_TAG:
			id = type.type;
			break;
		default:
			return 0;
		}
	}
	return 0;
}

/* A search for a member, and what it has found: its type, where it is in bits. */
struct search {
	const char *name;
	size_t n;
	unsigned depth, steps; /* left */
	uint32_t type;
	uint64_t bits;
	bool field;
};

/* Looks for the member in a structure, and in those without a name in it. */
static bool find_member(const struct btf *btf, uint32_t id, struct search *s)
{
	struct btf_type type = btf_head(btf, btf->at[id]);
	bool wide = BTF_INFO_KFLAG(type.info), found = false;

	s->depth--;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(type.info) && s->steps && !found; i++) {
		struct btf_member member;

		s->steps--;
		memcpy(&member, btf->types + btf->at[id] + sizeof(type) + i * sizeof(member), sizeof(member));
		if (is_named(btf, member.name_off, s->name, s->n)) {
			s->type = member.type;
			s->field = wide && BTF_MEMBER_BITFIELD_SIZE(member.offset);
			found = true;
		} else if (!member.name_off && s->depth) {
			uint32_t inner = structure_of(btf, member.type);

			found = inner && find_member(btf, inner, s);
		}
		if (found)
			s->bits += wide ? BTF_MEMBER_BIT_OFFSET(member.offset) : member.offset;
	}
	s->depth++;
	return found;
}

static uint32_t find_structure(const struct btf *btf, const char *name)
{
	size_t n = strlen(name);

	for (uint32_t id = 1; id <= btf->n; id++) {
		struct btf_type type = btf_head(btf, btf->at[id]);

		if (is_structure(&type) && is_named(btf, type.name_off, name, n))
			return id;
	}
	return 0;
}

uint32_t btf_size(const struct btf *btf, const char *structure)
{
	uint32_t id = find_structure(btf, structure);

	return id ? btf_head(btf, btf->at[id]).size : 0;
}

int btf_member(const struct btf *btf, const char *structure, const char *path, uint32_t *offset)
{
	uint32_t id = find_structure(btf, structure);
	struct search s = {.depth = BTF_DEPTH_MAX, .steps = STEPS_MAX};

	while (*path) {
		s.name = path;
		s.n = strcspn(path, ".");
		if (!id || !find_member(btf, id, &s))
			return -ENOENT;
		if (s.field || s.bits % 8 || s.bits / 8 > UINT32_MAX)
			return -EINVAL;
		path += s.n + (path[s.n] == '.');
		id = structure_of(btf, s.type);
	}
	*offset = (uint32_t)(s.bits / 8);
	return 0;
}
