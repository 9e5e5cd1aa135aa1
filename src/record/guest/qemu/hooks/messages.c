/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel logs, where its records are committed. */
#include "hooks.h"

#include <exectrace/record/guest/linux/messages.h>
#include <stdlib.h>

static void tell(struct plugin *p, struct vcpu *v, uint64_t clock, struct ring_message *message)
{
	const uint64_t word = (uintptr_t)message;
	uint32_t pid;

	if (message && guest_says_hung(message->text, message->size, &pid))
		plugin_tell(p, GUEST_HUNG);
	if (message)
		ring_put_more(&v->ring, clock, RING_MESSAGE, &word);
}

/* The ring buffer in use; 0: not known. */
static uint64_t log_of(struct plugin *p, struct vcpu *v)
{
	struct messages *m = &p->messages;
	const struct kallsym *symbol;
	uint64_t log = 0;

	pthread_mutex_lock(&m->lock);
	if (!m->looked) {
		symbol = kallsyms_find(&p->kernel.table, "prb");
		m->log = symbol ? symbol->address : 0;
		m->looked = true;
	}
	pthread_mutex_unlock(&m->lock);
	return m->log && hook_read(v, m->log, &log, sizeof(log)) ? log : 0;
}

static void commit(struct plugin *p, struct vcpu *v, uint64_t clock, bool final)
{
	const struct guest_memory memory = hook_memory(v);
	struct message_open committed = {.cpu = v->track.cpu, .clock = clock};
	struct message_told told;

	if (!p->types.messages)
		return;
	committed.message = message_read(&p->types, &memory, v->registers[RDI], log_of(p, v), &committed.id);
	if (!committed.message)
		return;
	pthread_mutex_lock(&p->messages.lock);
	told = message_commit(&p->messages.open, &committed, final);
	pthread_mutex_unlock(&p->messages.lock);
	tell(p, v, clock, told.before);
	tell(p, v, clock, told.now);
}

void on_commit(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	commit(p, v, clock, false);
}

void on_final_commit(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	commit(p, v, clock, true);
}

struct message_open hook_open_message(struct plugin *p)
{
	struct message_open open;

	pthread_mutex_lock(&p->messages.lock);
	open = p->messages.open;
	p->messages.open = (struct message_open){0};
	p->messages.looked = false;
	pthread_mutex_unlock(&p->messages.lock);
	return open;
}
