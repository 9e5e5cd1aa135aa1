/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest on tracks: a thread for each task, with its calls, and one for each CPU, with the tasks that ran there. */
#include <exectrace/answer/export/guest/nest.h>

#include <exectrace/answer/format/text.h>
#include <exectrace/base/grow.h>
#include <stdio.h>
#include <string.h>

#define NOTES_MAX 3 /* of a call: arguments, result, how it ended */

/* Numbers of tracks. */
#define TRACK_TASK (1ull << 42)  /* and the number of the task */
#define TRACK_GROUP (1ull << 43) /* and the process of the guest */
#define TRACK_CPU (1ull << 44)   /* and the CPU */
#define TRACK_LOG (1ull << 45)   /* of what the kernel logged */

/* Ids for viewers, which no process of the host can have. */
#define PID_BASE 1000000000u          /* and an id of the guest */
#define PID_UNTOLD (PID_BASE - 1)     /* the process of stacks of which it is not known whose they are */
#define PID_CPUS (PID_BASE - 2)       /* that of the CPUs */
#define TID_UNTOLD (PID_BASE / 2)     /* and the number of the task */
#define TID_CPU (PID_BASE - 1000000u) /* and the CPU */
#define TID_LOG (TID_CPU - 1)

/* What runs on a CPU at the moment. */
struct guest_tracks_running {
	bool any;
	bool told;
	uint32_t pid;
	const char *task;
	uint64_t begin, end; /* ticks */
	bool named;          /* the track is */
};

struct canvas {
	struct guest *g;
	struct tracks *tracks;
	struct nest nest;
	struct byte_map groups; /* by process: the address of the name that it has got */
	struct byte_map tids;   /* by task id: the number of the task that has it as a track */
	struct guest_tracks_running *running;
	size_t n_running, cap_running;
	bool logged; /* the track of what the kernel logged is named */
};

/* The name of a task, which may have none; unnamed: room for 32 bytes. */
static const char *task_name(const char *name, uint32_t pid, char *unnamed)
{
	if (*name)
		return name;
	snprintf(unnamed, 32, "task %u", pid);
	return unnamed;
}

/* --- Calls ---------------------------------------------------------------------------------------------------------
 */

/* Two stacks of a task may both be in use: only one of them has its id. */
static int tid_of(struct canvas *c, const struct nest_task *task, uint32_t *tid)
{
	uint64_t *owner;
	int rc;

	*tid = TID_UNTOLD + (uint32_t)task->number;
	if (!task->told || task->pid >= PID_BASE)
		return 0;
	rc = byte_map_find(&c->tids, &task->pid, sizeof(task->pid), &owner);
	if (!rc && !*owner)
		*owner = task->number;
	if (!rc && *owner == task->number)
		*tid = PID_BASE + task->pid;
	return rc;
}

/* A process is called as its first thread is. */
static int name_group(struct canvas *c, uint32_t pid, bool leader, const char *name)
{
	uint64_t *known;
	int rc = byte_map_find(&c->groups, &pid, sizeof(pid), &known);

	if (rc || (*known && (!leader || *known == (uintptr_t)name)))
		return rc;
	*known = (uintptr_t)name;
	return tracks_process(c->tracks, TRACK_GROUP + pid, pid, text_of(name), (struct data_text){0});
}

static int on_task(void *ctx, struct nest_task *task)
{
	struct canvas *c = ctx;
	uint32_t group = task->tgid ? task->tgid : task->pid, pid = PID_UNTOLD, tid;
	char unnamed[32];
	const char *name = task_name(task->name, task->pid, unnamed);
	int rc = tid_of(c, task, &tid);

	if (!task->told) {
		snprintf(unnamed, sizeof(unnamed), "stack %llu", (unsigned long long)task->stack);
		name = unnamed;
	}
	if (task->told && group < PID_BASE)
		pid = PID_BASE + group;
	if (!rc)
		rc = name_group(c, pid, group == task->pid, pid == PID_UNTOLD ? "[no task]" : name);
	return rc ? rc : tracks_thread(c->tracks, TRACK_TASK + task->number, pid, tid, text_of(name));
}

/* What there is to tell of a call that begins; how much. */
static unsigned put_notes(struct track_note notes[NOTES_MAX], const struct call_line *line)
{
	unsigned n = 0;

	if (line->args)
		notes[n++] = (struct track_note){.name = "args", .text = text_of(line->args)};
	if (line->result)
		notes[n++] = (struct track_note){.name = "result", .text = text_of(line->result)};
	if (!line->ended || !line->seen)
		notes[n++] = (struct track_note){.name = "end",
		                                 .text = text_of(line->ended ? "not seen" : "behind the recording")};
	return n;
}

static int on_open(void *ctx, struct nest_stack *stack)
{
	struct canvas *c = ctx;
	const struct nest_call *call = &stack->calls[stack->n - 1];
	const struct replay_function *function = replay_function(c->g->replay, call->line.function);
	struct track_note notes[NOTES_MAX];
	const struct track_slice slice = {
		.track = TRACK_TASK + call->task->number,
		.begin = guest_time(c->g, call->begin),
		.end = guest_time(c->g, call->end),
		.category = call->line.interrupt ? "interrupt" : function->module,
		.name = text_of(function->name),
		.notes = notes,
		.nnotes = put_notes(notes, &call->line),
	};

	return tracks_open(c->tracks, &slice);
}

static int on_close(void *ctx, struct nest_stack *stack)
{
	struct canvas *c = ctx;
	const struct nest_call *call = &stack->calls[stack->n - 1];

	return tracks_close(c->tracks, TRACK_TASK + call->task->number, guest_time(c->g, call->end));
}

static int on_line(void *ctx, const struct call_line *line)
{
	return nest_line(&((struct canvas *)ctx)->nest, line);
}

/* --- CPUs ----------------------------------------------------------------------------------------------------------
 */

static int name_cpu(struct canvas *c, uint32_t cpu)
{
	char name[24];

	snprintf(name, sizeof(name), "CPU %u", cpu);
	return tracks_thread(c->tracks, TRACK_CPU + cpu, PID_CPUS, TID_CPU + cpu, text_of(name));
}

/* Writes what ran on a CPU until now. */
static int show_running(struct canvas *c, uint32_t cpu)
{
	struct guest_tracks_running *r = &c->running[cpu];
	struct budget *budget = c->g->e->options.budget;
	uint64_t length = r->end - r->begin, before = exporter_position(c->g->e);
	const struct track_note note = {.name = "pid", .number = r->pid};
	char unnamed[32];
	const struct track_slice slice = {
		.track = TRACK_CPU + cpu,
		.begin = guest_time(c->g, r->begin),
		.end = guest_time(c->g, r->end),
		.category = "cpu",
		.name = text_of(r->told ? task_name(r->task, r->pid, unnamed) : "[no task]"),
		.notes = &note,
		.nnotes = r->told,
	};
	int rc;

	if (!r->any || (budget && budget_folds(budget, length)))
		return 0;
	rc = r->named ? 0 : name_cpu(c, cpu);
	r->named = true;
	if (!rc)
		rc = tracks_slice(c->tracks, &slice);
	if (budget && budget_measures(budget))
		budget_add(budget, length, 0, exporter_position(c->g->e) - before);
	return rc ? rc : spool_drain(&c->g->e->out);
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct canvas *c = ctx;
	uint64_t end = replay_now(c->g->replay, cpu), begin = end > ticks ? end - ticks : 0;
	bool told = stack->tasks != 0;
	struct guest_tracks_running *r;
	int rc = 0;

	while (!rc && cpu >= c->n_running) {
		rc = grow_array((void **)&c->running, c->n_running, &c->cap_running, sizeof(*c->running));
		if (!rc)
			c->running[c->n_running++] = (struct guest_tracks_running){0};
	}
	if (rc)
		return rc;
	r = &c->running[cpu];
	if (r->any && r->end == begin && r->told == told && r->pid == stack->pid && r->task == stack->task) {
		r->end = end;
		return 0;
	}
	rc = show_running(c, cpu);
	*r = (struct guest_tracks_running){true, told, stack->pid, stack->task, begin, end, r->named};
	return rc;
}

/* What the kernel logged is a moment on a track beside the CPUs. */
static int on_message(void *ctx, struct replay_stack *stack, const struct data_message *m, uint64_t now)
{
	struct canvas *c = ctx;
	uint64_t before = exporter_position(c->g->e);
	const struct track_note notes[] = {{.name = "level", .number = m->level}, {.name = "cpu", .number = m->cpu}};
	const struct track_slice slice = {
		.track = TRACK_LOG,
		.begin = guest_time(c->g, now),
		.instant = true,
		.category = "message",
		.name = m->text,
		.notes = notes,
		.nnotes = 2,
	};
	int rc = c->logged ? 0 : tracks_thread(c->tracks, TRACK_LOG, PID_CPUS, TID_LOG, text_of("kernel log"));

	(void)stack;
	c->logged = true;
	if (!rc)
		rc = tracks_slice(c->tracks, &slice);
	if (exporter_measures(c->g->e))
		budget_add_fixed(c->g->e->options.budget, exporter_position(c->g->e) - before);
	return rc ? rc : spool_drain(&c->g->e->out);
}

static int show_cpus(struct canvas *c)
{
	const struct replay_sink sink = {.ctx = c, .ran = on_ran, .message = on_message};
	int rc = tracks_process(c->tracks, TRACK_GROUP + PID_CPUS, PID_CPUS, text_of("[CPUs]"), (struct data_text){0});

	if (!rc)
		rc = replay_run(c->g->replay, &sink);
	for (size_t i = 0; i < c->n_running && !rc; i++)
		rc = show_running(c, (uint32_t)i);
	return rc;
}

/* True when all calls are wanted, so that the CPUs are, too. */
static bool is_all(const struct functions_options *which)
{
	return !which->task && !which->n_pids && !which->under && which->irq == FUNCTIONS_IRQ_TOO;
}

int guest_tracks(struct guest *g, struct tracks *tracks)
{
	struct canvas c = {.g = g, .tracks = tracks};
	const struct nest_sink sink = {&c, on_task, on_open, on_close};
	int rc = is_all(g->which) ? show_cpus(&c) : 0;

	c.nest.sink = &sink;
	g->values = CALL_VALUES_TEXT; /* lines have texts while they are told: nest_line opens their calls at once */
	if (!rc)
		rc = guest_lines(g, on_line, &c);
	if (!rc)
		rc = nest_finish(&c.nest);
	nest_release(&c.nest);
	byte_map_release(&c.groups);
	byte_map_release(&c.tids);
	free(c.running);
	return rc;
}
