/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the types of a kernel as they are, and as the list of types between a header and names that fit. What
 * must hold: no access outside, and an end.
 */
#include <exectrace/target/symbol/btf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Types of which each leads to others, as far as they are asked for. */
static void types(struct btf *btf)
{
	struct btf_member_value value;
	struct btf_value result;
	const char *name = "";
	int64_t number;

	(void)btf_function(btf, "a");
	for (uint32_t id = 0; id < 64; id++) {
		btf_value(btf, id, &result);
		btf_result(btf, id, &result);
		for (uint32_t i = 0; i < 8; i++) {
			if (btf_argument(btf, id, i, &value) || btf_field(btf, id, i, &value))
				(void)strlen(value.name);
			if (btf_enumerator(btf, id, i, &name, &number))
				(void)strlen(name);
		}
	}
}

static void try(const void *bytes, size_t size)
{
	static const char *const paths[] = {"a", "b", "a.b", "in.b", "u.b", ""};
	static const char *const structures[] = {"inner", "outer", "knot"};
	struct btf *btf = NULL;
	uint32_t offset = 0;

	if (btf_open(&btf, bytes, size))
		return;
	for (unsigned i = 0; i < 18; i++)
		(void)btf_member(btf, structures[i / 6], paths[i % 6], &offset);
	types(btf);
	btf_close(btf);
}

/* The same types once more, on top of themselves. */
static void try_split(const void *bytes, size_t size)
{
	struct btf *base = NULL, *btf = NULL;

	if (btf_open(&base, bytes, size))
		return;
	if (btf_open_split(&btf, base, bytes, size) == 0)
		types(btf);
	btf_close(btf);
	btf_close(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char names[] = "\0a\0b\0in\0u\0inner\0outer\0knot";
	struct btf_header header = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(header)};
	char *all = NULL;

	try(data, size);
	all = malloc(sizeof(header) + size + sizeof(names));
	if (!all)
		return 0;
	header.type_len = (uint32_t)size;
	header.str_off = header.type_len;
	header.str_len = sizeof(names);
	memcpy(all, &header, sizeof(header));
	memcpy(all + sizeof(header), data, size);
	memcpy(all + sizeof(header) + size, names, sizeof(names));
	try(all, sizeof(header) + size + sizeof(names));
	try_split(all, sizeof(header) + size + sizeof(names));
	free(all);
	return 0;
}
