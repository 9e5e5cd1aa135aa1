/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of numbers, by set. */
#include <exectrace/target/syscalls/schema.h>

const struct value_set *value_set(unsigned set)
{
	unsigned net = SET_domain, process = SET_clone, uapi = SET_UAPI;

	if (set >= uapi)
		return &sets_uapi[set - uapi];
	if (set >= process)
		return &sets_process[set - process];
	return set >= net ? &sets_net[set - net] : &sets_file[set];
}

const char *value_name(unsigned set, uint64_t value)
{
	const struct value_set *names = value_set(set);

	for (size_t i = 0; i < names->n; i++) {
		if (names->names[i].value == value)
			return names->names[i].name;
	}
	return NULL;
}
