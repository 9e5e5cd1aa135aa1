/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/system_library.h>

#include <string.h>

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	       (path[n] == '/' || strncmp(path + n, "64/", 3) == 0 || strncmp(path + n, "32/", 3) == 0);
}

bool function_is_system(const struct recorded_function *function)
{
	const char *file = function->file, *slash = strrchr(file, '/');

	if (*file != '/')
		return true;
	return strstr(slash, ".so") && (is_below(file, "/lib") || is_below(file, "/usr/lib"));
}

static int join(struct buf *out, const struct recorded_frame *frames, size_t n, unsigned depth, bool system)
{
	const struct recorded_function *last = NULL;
	unsigned shown = 0;
	int rc = 0;

	for (size_t i = 0; i < n && (!depth || shown < depth) && !rc; i++) {
		const struct recorded_function *f = frames[i].function;

		if (f == last || (!system && function_is_system(f)))
			continue;
		last = f;
		rc = buf_printf(out, "%s%s", shown++ ? " < " : "", f->name);
	}
	return rc;
}

int own_functions(struct buf *out, const struct recorded_frame *frames, size_t n, unsigned depth)
{
	size_t before = out->len;
	int rc = join(out, frames, n, depth, false);

	return rc || out->len > before ? rc : join(out, frames, n, depth, true);
}
