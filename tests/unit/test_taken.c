/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of picked processes, moved by the wait events of real ones, for an engine that does nothing itself: what
 * it is told to do is noted here.
 */
#include "../../src/engine/private.h"
#include "program.h"
#include "tap.h"
#include <exectrace/base/cleanup.h>

static const char source[] =
	"#include <stdio.h>\n"
	"int main(int c, char **v) { for (int i = 0; i < c; i++) printf(\"<%s>\", v[i]); return 6; }\n";

static unsigned resumed;

static void resume(struct engine *engine, struct taken *taken, bool follow)
{
	(void)engine;
	(void)follow;
	resumed++;
	(void)tracee_detach(taken->pub.tid, 0);
}

static const struct engine_ops sleep_ops = {.name = "test", .resume = resume, .park_kind = PARK_SLEEP};
static const struct engine_ops loop_ops = {.name = "test", .resume = resume, .park_kind = PARK_LOOP};
static const struct engine_ops call_ops = {.name = "test", .resume = resume, .park_kind = PARK_CALL};

static struct launch launch;
static struct engine engine;

static void begin(const struct engine_ops *ops)
{
	resumed = 0;
	launch = (struct launch){.shared = shared_map()};
	engine = (struct engine){0};
	CHECK_INT(engine_init(&engine, ops, &launch), 0);
}

static void finish_engine(void)
{
	engine_release_common(&engine);
	shared_unmap(launch.shared);
}

static void list(void)
{
	struct engine_event ev;
	struct taken *a, *b, *c;

	begin(&loop_ops);
	a = taken_new(&engine, 101);
	b = taken_new(&engine, 102);
	c = taken_new(&engine, 103);
	CHECK(a && b && c);
	CHECK(a->pub.tid == 101 && a->seized == 101);
	CHECK(taken_find(&engine, 101) == a && taken_find(&engine, 102) == b && taken_find(&engine, 103) == c);
	CHECK(!taken_find(&engine, 104));
	/* A thread that executes gets the pid of its leader; it is found by both. */
	b->seized = 202;
	CHECK(taken_find(&engine, 202) == b && taken_find(&engine, 102) == b);
	taken_executed(&engine, b, 102, &ev);
	CHECK(ev.type == ENGINE_TAKEN && ev.tracee == &b->pub && b->state == TAKEN_STANDS && b->seized == 102);
	CHECK(!taken_find(&engine, 202));
	b->park = park_alloc(launch.shared);
	atomic_store(&b->park->state, PARK_ENTERED);
	taken_event(&engine, b, ENGINE_GONE, -3, &ev);
	CHECK(ev.type == ENGINE_GONE && ev.tracee == &b->pub && ev.err == -3);
	CHECK(!taken_find(&engine, 102) && launch.shared->park[0].state == PARK_FREE);
	CHECK(taken_find(&engine, 101) == a && taken_find(&engine, 103) == c);
	taken_drop(&engine, c);
	taken_drop(&engine, a);
	CHECK(!engine.taken);
	finish_engine();
}

/* The next wait event of the entry's process, handed on. */
static struct engine_event step(struct taken *taken)
{
	struct engine_event ev = {.type = (enum engine_event_type) - 1};
	struct wait_event wait;

	if (CHECK_INT(wait_for(taken->pub.tid, &wait), 0))
		taken_child(&engine, taken, &wait, &ev);
	return ev;
}

/* Steps until something is to be told. */
static struct engine_event steps(struct taken *taken)
{
	struct engine_event ev = {.type = ENGINE_NONE};

	for (int i = 0; i < 20 && ev.type == ENGINE_NONE; i++)
		ev = step(taken);
	return ev;
}

/* A program at its exec event, which is told. */
static struct taken *taken_at_exec(struct stopped *s, char *const *argv)
{
	char *envp[] = {NULL};
	struct wait_event wait = {.kind = WAIT_EVENT, .event = PTRACE_EVENT_EXEC, .sig = SIGTRAP};
	struct engine_event ev;
	struct taken *taken;

	*s = start_at_exec(argv, envp);
	taken = taken_new(&engine, s->pid);
	taken->state = TAKEN_WAITING;
	wait.pid = s->pid;
	taken_child(&engine, taken, &wait, &ev);
	CHECK(ev.type == ENGINE_TAKEN && ev.tracee == &taken->pub && taken->state == TAKEN_STANDS);
	return taken;
}

static void runs(struct stopped *s, const char *want)
{
	char text[2400];

	CHECK_STR(output_of(s->out, text, sizeof(text)), want);
	CHECK_INT(end_of(s->pid), 6 << 8);
	close(s->out);
}

/* The execve failed: seized and interrupted, it is back in its old program. */
static void failing(void)
{
	struct engine_event ev;
	struct taken *taken;
	pid_t pid = idle_child();

	begin(&loop_ops);
	taken = taken_new(&engine, pid);
	taken->state = TAKEN_WAITING;
	CHECK_INT(tracee_seize(pid, SEIZE_EXEC), 0);
	CHECK_INT(tracee_interrupt(pid), 0);
	ev = step(taken);
	CHECK(ev.type == ENGINE_FAILED && ev.tracee == &taken->pub);
	CHECK(!taken_find(&engine, pid));
	CHECK(reaches_state(pid, "S"));
	finish(pid);
	/* A signal came first: it is not lost. */
	pid = idle_child();
	taken = taken_new(&engine, pid);
	taken->state = TAKEN_WAITING;
	CHECK_INT(tracee_seize(pid, SEIZE_EXEC), 0);
	kill(pid, SIGUSR1);
	ev = step(taken);
	CHECK_INT(ev.type, ENGINE_FAILED);
	CHECK_INT(end_of(pid), SIGUSR1);
	finish_engine();
}

static void dying(void)
{
	struct engine_event ev;
	struct taken *taken;
	pid_t pid = idle_child();

	begin(&loop_ops);
	taken = taken_new(&engine, pid);
	taken->state = TAKEN_STANDS;
	kill(pid, SIGKILL);
	ev = step(taken);
	CHECK(ev.type == ENGINE_GONE && ev.tracee == &taken->pub);
	CHECK(!taken_find(&engine, pid));
	finish_engine();
}

/* Steps until it is parked: at once in a loop, but a thread has yet to get into a call. */
static struct engine_event park_steps(struct taken *taken, const struct engine_ops *ops)
{
	struct engine_event ev = step(taken);

	if (ops->park_kind == PARK_LOOP)
		return ev;
	CHECK_INT(ev.type, ENGINE_NONE);
	CHECK_INT(taken->state, TAKEN_ENTERING);
	for (int i = 0; i < 500 && ops->park_kind == PARK_SLEEP && !taken_asleep(&engine, &ev); i++)
		nap(2);
	return ev;
}

/* Parked: attached to nobody, on record for the keeper, and it runs when it is released. */
static void parking(const char *program, const struct engine_ops *ops)
{
	char *argv[] = {(char *)program, (char *)"arg", NULL};
	char text[1200];
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;
	struct park park;

	begin(ops);
	taken = taken_at_exec(&s, argv);
	taken->state = TAKEN_PARKING;
	CHECK(!taken_asleep(&engine, &ev));
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	ev = park_steps(taken, ops);
	CHECK(taken->park == &launch.shared->park[0] && taken->park->state == PARK_ENTERED);
	CHECK(taken->park->park.tid == s.pid && taken->park->park.kind == ops->park_kind);
	park = taken->park->park;
	/* Without the filter that the park call waits in, the kernel refuses it, and the program just runs. */
	if (ops->park_kind != PARK_CALL) {
		CHECK(ev.type == ENGINE_PARKED && ev.tracee == &taken->pub && taken->state == TAKEN_PARKED);
		CHECK(!taken_asleep(&engine, &ev));
		CHECK(is_silent(s.out, 10));
		CHECK_INT(park_restore(&park), 0);
		if (ops->park_kind == PARK_SLEEP)
			CHECK_INT(park_kick(s.pid), 0);
	}
	snprintf(text, sizeof(text), "<%s><arg>", program);
	runs(&s, text);
	taken_drop(&engine, taken);
	CHECK_INT(launch.shared->park[0].state, PARK_FREE);
	finish_engine();
}

/* Killed on its way into the sleep. */
static void killed_while_entering(const char *program)
{
	char *argv[] = {(char *)program, NULL};
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;

	begin(&sleep_ops);
	taken = taken_at_exec(&s, argv);
	taken->state = TAKEN_PARKING;
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	CHECK_INT(step(taken).type, ENGINE_NONE);
	finish(s.pid);
	CHECK_INT(taken_asleep(&engine, &ev), 1);
	CHECK(ev.type == ENGINE_GONE && ev.tracee == &taken->pub);
	CHECK_INT(launch.shared->park[0].state, PARK_FREE);
	CHECK_INT(taken_asleep(&engine, &ev), 0);
	close(s.out);
	finish_engine();
}

/* No room on record: it is not parked, and runs on. */
static void park_refused(const char *program)
{
	char *argv[] = {(char *)program, NULL}, text[1200];
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;

	begin(&loop_ops);
	for (size_t i = 0; i < PARKS; i++)
		atomic_store(&launch.shared->park[i].state, PARK_ENTERED);
	taken = taken_at_exec(&s, argv);
	taken->state = TAKEN_PARKING;
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	ev = step(taken);
	CHECK(ev.type == ENGINE_PARK_FAILED && ev.err == -EAGAIN && ev.tracee == &taken->pub);
	CHECK_INT(resumed, 1);
	snprintf(text, sizeof(text), "<%s>", program);
	runs(&s, text);
	finish_engine();
}

/* Killed on its way into the park. */
static void killed_while_parking(const char *program)
{
	char *argv[] = {(char *)program, NULL};
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;
	struct wait_event wait = {.kind = WAIT_SYSCALL, .sig = SIGTRAP | 0x80};

	begin(&loop_ops);
	taken = taken_at_exec(&s, argv);
	taken->state = TAKEN_PARKING;
	kill(s.pid, SIGKILL);
	wait.pid = s.pid;
	taken_child(&engine, taken, &wait, &ev);
	CHECK_INT(ev.type, ENGINE_NONE);
	CHECK(taken_find(&engine, s.pid) == taken);
	ev = step(taken);
	CHECK_INT(ev.type, ENGINE_GONE);
	close(s.out);
	finish_engine();
	CHECK_INT(resumed, 0);
}

/* Re-executed under another program, or not when that cannot be executed. */
static void wrapping(const char *program, const char *wrapper, enum engine_event_type want, int err)
{
	char *argv[] = {(char *)program, (char *)"one", (char *)"", NULL}, text[2400];
	const char *const front[] = {wrapper, "-x", program};
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;

	begin(&loop_ops);
	taken = taken_at_exec(&s, argv);
	for (size_t i = 0; i < 3; i++)
		strv_push(&taken->front, front[i]);
	taken->keep = 2;
	taken->state = TAKEN_WRAPPING;
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	/* A signal on the way is delivered, and does no harm. */
	kill(s.pid, SIGWINCH);
	ev = steps(taken);
	CHECK_INT(ev.type, want);
	CHECK_INT(ev.err, err);
	CHECK(ev.tracee == &taken->pub && !taken_find(&engine, s.pid));
	if (want == ENGINE_WRAPPED)
		snprintf(text, sizeof(text), "<%s><-x><%s><one><>", wrapper, program);
	else
		snprintf(text, sizeof(text), "<%s><one><>", program);
	CHECK_INT(resumed, want != ENGINE_WRAPPED);
	runs(&s, text);
	finish_engine();
}

/* Too long a front: the program runs without. */
static void wrap_too_long(const char *program)
{
	char *argv[] = {(char *)program, NULL}, *huge = malloc(200000), text[1200];
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;

	memset(huge, 'h', 199999);
	huge[199999] = '\0';
	begin(&loop_ops);
	taken = taken_at_exec(&s, argv);
	strv_push(&taken->front, huge);
	taken->state = TAKEN_WRAPPING;
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	ev = steps(taken);
	CHECK(ev.type == ENGINE_WRAP_FAILED && ev.err == -E2BIG);
	snprintf(text, sizeof(text), "<%s>", program);
	runs(&s, text);
	free(huge);
	finish_engine();
}

static void with_program(const char *program, const char *other)
{
	printf("# %s\n", program);
	parking(program, &sleep_ops);
	parking(program, &loop_ops);
	parking(program, &call_ops);
	wrapping(program, other, ENGINE_WRAPPED, 0);
	wrapping(program, "/no/such/wrapper", ENGINE_WRAP_FAILED, -ENOENT);
	wrapping(program, scratch_dir, ENGINE_WRAP_FAILED, -EACCES);
	wrap_too_long(program);
}

int main(void)
{
	struct place wide, narrow;

	scratch_begin(60);
	wide = place("wide");
	narrow = place("narrow");
	list();
	failing();
	dying();
	if (build("wide", source, "")) {
		with_program(wide.path, wide.path);
		park_refused(wide.path);
		killed_while_parking(wide.path);
		killed_while_entering(wide.path);
#ifdef __x86_64__
		if (build("narrow", source, "-m32")) {
			with_program(narrow.path, wide.path);
			with_program(wide.path, narrow.path);
		}
#endif
	}
	return TAP_DONE();
}
