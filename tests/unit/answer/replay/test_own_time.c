/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stretches of own time, also of a stack that goes over to a CPU whose clock is behind. */
#include <exectrace/answer/replay/own_time.h>

#include "guest_sample.h"

struct world {
	struct own_time own;
	struct replay *replay;
	struct buf text;
};

static int note(void *ctx, const struct replay_stack *stack, uint32_t function, uint64_t from, uint64_t to)
{
	struct world *w = ctx;

	return buf_printf(&w->text, "%u/%s:%llu-%llu ", stack->cpu, replay_function(w->replay, function)->name,
	                  (unsigned long long)from, (unsigned long long)to);
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	return own_time_enter(&((struct world *)ctx)->own, stack);
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	return own_time_leave(&((struct world *)ctx)->own, stack, call);
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	(void)cpu;
	return own_time_ran(&((struct world *)ctx)->own, stack, ticks);
}

static void check_stretches(const char *text, const char *expected)
{
	static const struct replay_options plain;
	struct world w = {.own = {.fn = note}};
	const struct replay_sink sink = {.ctx = &w, .enter = on_enter, .leave = on_leave, .ran = on_ran};
	struct buf why = BUF_INIT;
	struct guest guest;

	w.own.ctx = &w;
	if (!guest_begin(&guest, DATA_CLOCK_INSTRUCTIONS, 0))
		return;
	guest_add(&guest, text);
	if (guest_open_recording(&guest) && CHECK_INT(replay_new(&w.replay, guest.recording, 0, &plain, &why), 0)) {
		CHECK_INT(replay_run(w.replay, &sink), 0);
		CHECK_STR(w.text.data, expected);
	}
	buf_release(&why);
	buf_release(&w.text);
	own_time_release(&w.own);
	replay_free(w.replay);
	guest_end(&guest);
}

int main(void)
{
	check_stretches("S1/0@0 Ca@10 Cb@20 R@30 R@40 S2/0@50",
	                "0/[unknown]:0-10 0/a:10-20 0/b:20-30 0/a:30-40 0/[unknown]:40-50 ");
	check_stretches("S1/0@1000 Ca@1000 R@1020 S2/0@1040 S1/1@10 Ca@30 R@50 S3/1@60",
	                "0/a:1000-1020 0/[unknown]:1020-1040 1/[unknown]:10-30 1/a:30-50 1/[unknown]:50-60 ");
	return TAP_DONE();
}
