/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/target/exec/record.h>
#include <stdlib.h>

/* What a fill callback was asked for, in order. */
struct asked {
	unsigned fields[8];
	int n;
	unsigned gives;
};

static void fill(struct exec_record *rec, unsigned fields, void *ctx)
{
	struct asked *asked = ctx;

	asked->fields[asked->n++ % 8] = fields;
	rec->have |= asked->gives;
}

static void wanting(void)
{
	struct asked asked = {.gives = EXEC_ARGV | EXEC_CWD};
	struct exec_record rec = {.fill = fill, .ctx = &asked};

	exec_record_want(&rec, EXEC_ARGV);
	CHECK_INT(asked.n, 1);
	CHECK_INT(asked.fields[0], EXEC_ARGV);
	/* There already, and given along with what was asked for. */
	exec_record_want(&rec, EXEC_ARGV);
	exec_record_want(&rec, EXEC_CWD);
	CHECK_INT(asked.n, 1);
	/* Only what is missing is asked for; what is not given is an error, once. */
	exec_record_want(&rec, EXEC_ARGV | EXEC_ENV);
	CHECK_INT(asked.n, 2);
	CHECK_INT(asked.fields[1], EXEC_ENV);
	CHECK_INT(rec.error, EXEC_ENV);
	CHECK_INT(rec.have, EXEC_ARGV | EXEC_CWD | EXEC_ENV);
	exec_record_want(&rec, EXEC_ENV);
	CHECK_INT(asked.n, 2);
	exec_record_release(&rec);
}

static void wanting_in_vain(void)
{
	struct exec_record rec = {0};

	exec_record_want(&rec, EXEC_IDS | EXEC_TARGET);
	CHECK_INT(rec.have, EXEC_IDS | EXEC_TARGET);
	CHECK_INT(rec.error, EXEC_IDS | EXEC_TARGET);
	exec_record_want(&rec, 0);
	CHECK_INT(rec.have, EXEC_IDS | EXEC_TARGET);
}

static void joining(void)
{
	struct exec_record rec = {0};

	CHECK_INT(exec_record_join(&rec), 0);
	CHECK_STR(rec.cmdline.data, "");
	rec.path = strdup("/bin/true");
	CHECK_INT(exec_record_join(&rec), 0);
	CHECK_STR(rec.cmdline.data, "/bin/true");
	strv_push(&rec.argv, "a b");
	CHECK_INT(exec_record_join(&rec), 0);
	CHECK_STR(rec.cmdline.data, "a b");
	strv_push(&rec.argv, "");
	strv_push(&rec.argv, "c\nd");
	CHECK_INT(exec_record_join(&rec), 0);
	CHECK_STR(rec.cmdline.data, "a b  c\nd");
	CHECK_INT(rec.cmdline.len, 8);
	exec_record_release(&rec);
}

static void fill_all(struct exec_record *rec)
{
	*rec = (struct exec_record){
		.pid = 1,
		.tid = 2,
		.ppid = 3,
		.uid = 4,
		.when = 5,
		.when_wall = 6,
		.outcome = -2,
		.setid = true,
		.depth = 7,
		.path = strdup("path"),
		.exe = strdup("/exe"),
		.interp = strdup("/interp"),
		.cwd = strdup("/cwd"),
		.have = 63,
		.error = EXEC_ENV,
		.fill = fill,
		.ctx = rec,
	};
	strv_push(&rec->argv, "prog");
	strv_push(&rec->argv, "-l");
	strv_push(&rec->env, "A=1");
	strv_push(&rec->ancestors, "make");
	exec_record_join(rec);
}

static void copying(void)
{
	struct exec_record from, to;

	fill_all(&from);
	CHECK_INT(exec_record_copy(&to, &from), 0);
	exec_record_release(&from);
	CHECK(to.pid == 1 && to.tid == 2 && to.ppid == 3 && to.uid == 4 && to.when == 5 && to.when_wall == 6);
	CHECK(to.outcome == -2 && to.setid && to.depth == 7 && to.have == 63 && to.error == EXEC_ENV);
	CHECK_STR(to.path, "path");
	CHECK_STR(to.exe, "/exe");
	CHECK_STR(to.interp, "/interp");
	CHECK_STR(to.cwd, "/cwd");
	CHECK_STR(to.cmdline.data, "prog -l");
	CHECK(to.argv.n == 2 && to.env.n == 1 && to.ancestors.n == 1 && !to.argv.items[2]);
	CHECK_STR(to.argv.items[1], "-l");
	CHECK_STR(to.env.items[0], "A=1");
	CHECK_STR(to.ancestors.items[0], "make");
	CHECK(!to.fill && !to.ctx);
	exec_record_release(&to);
	CHECK(!to.path && !to.argv.items && !to.have);
	CHECK_INT(exec_record_copy(&to, &from), 0);
	CHECK(!to.path && !to.cmdline.data && !to.have);
	exec_record_release(&to);
}

static void resetting(void)
{
	struct exec_record rec;
	size_t cap;

	fill_all(&rec);
	cap = rec.cmdline.cap;
	exec_record_reset(&rec);
	CHECK(!rec.path && !rec.exe && !rec.interp && !rec.cwd && !rec.have && !rec.error && !rec.fill && !rec.pid);
	CHECK(rec.argv.n == 0 && rec.env.n == 0 && rec.ancestors.n == 0);
	CHECK_INT(rec.cmdline.len, 0);
	CHECK_INT(rec.cmdline.cap, (long long)cap);
	buf_reserve(&rec.cmdline, 256 * 1024);
	exec_record_reset(&rec);
	CHECK_INT(rec.cmdline.cap, 0);
	exec_record_release(&rec);
}

int main(void)
{
	wanting();
	wanting_in_vain();
	joining();
	copying();
	resetting();
	return TAP_DONE();
}
