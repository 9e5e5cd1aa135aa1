/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths as text. */
#ifndef EXECTRACE_BASE_PATH_H
#define EXECTRACE_BASE_PATH_H

#include <string.h>

/* The file's name in a path: what is behind the last slash; all of it when nothing is, or there is none. */
static inline const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
