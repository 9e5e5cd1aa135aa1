/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ptrace engine, for where no listener can be had: the whole tree stays attached. */
#include "seized.h"

#include <errno.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <string.h>

struct tracer {
	struct engine common; /* first */
	bool root_ended;
};

static struct tracer *tracer_of(struct engine *engine)
{
	return (struct tracer *)engine;
}

static void explain(struct buf *why, pid_t root, int err)
{
	pid_t tracer = proc_tracer(root);

	(void)buf_printf(why, "%scannot ptrace: ", why->len ? "; " : "");
	if (err == -EPERM && tracer > 0)
		(void)buf_printf(why, "this process tree is traced already (by process %d)", (int)tracer);
	else
		(void)buf_puts(why, strerror(-err));
}

static int ptracer_start(struct engine **ret, struct launch *launch, struct buf *why)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int err = t ? engine_init(&t->common, &engine_ptrace, launch) : -ENOMEM;

	if (!err && launch->root)
		err = launch_prepare_ptrace(launch);
	if (!err && launch->root)
		err = tracee_seize(launch->root, SEIZE_EXEC | SEIZE_FORKS);
	if (!err) {
		*ret = &t->common;
		return 0;
	}
	explain(why, launch->root, err);
	if (t)
		engine_release_common(&t->common);
	free(t);
	return err;
}

static int ptracer_adopt(struct engine *engine, pid_t pid, uint64_t *since)
{
	(void)engine;
	(void)since; /* from now on */
	return seized_adopt(pid);
}

static int ptracer_child(struct engine *engine, const struct wait_event *wait, struct engine_event *ev)
{
	struct taken *taken = taken_find(engine, wait->pid);

	*ev = (struct engine_event){.type = ENGINE_NONE};
	if (wait->kind == WAIT_EXIT && wait->pid == engine->launch->root)
		tracer_of(engine)->root_ended = true;
	if (taken)
		taken_child(engine, taken, wait, ev);
	if (!taken || wait->kind == WAIT_EXIT)
		seized_child(engine, wait, ev);
	return 1;
}

static int ptracer_next(struct engine *engine, struct engine_event *ev)
{
	int n = seized_next(engine, ev);
	void *looked = n ? NULL : engine_looked(engine);

	if (looked)
		seized_report(engine, seized_of_key(looked), ev);
	return n || looked;
}

static void ptracer_resume(struct engine *engine, struct taken *taken, bool follow)
{
	(void)engine;
	seized_resume(taken, follow);
}

static bool ptracer_finished(struct engine *engine)
{
	/* The end of the supervisor detaches the rest; nobody has to be answered. */
	return tracer_of(engine)->root_ended;
}

static bool ptracer_lives_on(struct engine *engine)
{
	(void)engine;
	return seized_live();
}

static void ptracer_end(struct engine *engine)
{
	engine_release_common(engine);
	free(engine);
}

const struct engine_ops engine_ptrace = {
	.name = "ptrace",
	.start = ptracer_start,
	.adopt = ptracer_adopt,
	.next = ptracer_next,
	.child = ptracer_child,
	.pass = seized_pass,
	.keep = seized_keep,
	.take = seized_take,
	.resume = ptracer_resume,
	.park_kind = PARK_SLEEP,
	.finished = ptracer_finished,
	.lives_on = ptracer_lives_on,
	.end = ptracer_end,
};
