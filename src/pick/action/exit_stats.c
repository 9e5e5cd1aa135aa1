/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/exit_stats.h>

#include "exit_stats_socket.h"
#include "trial.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/exec/usage.h>
#include <stdlib.h>
#include <time.h>

#define ENTRIES 65536u /* two processes whose pids are the same but for multiples of that cannot both be followed */

/*
 * Ticks of processor time of a thread from which on it is told: what it has run since the last one is not in it
 * (delayacct_add_tsk, kernel/delayacct.c; update_curr, kernel/sched/fair.c).
 */
#define ENOUGH 10

/* A thread's message is there before anybody can have waited for its process. */
static bool is_heard(struct exit_stats *stats)
{
	struct exec_end end = {0};
	struct trial trial;

	if (trial_begin(&trial))
		return false;
	(void)exit_stats_follow(stats, trial.pid);
	trial_end(&trial);
	exit_stats_hear(stats);
	exit_stats_know(stats, trial.pid, &end);
	exit_stats_leave(stats, trial.pid);
	return end.known && end.wait_status == TRIAL_STATUS << 8;
}

int exit_stats_open(struct exit_stats *stats)
{
	struct timespec tick = {.tv_nsec = 10 * NS_PER_MS};
	int err = 0;

	(void)clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	*stats = (struct exit_stats){.tick = (uint64_t)tick.tv_nsec};
	stats->fd = exit_stats_socket(&stats->family);
	if (stats->fd < 0) {
		err = stats->fd;
		stats->fd = -1;
		return err;
	}
	stats->entry = calloc(ENTRIES, sizeof(*stats->entry));
	if (!stats->entry)
		err = -ENOMEM;
	else if (exit_stats_refused(stats->fd))
		err = -EPERM;
	else if (!is_heard(stats))
		err = -ENODATA;
	if (err)
		exit_stats_close(stats);
	return err;
}

/* --- Following ---------------------------------------------------------------------------------------------------- */

static struct exit_stats_entry *entry_of(const struct exit_stats *stats, pid_t pid)
{
	return &stats->entry[(unsigned)pid % ENTRIES];
}

static struct exit_stats_entry *followed(const struct exit_stats *stats, pid_t pid)
{
	struct exit_stats_entry *entry = stats->fd >= 0 ? entry_of(stats, pid) : NULL;

	return entry && entry->users && entry->pid == pid ? entry : NULL;
}

bool exit_stats_follow(struct exit_stats *stats, pid_t pid)
{
	struct exit_stats_entry *entry = stats->fd >= 0 ? entry_of(stats, pid) : NULL;

	if (!entry || (entry->users && entry->pid != pid))
		return false;
	if (!stats->users) /* nobody has listened since */
		exit_stats_hear(stats);
	if (!entry->users)
		*entry = (struct exit_stats_entry){.pid = pid};
	else if (entry->led) /* perhaps another process of that number */
		entry->unclear = true;
	entry->users++;
	stats->users++;
	return true;
}

void exit_stats_leave(struct exit_stats *stats, pid_t pid)
{
	entry_of(stats, pid)->users--;
	stats->users--;
}

unsigned exit_stats_ended(const struct exit_stats *stats, pid_t pid)
{
	const struct exit_stats_entry *entry = followed(stats, pid);

	return entry ? entry->ended : 0;
}

static void add(struct exit_stats_entry *entry, const struct exec_usage *usage)
{
	struct exec_usage *all = &entry->usage;

	all->cpu = true;
	all->user += usage->user;
	all->system += usage->system;
	all->peak = usage->peak > all->peak ? usage->peak : all->peak;
	all->io = usage->io && (all->io || !entry->ended);
	all->read += usage->read;
	all->written += usage->written;
}

/* Without its process a thread is counted when it is a first one, which says nothing where there were others. */
void exit_stats_note(struct exit_stats *stats, const struct exit_stats_event *event)
{
	pid_t pid = event->pid ? event->pid : event->tid;
	struct exit_stats_entry *entry = followed(stats, pid);
	struct exit_stats_entry *process = event->pid ? NULL : followed(stats, event->more);

	if (entry) {
		add(entry, &event->usage);
		entry->ended++;
		if (event->tid == pid) {
			entry->led = true;
			entry->code = event->code;
		}
	}
	if (process)
		process->unclear = true;
}

static void forget(struct exit_stats *stats)
{
	for (unsigned i = 0; i < ENTRIES; i++)
		stats->entry[i].unclear |= stats->entry[i].users > 0;
}

void exit_stats_hear(struct exit_stats *stats)
{
	struct exit_stats_event event;
	int got = 0;

	while (stats->fd >= 0 && got != -EAGAIN) {
		got = exit_stats_receive(stats->fd, stats->family, &event);
		if (got == 1)
			exit_stats_note(stats, &event);
		else if (got == -ENOBUFS) /* some were lost, one does not know of whom */
			forget(stats);
		else if (got < 0 && got != -EINTR)
			break;
	}
}

void exit_stats_know(const struct exit_stats *stats, pid_t pid, struct exec_end *end)
{
	const struct exit_stats_entry *entry = followed(stats, pid);
	struct exec_usage used;

	if (!entry || entry->unclear || !entry->led)
		return;
	used = entry->usage;
	used.cpu = used.user + used.system >= ENOUGH * stats->tick * entry->ended;
	exec_usage_complete(&end->usage, &used);
	if (!end->known && entry->ended == 1) {
		end->known = true;
		end->wait_status = entry->code;
	}
}

void exit_stats_close(struct exit_stats *stats)
{
	fd_close(&stats->fd);
	free(stats->entry);
	stats->entry = NULL;
}
