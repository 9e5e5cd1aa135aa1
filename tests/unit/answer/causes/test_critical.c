/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random trees of processes that compute, begin children and wait for them: the chain is known, and so must be found.
 */
#include <exectrace/answer/causes/critical.h>

#include "recording_sample.h"
#include "tap.h"
#include <exectrace/answer/recording/recording.h>
#include <exectrace/base/kerrno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 4096
#define PROCESSES_MAX 256
#define WAIT4 61
#define CHILDREN_MAX 4

/* What is made up. */
struct world {
	struct data_event events[EVENTS_MAX];
	size_t n, waits;
	uint32_t pid; /* the last one given */
	uint64_t end[PROCESSES_MAX];
};

static struct data_event *event(struct world *w, uint8_t type, uint64_t time)
{
	static struct data_event too_many;

	if (w->n == EVENTS_MAX)
		return &too_many;
	w->events[w->n] = (struct data_event){.type = type, .clock = time};
	return &w->events[w->n++];
}

static void call_wait4(struct world *w, uint32_t pid, int64_t result, uint64_t from, uint64_t to)
{
	event(w, DATA_SYSCALL, to)->syscall = (struct data_syscall){
		.tid = pid,
		.arch = AUDIT_ARCH_X86_64,
		.nr = WAIT4,
		.nargs = 4,
		.enter = from,
		.duration = to - from,
		.error = result < 0,
		.result = result,
	};
}

/* A signal without a handler may interrupt it: the call is made again, and is the same wait. */
static void wait_for(struct world *w, uint32_t pid, uint32_t child, uint64_t from, uint64_t to)
{
	w->waits += to - from >= MS;
	while (to - from > 4 * MS && rand() % 2) {
		uint64_t middle = from + MS + (uint64_t)rand() % (to - from - 2 * MS);

		call_wait4(w, pid, -ERESTARTSYS, from, middle);
		from = middle + 1000;
	}
	call_wait4(w, pid, child, from, to);
}

static uint64_t span(void)
{
	return (uint64_t)(1 + rand() % 50) * MS;
}

/* A process from its fork to its end, which is returned. */
static uint64_t process(struct world *w, uint32_t parent, uint64_t time, int depth)
{
	uint32_t pid = ++w->pid, children[CHILDREN_MAX];
	int n = depth ? rand() % CHILDREN_MAX : 0;

	event(w, DATA_THREAD, time)->thread = (struct data_thread){pid, pid, parent, 17};
	time += span();
	for (int i = 0; i < n && w->pid < 99 + PROCESSES_MAX; i++) {
		children[i] = w->pid + 1;
		process(w, pid, time, depth - 1);
	}
	for (int left = n; left > 0; left--) {
		int first = -1;

		/* In the order in which they end. */
		for (int i = 0; i < n; i++)
			if (children[i] && (first < 0 || w->end[children[i] - 100] < w->end[children[first] - 100]))
				first = i;
		wait_for(w, pid, children[first], time, w->end[children[first] - 100] + 1000);
		time = w->end[children[first] - 100] + 1000;
		children[first] = 0;
	}
	time += span();
	w->end[pid - 100] = time;
	event(w, DATA_EXIT, time)->exit = (struct data_exit){pid, pid, 0};
	return time;
}

static int by_time(const void *a, const void *b)
{
	const struct data_event *one = a, *two = b;

	return one->clock < two->clock ? -1 : one->clock > two->clock;
}

static bool write_world(struct world *w, const char *path)
{
	qsort(w->events, w->n, sizeof(*w->events), by_time);
	return CHECK_INT(sample_write_events(path, 100, w->events, w->n), 0);
}

static bool is_in(const struct critical *critical, const struct tree_node *node)
{
	for (size_t i = 0; i < critical->n; i++)
		if (critical->steps[i].node == node)
			return true;
	return false;
}

/* The chain: contiguous, as long as the run, and each step where somebody computes. */
static void check(const struct world *w, const char *path)
{
	const struct recording_options options = {0};
	struct buf err = BUF_INIT;
	struct recording *r = NULL;
	struct story story;
	struct critical critical;
	uint64_t at, sum = 0;
	size_t waits = 0;
	const struct tree_node *node;

	if (!CHECK_INT(recording_open(&r, path, &options, &err), 0) ||
	    !CHECK_INT(story_read(&story, r, &(struct story_options){0}), 0))
		return;
	CHECK_INT(critical_find(&critical, &story, story.root), 0);
	at = story_end(&story, story.root);
	CHECK_INT(at, w->end[0] - BEGIN);
	for (size_t i = 0; i < critical.n; i++) {
		CHECK_INT(critical.steps[i].to, at);
		at = critical.steps[i].from;
		CHECK(!critical.steps[i].wait);
	}
	CHECK_INT(at, 0);
	for (size_t i = 0; i < critical.n_groups; i++)
		sum += critical.groups[i].time;
	CHECK_INT(sum, w->end[0] - BEGIN);
	/* Down from the root: where a process waited, its child that ended last is in the chain, and no other. */
	for (node = story.root; node; node = process_tree_next(node)) {
		uint64_t last = 0;
		size_t followed = 0;

		for (const struct tree_node *c = node->child; c; c = c->sibling)
			last = story_end(&story, c) > last ? story_end(&story, c) : last;
		for (const struct tree_node *c = node->child; c; c = c->sibling) {
			bool in = is_in(&critical, c);

			followed += in;
			CHECK(!in || story_end(&story, c) == last);
		}
		CHECK_INT(followed, node->child && is_in(&critical, node));
	}
	for (size_t i = 0; i < story.history.n_threads; i++)
		waits += story.history.threads[i] ? story.history.threads[i]->n : 0;
	CHECK_INT(waits, w->waits);
	critical_release(&critical);
	story_release(&story);
	recording_close(r);
	buf_release(&err);
}

int main(void)
{
	char path[] = "/tmp/exectrace-critical-XXXXXX";
	int fd = mkstemp(path);

	if (!CHECK(fd >= 0))
		return TAP_DONE();
	close(fd);
	for (unsigned seed = 1; seed <= 40; seed++) {
		struct world *w = calloc(1, sizeof(*w));

		srand(seed);
		printf("# seed %u\n", seed);
		w->pid = 99;
		process(w, 0, BEGIN, 4);
		if (write_world(w, path))
			check(w, path);
		free(w);
	}
	unlink(path);
	return TAP_DONE();
}
