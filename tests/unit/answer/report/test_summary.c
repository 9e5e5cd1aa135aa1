/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/system_library.h>
#include <exectrace/answer/report/summary.h>

#include "sample_dir.h"
#include "tap.h"

static char dir[] = "/tmp/exectrace-summary-XXXXXX";

static void print_row(struct buf *out, const struct summary_row *row)
{
	buf_printf(out, "%*s", (int)row->depth, "");
	if (row->process)
		buf_printf(out, "%u ", row->process->pid);
	buf_printf(out, "%s|%s %llu/%llu %llu/%llu %llu\n", row->call ? row->call : "", row->what ? row->what : "",
	           (unsigned long long)row->stats.count, (unsigned long long)row->count,
	           (unsigned long long)row->stats.total / 1000, (unsigned long long)row->total / 1000,
	           (unsigned long long)row->errors);
}

static void check(enum summary_by by, unsigned depth, enum summary_sort sort, const char *want)
{
	const struct recording_options options = {.names = true, .by_files = true};
	struct recording *r = sample_dir_open(dir, &options);
	struct summary *s = summary_new(r, by, depth);
	const struct summary_row *rows;
	struct recorded_event event;
	struct buf out = BUF_INIT;
	size_t n = 0;

	while (recording_next(r, &event) == 1)
		if (summary_add(s, &event))
			CHECK(!"summary_add");
	CHECK_INT(summary_rows(s, sort, &rows, &n), 0);
	for (size_t i = 0; i < n; i++)
		print_row(&out, &rows[i]);
	CHECK_STR(out.data, want);
	CHECK_INT(summary_all(s)->count, by == SUMMARY_ERROR ? 1 : 6);
	/* Once more: asking changes nothing. */
	CHECK_INT(summary_rows(s, sort, &rows, &n), 0);
	CHECK_INT(summary_all(s)->count, by == SUMMARY_ERROR ? 1 : 6);
	buf_release(&out);
	summary_free(s);
	recording_close(r);
}

static void test_rows(void)
{
	check(SUMMARY_CALL, 0, SUMMARY_SORT_TOTAL,
	      "openat| 2/2 5000/5000 1\nwrite| 1/1 3000/3000 0\ngetpid| 1/1 2000/2000 0\n"
	      "exit_group| 1/1 1000/1000 0\nclose| 1/1 0/0 0\n");
	check(SUMMARY_CALL, 0, SUMMARY_SORT_NAME,
	      "close| 1/1 0/0 0\nexit_group| 1/1 1000/1000 0\ngetpid| 1/1 2000/2000 0\nopenat| 2/2 5000/5000 1\n"
	      "write| 1/1 3000/3000 0\n");
	check(SUMMARY_CALL, 0, SUMMARY_SORT_MIN,
	      "write| 1/1 3000/3000 0\ngetpid| 1/1 2000/2000 0\nexit_group| 1/1 1000/1000 0\n"
	      "openat| 2/2 5000/5000 1\nclose| 1/1 0/0 0\n");
	check(SUMMARY_PROCESS, 0, SUMMARY_SORT_TOTAL,
	      "100 | 4/5 9000/11000 1\n 102 | 1/1 2000/2000 0\n200 | 1/1 0/0 0\n");
	check(SUMMARY_STACK, 1, SUMMARY_SORT_TOTAL,
	      "openat|0x7e0000000123 1/1 4000/4000 1\nwrite|pool::work 1/1 3000/3000 0\n"
	      "getpid|(no stack) 1/1 2000/2000 0\nexit_group|(no stack) 1/1 1000/1000 0\nopenat|main 1/1 1000/1000 0\n"
	      "close|(no stack) 1/1 0/0 0\n");
	check(SUMMARY_STACK, 0, SUMMARY_SORT_ERRORS,
	      "openat|0x7e0000000123 < 0x7f0000009000 1/1 4000/4000 1\nclose|(no stack) 1/1 0/0 0\n"
	      "exit_group|(no stack) 1/1 1000/1000 0\ngetpid|(no stack) 1/1 2000/2000 0\nopenat|main 1/1 1000/1000 0\n"
	      "write|pool::work < main 1/1 3000/3000 0\n");
	check(SUMMARY_PATH, 0, SUMMARY_SORT_COUNT,
	      "|(no path) 3/3 3000/3000 0\n|/dev/null 1/1 3000/3000 0\n|/etc/pas\"swd 1/1 1000/1000 0\n"
	      "|/nowhere 1/1 4000/4000 1\n");
	check(SUMMARY_ERROR, 0, SUMMARY_SORT_TOTAL, "openat|ENOENT 1/1 4000/4000 1\n");
}

/* Processes three deep, the middle one without calls of its own. */
static void test_ancestors(void)
{
	static const struct data_event events[] = {
		{DATA_THREAD, 1, .thread = {1, 1, 0, 0}},
		{DATA_THREAD, 2, .thread = {2, 2, 1, 0}},
		{DATA_THREAD, 3, .thread = {3, 3, 2, 0}},
		{DATA_THREAD, 3, .thread = {4, 4, 1, 0}},
		{DATA_SYSCALL, 0, .syscall = {.tid = 4, .arch = AUDIT_ARCH_X86_64, .enter = 4, .duration = 5000}},
		{DATA_SYSCALL, 0, .syscall = {.tid = 3, .arch = AUDIT_ARCH_X86_64, .enter = 4, .duration = 7000}},
	};
	char path[256], with_it[] = "/tmp/exectrace-summary-XXXXXX";

	if (!CHECK(mkdtemp(with_it)))
		return;
	snprintf(path, sizeof(path), "%s/trace-1-1.xtr", with_it);
	CHECK_INT(sample_write_events(path, 1, events, COUNT(events)), 0);
	{
		struct recording *r = sample_dir_open(with_it, NULL);
		struct summary *s = summary_new(r, SUMMARY_PROCESS, 0);
		const struct summary_row *rows;
		struct recorded_event event;
		struct buf out = BUF_INIT;
		size_t n = 0;

		while (recording_next(r, &event) == 1)
			summary_add(s, &event);
		CHECK_INT(summary_rows(s, SUMMARY_SORT_TOTAL, &rows, &n), 0);
		for (size_t i = 0; i < n; i++)
			print_row(&out, &rows[i]);
		CHECK_STR(out.data, "1 | 0/2 0/12 0\n 2 | 0/1 0/7 0\n  3 | 1/1 7/7 0\n 4 | 1/1 5/5 0\n");
		buf_release(&out);
		summary_free(s);
		recording_close(r);
	}
	unlink(path);
	rmdir(with_it);
}

static void test_own(void)
{
	static const struct {
		const char *file;
		bool system;
	} files[] = {{"", true},
	             {"[vdso]", true},
	             {"/usr/lib/x86_64-linux-gnu/libc.so.6", true},
	             {"/lib64/ld-linux-x86-64.so.2", true},
	             {"/usr/lib32/libc.so.6", true},
	             {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1", false},
	             {"/usr/library/x.so", false},
	             {"/home/me/libmine.so", false},
	             {"/usr/bin/make", false}};

	for (size_t i = 0; i < COUNT(files); i++) {
		const struct recorded_function f = {.file = files[i].file};

		if (function_is_system(&f) != files[i].system)
			CHECK_STR(files[i].file, "told apart");
	}
	CHECK(COUNT(files) > 0);
}

int main(void)
{
	if (sample_dir_make(dir))
		test_rows();
	sample_dir_remove(dir);
	test_ancestors();
	test_own();
	return TAP_DONE();
}
