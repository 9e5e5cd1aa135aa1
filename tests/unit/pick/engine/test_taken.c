/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of picked processes, moved by the wait events of real ones, for an engine that does nothing itself: what
 * it is told to do is noted here.
 */
#include "program.h"
#include "src/pick/engine/private.h"
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
	atomic_store(&b->park->state, PARK_WRITTEN);
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

/* Steps until it is let go of: parked, or on its way into the call that it will be parked in. */
static struct engine_event park_steps(struct taken *taken)
{
	struct engine_event ev = {.type = ENGINE_NONE};

	for (int i = 0; i < 20 && ev.type == ENGINE_NONE && taken->state < TAKEN_ENTERING; i++)
		ev = step(taken);
	return ev;
}

/* Parked: attached to nobody, on record for the keeper, and it runs when it is released. */
static void parking(const char *program, const struct engine_ops *ops, enum yama yama)
{
	char *argv[] = {(char *)program, (char *)"arg", NULL};
	char text[1200];
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;

	begin(ops);
	engine.yama = yama;
	taken = taken_at_exec(&s, argv);
	taken->state = TAKEN_PARKING;
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	ev = park_steps(taken);
	CHECK(!taken->pub.closed);
	CHECK(taken->park == &launch.shared->park[0] && taken->park->state == PARK_WRITTEN);
	CHECK(taken->park->park.tid == s.pid && taken->park->park.kind == ops->park_kind);
	/* Without the filter that the park call waits in, the kernel refuses it, and the program just runs. */
	if (ops->park_kind != PARK_CALL) {
		CHECK(ev.type == ENGINE_PARKED && ev.tracee == &taken->pub && taken->state == TAKEN_PARKED);
		CHECK(is_silent(s.out, 10));
		CHECK_INT(engine_release(&engine, &taken->pub), 0);
		CHECK(!taken_find(&engine, s.pid));
	}
	snprintf(text, sizeof(text), "<%s><arg>", program);
	runs(&s, text);
	while (engine.taken)
		taken_drop(&engine, engine.taken);
	CHECK_INT(launch.shared->park[0].state, PARK_FREE);
	finish_engine();
}

/* Killed on its way into the call that it would be parked in, where nobody is attached to it. */
static void killed_while_entering(const char *program)
{
	char *argv[] = {(char *)program, NULL};
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;

	begin(&call_ops);
	taken = taken_at_exec(&s, argv);
	taken->state = TAKEN_PARKING;
	/* It is stopped by a signal there, so that it does not get to its call. */
	kill(s.pid, SIGSTOP);
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	CHECK_INT(step(taken).type, ENGINE_NONE);
	CHECK_INT(taken->state, TAKEN_ENTERING);
	CHECK(reaches_state(s.pid, "T"));
	CHECK_INT(engine_sweep(&engine, &ev), 0);
	kill(s.pid, SIGKILL);
	CHECK(reaches_state(s.pid, "Z"));
	CHECK_INT(engine_sweep(&engine, &ev), 1);
	CHECK(ev.type == ENGINE_GONE && ev.tracee == &taken->pub);
	CHECK_INT(launch.shared->park[0].state, PARK_FREE);
	CHECK_INT(engine_sweep(&engine, &ev), 0);
	finish(s.pid);
	close(s.out);
	finish_engine();
}

/* A stop of its own on the way: it stays stopped until it is continued, and then it is parked. */
static void stopped_while_parking(const char *program)
{
	char *argv[] = {(char *)program, NULL}, text[1200];
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;

	begin(&sleep_ops);
	taken = taken_at_exec(&s, argv);
	taken->state = TAKEN_PARKING;
	kill(s.pid, SIGSTOP);
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	for (int i = 0; i < 3; i++) /* the end of its execve, the signal, the stop */
		CHECK_INT(step(taken).type, ENGINE_NONE);
	CHECK_INT(taken->state, TAKEN_FALLING);
	nap(20);
	CHECK(reaches_state(s.pid, "Tt"));
	CHECK(!wait_has(s.pid) || state_of(s.pid) == 't' || state_of(s.pid) == 'T');
	kill(s.pid, SIGCONT);
	ev = steps(taken);
	CHECK_INT(ev.type, ENGINE_PARKED);
	CHECK_INT(engine_release(&engine, &taken->pub), 0);
	snprintf(text, sizeof(text), "<%s>", program);
	runs(&s, text);
	finish_engine();
}

/* Nobody wants it any more, whatever it is about to do: it runs on, and nothing is left on record. */
static void let_go(const char *program, enum taken_state state, unsigned events)
{
	char *argv[] = {(char *)program, NULL}, text[1200];
	struct engine_event ev;
	struct stopped s;
	struct taken *taken;

	printf("# let go, state %d, %u events later\n", (int)state, events);
	begin(&sleep_ops);
	taken = taken_at_exec(&s, argv);
	taken->state = state;
	strv_push(&taken->front, program);
	strv_push(&taken->front, "-x");
	if (state != TAKEN_STANDS)
		CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	for (unsigned i = 0; i < events; i++)
		CHECK_INT(step(taken).type, ENGINE_NONE);
	engine_let_go(&engine, &taken->pub);
	if (state != TAKEN_STANDS) {
		ev = step(taken);
		CHECK(!ev.tracee || !ev.tracee->user);
	}
	CHECK(!taken_find(&engine, s.pid));
	CHECK_INT(launch.shared->park[0].state, PARK_FREE);
	snprintf(text, sizeof(text), "<%s>", program);
	runs(&s, text);
	finish_engine();
}

/* It has died, and somebody else knows first: in each state nothing of it is left. */
static void forgotten(const char *program)
{
	char *argv[] = {(char *)program, NULL};

	for (int state = TAKEN_HELD; state <= TAKEN_CALLED; state++) {
		struct engine_event ev;
		struct wait_event wait = {.kind = WAIT_EXIT, .status = 9};
		struct stopped s;
		struct taken *taken;

		begin(&sleep_ops);
		taken = taken_at_exec(&s, argv);
		taken->state = (enum taken_state)state;
		taken->park = park_alloc(launch.shared);
		atomic_store(&taken->park->state, PARK_WRITTEN);
		taken->slot = &launch.shared->slot[5];
		launch.shared->slot[5].notif.id = 77;
		finish(s.pid);
		engine_forget(&engine, &taken->pub);
		CHECK(!taken_find(&engine, s.pid) && launch.shared->slot[5].notif.id == 0);
		CHECK_INT(launch.shared->park[0].state, PARK_FREE);
		CHECK_INT(engine_sweep(&engine, &ev), 0);
		wait.pid = s.pid;
		CHECK(!taken_find(&engine, wait.pid));
		close(s.out);
		finish_engine();
	}
}

/* What is parked when the engine ends is released; what is half done stays on record. */
static void ending(const char *program)
{
	char *argv[] = {(char *)program, NULL}, text[1200];
	struct stopped s;
	struct taken *taken, *half;

	begin(&sleep_ops);
	taken = taken_at_exec(&s, argv);
	taken->state = TAKEN_PARKING;
	CHECK_INT(tracee_to_syscall(s.pid, 0), 0);
	CHECK_INT(park_steps(taken).type, ENGINE_PARKED);
	half = taken_new(&engine, 1);
	half->state = TAKEN_CALLED;
	half->park = park_alloc(launch.shared);
	atomic_store(&half->park->state, PARK_WRITTEN);
	engine_release_common(&engine);
	CHECK(launch.shared->park[0].state == PARK_FREE && launch.shared->park[1].state == PARK_WRITTEN);
	snprintf(text, sizeof(text), "<%s>", program);
	runs(&s, text);
	shared_unmap(launch.shared);
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
		atomic_store(&launch.shared->park[i].state, PARK_WRITTEN);
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
	strv_push(&taken->front, program);
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
	parking(program, &sleep_ops, YAMA_ANY);
	parking(program, &loop_ops, YAMA_ANY);
	parking(program, &call_ops, YAMA_ANY);
	/* With a call first that lets tools attach: without Yama it fails, and is not missed. */
	parking(program, &sleep_ops, YAMA_DESCENDANTS);
	parking(program, &loop_ops, YAMA_DESCENDANTS);
	parking(program, &call_ops, YAMA_DESCENDANTS);
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
		stopped_while_parking(wide.path);
		let_go(wide.path, TAKEN_STANDS, 0);
		let_go(wide.path, TAKEN_PARKING, 0);
		let_go(wide.path, TAKEN_PARKING, 1);
		let_go(wide.path, TAKEN_WRAPPING, 0);
		let_go(wide.path, TAKEN_WRAPPING, 1);
		forgotten(wide.path);
		ending(wide.path);
#ifdef __x86_64__
		if (build_to_run("narrow", source, "-m32")) {
			with_program(narrow.path, wide.path);
			with_program(wide.path, narrow.path);
		}
#endif
	}
	return TAP_DONE();
}
