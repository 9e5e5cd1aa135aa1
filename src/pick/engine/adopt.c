/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that run already: one, and all below it. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/pick/launch/listener.h>
#include <exectrace/target/process/procdir.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHILDREN_MAX 65536u      /* characters of the list of a thread's children */
#define PATIENCE (30 * NS_PER_S) /* for those that could not be stopped: on a busy machine that may take long */

#define NEVER UINT64_MAX
#define ALWAYS 0

struct found {
	pid_t pid;
	uint64_t watched; /* those that its parent has started after that are watched by way of it; in ticks since boot
	                   */
	uint64_t passes_on; /* ... and those that it has started itself */
	bool again;         /* it could not be stopped for a moment: it is tried again behind the others */
};

struct pids {
	struct found *items;
	size_t n, cap;
};

struct walk {
	struct pids found; /* each parent before its children */
	struct pids above; /* those that we descend from, which are left out */
	size_t seen;       /* of those found */
	size_t parent;     /* whose children are looked for */
	uint64_t end;      /* by then all must have stopped; 0: all have */
	char *text;        /* CHILDREN_MAX */
};

static bool has(const struct pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->n; i++)
		if (pids->items[i].pid == pid)
			return true;
	return false;
}

static int add(struct pids *pids, pid_t pid, uint64_t watched)
{
	if (has(pids, pid))
		return 0;
	if (grow_array((void **)&pids->items, pids->n, &pids->cap, sizeof(*pids->items)))
		return -ENOMEM;
	pids->items[pids->n++] = (struct found){.pid = pid, .watched = watched, .passes_on = NEVER};
	return 0;
}

static int add_children(void *user, pid_t tid)
{
	struct walk *walk = user;
	uint64_t watched = walk->found.items[walk->parent].passes_on;
	char *at = walk->text, *end = NULL;
	int err = 0;

	if (proc_children(tid, walk->text, CHILDREN_MAX) <= 0)
		return 0; /* it has none, or has ended */
	for (pid_t pid = (pid_t)strtol(at, &end, 10); end != at && !err; pid = (pid_t)strtol(at, &end, 10)) {
		err = pid == getpid() ? 0 : add(&walk->found, pid, watched);
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
		err = add(&walk->above, up, NEVER);
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

/* Where it is about a listener for it. False: it is not. */
static bool explain_listener(struct buf *why, int err)
{
	static const struct {
		int err;
		const char *why;
	} known[] = {
		{-EBUSY, "it has a seccomp listener already"},
		{-EACCES, "it may have a seccomp listener with no_new_privs only; --allow-no-new-privs sets that"},
		{-EKEYREJECTED, "its own seccomp filter may not allow that"},
		{-ENOTUNIQ, "its threads have seccomp filters of their own"},
		{-ENOTSUP, "it is no ordinary x86-64 program"},
		{-EAGAIN, "it cannot be stopped for a moment"},
		{-ENFILE, "there are too many"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].err == err)
			return buf_printf(why, "%s; --engine=ptrace needs none", known[i].why) == 0;
	}
	return false;
}

static void explain(struct buf *why, const struct engine *engine, pid_t pid, int err)
{
	pid_t tracer = proc_tracer(pid);

	if (err == -EALREADY)
		(void)buf_puts(why, "it has started exectrace; --force watches it, too");
	else if (err == -EADDRINUSE)
		(void)buf_printf(why, "exectrace %d watches it already", atomic_load(&engine->launch->shared->rival));
	else if (engine->ops->answer && explain_listener(why, err))
		return;
	else if (tracer > 0)
		(void)buf_printf(why, "process %d traces it already", (int)tracer);
	else if (err == -EPERM && geteuid() != 0 && engine->yama == YAMA_DESCENDANTS)
		(void)buf_puts(why, "kernel.yama.ptrace_scope is 1: root may");
	else if (err == -EPERM && geteuid() != 0)
		(void)buf_puts(why, "it is another user's, or has more rights: root may");
	else if (engine->ops->answer && (err == -EINVAL || err == -ENOSYS))
		listener_explain(why, err);
	else
		(void)buf_puts(why, strerror(-err));
}

static int describe_to(struct engine *engine, pid_t pid, const struct engine_sees *sees)
{
	int err;

	describe(engine, pid);
	err = engine_note(engine, true);
	sees->adopted(sees->user, pid, &engine->rec, NULL);
	engine->capture.known = NULL;
	return err;
}

/*
 * True when it is watched by way of its parent, or has ended. It begins with its parent's filters after the time that
 * counts as its start (copy_process, kernel/fork.c).
 */
static bool is_watched(const struct found *found)
{
	uint64_t start = found->watched == NEVER ? NEVER : proc_start_time(found->pid);

	return start != NEVER && (!start || start > found->watched);
}

#define REFUSED 2

/* True when one that did not stop is tried again later. */
static bool is_put_off(struct walk *walk, struct found *found, int err)
{
	if (err == -EAGAIN && !walk->end)
		walk->end = clock_now() + PATIENCE;
	found->again = err == -EAGAIN && clock_now() < walk->end;
	return found->again;
}

/* 1, or REFUSED; 0: there was nothing to do, or not yet; -ENOMEM. */
static int adopt(struct engine *engine, struct walk *walk, struct found *found, const struct engine_sees *sees)
{
	cleanup_buf struct buf why = BUF_INIT;
	uint64_t since = 0;
	bool left_out = has(&walk->above, found->pid);
	int err = is_watched(found) ? -EEXIST : left_out ? -EALREADY : engine->ops->adopt(engine, found->pid, &since);

	if (err == -EEXIST)
		found->passes_on = ALWAYS;
	/* Nobody can attach to a zombie (EPERM, ptrace_attach, kernel/ptrace.c). */
	if (err == -EEXIST || (err && !left_out && proc_has_ended(found->pid)) || is_put_off(walk, found, err))
		return 0;
	if (err) {
		explain(&why, engine, found->pid, err);
		sees->adopted(sees->user, found->pid, NULL, why.len ? why.data : strerror(-err));
		return REFUSED;
	}
	found->passes_on = since ? since : launch_ticks();
	err = describe_to(engine, found->pid, sees);
	if (!err)
		sees->events(sees->user);
	return err ? err : 1;
}

/* Those that were found and not yet seen. 1 when one of them was new; 0, also when the first of all is refused; -errno.
 */
static int adopt_found(struct engine *engine, struct walk *walk, const struct engine_sees *sees)
{
	int any = 0, got = 0;

	for (; walk->seen < walk->found.n && got >= 0 && !sees->enough(sees->user); walk->seen++) {
		struct found *found = &walk->found.items[walk->seen];

		got = adopt(engine, walk, found, sees);
		if (got == REFUSED && walk->seen == 0)
			return 0;
		any |= got > 0;
	}
	return got < 0 ? got : any;
}

/* Those that did not stop. 1 when one was new, or has to be tried once more; 0; -ENOMEM. */
static int adopt_again(struct engine *engine, struct walk *walk, const struct engine_sees *sees)
{
	int any = 0, got = 0;

	for (size_t i = 0; i < walk->found.n && got >= 0 && !sees->enough(sees->user); i++) {
		struct found *found = &walk->found.items[i];

		if (!found->again)
			continue;
		found->again = false;
		got = adopt(engine, walk, found, sees);
		any |= got == 1 || found->again;
	}
	return got < 0 ? got : any;
}

/* Of all once more: those that were there first have started others since. */
static int find_children(struct walk *walk)
{
	int err = 0;

	for (size_t i = 0; i < walk->found.n && !err; i++) {
		walk->parent = i;
		err = proc_threads(walk->found.items[i].pid, add_children, walk);
		err = err == -ENOMEM ? err : 0;
	}
	return err;
}

int engine_adopt(struct engine *engine, pid_t pid, bool all, const struct engine_sees *sees)
{
	struct walk walk = {.text = malloc(CHILDREN_MAX)};
	int err = !engine->ops->adopt ? -ENOTSUP : proc_has_ended(pid) ? -ESRCH : 0;
	int fresh = 1;

	engine->launch->top = pid;
	engine->sees = sees;
	if (!err)
		err = walk.text ? add(&walk.found, pid, NEVER) : -ENOMEM;
	if (!err && !all)
		err = find_above(&walk, pid);
	/* What a watched process starts is watched: where none is new, none of theirs is. */
	while (!err && fresh && !sees->enough(sees->user)) {
		fresh = adopt_found(engine, &walk, sees);
		if (!fresh && walk.end)
			fresh = adopt_again(engine, &walk, sees);
		err = fresh < 0 ? fresh : fresh ? find_children(&walk) : 0;
	}
	free(walk.found.items);
	free(walk.above.items);
	free(walk.text);
	return err;
}
