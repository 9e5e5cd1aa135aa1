/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/supervise/supervisor.h>

#include "private.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP_AGAIN_MS 100
#define FIXED 2 /* descriptors in the poll set that are not a job's: signals, engine */

static void dispatch(struct supervisor *s, const struct engine_event *ev)
{
	if (ev->type == ENGINE_EXEC)
		supervisor_exec(s, ev->rec);
	else if (ev->type == ENGINE_STOPPED)
		root_stopped(s, ev->err);
	else if (ev->tracee)
		job_event(s, ev);
}

void supervisor_events(struct supervisor *s)
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

/* Whoever killed it may do so again at once; what it is there for is wanted for as long as the tree lives. */
static void keep(struct supervisor *s)
{
	int err = engine_keep(s->engine);

	if (err && !s->unkept)
		err_say(ERR_NOTE,
		        "the keeper was killed, and there is no other (%s): exectrace stays until the tree has ended",
		        strerror(-err));
	s->unkept = err != 0;
}

/* True for the processes beside us. What was killed of them is started again. */
static bool is_beside(struct supervisor *s, const struct wait_event *wait)
{
	bool killed = wait->kind == WAIT_EXIT && WIFSIGNALED(wait->status);

	if (wait->pid == s->launch.keeper) {
		if (wait->kind == WAIT_EXIT)
			s->launch.keeper = 0;
		if (killed && !s->adopting)
			keep(s);
	} else if (wait->pid == s->pgrp_probe.pid) {
		if (wait->kind == WAIT_EXIT)
			pgrp_probe_again(&s->pgrp_probe);
	} else {
		return false;
	}
	return true;
}

static void child_changed(struct supervisor *s, const struct wait_event *wait)
{
	struct engine_event ev;

	if (is_beside(s, wait))
		return;
	if (wait->kind == WAIT_EXIT)
		ends_heard(s, wait->pid, wait->status);
	if (wait->kind == WAIT_EXIT ? job_tool_ended(s, wait->pid, wait->status) : tool_stopped(s, wait))
		return;
	if (engine_child(s->engine, wait, &ev))
		dispatch(s, &ev);
	else if (wait->pid == s->launch.root && engine_saw_stop(wait))
		root_stopped(s, wait->sig);
	if (wait->pid == s->launch.root && wait->kind == WAIT_EXIT)
		root_ended(s, wait->status);
	if (wait->kind == WAIT_EXIT)
		running_ended(s, wait->pid);
	supervisor_events(s);
}

void supervisor_children(struct supervisor *s)
{
	struct wait_event wait;
	struct rusage used;

	root_look_at_zombie(s);
	while (engine_wait(&wait, &used) == 1) {
		if (wait.pid == s->launch.root && wait.kind == WAIT_EXIT)
			root_used(s, &used);
		child_changed(s, &wait);
	}
}

bool supervisor_busy(const struct supervisor *s)
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
	int timeout = sooner(root_wait_for_tools(s), shutdown_tick(s));

	buf_reset(fds, 1u << 16);
	(void)buf_append(fds, fixed, sizeof(fixed));
	for (const struct job *job = s->jobs; job; job = job->next) {
		struct pollfd fd = {.fd = ends_awaits(job) ? -1 : job->watch.fd, .events = POLLIN};

		timeout = sooner(timeout, job_wait_ms(s, job));
		(void)buf_append(fds, &fd, sizeof(fd));
	}
	for (const struct job *job = s->jobs; job; job = job->next)
		add_poll(fds, job->handshake);
	add_poll(fds, s->root_seen.ended ? -1 : s->root_watch.fd);
	timeout = sooner(timeout, s->root_seen.ended && !s->root_ended ? 1 : -1);
	if (s->exits.users)
		add_poll(fds, s->exits.fd);
	if (s->exit_stats.users)
		add_poll(fds, s->exit_stats.fd);
	if (s->unkept)
		timeout = sooner(timeout, KEEP_AGAIN_MS);
	return sooner(timeout, exec_handshake_wait_ms(s));
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

/* What others wait for. */
static void turn(struct supervisor *s, const struct buf *fds, int timeout)
{
	struct pollfd *set = (struct pollfd *)(void *)fds->data;
	size_t n = fds->len / sizeof(*set);

	(void)engine_poll(s->engine, set, n, timeout);
	ends_hear(s);
	tick_jobs(s, set, n);
	exec_handshake_listen(s);
	supervisor_events(s);
}

void supervisor_meanwhile(struct supervisor *s)
{
	cleanup_buf struct buf fds = BUF_INIT;

	(void)poll_set(s, &fds);
	turn(s, &fds, 0);
	if (s->root_ended) /* else they are the command's affair, which has not begun */
		root_signals(s);
	supervisor_children(s);
}

static void sweep(struct supervisor *s)
{
	struct engine_event ev;

	if (engine_sweep(s->engine, &ev))
		dispatch(s, &ev);
}

/* What we are still there for: the command, what ran already, picked processes, or all when there is no keeper. */
static bool is_wanted(struct supervisor *s)
{
	if (s->shutdown.now)
		return false;
	return !s->root_ended || running_goes_on(s) || supervisor_busy(s) || (s->unkept && !engine_finished(s->engine));
}

static void run(struct supervisor *s)
{
	cleanup_buf struct buf fds = BUF_INIT;

	while (is_wanted(s)) {
		int timeout = poll_set(s, &fds);

		turn(s, &fds, timeout);
		root_signals(s);
		supervisor_children(s);
		root_look(s);
		root_stop_with(s);
		if (s->unkept)
			keep(s);
		if (timeout >= 0)
			sweep(s);
	}
}

static void say_unless_written(const struct supervisor *s, int err)
{
	if (err)
		err_say(ERR_ERROR, "cannot write to %s: %s", s->dir.path, strerror(-err));
}

/* The end of the command, as far as it is known. */
static void close_output(struct supervisor *s)
{
	const struct exec_end end = {s->root_known, s->root_status, true, s->root_end, s->tree_usage};
	bool said = s->dir.failed;
	int err = rundir_end(&s->dir, &end);

	say_unless_written(s, said ? 0 : err);
}

static void release(struct supervisor *s)
{
	while (s->jobs)
		job_free(s, s->jobs);
	exec_handshake_release(s);
	log_release(&s->log);
	rundir_release(&s->dir);
	nearest_release(&s->nearest);
	for (int i = 0; s->actions && i < ruleset_count(s->config->rules); i++)
		action_release(&s->actions[i]);
	free(s->actions);
	terminal_close(&s->terminal);
	job_say_held(s);
	pgrp_probe_stop(&s->pgrp_probe);
	fd_close(&s->signals);
	exit_watch_close(&s->root_watch);
	exits_close(&s->exits);
	exit_stats_close(&s->exit_stats);
	launch_release(&s->launch);
}

static void begin_recording(struct supervisor *s)
{
	struct strv given = STRV_INIT;
	int err = s->dir.path ? launch_given(&s->launch, &given) : 0;

	if (!err)
		err = rundir_begin(&s->dir, engine_name(s->engine), s->config->command, &given);
	say_unless_written(s, err);
	strv_release(&given);
}

int supervisor_run(const struct run_config *config)
{
	struct supervisor s = {.config = config,
	                       .signals = -1,
	                       .root_watch = {.fd = -1},
	                       .exits = {.fd = -1},
	                       .exit_stats = {.fd = -1}};
	int err = 0;

	s.terminal.fd = -1;
	s.pgrp_probe.fd = -1;
	s.dir.fd = s.dir.execs = -1;
	s.launch.command = config->command;
	s.launch.changes = config->changes.items;
	s.launch.n_changes = config->changes.n;
	s.launch.user = config->user;
	s.launch.behind = config->behind;
	s.launch.allow_nnp = config->allow_nnp;
	s.launch.adopts = config->n_pids && (!config->engine || strcmp(config->engine, "notify") == 0);
	s.launch.may_seize = !config->engine;
	s.root_ended = !config->command[0];
	err = supervisor_start(&s);
	if (!err) {
		engine_set_fast_path(s.engine, supervisor_fast_path, &s);
		begin_recording(&s);
		err = supervisor_go(&s);
	}
	if (err) {
		release(&s);
		return RUN_FAILED;
	}
	run(&s);
	shutdown_settle(&s);
	close_output(&s);
	supervisor_last_words(&s);
	running_last_words(&s);
	engine_end(s.engine);
	release(&s);
	if (config->recorded)
		config->recorded(config);
	return root_exit_status(&s);
}
