/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transfers.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <string.h>
#include <unistd.h>

#define SLOW_NS NS_PER_MS /* of a read or write that is no plain one any more */

void transfers_init(struct transfers *t)
{
	cleanup_buf struct buf why = BUF_INIT;

	(void)syscall_filter_parse(&t->copies, "dup,close", &why);
	(void)syscall_filter_parse(&t->calls, "/^p?(read|write)(v|v2|64)?$/", &why);
}

/* perror(3) writes to a copy of standard error where that can be read, too, as a terminal, or the file of a harness. */
void transfers_note(const struct transfers *t, struct thread *thread)
{
	const struct syscall_call *call = &thread->call;

	if (thread->result.error || !syscall_filter_has(&t->copies, call->arch, call->nr))
		return;
	if ((int)call->args[0] == STDERR_FILENO)
		thread->errors = (int)thread->result.value;
	else if ((int)call->args[0] == thread->errors)
		thread->errors = 0;
}

/* One that was quick and went well says nothing about waiting or failing. */
bool transfers_is_plain(const struct transfers *t, const struct thread *thread, uint64_t now)
{
	const struct call_extras *extras = &thread->extras;
	const struct syscall_call *call = &thread->call;
	const char *fd;

	if (thread->result.error || now - thread->enter >= SLOW_NS || call->args[0] <= STDERR_FILENO ||
	    (thread->errors && (int)call->args[0] == thread->errors) ||
	    !syscall_filter_has(&t->calls, call->arch, call->nr) || !extras->n)
		return false;
	fd = extras->items[0].kind == EXTRA_TEXT
	             ? memchr(extras->bytes.data + extras->items[0].at, '<', extras->items[0].n)
	             : NULL;
	return fd && fd[1] == '/';
}
