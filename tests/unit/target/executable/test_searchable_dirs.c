/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which directories everybody may search: made with modes of all kinds below one that others may pass. */
#include "program.h"
#include "src/target/executable/searchable_dirs.h"
#include "tap.h"
#include <limits.h>

static char top[PATH_MAX];

static const char *in(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void directory(const char *name, mode_t mode)
{
	CHECK_INT(mkdir(in(name), 0700), 0);
	CHECK_INT(chmod(in(name), mode), 0);
}

static void remove_all(void)
{
	static const char *const names[] = {"open/file", "open/in/", "open", "closed/in",
	                                    "closed",    "odd/in",   "odd",  ""};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)unlink(in(names[i]));
		(void)rmdir(in(names[i]));
	}
}

int main(void)
{
	struct searchable_dirs ways = {0};
	char long_path[PATH_MAX + 10];
	int fd;

	scratch_begin(30);
	snprintf(top, sizeof(top), "%s", "/tmp/exectrace-ways.XXXXXX"); /* the scratch directory is nobody else's */
	if (!mkdtemp(top) || chmod(top, 0711))
		return 1;
	directory("open", 0755);
	directory("open/in", 0711);
	directory("closed", 0750);
	directory("closed/in", 0777);
	directory("odd", 0701);
	directory("odd/in", 0001);
	CHECK(searchable_dirs_open(&ways, "/bin"));
	CHECK(searchable_dirs_open(&ways, "/usr/bin/env"));
	CHECK(searchable_dirs_open(&ways, "/usr/bin/none, but the way is there"));
	CHECK(searchable_dirs_open(&ways, in("open/file")));
	CHECK(searchable_dirs_open(&ways, in("open/in/file")));
	CHECK(searchable_dirs_open(&ways, in("odd/in/file")));
	CHECK(!searchable_dirs_open(&ways, in("closed/file")));
	CHECK(!searchable_dirs_open(&ways, in("closed/in/file")));
	CHECK(!searchable_dirs_open(&ways, in("nowhere/file")));
	CHECK(!searchable_dirs_open(&ways, in("open/nowhere/file")));
	/* What is no directory leads nowhere. */
	fd = open(in("open/file"), O_WRONLY | O_CREAT, 0755);
	CHECK(fd >= 0 && close(fd) == 0);
	CHECK(!searchable_dirs_open(&ways, in("open/file/file")));
	/* One that was closed is asked again; one that is like a known one but shorter or longer is another. */
	CHECK_INT(chmod(in("closed"), 0755), 0);
	CHECK(searchable_dirs_open(&ways, in("closed/in/file")));
	CHECK(!searchable_dirs_open(&ways, in("ope/file")));
	CHECK(!searchable_dirs_open(&ways, in("openn/file")));
	/* More than are remembered, and one too long for any. */
	for (int i = 0; i < 3 * WAYS; i++) {
		char name[128];

		snprintf(name, sizeof(name), "open/%.*s/file", i + 1,
		         "///////////////////////////////////////////////////////////////////////////////");
		CHECK(searchable_dirs_open(&ways, in(name)));
	}
	memset(long_path, '/', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = '\0';
	CHECK(!searchable_dirs_open(&ways, long_path));
	searchable_dirs_release(&ways);
	remove_all();
	return TAP_DONE();
}
