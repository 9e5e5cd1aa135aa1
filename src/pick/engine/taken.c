/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picked processes in our hands: a small state each, moved by wait events, the same for both engines. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/stack.h>
#include <exectrace/target/tracee/restart.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#define PR_SET_PTRACER_ANY ((unsigned long)-1)
#endif

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

/* Nothing is to be undone any more. */
static void forget_park(struct taken *taken)
{
	if (taken->park)
		atomic_store(&taken->park->state, PARK_FREE);
	taken->park = NULL;
}

void taken_drop(struct engine *engine, struct taken *taken)
{
	struct taken **link = &engine->taken;

	while (*link && *link != taken)
		link = &(*link)->next;
	if (*link)
		*link = taken->next;
	forget_park(taken);
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

/* Puts a plan on record, for the keeper, before anything is changed. -EAGAIN without room. */
static int plan(struct engine *engine, struct taken *taken, const struct regs *regs, enum park_kind kind)
{
	struct park_slot *slot = taken->park ? taken->park : park_alloc(engine->launch->shared);
	int err = slot ? park_plan(&slot->park, taken->pub.tid, regs, kind) : -EAGAIN;

	taken->park = err ? NULL : slot;
	return err;
}

/* Writes what is planned, and sends the thread into it. On failure all is as before. */
static int carry_out(struct taken *taken)
{
	struct park_slot *slot = taken->park;
	int err = 0;

	atomic_store(&slot->state, PARK_WRITTEN);
	err = park_write(&slot->park);
	if (!err)
		err = park_enter(&slot->park);
	if (err) {
		(void)park_leave(&slot->park);
		forget_park(taken);
	}
	return err;
}

/* The injected call is over, or not to be made: the thread restarts its own. */
static int end_call(struct taken *taken)
{
	int err = park_leave(&taken->park->park);

	forget_park(taken);
	return err;
}

/* A call that its own filter may refuse is not made: the loop needs none. */
static int plan_park(struct engine *engine, struct taken *taken, const struct regs *regs)
{
	int err = plan(engine, taken, regs, taken->follows ? PARK_SLEEP : engine->ops->park_kind);
	struct park *park = err ? NULL : &taken->park->park;

	if (err || park->kind == PARK_LOOP ||
	    allowed_call(&engine->allowed, park, engine_has_filter(engine, &taken->pub)))
		return err;
	if (park->kind == PARK_CALL) {
		park_set_call(park, regs->arch->nr_execveat, NULL, 0);
		if (allowed_call(&engine->allowed, park, true))
			return 0;
	}
	return plan(engine, taken, regs, PARK_LOOP);
}

static void park_failed(struct engine *engine, struct taken *taken, int err, struct engine_event *ev)
{
	engine->ops->resume(engine, taken, true);
	taken_event(engine, taken, ENGINE_PARK_FAILED, err, ev);
}

static void parked(struct taken *taken, struct engine_event *ev)
{
	taken->state = TAKEN_PARKED;
	*ev = (struct engine_event){.type = ENGINE_PARKED, .tracee = &taken->pub};
}

/* Its registers are the program's own: now it can be parked. */
static void park_here(struct engine *engine, struct taken *taken, struct engine_event *ev)
{
	struct regs regs;
	int err = tracee_regs(taken->pub.tid, &regs);

	if (!err)
		err = plan_park(engine, taken, &regs);
	if (!err)
		err = carry_out(taken);
	if (err == -ESRCH)
		return; /* its end will be reported */
	if (err) {
		park_failed(engine, taken, err, ev);
		return;
	}
	if (taken->park->park.kind == PARK_SLEEP) {
		/* Once it is in the call it will not execute the bytes before its entry point any more. */
		taken->state = TAKEN_FALLING;
		(void)tracee_to_syscall(taken->pub.tid, 0);
		return;
	}
	(void)tracee_detach(taken->pub.tid, 0);
	taken->state = TAKEN_ENTERING;
	if (taken->park->park.kind == PARK_LOOP)
		parked(taken, ev);
}

/*
 * Lets every process that may otherwise do so attach to it, where Yama allows only its ancestors
 * (Documentation/admin-guide/LSM/Yama.rst, PR_SET_PTRACER_ANY): a tool and the keeper are none. It lasts until the
 * process ends; its children do not inherit it. False when it is not to be tried.
 */
static bool allow_tracers(struct engine *engine, struct taken *taken)
{
	const uint64_t args[2] = {PR_SET_PTRACER, (uint64_t)PR_SET_PTRACER_ANY};
	struct regs regs;

	if (engine->yama == YAMA_ANY || tracee_regs(taken->pub.tid, &regs) || plan(engine, taken, &regs, PARK_INJECT))
		return false;
	park_set_call(&taken->park->park, regs.arch->nr_prctl, args, 2);
	taken->pub.closed = !allowed_call(&engine->allowed, &taken->park->park, engine_has_filter(engine, &taken->pub));
	if (taken->pub.closed || carry_out(taken)) {
		forget_park(taken);
		return false;
	}
	taken->state = TAKEN_ALLOWING;
	(void)tracee_to_syscall(taken->pub.tid, 0);
	return true;
}

bool taken_parks_in(const struct taken *taken, const struct seccomp_data *call)
{
	return taken->state == TAKEN_ENTERING && taken->park && taken->park->park.pc == call->instruction_pointer;
}

static int prepare_wrap(struct engine *engine, struct taken *taken)
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
		err = plan(engine, taken, &regs, PARK_INJECT);
	if (err)
		return err;
	args[0] = call.path;
	args[1] = call.argv;
	args[2] = call.envp;
	park_set_call(&taken->park->park, regs.arch->nr_execve, args, 3);
	if (!allowed_call(&engine->allowed, &taken->park->park, engine_has_filter(engine, &taken->pub))) {
		forget_park(taken);
		return -EKEYREJECTED;
	}
	return carry_out(taken);
}

static void wrap_failed(struct engine *engine, struct taken *taken, int err, struct engine_event *ev)
{
	engine->ops->resume(engine, taken, true);
	taken_event(engine, taken, ENGINE_WRAP_FAILED, err, ev);
	if (err == -EKEYREJECTED)
		ev->why = "its own seccomp filter may not allow that";
}

/*
 * The execve we gave it returned: it failed, and the program gets its own beginning back. Or a signal came, such as one
 * that stops it: then it restarts, because a new program has no handlers.
 */
static void wrap_returned(struct engine *engine, struct taken *taken, struct engine_event *ev)
{
	struct regs regs;
	int64_t result = -EIO;

	if (tracee_regs(taken->pub.tid, &regs) == 0)
		result = (int32_t)arch_reg(regs.arch, regs.raw, REG_RET);
	if (is_restart(result)) {
		taken->state = TAKEN_CALLING;
		(void)tracee_to_syscall(taken->pub.tid, 0);
		return;
	}
	(void)end_call(taken);
	wrap_failed(engine, taken, (int)result, ev);
}

static void begin_wrap(struct engine *engine, struct taken *taken, struct engine_event *ev)
{
	int err = prepare_wrap(engine, taken);

	if (err && err != -ESRCH) {
		wrap_failed(engine, taken, err, ev);
		return;
	}
	taken->state = TAKEN_CALLING;
	(void)tracee_to_syscall(taken->pub.tid, 0);
}

static void at_syscall_stop(struct engine *engine, struct taken *taken, struct engine_event *ev)
{
	switch (taken->state) {
	case TAKEN_PARKING:
		if (!allow_tracers(engine, taken))
			park_here(engine, taken, ev);
		return;
	case TAKEN_ALLOWED:
		if (!end_call(taken))
			park_here(engine, taken, ev);
		return;
	case TAKEN_FALLING:
		(void)tracee_detach(taken->pub.tid, 0);
		parked(taken, ev);
		return;
	case TAKEN_WRAPPING:
		begin_wrap(engine, taken, ev);
		return;
	case TAKEN_CALLED:
		wrap_returned(engine, taken, ev);
		return;
	case TAKEN_ALLOWING:
		taken->state = TAKEN_ALLOWED;
		break;
	case TAKEN_CALLING:
		taken->state = TAKEN_CALLED;
		break;
	default:
		break;
	}
	(void)tracee_to_syscall(taken->pub.tid, 0);
}

/* Attached, and on its way from one stop at a system call to the next. */
static bool between_calls(const struct taken *taken)
{
	return (taken->state >= TAKEN_PARKING && taken->state <= TAKEN_FALLING) || taken->state >= TAKEN_WRAPPING;
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

/* A stop of the process's own: it stays stopped, and its parent sees that, until it is continued (ptrace(2)). */
void taken_group_stop(const struct engine *engine, const struct wait_event *wait, struct engine_event *ev)
{
	(void)tracee_listen(wait->pid);
	if (wait->pid == engine->launch->root)
		*ev = (struct engine_event){.type = ENGINE_STOPPED, .err = wait->sig};
}

/* Let go while it was not stopped. */
static void give_up(struct engine *engine, struct taken *taken, const struct wait_event *wait)
{
	taken->pub.tid = wait->pid;
	if (taken->park)
		(void)park_leave(&taken->park->park);
	if (wait_signal(wait) || wait->kind == WAIT_GROUP_STOP)
		(void)tracee_detach(wait->pid, wait_signal(wait));
	else
		engine->ops->resume(engine, taken, true);
	taken_drop(engine, taken);
}

/*
 * Not in its execve any more, and in the old program: that has failed. A signal may only have interrupted it (execve
 * waits for cred_guard_mutex interruptibly, prepare_bprm_creds in fs/exec.c): then it restarts, is notified again,
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
		if (wait->kind == WAIT_GROUP_STOP)
			taken_group_stop(engine, wait, ev);
		else
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
	else if (taken->unwanted)
		give_up(engine, taken, wait);
	else if (wait->kind == WAIT_GROUP_STOP && taken->state != TAKEN_WAITING)
		taken_group_stop(engine, wait, ev);
	else if (wait->kind == WAIT_EVENT && wait->event == PTRACE_EVENT_EXEC)
		at_exec_event(engine, taken, wait->pid, ev);
	else if (wait->kind == WAIT_SYSCALL)
		at_syscall_stop(engine, taken, ev);
	else if (between_calls(taken))
		(void)tracee_to_syscall(wait->pid, sig);
	else if (taken->state == TAKEN_WAITING)
		at_other_stop(engine, taken, wait, sig, ev);
}
