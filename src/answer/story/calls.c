/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls.h"

#include "dns.h"
#include "failures.h"
#include "files.h"
#include "moves.h"
#include "opens.h"
#include "signals.h"
#include "waits.h"
#include <errno.h>
#include <exectrace/base/kerrno.h>
#include <stdlib.h>
#include <string.h>

typedef void taker(const struct taken *c);

static void on_result(const struct taken *c)
{
	opens_result(c, DATA_ARGS);
}

static void on_copy(const struct taken *c)
{
	waits_note_input(c, 0);
}

/* Both descriptors of sendfile and splice. */
static void on_sendfile(const struct taken *c)
{
	waits_note_input(c, 1);
	if (!taken_fails(c))
		waits_wake(c, taken_object(c, 0), WAKE_GIVES);
}

static void on_splice(const struct taken *c)
{
	uint32_t from = taken_object(c, 0);

	waits_note_input(c, 0);
	waits_object(c, from ? waits_add(c, WAIT_DATA) : NULL, from);
	if (!taken_fails(c))
		waits_wake(c, taken_object(c, 2), WAKE_GIVES);
}

static void on_truncate(const struct taken *c)
{
	waits_add(c, WAIT_CALL);
	taken_changes(c, *c->what ? taken_number(c, (struct data_text){c->what, strlen(c->what)}) : taken_object(c, 0),
	              "truncated");
}

static void on_pwrite(const struct taken *c)
{
	waits_add(c, WAIT_CALL);
	taken_changes(c, taken_object(c, 0), "written");
}

static void on_sync(const struct taken *c)
{
	waits_object(c, waits_add(c, WAIT_CALL), taken_object(c, 0));
}

/* By name, for bsearch. */
static const struct {
	const char *name;
	taker *take;
} takers[] = {
	{"accept", files_on_accept},
	{"accept4", files_on_accept},
	{"access", files_on_look},
	{"bind", files_on_bind},
	{"chdir", files_on_chdir},
	{"clock_nanosleep", waits_on_sleep},
	{"close", opens_on_close},
	{"close_range", opens_on_close_range},
	{"connect", files_on_connect},
	{"copy_file_range", on_copy},
	{"creat", files_on_open},
	{"dup", opens_on_dup},
	{"dup2", opens_on_dup},
	{"dup3", opens_on_dup},
	{"epoll_create", on_result},
	{"epoll_create1", on_result},
	{"epoll_ctl", waits_on_epoll_ctl},
	{"epoll_pwait", waits_on_epoll_wait},
	{"epoll_pwait2", waits_on_epoll_wait},
	{"epoll_wait", waits_on_epoll_wait},
	{"eventfd2", on_result},
	{"execve", files_on_look},
	{"execveat", files_on_look},
	{"faccessat", files_on_look},
	{"faccessat2", files_on_look},
	{"fchdir", files_on_chdir},
	{"fcntl", opens_on_fcntl},
	{"fdatasync", on_sync},
	{"flock", waits_on_flock},
	{"fsync", on_sync},
	{"ftruncate", on_truncate},
	{"futex", waits_on_futex},
	{"getrlimit", files_on_prlimit},
	{"getsockname", files_on_bind},
	{"getsockopt", files_on_getsockopt},
	{"kill", files_on_kill},
	{"link", files_on_make},
	{"linkat", files_on_make},
	{"lstat", files_on_look},
	{"memfd_create", on_result},
	{"mkdir", files_on_make},
	{"mkdirat", files_on_make},
	{"mknod", files_on_make},
	{"mknodat", files_on_make},
	{"nanosleep", waits_on_sleep},
	{"newfstatat", files_on_look},
	{"open", files_on_open},
	{"openat", files_on_open},
	{"openat2", files_on_open},
	{"pause", waits_on_signal_wait},
	{"pidfd_open", on_result},
	{"pipe", opens_on_pipe},
	{"pipe2", opens_on_pipe},
	{"poll", waits_on_poll},
	{"ppoll", waits_on_poll},
	{"prlimit64", files_on_prlimit},
	{"pselect6", waits_on_poll},
	{"pwrite64", on_pwrite},
	{"pwritev", on_pwrite},
	{"pwritev2", on_pwrite},
	{"read", waits_on_read},
	{"readlink", files_on_look},
	{"readlinkat", files_on_look},
	{"readv", waits_on_read},
	{"recvfrom", waits_on_read},
	{"recvmmsg", waits_on_read},
	{"recvmsg", waits_on_read},
	{"rename", files_on_remove},
	{"renameat", files_on_remove},
	{"renameat2", files_on_remove},
	{"restart_syscall", waits_on_restart},
	{"rmdir", files_on_remove},
	{"rt_sigsuspend", waits_on_signal_wait},
	{"rt_sigtimedwait", waits_on_signal_wait},
	{"select", waits_on_poll},
	{"sendfile", on_sendfile},
	{"sendmmsg", files_on_send},
	{"sendmsg", files_on_send},
	{"sendto", files_on_send},
	{"setrlimit", files_on_prlimit},
	{"signalfd4", on_result},
	{"socket", files_on_socket},
	{"socketpair", opens_on_pipe},
	{"splice", on_splice},
	{"stat", files_on_look},
	{"statx", files_on_look},
	{"symlink", files_on_make},
	{"symlinkat", files_on_make},
	{"tgkill", files_on_kill},
	{"timerfd_create", on_result},
	{"tkill", files_on_kill},
	{"truncate", on_truncate},
	{"unlink", files_on_remove},
	{"unlinkat", files_on_remove},
	{"wait4", waits_on_wait4},
	{"waitid", waits_on_waitid},
	{"write", waits_on_write},
	{"writev", waits_on_write},
};

#define TAKERS (sizeof(takers) / sizeof(*takers))

static taker *taker_of(const char *name)
{
	size_t from = 0, to = TAKERS;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = strcmp(name, takers[middle].name);

		if (order == 0)
			return takers[middle].take;
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return NULL;
}

/* One too many descriptors: those that were there are the answer. */
static void exhausted(const struct taken *c)
{
	descriptors_release(&c->p->exhausted);
	if (descriptors_copy(&c->p->exhausted, &c->p->descriptors))
		c->h->err = -ENOMEM;
}

static bool is_about_files(taker *take)
{
	return take == files_on_look || take == files_on_open || take == files_on_make || take == files_on_chdir ||
	       take == files_on_remove || take == on_truncate;
}

static void add_lookup(const struct taken *c)
{
	struct lookups *l = &c->p->lookups;

	l->calls++;
	l->failed += taken_fails(c);
	l->time += c->call->duration;
	l->call = c->name;
	l->name = c->what;
}

/* A call that took its time, whatever it does, is no computing; of what, if that is known. */
static void in_call(const struct taken *c, uint32_t object)
{
	const struct wait *last = c->t->n ? &c->t->waits[c->t->n - 1] : NULL;

	if (last && last->to == c->event->time)
		return;
	/* An exec is held until it is decided whether the process is to be traced: that time is ours. A futex that
	 * is no wait wakes. */
	if (strncmp(c->name, "execve", 6) == 0 || strcmp(c->name, "futex") == 0)
		return;
	waits_object(c, waits_add(c, WAIT_CALL), object);
}

/* The path that a call is about, or what its first argument refers to; 0: neither is known. */
static uint32_t object_of(const struct taken *c)
{
	struct data_text name = {c->what, strlen(c->what)};
	const struct descriptor *d;

	if (name.n || taken_object_in(taken_extra(c, 0, DATA_EXTRA_TEXT), &name))
		return taken_number(c, name);
	d = strcmp(c->name, "close") == 0 ? descriptors_find(&c->p->descriptors, (int)c->call->args[0]) : NULL;
	return d ? d->object : 0;
}

/* Of a call in which it was attached to. */
static void keep_stack(const struct taken *c)
{
	char *stack = signals_stack(c->h, c->event);

	if (!stack)
		return;
	free(c->t->stack);
	c->t->stack = stack;
	c->t->stack_wait = c->t->n ? c->t->n - 1 : 0;
}

void calls_take(struct history *h, const struct recorded_event *event, bool unfinished)
{
	char buf[CALL_NAME_MAX];
	struct taken c = {
		.h = h,
		.p = history_of(h, event->thread->process),
		.t = history_of_thread(h, event->thread),
		.event = event,
		.call = &event->record->syscall,
		.name = call_name(&event->record->syscall, buf),
		.what = "",
		.unfinished = unfinished,
	};
	taker *take = taker_of(c.name);
	uint32_t object = 0;

	if (!c.p || !c.t)
		return;
	if (!c.p->calls++ && c.p->process->picked && !c.call->error && !unfinished && strcmp(c.name, "execve") == 0)
		c.p->began = event->time;
	if (is_about_files(take) || (c.call->error && !unfinished))
		c.what = files_what(h, c.p, &c);
	if (take == files_on_look || take == files_on_open)
		add_lookup(&c);
	if (c.call->error && !unfinished) {
		if (c.call->result == -EMFILE)
			exhausted(&c);
		if (c.name == buf)
			c.name = history_text(h, buf, strlen(buf));
		failures_add(h, c.p, event, c.name, c.what);
	}
	if (unfinished)
		c.p->left = history_text(h, c.name, strlen(c.name));
	if (unfinished && strcmp(c.name, "exit_group") == 0)
		c.p->ending = event->time - c.call->duration;
	if (c.call->duration >= WAIT_MIN)
		object = object_of(&c);
	if (take)
		take(&c);
	if (unfinished || (c.call->error && c.call->result == -ERESTART_RESTARTBLOCK))
		keep_stack(&c);
	if (!take || !unfinished)
		in_call(&c, object);
	c.t->restarting = c.call->error && !unfinished && is_restart(c.call->result) ? (uint64_t)c.call->nr + 1 : 0;
	moves_take(&c);
	dns_take(&c);
}
