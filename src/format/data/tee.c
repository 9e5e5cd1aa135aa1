/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes blocks to two files, the second of which begins later, so that the first can be dropped. */
#include "private.h"
#include "wire.h"

#include <exectrace/base/fd.h>
#include <string.h>

void tee_write(struct data_writer *w)
{
	struct data_writer *tee = w->tee;

	if (!tee)
		return;
	writer_number_block(w, (uint8_t *)w->out.data, tee->number);
	/* One that cannot be written any more is left. */
	if (fd_write_all(tee->fd, w->out.data, w->out.len)) {
		w->tee = NULL;
		data_writer_abandon(tee);
		return;
	}
	tee->size += w->out.len;
	tee->number++;
}

/* The calls that are open now, as if they began now. */
static int handshake_open(const struct open_calls *open, struct data_writer *to, uint64_t clock)
{
	int rc = 0;

	for (size_t i = 0; i < open->n && !rc; i++) {
		const struct open_stack *stack = &open->stacks[i];

		rc = stack->n ? data_writer_switch(to, clock, stack->id, open->cpu) : 0;
		for (uint32_t k = 0; k < stack->n && !rc; k++) {
			const struct data_open_call *call = &stack->calls[k];

			rc = call->interrupt ? data_writer_irq_enter(to, clock, call->function)
			                     : data_writer_call(to, clock, call->function);
		}
	}
	if (!rc && open->current < open->n)
		rc = data_writer_switch(to, clock, open->stacks[open->current].id, open->cpu);
	return rc;
}

int data_writer_tee(struct data_writer *w, struct data_writer *start)
{
	int rc = start ? handshake_open(&w->open, start, w->last[1]) : 0;

	rc = rc || !start ? rc : data_writer_flush(start);
	if (rc) {
		data_writer_abandon(start);
		return rc;
	}
	data_writer_abandon(w->tee);
	w->tee = start;
	return 0;
}

bool data_writer_turn(struct data_writer *w)
{
	struct data_writer *tee;

	if (data_writer_flush(w) || !(tee = w->tee))
		return false;
	w->fd = tee->fd;
	w->start = tee->start;
	w->size = tee->size;
	w->number = tee->number;
	/* The numbers of blocks are others now: none of these is in the block that has the same. */
	memset(w->known, 0, sizeof(w->known));
	w->tee = NULL;
	data_writer_abandon(tee);
	return true;
}
