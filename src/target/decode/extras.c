/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a call is to be kept beside its registers. The way through the arguments is that of decode.c. */
#include <exectrace/target/decode/extras.h>

#include "walk.h"
#include <errno.h>
#include <limits.h>
#include <string.h>

#define KEEP_BYTES 65536u /* of the memory for one call's extras */

/* A decoder that notices whether it was of any use. */
struct probe {
	struct decoder decoder; /* asked instead of `real` */
	const struct decoder *real;
	bool used;
};

static int probe_read(void *user, uint64_t addr, void *to, size_t n)
{
	struct probe *probe = user;
	int err = probe->real->read(probe->real->user, addr, to, n);

	probe->used |= !err;
	return err;
}

static int probe_path(void *user, int fd, struct buf *out)
{
	struct probe *probe = user;
	int err = probe->real->fd_path ? probe->real->fd_path(probe->real->user, fd, out) : -ENOTSUP;

	probe->used |= !err;
	return err;
}

static bool probe_entries(void *user, uint64_t addr, unsigned *n)
{
	struct probe *probe = user;
	bool known = probe->real->entries && probe->real->entries(probe->real->user, addr, n);

	probe->used |= known;
	return known;
}

static int probe_netlink(void *user, int fd)
{
	const struct probe *probe = user;

	return probe->real->netlink ? probe->real->netlink(probe->real->user, fd) : -ENOTSUP;
}

static int probe_interface(void *user, unsigned index, char *name)
{
	struct probe *probe = user;
	int err = probe->real->interface ? probe->real->interface(probe->real->user, index, name) : -ENOTSUP;

	probe->used |= !err;
	return err;
}

static void probe_init(struct probe *probe, const struct decoder *real)
{
	probe->decoder = *real;
	probe->decoder.read = probe_read;
	probe->decoder.fd_path = probe_path;
	probe->decoder.entries = probe_entries;
	probe->decoder.netlink = probe_netlink;
	probe->decoder.interface = probe_interface;
	probe->decoder.user = probe;
	probe->real = real;
	probe->used = false;
}

/* Makes what was appended from `at` on an extra; more of the argument that came last joins it. */
static void add(struct call_extras *extras, uint8_t arg, enum extra_kind kind, size_t at)
{
	struct call_extra *last = extras->n ? &extras->items[extras->n - 1] : NULL;

	if (last && last->arg == arg)
		last->n = extras->bytes.len - last->at;
	else if (extras->n < SYSCALL_ARGS + 1)
		extras->items[extras->n++] = (struct call_extra){arg, kind, at, extras->bytes.len - at};
}

static void take_name(struct printer *p, uint64_t value, struct call_extras *extras)
{
	size_t at = extras->bytes.len;

	if (peek_string(p, value, PATH_MAX - 1, &extras->bytes) < 0)
		buf_cut(&extras->bytes, at);
	else
		add(extras, p->reg, EXTRA_NAME, at);
}

static void take_bytes(struct printer *p, uint64_t value, uint64_t n, struct call_extras *extras)
{
	size_t at = extras->bytes.len;
	size_t kept = n < p->d->string_max ? (size_t)n : p->d->string_max;

	if (!value || buf_reserve(&extras->bytes, kept + 1) || !peek_bytes(p, value, extras->bytes.data + at, kept))
		return;
	extras->bytes.len = at + kept;
	extras->bytes.data[at + kept] = 0;
	add(extras, p->reg, EXTRA_BYTES, at);
}

/* How many bytes the argument points to. */
static uint64_t bytes_of(const struct printer *p, const struct syscall_arg *argument)
{
	if (!p->at_exit)
		return call_arg(p, argument->aux);
	return argument->kind == KIND_RECEIVED ? received_bytes(p, argument->aux) : returned_bytes(p);
}

/* Prints it, and keeps the text when more than the value was needed for it. */
static void take_text(struct printer *p, const struct syscall_arg *argument, struct probe *probe,
                      struct call_extras *extras)
{
	size_t at = extras->bytes.len;
	uint8_t reg = p->reg;

	probe->used = false;
	print_kind(p, argument->kind, call_arg(p, reg), argument->aux);
	if (probe->used && extras->bytes.len > at)
		add(extras, reg, EXTRA_TEXT, at);
	else
		buf_cut(&extras->bytes, at);
}

/* What is to be kept of an argument of this kind, of this call. */
static enum source source_of(const struct printer *p, const struct kind_row *row)
{
	unsigned protocol;

	if (row->source != SOURCE_MESSAGE)
		return row->source;
	return netlink_protocol(p, &protocol) ? SOURCE_LOOKS : SOURCE_BYTES;
}

static void take(struct printer *p, const struct syscall_arg *argument, struct probe *probe, struct call_extras *extras)
{
	const struct kind_row *row = kind_row(p, argument->kind);
	enum source source = source_of(p, row);
	bool failed = row->when == AT_EXIT && p->result.error;

	p->size = p->word;
	p->reg = p->state->reg;
	/* A long number of a 32-bit program has two registers, which its printer knows. */
	if (source_looks(source) || p->word < 8)
		probe->used = false;
	if (failed)
		;
	else if (source == SOURCE_NAME)
		take_name(p, call_arg(p, p->reg), extras);
	else if (source == SOURCE_BYTES)
		take_bytes(p, call_arg(p, p->reg), bytes_of(p, argument), extras);
	else if (source_looks(source) || p->word < 8)
		take_text(p, argument, probe, extras);
	p->state->reg = p->reg + 1;
}

/* The arguments from state->next on, up to the first that has to wait. */
static void take_arguments(struct printer *p, const struct syscall_desc *desc, struct probe *probe,
                           struct call_extras *extras)
{
	struct decode_state *state = p->state;

	for (; state->next < desc->nargs; state->next++) {
		const struct syscall_arg *argument = &desc->args[state->next];

		if (!p->at_exit && argument_is_late(p, argument->kind))
			return;
		if (kind_row(p, argument->kind)->when == AT_EXIT_JOIN)
			state->reg--;
		take(p, argument, probe, extras);
	}
}

/* Of socketcall, whose arguments are in memory: the whole call that it stands for, in place of the pointer to them. */
static void take_inner(struct printer *p, const struct syscall_desc *desc, struct call_extras *extras)
{
	size_t at = extras->bytes.len;

	p->state->next = p->state->reg = 0;
	p->state->separated = false;
	put_format(p, "%s(", desc->name);
	put_arguments(p, desc);
	put_text(p, ")");
	add(extras, 1, EXTRA_TEXT, at);
}

/* True when desc is not what the number says, but what was found in memory. */
static bool is_inner(const struct syscall_call *call, const struct syscall_desc *desc)
{
	const struct syscall_desc *outer = syscall_by_nr(call->arch, call->nr);

	return outer && outer != desc;
}

int extras_enter(const struct decoder *d, const struct syscall_call *call, struct decode_state *state,
                 struct call_extras *extras)
{
	struct syscall_call copy = *call;
	struct probe probe;
	const struct syscall_desc *desc;
	struct printer p;

	buf_reset(&extras->bytes, KEEP_BYTES);
	extras->n = 0;
	probe_init(&probe, d);
	desc = describe_call(&probe.decoder, &copy);
	printer_init(&p, &probe.decoder, &copy, state, &extras->bytes);
	state->next = state->reg = 0;
	state->call = desc;
	save_inputs(&p, desc);
	if (!is_inner(call, desc))
		take_arguments(&p, desc, &probe, extras);
	buf_release(&p.note);
	return p.rc;
}

/* The result has more to say than its number when it is a descriptor, or has a note that was read from memory. */
static void take_result(struct printer *p, const struct syscall_desc *desc, struct probe *probe,
                        struct call_extras *extras)
{
	size_t at = extras->bytes.len;

	probe->used = false;
	p->reg = 0;
	note_result(p, desc->name);
	if (!probe->used && result_is_number(p, desc))
		return;
	put_result(p, desc);
	if (!probe->used || extras->bytes.len < at + 2) {
		buf_cut(&extras->bytes, at);
		return;
	}
	add(extras, EXTRA_RESULT, EXTRA_TEXT, at + 2);
}

int extras_exit(const struct decoder *d, const struct syscall_call *call, struct decode_state *state,
                const struct syscall_result *result, struct call_extras *extras)
{
	struct syscall_call copy = *call;
	struct probe probe;
	struct printer p;
	const struct syscall_desc *desc;

	probe_init(&probe, d);
	desc = describe_call(&probe.decoder, &copy);
	if (state->call)
		desc = state->call; /* as in decode_exit */
	printer_init(&p, &probe.decoder, &copy, state, &extras->bytes);
	p.at_exit = true;
	p.result = *result;
	ipc_result(&p, desc);
	if (is_inner(call, desc))
		take_inner(&p, desc, extras);
	else
		take_arguments(&p, desc, &probe, extras);
	if (!result->error)
		take_result(&p, desc, &probe, extras);
	state->before = desc;
	buf_release(&p.note);
	return p.rc;
}

void extras_release(struct call_extras *extras)
{
	buf_release(&extras->bytes);
	*extras = (struct call_extras){0};
}
