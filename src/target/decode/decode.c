/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call from its name to its result. */
#include <exectrace/target/decode/decode.h>

#include "walk.h"
#include <errno.h>
#include <exectrace/target/syscalls/names.h>
#include <fcntl.h>
#include <string.h>

/* What a number without a description has: six words. */
static const struct syscall_desc unknown = {
	"",
	6,
	{{"a", KIND_HEX, 0},
         {"b", KIND_HEX, 0},
         {"c", KIND_HEX, 0},
         {"d", KIND_HEX, 0},
         {"e", KIND_HEX, 0},
         {"f", KIND_HEX, 0}},
	0,
	SYSCALL_RET_DEC,
};

#define KIND(id, when, source, print) {print, when, SOURCE_##source, false},
#define KIND32(id, when, source, print) {print, when, SOURCE_##source, true},
static const struct kind_row rows[] = {
#include <exectrace/target/syscalls/kinds.inc>
};
#undef KIND

static const struct kind_row *row_of(unsigned kind)
{
	return &rows[kind < KIND_COUNT ? kind : KIND_HEX];
}

static unsigned registers_of(unsigned kind)
{
	return row_of(kind)->when == AT_EXIT_JOIN ? 0 : kind == KIND_POS ? 2 : 1;
}

unsigned decode_registers(const struct syscall_desc *desc)
{
	unsigned n = 0;

	for (unsigned i = 0; i < desc->nargs; i++)
		n += registers_of(desc->args[i].kind);
	return n < SYSCALL_ARGS ? n : SYSCALL_ARGS;
}

/* What the kernel does with an int, of which a program may leave anything in the upper half of the register. */
static void cut_numbers(struct syscall_call *call, const struct syscall_desc *desc)
{
	unsigned reg = 0;

	for (unsigned i = 0; i < desc->nargs && reg < SYSCALL_ARGS; i++) {
		unsigned n = registers_of(desc->args[i].kind);

		if (n && row_of(desc->args[i].kind)->narrow)
			call->args[reg] = (uint32_t)call->args[reg];
		reg += n;
	}
}

const struct syscall_desc *describe_call(const struct decoder *d, struct syscall_call *call)
{
	const struct syscall_desc *desc = syscall_by_nr(call->arch, call->nr), *inner = NULL;

	if (desc && call->arch->word == 8) {
		cut_numbers(call, desc);
		return desc; /* neither of the following is one of a 64-bit program's */
	}
	if (desc && strcmp(desc->name, "socketcall") == 0)
		inner = socketcall(d, call);
	else if (desc && strcmp(desc->name, "ipc") == 0)
		inner = ipc_inner(d, call);
	if (inner)
		return inner;
	return desc ? desc : &unknown;
}

void printer_init(struct printer *p, const struct decoder *d, const struct syscall_call *call,
                  struct decode_state *state, struct buf *out)
{
	size_t n = sizeof(*p);

	/* A size that gcc knows would make it an instruction (rep stos) that takes as long as the rest of a short call.
	 */
	__asm__("" : "+r"(n));
	memset(p, 0, n);
	p->d = d;
	p->call = call;
	p->state = state;
	p->out = out;
	p->kinds = rows;
	p->began = out ? out->len : 0;
	p->word = p->size = call->arch->word;
	p->dirfd = AT_FDCWD;
}

/* What is known of a register; NULL: nothing. */
const struct decode_known *find_known(const struct printer *p, unsigned reg)
{
	for (size_t i = 0; i < p->d->n_known; i++) {
		if (p->d->known[i].reg == reg)
			return &p->d->known[i];
	}
	return NULL;
}

/* Whether a buffer of which n bytes are known goes on behind them. */
static bool goes_on(const struct printer *p, const struct syscall_arg *argument, size_t n)
{
	switch (argument->kind) {
	case KIND_BUF:
	case KIND_SENT:
		return n < call_arg(p, argument->aux);
	case KIND_OBUF:
	case KIND_OXATTR:
	case KIND_OXATTRNAMES:
	case KIND_OSTRN:
		return p->result.value > 0 && n < (uint64_t)p->result.value;
	case KIND_RECEIVED:
		return n < received_bytes(p, argument->aux);
	default:
		return false;
	}
}

static void put_known(struct printer *p, const struct decode_known *known, const struct syscall_arg *argument)
{
	struct buf *out = p->out;

	if (kind_row(p, argument->kind)->when == AT_EXIT_JOIN)
		return; /* said with the argument that it belongs to */
	if (known->kind != DECODE_KNOWN_TEXT)
		put_quoted(p, known->bytes, known->n,
		           known->kind == DECODE_KNOWN_BYTES && goes_on(p, argument, known->n));
	else if (buf_append(out, known->bytes, known->n))
		p->rc = -ENOMEM;
}

/* Notes where an argument stands; one that joins the argument before it is part of that. */
static void mark_argument(const struct printer *p, const struct syscall_arg *argument, size_t start)
{
	struct decode_marks *marks = p->d->marks;

	if (marks->n && kind_row(p, argument->kind)->when == AT_EXIT_JOIN) {
		marks->args[marks->n - 1].end = p->out->len;
	} else if (p->out->len > start && marks->n < SYSCALL_ARGS) {
		marks->args[marks->n].name = argument->name;
		marks->args[marks->n].begin = start;
		marks->args[marks->n++].end = p->out->len;
	}
}

/* One argument, with the comma before it; one that has nothing to say leaves no trace. */
static void put_argument(struct printer *p, const struct syscall_arg *argument)
{
	const struct kind_row *row = kind_row(p, argument->kind);
	const struct decode_known *known = find_known(p, p->state->reg);
	size_t mark = p->out->len, start;

	p->size = p->word;
	p->reg = p->state->reg;
	if (p->state->next && row->when != AT_EXIT_JOIN && !p->state->separated)
		put_text(p, ", ");
	p->state->separated = false;
	start = p->out->len;
	if (known)
		put_known(p, known, argument);
	else if (row->when == AT_EXIT && p->result.error)
		put_addr(p, call_arg(p, p->reg));
	else
		print_kind(p, argument->kind, call_arg(p, p->reg), argument->aux);
	if (p->d->marks)
		mark_argument(p, argument, start);
	if (p->out->len == start)
		buf_cut(p->out, mark);
}

void put_arguments(struct printer *p, const struct syscall_desc *desc)
{
	struct decode_state *state = p->state;

	for (; state->next < desc->nargs; state->next++) {
		const struct syscall_arg *argument = &desc->args[state->next];
		enum when when = kind_row(p, argument->kind)->when;

		if (when == AT_EXIT_JOIN)
			state->reg--;
		if (!p->at_exit && when != AT_ENTRY && argument_is_late(p, argument->kind)) {
			if (when == AT_EXIT_JOIN) {
				state->reg++;
			} else if (state->next) {
				put_text(p, ", ");
				state->separated = true;
			}
			return;
		}
		put_argument(p, argument);
		state->reg = p->reg + 1;
	}
}

int decode_enter(const struct decoder *d, const struct syscall_call *call, struct decode_state *state, struct buf *out)
{
	struct syscall_call copy = *call;
	const struct syscall_desc *desc = describe_call(d, &copy);
	struct printer p;
	size_t before = out->len;

	printer_init(&p, d, &copy, state, out);
	state->next = state->reg = 0;
	state->call = desc;
	state->separated = false;
	save_inputs(&p, desc);
	if (desc == &unknown)
		put_format(&p, "syscall_%#x", call->nr);
	else
		put_text(&p, desc->name);
	put_text(&p, "(");
	if (d->raw)
		put_raw_arguments(&p, desc);
	else
		put_arguments(&p, desc);
	state->column += out->len - before;
	buf_release(&p.note);
	return p.rc;
}

static void pad(struct printer *p, size_t before)
{
	static const char spaces[] = "                                        ";
	size_t column = p->state->column + (p->out->len - before), first = p->d->column ? p->d->column : DECODE_COLUMN;

	_Static_assert(sizeof(spaces) == DECODE_COLUMN + 1, "one for each column");
	for (; column + DECODE_COLUMN < first; column += DECODE_COLUMN)
		put_text(p, spaces);
	if (column < first)
		put_text(p, spaces + DECODE_COLUMN - (first - column));
}

int decode_exit(const struct decoder *d, const struct syscall_call *call, struct decode_state *state,
                const struct syscall_result *result, struct buf *out)
{
	struct syscall_call copy = *call;
	const struct syscall_desc *desc = describe_call(d, &copy);
	struct printer p;
	size_t before = out->len;

	printer_init(&p, d, &copy, state, out);
	/* The words of socketcall may have changed, but not what was begun. */
	if (state->call && state->call != desc)
		desc = state->call;
	p.at_exit = true;
	p.result = *result;
	ipc_result(&p, desc);
	put_arguments(&p, desc);
	put_text(&p, ") ");
	if (!d->raw)
		note_result(&p, desc->name);
	pad(&p, before);
	if (d->marks)
		d->marks->result = out->len + strlen("= ");
	put_result(&p, desc);
	state->column += out->len - before;
	state->before = desc;
	buf_release(&p.note);
	return p.rc;
}

int decode_gone(const struct decoder *d, const struct syscall_call *call, struct decode_state *state, struct buf *out)
{
	const struct syscall_desc *desc = state->call ? state->call : &unknown;
	struct printer p;
	size_t before = out->len;

	printer_init(&p, d, call, state, out);
	put_text(&p, state->next >= desc->nargs ? ") " : " <unfinished ...>) ");
	pad(&p, before);
	put_text(&p, "= ?");
	return p.rc;
}

int decode_result(const struct syscall_call *call, const struct syscall_result *result, struct buf *out)
{
	static const struct decoder none = {0};
	struct decode_state state = {0};
	const struct syscall_desc *desc = syscall_by_nr(call->arch, call->nr);
	struct printer p;

	printer_init(&p, &none, call, &state, out);
	p.at_exit = true;
	p.result = *result;
	put_result(&p, desc ? desc : &unknown);
	buf_release(&p.note);
	return p.rc;
}

int decode_siginfo(const struct decoder *d, const struct arch *arch, const void *raw, struct buf *out)
{
	const struct decoder plain = {
		.names = d ? d->names : DECODE_NAMES_ABBREV,
		.process = d ? d->process : NULL,
		.user = d ? d->user : NULL,
	};
	struct syscall_call call = {.arch = arch};
	struct decode_state state = {0};
	struct printer p;

	printer_init(&p, &plain, &call, &state, out);
	put_siginfo(&p, raw);
	return p.rc;
}
