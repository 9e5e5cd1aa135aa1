/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of threads, processes, process groups and sessions. */
#include <exectrace/target/decode/values/printer.h>

#include <stdlib.h>

enum { BY_THREAD, BY_PROCESS, BY_GROUP }; /* types of owners: F_OWNER_TID, ... of linux/fcntl.h */

/* What is known of the number id, which stands in the text already. */
static void put_process_about(struct printer *p, enum decode_id type, int id)
{
	struct decode_process about = {0};
	size_t start;

	if (!p->d->process)
		return;
	p->d->process(p->d->user, type, abs(id), &about);
	if (*about.comm) {
		put_text(p, "<");
		start = p->out->len;
		put_span(p, about.comm, strnlen(about.comm, sizeof(about.comm)));
		escape_from(p, start);
		put_text(p, ">");
	}
	if (about.ours)
		put_format(p, " /* %d in strace's PID NS */", id < 0 ? -about.ours : about.ours);
}

void put_process(struct printer *p, enum decode_id type, uint64_t value)
{
	put_signed(p, (int)value);
	if ((int)value > 0)
		put_process_about(p, type, (int)value);
}

void print_tid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_process(p, DECODE_TID, value);
}

void print_tgid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_process(p, DECODE_TGID, value);
}

void print_pgid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_process(p, DECODE_PGID, value);
}

/* A process, or, below -1, a process group: of kill(2) and waitpid(2). */
void print_pids(struct printer *p, uint64_t value, unsigned aux)
{
	int id = (int)value;

	(void)aux;
	put_signed(p, id);
	if (id > 0 || (id < -1 && id != INT32_MIN))
		put_process_about(p, id > 0 ? DECODE_TGID : DECODE_PGID, id);
}

/* The first argument says what it is: `aux` is a process, the next one a process group. */
void print_whose(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t which = (uint32_t)call_arg(p, 0);

	if (which == aux)
		put_process(p, DECODE_TGID, value);
	else if (which == aux + 1)
		put_process(p, DECODE_PGID, value);
	else
		put_signed(p, (int)value);
}

/* Of a struct f_owner_ex: the type stands before it. */
void print_owner(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t type = (uint32_t)load_number(p->raw - 4, 4);

	(void)aux;
	if (type <= BY_GROUP)
		put_process(p, type == BY_THREAD ? DECODE_TID : type == BY_PROCESS ? DECODE_TGID : DECODE_PGID, value);
	else
		put_signed(p, (int)value);
}
