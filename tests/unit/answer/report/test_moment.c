/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks at one moment: over interrupts, from the program on, of who runs and who waits. */
#include <exectrace/answer/report/moment.h>

#include "guest_sample.h"
#include <exectrace/base/buf.h>

/* "0: 1 a e !k; ~2 b" of what ran on CPU 0, and of what waited. */
static void print(struct buf *out, const struct replay *p, const struct moment *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct moment_stack *stack = &m->stacks[i];

		buf_puts(out, i ? "; " : "");
		if (stack->running)
			buf_printf(out, "%u: %u", stack->cpu, stack->pid);
		else
			buf_printf(out, "~%u", stack->pid);
		for (uint32_t k = 0; k < stack->n; k++)
			buf_printf(out, " %s%s", stack->frames[k].interrupt ? "!" : "",
			           replay_function(p, stack->frames[k].function)->name);
	}
}

/* At a moment, of all that ran or of tasks; "?" when that is behind the end. */
static char *at(const struct guest *g, uint64_t tick, const char *task)
{
	const struct replay_options options = {0};
	const struct task_select select = {.task = task};
	struct buf out = BUF_INIT, why = BUF_INIT;
	struct replay *p = NULL;
	struct moment m;

	if (CHECK_INT(replay_new(&p, g->recording, 0, &options, &why), 0)) {
		CHECK_INT(moment_read(&m, p, tick, &select), 0);
		if (m.reached)
			print(&out, p, &m);
		else
			buf_puts(&out, "?");
		moment_release(&m);
	}
	replay_free(p);
	buf_release(&why);
	buf_puts(&out, "");
	return buf_steal(&out);
}

/* Letters a to d are of a program, e to j of the kernel, k to n handle interrupts. */
static bool begin(struct guest *g)
{
	if (!guest_begin(g, DATA_CLOCK_INSTRUCTIONS, 0))
		return false;
	for (char letter = 'a'; letter <= 'n'; letter++)
		guest_name(g, letter, (char[]){letter, '\0'}, letter <= 'd' ? "prog" : "[kernel]");
	return true;
}

static void check(const char *text, uint64_t tick, const char *task, const char *want)
{
	struct guest g;
	char *got;

	if (!begin(&g))
		return;
	guest_add(&g, text);
	if (guest_open_recording(&g)) {
		got = at(&g, tick, task);
		CHECK_STR(got, want);
		free(got);
	}
	guest_end(&g);
}

static void test_examples(void)
{
	/* A program calls the kernel, which is interrupted; the interrupt has a stack of its own. */
	static const char over[] =
		"P10=1:one@0 P20=1:one@0 P30=0:[irq]@0 S20/0@1 Ca@2 S10/0@3 Ce@4 Cf@5 Ik@6 S30/0@7 Cl@8 "
		"Cm@9 R@10 R@11 S10/0@12 X@13 R@14 R@15 S20/0@16 R@17 Ca@20";
	/* The handlers tell only later whose stack it is. */
	static const char untold[] = "P10=1:one@0 S10/0@3 Ce@4 Ik@6 S30/0@7 Cl@8 P30=0:[irq]@8 R@11 S10/0@12 X@13 R@14";
	/* One waits while another one runs; then it goes on elsewhere. */
	static const char two[] =
		"P10=1:one@0 P11=2:two@0 S10/0@1 Ce@2 Cf@3 S11/0@4 Cg@5 S10/1@6 R@7 R@8 S11/0@9 R@9 Ch@20";

	/* Stacks of interrupts that lie on each other in a circle, as a damaged file may have it. */
	static const char circle[] =
		"P1=0:[irq]@0 P2=0:[irq]@0 P3=0:[irq]@0 P4=0:[irq]@0 S1/0@1 S2/0@2 S3/0@3 S1/0@4 S4/0@5 "
		"Ce@6 R@9";

	check(circle, 7, NULL, "0: 0 e");
	check(over, 2, NULL, "0: 1 a");
	check(over, 5, NULL, "0: 1 a e f");
	check(over, 6, NULL, "0: 1 a e f !k");
	check(over, 9, NULL, "0: 1 a e f !k l m");
	check(over, 11, NULL, "0: 1 a e f !k");
	check(over, 13, NULL, "0: 1 a e f");
	check(over, 16, NULL, "0: 1 a");
	check(over, 17, NULL, "");
	check(over, 25, NULL, "?");
	check(untold, 9, NULL, "0: 1 e !k l");
	check(two, 5, NULL, "0: 2 g");
	check(two, 5, "one", "~1 e f");
	check(two, 5, "*", "0: 2 g; ~1 e f");
	check(two, 7, NULL, "0: 2 g; 1: 1 e");
	check(two, 8, NULL, "0: 2 g");
}

/* --- Against a model ---------------------------------------------------------------------------------------------- */

#define TASKS 4u
#define CPUS 2u
#define DEPTH 8u

struct model_stack {
	char frames[DEPTH + 1]; /* one more for what ends a test */
	bool interrupt[DEPTH + 1];
	unsigned n;
};

struct model {
	struct model_stack kernel[TASKS], program[TASKS], irq[CPUS];
	bool in_kernel[TASKS]; /* its kernel stack is on top of its program's */
	bool in_irq[TASKS];    /* and that of interrupts on both */
	unsigned on[CPUS];     /* the task */
	unsigned seed;
	uint64_t clock;
	uint64_t last; /* stack and CPU of the last record */
	struct buf text;
};

static unsigned pick(struct model *m, unsigned n)
{
	m->seed = m->seed * 1103515245u + 12345u;
	return (m->seed >> 16) % n;
}

/* Records happen on the innermost stack of a CPU. */
static struct model_stack *top(struct model *m, unsigned cpu, uint64_t *id)
{
	unsigned task = m->on[cpu];

	*id = m->in_irq[task] ? 30 + cpu : m->in_kernel[task] ? 10 + task : 20 + task;
	return m->in_irq[task] ? &m->irq[cpu] : m->in_kernel[task] ? &m->kernel[task] : &m->program[task];
}

static void put(struct model *m, unsigned cpu, const char *what, char letter)
{
	uint64_t id;

	(void)top(m, cpu, &id);
	if (m->last != (id << 8 | cpu))
		buf_printf(&m->text, "S%llu/%u@%llu ", (unsigned long long)id, cpu, (unsigned long long)++m->clock);
	m->last = id << 8 | cpu;
	if (*what)
		buf_printf(&m->text, "%s%.*s@%llu ", what, letter != 0, &letter, (unsigned long long)++m->clock);
}

static void enter(struct model *m, unsigned cpu, char letter, bool interrupt)
{
	uint64_t id;
	struct model_stack *s = top(m, cpu, &id);

	put(m, cpu, interrupt ? "I" : "C", letter);
	s->frames[s->n] = letter;
	s->interrupt[s->n++] = interrupt;
}

/* Leaves the innermost call, and a stack that is empty then. */
static void leave(struct model *m, unsigned cpu)
{
	unsigned task = m->on[cpu];
	uint64_t id;
	struct model_stack *s = top(m, cpu, &id);

	put(m, cpu, s->interrupt[s->n - 1] ? "X" : "R", 0);
	s->n--;
	if (s->n || !m->in_kernel[task])
		return;
	if (m->in_irq[task])
		m->in_irq[task] = false;
	else
		m->in_kernel[task] = false;
	put(m, cpu, "", 0);
}

static void change_task(struct model *m, unsigned cpu)
{
	unsigned next = pick(m, TASKS);

	if (next == m->on[!cpu] || next == m->on[cpu] || !m->in_kernel[next])
		return;
	m->on[cpu] = next;
	put(m, cpu, "", 0);
}

static void step(struct model *m)
{
	unsigned cpu = pick(m, CPUS), task = m->on[cpu], what = pick(m, 8);
	uint64_t id;
	const struct model_stack *s = top(m, cpu, &id);
	bool interrupted = false;

	for (unsigned i = 0; i < s->n; i++)
		interrupted |= s->interrupt[i];
	if (what < 3 && s->n && (s->n > 1 || m->in_kernel[task])) {
		leave(m, cpu);
	} else if (!m->in_kernel[task] && s->n && what == 3) {
		m->in_kernel[task] = true;
		enter(m, cpu, 'e', false);
	} else if (!m->in_kernel[task] && s->n && what == 4) {
		m->in_kernel[task] = true;
		enter(m, cpu, 'k', true);
	} else if (m->in_kernel[task] && !m->in_irq[task] && !interrupted && what == 3) {
		change_task(m, cpu);
	} else if (m->in_kernel[task] && !m->in_irq[task] && !interrupted && what == 4 && s->n < DEPTH) {
		enter(m, cpu, 'k', true);
	} else if (m->in_kernel[task] && !m->in_irq[task] && s->n && s->interrupt[s->n - 1] && what == 5) {
		m->in_irq[task] = true;
		enter(m, cpu, 'l', false);
	} else if (s->n < DEPTH) {
		enter(m, cpu,
		      (char)((m->in_irq[task]      ? 'l'
		              : m->in_kernel[task] ? 'f'
		                                   : 'a') +
		             (int)pick(m, 3)),
		      false);
	}
}

static void print_frames(struct buf *out, const struct model_stack *s)
{
	for (unsigned i = 0; i < s->n; i++)
		buf_printf(out, " %s%c", s->interrupt[i] ? "!" : "", s->frames[i]);
}

static void print_task(struct buf *out, const struct model *m, unsigned task, int cpu)
{
	const bool kernel = m->in_kernel[task];

	if (!m->program[task].n && !(kernel && m->kernel[task].n))
		return;
	buf_puts(out, out->len ? "; " : "");
	if (cpu >= 0)
		buf_printf(out, "%d: %u", cpu, task + 1);
	else
		buf_printf(out, "~%u", task + 1);
	print_frames(out, &m->program[task]);
	if (kernel)
		print_frames(out, &m->kernel[task]);
	if (cpu >= 0 && m->in_irq[task])
		print_frames(out, &m->irq[cpu]);
}

/* What moment_read is to give of all tasks, or of those that run. */
static char *expected(const struct model *m, bool all)
{
	struct buf out = BUF_INIT;

	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		print_task(&out, m, m->on[cpu], (int)cpu);
	for (unsigned task = 0; task < TASKS && all; task++)
		if (task != m->on[0] && task != m->on[1])
			print_task(&out, m, task, -1);
	buf_puts(&out, "");
	return buf_steal(&out);
}

#define MOMENTS 6u
#define STEPS 160u

static void compare(const struct guest *g, uint64_t tick, const char *task, const char *want, const struct model *m)
{
	char *got = at(g, tick, task);

	if (!CHECK_STR(got, want))
		printf("# at %llu of: %s\n", (unsigned long long)tick, m->text.data);
	free(got);
}

static void test_model(unsigned seed)
{
	struct model m = {.seed = seed, .on = {0, 1}, .text = BUF_INIT, .last = UINT64_MAX};
	uint64_t ticks[MOMENTS];
	char *want[MOMENTS][2];
	struct guest g;

	for (unsigned task = 0; task < TASKS; task++)
		buf_printf(&m.text, "P%u=%u:t%u@0 P%u=%u:t%u@0 ", 10 + task, task + 1, task + 1, 20 + task, task + 1,
		           task + 1);
	buf_puts(&m.text, "P30=0:[irq]@0 P31=0:[irq]@0 ");
	/* All tasks are in the kernel at first, as is one that was just made. */
	for (unsigned task = TASKS; task-- > 0;) {
		m.on[task & 1] = task;
		m.in_kernel[task] = true;
		enter(&m, task & 1, 'e', false);
	}
	for (unsigned i = 0; i < MOMENTS; i++) {
		for (unsigned n = 0; n < STEPS / MOMENTS; n++)
			step(&m);
		ticks[i] = m.clock;
		want[i][0] = expected(&m, false);
		want[i][1] = expected(&m, true);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		enter(&m, cpu, m.in_irq[m.on[cpu]] ? 'l' : m.in_kernel[m.on[cpu]] ? 'f' : 'a', false);
	if (begin(&g)) {
		guest_add(&g, m.text.data);
		if (guest_open_recording(&g))
			for (unsigned i = 0; i < MOMENTS; i++) {
				compare(&g, ticks[i], NULL, want[i][0], &m);
				compare(&g, ticks[i], "t*", want[i][1], &m);
			}
		guest_end(&g);
	}
	for (unsigned i = 0; i < MOMENTS; i++) {
		free(want[i][0]);
		free(want[i][1]);
	}
	buf_release(&m.text);
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	test_examples();
	printf("# seeds from %u\n", seed);
	for (unsigned i = 0; i < 200; i++)
		test_model(seed + i);
	return TAP_DONE();
}
