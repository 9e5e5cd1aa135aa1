/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/report/calltrace.h>

#include <errno.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/replay/task.h>
#include <exectrace/base/grow.h>
#include <fnmatch.h>
#include <string.h>

#define WINDOW (1u << 16) /* lines */

enum flag {
	FRAME_LINE = 1 << 0,   /* it has a line, whose number is the mark */
	FRAME_ROOT = 1 << 1,   /* of a tree */
	FRAME_INSIDE = 1 << 2, /* within the function that everything has to be under */
	FRAME_CHILD = 1 << 3,  /* a tree is open to which calls of this one belong */
	FRAME_BARE = 1 << 4,   /* an interrupt that no list has, and no call in it so far */
	FRAME_ASKED = 1 << 5,  /* FRAME_INSIDE in an interrupt that is not */
};

/* A line that waits for those before it, or for its own end. */
struct calltrace_waiting {
	struct call_line line; /* has its texts */
	bool over;             /* all of it is known */
	bool left_out;
};

/* How a call ended that was not waited for. */
struct outcome {
	uint64_t duration, ran, waited, self;
	const char *result;
	bool ended, seen, left_out;
};

/* A tree that is open on a stack. */
struct tree {
	uint64_t number;
	uint32_t depth; /* of its first call */
};

struct cstack {
	struct tree *trees; /* the innermost last */
	size_t n, cap;
	struct task_match match;
};

struct calltrace {
	struct replay *replay;
	struct calltrace_options options;
	struct task_select tasks_wanted;
	call_line_fn *fn;
	void *ctx;
	bool showing;                    /* the second time */
	struct calltrace_waiting *queue; /* a ring of `window` */
	uint64_t first, next;            /* numbers of lines: of the first that waits, of the next one */
	uint64_t trees;                  /* so far */
	struct idmap outcomes;           /* by number of the line, plus 1 */
	struct cstack **stacks;          /* by number */
	size_t n_stacks;
	uint8_t *under; /* by number of the function: 1: it is not the one to be under; 2: it is */
	size_t n_under;
	uint8_t *listed; /* by number: 1: no list has it; 2: it is in those that there are */
	size_t n_listed;
};

/* --- What is known of stacks and functions -------------------------------------------------------------------------
 */

static struct cstack *learn_stack(struct calltrace *t, struct replay_stack *stack)
{
	if (widen_array((void **)&t->stacks, &t->n_stacks, stack->number, sizeof(struct cstack *)))
		return NULL;
	t->stacks[stack->number] = calloc(1, sizeof(struct cstack));
	stack->user = t->stacks[stack->number];
	return stack->user;
}

static void forget_stacks(struct calltrace *t)
{
	for (size_t i = 0; i < t->n_stacks; i++) {
		if (t->stacks[i])
			free(t->stacks[i]->trees);
		free(t->stacks[i]);
	}
	free(t->stacks);
	t->stacks = NULL;
	t->n_stacks = 0;
}

/* 1 when the function is the one to be under; 0; -ENOMEM. */
static int is_under(struct calltrace *t, uint32_t function)
{
	if (widen_array((void **)&t->under, &t->n_under, function, sizeof(*t->under)))
		return -ENOMEM;
	if (!t->under[function])
		t->under[function] =
			fnmatch(t->options.which.under, replay_function(t->replay, function)->name, 0) == 0 ? 2 : 1;
	return t->under[function] - 1;
}

/* Whether the lists of wanted functions have it; they have all when they are empty. */
static int is_listed(struct calltrace *t, uint32_t function)
{
	const struct control_config *control = replay_control(t->replay);
	const struct replay_function *f = replay_function(t->replay, function);

	if (!control || !control_has_lists(control))
		return 1;
	if (widen_array((void **)&t->listed, &t->n_listed, function, sizeof(*t->listed)))
		return -ENOMEM;
	if (!t->listed[function])
		t->listed[function] =
			control_function(control, f->name, f->module, f->address, f->size) & CONTROL_WANTED ? 2 : 1;
	return t->listed[function] - 1;
}

/* --- The queue -----------------------------------------------------------------------------------------------------
 */

static struct calltrace_waiting *waiting_at(const struct calltrace *t, uint64_t number)
{
	return &t->queue[number & (t->options.window - 1)];
}

static void settle(struct calltrace_waiting *w, const struct outcome *how)
{
	w->line.duration = how->duration;
	w->line.ran = how->ran;
	w->line.waited = how->waited;
	w->line.self = how->self;
	w->line.ended = how->ended;
	w->line.seen = how->seen;
	w->left_out = how->left_out;
	w->line.result = how->result;
}

/* An end that was looked up keeps its own text. */
static void forget_texts(struct calltrace_waiting *w, bool own_result)
{
	free((void *)w->line.args);
	if (own_result)
		free((void *)w->line.result);
	w->line.args = w->line.result = NULL;
}

/* Takes the first line off the queue; one that is not over had its end looked up before. */
static int give_first(struct calltrace *t)
{
	struct calltrace_waiting *w = waiting_at(t, t->first++);
	const struct outcome *o = w->over ? NULL : idmap_get(&t->outcomes, t->first, 0);
	int rc;

	if (o) {
		settle(w, o);
	}
	rc = w->left_out || !t->showing ? 0 : t->fn(t->ctx, &w->line);
	forget_texts(w, o == NULL);
	return rc;
}

/* A place for a line, which gets the number t->next. */
static int put_line(struct calltrace *t, const struct call_line *line, bool over)
{
	int rc = t->next - t->first == t->options.window ? give_first(t) : 0;

	*waiting_at(t, t->next++) = (struct calltrace_waiting){.line = *line, .over = over};
	return rc;
}

static int give_ready(struct calltrace *t)
{
	int rc = 0;

	while (!rc && t->first < t->next && waiting_at(t, t->first)->over)
		rc = give_first(t);
	return rc;
}

/* A line's call has ended. */
static int end_line(struct calltrace *t, uint64_t number, const struct outcome *how)
{
	struct outcome *kept;
	struct calltrace_waiting *w;

	if (number >= t->first) {
		w = waiting_at(t, number);
		settle(w, how);
		w->over = true;
		return number == t->first ? give_ready(t) : 0;
	}
	if (t->showing) {
		free((void *)how->result);
		return 0;
	}
	kept = malloc(sizeof(*kept));
	if (!kept) {
		free((void *)how->result);
		return -ENOMEM;
	}
	*kept = *how;
	return idmap_put(&t->outcomes, number + 1, 0, kept);
}

/* --- Calls ---------------------------------------------------------------------------------------------------------
 */

/* Whether a call that begins is to have a line, as far as can be said. 1, 0, -ENOMEM. */
static int is_wanted(struct calltrace *t, struct cstack *cs, struct replay_stack *stack)
{
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	const struct functions_options *which = &t->options.which;
	bool below = stack->depth > 1 && !frame->interrupt, within = below && frame[-1].flags & FRAME_INSIDE;
	int rc = which->under && !within ? is_under(t, frame->function) : 1;

	if (rc < 0)
		return rc;
	if (rc || within)
		frame->flags |= FRAME_INSIDE;
	else
		return 0;
	if (functions_irq_ran(frame, below, FRAME_INSIDE, FRAME_ASKED))
		frame->flags |= FRAME_ASKED;
	if (!functions_irq_wants(which->irq, frame, frame->asked || frame->flags & FRAME_ASKED))
		return 0;
	return !frame->outside && task_wanted(&t->tasks_wanted, &cs->match, stack);
}

static int open_tree(struct calltrace *t, struct cstack *cs, uint32_t depth)
{
	int rc = grow_array((void **)&cs->trees, cs->n, &cs->cap, sizeof(*cs->trees));

	if (!rc)
		cs->trees[cs->n++] = (struct tree){t->trees++, depth};
	return rc;
}

/*
 * Lists do not leave out interrupts, whose time is not that of what they interrupt. One in which nothing was called
 * that is in a list says nothing, and neither does what was left out in it. 1: the innermost call may have a line; 0;
 * -ENOMEM.
 */
static int find_bare(struct calltrace *t, struct replay_stack *stack)
{
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	int rc = is_listed(t, frame->function);

	if (rc < 0)
		return rc;
	if (!rc && frame->interrupt)
		frame->flags |= FRAME_BARE;
	else if (!rc)
		return stack->depth < 2 || !(frame[-1].flags & FRAME_BARE);
	for (uint32_t i = stack->depth - 1; rc && i--;)
		stack->frames[i].flags &= (uint8_t)~FRAME_BARE;
	return 1;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct calltrace *t = ctx;
	struct cstack *cs = stack->user ? stack->user : learn_stack(t, stack);
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct call_line line = {.kind = CALL_LINE_START};
	bool child = stack->depth > 1 && !frame->interrupt && frame[-1].flags & FRAME_CHILD;
	int rc = cs ? find_bare(t, stack) : -ENOMEM;

	if (rc > 0)
		rc = is_wanted(t, cs, stack);
	if (rc <= 0)
		return rc;
	rc = child ? 0 : open_tree(t, cs, stack->depth - 1);
	if (rc)
		return rc;
	frame->flags |= FRAME_CHILD | (child ? 0 : FRAME_ROOT);
	line.tree = cs->trees[cs->n - 1].number;
	if (!child && cs->n > 1 && t->options.trees)
		rc = put_line(t, &line, false);
	line.depth = stack->depth - 1 - cs->trees[cs->n - 1].depth;
	if (rc || (t->options.depth && line.depth >= t->options.depth))
		return rc;
	line = (struct call_line){.function = frame->function,
	                          .depth = line.depth,
	                          .tree = line.tree,
	                          .interrupt = frame->in_interrupt,
	                          .entered = frame->entered,
	                          .stack = stack->id,
	                          .told = stack->tasks != 0,
	                          .pid = stack->pid,
	                          .tgid = stack->tgid,
	                          .task = stack->task,
	                          .cpu = stack->cpu};
	frame->flags |= FRAME_LINE;
	frame->mark = t->next;
	rc = t->showing ? values_text(t->replay, frame->function, t->options.values, &line.args) : 0;
	return rc ? rc : put_line(t, &line, false);
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct calltrace *t = ctx;
	struct cstack *cs = stack->user;
	const struct replay_frame *frame = call->frame;
	const struct functions_options *which = &t->options.which;
	struct outcome how = {.ran = call->total,
	                      .waited = call->waited,
	                      .self = call->self,
	                      .ended = call->ended,
	                      .seen = call->seen};
	struct call_line end = {.kind = CALL_LINE_END};
	int rc = 0;

	/* On another CPU the clock may show less. */
	how.duration = call->left > frame->entered ? call->left - frame->entered : 0;
	if (how.duration < call->total)
		how.duration = call->total;
	/* What is shown is what is asked for: a call that waits is long, though it runs for a moment only. */
	how.left_out = call->outside || how.duration < which->min || (which->max && how.duration > which->max) ||
	               frame->flags & FRAME_BARE;
	if (frame->flags & FRAME_LINE)
		rc = values_result_text(t->replay, frame->function, t->options.values, &how.result);
	if (frame->flags & FRAME_LINE && !rc)
		rc = end_line(t, frame->mark, &how);
	how.result = NULL;
	if (rc || !(frame->flags & FRAME_ROOT))
		return rc;
	end.tree = cs->trees[--cs->n].number;
	if (!cs->n || !t->options.trees)
		return 0;
	rc = end_line(t, frame->mark - 1, &how); /* its CALL_LINE_START */
	return rc || how.left_out ? rc : put_line(t, &end, true);
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static int run_once(struct calltrace *t, bool showing)
{
	const struct replay_sink sink = {.ctx = t, .enter = on_enter, .leave = on_leave};
	int rc;

	t->showing = showing;
	t->first = t->next = t->trees = 0;
	rc = replay_run(t->replay, &sink);
	while (!rc && t->first < t->next)
		rc = give_first(t);
	forget_stacks(t);
	return rc;
}

static void forget_outcomes(struct idmap *outcomes)
{
	for (size_t i = 0; i < outcomes->cap; i++) {
		struct outcome *o = outcomes->slots[i].value;

		if (o)
			free((void *)o->result);
		free(o);
	}
	idmap_release(outcomes);
}

/* What still waits when something went wrong, or no more was wanted. */
static void forget_queue(struct calltrace *t)
{
	for (; t->queue && t->first < t->next; t->first++) {
		struct calltrace_waiting *w = waiting_at(t, t->first);

		forget_texts(w, w->over);
	}
}

int calltrace_run(struct replay *p, const struct calltrace_options *options, call_line_fn *fn, void *ctx)
{
	struct calltrace t = {.replay = p, .options = *options, .fn = fn, .ctx = ctx};
	const struct functions_options *which = &options->which;
	uint32_t window = 2;
	int rc = -ENOMEM;

	while (window < (options->window ? options->window : WINDOW))
		window *= 2;
	t.options.window = window;
	t.tasks_wanted = (struct task_select){which->task, which->pids, which->n_pids};
	t.queue = calloc(window, sizeof(*t.queue));
	if (t.queue)
		rc = run_once(&t, false);
	if (!rc)
		rc = run_once(&t, true);
	forget_outcomes(&t.outcomes);
	forget_queue(&t);
	free(t.queue);
	free(t.under);
	free(t.listed);
	return rc;
}
