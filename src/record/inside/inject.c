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

static int map_code(struct remote *remote)
{
	const struct inside *inside = remote->thread->inside;
	int64_t got = remote_call(remote, SYS_mmap,
	                          (uint64_t[6]){INSIDE_CODE, INSIDE_CODE_BYTES, PROT_READ | PROT_EXEC,
	                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, UINT64_MAX, 0});

	if (got != INSIDE_CODE)
		return is_errno(got) ? (int)got : -EEXIST;
	return mem_poke(remote->thread->tid, INSIDE_CODE, inside->image.data, inside->image.len);
}

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

static int map_data(struct remote *remote)
{
	/* The name stands where the code of the call does not, at the end of the recipes. */
	const uint64_t name = INSIDE_CODE + INSIDE_CODE_BYTES - 16;
	struct inside_thread *thread = remote->thread;
	int64_t fd, got = 0;
	int ours = -1;
	int err = mem_poke(thread->tid, name, "exectrace", 10);

	if (err)
		return err;
	fd = remote_call(remote, SYS_memfd_create, (uint64_t[6]){name, MFD_CLOEXEC, 0, 0, 0, 0});
	if (is_errno(fd))
		return (int)fd;
	got = remote_call(remote, SYS_ftruncate, (uint64_t[6]){(uint64_t)fd, INSIDE_DATA_BYTES, 0, 0, 0, 0});
	if (!is_errno(got))
		got = remote_call(remote, SYS_mmap,
		                  (uint64_t[6]){INSIDE_DATA, INSIDE_DATA_BYTES, PROT_READ | PROT_WRITE,
		                                MAP_SHARED | MAP_FIXED_NOREPLACE, (uint64_t)fd, 0});
	if (!is_errno(got)) { /* a core dump is as without it */
		(void)remote_call(remote, SYS_madvise,
		                  (uint64_t[6]){INSIDE_DATA, INSIDE_DATA_BYTES, MADV_DONTDUMP, 0, 0, 0});
		ours = take_file(thread->tid, fd);
	}
	err = is_errno(got) ? (int)got : ours < 0 ? ours : owner_map(thread->inside->owner, ours, &thread->space->data);
	fd_close(&ours);
	got = remote_call(remote, SYS_close, (uint64_t[6]){(uint64_t)fd, 0, 0, 0, 0, 0});
	return err ? err : is_errno(got) ? (int)got : 0;
}

static int set_action(struct remote *remote)
{
	const uint64_t at = area_address(0) + offsetof(struct area, action);
	const struct agent_map *map = remote->thread->inside->map;
	struct space *space = remote->thread->space;
	int64_t got = remote_call(remote, SYS_rt_sigaction, (uint64_t[6]){SIGSYS, map->action, at, 8, 0, 0});

	if (is_errno(got))
		return (int)got;
	memcpy(space->action, data_area(space->data, 0)->action, sizeof(space->action));
	return 0;
}

/* Actions that were set before do not block SIGSYS either (struct area). */
static int free_actions(struct remote *remote)
{
	const uint64_t at = area_address(0) + offsetof(struct area, action), bit = UINT64_C(1) << (SIGSYS - 1);
	struct data *data = remote->thread->space->data;
	uint64_t *action = data_area(data, 0)->action;
	struct proc_signals signals;
	int64_t got = proc_signals(remote->thread->tid, &signals);

	for (uint64_t sig = 1; sig <= 64 && !is_errno(got); sig++) {
		if (sig == SIGSYS || !(signals.caught & UINT64_C(1) << (sig - 1)))
			continue;
		got = remote_call(remote, SYS_rt_sigaction, (uint64_t[6]){sig, 0, at, 8, 0, 0});
		if (is_errno(got) || !(action[3] & bit))
			continue;
		action[3] &= ~bit;
		*space_masked(remote->thread->space) |= UINT64_C(1) << (sig - 1);
		got = remote_call(remote, SYS_rt_sigaction, (uint64_t[6]){sig, at, 0, 8, 0, 0});
	}
	return is_errno(got) ? (int)got : 0;
}

/* The size of a memory file counts as that of any other (setrlimit(2), RLIMIT_FSIZE). */
static bool may_be_large(pid_t tid)
{
	struct rlimit limit;

	return prlimit(tid, RLIMIT_FSIZE, NULL, &limit) == 0 && limit.rlim_cur >= INSIDE_DATA_BYTES;
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

/*
 * What speaks against an agent: filters of its own could kill the program for what that does. NULL: nothing; *status is
 * the thread's then.
 */
static const char *against(pid_t tid, const struct user_regs_struct *regs, struct proc_status *status)
{
	struct proc_status own;

	if (tracee_dispatch(tid, NULL))
		return "the kernel is older than Linux 6.4";
	if (regs->gs || regs->gs_base)
		return "it uses the register gs";
	if (!may_be_large(tid))
		return "it may not make large files";
	if (!has_room(tid))
		return "its address space is limited";
	if (proc_status(tid, status) || proc_status(getpid(), &own))
		return "it cannot be looked at";
	return status->filters > own.filters + 1 ? "it has a seccomp filter of its own" : NULL;
}

/* Area 0 is that of threads which are not recorded. */
static void make_quiet_area(const struct data *data)
{
	struct area *area = data_area(data, 0);

	area->quiet = 1;
	area->self = area_address(0);
	area->stack = area->self + INSIDE_STACK;
}

/* The parts of the agent, one after the other. locked: kB of the program before. */
static int put_agent(struct remote *remote, unsigned long locked, const char **why)
{
	int err;

	*why = "it cannot map the agent";
	err = map_code(remote);
	if (!err && is_locked(remote, locked)) {
		*why = "it locks its memory";
		err = -EPERM;
	}
	if (!err)
		err = map_data(remote);
	if (!err)
		err = free_actions(remote);
	return err ? err : set_action(remote);
}

static int inject_into(struct inside_thread *thread, const char **why)
{
	struct space *space = thread->space;
	struct proc_status status;
	struct remote remote;
	int last, err;

	*why = "it is not a 64-bit program of x86-64";
	err = registers_get(thread->tid, &remote.saved);
	if (err)
		return err;
	*why = "there is no place for code in its vDSO";
	err = remote_begin(&remote, thread);
	if (err)
		return err;
	*why = against(thread->tid, &remote.saved, &status);
	err = *why ? -EPERM : put_agent(&remote, status.locked, why);
	last = err == -ESRCH ? 0 : remote_end(&remote);
	if (!err && !last) {
		space->outside = !proc_shares(thread->tid, "root") || !proc_shares(thread->tid, "ns/mnt");
		make_quiet_area(space->data);
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
