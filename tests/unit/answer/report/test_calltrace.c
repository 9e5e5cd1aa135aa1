/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls as lines: their order, durations, trees; the same however few lines can wait for their end. */
#include <exectrace/answer/report/calltrace.h>

#include "guest_sample.h"
#include <errno.h>
#include <exectrace/base/buf.h>

static int put(void *ctx, const struct call_line *line)
{
	struct buf *out = ctx;

	if (line->kind != CALL_LINE_CALL)
		return buf_printf(out, "%s%llu ", line->kind == CALL_LINE_START ? "<" : ">",
		                  (unsigned long long)line->tree);
	return buf_printf(out, "%llu.%u%s%c@%llu+%llu/%llu%s ", (unsigned long long)line->tree, line->depth,
	                  line->interrupt ? "!" : "", 'a' + (int)line->function - 1, (unsigned long long)line->entered,
	                  (unsigned long long)line->duration, (unsigned long long)line->self,
	                  !line->ended ? "..."
	                  : line->seen ? ""
	                               : "?");
}

static struct replay_options how; /* all tests but those of filters leave it as it is */

/* The lines of the recording that `g` is about to be. */
static char *lines(struct guest *g, const struct calltrace_options *options)
{
	struct buf out = BUF_INIT, why = BUF_INIT;
	struct replay *p = NULL;

	if (guest_open_recording(g) && CHECK_INT(replay_new(&p, g->recording, 0, &how, &why), 0))
		CHECK_INT(calltrace_run(p, options, put, &out), 0);
	replay_free(p);
	buf_release(&why);
	guest_end(g);
	return buf_steal(&out);
}

/* What is replayed again has the same times, also those of the host: here 1 ns an instruction, then 3 ns. */
static void test_again(void)
{
	const struct replay_options host = {.host_time = true};
	struct buf out = BUF_INIT, why = BUF_INIT;
	struct replay *p = NULL;
	struct guest g;

	if (!guest_begin(&g, DATA_CLOCK_INSTRUCTIONS, 0))
		return;
	guest_add(&g, "Y0:0@0 S1/0@0 Ca@0 R@50 Y0:100@100 Cb@100 R@110 Y0:400@200");
	if (guest_open_recording(&g) && CHECK_INT(replay_new(&p, g.recording, 0, &host, &why), 0)) {
		CHECK_INT(calltrace_run(p, &(struct calltrace_options){0}, put, &out), 0);
		CHECK_STR(out.data, "0.0a@0+50/50 1.0b@100+30/30 ");
	}
	replay_free(p);
	guest_end(&g);
	buf_release(&why);
	buf_release(&out);
}

static void check(const char *text, const struct calltrace_options *options, const char *want)
{
	struct guest g;
	char *got;

	if (!guest_begin(&g, DATA_CLOCK_INSTRUCTIONS, 0))
		return;
	guest_add(&g, text);
	got = lines(&g, options);
	CHECK_STR(got, want);
	free(got);
}

static void test_lines(void)
{
	static const char text[] =
		"S1/0@0 Ca@0 Cb@10 S2/0@20 Cc@20 Cd@25 U@30 R@40 S1/0@50 R@60 Ii@70 Cj@71 R@72 X@73 Cb@80 "
		"Y0:0@100";

	check(text, &(struct calltrace_options){0},
	      "0.0a@0+100/27... 0.1b@10+50/20 1.0c@20+20/15 1.1d@25+5/5? 2.0!i@70+3/2 2.1!j@71+1/1 0.1b@80+20/20... ");
	check(text, &(struct calltrace_options){.trees = true},
	      "0.0a@0+100/27... 0.1b@10+50/20 1.0c@20+20/15 1.1d@25+5/5? <2 2.0!i@70+3/2 2.1!j@71+1/1 >2 "
	      "0.1b@80+20/20... ");
	check(text, &(struct calltrace_options){.depth = 1}, "0.0a@0+100/27... 1.0c@20+20/15 2.0!i@70+3/2 ");
	check(text, &(struct calltrace_options){.which = {.under = "b"}}, "0.0b@10+50/20 1.0b@80+20/20... ");
	check(text, &(struct calltrace_options){.which = {.irq = FUNCTIONS_IRQ_ONLY}, .trees = true},
	      "0.0!i@70+3/2 0.1!j@71+1/1 ");
	check(text, &(struct calltrace_options){.which = {.irq = FUNCTIONS_IRQ_NO}},
	      "0.0a@0+100/27... 0.1b@10+50/20 1.0c@20+20/15 1.1d@25+5/5? 0.1b@80+20/20... ");
	check(text, &(struct calltrace_options){.which = {.min = 5}, .trees = true},
	      "0.0a@0+100/27... 0.1b@10+50/20 1.0c@20+20/15 1.1d@25+5/5? 0.1b@80+20/20... ");
	check(text, &(struct calltrace_options){.which = {.max = 5}, .trees = true, .window = 2},
	      "1.1d@25+5/5? <2 2.0!i@70+3/2 2.1!j@71+1/1 >2 ");
	/* a waits for 90 and runs for 10: it lasts 100. */
	check("S1/0@0 Ca@0 S2/0@5 Cb@20 R@90 S1/0@95 R@100", &(struct calltrace_options){.which = {.min = 80}},
	      "0.0a@0+100/10 ");
	check("S1/0@0 Ca@0 S2/0@5 Cb@20 R@90 S1/0@95 R@100", &(struct calltrace_options){.which = {.max = 80}},
	      "1.0b@20+70/70 ");
}

/*
 * Of lists: `[filtered]` is the first function, all others are one letter further. An interrupt has a line when
 * something in it is in the list. Times of the host stay exact, though it goes slower in what was left out.
 */
static void test_lists(void)
{
	struct control_config config = {0};

	(void)strv_push(&config.functions, "a");
	(void)strv_push(&config.functions, "b");
	how = (struct replay_options){.control = &config};
	check("S1/0@0 Ix@0 Cy@1 R@2 X@3 Ca@5 Ix@10 Cy@11 R@12 X@13 Cc@14 Cb@15 R@17 R@20 R@25 "
	      "Ix@30 Cy@31 Cb@32 R@33 "
	      "R@34 X@35",
	      &(struct calltrace_options){0},
	      "1.0b@5+20/11 1.1c@15+2/2 1.1a@25+4/4 3.0!y@30+5/2 3.1!c@32+1/1 3.1!a@35+2/2 ");
	how.host_time = true;
	check("S1/0@0 Y0:0@0 Ca@10 Y0:20@20 Cc@20 Y0:120@30 R@30 Y0:130@40 R@40 Y0:160@70",
	      &(struct calltrace_options){0}, "0.0b@10+120/20 0.1a@130+100/100 ");
	how = (struct replay_options){0};
	strv_release(&config.functions);
}

/* --- Noise ---------------------------------------------------------------------------------------------------------
 */

static uint64_t seed;

static uint64_t noise(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

static char *noisy_lines(uint32_t window)
{
	const struct calltrace_options options = {.trees = true, .window = window, .which = {.min = 3}};
	struct guest g;

	seed = 99;
	if (!guest_begin(&g, DATA_CLOCK_INSTRUCTIONS, 0))
		return NULL;
	for (uint64_t i = 0, clock = 0; i < 20000; i++) {
		clock += noise(4);
		switch (noise(i % 2000 < 1000 ? 9 : 12)) {
		case 0:
			(void)data_writer_switch(g.writer, clock, noise(4), 0);
			break;
		case 1:
			(void)data_writer_irq_enter(g.writer, clock, 1 + noise(26));
			break;
		case 2:
			(void)data_writer_irq_exit(g.writer, clock);
			break;
		case 3:
		case 4:
		case 5:
			(void)data_writer_call(g.writer, clock, 1 + noise(26));
			break;
		case 6:
			(void)data_writer_tail(g.writer, clock, 1 + noise(26));
			break;
		default:
			(void)data_writer_return(g.writer, clock);
			break;
		}
	}
	return lines(&g, &options);
}

static void test_window(void)
{
	char *want = noisy_lines(1u << 20);

	CHECK(want && strlen(want) > 10000);
	for (uint32_t window = 2; window < 1000; window *= 8) {
		char *got = noisy_lines(window);

		CHECK(got && want && strcmp(got, want) == 0);
		free(got);
	}
	free(want);
}

/* --- Ending it -----------------------------------------------------------------------------------------------------
 */

static int stop(void *ctx, const struct call_line *line)
{
	unsigned *left = ctx;

	(void)line;
	return --*left ? 0 : -EPIPE;
}

static void test_stop(void)
{
	struct buf why = BUF_INIT;
	struct replay *p = NULL;
	struct guest g;
	unsigned left = 2;

	if (!guest_begin(&g, DATA_CLOCK_INSTRUCTIONS, 0))
		return;
	guest_add(&g, "S1/0@0 Ca@0 R@1 Cb@1 R@2 Cc@3 R@4");
	if (guest_open_recording(&g) &&
	    CHECK_INT(replay_new(&p, g.recording, 0, &(struct replay_options){0}, &why), 0)) {
		CHECK_INT(calltrace_run(p, &(struct calltrace_options){0}, stop, &left), -EPIPE);
		CHECK_INT(left, 0);
		left = 100;
		CHECK_INT(calltrace_run(p, &(struct calltrace_options){0}, stop, &left), 0);
		CHECK_INT(left, 97);
	}
	replay_free(p);
	buf_release(&why);
	guest_end(&g);
}

int main(void)
{
	test_lines();
	test_again();
	test_lists();
	test_window();
	test_stop();
	return TAP_DONE();
}
