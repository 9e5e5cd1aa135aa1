/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "checks.h"

#include <dirent.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/syscalls/table.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void scene_choose(struct scene *scene, struct rng *rng)
{
	do {
		scene->action = &actions[rng_below(rng, (unsigned)action_count)];
	} while (!action_plain(scene->action) || (scene->action->tool && !have_tool(scene->action->tool)));
	scene->engine = rng_percent(rng, 65) ? "notify" : "ptrace";
	scene->behind = rng_percent(rng, 20);
	scene->output = scene->action->records || strcmp(scene->action->name, "ignore") == 0;
	scene->rec = "rec";
}

void scene_run(const struct setup *setup, const struct scene *scene, struct run *run)
{
	run->dir = scene->dir;
	run->ours = true;
	run->behind = scene->behind;
	run->limit_ms = setup->limit_ms;
	words_add(run->argv, setup->exectrace);
	words_addf(run->argv, "--engine=%s", scene->engine);
	if (scene->behind)
		words_add(run->argv, "-D");
	if (scene->output)
		words_addf(run->argv, "--output=%s", scene->rec);
	words_addf(run->argv, "--run=%s", scene->action->run);
	words_add(run->argv, "--exe=pick");
	words_add(run->argv, "--");
	words_addf(run->argv, "%s/work", setup->build);
	if (scene->alone)
		words_add(run->argv, "alone");
}

void scene_clean(const struct scene *scene)
{
	char line[PATH_MAX + 64];

	snprintf(line, sizeof(line), "rm -rf -- '%s'/*", scene->dir);
	if (system(line))
		perror(scene->dir);
}

static int count_lines(const char *dir, const char *name, const char *with)
{
	char path[PATH_MAX];
	struct lines lines;
	int n = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	lines_read(&lines, path);
	for (int i = 0; i < lines.count; i++)
		n += strstr(lines.at[i], with) != NULL;
	lines_free(&lines);
	return n;
}

static int count_files(const char *dir, const char *with)
{
	char path[PATH_MAX];
	struct dirent *entry = NULL;
	struct stat st;
	DIR *files = opendir(dir);
	int n = 0;

	while (files && (entry = readdir(files))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		n += strncmp(entry->d_name, with, strlen(with)) == 0 && stat(path, &st) == 0 && st.st_size > 0;
	}
	if (files)
		closedir(files);
	return n;
}

/* What the action has made, as a number. */
static int count_made(const struct scene *scene)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", scene->dir, scene->rec);
	if (scene->action->files)
		return count_files(scene->dir, scene->action->files);
	if (strcmp(scene->action->name, "log") == 0)
		return count_lines(scene->dir, "err", "] parent ");
	if (strcmp(scene->action->name, "log json") == 0)
		return count_lines(scene->dir, "log.json", "}");
	return scene->output ? count_lines(path, "execs.jsonl", "/pick\"") : 0;
}

static void find_matched(const char *dir, char *text, size_t size)
{
	char path[PATH_MAX];
	struct lines lines;

	snprintf(path, sizeof(path), "%s/err", dir);
	lines_read(&lines, path);
	text[0] = '\0';
	for (int i = 0; i < lines.count; i++) {
		if (strstr(lines.at[i], "commands matched"))
			snprintf(text, size, "%s", lines.at[i]);
	}
	lines_free(&lines);
	/* Of how many depends on the moment when it ends: a daemon may come later. */
	if (strstr(text, " of "))
		*strstr(text, " of ") = '\0';
}

struct kept {
	int status;
	int made;
	char matched[128];
	char text[4096]; /* the output */
};

static void use(const struct kept *kept, struct baseline *baseline)
{
	*baseline = (struct baseline){.status = kept->status, .made = kept->made};
	snprintf(baseline->matched, sizeof(baseline->matched), "%s", kept->matched);
	lines_split(&baseline->out, kept->text);
}

static bool make_baseline(const struct setup *setup, const struct scene *scene, struct kept *kept,
                          struct baseline *baseline)
{
	struct run plain = {.dir = scene->dir, .limit_ms = setup->limit_ms};
	struct run run = {0};
	char path[PATH_MAX];
	struct lines got;
	struct lines want;
	bool same = true;

	snprintf(path, sizeof(path), "%s/out", scene->dir);
	words_addf(plain.argv, "%s/work", setup->build);
	if (scene->alone)
		words_add(plain.argv, "alone");
	run_do(&plain);
	kept->status = plain.status;
	file_read(path, kept->text, sizeof(kept->text));
	lines_read(&want, path);
	scene_clean(scene);
	scene_run(setup, scene, &run);
	run_do(&run);
	lines_read(&got, path);
	kept->made = count_made(scene);
	find_matched(scene->dir, kept->matched, sizeof(kept->matched));
	same = got.count == want.count && run.status == plain.status && !run.problem[0];
	snprintf(baseline->why, sizeof(baseline->why), "%d lines for %d, %s; %.60s", got.count, want.count,
	         status_text(run.status), run.problem);
	lines_free(&got);
	lines_free(&want);
	if (same)
		scene_clean(scene);
	return same;
}

bool baseline_get(const struct setup *setup, const struct scene *scene, struct baseline *baseline)
{
	static struct kept kept;
	char path[PATH_MAX];
	char made[PATH_MAX + 16];
	FILE *file = NULL;
	bool ok = false;

	snprintf(path, sizeof(path), "%s/baseline-%d-%s-%d-%d", setup->scratch, (int)(scene->action - actions),
	         scene->engine, scene->behind, scene->alone);
	file = fopen(path, "re");
	if (file) {
		ok = fread(&kept, sizeof(kept), 1, file) == 1;
		fclose(file);
	} else {
		if (!make_baseline(setup, scene, &kept, baseline))
			return false;
		snprintf(made, sizeof(made), "%s.%d", path, getpid());
		file = fopen(made, "we");
		ok = file && fwrite(&kept, sizeof(kept), 1, file) == 1;
		if (file)
			fclose(file);
		ok = ok && rename(made, path) == 0;
	}
	use(&kept, baseline);
	return ok;
}

/* As many lines, and the same. */
static bool same_lines(const struct lines *a, const struct lines *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++) {
		if (strcmp(a->at[i], b->at[i]))
			return false;
	}
	return true;
}

static const char *first_difference(const struct lines *want, const struct lines *got)
{
	for (int i = 0; i < got->count; i++) {
		if (!lines_have(want, got->at[i]))
			return got->at[i];
	}
	for (int i = 0; i < want->count; i++) {
		if (!lines_have(got, want->at[i]))
			return want->at[i];
	}
	return "a line that is there twice";
}

/* Nothing of the command ran; that has a status and a reason. */
static void check_not_started(const struct run *run, bool why, struct verdict *verdict)
{
	int code = WIFEXITED(run->status) ? WEXITSTATUS(run->status) : -1;

	if (code < 125 || code > 127)
		verdict_say(verdict, "not started, and the status does not say so", "%s", status_text(run->status));
	else if (!why)
		verdict_say(verdict, "not started, without a reason", "%s", status_text(run->status));
}

void scene_check(const struct setup *setup, const struct scene *scene, const struct run *run,
                 const struct baseline *baseline, struct verdict *verdict)
{
	char path[PATH_MAX];
	char text[256];
	struct lines got;
	bool why = false;

	snprintf(path, sizeof(path), "%s/err", scene->dir);
	why = says_why(path);
	snprintf(path, sizeof(path), "%s/out", scene->dir);
	lines_read(&got, path);
	if (run->problem[0])
		verdict_say(verdict, run->problem, "%s", "");
	if (!got.count) {
		check_not_started(run, why, verdict);
	} else if (!same_lines(&got, &baseline->out)) {
		verdict_say(verdict, "output", "%s", first_difference(&baseline->out, &got));
	} else if (run->status != baseline->status) {
		verdict_say(verdict,
		            WIFEXITED(run->status) && WEXITSTATUS(run->status) == 125 ? "125, but the command ran"
		                                                                      : "status",
		            "%s instead of %s", status_text(run->status), status_text(baseline->status));
	} else if (!why) {
		find_matched(scene->dir, text, sizeof(text));
		if (strcmp(text, baseline->matched))
			verdict_say(verdict, "silent: other matches", "%.100s; without the fault: %.100s", text,
			            baseline->matched);
		else if (count_made(scene) < baseline->made)
			verdict_say(verdict, "silent: something was not recorded", "%d instead of %d",
			            count_made(scene), baseline->made);
	}
	if (scene->output && strcmp(scene->rec, "rec") == 0 && !recording_reads(setup, scene->dir, text, sizeof(text)))
		verdict_say(verdict, "unreadable", "%s", text);
	lines_free(&got);
}

void describe(struct verdict *verdict, const char *format, ...)
{
	size_t len = strlen(verdict->detail);
	va_list args;

	if (len)
		len += (size_t)snprintf(verdict->detail + len, sizeof(verdict->detail) - len, "; ");
	if (len >= sizeof(verdict->detail))
		return;
	va_start(args, format);
	vsnprintf(verdict->detail + len, sizeof(verdict->detail) - len, format, args);
	va_end(args);
}

const char *call_name(long nr)
{
	const struct syscall_desc *desc = nr < 0 ? NULL : syscall_by_nr(arch_native(), (uint32_t)nr);

	return desc ? desc->name : "?";
}
