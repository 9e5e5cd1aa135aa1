/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/trace/process/lock_owner.h>

#include <exectrace/target/process/mem.h>
#include <exectrace/target/syscalls/table.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <string.h>

#define WAITED_FOR 2 /* in the word of a lock that a thread has and others wait for */
#define OWNER 2      /* words behind that */

/* 0: none is known. */
static uint32_t owner_of(const struct thread *thread)
{
	const uint64_t *args = thread->call.args;
	uint32_t words[OWNER + 1];

	switch (args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		if (args[2] & FUTEX_WAITERS && args[2] <= UINT32_MAX)
			return (uint32_t)args[2] & FUTEX_TID_MASK;
		if ((uint32_t)args[2] != WAITED_FOR || mem_read(thread->tid, args[0], words, sizeof(words)))
			return 0;
		return words[0] == WAITED_FOR ? words[OWNER] : 0;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return mem_read(thread->tid, args[0], words, sizeof(words[0])) ? 0 : words[0] & FUTEX_TID_MASK;
	default:
		return 0;
	}
}

int lock_owner_note(struct thread *thread)
{
	const struct syscall_desc *desc = syscall_by_nr(thread->call.arch, thread->call.nr);
	struct call_extras *extras = &thread->extras;
	uint32_t owner = desc && strcmp(desc->name, "futex") == 0 ? owner_of(thread) : 0;
	size_t at = extras->bytes.len;
	int err;

	if (!owner || owner > FUTEX_TID_MASK || extras->n > SYSCALL_ARGS || (extras->n && !extras->items[0].arg))
		return 0;
	err = buf_printf(&extras->bytes, "%#" PRIx64 "<locked by %" PRIu32 ">", thread->call.args[0], owner);
	if (err)
		return err;
	memmove(extras->items + 1, extras->items, extras->n++ * sizeof(extras->items[0]));
	extras->items[0] = (struct call_extra){.arg = 0, .kind = EXTRA_TEXT, .at = at, .n = extras->bytes.len - at};
	return 0;
}
