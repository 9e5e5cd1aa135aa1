/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/limits.h>

#include "tap.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the kernel writes against what it answers. */
static void check_own(void)
{
	struct rlimit set = {77, 88}, read[LIMITS], parsed[LIMITS];
	char text[4096];
	FILE *file;
	size_t n;

	setrlimit(RLIMIT_NOFILE, &set);
	file = fopen("/proc/self/limits", "r");
	if (!CHECK(file))
		return;
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	CHECK(limits_read(read, getpid()));
	CHECK(limits_parse(parsed, text));
	CHECK(memcmp(read, parsed, sizeof(read)) == 0);
	CHECK_INT(parsed[RLIMIT_NOFILE].rlim_cur, 77);
	CHECK_INT(parsed[RLIMIT_NOFILE].rlim_max, 88);
	CHECK_STR(limit_names[RLIMIT_NOFILE], "NOFILE");
	CHECK_STR(limit_names[RLIMIT_RTTIME], "RTTIME");
	/* Any part of it is not all of it, and nothing behind it is read. */
	for (size_t cut = n; cut > 0; cut--) {
		text[cut - 1] = '\0';
		if (limits_parse(parsed, text))
			CHECK(memcmp(read, parsed, sizeof(*read) * (LIMITS - 1)) == 0);
	}
	CHECK(!limits_parse(parsed, text));
}

int main(void)
{
	struct rlimit limits[LIMITS];

	check_own();
	CHECK(!limits_read(limits, 0x3fffffff));
	return TAP_DONE();
}
