/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives the agent to a program, by calls that one of its threads makes (remote.c). */
#include "private.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Where in area 0 the program's actions are read to, by signal: it has no use for a ring. */
#define ACTIONS INSIDE_RING

/* Our descriptor of the thread's. */
static int take_file(pid_t tid, int64_t fd)
{
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", (int)fd);
	return proc_open(tid, name, O_RDWR);
}

/* Whether all that a program maps is locked (mlockall(2), MCL_FUTURE), then the agent's code is gone again. */
static bool is_locked(struct remote *remote, unsigned long before)
{
	struct proc_status status;

	if (!before || proc_status(remote->thread->tid, &status) || status.locked <= before)
		return false;
	(void)remote_call(remote, SYS_munmap, (uint64_t[6]){INSIDE_CODE, INSIDE_CODE_BYTES, 0, 0, 0, 0});
	return true;
}

/* Memory for the agent, in one go unless the program locks its memory; the memory file is what is kept. */
static int map_agent(struct remote *remote, unsigned long locked, const char **why)
{
	const struct remote_op ops[] = {
		{.nr = SYS_mmap,
	         .args = {INSIDE_CODE, INSIDE_CODE_BYTES, PROT_READ | PROT_EXEC,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, UINT64_MAX}},
		{.nr = SYS_memfd_create, .args = {remote_name(remote), MFD_CLOEXEC}, .keep = true},
		{.nr = SYS_mmap,
	         .args = {INSIDE_DATA, INSIDE_DATA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE},
	         .kept = 5},
		/* A core dump is as without it. */
		{.nr = SYS_madvise, .args = {INSIDE_DATA, INSIDE_DATA_BYTES, MADV_DONTDUMP}, .may_fail = true},
	};
	const size_t first = locked ? 1 : sizeof(ops) / sizeof(ops[0]);
	int64_t got = remote_calls(remote, ops, first);

	*why = "it cannot map the agent";
	if (is_errno(got))
		return (int)got;
	if (is_locked(remote, locked)) {
		*why = "it locks its memory";
		return -EPERM;
	}
	got = remote_calls(remote, ops + first, sizeof(ops) / sizeof(ops[0]) - first);
	return is_errno(got) ? (int)got : 0;
}

static int share_data(struct remote *remote)
{
	const struct inside_thread *thread = remote->thread;
	int ours = take_file(thread->tid, remote->kept);
	int err = ours < 0 ? ours : ftruncate(ours, INSIDE_DATA_BYTES) ? -errno : 0;

	if (!err)
		err = owner_map(thread->inside->owner, ours, &thread->space->data);
	fd_close(&ours);
	return err;
}

/*
 * The agent's action of SIGSYS is set, the memory file closed. Actions that were set before do not block SIGSYS either
 * (struct area).
 */
static int set_actions(struct remote *remote)
{
	const uint64_t at = area_address(0) + ACTIONS, bit = UINT64_C(1) << (SIGSYS - 1);
	uint64_t(*actions)[4] = (void *)((unsigned char *)data_area(remote->thread->space->data, 0) + ACTIONS);
	struct space *space = remote->thread->space;
	struct remote_op ops[65] = {{.nr = SYS_close, .kept = 1}};
	uint64_t caught = remote_status(remote)->signals.caught;
	int64_t got;
	size_t n = 1;

	for (uint64_t sig = 1; sig <= 64; sig++) {
		if (sig != SIGSYS && caught & UINT64_C(1) << (sig - 1))
			ops[n++] = (struct remote_op){.nr = SYS_rt_sigaction, .args = {sig, 0, at + 32 * sig, 8}};
	}
	ops[n++] = (struct remote_op){
		.nr = SYS_rt_sigaction,
		.args = {SIGSYS, remote->thread->inside->map->action, at + UINT64_C(32) * SIGSYS, 8}};
	got = remote_calls(remote, ops, n);
	if (is_errno(got))
		return (int)got;
	memcpy(space->action, actions[SIGSYS], sizeof(space->action));
	for (size_t i = 1; i < n - 1 && !is_errno(got); i++) {
		uint64_t sig = ops[i].args[0];

		if (!(actions[sig][3] & bit))
			continue;
		actions[sig][3] &= ~bit;
		*space_masked(space) |= UINT64_C(1) << (sig - 1);
		got = remote_call(remote, SYS_rt_sigaction, (uint64_t[6]){sig, at + 32 * sig, 0, 8, 0, 0});
	}
	return is_errno(got) ? (int)got : 0;
}

/* The size of a memory file counts as that of any other (setrlimit(2), RLIMIT_FSIZE). */
static bool may_be_large(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= INSIDE_DATA_BYTES;
}

static bool has_room(pid_t tid)
{
	struct rlimit limit;

	return prlimit(tid, RLIMIT_AS, NULL, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

bool inside_supported(void)
{
	struct utsname name;
	unsigned long major, minor;
	char *end;

	if (uname(&name))
		return false;
	major = strtoul(name.release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return major > 6 || (major == 6 && minor >= 4);
}

/* What speaks against an agent: filters of its own could kill the program for what that does. NULL: nothing. */
static const char *against(struct remote *remote)
{
	const struct user_regs_struct *regs = &remote->saved;
	const struct inside_thread *thread = remote->thread;

	if (tracee_dispatch(thread->tid, NULL))
		return "the kernel is older than Linux 6.4";
	if (regs->gs || regs->gs_base)
		return "it uses the register gs";
	if (!may_be_large())
		return "the tracer may not make large files";
	if (!has_room(thread->tid))
		return "its address space is limited";
	if (!remote_status(remote))
		return "it cannot be looked at";
	return remote->status.filters > thread->inside->filters + 1 ? "it has a seccomp filter of its own" : NULL;
}

/* Area 0 is that of threads which are not recorded. */
static void make_quiet_area(const struct data *data)
{
	struct area *area = data_area(data, 0);

	area->quiet = 1;
	area->self = area_address(0);
	area->stack = area->self + INSIDE_STACK;
}

static int put_agent(struct remote *remote, const char **why)
{
	const struct buf *image = &remote->thread->inside->image;
	int err = map_agent(remote, remote->status.locked, why);

	if (!err)
		err = space_poke(remote->thread, INSIDE_CODE, image->data, image->len);
	if (!err)
		err = share_data(remote);
	if (err && remote->kept >= 0)
		(void)remote_call(remote, SYS_close, (uint64_t[6]){(uint64_t)remote->kept});
	return err ? err : set_actions(remote);
}

static int inject_into(struct inside_thread *thread, const char **why)
{
	struct space *space = thread->space;
	struct remote remote;
	int last, err;

	*why = "it is not a 64-bit program of x86-64";
	err = proc_word_size(thread->tid) == 8 ? registers_get(thread->tid, &remote.saved) : -ENOTSUP;
	if (err)
		return err;
	*why = "there is no place for code in its vDSO";
	err = remote_begin(&remote, thread);
	if (err)
		return err;
	*why = against(&remote);
	err = *why ? -EPERM : put_agent(&remote, why);
	last = err == -ESRCH ? 0 : remote_end(&remote);
	if (!err && !last) {
		space->outside = !proc_shares(thread->tid, "root") || !proc_shares(thread->tid, "ns/mnt");
		make_quiet_area(space->data);
		count_prepare(thread->inside, space->data);
		data_control(space->data)->stacks = thread->inside->config->stacks;
		return 0;
	}
	if (space->data)
		owner_drop(thread->inside->owner, space->data);
	space->data = NULL;
	return err ? err : last;
}

int inject(struct inside_thread *thread)
{
	const char *why = NULL;
	int err;

	thread->space->never = true; /* whatever becomes of it, it is not tried again */
	err = inject_into(thread, &why);
	if (err && err != -ESRCH)
		inside_refuse(thread->inside, why);
	return err;
}
