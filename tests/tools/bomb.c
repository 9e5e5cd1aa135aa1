/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bomb KIND FILE: a small recording, whole and packed as ours are, that is large when it is read.
 *   argv     a program with the longest argv that the format has, and very many children that inherit it
 *   maps     as many sets of maps, each based on the one before, and a call with a stack for each
 *   stacks   a deep stack that is defined often, always a little different
 */
#include <exectrace/format/data/writer.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY 300000u

static struct data_writer *w;

static void add(const struct data_event *event)
{
	if (data_writer_event(w, event))
		abort();
}

static void add_thread(uint32_t tid, uint32_t parent, uint64_t clock)
{
	add(&(struct data_event){.type = DATA_THREAD, .clock = clock, .thread = {tid, tid, parent, 0}});
}

static void add_argv(void)
{
	static char words[2 * DATA_LIST_MAX];
	struct data_event exec = {.type = DATA_EXEC, .clock = 2};

	for (size_t i = 0; i < sizeof(words); i += 2)
		words[i] = 'x';
	exec.exec = (struct data_exec){1, 1, 0, {"/bin/x", 6}, DATA_LIST_MAX, {words, sizeof(words)}};
	add_thread(1, 0, 1);
	add(&exec);
	for (uint32_t i = 2; i < MANY; i++)
		add_thread(i, 1, i + 1);
}

static void add_call(uint64_t clock, uint64_t stack)
{
	struct data_event call = {.type = DATA_SYSCALL, .clock = clock};

	call.syscall =
		(struct data_syscall){.tid = 1, .arch = AUDIT_ARCH_X86_64, .nr = 1, .enter = clock, .stack = stack};
	add(&call);
}

static void add_stack(uint64_t clock, uint64_t id, uint64_t maps, const uint64_t *frames, uint32_t n)
{
	add(&(struct data_event){.type = DATA_STACK, .clock = clock, .stack = {id, maps, n, frames}});
}

static void add_maps(void)
{
	const uint64_t frame = 4096;

	add_thread(1, 0, 1);
	for (uint64_t i = 1; i < MANY; i++)
		add(&(struct data_event){.type = DATA_MAPSET, .clock = i, .mapset = {i, i - 1, 1}});
	for (uint64_t i = MANY - 1; i; i--) {
		add_stack(MANY, i, i, &frame, 1);
		add_call(MANY, i);
	}
}

static void add_stacks(void)
{
	static uint64_t frames[DATA_LIST_MAX];

	add_thread(1, 0, 1);
	for (uint64_t i = 1; i < 1000; i++) {
		for (size_t j = 0; j < DATA_LIST_MAX; j++)
			frames[j] = i;
		add_stack(i, i, 0, frames, DATA_LIST_MAX);
		add_call(i, i);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*add)(void);
	} kinds[] = {{"argv", add_argv}, {"maps", add_maps}, {"stacks", add_stacks}};
	const struct data_facts facts = {.arch = AUDIT_ARCH_X86_64, .pid = 1};
	int fd = argc == 3 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd < 0 || data_writer_open(&w, fd, &facts, NULL))
		return 1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			kinds[i].add();
	return data_writer_close(w) != 0;
}
