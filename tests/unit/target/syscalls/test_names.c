/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/target/syscalls/names.h>
#include <signal.h>

static void errors(void)
{
	CHECK_STR(errno_name(ENOENT), "ENOENT");
	CHECK_STR(errno_text(ENOENT), "No such file or directory");
	CHECK_STR(errno_name(512), "ERESTARTSYS");
	CHECK_STR(errno_text(516), "Interrupted by signal");
	CHECK_STR(errno_name(4000), NULL);
	CHECK_STR(errno_name(0), NULL);
	CHECK_STR(errno_text(-1), NULL);
}

static void signals(void)
{
	char buf[SIGNAL_NAME_MAX];

	CHECK_STR(signal_name(SIGINT, buf), "SIGINT");
	CHECK_STR(signal_name(32, buf), "SIGRTMIN");
	CHECK_STR(signal_name(33, buf), "SIGRT_1");
	CHECK_STR(signal_name(64, buf), "SIGRT_32");
	CHECK_STR(signal_name(65, buf), "65");
	CHECK_STR(signal_name(-2147483647 - 1, buf), "-2147483648");
	CHECK_INT(signal_number("SIGTERM"), SIGTERM);
	CHECK_INT(signal_number("TERM"), SIGTERM);
	CHECK_INT(signal_number("RT_1"), 33);
	CHECK_INT(signal_number("9"), 9);
	CHECK_INT(signal_number(""), 0);
	CHECK_INT(signal_number("SIGNONE"), 0);
}

int main(void)
{
	errors();
	signals();
	return TAP_DONE();
}
