/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strace's table of calls: columns, their widths, and the order of the rows. */
#include "tap.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/record/form/table.h>

static void check_table(const char *columns, const char *order, const char *want)
{
	struct table_row rows[] = {
		{"read", 4, 0, 8000000, 1000000, 4000000},
		{"a_call_of_twenty_chars", 2, 1, 2000, 500, 1500},
		{"write", 10, 10, 1991998000, 1000, 1500000000},
	};
	struct table_form form = {0};
	cleanup_buf struct buf out = BUF_INIT;

	CHECK(!columns || table_take_columns(&form, columns));
	CHECK(!order || table_take_order(&form, order));
	CHECK_INT(table_put(&form, rows, 3, &out), 0);
	CHECK_STR(out.data, want);
}

static void layout(void)
{
	check_table(NULL, NULL,
	            "% time     seconds  usecs/call     calls    errors syscall\n"
	            "------ ----------- ----------- --------- --------- -----------------------\n"
	            " 99.60    1.991998      199199        10        10 write\n"
	            "  0.40    0.008000        2000         4           read\n"
	            "  0.00    0.000002           1         2         1 a_call_of_twenty_chars\n"
	            "------ ----------- ----------- --------- --------- -----------------------\n"
	            "100.00    2.000000      125000        16        11 total\n");
}

static void columns_and_orders(void)
{
	check_table("name,calls", "name",
	            "syscall                     calls\n"
	            "----------------------- ---------\n"
	            "a_call_of_twenty_chars          2\n"
	            "read                            4\n"
	            "write                          10\n"
	            "----------------------- ---------\n"
	            "total                          16\n");
	check_table("shortest,max-time", "min_time",
	            "shortest  longest\n"
	            "-------- --------\n"
	            "0.001000 0.004000\n"
	            "0.000001 1.500000\n"
	            "0.000000 0.000001\n"
	            "-------- --------\n"
	            "0.000000 1.500000\n");
	check_table("calls", "none", "    calls\n---------\n        4\n        2\n       10\n---------\n       16\n");
}

static void refused(void)
{
	struct table_form form = {0};

	CHECK(!table_take_columns(&form, "") && !table_take_columns(&form, "time,,name"));
	CHECK(!table_take_columns(&form, "tim") && !table_take_columns(&form, "time,time-percent"));
	CHECK(!table_take_order(&form, "") && !table_take_order(&form, "non") && !table_take_order(&form, "a,b"));
	CHECK(table_take_order(&form, "nothing"));
}

int main(void)
{
	layout();
	columns_and_orders();
	refused();
	return TAP_DONE();
}
