/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent against the decoders' own copies: for calls with random arguments, what the agent writes into the ring and
 * the tracer takes out is what a snapshot of the stopped thread would hold, byte for byte.
 */
#include "src/record/inside/private.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/target/process/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { RECIPES_AT = INSIDE_RECIPES - INSIDE_CODE };

static struct recipe *table;
#undef INSIDE_RECIPES
#define INSIDE_RECIPES ((uintptr_t)table)
#undef INSIDE_DATA
#define INSIDE_DATA ((uintptr_t)control_page)
static uint64_t control_page[512];
#include "src/record/inside/agent/agent.c"
#include "src/record/inside/agent/copy.c"
#include "src/record/inside/agent/count.c"
#include "src/record/inside/agent/signals.c"

/* What the assembler does, with a call of the kernel's that says what cannot be read. */
uint64_t agent_copy(void *to, uint64_t from, uint64_t n)
{
	return mem_read(getpid(), from, to, n) ? n : 0;
}

int64_t agent_string(void *to, uint64_t from, uint64_t max)
{
	const char *end = NULL;
	uint64_t n = max;

	while (n && mem_read(getpid(), from, to, n)) /* up to where it cannot be read; no page of it ends in between */
		n /= 2;
	end = memchr(to, 0, n);
	return end ? end + 1 - (char *)to : (int64_t)n;
}

static struct snapshot taken, live;
static struct inside_call seen;

static struct snapshot *memory_of(void *thread)
{
	(void)thread;
	return &taken;
}

static int take_call(void *user, void *thread, const struct inside_call *call)
{
	(void)user;
	(void)thread;
	seen = *call;
	return 0;
}

static int read_self(void *user, uint64_t addr, void *to, size_t n)
{
	(void)user;
	return mem_read(getpid(), addr, to, n);
}

/* All that one of them has is in the other. */
static bool holds(const struct snapshot *a, const struct snapshot *b)
{
	static char bytes[65536];

	if (b->entries_at && (a->entries_at != b->entries_at || a->entries != b->entries))
		return false;
	for (unsigned i = 0; i < b->n; i++) {
		const struct snapshot_range *range = &b->ranges[i];

		if (range->n > sizeof(bytes) || snapshot_read(a, range->addr, bytes, range->n) ||
		    memcmp(bytes, b->bytes.data + range->at, range->n) != 0)
			return false;
	}
	return true;
}

/* Its messages are looked at further. */
static int netlink_fd;

static int is_netlink_socket(void *user, int fd)
{
	(void)user;
	return fd == netlink_fd ? 0 : -ENOTSOCK;
}

#define POOL_BYTES 16384
#define MESSAGE_AT 8200
static char *pool; /* with nothing behind: what lies there would change while it is read */

/* An argument: a small number, a pointer into the pool, one that leads nowhere, or none. */
static uint64_t some(void)
{
	switch (rand() % 8) {
	case 0:
		return 0;
	case 1:
		return 8;
	case 2:
		return (uint64_t)rand() % 40;
	case 3:
		return (uint64_t)(uintptr_t)pool + MESSAGE_AT;
	case 4:
		return (uint64_t)netlink_fd;
	default:
		return (uint64_t)(uintptr_t)pool + (uint64_t)(rand() % 8192);
	}
}

static void fill_pool(void)
{
	uint64_t addr = (uint64_t)(uintptr_t)pool + 9000;

	for (size_t i = 0; i < POOL_BYTES; i++)
		pool[i] = rand() % 4 ? (char)('a' + rand() % 26) : 0;
	/* Some words that are pointers with a length, as an iovec has them. */
	for (size_t i = 0; i + 16 < 8192; i += 16) {
		uint64_t n = (uint64_t)rand() % 100;

		if (rand() % 2) {
			memcpy(pool + i, &addr, sizeof(addr));
			memcpy(pool + i + 8, &n, sizeof(n));
		}
	}
}

/* A msghdr, of which one part or another leads nowhere. */
static void fill_message(void)
{
	const uint64_t base = (uint64_t)(uintptr_t)pool;
	const uint64_t control[4] = {24, rand() % 2 ? UINT64_C(0x100000001) : UINT64_C(0x200000001), 20, 0};
	const uint64_t message[MSGHDR_BYTES / 8] = {
		rand() % 4 ? base + 10000 : 8,
		(uint64_t)(rand() % 40) | UINT64_C(7) << 32,
		rand() % 8 ? base + 16 * (uint64_t)(rand() % 400) : 0,
		(uint64_t)(rand() % 4),
		rand() % 4 ? base + 12000 : 0,
		rand() % 8 ? (uint64_t)(rand() % 60) : UINT64_C(1) << (rand() % 50),
	};

	memcpy(pool + 12000, control, sizeof(control));
	memcpy(pool + MESSAGE_AT, message, sizeof(message));
}

static bool is_message(unsigned kind)
{
	return kind == NEED_MESSAGE || kind == NEED_FILLED_MESSAGE;
}

/* Of a message at addr: more vectors than are told of, or descriptors. */
static bool is_looked_at(uint64_t addr)
{
	const uint64_t base = (uint64_t)(uintptr_t)pool;
	uint64_t message[MSGHDR_BYTES / 8];

	if (addr < base || addr > base + POOL_BYTES - sizeof(message))
		return false;
	memcpy(message, pool + (addr - base), sizeof(message));
	return addr != base + MESSAGE_AT || message[3] > NEED_VECTORS_MAX || message[5] > CONTROL_MAX ||
	       (message[4] && message[5] >= 16 && pool[12012] == 1);
}

/* More vectors than are told of. */
static bool has_many_vectors(const struct syscall_call *call)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct need *need = needs_from(i ? table[call->nr].exit : table[call->nr].enter);

		for (; need->kind; need++) {
			if (is_message(need->kind) && is_looked_at(call->args[need->arg]))
				return true;
			if ((need->kind == NEED_VECTORS || need->kind == NEED_FILLED_VECTORS) &&
			    call->args[need->count] > NEED_VECTORS_MAX)
				return true;
		}
	}
	return false;
}

/* A call that fails is left to the tracer, as long as there is one; its record is not made. */
static void check_shown(struct area *area, struct recipe *recipe, bool error)
{
	struct control *control = (struct control *)(void *)control_page;
	uint64_t head = area->head;

	recipe->shown = 1;
	control->word = 0x101;
	if (error && !recipe->unseen) {
		CHECK_INT(agent_exit(area), 1);
		CHECK(area->head == head);
	}
	recipe->shown = 0;
	control->word = 0;
}

static void one(struct inside_thread *thread, struct area *area, const struct decoder *decoder, uint32_t nr)
{
	struct syscall_call call = {.arch = arch_by_name("x86_64"), .nr = nr};
	struct syscall_result result = {.value = rand() % 3 ? rand() % 50 : -14};
	bool stops;

	for (unsigned i = 0; i < 6; i++)
		call.args[i] = some();
	area->rax = nr;
	area->rdi = call.args[0];
	area->rsi = call.args[1];
	area->rdx = call.args[2];
	area->r10 = call.args[3];
	area->r8 = call.args[4];
	area->r9 = call.args[5];
	result.error = result.value < 0;
	(void)snapshot_enter(&live, decoder, &call);
	if (!agent_enter(area)) {
		/* Too much, a vector that cannot be read, or not this call's business: then it stops. */
		CHECK(!live.whole || live.n > 3 || has_many_vectors(&call) ||
		      !recipe_records(&table[nr], area->rdi, area->rsi) || (table[nr].masks && area->blocked));
		return;
	}
	CHECK_INT(drain_thread(thread, false), 1);
	CHECK(!seen.end && seen.nr == nr && memcmp(seen.args, call.args, sizeof(call.args)) == 0);
	if (live.whole && (!holds(&taken, &live) || !holds(&live, &taken))) {
		printf("# entry of call %u\n", nr);
		CHECK(false);
	}
	area->result = (uint64_t)result.value;
	memset(control_page, 0, sizeof(control_page));
	check_shown(area, &table[nr], result.error);
	((struct control *)(void *)control_page)->word = 0x101;
	stops = agent_exit(area); /* may put right what the program sees of a mask */
	(void)snapshot_exit(&live, decoder, &call, &result);
	if (stops) {
		CHECK(!live.whole || live.n > 3 || has_many_vectors(&call));
		thread->entered = false;
		return;
	}
	CHECK_INT(drain_thread(thread, false), 1);
	CHECK(seen.end && seen.result == result.value);
	if (live.whole && (!holds(&taken, &live) || !holds(&live, &taken))) {
		printf("# end of call %u\n", nr);
		CHECK(false);
	}
}

static bool prepare(void)
{
	pool = mmap(NULL, POOL_BYTES + INSIDE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	netlink_fd = socket(AF_NETLINK, SOCK_RAW, 0);
	return pool != MAP_FAILED && mprotect(pool + POOL_BYTES, INSIDE_PAGE, PROT_NONE) == 0 && netlink_fd >= 0;
}

static struct call_sums made[INSIDE_CALLS], told[INSIDE_CALLS];
static uint64_t in_classes;

static void take_counts(void *user, uint32_t nr, const struct call_counts *counts)
{
	(void)user;
	told[nr] = counts->sums;
	for (unsigned i = 0; i < COUNTS_CLASSES; i++)
		in_classes += counts->classes[i];
}

static void count_one(struct area *area, uint32_t nr, enum counting counting)
{
	bool failed = rand() % 4 == 0;

	area->rax = nr;
	area->rdi = area->rsi = area->rdx = 0;
	area->result = failed ? (uint64_t)-2 : 7;
	if (!agent_enter(area))
		return;
	CHECK(area->began);
	CHECK_INT(agent_exit(area), 0);
	tally_settle(area); /* again: nothing is left */
	CHECK(!area->began);
	made[nr].count++;
	made[nr].errors += failed;
	made[INSIDE_CALLS - 1].count += failed || counting == COUNT_ALL; /* in classes */
}

/* What is told of counted calls is how many were made, and no record of them is there. */
static void check_counts(struct inside_thread *thread, struct area *area, enum counting counting)
{
	struct control *control = (struct control *)(void *)control_page;
	unsigned calls = 0;

	memset(control_page, 0, sizeof(control_page));
	memset(made, 0, sizeof(made));
	memset(told, 0, sizeof(told));
	in_classes = 0;
	control->word = 0x101;
	control->counting = counting;
	control->ns_per_tick = UINT64_C(1) << 31;
	area->began = 0;
	memset(area_tally(area), 0, INSIDE_RING_BYTES); /* it was a ring */
	for (int i = 0; i < 20000; i++) {
		uint32_t nr = (uint32_t)rand() % (INSIDE_CALLS - 1);

		if (table[nr].class == RECIPE_RECORDED && !table[nr].masks)
			count_one(area, nr, counting);
	}
	CHECK_INT(drain_thread(thread, false), 0);
	thread->counted = false;
	count_tell(thread);
	for (uint32_t nr = 0; nr < INSIDE_CALLS - 1; nr++) {
		CHECK(told[nr].count == made[nr].count && told[nr].errors == made[nr].errors);
		CHECK(told[nr].min <= told[nr].max && told[nr].max <= told[nr].total);
		calls += made[nr].count > 0;
	}
	CHECK(calls > 150 && in_classes == made[INSIDE_CALLS - 1].count);
	count_clear(thread, area);
}

#define STACK_BYTES (3 * INSIDE_STACK_COPY)

/* The registers of the call, as a debugger sees them of a thread that is stopped in it. */
static bool has_registers(const struct stack_copy *stack, const struct area *area)
{
	struct user_regs_struct regs;

	memcpy(&regs, stack->regs.raw, sizeof(regs));
	return stack->regs.arch == arch_by_name("x86_64") && regs.rip == area->site + 2 && regs.rsp == area->rsp &&
	       regs.rbx == area->rbx && regs.rbp == area->rbp && regs.r12 == area->r12 && regs.r13 == area->r13 &&
	       regs.r14 == area->r14 && regs.r15 == area->r15 && regs.rdi == area->rdi && regs.r10 == area->r10;
}

/* A call with its stack, somewhere on it. */
static void with_stack(struct inside_thread *thread, struct area *area, unsigned char *stack, uint32_t nr)
{
	const uint64_t base = (uint64_t)(uintptr_t)stack;
	uint64_t *registers[] = {&area->site, &area->rbx, &area->rbp, &area->r12, &area->r13, &area->r14, &area->r15};
	const bool known = rand() % 8 != 0;
	uint64_t n;

	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		*registers[i] = (uint64_t)rand() << 16 | (uint64_t)rand();
	area->rax = nr;
	area->rdi = area->rsi = area->rdx = area->r10 = 0;
	area->rsp = base + (uint64_t)(rand() % (STACK_BYTES / 8)) * 8;
	area->stack_end = known ? base + (uint64_t)(rand() % (STACK_BYTES / 256)) * 256 : 0;
	n = area->stack_end - area->rsp;
	if (rand() % 16 == 0) /* it is not there */
		area->rsp = 0x1000, area->stack_end = 0x1100, n = UINT64_MAX;
	if (n > INSIDE_STACK_COPY) {
		CHECK_INT(agent_enter(area), 0);
		return;
	}
	CHECK_INT(agent_enter(area), 1);
	CHECK_INT(drain_thread(thread, false), 1);
	CHECK(seen.stack && seen.stack->n == n && has_registers(seen.stack, area) &&
	      memcmp(seen.stack->bytes, stack + (area->rsp - base), n) == 0);
	for (size_t i = 0; i < STACK_BYTES; i += 64)
		stack[i]++; /* the thread has run on */
	area->result = 0;
	CHECK_INT(agent_exit(area), 0);
	CHECK_INT(drain_thread(thread, false), 1);
	CHECK(seen.end && seen.stack && seen.stack->n == n && has_registers(seen.stack, area));
}

static void check_stacks(struct inside_thread *thread, struct area *area, struct inside_config *config)
{
	struct control *control = (struct control *)(void *)control_page;
	unsigned char *stack = malloc(STACK_BYTES);

	CHECK(stack != NULL);
	memset(control_page, 0, sizeof(control_page));
	memset((unsigned char *)area + INSIDE_RING, 0, INSIDE_RING_BYTES); /* calls were counted there */
	config->counting = COUNT_NONE;
	config->stacks = true;
	control->word = 0x101;
	control->stacks = 1;
	thread->entered = false;
	for (int i = 0; stack && i < 4000; i++) {
		for (size_t k = 0; k < STACK_BYTES; k += 1 + (size_t)(rand() % 512))
			stack[k] = (unsigned char)rand();
		with_stack(thread, area, stack, 110 /* getppid */);
	}
	free(stack);
	free(thread->stack);
}

int main(int argc, char **argv)
{
	static struct inside_config config = {.counting = COUNT_ALL,
	                                      .counted = take_counts,
	                                      .string_max = 32,
	                                      .memory = true,
	                                      .call = take_call,
	                                      .memory_of = memory_of};
	static struct inside inside = {.config = &config};
	const struct decoder decoder = {.read = read_self, .netlink = is_netlink_socket, .string_max = 32};
	struct data data = {.refs = 1};
	struct space space = {.refs = 1, .data = &data};
	struct inside_thread thread = {.inside = &inside, .space = &space, .area = 1};
	unsigned recorded = 0, seed = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)getpid();
	struct area *area;

	printf("# seed %u\n", seed);
	srand(seed);
	if (!prepare()) {
		CHECK(false);
		return tap_done();
	}
	CHECK_INT(agent_image_make(&inside.image, &config), 0);
	table = (struct recipe *)(void *)(inside.image.data + RECIPES_AT);
	data.map = calloc(1, 2 * INSIDE_PAGE + 2 * INSIDE_AREA_BYTES);
	area = data_area(&data, 1);
	area->self = (uint64_t)(uintptr_t)area;
	area->limit = INSIDE_RING_FULL;
	drain_begin(&inside);
	for (uint32_t nr = 0; nr < INSIDE_CALLS; nr++) {
		if (table[nr].class == RECIPE_STOPS)
			continue;
		recorded++;
		fill_pool();
		for (int i = 0; i < 60; i++) {
			fill_message();
			one(&thread, area, &decoder, nr);
		}
	}
	printf("# %u calls are recorded\n", recorded);
	CHECK(recorded > 190);
	check_counts(&thread, area, COUNT_ALL);
	check_counts(&thread, area, COUNT_FAILED);
	check_stacks(&thread, area, &config);
	snapshot_release(&taken);
	snapshot_release(&live);
	buf_release(&inside.image);
	free(data.map);
	return tap_done();
}
