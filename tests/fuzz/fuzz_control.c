/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A configuration in KFI's language up to a NUL, then events of two CPUs and a few stacks, three bytes each. What comes
 * out of the gate is checked: on each stack what ends has begun, clocks of a CPU do not go back, and nothing that is
 * outside of a window is told.
 */
#include "expect.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/gate/gate.h>
#include <string.h>

#define STACKS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t depth[STACKS], clock;
	unsigned stack;
	bool open, full, outer, ended;
	uint64_t windows;
};

static void on_window(struct seen *seen, const struct gate_event *e)
{
	expect(seen->open == (e->kind == GATE_CLOSED));
	seen->open = !seen->open;
	seen->windows += seen->open;
	expect(e->number == seen->windows);
	for (unsigned i = 0; i < STACKS; i++)
		expect(seen->depth[i] == 0);
}

static int put(void *user, const struct gate_event *e)
{
	struct seen *seen = user;
	uint64_t *depth = &seen->depth[seen->stack];

	if (e->kind == GATE_OPENED || e->kind == GATE_CLOSED) {
		on_window(seen, e);
		return 0;
	}
	expect(e->clock >= seen->clock || seen->ended);
	seen->clock = e->clock;
	if (e->kind == GATE_OTHER)
		return 0;
	expect(seen->open);
	if (e->kind == GATE_SWITCH)
		seen->stack = (unsigned)e->number % STACKS;
	else if (e->kind == GATE_CALL || e->kind == GATE_IRQ_ENTER)
		++*depth;
	else if (e->kind == GATE_RETURN || e->kind == GATE_IRQ_EXIT || e->kind == GATE_UNWIND)
		expect((*depth)-- > 0);
	else if (e->kind != GATE_FILTERED || !seen->outer)
		expect(*depth > 0); /* a tail call, or what was left out */
	return 0;
}

static void name_functions(struct gate *g, const struct control_config *config)
{
	static const char *const names[] = {"a", "b", "c.isra.0", "do_fork", NULL, "sys_read", "start_kernel", "f"};

	for (uint64_t i = 0; i < 8; i++)
		expect(gate_function(g, i, control_function(config, names[i], i % 2 ? "[x]" : NULL, i * 16, 16)) == 0);
	if (config->functions.n > 3)
		gate_tasks_only(g);
}

static void feed(struct gate *g, struct seen *seen, const uint8_t *data, size_t size)
{
	struct gate_event e = {0};

	for (; size >= 3; data += 3, size -= 3) {
		e.kind = (enum gate_kind)(data[0] % (GATE_OTHER + 1));
		e.cpu = data[0] >> 7;
		e.number = data[1] % STACKS;
		e.clock += data[2];
		e.time = e.clock * 100;
		if (data[1] == 0xfe)
			expect(gate_task(g, data[2] % STACKS, data[0] & 1) == 0);
		if (data[1] == 0xfd)
			expect(gate_owner(g, data[2] % STACKS, data[0] % STACKS) == 0);
		expect(gate_take(g, &e) == 0);
	}
	seen->ended = true;
	expect(gate_end(g) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	size_t n = end ? (size_t)(end - data) : size;
	struct control_config config = {0};
	struct gate_rules rules;
	struct seen seen = {0};
	cleanup_buf struct buf err = BUF_INIT;
	int e = control_parse(&config, (const char *)data, n, &err);
	struct gate *g;

	expect(e == 0 || e == -EINVAL);
	expect((e == 0) == (err.len == 0));
	expect(!err.len || !strchr(err.data, '\n'));
	gate_rules_of(&rules, &config, 1000000000);
	g = gate_new(&rules, put, &seen);
	expect(g != NULL);
	name_functions(g, &config);
	seen.outer = config.exclude.n & 1;
	if (seen.outer)
		gate_tell_unattributed(g);
	if (end)
		feed(g, &seen, end + 1, size - n - 1);
	gate_free(g);
	control_release(&config);
	return 0;
}
