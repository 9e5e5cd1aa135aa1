/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --color=WHEN. */
#ifndef EXECTRACE_BASE_COLOR_H
#define EXECTRACE_BASE_COLOR_H

#include <stdbool.h>

enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The words of the option, in the order of enum color_choice, ended by NULL. */
extern const char *const color_choices[];

/* Whether what goes to fd is coloured; with COLOR_AUTO a terminal's is, unless NO_COLOR is set (no-color.org). */
bool color_wanted(enum color_choice choice, int fd);

#endif
