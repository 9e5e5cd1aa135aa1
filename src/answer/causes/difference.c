/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/difference.h>

#include <ctype.h>
#include <errno.h>
#include <exectrace/answer/causes/failure_chain.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 200 /* of the trees */
#define LOOK_MAX 256  /* siblings among which a process is looked for in the other run */

/* --- What is the same --------------------------------------------------------------------------------------------- */

/* A text up to its end. */
struct rest {
	const char *begin, *at, *end;
};

static size_t digits(const struct rest *r)
{
	size_t n = 0;

	while (r->at + n < r->end && isdigit((unsigned char)r->at[n]))
		n++;
	return n;
}

/* What is left of the name of a temporary file (mktemp(1), mkstemp(3)), when one begins here; else 0. */
static size_t temporary(const struct rest *r)
{
	size_t n = 0;

	if (r->at - r->begin < 5 || memcmp(r->at - 5, "/tmp/", 5) != 0)
		return 0;
	while (r->at + n < r->end && r->at[n] && !strchr("/ \t\n'\"=,:", r->at[n]))
		n++;
	return n;
}

static bool alike(struct data_text a, struct data_text b)
{
	struct rest one = {a.bytes, a.bytes, a.bytes + a.n}, two = {b.bytes, b.bytes, b.bytes + b.n};

	while (one.at < one.end && two.at < two.end) {
		size_t n = temporary(&one), m = temporary(&two);

		if (!n || !m) {
			n = digits(&one);
			m = digits(&two);
		}
		if (n && m) {
			one.at += n;
			two.at += m;
		} else if (*one.at++ != *two.at++) {
			return false;
		}
	}
	return one.at == one.end && two.at == two.end;
}

bool difference_alike(const char *a, const char *b)
{
	return alike((struct data_text){a, strlen(a)}, (struct data_text){b, strlen(b)});
}

/* A line of a state: values count, but for numbers of pipes and the like, and what every run has of its own. */
static bool same_line(const char *a, const char *b)
{
	if (strcmp(a, b) == 0)
		return true;
	if (strncmp(a, "fd ", 3) != 0 || strncmp(b, "fd ", 3) != 0)
		return false;
	return difference_alike(a, b);
}

static bool has_line(const struct strv *state, const char *line)
{
	for (size_t i = 0; i < state->n; i++)
		if (same_line(state->items[i], line))
			return true;
	return false;
}

static bool has_failure(const struct process_history *p, const struct failure *f)
{
	for (size_t i = 0; p && i < p->n_failures; i++)
		if (p->failures[i].error == f->error && strcmp(p->failures[i].call, f->call) == 0 &&
		    difference_alike(p->failures[i].what, f->what))
			return true;
	return false;
}

/* --- What is not -------------------------------------------------------------------------------------------------- */

void comparing_add(struct comparing *c, const struct difference *difference, const struct tree_node *own,
                   const struct tree_node *near)
{
	struct differences *d = c->d;
	uint64_t begin = story_start(c->good, own);
	struct difference *added;

	if (c->err || grow_array((void **)&d->items, d->n, &d->cap, sizeof(*d->items))) {
		c->err = -ENOMEM;
		return;
	}
	added = &d->items[d->n++];
	*added = *difference;
	added->order = added->time;
	if (added->bad) {
		c->parted = added->order < c->parted ? added->order : c->parted;
		return;
	}
	/* What a good run did otherwise comes of what the bad one had done before. */
	added->order = story_start(c->bad, near) + (added->time > begin ? added->time - begin : 0);
	if (c->parted != UINT64_MAX && added->order < c->parted)
		added->order = c->parted;
}

/* What depends on how one comes to a process: through a shell, make or a runner. */
static bool is_of_the_way(const char *line)
{
	static const char *const lines[] = {"env MAKE",    "unset MAKE", "env MFLAGS=", "unset MFLAGS",
	                                    "env OLDPWD=", "env SHLVL=", "env PWD=",    "closed ",
	                                    "fd 0 ",       "fd 1 ",      "fd 2 "};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (strncmp(line, lines[i], strlen(lines[i])) == 0)
			return true;
	return false;
}

/* The process, or the next one above it, that has executed a program: of others no state is known. */
static const struct tree_node *executed(const struct tree_node *node)
{
	while (node && node->forked)
		node = node->parent;
	return node;
}

/* What a process began with, in one run, and the other's did not. Its parent's has been told before. */
static void states(struct comparing *c, const struct tree_node *node, const struct tree_node *other, bool bad)
{
	const struct story *s = bad ? c->bad : c->good;
	bool first = node == c->d->good || node == c->d->bad;
	const struct tree_node *above = first ? NULL : executed(node->parent);
	const struct strv *up = above ? &above->state : NULL;

	for (size_t i = 0; i < node->state.n; i++) {
		const char *line = node->state.items[i];

		if (has_line(&other->state, line) || strncmp(line, "env _=", 6) == 0 || (up && has_line(up, line)))
			continue;
		if (c->d->below && is_of_the_way(line))
			continue;
		comparing_add(c,
		              &(struct difference){.kind = DIFFERENT_STATE,
		                                   .time = story_start(s, node),
		                                   .bad = bad,
		                                   .node = node,
		                                   .line = line},
		              node, other);
	}
}

/* What exectrace itself was given. */
static void givens(struct comparing *c, bool bad)
{
	const struct recorded_run *run = recording_run((bad ? c->bad : c->good)->recording);
	const struct recorded_run *other = recording_run((bad ? c->good : c->bad)->recording);

	for (size_t i = 0; run && other && other->given.n && i < run->given.n; i++) {
		const char *line = run->given.items[i];

		if (!has_line(&other->given, line) && strncmp(line, "env _=", 6) != 0)
			comparing_add(c,
			              &(struct difference){.kind = DIFFERENT_STATE,
			                                   .bad = bad,
			                                   .node = (bad ? c->bad : c->good)->root,
			                                   .line = line},
			              c->good->root, c->bad->root);
	}
}

static void failures(struct comparing *c, const struct tree_node *node, const struct tree_node *other, bool bad)
{
	const struct story *s = bad ? c->bad : c->good;
	const struct process_history *p = story_history(s, node);
	const struct process_history *q = story_history(bad ? c->good : c->bad, other);

	for (size_t i = 0; p && q && i < p->n_failures; i++)
		if (!has_failure(q, &p->failures[i]))
			comparing_add(c,
			              &(struct difference){.kind = DIFFERENT_FAILURE,
			                                   .time = story_time(s, p->failures[i].first),
			                                   .bad = bad,
			                                   .node = node,
			                                   .failure = &p->failures[i]},
			              node, other);
}

/* The line at a place of an output. */
static struct data_text line_at(const struct buf *output, size_t at)
{
	const char *end = memchr(output->data + at, '\n', output->len - at);

	return (struct data_text){output->data + at, end ? (size_t)(end - output->data) - at : output->len - at};
}

/* The first line of what was kept of an output that is not in the other run's. Empty: there is none. */
static struct data_text odd_line(const struct buf *output, const struct buf *other)
{
	struct data_text line, like;

	for (size_t at = 0; at < output->len; at += line.n + 1) {
		bool there = false;

		line = line_at(output, at);
		for (size_t i = 0; i < other->len && !there; i += like.n + 1) {
			like = line_at(other, i);
			there = alike(line, like);
		}
		if (line.n && !there)
			return line;
	}
	return (struct data_text){"", 0};
}

static void output(struct comparing *c, const struct tree_node *node, const struct tree_node *other, int which,
                   bool bad)
{
	const struct story *s = bad ? c->bad : c->good;
	const struct process_history *p = story_history(s, node), *q = story_history(bad ? c->good : c->bad, other);
	struct data_text text;

	if (!p || !q)
		return;
	text = odd_line(&p->output[which], &q->output[which]);
	if (text.n)
		comparing_add(c,
		              &(struct difference){.kind = DIFFERENT_OUTPUT,
		                                   .time = story_time(s, p->wrote[which]),
		                                   .bad = bad,
		                                   .node = node,
		                                   .output = which,
		                                   .text = text},
		              node, other);
}

/* up: what is its parent's counterpart in the bad run */
static void only(struct comparing *c, const struct tree_node *node, const struct tree_node *up, bool bad)
{
	comparing_add(c,
	              &(struct difference){.kind = DIFFERENT_PROCESS,
	                                   .time = story_start(bad ? c->bad : c->good, node),
	                                   .bad = bad,
	                                   .node = node},
	              node->parent, up);
}

static void pair(struct comparing *c, const struct tree_node *good, const struct tree_node *bad, int depth);

/* From one of some siblings on, the first with the same command line, else the first with one that is alike; NULL:
 * none. */
static const struct tree_node *counterpart(const struct tree_node *from, const struct tree_node *of)
{
	const struct tree_node *alike = NULL;

	for (int n = 0; from && n < LOOK_MAX; from = from->sibling, n++) {
		if (strcmp(program_command(from), program_command(of)) == 0)
			return from;
		if (!alike && difference_alike(program_command(from), program_command(of)))
			alike = from;
	}
	return alike;
}

/* Children that belong together, in their order; those in between are in one run only. */
static void children(struct comparing *c, const struct tree_node *good, const struct tree_node *bad, int depth)
{
	const struct tree_node *a = good->child, *b = bad->child;

	while (a || b) {
		const struct tree_node *x = b ? counterpart(a, b) : NULL, *y = a ? counterpart(b, a) : NULL;

		if (a && b && x == a && y == b) {
			pair(c, a, b, depth);
			a = a->sibling;
			b = b->sibling;
		} else if (a && !y) {
			c->parted = UINT64_MAX;
			only(c, a, bad, false);
			a = a->sibling;
		} else {
			only(c, b, bad, true);
			b = b->sibling;
		}
	}
}

static void pair(struct comparing *c, const struct tree_node *good, const struct tree_node *bad, int depth)
{
	c->d->pairs++;
	c->parted = UINT64_MAX;
	states(c, bad, good, true);
	states(c, good, bad, false);
	failures(c, bad, good, true);
	failures(c, good, bad, false);
	difference_accesses(c, good, bad);
	for (int which = 0; which < OUTPUTS; which++) {
		output(c, bad, good, which, true);
		output(c, good, bad, which, false);
	}
	if (good->end.known && bad->end.known && good->end.wait_status != bad->end.wait_status)
		comparing_add(c,
		              &(struct difference){.kind = DIFFERENT_END,
		                                   .time = story_end(c->bad, bad),
		                                   .bad = true,
		                                   .node = bad,
		                                   .good = good},
		              good, bad);
	if (depth < DEPTH_MAX && !c->err)
		children(c, good, bad, depth + 1);
}

static int earlier(const void *a, const void *b)
{
	const struct difference *one = a, *two = b;

	if (one->order != two->order)
		return one->order < two->order ? -1 : 1;
	return (int)one->kind - (int)two->kind;
}

/* The first process of a run whose command line is alike; NULL: none. */
static const struct tree_node *like(const struct story *s, const struct tree_node *of)
{
	for (const struct tree_node *node = s->root; node; node = process_tree_next(node))
		if (difference_alike(program_command(node), program_command(of)))
			return node;
	return NULL;
}

int differences_roots(struct differences *d, const struct story *good, const struct story *bad)
{
	struct failure_chain chain;
	const struct tree_node *found = NULL;
	int rc;

	*d = (struct differences){.good = good->root, .bad = bad->root};
	if (difference_alike(program_command(good->root), program_command(bad->root)))
		return 0;
	rc = failure_chain_find(&chain, bad, bad->root);
	for (size_t i = 0; !rc && !found && i < chain.n; i++) {
		found = like(good, chain.nodes[i]);
		if (found) {
			d->good = found;
			d->bad = chain.nodes[i];
		}
	}
	failure_chain_release(&chain);
	return rc;
}

int differences_find(struct differences *d, const struct story *good, const struct story *bad)
{
	struct comparing c = {.d = d, .good = good, .bad = bad};

	d->below = d->good != good->root || d->bad != bad->root;
	if (!d->below) {
		givens(&c, true);
		givens(&c, false);
	}
	pair(&c, d->good, d->bad, 0);
	if (d->n)
		qsort(d->items, d->n, sizeof(*d->items), earlier);
	return c.err;
}

void differences_release(struct differences *d)
{
	free(d->items);
	*d = (struct differences){0};
}
