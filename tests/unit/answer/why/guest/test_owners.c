/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page says of who has a lock of the kernel that tasks wait for. */
#include "guest_page.h"

static bool begin(struct guest *g)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {{'i', "do_idle"}, {'k', "kthread"}, {'m', "__mutex_lock"}, {'s', "schedule"}};

	if (!guest_begin(g, DATA_CLOCK_MONOTONIC, 1000000000))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		guest_name(g, names[i].letter, names[i].name, "[kernel]");
	guest_add(g, "P1=0:swapper@0 S1/0@0 Ci@1 P2=7:one@10 N2@10 P3=8:two@10 N3@10 P4=9:three@10 N4@10");
	return true;
}

/* Each waits for what the other one has. */
static void test_deadlock(void)
{
	static const char *const lines[] = {"one [7] in __mutex_lock; two [8] has the lock\n",
	                                    "two [8] in __mutex_lock; one [7] has the lock\n",
	                                    "  deadlock: one [7] waits for two [8], which waits for one [7]\n", NULL};
	struct guest g;

	if (!begin(&g))
		return;
	guest_add(&g, "S2/0@20 Ck@21 Cm@22 H5:3@23 Cs@24 S3/0@30 Ck@31 Cm@32 H6:2@33 Cs@34 S1/0@40 Y0:0@100");
	guest_check_page(&g, lines, "\"owner\":\"two\",\"owner_pid\":8,\"owner_is\":\"has\",\"deadlock\":1");
}

/* The owner waits for nobody; then it has woken one of two, and it is not known whether that one has the lock now. */
static void test_changed(void)
{
	static const char *const held[] = {"one [7] in __mutex_lock; three [9] has the lock\n", "!deadlock", NULL};
	static const char *const changed[] = {"two [8] in __mutex_lock; three [9] had the lock when it began to wait\n",
	                                      "!one [7] in", NULL};
	struct guest g;

	if (begin(&g)) {
		guest_add(&g, "S2/0@20 Ck@21 Cm@22 H5:4@23 Cs@24 S4/0@30 Ck@31 Y0:0@100");
		guest_check_page(&g, held, NULL);
	}
	if (begin(&g)) {
		guest_add(&g, "S2/0@20 Ck@21 Cm@22 H5:4@23 Cs@24 S3/0@30 Ck@31 Cm@32 H5:4@33 Cs@34 "
		              "S4/0@40 Ck@41 W2@50 S2/0@60 R@61 R@62 Y0:0@100");
		guest_check_page(&g, changed, NULL);
	}
}

/* What a task waited for before says nothing of what it waits for now. */
static void test_old(void)
{
	static const char *const lines[] = {"one [7] in __mutex_lock\n", "!has the lock", NULL};
	struct guest g;

	if (!begin(&g))
		return;
	guest_add(
		&g,
		"S2/0@20 Ck@21 Cm@22 H5:4@23 Cs@24 S4/0@30 Ck@31 W2@50 S2/0@60 R@61 R@62 Cm@63 Cs@64 S1/0@65 Y0:0@100");
	guest_check_page(&g, lines, NULL);
}

int main(void)
{
	test_deadlock();
	test_changed();
	test_old();
	return TAP_DONE();
}
