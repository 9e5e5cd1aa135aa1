/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who waited for whom: stories made by hand with the chain that they have, and noise, in whose chain each moment is one
 * task's.
 */
#include <exectrace/answer/waits/wait_chain.h>

#include "guest_sample.h"

struct world {
	struct guest guest;
	struct replay *replay;
	struct task_waits *waits;
	struct wait_chain chain;
};

static bool begin(struct world *w)
{
	static const struct {
		char letter;
		const char *name, *module;
	} names[] = {
		{'s', "schedule", "[kernel]"},
		{'t', "call_timer_fn", "[kernel]"},
		{'w', "do_wait", "[kernel]"},
		{'n', "do_nanosleep", "[kernel]"},
		{'d', "do_task_dead", "[kernel]"},
		{'p', "exit_to_user_mode_loop", "[kernel]"},
		{'i', "do_idle", "[kernel]"},
		{'c', "__x64_sys_wait4", "[kernel]"},
		{'m', "probe", "[acme]"},
		{'k', "__schedule", "[kernel]"},
		{'q', "kthread", "[kernel]"},
		{'x', "worker_thread", "[kernel]"},
		{'j', "do_signal_stop", "[kernel]"},
		{'v', "synchronize_rcu", "[kernel]"},
		{'z', "__wait_for_common", "[kernel]"},
	};

	*w = (struct world){0};
	if (!guest_begin(&w->guest, DATA_CLOCK_MONOTONIC, 1000000000))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		guest_name(&w->guest, names[i].letter, names[i].name, names[i].module);
	return true;
}

static bool look(struct world *w)
{
	static const struct replay_options plain;
	struct buf why = BUF_INIT;
	struct replay_sink sink;
	bool good = guest_open_recording(&w->guest) &&
	            CHECK_INT(replay_new(&w->replay, w->guest.recording, 0, &plain, &why), 0) &&
	            CHECK_INT(task_waits_new(&w->waits, w->replay), 0);

	if (good) {
		sink = task_waits_sink(w->waits);
		good = CHECK_INT(replay_run(w->replay, &sink), 0) && CHECK_INT(wait_chain_make(&w->chain, w->waits), 0);
	}
	buf_release(&why);
	return good;
}

static void done(struct world *w)
{
	wait_chain_release(&w->chain);
	task_waits_free(w->waits);
	replay_free(w->replay);
	guest_end(&w->guest);
}

/* "PID ran|waited|ready FROM-TO [in FUNCTION [by TASK|timer|irq]] [for PID]; ..." */
static void print(const struct world *w, struct buf *out)
{
	static const char *const kinds[] = {[LINK_RAN] = "ran", [LINK_WAITED] = "waited", [LINK_READY] = "ready"};
	static const char *const ends[] = {[WAIT_NOT_ENDED] = "nobody",
	                                   [WAIT_BY_TASK] = "a task",
	                                   [WAIT_BY_TIMER] = "a timer",
	                                   [WAIT_BY_INTERRUPT] = "irq"};

	for (size_t i = 0; i < w->chain.n; i++) {
		const struct chain_link *link = &w->chain.links[i];

		buf_printf(out, "%s%u %s %llu-%llu", i ? "; " : "", task_waits_at(w->waits, link->task)->pid,
		           kinds[link->kind], (unsigned long long)link->from, (unsigned long long)link->to);
		if (link->kind == LINK_WAITED)
			buf_printf(out, " in %s by %s", replay_function(w->replay, link->wait->function)->name,
			           ends[link->wait->end]);
		if (link->kind == LINK_WAITED && link->wait->purpose != link->wait->function)
			buf_printf(out, " of %s", replay_function(w->replay, link->wait->purpose)->name);
		if (link->kind == LINK_WAITED && link->for_task != WAITS_NOBODY)
			buf_printf(out, " for %u", task_waits_at(w->waits, link->for_task)->pid);
	}
}

static void story(const char *text, const char *wanted)
{
	struct buf got = BUF_INIT;
	struct world w;

	if (begin(&w)) {
		guest_add(&w.guest, text);
		if (look(&w)) {
			print(&w, &got);
			CHECK_STR(got.data ? got.data : "", wanted);
		}
	}
	buf_release(&got);
	done(&w);
}

/* The idle task makes init (2), which makes a child (3) and waits for it; that one sleeps. */
#define MAKES "P1=0:swapper@0 S1/0@0 Ca@0 P2=1:init@10 N2@10 R@11 Ci@12 S2/0@20 Cb@20 P3=2:child@30 N3@30 "

static void test_sleep(void)
{
	story(MAKES "Cc@35 Cw@36 Cs@40 S3/0@42 Cf@42 Cn@55 Cs@60 S1/0@62 Ih@160 Ct@161 W3@162 R@163 "
	            "X@164 S3/0@165 R@166 R@167 "
	            "W2@175 Cd@176 Ck@177 S2/0@180 R@181 R@182 R@183 Y0:0@200",
	      "0 ran 0-10; 1 ran 10-30; 2 ran 30-62; 2 waited 62-162 in do_nanosleep by a timer "
	      "for 1; 2 ready 162-165; "
	      "2 ran 165-175; 1 ready 175-180; 1 ran 180-200");
}

/* Nobody ends it: the parent waits for the child. */
static void test_hang(void)
{
	story(MAKES "Cc@35 Cw@36 Cs@40 S3/0@42 Cf@42 Cm@55 Cn@56 Cs@60 S1/0@62 Y0:0@500",
	      "0 ran 0-10; 1 ran 10-30; 2 ran 30-62; 2 waited 62-500 in do_nanosleep by nobody for 1");
}

/* Who loses the processor does not wait. */
static void test_preempted(void)
{
	story(MAKES "Cp@40 Cs@41 S3/0@42 Cf@42 Cn@45 Cs@50 S2/0@60 R@61 R@62 Y0:0@90",
	      "0 ran 0-10; 1 ran 10-42; 1 ready 42-60; 1 ran 60-90");
}

/* Who is stopped by a signal on the way back to its program has not lost the processor: it waits. */
static void test_stopped(void)
{
	story(MAKES "Cp@40 Cj@41 Cs@42 S3/0@43 Cf@43 Cn@45 Cs@50 S1/0@52 Y0:0@90",
	      "0 ran 0-10; 1 ran 10-43; 1 waited 43-90 in do_signal_stop by nobody");
}

/* A wait is for what the first function around it says that is no means of waiting. */
static void test_purpose(void)
{
	story(MAKES "Cv@35 Cz@36 Cs@40 S1/0@42 Ih@60 Ct@61 W2@62 R@63 X@64 S2/0@65 R@66 R@67 R@68 Y0:0@90",
	      "0 ran 0-10; 1 ran 10-42; 1 waited 42-62 in __wait_for_common by a timer of synchronize_rcu; "
	      "1 ready 62-65; 1 ran 65-90");
}

/* A server had waited for long when somebody began to wait for it: that delayed nobody. */
static void test_server(void)
{
	story(MAKES "Cc@31 Cn@32 Cs@33 S3/0@35 Cf@36 Cn@37 Cs@40 S1/0@41 Ih@100 Ct@101 W2@102 R@103 "
	            "X@104 S2/0@105 R@106 R@107 "
	            "Cw@110 Cs@115 S1/0@120 Ih@150 W3@151 X@152 S3/0@155 R@156 R@157 W2@160 Cn@161 "
	            "Cs@162 S2/0@165 R@166 R@167 "
	            "Y0:0@180",
	      "0 ran 0-10; 1 ran 10-35; 1 waited 35-102 in do_nanosleep by a timer; 1 ready 102-105; 1 ran 105-120; "
	      "2 waited 120-151 in do_nanosleep by irq for 1; 2 ready 151-155; 2 ran 155-160; 1 "
	      "ready 160-165; 1 ran 165-180");
}

/* A thread of the kernel that has nothing to do waits for nobody: who gives it work has no one waiting for that. */
static void test_worker(void)
{
	story(MAKES "P4=3:worker@31 N4@31 S4/0@32 Cq@32 Cx@33 Cs@34 S2/0@36 Cw@38 Cs@39 S3/0@42 Cf@42 "
	            "Cn@43 Cs@44 S1/0@45 Ih@46 Ct@47 W3@48 R@48 X@48 S3/0@49 R@49 R@49 "
	            "W4@50 Cn@52 Cs@53 S4/0@60 R@61 Cn@62 Cs@63 S1/0@70 Ih@100 Ct@101 W4@102 R@103 X@104 "
	            "S4/0@105 R@106 R@107 W3@110 Cs@111 S3/0@115 R@116 R@117 W2@120 Cd@121 Ck@122 S2/0@125 "
	            "R@126 R@127 Y0:0@140",
	      "0 ran 0-10; 1 ran 10-30; 2 ran 30-45; 2 waited 45-48 in do_nanosleep by a timer for 1; 2 ready 48-49; "
	      "2 ran 49-50; 3 ready 50-60; 3 ran 60-70; 3 waited 70-102 in do_nanosleep by a timer for 2; "
	      "3 ready 102-105; 3 ran 105-110; 2 ready 110-115; 2 ran 115-120; 1 ready 120-125; 1 ran 125-140");
}

static void test_names(void)
{
	struct world w;

	if (begin(&w)) {
		guest_add(&w.guest,
		          MAKES "Cc@31 Cm@32 Cn@33 Cs@34 S1/0@40 Ih@90 Ct@91 W2@92 R@93 X@94 S2/0@95 R@96 R@97 "
		                "R@98 Y0:0@99");
		if (look(&w)) {
			const struct waits_task *task = task_waits_at(w.waits, task_waits_on(w.waits, 1));
			const struct task_wait *wait = task->n ? &task->waits[0] : NULL;

			CHECK_INT(task->pid, 1);
			CHECK_INT(task->n, 1);
			CHECK_STR(wait ? replay_function(w.replay, wait->caller)->name : "", "probe");
			CHECK_STR(wait ? replay_function(w.replay, wait->call)->name : "", "__x64_sys_wait4");
			CHECK_STR(wait ? wait->task : "", "init");
			CHECK_INT(task_waits_until(w.waits, 1, 0, 50), 10);
			CHECK_INT(task_waits_until(w.waits, 1, 0, 99), 55);
		}
	}
	done(&w);
}

/* A word of noise at a time: two processors, six stacks. */
static void add_noise(struct guest *g, unsigned *seed, unsigned n)
{
	static const char letters[] = "abswtndpick";
	uint64_t clock = 0;
	char word[64];

	for (unsigned i = 0; i < n; i++) {
		unsigned stack = (unsigned)rand_r(seed) % 6, what = (unsigned)rand_r(seed) % 12;
		char letter = letters[(unsigned)rand_r(seed) % (sizeof(letters) - 1)];

		clock += (unsigned)rand_r(seed) % 5;
		if (what < 4)
			snprintf(word, sizeof(word), "C%c@%llu", letter, (unsigned long long)clock);
		else if (what < 6)
			snprintf(word, sizeof(word), "R@%llu", (unsigned long long)clock);
		else if (what < 8)
			snprintf(word, sizeof(word), "S%u/%u@%llu", stack, stack % 2, (unsigned long long)clock);
		else if (what < 9)
			snprintf(word, sizeof(word), "%c@%llu", i % 2 ? 'X' : 'R', (unsigned long long)clock);
		else if (what < 10)
			snprintf(word, sizeof(word), "P%u=%u:t%u@%llu", stack, stack + i % 2, stack,
			         (unsigned long long)clock);
		else
			snprintf(word, sizeof(word), "%c%u@%llu", what == 10 && i % 7 == 0 ? 'N' : 'W', stack,
			         (unsigned long long)clock);
		guest_add(g, word);
	}
}

static void test_noise(void)
{
	for (unsigned round = 1; round <= 200; round++) {
		unsigned seed = round;
		uint64_t links = 0, last = 0;
		struct world w;

		if (begin(&w)) {
			add_noise(&w.guest, &seed, 300);
			if (look(&w)) {
				for (size_t i = 0; i < w.chain.n; i++) {
					const struct chain_link *link = &w.chain.links[i];

					links += link->from < link->to && (!i || link->from == last);
					last = link->to;
				}
				if (!CHECK_INT(links, w.chain.n))
					printf("# seed %u\n", round);
			}
		}
		done(&w);
	}
}

int main(void)
{
	test_sleep();
	test_hang();
	test_preempted();
	test_stopped();
	test_purpose();
	test_server();
	test_worker();
	test_names();
	test_noise();
	return TAP_DONE();
}
