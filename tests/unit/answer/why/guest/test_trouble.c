/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page says of a kernel that complains and goes on, and of what ran when the recording ended. */
#include "guest_page.h"

static bool begin(struct guest *g)
{
	static const struct {
		char letter;
		const char *name, *module;
	} names[] = {
		{'i', "do_idle", "[kernel]"}, {'c', "__x64_sys_ioctl", "[kernel]"}, {'b', "__schedule_bug", "[kernel]"},
		{'p', "_printk", "[kernel]"}, {'o', "oops_begin", "[kernel]"},      {'f', "flash", "[flashr]"},
		{'t', "tick", "[kernel]"},
	};

	if (!guest_begin(g, DATA_CLOCK_MONOTONIC, 1000000000))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		guest_name(g, names[i].letter, names[i].name, names[i].module);
	guest_add(g, "P1=0:swapper@0 S1/0@0 Ci@1 P2=7:tool@10 N2@10");
	return true;
}

static void test_last(void)
{
	static const char *const runs[] = {"was still running when the recording ended",
	                                   "  what ran last, at 100ns: tool [7], on processor 0\n",
	                                   "    __x64_sys_ioctl\n    flash [flashr]  <- here\n", "!    then ", NULL};
	static const char *const idles[] = {"!what ran last", NULL};
	static const char *const interrupted[] = {
		"  what ran last, at 100ns in an interrupt of swapper [0], on processor 0", "    tick  <- here\n",
		NULL};
	struct guest g;

	if (begin(&g)) {
		guest_add(&g, "S2/0@20 Cc@30 Cf@40 Y0:0@100");
		guest_check_page(&g, runs, NULL);
	}
	/* It waits, and the processor is idle. */
	if (begin(&g)) {
		guest_add(&g, "S2/0@20 Cc@30 Cf@40 S1/0@50 Y0:0@100");
		guest_check_page(&g, idles, NULL);
	}
	if (begin(&g)) {
		guest_add(&g, "S2/0@20 Cc@30 Cf@40 S1/0@50 It@60 Y0:0@100");
		guest_check_page(&g, interrupted, NULL);
	}
}

static void test_bug(void)
{
	static const char *const warned[] = {"its kernel warned at 60ns",
	                                     "    __schedule_bug  <- here\n    then _printk\n", NULL};
	static const char *const oopsed[] = {"its kernel oopsed at 50ns", "!warned", NULL};
	static const char *const quiet[] = {"no panic and no oops", "!warned", NULL};
	struct guest g;

	if (begin(&g)) {
		guest_add(&g, "S2/0@20 Cc@30 Cb@50 Cp@55");
		guest_message(&g, 60, 3, 7, "BUG: scheduling while atomic: tool/7/0x00000002");
		guest_add(&g, "R@61 R@62 R@63 S1/0@64 Y0:0@100");
		guest_check_page(&g, warned, NULL);
	}
	/* It is part of an oops. */
	if (begin(&g)) {
		guest_add(&g, "S2/0@20 Cc@30 Co@50 Cp@55");
		guest_message(&g, 60, 3, 7, "BUG: Bad page state in process tool");
		guest_add(&g, "R@61 R@62 R@63 S1/0@64 Y0:0@100");
		guest_check_page(&g, oopsed, NULL);
	}
	if (begin(&g)) {
		guest_add(&g, "S2/0@20 Cc@30 Cp@55");
		guest_message(&g, 60, 6, 7, "tool: BUG: scheduling while atomic is what it looks for");
		guest_add(&g, "R@61 R@63 S1/0@64 Y0:0@100");
		guest_check_page(&g, quiet, NULL);
	}
}

/* Where the program of a task that waits was; a library's functions do not tell. */
static void test_where(void)
{
	static const char *const lines[] = {"  tool [7] in futex_wait (ioctl), from read_limit < rotate of confd\n",
	                                    NULL};
	struct guest g;

	if (!begin(&g))
		return;
	guest_name(&g, 's', "schedule", "[kernel]");
	guest_name(&g, 'w', "futex_wait", "[kernel]");
	guest_name(&g, 'u', "rotate", "confd");
	guest_name(&g, 'v', "read_limit", "confd");
	guest_add(&g, "S2/0@20 Cu@25 Cv@26 Cc@30 Cw@40 Cs@45 S1/0@50 Y0:0@100");
	guest_check_page(&g, lines, NULL);
}

int main(void)
{
	test_last();
	test_bug();
	test_where();
	return TAP_DONE();
}
