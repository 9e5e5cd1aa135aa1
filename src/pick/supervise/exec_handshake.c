/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Execs of processes that our own tracer has: where it cannot see them, it is told before they go on. */
#include "private.h"

#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <exectrace/pick/action/handshake.h>
#include <exectrace/pick/action/process.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE (5 * NS_PER_S) /* with a tracer that does not answer */

/* From the wait of a tracer, which lets the parent have the process, to its telling of that. */
#define MOMENT 500000 /* ns */
#define MOMENTS 3

/* An exec that waits for its tracer's answer, or for being reported again since that came. */
struct asked {
	struct asked *next;
	const struct job *job;
	uint64_t number; /* of the message */
	pid_t tid;
	uint64_t since; /* clock_now */
	bool answered;
	bool again; /* it is to restart */
};

static struct asked *find(const struct supervisor *s, pid_t tid)
{
	struct asked *asked = s->asked;

	while (asked && asked->tid != tid)
		asked = asked->next;
	return asked;
}

static void drop(struct supervisor *s, struct asked *asked)
{
	struct asked **link = &s->asked;

	while (*link != asked)
		link = &(*link)->next;
	*link = asked->next;
	free(asked);
}

static bool is_teller(const struct job *job)
{
	return job->handshake >= 0 && job->action->told;
}

/* The job whose tool traces a thread and may want to be told. */
static struct job *exec_handshake_of(const struct supervisor *s, pid_t tid)
{
	struct job *job = s->jobs;
	pid_t tracer = 0;

	while (job && !is_teller(job))
		job = job->next;
	if (job)
		tracer = process_tracer(tid);
	while (tracer && job && (!is_teller(job) || job->tool != tracer))
		job = job->next;
	return tracer ? job : NULL;
}

void exec_handshake_end(struct supervisor *s, struct job *job)
{
	fd_close(&job->handshake);
	for (struct asked *asked = s->asked; asked; asked = asked->next) {
		if (asked->job != job || asked->answered)
			continue;
		asked->answered = true;
		engine_retry(s->engine);
	}
}

static void on_reply(struct supervisor *s, struct job *job, const struct handshake_reply *reply)
{
	if (reply->kind == HANDSHAKE_BEGIN || reply->kind == HANDSHAKE_OFF)
		job->told = reply->kind == HANDSHAKE_BEGIN;
	if (reply->kind == HANDSHAKE_ENDED)
		ends_heard(s, (pid_t)reply->number, reply->status);
	for (struct asked *asked = s->asked; asked; asked = asked->next) {
		if (asked->number != reply->number || asked->job != job)
			continue;
		asked->answered = true;
		asked->again = reply->kind == HANDSHAKE_AGAIN;
		engine_retry(s->engine);
	}
}

static void listen_to(struct supervisor *s, struct job *job)
{
	struct handshake_reply reply;
	int got = 0;

	while (job->handshake >= 0 && (got = handshake_take_reply(job->handshake, &reply)) > 0)
		on_reply(s, job, &reply);
	if (got < 0)
		exec_handshake_end(s, job);
}

static bool listen_to_all(struct supervisor *s)
{
	bool any = false;

	for (struct job *job = s->jobs; job; job = job->next) {
		any |= job->handshake >= 0;
		listen_to(s, job);
	}
	return any;
}

void exec_handshake_hear_end(struct supervisor *s, const struct job *job)
{
	const struct timespec moment = {.tv_nsec = MOMENT};

	for (int i = 0; i < MOMENTS && !job->end.known && listen_to_all(s) && !job->end.known; i++)
		nanosleep(&moment, NULL);
}

void exec_handshake_listen(struct supervisor *s)
{
	uint64_t now = clock_now();

	(void)listen_to_all(s);
	for (struct asked *asked = s->asked; asked; asked = asked->next) {
		struct job *job = asked->answered || now - asked->since < PATIENCE ? NULL : s->jobs;

		while (job && job != asked->job)
			job = job->next;
		if (!job)
			continue;
		err_say(ERR_NOTE, "[%d] %s does not answer; execs go on without it", (int)job->rec.pid,
		        job->action->name);
		exec_handshake_end(s, job);
	}
}

int exec_handshake_wait_ms(const struct supervisor *s)
{
	uint64_t now = clock_now();
	int ms = -1;

	for (const struct asked *asked = s->asked; asked; asked = asked->next) {
		uint64_t waited = now - asked->since;
		int left = waited < PATIENCE ? (int)((PATIENCE - waited) / NS_PER_MS) + 1 : 0;

		if (!asked->answered && (ms < 0 || left < ms))
			ms = left;
	}
	return ms;
}

bool exec_handshake_ask(struct supervisor *s, struct job *job, pid_t tid)
{
	struct asked *asked = calloc(1, sizeof(*asked));

	if (!asked || handshake_ask(job->handshake, s->asked_number + 1, tid)) {
		free(asked);
		exec_handshake_end(s, job);
		return false;
	}
	*asked = (struct asked){.next = s->asked,
	                        .job = job,
	                        .number = ++s->asked_number,
	                        .tid = tid,
	                        .since = clock_now()};
	s->asked = asked;
	return true;
}

bool exec_handshake_concerns(const struct supervisor *s, pid_t tid)
{
	return s->asked || exec_handshake_of(s, tid);
}

void exec_handshake_hear(struct supervisor *s, pid_t tid)
{
	struct job *job = exec_handshake_of(s, tid);

	if (job)
		listen_to(s, job);
}

enum exec_handshake_step exec_handshake_see(const struct supervisor *s, pid_t tid, struct job **job)
{
	const struct asked *asked = find(s, tid);

	if (asked && !asked->answered)
		return TELLER_WAIT;
	if (asked)
		return asked->again ? TELLER_AGAIN : TELLER_GO;
	*job = exec_handshake_of(s, tid);
	return *job && (*job)->told ? TELLER_ASK : TELLER_NONE;
}

void exec_handshake_done(struct supervisor *s, pid_t tid)
{
	struct asked *asked = find(s, tid);

	if (asked && asked->answered)
		drop(s, asked);
}

void exec_handshake_release(struct supervisor *s)
{
	while (s->asked)
		drop(s, s->asked);
}
