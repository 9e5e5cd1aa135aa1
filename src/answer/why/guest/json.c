/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest, for programs. */
#include <exectrace/answer/why/guest/guest.h>

#include "odd.h"
#include "said.h"
#include <exectrace/answer/why/guest/delays/delays.h>
#include <exectrace/answer/why/guest/programs/tell.h>
#include <exectrace/answer/why/guest/story/lineage.h>
#include <exectrace/answer/why/guest/story/top.h>
#include <exectrace/answer/why/guest/stuck/stuck.h>

static void items(struct jsonl *j, const char *key, const struct guest_item *list, size_t n)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < n; i++) {
		jsonl_begin(&one);
		jsonl_string(&one, "name", list[i].name);
		if (list[i].pid)
			jsonl_unsigned(&one, "pid", list[i].pid);
		jsonl_unsigned(&one, "time", list[i].time);
		jsonl_bool(&one, "ended", list[i].ended);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, key, &all);
	buf_release(&text);
}

static void waits(struct jsonl *j, const struct guest_phase *p)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < p->n_waits; i++) {
		jsonl_begin(&one);
		jsonl_string(&one, "task", p->waits[i].task);
		jsonl_unsigned(&one, "pid", p->waits[i].pid);
		jsonl_string(&one, "function", p->waits[i].function);
		jsonl_string(&one, "call", p->waits[i].call);
		jsonl_unsigned(&one, "time", p->waits[i].time);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "waits", &all);
	buf_release(&text);
}

static void phases(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_phases; i++) {
		const struct guest_phase *p = &g->phases[i];

		jsonl_begin(&one);
		jsonl_string(&one, "name", p->name);
		jsonl_unsigned(&one, "start", p->from);
		jsonl_unsigned(&one, "end", p->to);
		jsonl_unsigned(&one, "computing", p->busy);
		jsonl_unsigned(&one, "idle", p->idle);
		top_json(&one, p->functions, p->n_functions);
		items(&one, "initcalls", p->initcalls, p->n_initcalls);
		items(&one, "programs", p->programs, p->n_programs);
		waits(&one, p);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "phases", &all);
	buf_release(&text);
}

static void frames(struct jsonl *j, const char *key, const struct guest_frame *list, size_t n)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < n; i++) {
		jsonl_begin(&one);
		jsonl_string(&one, "name", list[i].name);
		jsonl_string(&one, "module", list[i].module);
		jsonl_bool(&one, "interrupt", list[i].interrupt);
		jsonl_bool(&one, "jumped", list[i].jumped);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, key, &all);
	buf_release(&text);
}

static void talks(struct jsonl *j, const struct guest_trouble *t)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < t->n_talks; i++) {
		const struct guest_talk *talk = &t->talks[i];

		jsonl_begin(&one);
		jsonl_unsigned(&one, "time", talk->at);
		jsonl_unsigned(&one, "count", talk->count);
		jsonl_string(&one, "task", talk->task);
		jsonl_unsigned(&one, "pid", talk->pid);
		if (talk->command)
			jsonl_string(&one, "command", talk->command);
		jsonl_bool(&one, "interrupt", talk->interrupt);
		jsonl_string(&one, "function", talk->function);
		jsonl_string(&one, "caller", talk->caller);
		jsonl_bool(&one, "open", talk->open);
		if (*talk->text)
			jsonl_string(&one, "call", talk->text);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "last_calls", &all);
	buf_release(&text);
}

/* What is said of a trouble, and of an end, which is described as one. */
static void trouble(struct jsonl *j, const struct guest_trouble *t)
{
	jsonl_unsigned(j, "time", t->at);
	jsonl_string(j, "task", t->task);
	jsonl_unsigned(j, "pid", t->pid);
	jsonl_unsigned(j, "cpu", t->cpu);
	jsonl_bool(j, "interrupt", t->interrupt);
	lineage_json(j, "commands", &t->lineage);
	calls_json(j, &t->calls);
	frames(j, "stack", t->frames, t->n);
	frames(j, "handling", t->handling, t->n_handling);
	jsonl_string(j, "module", t->module);
	talks(j, t);
}

static void troubles(struct jsonl *j, const struct guest_story *g)
{
	static const char *const kinds[GUEST_TROUBLE_KINDS] = {[GUEST_WARNING] = "warning",
	                                                       [GUEST_OOM] = "oom",
	                                                       [GUEST_HANG] = "hang",
	                                                       [GUEST_OOPS] = "oops",
	                                                       [GUEST_PANIC] = "panic"};
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_troubles; i++) {
		const struct guest_trouble *t = &g->troubles[i];

		jsonl_begin(&one);
		jsonl_string(&one, "kind", kinds[t->kind]);
		trouble(&one, t);
		said_json(&one, &t->said);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "troubles", &all);
	buf_release(&text);
}

/* Who ended it, as a trouble is described. */
static void ended_by(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	if (g->ender.frames) {
		jsonl_begin(&one);
		jsonl_bool(&one, "own_will", g->own_will);
		trouble(&one, &g->ender);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, g->end == GUEST_RUNS ? "ran_last" : "ended_by", &all);
	buf_release(&text);
}

void guest_story_json(struct jsonl *j, const struct guest_story *g)
{
	jsonl_string(j, "file", g->file->path);
	jsonl_unsigned(j, "pid", g->file->pid);
	jsonl_string(j, "unit", g->ns ? "ns" : "ticks");
	jsonl_unsigned(j, "duration", g->length);
	jsonl_unsigned(j, "cpus", g->cpus);
	jsonl_unsigned(j, "calls", g->calls);
	jsonl_unsigned(j, "boots", g->boots);
	jsonl_bool(j, "panicked", g->noted || g->count[GUEST_PANIC]);
	jsonl_string(j, "end", g->end == GUEST_RUNS ? "running" : guest_outcomes[g->end]);
	if (g->end != GUEST_RUNS)
		jsonl_unsigned(j, "ended", g->ended);
	ended_by(j, g);
	phases(j, g);
	delays_json(j, g);
	stuck_json(j, g);
	failed_json(j, g);
	ending_json(j, g);
	polls_json(j, g);
	crowds_json(j, g);
	closes_json(j, g);
	ignored_json(j, g);
	troubles(j, g);
	said_json(j, &g->last);
	odd_json(j, g);
}
