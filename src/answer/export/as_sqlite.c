/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A database of runs: what its tables hold stands in exectrace-export(1). */
#include "private.h"
#include "stack_rows.h"

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/answer/recording/identity.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/syscalls/names.h>
#include <sys/wait.h>

/* Processes and threads are added at the end, when all is known of them: so many numbers are set aside for them. */
#define PROCESSES_AT_MOST (1ll << 32)

struct store {
	struct exporter base; /* first */
	struct database *db;
	int64_t run, process, thread; /* the run's number, and those of its process and thread number 0 */
	struct call_parts parts;
	struct stack_rows stacks;
	struct buf json, path;
	uint64_t lost;
};

static struct data_text buffered(const struct buf *text)
{
	return (struct data_text){text->data, text->len};
}

/* --- Events --------------------------------------------------------------------------------------------------------
 */

/* A time as ns since 1970, or by the recording's clock where that is all there is. */
static int64_t when(const struct store *s, const struct recorded_event *event, uint64_t time)
{
	uint64_t realtime = recording_realtime(s->base.recording, event->file, time);

	return (int64_t)(realtime ? realtime : time);
}

static void put_who(struct store *s, const struct recorded_event *event)
{
	database_number(s->db, s->run);
	database_number(s->db, s->process + event->thread->process->number);
	database_number(s->db, s->thread + event->thread->number);
}

static void put_number_or_null(struct database *db, int64_t number)
{
	if (number)
		database_number(db, number);
	else
		database_null(db);
}

/* The arguments as a JSON array of strings. */
static int args_text(struct store *s)
{
	struct jsonl j = {.out = &s->json};

	s->json.len = 0;
	jsonl_list(&j);
	for (unsigned i = 0; i < s->parts.nargs; i++)
		jsonl_item(&j, s->parts.args[i].text);
	jsonl_array_end(&j);
	return j.err;
}

/* result, error, value. */
static void put_result(struct store *s, const struct data_syscall *call, bool unfinished)
{
	const char *error = call->error ? errno_name((int)-call->result) : NULL;

	if (unfinished)
		database_null(s->db);
	else
		database_number(s->db, call->error ? -1 : call->result);
	if (unfinished || !call->error)
		database_null(s->db);
	else
		database_string(s->db, error ? error : "unknown");
	if (unfinished || call->error || exporter_is_number(s->parts.result))
		database_null(s->db);
	else
		database_text(s->db, s->parts.result);
}

static int put_call(struct store *s, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	bool unfinished = event->record->type == DATA_UNFINISHED;
	int64_t stack;
	int rc = call_take_apart(&s->parts, call, unfinished), pathless;

	if (!rc)
		rc = args_text(s);
	if (!rc)
		rc = stack_row(&s->stacks, s->base.recording, event, &stack);
	if (rc)
		return rc;
	s->path.len = 0;
	pathless = call_file(&s->path, call);
	if (pathless == -ENOMEM)
		return pathless;
	database_row(s->db, DATABASE_CALLS, 0);
	put_who(s, event);
	database_number(s->db, when(s, event, call->enter));
	database_number(s->db, (int64_t)call->duration);
	database_text(s->db, s->parts.name);
	database_text(s->db, buffered(&s->json));
	put_result(s, call, unfinished);
	if (pathless)
		database_null(s->db);
	else
		database_text(s->db, buffered(&s->path));
	put_number_or_null(s->db, stack);
	database_string(s->db, event->thread->comm);
	return database_add(s->db);
}

static int put_sample(struct store *s, const struct recorded_event *event)
{
	const struct data_sample *sample = &event->record->sample;
	int64_t stack;
	int rc = stack_row(&s->stacks, s->base.recording, event, &stack);

	if (rc)
		return rc;
	database_row(s->db, DATABASE_SAMPLES, 0);
	put_who(s, event);
	database_number(s->db, when(s, event, event->time));
	database_number(s->db, sample->cpu);
	database_number(s->db, (int64_t)sample->weight);
	put_number_or_null(s->db, stack);
	database_string(s->db, event->thread->comm);
	return database_add(s->db);
}

static int put_signal(struct store *s, const struct recorded_event *event)
{
	const struct data_signal *signal = &event->record->signal;
	char name[SIGNAL_NAME_MAX];

	database_row(s->db, DATABASE_SIGNALS, 0);
	put_who(s, event);
	database_number(s->db, when(s, event, event->time));
	database_string(s->db, signal_name(signal->number, name));
	database_number(s->db, signal->code);
	put_number_or_null(s->db, signal->pid);
	return database_add(s->db);
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct store *s = (struct store *)e;

	switch (event->record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		return put_call(s, event);
	case DATA_SAMPLE:
		return put_sample(s, event);
	case DATA_SIGNAL:
		return put_signal(s, event);
	case DATA_LOST:
		s->lost += event->record->lost.count;
		return 0;
	default:
		return 0;
	}
}

/* --- What is known at the end --------------------------------------------------------------------------------------
 */

/* status, signal; name: room for its name, until the row is added */
static void put_status(struct store *s, bool known, int status, char name[SIGNAL_NAME_MAX])
{
	if (known && WIFEXITED(status))
		database_number(s->db, WEXITSTATUS(status));
	else
		database_null(s->db);
	if (known && WIFSIGNALED(status))
		database_string(s->db, signal_name(WTERMSIG(status), name));
	else
		database_null(s->db);
}

static int put_run(struct store *s)
{
	const struct recorded_run *run = recording_run(s->base.recording);
	static const struct recorded_run unknown = {"", "", "", "", "", .ended = false};
	cleanup_buf struct buf command = BUF_INIT;
	const char *host = recording_host(s->base.recording);
	char name[SIGNAL_NAME_MAX], id[RECORDING_ID_TEXT];

	if (!run)
		run = &unknown;
	if (run->command.n && quote_shell_strv(&command, &run->command))
		return -ENOMEM;
	database_row(s->db, DATABASE_RUNS, s->run);
	database_string(s->db, recording_path(s->base.recording));
	database_string(s->db, *host ? host : NULL);
	database_string(s->db, *run->system ? run->system : NULL);
	database_string(s->db, *run->version ? run->version : NULL);
	database_string(s->db, command.data);
	database_string(s->db, *run->cwd ? run->cwd : NULL);
	put_number_or_null(s->db, (int64_t)run->start_realtime);
	put_number_or_null(s->db, run->end > run->start ? (int64_t)(run->end - run->start) : 0);
	put_status(s, run->ended, run->status, name);
	database_number(s->db, (int64_t)s->lost);
	recording_id_print(recording_identify(s->base.recording), id);
	database_string(s->db, id);
	return database_add(s->db);
}

/* The number of a process: a recorded one has that which its calls name. */
static int64_t process_number(const struct store *s, const struct tree_node *node)
{
	uint64_t recorded = recording_processes(s->base.recording);

	return s->process + (int64_t)(node->process ? node->process - 1 : recorded + node->index);
}

static int put_process(struct store *s, const struct tree_node *node)
{
	char name[SIGNAL_NAME_MAX];

	database_row(s->db, DATABASE_PROCESSES, process_number(s, node));
	database_number(s->db, s->run);
	put_number_or_null(s->db, node->parent ? process_number(s, node->parent) : 0);
	database_number(s->db, node->pid);
	put_number_or_null(s->db, node->parent_pid);
	database_string(s->db, node->n_commands ? program_command(node) : NULL);
	database_string(s->db, node->cwd);
	put_number_or_null(s->db, (int64_t)node->start);
	put_number_or_null(s->db,
	                   node->start && node->end.when > node->start ? (int64_t)(node->end.when - node->start) : 0);
	put_status(s, node->end.known, node->end.wait_status, name);
	database_number(s->db, node->picked);
	database_number(s->db, node->process != 0);
	return database_add(s->db);
}

static int put_processes(struct store *s)
{
	struct process_tree *tree;
	int rc = process_tree_new(&tree, s->base.recording, NULL, NULL);

	if (rc)
		return rc;
	for (const struct tree_node *node = process_tree_first(tree); node && !rc; node = process_tree_next(node))
		rc = put_process(s, node);
	process_tree_free(tree);
	return rc;
}

static int put_threads(struct store *s)
{
	int rc = 0;

	for (size_t i = 0; i < recording_threads(s->base.recording) && !rc; i++) {
		const struct recorded_thread *thread = recording_thread(s->base.recording, i);
		uint64_t realtime = recording_realtime(s->base.recording, thread->process->file, thread->start);

		database_row(s->db, DATABASE_THREADS, s->thread + (int64_t)i);
		database_number(s->db, s->run);
		database_number(s->db, s->process + thread->process->number);
		database_number(s->db, thread->tid);
		database_string(s->db, thread->comm);
		put_number_or_null(s->db, (int64_t)(realtime ? realtime : thread->start));
		rc = database_add(s->db);
	}
	return rc;
}

static int finish(struct exporter *e)
{
	struct store *s = (struct store *)e;
	int rc = put_run(s);

	if (!rc)
		rc = put_processes(s);
	if (!rc)
		rc = put_threads(s);
	return rc ? rc : database_commit(s->db, e->options.why);
}

/* --- A guest's calls -----------------------------------------------------------------------------------------------
 */

/* A guest's calls by path: a row for each. */
static int put_path(struct guest *g, const struct calltree_node *node, const struct calltree_function *function,
                    int64_t first)
{
	struct store *s = (struct store *)g->e;
	const struct calltree_weight *weight = &node->sides[0];

	database_row(s->db, DATABASE_PATHS, 0);
	database_number(s->db, s->run);
	put_number_or_null(s->db, node->parent == CALLTREE_ROOT ? 0 : first + node->parent - 1);
	database_string(s->db, function->name);
	database_string(s->db, *function->module ? function->module : NULL);
	database_number(s->db, (int64_t)weight->count);
	database_number(s->db, (int64_t)guest_ticks(g, weight->total));
	database_number(s->db, (int64_t)guest_ticks(g, weight->self));
	database_number(s->db, (int64_t)guest_ticks(g, weight->waited));
	database_string(s->db, g->unit);
	return database_add(s->db);
}

static int on_guest(struct guest *g)
{
	struct store *s = (struct store *)g->e;
	struct calltree *tree = calltree_new();
	int64_t first = database_next(s->db, DATABASE_PATHS);
	const struct calltree_function *functions;
	const struct calltree_node *nodes;
	size_t n, n_functions;
	int rc = tree ? calltree_replay(tree, g->replay, g->which) : -ENOMEM;

	if (!rc) {
		calltree_sum(tree, false);
		nodes = calltree_nodes(tree, &n);
		functions = calltree_functions(tree, &n_functions);
		g->e->full = calltree_cut(tree) > 0;
		for (size_t i = 1; i < n && !rc; i++)
			rc = put_path(g, &nodes[i], &functions[nodes[i].function], first);
	}
	calltree_free(tree);
	return rc;
}

/* --- The format ----------------------------------------------------------------------------------------------------
 */

static int begin(struct exporter *e)
{
	struct store *s = (struct store *)e;
	int rc = database_open(&s->db, e->options.path, e->options.why);

	if (rc)
		return rc;
	s->run = database_reserve(s->db, DATABASE_RUNS, 1);
	s->stacks = (struct stack_rows){.db = s->db, .run = s->run};
	s->process = database_reserve(s->db, DATABASE_PROCESSES, PROCESSES_AT_MOST);
	s->thread = database_reserve(s->db, DATABASE_THREADS, PROCESSES_AT_MOST);
	return 0;
}

static void release(struct exporter *e)
{
	struct store *s = (struct store *)e;

	database_free(s->db);
	call_parts_release(&s->parts);
	stack_rows_release(&s->stacks);
	buf_release(&s->json);
	buf_release(&s->path);
}

const struct exporter_ops exporter_sqlite = {
	.name = "sqlite",
	.database = true,
	.both = true,
	.samples = true,
	.size = sizeof(struct store),
	.begin = begin,
	.event = on_event,
	.guest = on_guest,
	.finish = finish,
	.release = release,
};
