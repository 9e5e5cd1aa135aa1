/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of the kernel: few descriptors, processes, little memory, small files, a full disk. The plain run has them
 * too. */
#include "checks.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define USER_FIRST 61000 /* nobody else has processes as these users */
#define SLOW 3           /* times as long: gdb waits 15 s for a process that it may have, exectrace 30 s for gdb */

static const struct kind {
	const char *name;
	int resource; /* or -1: a disk */
	long from;
	long to;
} kinds[] = {
	{"descriptors", RLIMIT_NOFILE, 3, 64},           {"processes", RLIMIT_NPROC, 1, 12},
	{"address space", RLIMIT_AS, 1 << 23, 1l << 29}, {"data", RLIMIT_DATA, 3 << 17, 1 << 26},
	{"file size", RLIMIT_FSIZE, 1024, 1 << 16},      {"disk", -1, 4096, 1 << 18},
};

struct limit {
	const struct kind *kind;
	long value;
	uid_t user; /* or 0 */
	const char *dir;
};

static void full_disk(const struct limit *limit)
{
	char options[64];

	snprintf(options, sizeof(options), "size=%ld,mode=777", limit->value);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "disk", "tmpfs", 0, options))
		_exit(97);
}

static void set(const void *user)
{
	const struct limit *limit = user;
	const struct rlimit value = {(rlim_t)limit->value, (rlim_t)limit->value};

	if (limit->kind->resource < 0)
		full_disk(limit);
	else if (setrlimit((__rlimit_resource_t)limit->kind->resource, &value))
		_exit(97);
	if (limit->user && (setgroups(0, NULL) || setgid(limit->user) || setuid(limit->user)))
		_exit(97);
}

/* The plain run under the same limit, whose result counts. False: it cannot even run itself. */
static bool plain_run(const struct setup *setup, const struct scene *scene, struct limit *limit,
                      struct baseline *baseline)
{
	struct run run = {.dir = scene->dir, .limit_ms = setup->limit_ms, .prepare = set, .user = limit};
	char path[PATH_MAX];
	bool same = false;

	words_addf(run.argv, "%s/work", setup->build);
	if (scene->alone)
		words_add(run.argv, "alone");
	run_do(&run);
	snprintf(path, sizeof(path), "%s/out", scene->dir);
	same = run.status == baseline->status;
	lines_free(&baseline->out);
	lines_read(&baseline->out, path);
	baseline->status = run.status;
	remove(path);
	return same;
}

/* Is that enough for exectrace to be loaded? */
static bool enough(const struct setup *setup, const struct scene *scene, struct limit *limit)
{
	struct run run = {.dir = scene->dir, .limit_ms = setup->limit_ms, .prepare = set, .user = limit};

	words_add(run.argv, setup->exectrace);
	words_add(run.argv, "--version");
	run_do(&run);
	scene_clean(scene);
	return run.status == 0;
}

/* What was said is in a file, too, which cannot be larger: then it is not known what was not. */
static bool is_cut(const struct scene *scene, const struct limit *limit)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/err", scene->dir);
	return limit->kind->resource == RLIMIT_FSIZE && stat(path, &st) == 0 && st.st_size >= limit->value;
}

/* A debugger that is short of something may give up in the midst of its work, and leaves its breakpoints. */
static bool debugger_broke(const struct scene *scene)
{
	char path[PATH_MAX];
	struct lines said;
	bool broke = false;

	if (!scene->action->breakpoints)
		return false;
	snprintf(path, sizeof(path), "%s/err", scene->dir);
	lines_read(&said, path);
	for (int i = 0; i < said.count && !broke; i++)
		broke = strstr(said.at[i], ": internal-error: ");
	lines_free(&said);
	return broke;
}

void limits_trial(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict)
{
	struct limit limit = {.kind = &kinds[rng_below(rng, sizeof(kinds) / sizeof(kinds[0]))], .dir = dir};
	struct scene scene = {.dir = dir};
	struct baseline baseline;
	struct run run = {0};
	char path[PATH_MAX];

	do {
		scene_choose(&scene, rng);
		/* A debugger without memory ends, and leaves its breakpoints. */
	} while (scene.action->breakpoints &&
	         (limit.kind->resource == RLIMIT_AS || limit.kind->resource == RLIMIT_DATA));
	/* Our own processes count for that limit: only a command that needs no more can have what it wants. */
	scene.alone = limit.kind->resource == RLIMIT_NPROC;
	limit.value = limit.kind->from;
	limit.value += limit.kind->to > 100 ? rng_log(rng, limit.kind->to - limit.kind->from)
	                                    : (long)rng_below(rng, (unsigned)(limit.kind->to - limit.kind->from));
	limit.user = scene.alone ? USER_FIRST + (uid_t)(getpid() % 4000) : 0;
	snprintf(verdict->what, sizeof(verdict->what), "limits: %s, %s, %s", limit.kind->name, scene.action->name,
	         scene.engine);
	if (geteuid()) {
		verdict->skipped = true;
		snprintf(verdict->detail, sizeof(verdict->detail), "limits: another user and a mount need root");
		return;
	}
	if (limit.kind->resource >= 0 && !enough(setup, &scene, &limit)) {
		verdict->skipped = true;
		snprintf(verdict->detail, sizeof(verdict->detail), "limits: too little %s to load exectrace",
		         limit.kind->name);
		return;
	}
	if (!baseline_get(setup, &scene, &baseline)) {
		verdict_say(verdict, "a run without a fault failed", "%s", baseline.why);
		return;
	}
	if (limit.kind->resource < 0) {
		snprintf(path, sizeof(path), "%s/disk", dir);
		mkdir(path, 0777);
		scene.output = true;
		scene.rec = "disk/rec";
	}
	if (!plain_run(setup, &scene, &limit, &baseline)) {
		verdict->skipped = true;
		snprintf(verdict->detail, sizeof(verdict->detail), "limits: too little %s for the command itself",
		         limit.kind->name);
		return;
	}
	if (limit.kind->resource < 0 || scene.alone) /* what is made cannot be seen from here, or is of a smaller run */
		baseline.made = 0;
	scene_run(setup, &scene, &run);
	run.limit_ms *= SLOW;
	run.prepare = set;
	run.user = &limit;
	run_do(&run);
	if (is_cut(&scene, &limit)) {
		verdict->skipped = true;
		snprintf(verdict->detail, sizeof(verdict->detail), "limits: too little file size for the messages");
		scene_clean(&scene);
		return;
	}
	if (debugger_broke(&scene)) {
		verdict->skipped = true;
		snprintf(verdict->detail, sizeof(verdict->detail), "limits: too few %s for the debugger",
		         limit.kind->name);
		scene_clean(&scene);
		return;
	}
	scene_check(setup, &scene, &run, &baseline, verdict);
	describe(verdict, "%s: %ld%s", limit.kind->name, limit.value, scene.behind ? ", -D" : "");
}
