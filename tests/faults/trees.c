/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random trees of processes, which tell about themselves: plain, plain again, and under exectrace. */
#include "checks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 512

struct tree {
	char seed[24];
	int status;
	struct lines records;
	char *texts[NODES]; /* what can be compared, in the order of the records */
};

struct record {
	long id;
	int pid;
	int ppid;
	int group;
	int session;
	const char *rest;
};

static bool parse(const char *line, struct record *record)
{
	int at = 0;

	if (sscanf(line, "%ld %d %d %d %d%n", &record->id, &record->pid, &record->ppid, &record->group,
	           &record->session, &at) != 5)
		return false;
	record->rest = line + at;
	return true;
}

/* The number of a process as that of a node. What is not in the tree, and the top of it, is 0: with exectrace above it
 * the first process leads no session. */
static long node_of(const struct tree *tree, int pid)
{
	struct record record;

	for (int i = 0; i < tree->records.count; i++) {
		if (parse(tree->records.at[i], &record) && record.pid == pid)
			return record.id;
	}
	return 0;
}

/* The picked node and what is below it may have a tracer, or another environment. */
static bool is_below(long id, long top)
{
	while (id > top)
		id = id % 4 ? id / 4 : -1;
	return top >= 0 && id == top;
}

static void cut(char *text, const char *name)
{
	char *at = strstr(text, name);

	if (at)
		memmove(at, at + strcspn(at, " "), strlen(at + strcspn(at, " ")) + 1);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A program that records its calls itself can see there that SIGSYS is caught (exectrace-trace(1)). */
static void without_sigsys(char *text)
{
	char *at = strstr(text, "SigCgt:");
	unsigned long long caught;
	char digits[17];

	if (!at || sscanf(at, "SigCgt:%16llx", &caught) != 1 || strspn(at + 7, "0123456789abcdef") != 16)
		return;
	snprintf(digits, sizeof(digits), "%016llx", caught & ~(1ULL << (SIGSYS - 1)));
	memcpy(at + 7, digits, 16);
}

/* Makes texts without numbers of processes. PICKED is -1, or a node that may have a tracer; TRACER: all may. */
static void normalise(struct tree *tree, long picked, bool tracer, const struct action *action)
{
	bool wrap = strcmp(action->name, "wrap") == 0;
	bool inside = strcmp(action->name, "trace") == 0 || strcmp(action->name, "trace data") == 0;

	for (int i = 0; i < tree->records.count && i < NODES; i++) {
		struct record record;
		size_t size = strlen(tree->records.at[i]) + 128;
		char *text = malloc(size);

		tree->texts[i] = text;
		if (!parse(tree->records.at[i], &record)) {
			snprintf(text, size, "? %s", tree->records.at[i]);
			continue;
		}
		snprintf(text, size, "node %ld: parent %ld, group %ld, session %ld;%s", record.id,
		         node_of(tree, record.ppid), node_of(tree, record.group), node_of(tree, record.session),
		         record.rest);
		if (tracer || is_below(record.id, picked))
			cut(text, "TracerPid:");
		if (inside && is_below(record.id, picked))
			without_sigsys(text);
		if (wrap || strcmp(action->name, "args") == 0)
			cut(text, "env:");
		if (wrap && record.id == picked) /* its name is that of the file then */
			cut(text, "argv:");
	}
	qsort(tree->texts, (size_t)(tree->records.count < NODES ? tree->records.count : NODES), sizeof(char *),
	      by_text);
}

static void run_tree(struct run *run, struct tree *tree)
{
	char path[PATH_MAX];

	run_do(run);
	tree->status = run->status;
	snprintf(path, sizeof(path), "%s/out", run->dir);
	lines_read(&tree->records, path);
	if (!run->ours) /* that is kept, to be looked at */
		remove(path);
}

/* NULL: the same. */
static const char *difference(const struct tree *want, const struct tree *got)
{
	static char text[512];

	for (int i = 0; i < want->records.count || i < got->records.count; i++) {
		const char *a = i < want->records.count ? want->texts[i] : "nothing";
		const char *b = i < got->records.count ? got->texts[i] : "nothing";
		size_t same = 0;

		if (strcmp(a, b) == 0)
			continue;
		while (a[same] && a[same] == b[same])
			same++;
		same = same > 30 ? same - 30 : 0;
		snprintf(text, sizeof(text), "%.20s ... %.150s, plain: %.150s", b, b + same, a + same);
		return text;
	}
	return NULL;
}

static char **environment_of(const struct setup *setup)
{
	static char node[PATH_MAX + 8];
	static char *env[] = {node, (char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C", NULL};

	snprintf(node, sizeof(node), "NODE=%s/node", setup->build);
	return env;
}

static void plain_run(const struct setup *setup, const char *dir, struct tree *tree)
{
	struct run run = {.dir = dir, .limit_ms = setup->limit_ms, .env = environment_of(setup)};

	words_addf(run.argv, "%s/node", setup->build);
	words_add(run.argv, tree->seed);
	words_add(run.argv, "0");
	words_add(run.argv, "0");
	run_tree(&run, tree);
}

static long choose_node(const struct tree *tree, struct rng *rng)
{
	struct record record;

	if (!tree->records.count || rng_percent(rng, 35) ||
	    !parse(tree->records.at[rng_below(rng, (unsigned)tree->records.count)], &record))
		return -1;
	return record.id;
}

void trees_trial(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict)
{
	static struct tree plain, again, ours;
	struct scene scene = {.dir = dir};
	struct run run = {.dir = dir, .ours = true, .limit_ms = setup->limit_ms, .env = environment_of(setup)};
	const char *differs = NULL;
	bool tracer = false;
	long picked = -1;

	scene_choose(&scene, rng);
	snprintf(plain.seed, sizeof(plain.seed), "%u", rng_below(rng, 1000000000));
	again = ours = plain;
	tracer = strcmp(scene.engine, "ptrace") == 0;
	plain_run(setup, dir, &plain);
	picked = choose_node(&plain, rng);
	snprintf(verdict->what, sizeof(verdict->what), "trees: %s, %s%s",
	         picked < 0 ? "nothing picked" : scene.action->name, scene.engine, scene.behind ? ", -D" : "");
	plain_run(setup, dir, &again);
	normalise(&plain, picked, tracer, scene.action);
	normalise(&again, picked, tracer, scene.action);
	differs = difference(&plain, &again);
	if (differs) {
		verdict->skipped = true;
		snprintf(verdict->detail, sizeof(verdict->detail), "trees: two plain runs differ");
		describe(verdict, "%s: %s", plain.seed, differs);
		return;
	}
	run.behind = scene.behind;
	words_add(run.argv, setup->exectrace);
	words_addf(run.argv, "--engine=%s", scene.engine);
	if (scene.behind)
		words_add(run.argv, "-D");
	if (scene.output)
		words_add(run.argv, "--output=rec");
	words_addf(run.argv, "--run=%s", scene.action->run);
	words_addf(run.argv, picked < 0 ? "--cmd=[N]OTHING" : "--cmd= %s %ld [0-9]p?$", plain.seed, picked);
	words_add(run.argv, "--");
	words_addf(run.argv, "%s/node", setup->build);
	words_add(run.argv, plain.seed);
	words_add(run.argv, "0");
	words_add(run.argv, "0");
	run_tree(&run, &ours);
	normalise(&ours, picked, tracer, scene.action);
	if (run.problem[0])
		verdict_say(verdict, run.problem, "%s", "");
	differs = difference(&plain, &ours);
	if (differs)
		verdict_say(verdict, "the tree's record of itself", "%s", differs);
	if (run.status != plain.status)
		verdict_say(verdict, "status", "%s instead of %s", status_text(run.status), status_text(plain.status));
	describe(verdict, "tree %s, %d nodes, node %ld picked", plain.seed, plain.records.count, picked);
}
