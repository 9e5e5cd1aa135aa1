/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 256u   /* calls that are open on a CPU; more is a sign that returns are not in the log */
#define CACHE (1u << 16) /* places of blocks that are remembered; a power of two */

/* Where a block is. */
struct block_place {
	uint64_t pc;
	uint64_t function; /* its number; 0: free */
	bool start;        /* at its beginning */
	bool interrupt;    /* which the processor enters, not a call */
	bool program;      /* not in the kernel: nothing of the kernel is open when it runs */
};

struct open_call {
	uint64_t function;
	bool interrupt;
};

struct cpu {
	struct open_call *calls; /* DEPTH_MAX; NULL: no block yet */
	unsigned n;
	uint64_t blocks;
};

/* --- Places --------------------------------------------------------------------------------------------------------
 */

/* The entries of Linux that processors jump to by themselves, on those machines that QEMU is mostly used for. */
static bool is_interrupt(struct data_text name)
{
	static const char *const prefixes[] = {
		"asm_sysvec_",
		"asm_exc_",
		"asm_common_interrupt",
		"asm_spurious_interrupt",
		"apic_timer_interrupt",
		"common_interrupt",
		"irq_entries_start",
		"el1h_64_irq",
		"el1_irq",
		"el1h_64_sync",
		"el1_sync",
		"__irq_svc",
		"page_fault",
		"do_IRQ",
		"smp_apic_timer_interrupt",
		"async_page_fault",
		"nmi",
		"do_nmi",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (prefixes[i][n - 1] == '_' ? name.n > n && memcmp(name.bytes, prefixes[i], n) == 0
		                              : name.n == n && memcmp(name.bytes, prefixes[i], n) == 0)
			return true;
	}
	return false;
}

/* A block that no symbol holds. */
static void describe_unknown(const struct block_machine *m, uint64_t pc, struct span symbol,
                             struct data_function *function)
{
	const struct import_symbols *s = &m->in->symbols;
	const char *name;

	if (s->n) {
		name = pc < s->items[0].start          ? "[below the kernel]"
		       : pc > s->items[s->n - 1].start ? "[above the kernel]"
		                                       : "[no symbol]";
		function->name = (struct data_text){name, strlen(name)};
	} else if (span_length(&symbol)) {
		function->name = (struct data_text){symbol.p, span_length(&symbol)};
	} else {
		function->address = pc;
	}
}

/* Looks up a block that is not remembered. 0, -ENOMEM, -errno. */
static int find_place(struct block_machine *m, const struct exec_line *line, struct block_place *place)
{
	const struct import_symbol *symbol = symbols_at(&m->in->symbols, line->pc);
	struct data_function function = {0};
	char hex[24];
	struct span key;
	int rc;

	if (symbol) {
		function.address = symbol->start;
		function.size = symbol->end ? symbol->end - symbol->start : 0;
		function.name = (struct data_text){symbol->name, strlen(symbol->name)};
	} else {
		describe_unknown(m, line->pc, line->symbol, &function);
	}
	if (!function.name.n) {
		function.name.n = (size_t)snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)line->pc);
		function.name.bytes = hex;
	}
	key = (struct span){function.name.bytes, function.name.bytes + function.name.n};
	*place = (struct block_place){
		.pc = line->pc,
		.start = symbol && symbol->start == line->pc,
		.program = !symbol && m->in->symbols.n && line->pc < m->in->symbols.items[0].start,
	};
	place->interrupt = place->start && is_interrupt(function.name);
	rc = product_number(&m->out, function.address, key, &place->function);
	function.id = place->function;
	return rc ? rc : product_define(&m->out, &function);
}

static int place_of(struct block_machine *m, const struct exec_line *line, const struct block_place **place)
{
	struct block_place *at = &m->cache[(line->pc * 0x9e3779b97f4a7c15ull >> 32) & (CACHE - 1)];
	int rc = 0;

	if (__builtin_expect(!at->function || at->pc != line->pc, 0)) {
		rc = find_place(m, line, at);
		if (rc)
			at->function = 0;
	}
	*place = at;
	return rc;
}

/* --- Calls ---------------------------------------------------------------------------------------------------------
 */

static int leave(struct block_machine *m, struct cpu *cpu, uint64_t clock)
{
	const struct open_call *call = &cpu->calls[--cpu->n];

	return call->interrupt ? data_writer_irq_exit(m->out.writer, clock) : data_writer_return(m->out.writer, clock);
}

static int leave_to(struct block_machine *m, struct cpu *cpu, uint64_t clock, unsigned depth)
{
	int rc = 0;

	while (!rc && cpu->n > depth)
		rc = leave(m, cpu, clock);
	return rc;
}

static int enter(struct block_machine *m, struct cpu *cpu, uint64_t clock, const struct block_place *place)
{
	bool interrupt = place->interrupt && cpu->n;
	int rc = cpu->n < DEPTH_MAX ? 0 : leave_to(m, cpu, clock, 0);

	if (rc)
		return rc;
	cpu->calls[cpu->n++] = (struct open_call){place->function, interrupt};
	return interrupt ? data_writer_irq_enter(m->out.writer, clock, place->function)
	                 : data_writer_call(m->out.writer, clock, place->function);
}

/* How many calls are open up to the innermost one of the function; 0: it has none. */
static unsigned depth_of(const struct cpu *cpu, uint64_t function)
{
	unsigned depth = cpu->n;

	while (depth && cpu->calls[depth - 1].function != function)
		depth--;
	return depth;
}

static int run_block(struct block_machine *m, struct cpu *cpu, uint64_t clock, const struct block_place *place)
{
	bool same = cpu->n && cpu->calls[cpu->n - 1].function == place->function;
	unsigned depth;
	int rc = 0;

	if (same && !place->start)
		return 0;
	if (place->start) {
		/* Again from its beginning: it has returned to code that was not logged. */
		if (same)
			rc = leave(m, cpu, clock);
		return rc ? rc : enter(m, cpu, clock, place);
	}
	depth = depth_of(cpu, place->function);
	if (depth)
		return leave_to(m, cpu, clock, depth);
	if (place->program || m->in->symbols.n == 0 || symbols_at(&m->in->symbols, place->pc))
		rc = leave_to(m, cpu, clock, 0);
	return rc ? rc : enter(m, cpu, clock, place);
}

/* --- Lines ---------------------------------------------------------------------------------------------------------
 */

static int cpu_of(struct block_machine *m, uint32_t number, struct cpu **cpu)
{
	*cpu = m->cpus[number];
	if (*cpu)
		return 0;
	*cpu = calloc(1, sizeof(**cpu));
	if (!*cpu)
		return -ENOMEM;
	m->cpus[number] = *cpu;
	(*cpu)->calls = calloc(DEPTH_MAX, sizeof(struct open_call));
	return (*cpu)->calls ? 0 : -ENOMEM;
}

/* Time never goes back: events of several threads may have changed places. */
static void take_time(struct block_machine *m, const struct exec_line *line)
{
	uint64_t now = m->now;

	if (line->clock == EXEC_ABSOLUTE) {
		m->first = m->first ? m->first : (uint64_t)line->time;
		now = (uint64_t)line->time > m->first ? (uint64_t)line->time - m->first : 0;
	} else if (line->clock == EXEC_DELTA) {
		if (__builtin_add_overflow(m->sum, line->time, &m->sum))
			m->sum = INT64_MAX;
		now = m->sum < 0 ? 0 : (uint64_t)m->sum;
	}
	m->now = now > m->now ? now : m->now;
}

static int add_block(struct block_machine *m, const struct exec_line *line)
{
	const struct block_place *place;
	struct cpu *cpu;
	uint64_t clock;
	int rc = cpu_of(m, line->cpu, &cpu);

	if (rc)
		return rc;
	clock = m->timed ? m->now : cpu->blocks;
	cpu->blocks++;
	m->in->counts->entries++;
	rc = product_on(&m->out, clock, line->cpu + 1u, line->cpu);
	if (!rc)
		rc = place_of(m, line, &place);
	return rc ? rc : run_block(m, cpu, clock, place);
}

static int add_lost(struct block_machine *m, uint64_t count)
{
	const struct data_event event = {.type = DATA_LOST,
	                                 .clock = m->now,
	                                 .lost = {.count = count, .why = DATA_LOST_RING}};

	m->in->counts->dropped += count;
	return data_writer_event(m->out.writer, &event);
}

int machine_take(struct block_machine *m, enum exec_kind kind, const struct exec_line *line)
{
	take_time(m, line);
	return kind == EXEC_BLOCK ? add_block(m, line) : kind == EXEC_LOST ? add_lost(m, line->lost) : 0;
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

int machine_begin(struct block_machine *m, struct import *in, bool timed)
{
	int rc;

	*m = (struct block_machine){.in = in, .timed = timed};
	m->cache = calloc(CACHE, sizeof(*m->cache));
	rc = product_open(&m->out, in->fd, timed ? DATA_CLOCK_MONOTONIC : DATA_CLOCK_BLOCKS, timed ? NS_PER_S : 0,
	                  in->counts);
	return rc || m->cache ? rc : -ENOMEM;
}

static int finish(struct block_machine *m)
{
	int rc = 0;

	if (!m->in->counts->entries) {
		rc = buf_printf(m->in->why, "%s: not a log of KFT, KFI or QEMU: no block of code in it",
		                m->in->lines.name);
		return rc ? rc : -EBADMSG;
	}
	for (uint32_t i = 0; i < MACHINE_CPUS && !rc; i++)
		if (m->cpus[i])
			rc = product_until(&m->out, m->timed ? m->now : m->cpus[i]->blocks, i);
	return rc ? rc
	          : product_note(&m->out, "calls are concluded from where blocks begin; without -d nochain most "
	                                  "blocks are not in the log");
}

int machine_end(struct block_machine *m, int rc)
{
	if (!rc)
		rc = finish(m);
	if (m->out.writer)
		rc = product_close(&m->out, rc);
	for (size_t i = 0; i < MACHINE_CPUS; i++) {
		if (m->cpus[i])
			free(m->cpus[i]->calls);
		free(m->cpus[i]);
	}
	free(m->cache);
	return rc;
}
