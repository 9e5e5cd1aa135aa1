/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/syscalls/ioctls.h>

#include <exectrace/target/syscalls/schema.h>
#include <stdbool.h>

/* clang-format off */
#define IOCTL(n64, n32, name, how, kind, aux, s64, s32) \
	{{n64, n32}, name, IOCTL_##how, KIND_##kind, (aux) + FITS(name, IOCTL_NAME_ROOM), {s64, s32}},
/* clang-format on */

/* By the first number. */
static const struct ioctl_command commands[] = {
#include <exectrace/target/syscalls/ioctls.inc>
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* The first whose number is not below that one. */
static size_t lower_bound(uint32_t number)
{
	size_t low = 0, high = COMMANDS;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (commands[middle].number[0] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The number of one command in a 32-bit program may be what another is called for just that (FS_IOC32_SETFLAGS). */
static size_t leave_exact(const struct ioctl_command *found[], size_t n)
{
	size_t exact = 0;

	for (size_t i = 0; i < n; i++)
		if (found[i]->number[0] == found[i]->number[1])
			found[exact++] = found[i];
	return exact ? exact : n;
}

size_t ioctl_find(unsigned word, uint32_t number, const struct ioctl_command *found[IOCTL_NAMES])
{
	/* Few programs have 32-bit words: for them all are looked at. */
	bool narrow = word == 4;
	size_t n = 0;

	for (size_t i = narrow ? 0 : lower_bound(number); i < COMMANDS && n < IOCTL_NAMES; i++) {
		if (commands[i].number[narrow] == number)
			found[n++] = &commands[i];
		else if (!narrow)
			break;
	}
	return narrow ? leave_exact(found, n) : n;
}
