/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/pick/rules/nearest.h>
#include <stdlib.h>

static struct ruleset *rules_of(const char *pattern)
{
	struct ruleset *set = ruleset_new("/");
	cleanup_buf struct buf err = BUF_INIT;

	CHECK(set && ruleset_add(set, "run", "strace", &err) == 0 && ruleset_add(set, "cmd", pattern, &err) == 0);
	CHECK_INT(ruleset_finish(set, true, &err), 0);
	return set;
}

static void look(struct nearest *nearest, const struct ruleset *set, const char *name, const char *arg)
{
	struct exec_record rec = {.have = EXEC_ARGV};

	if (name)
		strv_push(&rec.argv, name);
	if (arg)
		strv_push(&rec.argv, arg);
	nearest_look(nearest, set, &rec);
	exec_record_release(&rec);
}

static void prints(const struct nearest *nearest, const char *want)
{
	cleanup_buf struct buf out = BUF_INIT;

	buf_puts(&out, "+");
	CHECK_INT(nearest_print(nearest, &out), 0);
	CHECK_STR(out.data + 1, want);
}

static void choosing(void)
{
	struct ruleset *set = rules_of("prog.*-l");
	struct nearest nearest = {.lines = STRV_INIT};

	prints(&nearest, "; --list shows all of them");
	look(&nearest, set, "/bin/sh", "-c");
	look(&nearest, set, "programs", NULL);
	look(&nearest, set, "", NULL);
	look(&nearest, set, "dir/", NULL);
	look(&nearest, set, NULL, NULL);
	prints(&nearest, "; --list shows all of them");
	look(&nearest, set, "./prog", "-x y");
	prints(&nearest, "; nearest: ./prog '-x y'");
	look(&nearest, set, "./prog", "-x y");
	prints(&nearest, "; nearest: ./prog '-x y'");
	look(&nearest, set, "/usr/bin/prog", NULL);
	look(&nearest, set, "prog", "-a\n");
	prints(&nearest, "; nearest: ./prog '-x y' | /usr/bin/prog | prog $'-a\\n'");
	look(&nearest, set, "prog", "the fourth");
	CHECK_INT(nearest.lines.n, NEAREST_MAX);
	nearest_release(&nearest);
	CHECK_INT(nearest.lines.n, 0);
	ruleset_free(set);
}

/* Without arguments the path stands for the name. */
static void by_path(void)
{
	struct ruleset *set = rules_of("prog");
	struct nearest nearest = {.lines = STRV_INIT};
	struct exec_record rec = {.have = EXEC_ARGV | EXEC_TARGET, .path = strdup("/opt/prog")};

	nearest_look(&nearest, set, &rec);
	prints(&nearest, "; nearest: /opt/prog");
	exec_record_release(&rec);
	nearest_release(&nearest);
	ruleset_free(set);
}

/* A long line is cut short, and two that are the same then are one. */
static void cutting(void)
{
	struct ruleset *set = rules_of("prog");
	struct nearest nearest = {.lines = STRV_INIT};
	char arg[5000];

	memset(arg, 'x', sizeof(arg) - 1);
	arg[sizeof(arg) - 1] = '\0';
	look(&nearest, set, "prog", arg);
	arg[sizeof(arg) - 2] = 'y';
	look(&nearest, set, "prog", arg);
	CHECK_INT(nearest.lines.n, 1);
	CHECK(nearest.lines.n && strlen(nearest.lines.items[0]) == 200);
	nearest_release(&nearest);
	ruleset_free(set);
}

int main(void)
{
	choosing();
	by_path();
	cutting();
	return TAP_DONE();
}
