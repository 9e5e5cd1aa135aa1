/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page says of what delayed a guest: who had the processor, for whom, and children that did the same. */
#include "guest_page.h"

static bool begin(struct guest *g)
{
	static const struct {
		char letter;
		const char *name, *module;
	} names[] = {
		{'s', "schedule", "[kernel]"},         {'t', "call_timer_fn", "[kernel]"}, {'w', "do_wait", "[kernel]"},
		{'n', "do_nanosleep", "[kernel]"},     {'d', "do_task_dead", "[kernel]"},  {'i', "do_idle", "[kernel]"},
		{'p', "preempt_schedule", "[kernel]"}, {'y', "delay_tsc", "[kernel]"},     {'u', "upload", "[fwld]"},
	};

	if (!guest_begin(g, DATA_CLOCK_MONOTONIC, 1000000000))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		guest_name(g, names[i].letter, names[i].name, names[i].module);
	guest_add(g, "P1=0:swapper@0 S1/0@0 Ci@1 P2=1:init@10 N2@10");
	return true;
}

/* A process is made, and executes a command of two words. */
static void process(struct guest *g, uint32_t pid, uint32_t parent, const char *first, const char *second)
{
	struct data_event event = {.type = DATA_THREAD, .thread = {pid, pid, parent, 0}};
	char words[64];
	int n = snprintf(words, sizeof(words), "%s%c%s", first, 0, second);

	CHECK_INT(data_writer_event(g->writer, &event), 0);
	event = (struct data_event){.type = DATA_EXEC, .exec = {.pid = pid, .tid = pid, .argc = 2}};
	event.exec.argv = (struct data_text){words, (size_t)n + 1};
	CHECK_INT(data_writer_event(g->writer, &event), 0);
}

/* A module keeps the only processor from 105 to 900; a timer's interrupt on its stack takes nothing away. */
static void test_rival(void)
{
	static const char *const lines[] = {
		"800ns   80%  init [1] could run, and had no processor: for 800ns of it ran\n",
		" loader fast [2]: delay_tsc 785ns for upload [fwld]\n", NULL};
	struct guest g;

	if (!begin(&g))
		return;
	process(&g, 2, 1, "loader", "fast");
	guest_add(&g, "S2/0@20 Cw@21 P3=2:loader@25 N3@25 Cp@90 Cs@100 S3/0@100 Cu@105 Cy@110 Ia@400 X@405 R@900 "
	              "S2/0@900 R@901 R@902 R@903 Y0:0@1000");
	guest_check_page(&g, lines,
	                 "\"ran\":\"loader\",\"ran_pid\":2,\"ran_command\":\"loader fast\",\"ran_time\":800,");
}

/* Three children of init sleep, one after the other. */
static void test_siblings(void)
{
	static const char *const lines[] = {"3 x sleep 5 [2] waited in do_nanosleep, 50ns each; a timer ended it\n"
	                                    "                    for it waited init [1] in do_wait\n",
	                                    NULL};
	char words[500];
	struct guest g;

	if (!begin(&g))
		return;
	guest_add(&g, "S2/0@20");
	for (unsigned i = 0, t = 20; i < 3; i++, t += 100) {
		process(&g, 2 + i, 1, "sleep", "5");
		snprintf(words, sizeof(words),
		         "P%u=%u:sleep@%u N%u@%u Cw@%u Cs@%u S%u/0@%u Cn@%u Cs@%u S1/0@%u Ia@%u Ct@%u W%u@%u R@%u X@%u "
		         "S%u/0@%u R@%u R@%u W2@%u Cd@%u Cs@%u S2/0@%u R@%u R@%u",
		         3 + i, 2 + i, t, 3 + i, t, t + 1, t + 2, 3 + i, t + 5, t + 6, t + 7, t + 10, t + 60, t + 60,
		         3 + i, t + 60, t + 61, t + 62, 3 + i, t + 63, t + 64, t + 65, t + 70, t + 71, t + 72, t + 75,
		         t + 76, t + 77);
		guest_add(&g, words);
	}
	guest_add(&g, "Y0:0@330");
	guest_check_page(&g, lines, "\"tasks\":3,\"command\":\"sleep 5\",");
}

int main(void)
{
	test_rival();
	test_siblings();
	return TAP_DONE();
}
