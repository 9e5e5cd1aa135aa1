/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Surveys of small recordings of a guest: paths, who ran when as what, tasks that change their names. */
#include <exectrace/answer/calltree/overview.h>

#include "guest_sample.h"

struct world {
	struct overview *overview;
	struct buf text;
};

/* Adds a recording given as text to a side. */
static void add(struct world *w, const char *text, unsigned side)
{
	static const struct replay_options plain;
	struct buf why = BUF_INIT;
	struct replay *p = NULL;
	struct guest guest;
	size_t n;

	if (!guest_begin(&guest, DATA_CLOCK_INSTRUCTIONS, 0))
		return;
	guest_add(&guest, text);
	if (guest_open_recording(&guest) && CHECK_INT(replay_new(&p, guest.recording, 0, &plain, &why), 0)) {
		CHECK_INT(overview_guest(w->overview, p, side), 0);
		overview_finish(w->overview);
		CHECK_INT(calltree_nodes(overview_paths(w->overview), &n)->sides[side].total, replay_cpu_time(p));
	}
	buf_release(&why);
	replay_free(p);
	guest_end(&guest);
}

static bool begin(struct world *w, const char *text)
{
	*w = (struct world){0};
	if (!CHECK_INT(overview_new(&w->overview), 0))
		return false;
	add(w, text, 0);
	return true;
}

static void done(struct world *w)
{
	overview_free(w->overview);
	buf_release(&w->text);
}

static void put_path(struct world *w, const struct calltree *p, uint32_t path)
{
	size_t n;
	const struct calltree_node *at = &calltree_nodes(p, &n)[path];

	if (at->parent != CALLTREE_ROOT) {
		put_path(w, p, at->parent);
		(void)buf_putc(&w->text, ';');
	}
	(void)buf_puts(&w->text, calltree_functions(p, &n)[at->function].name);
}

/* Paths that took something or were called, in the order in which they were first taken: "task;a;b 10*1 ". */
static const char *paths(struct world *w, unsigned side)
{
	const struct calltree *p = overview_paths(w->overview);
	size_t n;
	const struct calltree_node *nodes = calltree_nodes(p, &n);

	w->text.len = 0;
	for (uint32_t i = 1; i < n; i++) {
		const struct calltree_weight *at = &nodes[i].sides[side];

		if (!at->self && !at->count)
			continue;
		put_path(w, p, i);
		(void)buf_printf(&w->text, " %llu*%llu ", (unsigned long long)at->self, (unsigned long long)at->count);
	}
	return w->text.data;
}

/* Lanes of a group: "name:from-to" and the sums of kinds that are there, "0=10". */
static const char *lanes(struct world *w, unsigned group)
{
	const struct lanes *a = overview_activity(w->overview);

	w->text.len = 0;
	for (uint32_t i = 0; i < lanes_count(a); i++) {
		const struct lanes_lane *lane = lanes_at(a, i);

		if (lane->group != group)
			continue;
		for (size_t n = 0; n < lane->n_names; n++)
			(void)buf_printf(&w->text, "%s%s", n ? ">" : "", lane->names[n].name);
		(void)buf_printf(&w->text, ":%llu-%llu", (unsigned long long)lane->from, (unsigned long long)lane->to);
		for (unsigned k = 0; k < ACTIVITY_KINDS; k++)
			if (lane->sums[k])
				(void)buf_printf(&w->text, " %u=%llu", k, (unsigned long long)lane->sums[k]);
		(void)buf_putc(&w->text, ' ');
	}
	return w->text.data;
}

/* a calls b; an interrupt comes; stack 2 runs in between. */
static void test_paths(void)
{
	static const char text[] = "S1/0@0 P1=7:sh@0 Ca@10 Cb@20 Ii@30 Cj@32 R@35 X@40 "
				   "S2/0@50 P2=8:ls@50 Ca@50 R@60 S1/0@70 R@90 R@100";
	struct world w;

	if (begin(&w, text)) {
		CHECK_STR(paths(&w, 0), "sh;a 20*1 sh;[no function] 10*0 sh;a;b 40*1 [interrupts];i 7*1 "
		                        "[interrupts];i;j 3*1 ls;a 10*1 ls;[no function] 10*0 ");
		CHECK_STR(lanes(&w, SURVEY_CPUS), "CPU 0:0-100 0=70 3=10 6=20 ");
		CHECK_STR(lanes(&w, SURVEY_TASKS), "sh:0-100 0=60 3=10 6=10 ls:50-70 0=10 6=10 ");
	}
	done(&w);
}

/* A kernel thread runs its first function when it gets its name: what goes on from it is below that. */
static void test_name(void)
{
	struct world w;

	if (begin(&w, "S1/0@0 P1=2:kthreadd@0 Ca@0 Cb@10 R@20 P1=2:worker@30 Cb@40 R@60 R@100")) {
		CHECK_STR(paths(&w, 0), "kthreadd;a;b 10*1 worker;a 70*1 worker;a;b 20*1 ");
		CHECK_STR(lanes(&w, SURVEY_TASKS), "kthreadd>worker:0-100 0=100 ");
	}
	done(&w);
	if (begin(&w, "S1/0@0 P1=2:one@0 Ca@0 R@10 P1=3:two@10 Ca@10 R@30")) {
		CHECK_STR(lanes(&w, SURVEY_TASKS), "one:0-10 0=10 two:10-30 0=20 ");
	}
	done(&w);
	if (begin(&w, "S1/0@0 Ca@0 R@10 P1=3:@10 Ca@10 R@30"))
		CHECK_STR(lanes(&w, SURVEY_TASKS), "[unknown]:0-10 0=10 task 3:10-30 0=20 ");
	done(&w);
}

/* Two CPUs, one of which is not known to run anything for a while; calls that have not returned. */
static void test_cpus(void)
{
	struct world w;

	if (begin(&w, "S1/0@0 P1=1:x@0 Ca@0 S2/1@10 P2=2:y@10 Cb@10 S1/1@30 R@50 S2/0@60 Y0:0@80")) {
		CHECK_STR(lanes(&w, SURVEY_TASKS), "x:30-50 0=20 y:10-80 0=40 ");
		CHECK_STR(lanes(&w, SURVEY_CPUS), "CPU 0:60-80 0=20 CPU 1:10-50 0=40 ");
	}
	done(&w);
	/* Each counts for itself: a stack goes over to one whose clock is behind. */
	if (begin(&w, "S1/0@1000 P1=1:x@1000 Ca@1000 R@1020 S2/0@1040 P2=2:y@1040 Cb@1040 R@1060 "
	              "S1/1@10 Ca@30 R@50 S3/1@60")) {
		CHECK_STR(paths(&w, 0), "x;a 40*2 x;[no function] 50*0 y;b 20*1 ");
		CHECK_STR(lanes(&w, SURVEY_CPUS), "CPU 0:1000-1060 0=40 6=20 CPU 1:10-60 0=20 6=30 ");
	}
	done(&w);
}

static void test_sides(void)
{
	struct world w;

	if (begin(&w, "S1/0@0 P1=1:x@0 Ca@0 Cb@10 R@20 R@30")) {
		add(&w, "S1/0@0 P1=1:x@0 Ca@0 Cc@5 R@20 R@25", 1);
		CHECK_STR(paths(&w, 0), "x;a 20*1 x;a;b 10*1 ");
		CHECK_STR(paths(&w, 1), "x;a 10*1 x;a;c 15*1 ");
		CHECK_STR(lanes(&w, SURVEY_TASKS), "x:0-30 0=30 ");
	}
	done(&w);
}

int main(void)
{
	test_paths();
	test_name();
	test_cpus();
	test_sides();
	return TAP_DONE();
}
