/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Execs that wait for a look at a file (target/executable/looks.h), while others go on. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

static int sooner(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

/* poll(2) with what the looks under way wait for. */
static int poll_all(struct engine *engine, struct pollfd *fds, size_t n, int timeout_ms)
{
	struct pollfd looks[LOOKS_HELPERS];
	size_t more = looks_poll(engine->looks, looks);
	struct pollfd *all = more ? malloc((n + more) * sizeof(*all)) : NULL;
	int ready = 0;

	timeout_ms = sooner(timeout_ms, looks_wait_ms(engine->looks));
	pthread_mutex_unlock(&engine->lock);
	if (all) {
		memcpy(all, fds, n * sizeof(*all));
		memcpy(all + n, looks, more * sizeof(*all));
		ready = poll(all, n + more, timeout_ms);
		memcpy(fds, all, n * sizeof(*all));
	} else {
		ready = poll(fds, n, more ? sooner(timeout_ms, 1) : timeout_ms);
	}
	pthread_mutex_lock(&engine->lock);
	free(all);
	return ready;
}

int engine_poll(struct engine *engine, struct pollfd *fds, size_t n, int timeout_ms)
{
	/* What a wait event has made ready to be reported again makes no descriptor readable. */
	if (engine->retry)
		timeout_ms = 0;
	return poll_all(engine, fds, n, timeout_ms);
}

void engine_drop_look(struct engine *engine, const void *key)
{
	struct look **link = &engine->looked;

	while (*link) {
		struct look *look = *link;

		if (key && look->user != key) {
			link = &look->next;
			continue;
		}
		*link = look->next;
		engine->capture.known = engine->look == look ? NULL : engine->capture.known;
		engine->look = engine->look == look ? NULL : engine->look;
		look_free(look);
	}
}

void engine_describe(struct engine *engine, const void *key)
{
	struct look *look = engine->looked;

	while (look && look->user != key)
		look = look->next;
	engine->look = look;
	engine->capture.known = look ? &look->target : NULL;
	exec_record_reset(&engine->rec);
}

void *engine_looked(struct engine *engine)
{
	struct look *look = looks_next(engine->looks);

	if (!look)
		return NULL;
	look->next = engine->looked;
	engine->looked = look;
	return look->user;
}

void engine_settle(struct engine *engine)
{
	if (engine->look && engine->look->gave_up)
		engine->counts.slow++;
	if (!engine->rec.refused || engine->rec.outcome)
		return;
	engine->counts.unreadable++;
	if (engine->counts.why)
		return;
	engine->counts.why = engine->rec.refused;
	engine->counts.yama = engine->yama == YAMA_DESCENDANTS && yama_refuses(engine->rec.tid);
}

bool engine_must_look(const struct engine *engine)
{
	return engine->rec.later != 0;
}

bool engine_is_looking(const struct engine *engine)
{
	return engine->looked || looks_wait_ms(engine->looks) >= 0;
}

void engine_look(struct engine *engine)
{
	int dirfd = 0;
	const char *path = capture_path(&engine->rec, &engine->capture, &dirfd);
	struct look *look = looks_begin(engine->looks, engine->rec.tid, dirfd, path);

	if (look)
		look->user = engine->ops->keep(engine);
	else
		engine_pass(engine);
}
