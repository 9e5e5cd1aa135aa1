/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What functions of a guest mean: the kind of work that they do, and the phases of a boot. */
#include "overview.h"

#include <string.h>

/* Kernels come along here in this order, those that have been compiled with these functions. */
static const struct {
	const char *function, *phase;
} phases[] = {
	{"x86_64_start_kernel", "kernel start"}, {"start_kernel", "kernel start"}, {"do_one_initcall", "initcalls"},
	{"free_initmem", "init memory freed"},   {"run_init_process", "programs"}, {"kernel_restart", "shutdown"},
	{"kernel_power_off", "shutdown"},        {"kernel_halt", "shutdown"},
};

#define BEFORE "firmware, boot loader"
_Static_assert(sizeof(phases) / sizeof(*phases) == PHASES, "a place for each");

/* Functions in which a CPU waits for interrupts. */
static const char *const idles[] = {
	"acpi_idle_do_entry", "arch_cpu_idle", "cpu_idle_poll",       "default_idle",
	"default_idle_call",  "intel_idle",    "mwait_idle",          "native_halt",
	"native_safe_halt",   "poll_idle",     "pv_native_safe_halt", "default_enter_idle",
};

unsigned overview_kind_of(const struct replay_function *f)
{
	if (!strcmp(f->module, "[firmware]") || !strcmp(f->module, "[loader]"))
		return SURVEY_FIRMWARE;
	if (*f->module && strcmp(f->module, "[kernel]") != 0)
		return *f->module == '[' ? SURVEY_MODULE : SURVEY_PROGRAM;
	for (size_t i = 0; i < sizeof(idles) / sizeof(*idles); i++)
		if (!strcmp(f->name, idles[i]))
			return SURVEY_IDLE;
	return SURVEY_KERNEL;
}

bool overview_begins_phase(const char *function)
{
	for (size_t i = 0; i < PHASES; i++)
		if (!strcmp(function, phases[i].function))
			return true;
	return false;
}

void overview_note_phase(struct phases *p, const char *function, uint64_t now)
{
	for (size_t i = 0; i < PHASES; i++)
		if (!p->first[i] && !strcmp(phases[i].function, function))
			p->first[i] = now;
}

/* Phases go from one of the functions to the next that was called later. */
int overview_add_phases(struct overview *s, const struct phases *p, uint64_t began)
{
	struct overview_span span = {.phase = true, .from = began, .name = BEFORE, .module = ""};
	uint64_t end = lanes_end(s->activity);
	int rc = 0;

	for (size_t i = 0; i < PHASES && !rc; i++) {
		if (!p->first[i] || !strcmp(span.name, phases[i].phase) || p->first[i] < span.from)
			continue;
		span.to = p->first[i];
		if (span.to > span.from)
			rc = overview_add_span(s, &span);
		span.from = span.to;
		span.name = phases[i].phase;
	}
	span.to = end;
	return rc || !strcmp(span.name, BEFORE) || end <= span.from ? rc : overview_add_span(s, &span);
}
