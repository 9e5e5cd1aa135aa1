/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First calls in their order, who is below whom, what is chosen, and what names of functions say of a boot. */
#include <exectrace/answer/timeline/timeline.h>

#include "guest_sample.h"

struct world {
	struct guest guest;
	struct replay *replay;
	struct timeline *timeline;
};

/* Gives another name to a function, which is a letter so far. */
static void name_function(struct guest *g, char letter, const char *name, const char *module)
{
	static uint64_t id = 100;
	struct data_event file = {.type = DATA_FILE}, event = {.type = DATA_FUNCTION};

	file.file = (struct data_file){.id = ++id, .path = {module, strlen(module)}};
	event.function = (struct data_function){.id = (uint64_t)(letter - 'a' + 1),
	                                        .file = id,
	                                        .address = (uint64_t)letter << 8,
	                                        .name = {name, strlen(name)}};
	CHECK_INT(data_writer_event(g->writer, &file), 0);
	CHECK_INT(data_writer_event(g->writer, &event), 0);
}

static bool make_of(struct world *w, const char *text, const struct functions_options *which,
                    const struct replay_options *options)
{
	static const struct functions_options all;
	struct buf why = BUF_INIT;
	bool good;

	guest_add(&w->guest, text);
	good = guest_open_recording(&w->guest) &&
	       CHECK_INT(replay_new(&w->replay, w->guest.recording, 0, options, &why), 0) &&
	       CHECK_INT(timeline_guest(&w->timeline, w->replay, which ? which : &all), 0);
	buf_release(&why);
	return good;
}

static bool make(struct world *w, const char *text, const struct functions_options *which)
{
	return make_of(w, text, which, &(struct replay_options){0});
}

static bool begin(struct world *w)
{
	*w = (struct world){0};
	return guest_begin(&w->guest, DATA_CLOCK_INSTRUCTIONS, 0);
}

static void done(struct world *w)
{
	timeline_free(w->timeline);
	replay_free(w->replay);
	guest_end(&w->guest);
}

/* "kind:name start elapsed ran calls level", one after the other. */
static void check_items(const struct world *w, size_t lines, const char *want)
{
	static const char kinds[] = "PpmifcR";
	const struct timeline_item *const *items;
	struct buf got = BUF_INIT;
	size_t n;

	if (!CHECK_INT(timeline_choose(w->timeline, lines, &items, &n), 0))
		return;
	for (size_t i = 0; i < n; i++)
		buf_printf(&got, "%s%c:%s %llu %llu %llu %llu %u%s", i ? ", " : "", kinds[items[i]->kind],
		           items[i]->name, (unsigned long long)items[i]->start, (unsigned long long)items[i]->elapsed,
		           (unsigned long long)items[i]->ran, (unsigned long long)items[i]->count, items[i]->level,
		           items[i]->ended || items[i]->kind == TIMELINE_REST ? "" : "~");
	CHECK_STR(got.len ? got.data : "", want);
	buf_release(&got);
}

static void test_first_calls(void)
{
	struct world w;

	/* b is called three times; c is below the second call of b, which is below the first one of a. */
	if (begin(&w) && make(&w, "S1/0@0 Ca@1 Cb@5 R@10 Cb@12 Cc@13 R@15 R@22 R@30 Cb@32 R@33", NULL)) {
		check_items(&w, 0, "f:a 1 29 29 1 0, f:b 5 5 5 3 1, f:c 13 2 2 1 1");
		CHECK_INT(timeline_length(w.timeline), 33);
		CHECK_INT(timeline_items(w.timeline), 3);
	}
	done(&w);
	/* Another task runs in between; the end of b is not seen. */
	if (begin(&w) && make(&w, "S1/0@0 Ca@0 S2/0@10 Cb@10 S1/0@90 R@100", NULL))
		check_items(&w, 0, "f:a 0 100 20 1 0, f:b 10 90 80 1 0~");
	done(&w);
}

/* Those of a stripped program go by their addresses, here those that their letters have. */
static void test_nameless(void)
{
	struct world w;

	if (begin(&w)) {
		name_function(&w.guest, 'q', "", "busybox");
		if (make(&w, "S1/0@0 Cq@0 Ca@1 R@2 R@3", NULL))
			check_items(&w, 0, "f:@7100 0 3 3 1 0, f:a 1 1 1 1 1");
	}
	done(&w);
}

static void test_choice(void)
{
	struct world w;

	/* a does nothing but call b, which tells nothing; d is too small. */
	if (begin(&w) && make(&w, "S1/0@0 Ca@0 Cb@0 Cc@10 R@60000 Cd@70000 R@70001 R@100000 R@100000", NULL)) {
		check_items(&w, 100, "f:b 0 100000 100000 1 0, f:c 10 59990 59990 1 1, R: 0 0 0 2 0");
		check_items(&w, 1, "f:c 10 59990 59990 1 0");
		check_items(&w, 0,
		            "f:a 0 100000 100000 1 0, f:b 0 100000 100000 1 1, f:c 10 59990 59990 1 2, "
		            "f:d 70000 1 1 1 2");
	}
	done(&w);
}

static void test_boot(void)
{
	const char *boot = "S1/0@0 Cf@0 R@10 Cl@10 R@30 Ce@30 R@35 Ck@35 P1=0:swapper@36 S2/0@40 P2=1:swapper@40 "
			   "Ci@40 Ch@41 R@42 Ca@42 R@50 Ch@50 R@51 R@52 Ci@52 Ch@53 R@54 Cm@54 R@60 R@62 "
			   "Cx@62 P2=1:init@63 R@64 Cb@70 R@75 Cx@80 P2=1:sh@81 R@82 Cg@90 Co@95";
	struct world w;

	if (!begin(&w))
		return;
	name_function(&w.guest, 'f', "[firmware]", "[firmware]");
	name_function(&w.guest, 'l', "[loader]", "[loader]");
	name_function(&w.guest, 'e', "early", "[kernel]");
	name_function(&w.guest, 'k', "start_kernel", "[kernel]");
	name_function(&w.guest, 'i', "do_one_initcall", "[kernel]");
	name_function(&w.guest, 'h', "around", "[kernel]");
	name_function(&w.guest, 'a', "acpi_init", "[kernel]");
	name_function(&w.guest, 'm', "loop_init", "[loop]");
	name_function(&w.guest, 'x', "begin_new_exec", "[kernel]");
	name_function(&w.guest, 'g', "do_exit", "[kernel]");
	name_function(&w.guest, 'o', "kernel_power_off", "[kernel]");
	if (make(&w, boot, NULL))
		check_items(&w, 0,
		            "P:Firmware 0 10 10 0 0, P:Boot loader and decompressor 10 20 20 0 0, "
		            "P:Kernel, before start_kernel 30 5 5 0 0, f:early 30 5 5 1 0, "
		            "P:Kernel start 35 5 5 0 0, f:start_kernel 35 60 5 1 0~, "
		            "P:Initcalls 40 22 22 0 0, f:do_one_initcall 40 12 12 2 0, f:around 41 1 1 3 1, "
		            "i:acpi_init 42 8 8 1 1, m:loop_init 54 6 6 1 0, "
		            "P:User space 62 33 33 0 0, f:begin_new_exec 62 2 2 2 0, p:init 62 18 18 1 0, "
		            "f:b 70 5 5 1 0, p:sh 80 10 10 1 0, f:do_exit 90 5 5 1 0~, "
		            "P:Shutdown 95 0 0 0 0, f:kernel_power_off 95 0 0 1 1~");
	done(&w);
}

/* Names that mean something in a boot mean nothing without one. */
static void test_no_boot(void)
{
	const struct functions_options task = {.task = "sh"};
	struct world w;

	if (begin(&w)) {
		name_function(&w.guest, 'i', "do_one_initcall", "[kernel]");
		name_function(&w.guest, 'm', "loop_init", "[loop]");
		if (make(&w, "S1/0@0 Ci@0 Cm@1 R@5 R@6", NULL))
			check_items(&w, 0, "f:do_one_initcall 0 6 6 1 0, m:loop_init 1 4 4 1 1");
	}
	done(&w);
	if (begin(&w) && make(&w, "S1/0@0 P1=7:sh@0 P2=8:ls@0 Ca@0 S2/0@10 Cb@10 R@20 S1/0@20 R@30", &task))
		check_items(&w, 0, "f:a 0 30 20 1 0");
	done(&w);
}

/* There are many short programs: what is largest is there all the same. */
static void test_largest(void)
{
	struct world w;
	struct buf text = BUF_INIT;
	const struct timeline_item *const *items;
	unsigned programs = 0, large = 0;
	size_t n;

	buf_printf(&text, "S1/0@0 ");
	for (int i = 0; i < 12; i++)
		buf_printf(&text, "C%c@%d R@%d ", 'a' + i, i * 1000, i * 1000 + 990);
	buf_printf(&text, "Cf@20000 ");
	for (int i = 0; i < 40; i++)
		buf_printf(&text, "S%d/0@%d P%d=%d:p%d@%d Cx@%d R@%d Cy@%d R@%d ", i + 2, 20000 + i * 10, i + 2, i + 2,
		           i, 20000 + i * 10, 20000 + i * 10, 20001 + i * 10, 20002 + i * 10, 20003 + i * 10);
	if (begin(&w)) {
		name_function(&w.guest, 'f', "[firmware]", "[firmware]");
		name_function(&w.guest, 'x', "begin_new_exec", "[kernel]");
		name_function(&w.guest, 'y', "do_exit", "[kernel]");
		if (make(&w, text.data, NULL) && CHECK_INT(timeline_choose(w.timeline, 20, &items, &n), 0))
			for (size_t i = 0; i < n; i++) {
				programs += items[i]->kind == TIMELINE_PROGRAM;
				large += items[i]->kind == TIMELINE_FUNCTION && items[i]->ran == 990;
			}
		CHECK_INT(programs, 3);
		CHECK_INT(large, 11);
	}
	done(&w);
	buf_release(&text);
}

/* What a program runs is on two stacks, in the kernel and outside; an interrupt is not its time. */
static void test_program(void)
{
	struct world w;

	if (begin(&w)) {
		name_function(&w.guest, 'f', "[firmware]", "[firmware]");
		name_function(&w.guest, 'x', "begin_new_exec", "[kernel]");
		name_function(&w.guest, 'y', "do_exit", "[kernel]");
		if (make(&w,
		         "S1/0@0 Cf@0 R@0 P1=7:sh@0 P2=7:sh@0 Cx@0 R@10 S2/0@10 Cm@10 Ii@40 X@50 "
		         "S1/0@100 Cs@100 R@120 Cy@130 S3/0@140 P3=8:idle@140 Cz@140 R@200",
		         NULL))
			check_items(&w, 0,
			            "P:Firmware 0 200 200 0 0, f:begin_new_exec 0 10 10 1 0, p:sh 0 130 120 1 0, "
			            "f:m 10 190 80 1 0~, f:i 40 10 10 1 0, "
			            "f:s 100 20 20 1 0, f:do_exit 130 70 10 1 0~, f:z 140 60 60 1 0");
	}
	done(&w);
	/* One that goes on until the end, with an interrupt before it began. */
	if (begin(&w)) {
		name_function(&w.guest, 'f', "[firmware]", "[firmware]");
		name_function(&w.guest, 'x', "begin_new_exec", "[kernel]");
		if (make(&w, "S1/0@0 Cf@0 R@0 P1=7:sh@0 Ii@10 X@60 Cx@80 R@90 Ii@95 X@99 Cm@100 R@110", NULL))
			check_items(&w, 0,
			            "P:Firmware 0 110 110 0 0, f:i 10 50 50 2 0, "
			            "f:begin_new_exec 80 10 10 1 0, p:sh 80 30 26 1 0~, f:m 100 10 10 1 0");
	}
	done(&w);
}

/* A module is loaded from its system call on; what initializes it may be the least of it. */
static void test_module(void)
{
	struct world w;

	if (begin(&w)) {
		name_function(&w.guest, 'l', "__do_sys_finit_module", "[kernel]");
		name_function(&w.guest, 'i', "do_one_initcall", "[kernel]");
		name_function(&w.guest, 'm', "loop_init", "[loop]");
		if (make(&w, "S1/0@0 Cs@0 Cl@5 Cr@10 S2/0@20 S1/0@70 R@80 Ci@81 Cm@82 R@83 R@84 R@90 R@95", NULL))
			check_items(&w, 0,
			            "f:s 0 95 45 1 0, f:__do_sys_finit_module 5 85 35 1 1, m:loop_init 5 85 35 1 3, "
			            "f:r 10 70 20 1 2, f:do_one_initcall 81 3 3 1 2");
	}
	done(&w);
}

/* Of what crosses the end of the time that is wanted, nothing behind it counts. */
static void test_time(void)
{
	const struct replay_options options = {.timed = true, .from = 20, .until = 50};
	struct world w;

	w = (struct world){0};
	if (guest_begin(&w.guest, DATA_CLOCK_CYCLES, 1000000000)) {
		name_function(&w.guest, 'f', "[firmware]", "[firmware]");
		name_function(&w.guest, 'l', "[loader]", "[loader]");
		name_function(&w.guest, 'k', "start_kernel", "[kernel]");
		name_function(&w.guest, 'i', "do_one_initcall", "[kernel]");
		name_function(&w.guest, 'x', "begin_new_exec", "[kernel]");
		if (make_of(&w,
		            "S1/0@0 Cf@0 R@10 Cl@10 R@30 Ck@30 P1=7:sh@30 Ca@32 R@34 Cx@36 R@38 "
		            "Cb@40 R@80 Ci@90 R@95 R@99",
		            NULL, &options)) {
			check_items(&w, 0,
			            "P:Boot loader and decompressor 10 20 10 0 0, P:Kernel start 30 20 20 0 0, "
			            "f:start_kernel 30 20 20 1 0~, f:a 32 2 2 1 1, f:begin_new_exec 36 2 2 1 1, "
			            "p:sh 36 14 14 1 0~, f:b 40 10 10 1 1~");
			CHECK_INT(timeline_length(w.timeline), 30);
		}
	}
	done(&w);
}

static const char filtered_boot[] =
	"S1/0@0 Y0:0@0 Cf@0 R@100 Ck@110 Ca@120 R@220 Ci@230 Cb@231 R@232 R@233 Cc@240 R@400 "
	"P1=1:sh@400 Cx@401 R@402 Cd@410 Cg@411 R@413 R@600 Y0:1000@1000 R@1000";

static void name_boot(struct guest *g)
{
	name_function(g, 'f', "[firmware]", "[firmware]");
	name_function(g, 'k', "start_kernel", "[kernel]");
	name_function(g, 'i', "do_one_initcall", "[kernel]");
	name_function(g, 'x', "begin_new_exec", "[kernel]");
}

/* What a filter leaves out moves nothing into another phase; its clock counts instructions, but tells the host's time.
 */
static void test_filter(void)
{
	const struct control_config longer = {.min_time = 90};
	const struct replay_options options = {.host_time = true, .control = &longer}, plain = {.control = &longer};
	const char *want = "P:Firmware 0 110 110 0 0, P:Kernel start 110 120 120 0 0, f:start_kernel 110 890 890 1 0, "
			   "f:a 120 100 100 1 1, P:Initcalls 230 171 171 0 0, f:c 240 160 160 1 1, "
			   "P:User space 401 599 599 0 0, p:sh 401 599 599 1 0~, f:d 410 190 190 1 1";
	struct world w;

	for (int host = 0; host < 2; host++) {
		if (begin(&w)) {
			name_boot(&w.guest);
			if (make_of(&w, filtered_boot, NULL, host ? &options : &plain))
				check_items(&w, 0, want);
		}
		done(&w);
	}
}

/* What is within one moment of a long recording is not too small to be shown; the phase is the one that it is in. */
static void test_moment(void)
{
	struct control_config config = {.stop = {.when = CONTROL_EXIT}};
	const struct replay_options options = {.control = &config};
	struct world w;

	config.start = (struct control_trigger){.when = CONTROL_ENTRY, .function = (char[]){"d"}};
	config.stop.function = (char[]){"g"};
	if (begin(&w)) {
		name_boot(&w.guest);
		name_function(&w.guest, 'd', "d", "[kernel]");
		name_function(&w.guest, 'g', "g", "[kernel]");
		if (make_of(&w,
		            "S1/0@0 Cf@0 R@0 Ck@10 R@60000 P1=1:sh@60000 Cx@60000 R@60001 Cd@60010 "
		            "Cg@60011 R@60013 R@60020 "
		            "Ca@60030 R@90000",
		            NULL, &options))
			check_items(
				&w, 100,
				"P:User space 60000 30000 30000 0 0, p:sh 60000 30000 30000 1 0~, f:d 60010 3 3 1 0, "
				"f:g 60011 2 2 1 1");
	}
	done(&w);
}

int main(void)
{
	test_nameless();
	test_filter();
	test_moment();
	test_largest();
	test_program();
	test_module();
	test_time();
	test_first_calls();
	test_choice();
	test_boot();
	test_no_boot();
	return tap_done();
}
