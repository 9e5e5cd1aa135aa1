/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "argument_memory.h"

#include <exectrace/target/process/mem.h>

static int read_thread(void *user, uint64_t addr, void *to, size_t n)
{
	const struct thread *thread = user;

	return mem_read(thread->tid, addr, to, n);
}

int argument_memory_take(const struct call_event *event, unsigned string_max)
{
	struct thread *thread = event->thread;
	const struct decoder live = {.read = read_thread, .user = thread, .string_max = string_max};

	if (event->type == CALL_ENTER)
		return snapshot_enter(&thread->memory, &live, &thread->call);
	if (event->type == CALL_EXIT)
		return snapshot_exit(&thread->memory, &live, &thread->call, &thread->result);
	return 0;
}
