/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phases.h"

#include <errno.h>
#include <string.h>

/* Names that stay (fs/exec.c, init/main.c, kernel/exit.c, kernel/module, kernel/reboot.c); of the plugin and import. */
static const struct {
	const char *name;
	enum role role;
} roles[] = {
	{"[firmware]", ROLE_FIRMWARE},
	{"[below the kernel]", ROLE_FIRMWARE},
	{"[loader]", ROLE_LOADER},
	{"[filtered]", ROLE_FILTERED},
	{"start_kernel", ROLE_START},
	{"do_one_initcall", ROLE_INITCALL},
	{"initcall_blacklisted", ROLE_HELPER},
	{"add_device_randomness", ROLE_HELPER},
	{"__do_sys_init_module", ROLE_LOAD},
	{"__do_sys_finit_module", ROLE_LOAD},
	{"__x64_sys_init_module", ROLE_LOAD},
	{"__x64_sys_finit_module", ROLE_LOAD},
	{"load_module", ROLE_LOAD},
	{"do_init_module", ROLE_LOAD},
	{"begin_new_exec", ROLE_EXEC},
	{"flush_old_exec", ROLE_EXEC},
	{"do_exit", ROLE_EXIT},
	{"kernel_restart", ROLE_OFF},
	{"kernel_halt", ROLE_OFF},
	{"kernel_power_off", ROLE_OFF},
};

static const char *const names[] = {
	"",
	"Firmware",
	"Boot loader and decompressor",
	"Kernel, before start_kernel",
	"Kernel start",
	"Initcalls",
	"User space",
	"Shutdown",
};

enum role timeline_role(const char *name)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(roles[i].name, name) == 0)
			return roles[i].role;
	return ROLE_NONE;
}

void timeline_phase_end(struct timeline_phases *phases, uint64_t tick)
{
	struct timeline *t = phases->t;
	struct timeline_item *item = &t->items[phases->item];
	uint64_t from = item->start > t->from ? item->start : t->from;

	if (!phases->phase)
		return;
	item->elapsed = tick > item->start ? tick - item->start : 0;
	item->ran = tick > from ? tick - from : 0; /* in the time that is wanted */
	item->dropped = tick <= t->from && item->start < t->from;
}

int timeline_phase_begin(struct timeline_phases *phases, enum phase phase, uint64_t tick)
{
	struct timeline_item item =
		{.kind = TIMELINE_PHASE, .name = names[phase], .module = "", .task = "", .start = tick, .ended = true};

	if (phases->phase >= phase)
		return 0;
	timeline_phase_end(phases, tick);
	if (!phases->phase && phase <= PHASE_EARLY)
		item.start = phases->t->start;
	phases->phase = phase;
	phases->item = timeline_add(phases->t, &item);
	return phases->item ? 0 : -ENOMEM;
}

void timeline_phases_keep(struct timeline *t, bool programs, bool beside_calls)
{
	uint64_t first, last;

	timeline_span(t, &first, &last);
	for (size_t i = 1; i < t->n; i++) {
		struct timeline_item *item = &t->items[i];

		if (item->kind != TIMELINE_PHASE && item->kind != TIMELINE_PROGRAM)
			continue;
		item->dropped |= item->kind == TIMELINE_PROGRAM && !programs;
		item->dropped |= beside_calls && (item->start > last || item->start + item->elapsed < first);
	}
}
