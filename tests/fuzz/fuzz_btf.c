/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the types of a kernel. What must hold: no access outside, and an end. */
#include <exectrace/symbol/btf.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf *btf = NULL;
	uint32_t offset = 0;

	if (btf_open(&btf, data, size))
		return 0;
	(void)btf_member(btf, "outer", "in.b", &offset);
	(void)btf_member(btf, "outer", "u.b", &offset);
	(void)btf_member(btf, "outer", "", &offset);
	(void)btf_member(btf, "knot", "a", &offset);
	btf_close(btf);
	return 0;
}
