/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lines of the kernel's log are shown with a trouble: those of its own task, in front of the dump. */
#include <exectrace/answer/why/guest/guest.h>

#include "guest_sample.h"

static void begin(struct guest *g)
{
	if (!guest_begin(g, DATA_CLOCK_MONOTONIC, 1000000000))
		return;
	guest_name(g, 'p', "panic", "[kernel]");
	guest_name(g, 'o', "oops_enter", "[kernel]");
	guest_name(g, 'w', "__warn", "[kernel]");
	guest_name(g, 'k', "oom_kill_process", "[kernel]");
	guest_name(g, 'h', "watchdog", "[kernel]");
	guest_name(g, 'c', "watchdog.cold", "[kernel]");
	guest_add(g, "S1/0@0 P1=17:task@0 Ch@1");
}

/* The lines of trouble number i, or (-1) the last ones, one behind the other. */
static const char *lines_of(const struct guest_story *story, int i)
{
	static char text[4096];
	const struct guest_said *said = i < 0 ? &story->last : &story->troubles[i].said;

	text[0] = '\0';
	for (size_t k = 0; k < said->n; k++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", k ? "|" : "", said->lines[k].text);
	return text;
}

/* Opens what was recorded; the lines of each trouble are to be these. */
static void check(struct guest *g, size_t n, const char *const *want, const char *last)
{
	struct guest_story *story = NULL;
	struct buf why = BUF_INIT;

	if (!guest_open_recording(g) || !CHECK_INT(guest_story_read(&story, g->recording, 0, &why), 0))
		return;
	CHECK_INT(story->n_troubles, n);
	for (size_t i = 0; i < n && i < story->n_troubles; i++)
		CHECK_STR(lines_of(story, (int)i), want[i]);
	if (last)
		CHECK_STR(lines_of(story, -1), last);
	guest_story_free(story);
	buf_release(&why);
	guest_end(g);
}

static void oops(void)
{
	struct guest g;

	begin(&g);
	guest_message(&g, 2, 3, 17, "an error of before");
	guest_add(&g, "Co@3");
	guest_message(&g, 4, 1, 17, "BUG: one");
	guest_message(&g, 5, 1, 18, "another task's");
	guest_message(&g, 6, 6, 17, "PGD 0");
	guest_message(&g, 7, 4, 17, "Oops: 0000");
	guest_message(&g, 8, 4, 17, "CPU: 0 PID: 17");
	guest_message(&g, 9, 4, 17, "RAX: 0");
	guest_message(&g, 10, 1, 17, "two");
	guest_message(&g, 11, 1, 17, "three");
	guest_message(&g, 12, 1, 17, "four");
	guest_add(&g, "Cp@13");
	guest_message(&g, 14, 0, 17, "Kernel panic - not syncing: x");
	guest_message(&g, 15, 0, 17, "Kernel Offset: 0");
	check(&g, 1, (const char *[]){"BUG: one|Oops: 0000|two|Kernel panic - not syncing: x"},
	      "four|Kernel panic - not syncing: x|Kernel Offset: 0");
}

/* The reason of a warning may come before what tells of it; what is said behind it is not about it. */
static void warning(void)
{
	struct guest g;

	begin(&g);
	guest_message(&g, 2, 4, 17, "a warning of before");
	guest_message(&g, 3, 4, 17, "------------[ cut here ]------------");
	guest_message(&g, 4, 4, 17, "the reason");
	guest_add(&g, "Cw@5");
	guest_message(&g, 6, 4, 17, "WARNING: CPU: 0 PID: 17 at x.c:1");
	guest_message(&g, 7, 4, 17, "Modules linked in:");
	guest_message(&g, 8, 4, 17, "RAX: 0");
	guest_add(&g, "R@9");
	guest_message(&g, 10, 3, 17, "an error of behind");
	guest_add(&g, "R@11");
	check(&g, 1, (const char *[]){"the reason|WARNING: CPU: 0 PID: 17 at x.c:1"}, NULL);
}

static void memory(void)
{
	struct guest g;

	begin(&g);
	guest_add(&g, "Ck@5");
	guest_message(&g, 6, 4, 17, "task invoked oom-killer");
	guest_message(&g, 7, 3, 17, "Out of memory: Killed process 1");
	guest_add(&g, "R@8 R@9");
	check(&g, 1, (const char *[]){"Out of memory: Killed process 1"}, NULL);
}

/* A panic is led to by what the function said that panics; an interrupt speaks for its CPU. */
static void panic(void)
{
	struct guest g;

	begin(&g);
	guest_message(&g, 2, 3, 17, "INFO: task blocked");
	guest_message(&g, 3, 3, 99, "of another task");
	guest_add(&g, "Cc@4 Cp@5");
	guest_message(&g, 6, 0, DATA_MESSAGE_CPU, "Kernel panic - not syncing: hung");
	check(&g, 1, (const char *[]){"INFO: task blocked|Kernel panic - not syncing: hung"}, NULL);
}

static void none(void)
{
	char text[600];
	struct guest g;

	begin(&g);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	guest_message(&g, 2, 6, 0, "one");
	guest_message(&g, 3, 6, 0, "two");
	guest_message(&g, 4, 6, 0, "");
	guest_message(&g, 5, 6, 0, text);
	guest_add(&g, "R@9");
	text[255] = '\0';
	memmove(text + 5, text, 256);
	memcpy(text, "two||", 5);
	check(&g, 0, NULL, text);
}

int main(void)
{
	oops();
	warning();
	memory();
	panic();
	none();
	return TAP_DONE();
}
