/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define ERRNO_MAX 4095 /* results from -4095 to -1 are errors */

struct data_text record_text(const char *text)
{
	return (struct data_text){text ? text : "", text ? strlen(text) : 0};
}

/* --- What the events need ----------------------------------------------------------------------------------------- */

static bool is_set(const uint8_t *bits, uint64_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static void set(uint8_t *bits, uint64_t i)
{
	bits[i / 8] |= (uint8_t)(1 << i % 8);
}

static int write_origin(struct data_writer *to, uint64_t clock, const struct origin *origin)
{
	struct data_event event = {.type = DATA_FILE, .clock = clock_now()};
	int rc;

	event.file.id = origin->id;
	event.file.path = record_text(origin->name);
	rc = data_writer_event(to, &event);
	if (rc || !origin->address)
		return rc;
	event = (struct data_event){.type = DATA_MODULE, .clock = clock};
	event.module.file = origin->id;
	event.module.address = origin->address;
	event.module.size = origin->size;
	return data_writer_event(to, &event);
}

static int define_origin(struct drain *d, uint64_t clock, const struct origin *origin)
{
	if (origin->id >= RECORD_ORIGINS_MAX || is_set(d->known_origins, origin->id))
		return 0;
	set(d->known_origins, origin->id);
	return write_origin(d->writer, clock, origin);
}

static int write_function(struct data_writer *to, uint64_t clock, const struct function *function)
{
	struct data_event event = {.type = DATA_FUNCTION, .clock = clock};

	event.function.id = function->id;
	event.function.file = function->origin && function->origin->id < RECORD_ORIGINS_MAX ? function->origin->id : 0;
	event.function.address = function->address;
	event.function.size = function->size;
	event.function.name = record_text(function->name);
	return data_writer_event(to, &event);
}

static int write_signature(struct data_writer *to, uint64_t clock, const struct function *function)
{
	struct data_event event = {.type = DATA_SIGNATURE, .clock = clock};

	event.signature = (struct data_signature){function->id, record_text(function->args->signature)};
	return data_writer_event(to, &event);
}

static int define_function(struct drain *d, uint64_t clock, uint32_t id)
{
	const struct function *function = functions_at(d->functions, id);
	int rc = function && function->origin ? define_origin(d, clock, function->origin) : 0;

	set(d->known, id % FUNCTIONS_MAX);
	return rc || !function ? rc : write_function(d->writer, clock, function);
}

/* Puts a function into the file before its first event. */
static inline int define(struct drain *d, uint64_t clock, uint32_t id)
{
	return __builtin_expect(record_knows(d, id), 1) ? 0 : define_function(d, clock, id);
}

/* --- Events ------------------------------------------------------------------------------------------------------- */

int record_event(struct drain *d, uint32_t cpu, uint64_t clock, unsigned kind, uint32_t number)
{
	int rc = 0;

	switch (kind) {
	case RING_CALL:
		rc = define(d, clock, number);
		return rc ? rc : data_writer_call(d->writer, clock, number);
	case RING_RETURN:
		return data_writer_return(d->writer, clock);
	case RING_TAIL:
		rc = define(d, clock, number);
		return rc ? rc : data_writer_tail(d->writer, clock, number);
	case RING_IRQ_ENTER:
		rc = define(d, clock, number);
		return rc ? rc : data_writer_irq_enter(d->writer, clock, number);
	case RING_IRQ_EXIT:
		return data_writer_irq_exit(d->writer, clock);
	case RING_SWITCH:
		return data_writer_switch(d->writer, clock, number, cpu);
	default:
		return 0;
	}
}

int record_values(struct drain *d, uint64_t clock, const struct ring_values *values, bool returns)
{
	struct data_event event = {.type = returns ? DATA_CALL_RESULT : DATA_CALL_ARGS, .clock = clock};
	const struct function *function = functions_at(d->functions, values->function);
	int rc = define(d, clock, values->function);

	/* They may be asked for when it is known for long. */
	if (!rc && function && !is_set(d->typed, function->id)) {
		set(d->typed, function->id);
		rc = write_signature(d->writer, clock, function);
	}
	event.values = values->values;
	return rc ? rc : data_writer_event(d->writer, &event);
}

int record_filtered(struct drain *d, uint64_t clock, uint64_t count, uint64_t ticks)
{
	struct data_event event = {.type = DATA_FILTERED, .clock = clock, .filtered = {d->filtered, count, ticks}};
	int rc = define(d, clock, d->filtered);

	return rc ? rc : data_writer_event(d->writer, &event);
}

/* A task, in the guest's own terms, and as the threads that make system calls are told of. */
static int write_task(struct data_writer *to, uint64_t clock, const uint64_t *words, bool is_new)
{
	struct data_event event = {.type = DATA_TASK, .clock = clock};
	uint32_t pid = (uint32_t)(words[1] >> 32), tgid = (uint32_t)words[1];
	char name[17] = "";
	int rc;

	memcpy(name, &words[3], 16);
	event.task = (struct data_task){words[0], pid, tgid, record_text(name)};
	rc = data_writer_event(to, &event);
	event.task.stack = (uint32_t)words[5] >> 1;
	if (!rc && event.task.stack)
		rc = data_writer_event(to, &event);
	if (rc || !pid) /* the idle ones all have the number 0 */
		return rc;
	event = (struct data_event){.type = DATA_THREAD, .clock = words[2]};
	event.thread = (struct data_thread){.tid = pid, .pid = tgid, .parent = (uint32_t)(words[5] >> 32)};
	if (is_new)
		rc = data_writer_event(to, &event);
	if (rc)
		return rc;
	event = (struct data_event){.type = DATA_COMM, .clock = words[2], .comm = {pid, record_text(name)}};
	return data_writer_event(to, &event);
}

/* With a flight recorder the tasks have to be told again. */
static int put_task(struct drain *d, uint64_t clock, const uint64_t *words)
{
	struct drain_task *more;
	uint64_t n = d->n_tasks ? d->n_tasks : 64;

	while (n <= words[0])
		n *= 2;
	if (d->flight && n > d->n_tasks && n < RECORD_ORIGINS_MAX * 4) {
		more = realloc(d->tasks, n * sizeof(*more));
		if (!more)
			return -ENOMEM;
		memset(more + d->n_tasks, 0, (n - d->n_tasks) * sizeof(*more));
		d->tasks = more;
		d->n_tasks = n;
	}
	if (words[0] < d->n_tasks)
		memcpy(d->tasks[words[0]].words, words, sizeof(d->tasks[0].words));
	return write_task(d->writer, clock, words, words[5] & 1);
}

/* --- Processes ---------------------------------------------------------------------------------------------------- */

static int put_exec(struct drain *d, struct ring_exec *exec)
{
	struct data_event event = {.type = DATA_EXEC, .clock = exec->when};
	int rc;

	event.exec = (struct data_exec){.pid = exec->pid, .tid = exec->pid, .argc = exec->argc};
	event.exec.path = (struct data_text){exec->text, exec->path_size ? exec->path_size - 1 : 0};
	event.exec.argv = (struct data_text){exec->text + exec->path_size, exec->argv_size};
	rc = data_writer_event(d->writer, &event);
	free(exec);
	return rc;
}

static int put_exit(struct drain *d, const uint64_t *words)
{
	struct data_event event = {.type = DATA_EXIT, .clock = words[1]};

	event.exit = (struct data_exit){(uint32_t)(words[0] >> 32), (uint32_t)words[0], (int32_t)words[2]};
	return data_writer_event(d->writer, &event);
}

static int put_syscall(struct drain *d, const uint64_t *words, bool finished)
{
	struct data_syscall call = {
		.arch = (uint32_t)(words[0] >> 32),
		.nr = (uint32_t)words[0],
		.tid = (uint32_t)words[1],
		.enter = words[2],
		.duration = words[3] - words[2],
		.result = (int64_t)words[4],
		.nargs = DATA_ARGS,
	};
	struct ring_texts *texts = (struct ring_texts *)(uintptr_t)words[11];
	struct data_extra extras[RING_TEXTS];
	int rc;

	memcpy(call.args, &words[5], sizeof(call.args));
	for (unsigned i = 0; texts && i < texts->n; i++)
		extras[i] = (struct data_extra){texts->items[i].arg,
		                                texts->items[i].kind,
		                                {texts->items[i].text, texts->items[i].n}};
	call.extras = extras;
	call.nextras = texts ? (uint8_t)texts->n : 0;
	call.error = finished && call.result < 0 && call.result >= -ERRNO_MAX;
	rc = finished ? data_writer_syscall(d->writer, &call) : data_writer_unfinished(d->writer, &call);
	ring_texts_free(texts);
	return rc;
}

static int put_message(struct drain *d, uint32_t cpu, uint64_t clock, struct ring_message *message)
{
	struct data_event event = {.type = DATA_MESSAGE, .clock = clock};
	int rc;

	event.message = (struct data_message){cpu,
	                                      message->level,
	                                      message->stamp,
	                                      message->caller,
	                                      {message->text, message->size}};
	rc = data_writer_event(d->writer, &event);
	free(message);
	return rc;
}

int record_more(struct drain *d, uint32_t cpu, uint64_t clock, unsigned more, const uint64_t *words)
{
	struct data_event event = {.clock = clock};

	switch (more) {
	case RING_SYNC:
		event.type = DATA_SYNC;
		event.sync.clock = words[0];
		event.sync.cpu = cpu;
		return data_writer_event(d->writer, &event);
	case RING_TASK:
		return put_task(d, clock, words);
	case RING_SYSCALL:
	case RING_UNFINISHED:
		return put_syscall(d, words, more == RING_SYSCALL);
	case RING_EXEC:
		return put_exec(d, (struct ring_exec *)(uintptr_t)words[0]);
	case RING_EXIT:
		return put_exit(d, words);
	case RING_MODULE:
		return define_origin(d, clock, (const struct origin *)(uintptr_t)words[0]);
	case RING_WAKE:
		event.type = DATA_WAKE;
		event.wake = (struct data_wake){words[0] >> 1, words[0] & 1 ? DATA_WAKE_NEW : 0};
		return data_writer_event(d->writer, &event);
	case RING_HELD:
		event.type = DATA_HELD;
		event.held = (struct data_held){words[0], words[1]};
		return data_writer_event(d->writer, &event);
	case RING_MESSAGE:
		return put_message(d, cpu, clock, (struct ring_message *)(uintptr_t)words[0]);
	case RING_NOTE:
		event.type = DATA_NOTE;
		event.clock = clock_now();
		event.note = record_text((const char *)(uintptr_t)words[0]);
		return data_writer_event(d->writer, &event);
	default:
		return 0;
	}
}

/* --- Another file ------------------------------------------------------------------------------------------------- */

int record_all(struct drain *d, struct data_writer *to, uint64_t clock)
{
	const struct origin *origin;
	int rc = 0;

	pthread_mutex_lock(&d->functions->lock);
	origin = d->functions->origins;
	pthread_mutex_unlock(&d->functions->lock);
	for (; origin && !rc; origin = origin->next) {
		if (origin->id < RECORD_ORIGINS_MAX && is_set(d->known_origins, origin->id))
			rc = write_origin(to, clock, origin);
	}
	for (uint32_t id = 1; id < FUNCTIONS_MAX && !rc; id++) {
		const struct function *function = functions_at(d->functions, id);

		if (!function)
			break;
		if (is_set(d->known, id))
			rc = write_function(to, clock, function);
		if (!rc && is_set(d->typed, id))
			rc = write_signature(to, clock, function);
	}
	for (uint64_t i = 0; i < d->n_tasks && !rc; i++) {
		if (d->tasks[i].words[0])
			rc = write_task(to, clock, d->tasks[i].words, true);
	}
	return rc;
}
