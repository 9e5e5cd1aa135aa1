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
	btf_close(btf);
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
	free(all);
	return 0;
}
