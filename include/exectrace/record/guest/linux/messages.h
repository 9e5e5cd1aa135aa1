/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel logs, as it is in its ring buffer (kernel/printk/printk_ringbuffer.h, Linux 5.10 and later) when a
 * record is committed. What leads there, and what is there, may be anything: all of it is checked.
 *
 * A record is the kernel's own unit, a line mostly. One without a newline at its end may be continued by who logged it
 * (KERN_CONT): then it is committed again, under the same id and with all of its text, as long as no other was begun.
 * So of one id the last commit has all; a record is over when it is committed as final, or one with a later id is.
 */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_MESSAGES_H
#define EXECTRACE_RECORD_GUEST_LINUX_MESSAGES_H

#include <exectrace/record/guest/core/ring.h>
#include <exectrace/record/guest/linux/memory.h>
#include <exectrace/record/guest/linux/types.h>

#define MESSAGE_MAX 4096 /* bytes of a text that are kept; Linux makes no longer ones than 2048 */

/* A record that is not over yet; all 0: there is none. */
struct message_open {
	uint64_t id;
	struct ring_message *message; /* NULL: none */
	uint32_t cpu;                 /* that committed it, ... */
	uint64_t clock;               /* ... when its clock was so */
};

/*
 * Reads the record that is being committed, by the argument of prb_commit or prb_final_commit: the address of a struct
 * prb_reserved_entry. log: the ring buffer that is in use, others are passed over, as that into which the kernel copies
 * all records when it makes a larger one; 0: not known. malloc'ed, with its id; NULL: there is none, or no memory.
 */
struct ring_message *message_read(const struct types *types, const struct guest_memory *memory, uint64_t entry,
                                  uint64_t log, uint64_t *id);

/*
 * A record was committed; it is over when `final` is set. Gives what is to be told now, in this order: what was open
 * and is over, NULL: nothing; and the new one itself, NULL: it stays open.
 */
struct message_told {
	struct ring_message *before, *now;
};
struct message_told message_commit(struct message_open *open, const struct message_open *committed, bool final);

#endif
