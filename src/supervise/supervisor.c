/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/supervise/supervisor.h>

#include "private.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define FIXED 2 /* descriptors in the poll set that are not a job's: signals, engine */

static int parse_actions(struct supervisor *s)
{
	int n = ruleset_count(s->config->rules);

	s->actions = calloc((size_t)n + 1, sizeof(*s->actions));
	if (!s->actions)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		cleanup_buf struct buf err = BUF_INIT;
		const char *text = ruleset_action(s->config->rules, i + 1);
		int e = text ? action_parse(text, &s->actions[i], &err) : 0;

		if (e) {
			const char *place = ruleset_place(s->config->rules, i + 1);

			err_say(ERR_ERROR, "%s%s%s", place ? place : "", place ? ": " : "",
			        err.len ? err.data : strerror(-e));
			return e;
		}
		s->actions[i].mark_panic = s->config->keep_failed;
	}
	return 0;
}

/* The directory is made when it was asked for, or when an action has nowhere else to write to. */
static int make_output(struct supervisor *s)
{
	const char *path = s->config->output;
	int err = 0;

	for (int i = 0; !path && !s->config->list && i < ruleset_count(s->config->rules); i++)
		path = s->actions[i].needs_dir ? RUNDIR_DEFAULT : NULL;
	if (path)
		err = rundir_make(&s->dir, path);
	if (err)
		err_say(ERR_ERROR, "cannot make directory %s: %s", path, strerror(-err));
	return err;
}

static int prepare(struct supervisor *s)
{
	int err = parse_actions(s);

	if (!err)
		err = make_output(s);
	s->remember = ruleset_wants_ancestors(s->config->rules);
	for (int i = 0; !err && i < ruleset_count(s->config->rules); i++)
		s->remember |= s->actions[i].kind == ACTION_LOG && ruleset_action(s->config->rules, i + 1);
	s->log.color = s->config->color == COLOR_ALWAYS || (s->config->color == COLOR_AUTO && isatty(2));
	s->setup.nice = getpriority(PRIO_PROCESS, 0);
	return err;
}

/* What the caller gave us is the command's; a pipe kept open here would keep its reader waiting. Standard error is for
 * messages. */
static void let_go_of_files(struct supervisor *s)
{
	int keep[] = {0, 1, 2, s->launch.sock};

	fd_close_all_but(keep, sizeof(keep) / sizeof(keep[0]));
	fd_null(0, O_RDONLY);
	fd_null(1, O_WRONLY);
	if (fcntl(2, F_GETFD) < 0)
		fd_null(2, O_WRONLY);
}

/* A watched process each needs a descriptor; tools inherit the limit only up to their own start. */
static void more_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int open_signals(struct supervisor *s)
{
	sigset_t blocked;
	int fd = -1;

	sigprocmask(SIG_SETMASK, NULL, &blocked); /* launch_start blocked them */
	fd = signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK);
	s->signals = fd < 0 ? -errno : fd_high(fd);
	return s->signals < 0 ? s->signals : 0;
}

static int start_engine(struct supervisor *s)
{
	static const char *const names[] =
		{[ENGINE_AUTO] = NULL, [ENGINE_NOTIFY] = "notify", [ENGINE_PTRACE] = "ptrace"};
	cleanup_buf struct buf why = BUF_INIT;
	int err = engine_start(&s->engine, names[s->config->engine], &s->launch, &why);

	if (err) {
		err_say(ERR_ERROR, "cannot watch the command: %s", why.len ? why.data : strerror(-err));
		return err;
	}
	err_say(ERR_VERBOSE, "engine %s%s%s%s", engine_name(s->engine), why.len ? ": " : "", why.len ? why.data : "",
	        strcmp(engine_name(s->engine), "ptrace") == 0
	                ? " (the whole tree is attached: signals and threads cost more, nested tracers fail)"
	                : "");
	if (s->launch.no_new_privs)
		err_say(ERR_VERBOSE, "no_new_privs is set: set-user-id programs run unprivileged");
	return 0;
}

static int start(struct supervisor *s)
{
	int err = launch_start(&s->launch);

	if (err) {
		err_say(ERR_ERROR, "cannot start: %s", strerror(-err));
		return err;
	}
	s->setup.mask = &s->launch.mask;
	s->setup.chld = &s->launch.chld;
	let_go_of_files(s);
	err = open_signals(s);
	if (!err && !s->launch.behind)
		(void)sentinel_start(&s->sentinel);
	terminal_open(&s->terminal);
	if (!err)
		err = start_engine(s);
	if (!err) {
		more_files();
		/* While it surely is there. */
		if (s->launch.behind)
			(void)watch_open(&s->root_watch, s->launch.root);
		err = launch_go(&s->launch);
	}
	if (err)
		launch_quit(&s->launch);
	return err;
}

static void dispatch(struct supervisor *s, const struct engine_event *ev)
{
	if (ev->type == ENGINE_EXEC)
		supervisor_exec(s, ev->rec);
	else if (ev->type == ENGINE_STOPPED)
		root_stopped(s, ev->err);
	else if (ev->tracee)
		job_event(s, ev);
}

static void engine_events(struct supervisor *s)
{
	struct engine_event ev;

	while (engine_next(s->engine, &ev) == 1)
		dispatch(s, &ev);
}

/* True when it was the terminal that stopped the tool, or the tool itself as for the terminal; see signal(7). */
static bool stopped_by_terminal(const struct wait_event *wait)
{
	return wait->kind == WAIT_SIGNAL && (wait->sig == SIGTSTP || wait->sig == SIGTTIN || wait->sig == SIGTTOU);
}

/* A tool on the terminal that stopped itself would leave nobody to continue it; who sends SIGSTOP sends SIGCONT too. */
static bool tool_stopped(struct supervisor *s, const struct wait_event *wait)
{
	for (const struct job *job = s->jobs; job; job = job->next) {
		if (job->tool != wait->pid)
			continue;
		if (job->has_terminal)
			terminal_to(&s->terminal, job->tool);
		if (stopped_by_terminal(wait))
			kill(job->tool, SIGCONT);
		return true;
	}
	return false;
}

static void child_changed(struct supervisor *s, const struct wait_event *wait)
{
	struct engine_event ev;

	if (wait->pid == s->launch.keeper && wait->kind == WAIT_EXIT)
		s->launch.keeper = 0;
	if (wait->pid == s->launch.keeper || wait->pid == s->sentinel.pid)
		return;
	if (wait->kind == WAIT_EXIT ? job_tool_ended(s, wait->pid, wait->status) : tool_stopped(s, wait))
		return;
	if (engine_child(s->engine, wait, &ev))
		dispatch(s, &ev);
	else if (wait->pid == s->launch.root && engine_saw_stop(wait))
		root_stopped(s, wait->sig);
	if (wait->pid == s->launch.root && wait->kind == WAIT_EXIT)
		root_ended(s, wait->status);
	engine_events(s);
}

static void children(struct supervisor *s)
{
	struct wait_event wait;

	while (engine_wait(&wait) == 1)
		child_changed(s, &wait);
}

static bool busy(const struct supervisor *s)
{
	for (const struct job *job = s->jobs; job; job = job->next) {
		if (job_busy(job))
			return true;
	}
	return false;
}

static int sooner(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

static void add_poll(struct buf *fds, int fd)
{
	const struct pollfd in = {.fd = fd, .events = POLLIN};

	if (fd >= 0)
		(void)buf_append(fds, &in, sizeof(in));
}

/* What poll is to wait for: signals, execs, ends of watched processes, and the next thing that time brings. */
static int poll_set(struct supervisor *s, struct buf *fds)
{
	struct pollfd fixed[FIXED] = {
		{.fd = s->signals, .events = POLLIN},
		{.fd = engine_fd(s->engine), .events = POLLIN},
	};
	int timeout = root_wait_for_tools(s);

	buf_reset(fds, 1u << 16);
	(void)buf_append(fds, fixed, sizeof(fixed));
	for (const struct job *job = s->jobs; job; job = job->next) {
		struct pollfd fd = {.fd = job->watch.fd, .events = POLLIN};

		timeout = sooner(timeout, job_wait_ms(s, job));
		(void)buf_append(fds, &fd, sizeof(fd));
	}
	for (const struct job *job = s->jobs; job; job = job->next)
		add_poll(fds, job->teller);
	add_poll(fds, s->root_watch.fd);
	return sooner(timeout, teller_wait_ms(s));
}

/* Jobs whose process has ended, or for whom time matters. The set was made in the order of the list. */
static void tick_jobs(struct supervisor *s, const struct pollfd *fds, size_t n)
{
	struct job *next = NULL;
	size_t i = FIXED;

	for (struct job *job = s->jobs; job; job = next, i++) {
		next = job->next;
		if (job_wait_ms(s, job) >= 0 || (i < n && fds[i].fd == job->watch.fd && fds[i].revents))
			job_tick(s, job);
	}
}

static void sweep(struct supervisor *s)
{
	struct engine_event ev;

	if (engine_sweep(s->engine, &ev))
		dispatch(s, &ev);
}

static void run(struct supervisor *s)
{
	cleanup_buf struct buf fds = BUF_INIT;

	while (!s->root_ended || busy(s)) {
		int timeout = poll_set(s, &fds);
		struct pollfd *set = (struct pollfd *)(void *)fds.data;
		size_t n = fds.len / sizeof(*set);

		(void)engine_poll(s->engine, set, n, timeout);
		tick_jobs(s, set, n);
		teller_listen(s);
		engine_events(s);
		root_signals(s);
		children(s);
		root_look(s);
		if (timeout >= 0)
			sweep(s);
	}
}

static void say_unless_written(const struct supervisor *s, int err)
{
	if (err)
		err_say(ERR_ERROR, "cannot write %s/run.json: %s", s->dir.path, strerror(-err));
}

/* The end of the command, as far as it is known. */
static void close_output(struct supervisor *s)
{
	const struct exec_end end = {.known = s->root_known, .wait_status = s->root_status, .ended = true};

	say_unless_written(s, rundir_end(&s->dir, &end));
}

static void release(struct supervisor *s)
{
	while (s->jobs)
		job_free(s, s->jobs);
	teller_release(s);
	log_release(&s->log);
	rundir_release(&s->dir);
	nearest_release(&s->nearest);
	for (int i = 0; s->actions && i < ruleset_count(s->config->rules); i++)
		action_release(&s->actions[i]);
	free(s->actions);
	terminal_close(&s->terminal);
	sentinel_stop(&s->sentinel);
	fd_close(&s->signals);
	watch_close(&s->root_watch);
}

int supervisor_run(const struct run_config *config)
{
	struct supervisor s = {.config = config, .signals = -1, .root_watch = {.fd = -1}};
	int err = 0;

	s.terminal.fd = -1;
	s.sentinel.fd = -1;
	err = prepare(&s);
	s.launch.command = config->command;
	s.launch.behind = config->behind;
	if (!err)
		err = start(&s);
	if (err) {
		release(&s);
		return RUN_FAILED;
	}
	engine_set_glance(s.engine, supervisor_glance, &s);
	say_unless_written(&s, rundir_begin(&s.dir, engine_name(s.engine), config->command));
	run(&s);
	close_output(&s);
	supervisor_last_words(&s);
	engine_end(s.engine);
	release(&s);
	return root_exit_status(&s);
}
