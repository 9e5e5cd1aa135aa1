/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What snapshot.c copies, as lists. */
#include <exectrace/target/decode/need.h>

#include "walk.h"
#include <limits.h>
#include <string.h>

struct making {
	const struct printer *p;
	struct call_needs *needs;
	unsigned n;         /* of the list */
	unsigned looked_at; /* bytes of a string, items of an array */
};

static void add(struct making *m, struct need need)
{
	if (m->n + 1 < NEEDS_MAX && m->looked_at <= NEED_BYTES_MAX + 1)
		m->needs->list[m->n++] = need;
	else
		m->needs->known = false;
}

static uint16_t bytes_of(const struct making *m, unsigned structure)
{
	return (uint16_t)struct_size(m->p, structure);
}

static uint16_t fixed_bytes(const struct making *m, const struct syscall_arg *argument)
{
	return bytes_of(m, structure_of(argument));
}

/* What is sent and received, and options and addresses. */
static void add_of_socket(struct making *m, uint8_t arg, const struct syscall_arg *argument, bool at_exit)
{
	const struct kind_row *row = kind_row(m->p, argument->kind);
	uint8_t aux = (uint8_t)argument->aux, always = row->when != AT_EXIT;
	uint16_t shown = (uint16_t)m->looked_at, option = (uint16_t)option_bytes(m->looked_at);

	switch (row->source) {
	case SOURCE_MESSAGE:
		add(m, (struct need){at_exit ? NEED_RECEIVED : NEED_SENT, arg, aux, always, shown, 0});
		break;
	case SOURCE_FILLED_SIZED:
		add(m, (struct need){NEED_FILLED_COUNTED, arg, aux, always, SOCKADDR_MAX, 0});
		break;
	case SOURCE_OPTION:
		add(m, (struct need){NEED_OPTION, arg, aux, always, option, 0});
		break;
	case SOURCE_FILLED_OPTION:
		add(m, (struct need){NEED_FILLED_OPTION, arg, aux, always, option, 0});
		break;
	case SOURCE_MSGHDR:
		add(m, (struct need){at_exit ? NEED_FILLED_MESSAGE : NEED_MESSAGE, arg, 0, always, shown, shown});
		break;
	default:
		m->needs->known = false;
		break;
	}
}

/* Whose size is that of something else than the argument's kind. */
static void add_counted(struct making *m, uint8_t arg, const struct syscall_arg *argument, bool at_exit)
{
	const struct kind_row *row = kind_row(m->p, argument->kind);
	uint8_t aux = (uint8_t)argument->aux, always = row->when != AT_EXIT;
	uint16_t shown = (uint16_t)m->looked_at;

	switch (row->source) {
	case SOURCE_SIGSET:
		add(m, (struct need){NEED_COUNTED, arg, aux, always, 8, 0});
		break;
	case SOURCE_SIZED:
		add(m, (struct need){NEED_COUNTED_INT, arg, aux, always, SOCKADDR_MAX, 0});
		break;
	case SOURCE_IOVS:
		add(m, (struct need){at_exit ? NEED_FILLED_VECTORS : NEED_VECTORS, arg, aux, always, shown, shown});
		break;
	case SOURCE_POLLS:
		add(m, (struct need){NEED_ITEMS, arg, aux, always, 8, (uint16_t)polls_kept(m->looked_at)});
		break;
	case SOURCE_EVENTS:
		add(m, (struct need){NEED_EVENTS, arg, 0, always, 12, shown});
		break;
	case SOURCE_ENTRIES:
		add(m, (struct need){NEED_ENTRIES, arg, 0, always, ENTRY_LENGTH_AT, 0});
		break;
	case SOURCE_BITS:
		add(m, (struct need){NEED_BITS, arg, aux, always, POLLS_MAX / 8, 0});
		break;
	case SOURCE_MASK:
		add(m, (struct need){NEED_MASK, arg, 0, always, 8, 0});
		break;
	default:
		add_of_socket(m, arg, argument, at_exit);
		break;
	}
}

static void add_argument(struct making *m, uint8_t arg, const struct syscall_arg *argument, bool at_exit)
{
	const struct kind_row *row = kind_row(m->p, argument->kind);
	uint8_t aux = (uint8_t)argument->aux, always = row->when != AT_EXIT;
	uint16_t shown = (uint16_t)m->looked_at;

	switch (row->source) {
	case SOURCE_PLAIN:
	case SOURCE_PATHS:
		break;
	case SOURCE_NAME:
	case SOURCE_FILLED_NAME:
		add(m, (struct need){NEED_STRING, arg, 0, always, PATH_MAX, 0});
		break;
	case SOURCE_STRING:
		add(m, (struct need){NEED_STRING, arg, 0, always, shown, 0});
		break;
	case SOURCE_BYTES:
		add(m, (struct need){at_exit ? NEED_RETURNED : NEED_COUNTED, arg, aux, always, shown, 0});
		break;
	case SOURCE_FILLED:
		add(m, (struct need){NEED_RETURNED_SOME, arg, 0, always, shown, 0});
		break;
	case SOURCE_INT:
		add(m, (struct need){NEED_BYTES, arg, 0, always, 4, 0});
		break;
	case SOURCE_LONG:
		add(m, (struct need){NEED_BYTES, arg, 0, always, 8, 0});
		break;
	case SOURCE_STRUCT:
		add(m, (struct need){NEED_BYTES, arg, 0, always, fixed_bytes(m, argument), 0});
		break;
	case SOURCE_STRUCTS:
		add(m, (struct need){NEED_BYTES, arg, 0, always, (uint16_t)(2 * bytes_of(m, argument->aux)), 0});
		break;
	default:
		add_counted(m, arg, argument, at_exit);
		break;
	}
}

/* What the call may overwrite, and the end of it shows. */
static void add_inputs(struct making *m, const struct syscall_desc *desc, uint8_t from)
{
	for (uint8_t i = from; i < desc->nargs; i++) {
		unsigned kind = desc->args[i].kind;

		if (kind == KIND_OMSG)
			add(m, (struct need){NEED_NAME_LENGTH, i, 0, 1, 4, 0});
		else if (kind == KIND_SLENP || kind == KIND_OFFP || kind == KIND_OFFP64)
			add(m, (struct need){NEED_BYTES, i, 0, 1, kind == KIND_SLENP ? 4 : 8, 0});
	}
}

/* What of arguments that were shown at the entry is noted behind the result. */
static void add_notes(struct making *m, const struct syscall_desc *desc)
{
	for (uint8_t i = 0; i < desc->nargs; i++) {
		if (desc->args[i].kind == KIND_POLL)
			add(m, (struct need){NEED_ITEMS_FOUND, i, (uint8_t)(i + 1), 0, 8, POLLS_MAX});
		else if (desc->args[i].kind == KIND_FDSET)
			add(m, (struct need){NEED_BITS_FOUND, i, 0, 0, POLLS_MAX / 8, 0});
		else if (is_time_left(desc->args[i].kind))
			add(m, (struct need){NEED_BYTES_FOUND, i, 0, 0, fixed_bytes(m, &desc->args[i]), 0});
	}
}

static void add_all(struct making *m, const struct syscall_desc *desc)
{
	uint8_t late = 0;

	while (late < desc->nargs && kind_row(m->p, desc->args[late].kind)->when == AT_ENTRY) {
		add_argument(m, late, &desc->args[late], false);
		late++;
	}
	add_inputs(m, desc, late);
	m->needs->exit = (uint8_t)++m->n;
	for (uint8_t i = late; i < desc->nargs; i++) {
		enum when when = kind_row(m->p, desc->args[i].kind)->when;

		if (when == DEPENDS || when == AT_EXIT_JOIN)
			m->needs->known = false;
		add_argument(m, i, &desc->args[i], true);
	}
	add_notes(m, desc);
}

static void add_command(struct making *m)
{
	add(m, (struct need){NEED_COMMAND_IN, 2, 0, 0, 0, 0});
	m->needs->exit = (uint8_t)++m->n;
	add(m, (struct need){NEED_COMMAND_OUT, 2, 0, 0, 0, 0});
}

void needs_of(uint32_t nr, unsigned string_max, struct call_needs *needs)
{
	const struct arch *arch = arch_by_name("x86_64");
	const struct syscall_desc *desc = syscall_by_nr(arch, nr);
	const struct decoder none = {.string_max = string_max};
	const struct syscall_call call = {.arch = arch, .nr = nr};
	struct decode_state state = {0};
	struct printer p;
	/* One more than is shown: whether it can be read is part of what is shown. */
	struct making m = {.p = &p, .needs = needs, .looked_at = string_max + 1};

	printer_init(&p, &none, &call, &state, NULL);
	*needs = (struct call_needs){.known = true, .exit = 1};
	if (!desc)
		return;
	needs->gives_fd = desc->ret == SYSCALL_RET_FD;
	needs->fcntl = strcmp(desc->name, "fcntl") == 0;
	needs->ioctl = strcmp(desc->name, "ioctl") == 0;
	if (needs->ioctl)
		add_command(&m);
	else if (!needs->fcntl)
		add_all(&m, desc);
}
