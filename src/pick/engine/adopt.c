/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that run already: one, and all below it. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/process/procdir.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHILDREN_MAX 65536u /* characters of the list of a thread's children */

struct pids {
	pid_t *items;
	size_t n, cap;
};

struct walk {
	struct pids found; /* each parent before its children */
	struct pids above; /* those that we descend from, which are left out */
	char *text;        /* CHILDREN_MAX */
};

static bool has(const struct pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->n; i++)
		if (pids->items[i] == pid)
			return true;
	return false;
}

static int add(struct pids *pids, pid_t pid)
{
	if (has(pids, pid))
		return 0;
	if (grow_array((void **)&pids->items, pids->n, &pids->cap, sizeof(*pids->items)))
		return -ENOMEM;
	pids->items[pids->n++] = pid;
	return 0;
}

static int add_children(void *user, pid_t tid)
{
	struct walk *walk = user;
	char *at = walk->text, *end = NULL;
	int err = 0;

	if (proc_children(tid, walk->text, CHILDREN_MAX) <= 0)
		return 0; /* it has none, or has ended */
	for (pid_t pid = (pid_t)strtol(at, &end, 10); end != at && !err; pid = (pid_t)strtol(at, &end, 10)) {
		err = pid == getpid() ? 0 : add(&walk->found, pid);
		at = end;
	}
	return err;
}

/* Those between process `top` and us. */
static int find_above(struct walk *walk, pid_t top)
{
	struct proc_stat stat;
	int err = 0;

	for (pid_t up = getppid(); up > 1 && up != top && !err; up = proc_stat(up, &stat) ? 0 : stat.ppid)
		err = add(&walk->above, up);
	return err;
}

/* Files are not looked at: that may have to wait, and what it runs /proc tells. */
static void describe(struct engine *engine, pid_t pid)
{
	static const struct target unknown;

	engine_describe(engine, NULL);
	engine->capture.known = &unknown;
	capture_started(&engine->rec, pid, &engine->capture);
	exec_record_want(&engine->rec, EXEC_IDS | EXEC_ARGV);
}

static void explain(struct buf *why, const struct engine *engine, pid_t pid, int err)
{
	pid_t tracer = proc_tracer(pid);

	if (err == -EALREADY)
		(void)buf_puts(why, "it has started exectrace; --force watches it, too");
	else if (tracer > 0)
		(void)buf_printf(why, "process %d traces it already", (int)tracer);
	else if (err == -EPERM && geteuid() != 0 && engine->yama == YAMA_DESCENDANTS)
		(void)buf_puts(why, "kernel.yama.ptrace_scope is 1: root may");
	else if (err == -EPERM && geteuid() != 0)
		(void)buf_puts(why, "it is another user's, or has more rights: root may");
	else
		(void)buf_puts(why, strerror(-err));
}

static int adopt(struct engine *engine, pid_t pid, bool left_out, engine_adopted *see, void *user)
{
	cleanup_buf struct buf why = BUF_INIT;
	int err = left_out ? -EALREADY : engine->ops->adopt(engine, pid);

	/* Nobody can attach to a zombie (EPERM, ptrace_attach, kernel/ptrace.c). */
	if (err == -EEXIST || (err && !left_out && proc_has_ended(pid)))
		return 0;
	if (err) {
		explain(&why, engine, pid, err);
		see(user, pid, NULL, why.len ? why.data : strerror(-err));
		return 0;
	}
	describe(engine, pid);
	err = engine_note(engine, true);
	see(user, pid, &engine->rec, NULL);
	engine->capture.known = NULL;
	return err;
}

int engine_adopt(struct engine *engine, pid_t pid, bool all, engine_adopted *see, void *user)
{
	struct walk walk = {.text = malloc(CHILDREN_MAX)};
	size_t seen = 0, before = 0;
	int err = !engine->ops->adopt ? -ENOTSUP : proc_has_ended(pid) ? -ESRCH : 0;

	if (!err)
		err = walk.text ? add(&walk.found, pid) : -ENOMEM;
	if (!err && !all)
		err = find_above(&walk, pid);
	while (!err && walk.found.n > before) {
		before = walk.found.n;
		for (; seen < walk.found.n && !err; seen++)
			err = adopt(engine, walk.found.items[seen], has(&walk.above, walk.found.items[seen]), see,
			            user);
		/* Of all once more: those that were there first have started others since. */
		for (size_t i = 0; i < walk.found.n && !err; i++) {
			err = proc_threads(walk.found.items[i], add_children, &walk);
			err = err == -ENOMEM ? err : 0;
		}
	}
	free(walk.found.items);
	free(walk.above.items);
	free(walk.text);
	return err;
}
