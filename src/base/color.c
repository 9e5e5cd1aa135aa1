/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/color.h>

#include <stdlib.h>
#include <unistd.h>

const char *const color_choices[] = {"auto", "always", "never", NULL};

bool color_wanted(enum color_choice choice, int fd)
{
	const char *no_color = getenv("NO_COLOR");

	return choice == COLOR_ALWAYS || (choice == COLOR_AUTO && isatty(fd) && !(no_color && *no_color));
}
