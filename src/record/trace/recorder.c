/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder.h"

#include "transfers.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/format/data/writer.h>
#include <exectrace/record/common/machine.h>
#include <exectrace/record/common/processes.h>
#include <exectrace/record/trace/process/lock_owner.h>
#include <exectrace/target/decode/decode.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define FLUSH_NS NS_PER_S /* older records are in the file, should the tracer be killed */
/* What is lost at most when the disk is full. */
#define BLOCK_RECORDS 16384u
#define BLOCK_BYTES (256u << 10)

struct recorder {
	struct call_sink sink; /* first */
	struct writer_config config;
	struct trace_stacks *stacks;
	struct memory memory;
	struct decoder decoder;
	struct data_writer *writer; /* NULL before the first event */
	struct syscall_filter renames;
	struct transfers transfers;
	uint64_t now;     /* of the event */
	uint64_t flushed; /* clock_now */
	pid_t first;      /* the first process */
	bool introduced;  /* it is known what the first process executes */
	int error;        /* of a definition that was written meanwhile */
};

static int begin_file(struct recorder *r, const struct call_event *event)
{
	const struct data_writer_options options = {
		.records = BLOCK_RECORDS,
		.bytes = BLOCK_BYTES,
		.interval = FLUSH_NS,
	};
	struct machine machine;
	int err = machine_describe(&machine, event->thread->tgid, event->now, event->wall);

	r->flushed = event->now;
	if (!err)
		err = data_writer_open(&r->writer, r->config.fd, &machine.facts, &options);
	machine_release(&machine);
	return err;
}

static int put(struct recorder *r, struct data_event *event)
{
	event->clock = r->now;
	return data_writer_event(r->writer, event);
}

/* A stack_define_fn: what stacks refer to goes into the file as soon as it is known. */
static void define(void *user, struct data_event *event)
{
	struct recorder *r = user;
	int err = r->writer ? put(r, event) : 0;

	if (err && !r->error)
		r->error = err;
}

static int put_comm(struct recorder *r, const struct thread *thread)
{
	struct data_event out = {.type = DATA_COMM, .comm = {.tid = (uint32_t)thread->tid}};
	cleanup_buf struct buf name = BUF_INIT;
	int err = process_comm(thread->tid, &name);

	if (err)
		return err == -ENOMEM ? err : 0; /* it is gone */
	out.comm.name = (struct data_text){name.data, name.len};
	return put(r, &out);
}

/* What a process executes, from now on. former: the number that the calling thread had. */
static int put_exec(struct recorder *r, struct thread *thread, pid_t former)
{
	cleanup_buf struct buf path = BUF_INIT;
	cleanup_buf struct buf words = BUF_INIT;
	struct data_event out = {
		.type = DATA_EXEC,
		.exec = {.pid = (uint32_t)thread->tgid, .tid = (uint32_t)former},
	};
	int err = process_program(thread->tid, &path, &words, &out.exec.argc);

	if (err)
		return err == -ENOMEM ? err : 0;
	out.exec.path = (struct data_text){path.data, path.len};
	out.exec.argv = (struct data_text){words.data, words.len};
	if (r->stacks)
		out.exec.mapset = stacks_mapset(r->stacks, thread);
	err = put(r, &out);
	return err ? err : put_comm(r, thread);
}

static int on_begin(struct recorder *r, const struct thread *thread)
{
	struct data_event out = {
		.type = DATA_THREAD,
		.thread =
			{
				.tid = (uint32_t)thread->tid,
				.pid = (uint32_t)thread->tgid,
				.parent = (uint32_t)thread->parent,
				.flags = thread->clone_flags,
			},
	};
	int err = put(r, &out);

	return err ? err : put_comm(r, thread);
}

/*
 * A process that was attached to in the middle of its program has shown no exec. One that waits in its execve will, or
 * that fails. Others than the first are introduced by their first threads.
 */
static int introduce(struct recorder *r, const struct call_event *event)
{
	const struct thread *thread = event->thread;
	const struct syscall_call *call = &thread->call;
	bool known;

	r->first = r->first ? r->first : thread->tgid;
	known = thread->tgid == r->first ? r->introduced : !thread->attached || thread->tid != thread->tgid;
	if (known || event->type == CALL_BEGIN || (event->type == CALL_ENTER && arch_is_exec(call->arch, call->nr)))
		return 0;
	r->introduced |= thread->tgid == r->first;
	return event->type == CALL_EXEC || event->type == CALL_END ? 0 : put_exec(r, event->thread, thread->tgid);
}

/* --- Calls --- */

static bool is_one_of(const char *name, size_t n, const struct strv *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		if (n == strlen(paths->items[i]) && memcmp(name, paths->items[i], n) == 0)
			return true;
	return false;
}

static bool is_about(const struct call_extras *extras, const struct strv *paths)
{
	for (unsigned i = 0; i < extras->n; i++) {
		const struct call_extra *e = &extras->items[i];
		const char *text = extras->bytes.data + e->at;

		if (e->kind == EXTRA_NAME ? is_one_of(text, e->n, paths)
		                          : e->kind == EXTRA_TEXT && writer_names(text, e->n, paths))
			return true;
	}
	return false;
}

static bool wants(const struct recorder *r, const struct thread *thread, bool ended)
{
	return writer_shows(&r->config, thread, ended) &&
	       (!writer_has_paths(&r->config) || is_about(&thread->extras, r->config.paths));
}

/* The call of a thread as it is recorded; extras has room for its extras. */
static struct data_syscall call_of(const struct recorder *r, const struct thread *thread, struct data_extra *extras)
{
	static const enum data_extra_kind kinds[] = {
		[EXTRA_BYTES] = DATA_EXTRA_BYTES,
		[EXTRA_NAME] = DATA_EXTRA_PATH,
		[EXTRA_TEXT] = DATA_EXTRA_TEXT,
	};
	const struct syscall_call *call = &thread->call;
	const struct syscall_desc *desc = syscall_by_nr(call->arch, call->nr);
	struct data_syscall out = {
		.tid = (uint32_t)thread->tid,
		.arch = call->arch->audit,
		.nr = call->nr,
		/* Some arguments of a 32-bit program are two registers. */
		.nargs = desc && call->arch->word == 8 ? (uint8_t)decode_registers(desc) : SYSCALL_ARGS,
		.nextras = (uint8_t)thread->extras.n,
		.enter = thread->enter,
		.duration = r->now - thread->enter,
		.stack = thread->stack,
		.extras = extras,
	};

	memcpy(out.args, call->args, sizeof(out.args));
	for (unsigned i = 0; i < thread->extras.n; i++) {
		const struct call_extra *e = &thread->extras.items[i];

		extras[i] = (struct data_extra){e->arg, kinds[e->kind], {thread->extras.bytes.data + e->at, e->n}};
	}
	return out;
}

static int on_enter(struct recorder *r, struct thread *thread)
{
	int err = extras_enter(&r->decoder, &thread->call, &thread->state, &thread->extras);

	return err || !r->config.why ? err : lock_owner_note(thread);
}

static int on_return(struct recorder *r, struct thread *thread)
{
	struct data_extra extras[SYSCALL_ARGS + 1];
	struct data_syscall call;
	int err;

	transfers_note(&r->transfers, thread);
	err = extras_exit(&r->decoder, &thread->call, &thread->state, &thread->result, &thread->extras);

	if (err || !wants(r, thread, true))
		return err;
	call = call_of(r, thread, extras);
	if (r->config.why && transfers_is_plain(&r->transfers, thread, r->now))
		call.nextras = 1;
	call.result = thread->result.value;
	call.error = thread->result.error;
	err = data_writer_syscall(r->writer, &call);
	if (!err && !call.error && syscall_filter_has(&r->renames, thread->call.arch, call.nr) &&
	    call.args[0] == PR_SET_NAME)
		err = put_comm(r, thread);
	return err;
}

/* A call that does not return, or not while it is seen. */
static int on_unfinished(struct recorder *r, const struct thread *thread)
{
	struct data_extra extras[SYSCALL_ARGS + 1];
	struct data_syscall call;

	if (!thread->in_call || !thread->wanted || thread->aside || !wants(r, thread, false))
		return 0;
	call = call_of(r, thread, extras);
	return data_writer_unfinished(r->writer, &call);
}

/* --- The rest --- */

static int on_signal(struct recorder *r, const struct call_event *event)
{
	struct data_event out = {
		.type = DATA_SIGNAL,
		.signal = {.tid = (uint32_t)event->thread->tid, .number = event->sig, .stack = event->thread->stack},
	};

	if (event->info)
		process_signal(event->info, &out.signal);
	return put(r, &out);
}

static int on_stop(struct recorder *r, const struct call_event *event)
{
	struct data_event out = {
		.type = DATA_STOP,
		.stop = {(uint32_t)event->thread->tid, event->sig},
	};

	return put(r, &out);
}

static int put_usage(struct recorder *r, pid_t pid, const struct exec_usage *usage)
{
	struct data_event out = {
		.type = DATA_USAGE,
		.usage =
			{
				.pid = (uint32_t)pid,
				.flags = (usage->cpu ? DATA_USAGE_CPU : 0) | (usage->io ? DATA_USAGE_IO : 0),
				.user = usage->user,
				.system = usage->system,
				.peak = usage->peak,
				.read = usage->read,
				.written = usage->written,
			},
	};

	return out.usage.flags || out.usage.peak ? put(r, &out) : 0;
}

static int on_end(struct recorder *r, const struct call_event *event)
{
	struct data_event out = {
		.type = DATA_EXIT,
		.exit = {(uint32_t)event->thread->tid, (uint32_t)event->thread->tgid, event->status},
	};
	int err = on_unfinished(r, event->thread);

	if (!err && event->usage)
		err = put_usage(r, event->thread->tgid, event->usage);
	return err ? err : put(r, &out);
}

static int dispatch(struct recorder *r, const struct call_event *event)
{
	switch (event->type) {
	case CALL_BEGIN:
		return on_begin(r, event->thread);
	case CALL_ENTER:
		return on_enter(r, event->thread);
	case CALL_EXIT:
		return on_return(r, event->thread);
	case CALL_SIGNAL:
		return on_signal(r, event);
	case CALL_STOP:
		return on_stop(r, event);
	case CALL_EXEC:
		return put_exec(r, event->thread, event->other);
	case CALL_TAKEN:
	case CALL_LET_GO:
		return on_unfinished(r, event->thread);
	case CALL_END:
		return on_end(r, event);
	default:
		return 0;
	}
}

static int recorder_event(struct call_sink *sink, const struct call_event *event)
{
	struct recorder *r = (struct recorder *)sink;
	int err = r->writer ? 0 : begin_file(r, event);

	r->now = event->now;
	memory_of(&r->memory, event);
	if (!err)
		err = introduce(r, event);
	if (!err && !call_is_aside(event))
		err = dispatch(r, event);
	memory_after(&r->memory, event);
	sink->held = !err;
	return err ? err : r->error;
}

/* Names take time, so they are looked up while nothing is stopped. */
static int recorder_idle(struct call_sink *sink)
{
	struct recorder *r = (struct recorder *)sink;
	int err = 0;

	r->now = clock_now();
	if (r->stacks)
		stacks_name(r->stacks);
	if (!r->error && r->now - r->flushed < FLUSH_NS)
		return 0;
	r->flushed = r->now;
	sink->held = false;
	if (r->writer)
		err = data_writer_flush(r->writer);
	return err ? err : r->error;
}

static int recorder_end(struct call_sink *sink)
{
	struct recorder *r = (struct recorder *)sink;
	int err = 0;

	r->now = clock_now();
	if (r->stacks && !r->error)
		stacks_name(r->stacks);
	if (r->writer)
		err = data_writer_close(r->writer);
	memory_release(&r->memory);
	if (!err)
		err = r->error;
	free(r);
	return err;
}

struct call_sink *recorder_sink(const struct writer_config *config, struct trace_stacks *stacks)
{
	struct recorder *r = calloc(1, sizeof(*r));
	struct buf why = BUF_INIT;

	if (!r)
		return NULL;
	r->sink = (struct call_sink){.event = recorder_event, .idle = recorder_idle, .end = recorder_end};
	r->config = *config;
	r->stacks = stacks;
	r->memory.partial = config->partial;
	r->decoder = memory_decoder(&r->memory, config->string_max);
	(void)syscall_filter_parse(&r->renames, "prctl", &why);
	transfers_init(&r->transfers);
	buf_release(&why);
	if (stacks)
		stacks_define(stacks, define, r);
	return &r->sink;
}
