/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exectrace-guest.so: what QEMU loads with -plugin. Whatever goes wrong here, the guest runs on: then nothing is asked
 * of QEMU any more, and one line says why.
 */
#include "private.h"
#include <exectrace/record/guest/core/say.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <linux/audit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#define CALIBRATE_NS (5 * NS_PER_MS)
#define REGISTER_TRIES 4096

/* Read by QEMU before it calls us. */
extern QEMU_EXPORT int qemu_plugin_version;
QEMU_EXPORT int qemu_plugin_version = 1;

QEMU_EXPORT int qemu_plugin_install(qemu_id_t id, const struct qemu_info *info, int argc, char **argv);

__attribute__((constructor)) static void choose_version(void)
{
	qemu_plugin_version = qemu_choose_version();
}

/* --- The file ---------------------------------------------------------------------------------------------------- */

/* Ticks of the time stamp counter a second, measured. */
static uint64_t tsc_hz(void)
{
	uint64_t start = clock_now(), ticks = __rdtsc(), end = start;

	while (end - start < CALIBRATE_NS)
		end = clock_now();
	return (__rdtsc() - ticks) * NS_PER_S / (end - start);
}

static int open_file(struct plugin *p)
{
	struct data_facts facts = {.arch = AUDIT_ARCH_X86_64, .page_size = 4096, .pid = (uint32_t)getpid()};
	char host[256] = "";
	int rc;
	static const char producer[] = "exectrace-guest " EXECTRACE_VERSION;

	(void)gethostname(host, sizeof(host) - 1);
	facts.cpus = p->cpus;
	facts.producer = (struct data_text){producer, sizeof(producer) - 1};
	facts.host = (struct data_text){host, strlen(host)};
	facts.clocks[0] = (struct data_clock){DATA_CLOCK_MONOTONIC, NS_PER_S, clock_now(), clock_wall()};
	if (p->count)
		facts.clocks[1] = (struct data_clock){.kind = DATA_CLOCK_INSTRUCTIONS};
	else
		facts.clocks[1] = (struct data_clock){DATA_CLOCK_CYCLES, tsc_hz(), __rdtsc(), clock_wall()};
	rc = drain_open(&p->drain, &p->functions, &p->output, &facts);
	if (!rc && p->gated)
		rc = drain_control(&p->drain, &p->options.control, p->count ? NS_PER_S : facts.clocks[1].hz,
		                   p->filtered->id);
	if (!rc && p->options.ring)
		rc = drain_flight(&p->drain, &p->output, &facts, p->options.ring);
	return rc;
}

/* --- vCPUs -------------------------------------------------------------------------------------------------------- */

static struct vcpu *new_vcpu(struct plugin *p, unsigned index)
{
	struct vcpu *v = aligned_alloc(RING_LINE, (sizeof(*v) + RING_LINE - 1) / RING_LINE * RING_LINE);

	if (!v)
		return NULL;
	memset(v, 0, sizeof(*v));
	if (ring_init(&v->ring) || drain_add(&p->drain, index, &v->ring)) {
		ring_release(&v->ring);
		free(v);
		return NULL;
	}
	track_init(&v->track, &p->stacks, &v->ring, index);
	v->track.programs = p->options.user && !p->lists;
	if (!p->options.linux_kernel)
		track_apart(&v->track);
	return v;
}

/* What runs before the kernel has no task: its stack gets a name of its own. */
static void name_boot(struct plugin *p, struct vcpu *v)
{
	const struct stack *stack = track_first(&v->track);
	uint64_t words[6] = {stack ? stack->id : 0};

	memcpy(&words[3], "[boot]", 6);
	if (stack)
		ring_put_more(&v->ring, p->count ? 0 : __rdtsc(), RING_TASK, words);
}

/* All that needs the file. 0 or -errno. */
static int begin(struct plugin *p)
{
	int rc = p->begun ? 0 : open_file(p);

	if (!rc && !p->begun) {
		rc = drain_start(&p->drain);
		p->begun = !rc;
	}
	return rc;
}

/* A scoreboard may move when it grows. */
static void find_counters(struct plugin *p)
{
	for (unsigned i = 0; p->count && i < VCPUS_MAX; i++) {
		if (p->vcpus[i])
			p->vcpus[i]->counter = p->score ? p->qemu.scoreboard_find(p->score, i) : &p->counter;
	}
}

/* Registers by QEMU's interface for plugins. */
static void find_asked(struct plugin *p, bool first)
{
	register_api_find(&p->asked, &p->qemu);
	if (first && p->asked.n < REGISTER_API_COUNT && callargs_asked(p))
		plugin_say("this QEMU gives no registers: arguments and results of functions are not recorded");
}

/* Before a vCPU runs. A QEMU that boots nothing has none, and leaves no file behind. */
void plugin_vcpu(unsigned index, void *none)
{
	struct plugin *p = plugin_self();
	struct vcpu *v = NULL;
	int rc = 0;

	(void)none;
	pthread_mutex_lock(&p->lock);
	if (!p->failed && index < VCPUS_MAX && !p->vcpus[index]) {
		rc = begin(p);
		v = rc ? NULL : new_vcpu(p, index);
		if (v) {
			if (p->blind)
				find_asked(p, index == 0);
			v->registers = registers_of(&p->registers, &p->qemu, index, &v->cpu);
			p->vcpus[index] = v;
			find_counters(p);
			if (index == 0 || !p->options.linux_kernel)
				name_boot(p, v);
		}
		p->failed = rc != 0;
	}
	pthread_mutex_unlock(&p->lock);
	if (rc)
		plugin_say("%s: %s: the guest is not traced", p->options.out, strerror(-rc));
}

/* --- The end ------------------------------------------------------------------------------------------------------ */

static void add_counts(struct track_counts *sum, const struct track_counts *counts)
{
	sum->calls += counts->calls;
	sum->tails += counts->tails;
	sum->returns += counts->returns;
	sum->unwound += counts->unwound;
	sum->interrupts += counts->interrupts;
	sum->irets += counts->irets;
	sum->switches += counts->switches;
	sum->too_deep += counts->too_deep;
}

/* What was counted, as one line. Says when calls were too deep to be told. */
static void checks(const struct plugin *p, char *line, size_t size)
{
	struct track_counts sum = {0};
	uint64_t exact, closed;

	for (unsigned i = 0; i < VCPUS_MAX; i++) {
		if (p->vcpus[i])
			add_counts(&sum, &p->vcpus[i]->track.counts);
	}
	if (sum.too_deep)
		plugin_say("%s: %lu calls were more than %u deep, and are left out", p->options.out, sum.too_deep,
		           STACKS_DEPTH_MAX);
	exact = sum.returns + sum.irets;
	closed = exact + sum.unwound;
	(void)snprintf(
		line, size,
		"checks: calls %lu, tail calls %lu, returns %lu, interrupts %lu, returns from them %lu, closed by "
		"another %lu, exact %.3f%%, switches %lu, stacks %u, functions %u, kernel "
		"symbols %zu, dropped %lu",
		sum.calls, sum.tails, sum.returns, sum.interrupts, sum.irets, sum.unwound,
		closed ? 100.0 * (double)exact / (double)closed : 100.0, sum.switches, p->stacks.n, p->functions.n,
		p->kernel.table.n, data_writer_dropped(p->drain.writer) + sum.too_deep);
}

/* Calls that were being made when all ended, and what was being logged. */
static void tell_unfinished(struct plugin *p)
{
	const struct message_open open = hook_open_message(p);
	uint64_t words[12];

	for (size_t i = 0; i < STACKS_TABLE; i++) {
		struct stack *stack = atomic_load_explicit(&p->stacks.table[i], memory_order_acquire);

		if (!stack || !stack->call.slot)
			continue;
		hook_unfinished(stack, words);
		(void)drain_unfinished(&p->drain, words);
	}
	if (open.message)
		(void)drain_message(&p->drain, open.cpu, open.clock, open.message);
}

void plugin_end(void *none)
{
	struct plugin *p = plugin_self();
	char line[512];
	int rc;

	(void)none;
	if (!p->begun)
		return;
	checks(p, line, sizeof(line));
	if (!drain_stop(&p->drain))
		tell_unfinished(p);
	rc = drain_end(&p->drain, line);
	if (p->phase && !p->kernel.table.n && !p->past && !p->guest)
		plugin_say("no Linux of 64 bits has begun in the guest: what is told is [firmware] and "
		           "[loader], see kernel=none");
	if (rc)
		plugin_say("%s: not whole: %s", p->options.out, strerror(-rc));
	if (p->options.stats)
		plugin_say("%s", line);
}

/* --- The beginning ------------------------------------------------------------------------------------------------ */

/* Instructions are the clock where they can be counted for each vCPU. */
static void choose_clock(struct plugin *p, const struct qemu_info *info)
{
	p->count = p->options.clock == PLUGIN_CLOCK_INSN;
	if (p->count && p->qemu.scoreboard_new && p->qemu.scoreboard_find && p->qemu.tb_add_each)
		p->score = p->qemu.scoreboard_new(sizeof(uint64_t));
	else if (p->count && (info->system.max_vcpus > 1 || !p->qemu.tb_add))
		p->count = false;
}

static const struct function *phase_function(struct plugin *p, const char *name)
{
	struct function want = {.origin = functions_origin(&p->functions, name, 0, 0), .name = name};

	return functions_get(&p->functions, &want);
}

/* What is left out has a function of its own. What lists leave out need not be told apart later. */
static int choose_control(struct plugin *p)
{
	const struct control_config *control = &p->options.control;
	struct function want = {.name = "[filtered]", .what = CONTROL_WANTED};

	p->lists = control_has_lists(control);
	p->elsewhere = true;
	p->gated = control_has_times(control) || control->start.when || control->stop.when || control->irq ||
	           control->task || control->entries;
	if (!p->lists && !p->gated)
		return 0;
	want.origin = functions_origin(&p->functions, want.name, 0, 0);
	p->filtered = want.origin ? functions_get(&p->functions, &want) : NULL;
	return p->filtered ? 0 : -ENOMEM;
}

static int start(struct plugin *p, const struct qemu_info *info)
{
	int rc;

	ram_init(&p->ram);
	p->kernel.tries = KERNEL_TRIES;
	p->kernel.file = p->options.symbols;
	p->registers.tries = REGISTER_TRIES;
	if ((rc = functions_init(&p->functions)) || (rc = stacks_init(&p->stacks)) ||
	    (rc = -pthread_mutex_init(&p->lock, NULL)) || (rc = -pthread_mutex_init(&p->messages.lock, NULL)))
		return rc;
	if (p->options.registers != PLUGIN_REGISTERS_ON)
		qemu_forget_internals(&p->qemu);
	if (p->options.registers == PLUGIN_REGISTERS_OFF)
		qemu_forget_registers(&p->qemu);
	p->blind = !qemu_has_internals(&p->qemu);
	p->functions.control = &p->options.control;
	if (choose_control(p))
		return -ENOMEM;
	if (qemu72_callbacks_wanted(p))
		p->stale.looks = STALE_LOOKS;
	else if (p->lists)
		function_filter_start(p);
	if (callargs_asked(p) && p->options.root && !debuginfo_can())
		plugin_say("libdw.so.1 cannot be loaded (elfutils): functions of programs have no types");
	p->user = functions_origin(&p->functions, "[user]", 0, 0);
	p->firmware = phase_function(p, "[firmware]");
	p->loader = phase_function(p, "[loader]");
	choose_clock(p, info);
	p->cpus = (uint32_t)info->system.smp_vcpus;
	return 0;
}

struct words {
	int n;
	char **items;
};

/* Why this QEMU cannot be traced; NULL: it can. */
static const char *unfit(struct plugin *p, const struct qemu_info *info)
{
	const char *missing = qemu_resolve(&p->qemu, info->version.cur);

	if (missing)
		return missing;
	if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0)
		return "only qemu-system-x86_64 is supported";
	return info->system.max_vcpus > VCPUS_MAX ? "too many vCPUs" : NULL;
}

static bool keep(const char **word)
{
	return !*word || (*word = strdup(*word));
}

/* QEMU frees its words. */
static int keep_words(struct plugin_options *o)
{
	return keep(&o->out) && keep(&o->panic) && keep(&o->symbols) && keep(&o->root) ? 0 : -ENOMEM;
}

/* The files have the directory that exectrace has made for them, or the guest is not traced. */
static int find_outputs(struct plugin *p, struct buf *why)
{
	const struct output_dir *dir = &p->options.dir;
	int rc = output_find(&p->output, p->options.out, dir);

	p->panic.dir = -1;
	if (!rc && p->options.panic)
		rc = output_find(&p->panic, p->options.panic, dir);
	if (rc == -ESTALE)
		return buf_printf(why, "%s: not in the directory of the run", p->options.out) ? -ENOMEM : rc;
	return rc && buf_printf(why, "%s: %s", p->options.out, strerror(-rc)) ? -ENOMEM : rc;
}

/* What the words ask for, and this QEMU can do. 0, or -errno; why it cannot be traced in `why`. */
static int set_up(struct plugin *p, const struct qemu_info *info, const struct words *words, struct buf *why)
{
	const char *missing = unfit(p, info);
	int rc;

	if (missing)
		return buf_puts(why, missing) ? -ENOMEM : -EINVAL;
	rc = plugin_options_parse(&p->options, words->n, (const char *const *)words->items, why);
	rc = rc ? rc : keep_words(&p->options);
	rc = rc ? rc : find_outputs(p, why);
	return rc ? rc : start(p, info);
}

QEMU_EXPORT int qemu_plugin_install(qemu_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	const struct words words = {argc, argv};
	cleanup_buf struct buf why = BUF_INIT;
	struct plugin *p = calloc(1, sizeof(*p));
	int rc = p ? set_up(p, info, &words, &why) : -ENOMEM;

	if (rc) {
		plugin_say("%s: the guest is not traced", why.len ? why.data : strerror(-rc));
		if (p)
			plugin_options_release(&p->options);
		free(p);
		return 0;
	}
	p->id = id;
	the_plugin = p;
	events_register(p);
	return 0;
}
