/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/story.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <string.h>
#include <sys/wait.h>

#define KILL_NS (20 * NS_PER_MS) /* a signal may be recorded so long behind the end of whom it was for */

struct reading {
	struct history *history;
	const struct story_options *options;
	uint64_t last; /* time of the last event */
};

static void each(void *ctx, const struct recorded_event *event)
{
	struct reading *reading = ctx;
	const uint8_t type = event->record->type;

	if (event->time > reading->last)
		reading->last = event->time;

	if (reading->options->call && event->thread && (type == DATA_SYSCALL || type == DATA_UNFINISHED))
		reading->options->call(reading->options->ctx, event, type == DATA_UNFINISHED);
	history_event(reading->history, event);
}

/* The moment at which the run began, by both clocks. */
static void set_start(struct story *s)
{
	const struct recorded_run *run = recording_run(s->recording);
	uint64_t start = process_tree_start(s->tree), event = 0;

	if (run && run->start_realtime && run->start) {
		s->wall_start = start && start < run->start_realtime ? start : run->start_realtime;
		s->event_start = run->start - (run->start_realtime - s->wall_start);
		return;
	}
	s->wall_start = s->event_start = start;
	if (recording_files(s->recording)) {
		event = recording_file(s->recording, 0)->start;
		s->event_start = start - (recording_realtime(s->recording, 0, event) - event);
	}
}

static void set_end(struct story *s, uint64_t last)
{
	const struct recorded_run *run = recording_run(s->recording);

	if (run && run->end_realtime > s->wall_start)
		s->end = run->end_realtime - s->wall_start;
	else if (!run && last > s->event_start)
		s->end = last - s->event_start;
	for (const struct tree_node *node = s->root; node; node = process_tree_next(node))
		if (node->end.when > s->wall_start && node->end.when - s->wall_start > s->end && !run)
			s->end = node->end.when - s->wall_start;
}

/* COMMAND: the first process of the tree, which is not one that was there before. */
static const struct tree_node *find_root(const struct process_tree *tree)
{
	const struct tree_node *node = process_tree_first(tree);

	while (node && node->lost)
		node = process_tree_next(node);
	return node;
}

int story_read(struct story *s, struct recording *r, const struct story_options *options)
{
	const struct recorded_run *run = recording_run(r);
	struct reading reading = {.history = &s->history, .options = options};
	int rc;

	*s = (struct story){.recording = r, .history = {.recording = r, .keeps_accesses = options->accesses}};
	rc = process_tree_new(&s->tree, r, each, &reading);
	if (!rc)
		history_finish(&s->history, run && run->end > reading.last ? run->end : reading.last);
	if (!rc)
		rc = s->history.err;
	if (rc)
		return rc;
	s->root = find_root(s->tree);
	set_start(s);
	set_end(s, reading.last);
	return 0;
}

void story_release(struct story *s)
{
	process_tree_free(s->tree);
	history_release(&s->history);
}

static uint64_t since(uint64_t start, uint64_t time)
{
	return time > start ? time - start : 0;
}

uint64_t story_start(const struct story *s, const struct tree_node *node)
{
	const struct process_history *p = story_history(s, node);
	uint64_t start = since(s->wall_start, node->start), began = p && p->began ? story_time(s, p->began) : 0;

	return began > start ? began : start;
}

uint64_t story_end(const struct story *s, const struct tree_node *node)
{
	uint64_t start = story_start(s, node), end = node->end.when ? since(s->wall_start, node->end.when) : s->end;
	const struct process_history *p = story_history(s, node);

	/* Its tracer saw it sooner than who waits for the end of any process. */
	if (p && p->process->end && story_time(s, p->process->end) < end)
		end = story_time(s, p->process->end);
	return end > start ? end : start;
}

uint64_t story_time(const struct story *s, uint64_t event)
{
	return since(s->event_start, event);
}

uint64_t story_event(const struct story *s, uint64_t time)
{
	return s->event_start + time;
}

struct process_history *story_history(const struct story *s, const struct tree_node *node)
{
	struct process_history *p = node->process ? history_process(&s->history, node->process - 1) : NULL;

	/* One that a signal ended at once has none; one that was sampled only, too. */
	return p && (p->calls || (s->history.calls && !p->sampled)) ? p : NULL;
}

struct thread_history *story_main_thread(const struct story *s, const struct tree_node *node)
{
	struct process_history *p = story_history(s, node);

	return p ? p->first_thread : NULL;
}

const char *story_cwd(const struct story *s, const struct tree_node *node)
{
	const struct process_history *p = story_history(s, node);

	if (node->cwd)
		return node->cwd;
	return p ? p->cwd : "";
}

bool story_failed(const struct tree_node *node)
{
	return node->end.known && node->end.wait_status != 0;
}

const struct kill_sent *story_kill_of(const struct story *s, const struct tree_node *node)
{
	const struct history *h = &s->history;
	const struct kill_sent *found = NULL;

	if (!node->end.known || !WIFSIGNALED(node->end.wait_status))
		return NULL;
	for (size_t i = 0; i < h->n_kills; i++) {
		const struct kill_sent *kill = &h->kills[i];
		bool hits = kill->target == (int32_t)node->pid || kill->target <= 0;

		if (hits && kill->number == WTERMSIG(node->end.wait_status) &&
		    (!node->end.when || story_time(s, kill->time) <= story_end(s, node) + KILL_NS))
			found = kill;
	}
	return found;
}

int story_program_of(struct buf *out, const char *command)
{
	size_t n = strcspn(command, " "), at = n;

	while (at > 0 && command[at - 1] != '/')
		at--;
	return buf_append(out, command + at, n - at);
}

int story_program(struct buf *out, const struct tree_node *node)
{
	return story_program_of(out, program_command(node));
}

bool story_runs_one_of(const struct tree_node *node, const char *const *names)
{
	cleanup_buf struct buf program = BUF_INIT;

	if (story_program(&program, node) || !program.data)
		return false;
	while (*names && strcmp(*names, program.data) != 0)
		names++;
	return *names != NULL;
}

uint64_t story_exec(const struct story *s, const struct tree_node *node, unsigned i)
{
	return node->exec_times[i] ? since(s->wall_start, node->exec_times[i]) : 0;
}

const char *story_command_at(const struct story *s, const struct tree_node *node, uint64_t time)
{
	const char *command = node->commands.data;

	if (node->lost || !node->commands.len || node->forked || !node->exec_times[0])
		return program_command(node);
	if (story_exec(s, node, 0) > time)
		return node->parent && !node->parent->lost ? story_command_at(s, node->parent, time) : command;
	for (unsigned i = 1; i < node->n_commands; i++) {
		if (!node->exec_times[i] || story_exec(s, node, i) > time)
			break;
		command += strlen(command) + 1;
	}
	return command;
}

const char *story_script(const char *command, size_t *n)
{
	static const char *const interpreters[] = {"sh",   "bash", "dash",    "python", "perl",
	                                           "node", "ruby", "Rscript", "lua",    "tclsh"};
	size_t word = strcspn(command, " "), base = word;
	const char *script = command + word + strspn(command + word, " ");

	*n = strcspn(script, " ");
	while (base > 0 && command[base - 1] != '/')
		base--;
	for (size_t i = 0; *script != '-' && i < sizeof(interpreters) / sizeof(*interpreters); i++) {
		size_t length = strlen(interpreters[i]);

		/* python3.11 */
		if (strncmp(command + base, interpreters[i], length) == 0 &&
		    base + length + strspn(command + base + length, "0123456789.") == word)
			return script;
	}
	*n = 0;
	return script;
}

bool story_is_below(const struct tree_node *node, const struct tree_node *above)
{
	while (node && node != above)
		node = node->parent;
	return node != NULL;
}

bool story_same_program(const struct tree_node *a, const struct tree_node *b)
{
	cleanup_buf struct buf one = BUF_INIT, two = BUF_INIT;

	return !story_program(&one, a) && !story_program(&two, b) && one.data && two.data &&
	       strcmp(one.data, two.data) == 0;
}
