/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picked processes in our hands: a small state each, moved by wait events, the same for both engines. */
#include "private.h"

#include <errno.h>
#include <exectrace/tracee/procfs.h>
#include <exectrace/tracee/restart.h>
#include <exectrace/tracee/stack.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

struct taken *taken_new(struct engine *engine, pid_t tid)
{
	struct taken *taken = calloc(1, sizeof(*taken));

	if (!taken)
		return NULL;
	taken->pub.tid = tid;
	taken->seized = tid;
	taken->next = engine->taken;
	engine->taken = taken;
	return taken;
}

void taken_drop(struct engine *engine, struct taken *taken)
{
	struct taken **link = &engine->taken;

	while (*link && *link != taken)
		link = &(*link)->next;
	if (*link)
		*link = taken->next;
	if (taken->park)
		atomic_store(&taken->park->state, PARK_FREE);
	taken->park = NULL;
	taken->next = engine->gone;
	engine->gone = taken;
}

struct taken *taken_find(struct engine *engine, pid_t tid)
{
	for (struct taken *taken = engine->taken; taken; taken = taken->next) {
		if (taken->pub.tid == tid || taken->seized == tid)
			return taken;
	}
	return NULL;
}

void taken_event(struct engine *engine, struct taken *taken, enum engine_event_type type, int err,
                 struct engine_event *ev)
{
	taken_drop(engine, taken);
	*ev = (struct engine_event){.type = type, .tracee = &taken->pub, .err = err};
}

void taken_executed(struct engine *engine, struct taken *taken, pid_t pid, struct engine_event *ev)
{
	(void)engine;
	taken->pub.tid = pid;
	taken->seized = pid;
	taken->state = TAKEN_STANDS;
	*ev = (struct engine_event){.type = ENGINE_TAKEN, .tracee = &taken->pub};
}

/* Writes the stub and sends the thread into it; leaves on record, step by step, what a keeper would have to undo. */
static int enter_park(struct engine *engine, struct taken *taken, struct regs *regs)
{
	struct park_slot *park = park_alloc(engine->launch->shared);
	int err = park ? park_plan(&park->park, taken->pub.tid, regs, engine->ops->park_kind) : -EAGAIN;

	if (err)
		return err;
	taken->park = park;
	atomic_store(&park->state, PARK_WRITTEN);
	err = park_write(&park->park);
	if (err)
		return err;
	atomic_store(&park->state, PARK_ENTERED);
	err = park_enter(&park->park, regs);
	if (err)
		(void)park_restore(&park->park);
	return err;
}

/* At the end of its execve, registers are the program's own: now it can be parked. */
static void park_here(struct engine *engine, struct taken *taken, struct engine_event *ev)
{
	struct regs regs;
	int err = tracee_regs(taken->pub.tid, &regs);

	if (!err && engine->yama != YAMA_ANY) /* without it the tool says that it may not attach */
		(void)inject_allow_tracers(taken->pub.tid);
	if (!err)
		err = enter_park(engine, taken, &regs);
	if (err == -ESRCH)
		return; /* its end will be reported */
	if (err) {
		engine->ops->resume(engine, taken, true);
		taken_event(engine, taken, ENGINE_PARK_FAILED, err, ev);
		return;
	}
	(void)tracee_detach(taken->pub.tid, 0);
	taken->state = TAKEN_ENTERING;
	if (taken->park->park.kind != PARK_LOOP) /* it has yet to get into its call: see taken_asleep, and notify.c */
		return;
	taken->state = TAKEN_PARKED;
	*ev = (struct engine_event){.type = ENGINE_PARKED, .tracee = &taken->pub};
}

int taken_asleep(struct engine *engine, struct engine_event *ev)
{
	struct proc_status status;

	for (struct taken *taken = engine->taken; taken; taken = taken->next) {
		if (taken->state != TAKEN_ENTERING || taken->park->park.kind != PARK_SLEEP)
			continue;
		if (proc_status(taken->pub.tid, &status)) {
			taken_event(engine, taken, ENGINE_GONE, 0, ev);
			return 1;
		}
		if (status.state != 'S')
			continue;
		taken->state = TAKEN_PARKED;
		*ev = (struct engine_event){.type = ENGINE_PARKED, .tracee = &taken->pub};
		return 1;
	}
	return 0;
}

static int prepare_wrap(struct taken *taken)
{
	struct stack_image image;
	struct stack_exec call;
	struct regs regs;
	uint64_t args[3];
	int err = tracee_regs(taken->pub.tid, &regs);

	if (!err)
		err = stack_read(&image, taken->pub.tid, &regs);
	if (err)
		return err;
	err = stack_prepare_exec(&image, &taken->front, taken->keep, &call);
	stack_release(&image);
	if (!err)
		err = inject_begin(&taken->inject, taken->pub.tid);
	if (err)
		return err;
	args[0] = call.path;
	args[1] = call.argv;
	args[2] = call.envp;
	err = inject_call(&taken->inject, regs.arch->nr_execve, args, 3);
	if (err)
		(void)inject_end(&taken->inject);
	return err;
}

static void wrap_failed(struct engine *engine, struct taken *taken, int err, struct engine_event *ev)
{
	engine->ops->resume(engine, taken, true);
	taken_event(engine, taken, ENGINE_WRAP_FAILED, err, ev);
}

/* The execve we gave it returned: it failed. The program gets its own beginning back. */
static void wrap_returned(struct engine *engine, struct taken *taken, struct engine_event *ev)
{
	struct regs regs;
	int64_t result = -EIO;

	if (tracee_regs(taken->pub.tid, &regs) == 0)
		result = (int32_t)arch_reg(regs.arch, regs.raw, REG_RET);
	(void)inject_end(&taken->inject);
	wrap_failed(engine, taken, (int)result, ev);
}

static void at_syscall_stop(struct engine *engine, struct taken *taken, struct engine_event *ev)
{
	int err = 0;

	switch (taken->state) {
	case TAKEN_PARKING:
		park_here(engine, taken, ev);
		return;
	case TAKEN_WRAPPING:
		err = prepare_wrap(taken);
		if (err && err != -ESRCH) {
			wrap_failed(engine, taken, err, ev);
			return;
		}
		taken->state = TAKEN_CALLING;
		break;
	case TAKEN_CALLING:
		taken->state = TAKEN_CALLED;
		break;
	case TAKEN_CALLED:
		wrap_returned(engine, taken, ev);
		return;
	default:
		break;
	}
	(void)tracee_to_syscall(taken->pub.tid, 0);
}

static bool between_calls(const struct taken *taken)
{
	return taken->state == TAKEN_PARKING || taken->state == TAKEN_WRAPPING || taken->state == TAKEN_CALLING ||
	       taken->state == TAKEN_CALLED;
}

static void at_exec_event(struct engine *engine, struct taken *taken, pid_t pid, struct engine_event *ev)
{
	if (taken->state != TAKEN_CALLED && taken->state != TAKEN_CALLING) {
		taken_executed(engine, taken, pid, ev);
		return;
	}
	/* Its new program may itself want to trace, so let go for good. */
	(void)tracee_detach(taken->pub.tid, 0);
	taken_event(engine, taken, ENGINE_WRAPPED, 0, ev);
}

/*
 * Not in its execve any more, and in the old program: that has failed. A signal may only have interrupted it (execve
 * waits for cred_guard_mutex interruptibly, prepare_bprm_creds in fs/exec.c): then it begins anew, is notified again,
 * and asked to stop again; until then stops say nothing of it.
 */
static void at_other_stop(struct engine *engine, struct taken *taken, const struct wait_event *wait, int sig,
                          struct engine_event *ev)
{
	if (restart_is_due(wait->pid)) {
		taken->anew = true;
		if (sig)
			(void)restart_exec(wait->pid);
	}
	if (taken->anew) {
		(void)tracee_cont(wait->pid, sig);
		return;
	}
	(void)tracee_detach(wait->pid, sig);
	taken_event(engine, taken, ENGINE_FAILED, 0, ev);
}

void taken_child(struct engine *engine, struct taken *taken, const struct wait_event *wait, struct engine_event *ev)
{
	int sig = wait_signal(wait);

	*ev = (struct engine_event){.type = ENGINE_NONE};
	if (wait->kind == WAIT_EXIT)
		taken_event(engine, taken, ENGINE_GONE, 0, ev);
	else if (wait->kind == WAIT_EVENT && wait->event == PTRACE_EVENT_EXEC)
		at_exec_event(engine, taken, wait->pid, ev);
	else if (wait->kind == WAIT_SYSCALL)
		at_syscall_stop(engine, taken, ev);
	else if (between_calls(taken))
		(void)tracee_to_syscall(wait->pid, sig);
	else if (taken->state == TAKEN_WAITING)
		at_other_stop(engine, taken, wait, sig, ev);
}
