/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/processes/state_diff.h>

#include "tap.h"

#include <exectrace/base/cleanup.h>
#include <stdlib.h>

#define NAMES 6

static void join(const char *const *given, const char *const *own, const char *want)
{
	cleanup_strv struct strv base = STRV_INIT, lines = STRV_INIT, out = STRV_INIT;
	cleanup_buf struct buf text = BUF_INIT;

	while (*given)
		strv_push(&base, *given++);
	while (*own)
		strv_push(&lines, *own++);
	CHECK_INT(state_lines_join(&out, &base, &lines), 0);
	buf_puts(&text, "");
	for (size_t i = 0; i < out.n; i++)
		buf_printf(&text, "%s;", out.items[i]);
	CHECK_STR(text.data, want);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void test_lines(void)
{
	join(LINES(), LINES(), "");
	join(LINES("umask 0022", "env A=1", "env AB=2"), LINES("umask 0077", "unset A"), "env AB=2;umask 0077;");
	join(LINES("fd 10 /b", "fd 9 /a", "fd 0 /c"), LINES("closed 0", "fd 9 pipe:[1]"), "fd 9 pipe:[1];fd 10 /b;");
	join(LINES("ns net:[1]", "cgroup /a", "ignored INT"), LINES("ns net:[2]", "blocked INT"),
	     "blocked INT;ignored INT;ns net:[2];");
	join(LINES("limit NOFILE 1 2", "limit CORE 0 0"), LINES("limit NOFILE 3 4", "env E="),
	     "env E=;limit CORE 0 0;limit NOFILE 3 4;");
	/* What nobody has written so. */
	join(LINES("env", "fd", "", "unset "), LINES("closed ", "limit"), ";env;fd;limit;unset ;");
}

/* Variables that are set, changed and unset at random, against an array. */
static void test_random(void)
{
	bool same = true;

	srand(3);
	for (int round = 0; round < 500 && same; round++) {
		int values[NAMES] = {0};
		cleanup_strv struct strv given = STRV_INIT, own = STRV_INIT, out = STRV_INIT;
		char line[64];
		size_t n = 0;

		for (int i = 0; i < 20; i++) {
			int name = rand() % NAMES, value = rand() % 3;
			bool base = i < 8;

			if (base && !value)
				continue;
			snprintf(line, sizeof(line), value ? "env V%d=%d" : "unset V%d", name, value);
			strv_push(base ? &given : &own, line);
			values[name] = value;
		}
		same = state_lines_join(&out, &given, &own) == 0;
		for (int name = 0; name < NAMES && same; name++) {
			if (!values[name])
				continue;
			snprintf(line, sizeof(line), "env V%d=%d", name, values[name]);
			same = n < out.n && strcmp(out.items[n++], line) == 0;
		}
		same &= n == out.n;
	}
	CHECK(same);
}

int main(void)
{
	test_lines();
	test_random();
	return TAP_DONE();
}
