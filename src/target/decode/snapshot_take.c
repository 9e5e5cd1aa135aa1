/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is copied of each kind of argument. The way through the arguments is that of decode.c. */
#include <exectrace/target/decode/snapshot.h>

#include "walk.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/decode/need.h>
#include <limits.h>
#include <string.h>

static void add(struct printer *p, struct snapshot *s, uint64_t addr, size_t at, bool ends)
{
	if (s->n < SNAPSHOT_RANGES)
		s->ranges[s->n++] = (struct snapshot_range){addr, at, s->bytes.len - at, ends};
	else
		p->rc = -ENOBUFS;
}

static void take_bytes(struct printer *p, struct snapshot *s, uint64_t addr, uint64_t n)
{
	size_t at = s->bytes.len;

	if (!n)
		return;
	if (buf_reserve(&s->bytes, n)) {
		p->rc = -ENOMEM;
	} else if (peek_bytes(p, addr, s->bytes.data + at, n)) {
		s->bytes.len += n;
		add(p, s, addr, at, false);
	}
}

/* Up to max bytes, with the NUL if that is among them. */
static void take_string(struct printer *p, struct snapshot *s, uint64_t addr, size_t max)
{
	size_t at = s->bytes.len;
	int ends = peek_string(p, addr, max, &s->bytes);

	if (ends > 0 && buf_append(&s->bytes, "", 1))
		p->rc = -ENOMEM;
	if (ends >= 0)
		add(p, s, addr, at, ends > 0);
	else
		s->bytes.len = at;
}

/* Bytes of a string, items of an array: one more than is shown, for whether it can be read is part of what is shown. */
static size_t looked_at(const struct printer *p)
{
	return (size_t)p->d->string_max + 1;
}

static uint64_t at_most(uint64_t n, uint64_t max)
{
	return n < max ? n : max;
}

/* All of an array, or the process is looked at: what of one can be read in part is shown in part. */
static void take_array(struct printer *p, struct snapshot *s, uint64_t addr, uint64_t bytes)
{
	unsigned before = s->n;

	take_bytes(p, s, addr, bytes);
	if (addr && bytes && s->n == before && !p->rc)
		p->rc = -EFAULT;
}

/* How many there are: the bytes can be many. */
static void take_entries(struct printer *p, struct snapshot *s, uint64_t addr, uint64_t n)
{
	cleanup_buf struct buf bytes = BUF_INIT;

	if (buf_reserve(&bytes, n))
		p->rc = -ENOMEM;
	else if (peek_bytes(p, addr, bytes.data, n))
		snapshot_entries(s, addr, count_entries(bytes.data, n, ENTRY_LENGTH_AT));
}

/* total: bytes that the call has moved (put_iovs). */
static void take_iovs(struct printer *p, struct snapshot *s, uint64_t addr, uint64_t n, uint64_t total)
{
	uint64_t iov[2];

	for (uint64_t i = 0; i < n && i < looked_at(p) && !p->rc; i++, addr += sizeof(iov)) {
		uint64_t shown;

		take_array(p, s, addr, sizeof(iov));
		if (!addr || p->rc || snapshot_read(s, addr, iov, sizeof(iov)))
			return;
		shown = at_most(iov[1], total);
		if (total != UINT64_MAX)
			total -= shown;
		take_bytes(p, s, iov[0], at_most(shown, looked_at(p)));
	}
}

/* The int at addr, where it is more than 0. */
static uint64_t count_at(struct printer *p, uint64_t addr)
{
	uint64_t n;

	return peek_number(p, addr, 4, &n) && (int)n > 0 ? n : 0;
}

static void take_option(struct printer *p, struct snapshot *s, uint64_t addr, uint64_t n)
{
	if (need_option(call_arg(p, 1), call_arg(p, 2)))
		take_array(p, s, addr, at_most(n, option_bytes(p->d->string_max)));
	else
		p->rc = -ENOTSUP;
}

/* What is sent or received, unless it is by a netlink socket, whose messages are looked at further. */
static void take_message(struct printer *p, struct snapshot *s, uint64_t addr, uint64_t n)
{
	unsigned protocol;

	if (n && netlink_protocol(p, &protocol))
		p->rc = -ENOTSUP;
	else
		take_bytes(p, s, addr, at_most(n, looked_at(p)));
}

static void take_msghdr(struct printer *p, struct snapshot *s, uint64_t addr, uint64_t total)
{
	uint64_t header[MSGHDR_BYTES / 8];
	unsigned protocol;
	uint64_t n;

	if (p->result.error) {
		take_bytes(p, s, addr + p->word, 4);
		return;
	}
	take_array(p, s, addr, MSGHDR_BYTES);
	if (p->rc || !addr || snapshot_read(s, addr, header, sizeof(header)))
		return;
	n = (uint32_t)header[1];
	take_array(p, s, header[0], n < 2 ? 0 : at_most(n, SOCKADDR_MAX));
	if (netlink_protocol(p, &protocol))
		p->rc = -ENOTSUP;
	if (!p->rc)
		take_iovs(p, s, header[2], header[3], total);
	if (!p->rc && header[5] > CONTROL_MAX)
		p->rc = -ENOTSUP;
	if (!p->rc)
		take_array(p, s, header[4], header[5]);
}

static void take_bits(struct printer *p, struct snapshot *s, uint64_t addr, uint64_t n)
{
	if ((int)n > 0)
		take_bytes(p, s, addr, (at_most((uint32_t)n, POLLS_MAX) + 63) / 64 * 8);
}

static void take_mask(struct printer *p, struct snapshot *s, uint64_t addr)
{
	uint64_t mask[2];

	take_bytes(p, s, addr, sizeof(mask));
	if (snapshot_read(s, addr, mask, sizeof(mask)) == 0 && mask[1] <= 8)
		take_bytes(p, s, mask[0], mask[1]);
}

/* What is sent and received, and options and addresses. */
static void take_of_socket(struct printer *p, struct snapshot *s, const struct syscall_arg *argument, uint64_t addr)
{
	uint64_t count = call_arg(p, argument->aux), result = returned_bytes(p);

	switch (kind_row(p, argument->kind)->source) {
	case SOURCE_MESSAGE:
		take_message(p, s, addr, p->at_exit ? received_bytes(p, argument->aux) : count);
		break;
	case SOURCE_FILLED_SIZED:
		take_array(p, s, addr, at_most(count_at(p, count), SOCKADDR_MAX));
		break;
	case SOURCE_OPTION:
		take_option(p, s, addr, (int)count > 0 ? count : 0);
		break;
	case SOURCE_FILLED_OPTION:
		take_option(p, s, addr, count_at(p, count));
		break;
	case SOURCE_MSGHDR:
		take_msghdr(p, s, addr, p->at_exit ? result : UINT64_MAX);
		break;
	default:
		break;
	}
}

/* Whose size is that of something else than the argument's kind. */
static void take_counted(struct printer *p, struct snapshot *s, const struct syscall_arg *argument, uint64_t addr)
{
	uint64_t count = call_arg(p, argument->aux), result = returned_bytes(p);

	switch (kind_row(p, argument->kind)->source) {
	case SOURCE_SIZED:
		take_bytes(p, s, addr, at_most((int)count > 0 ? count : 0, SOCKADDR_MAX));
		break;
	case SOURCE_ENTRIES:
		take_entries(p, s, addr, at_most(result, DENTS_MAX));
		break;
	case SOURCE_IOVS:
		take_iovs(p, s, addr, count, argument->kind == KIND_OIOV ? result : UINT64_MAX);
		break;
	case SOURCE_POLLS:
		take_array(p, s, addr, at_most((uint32_t)count, polls_kept((unsigned)looked_at(p))) * 8);
		break;
	case SOURCE_EVENTS:
		take_array(p, s, addr, at_most(result, looked_at(p)) * 12);
		break;
	case SOURCE_COMMAND:
		take_bytes(p, s, addr, fcntl_bytes(p));
		break;
	case SOURCE_FRAME:
		take_bytes(p, s, sigreturn_mask(p), 8);
		break;
	case SOURCE_BITS:
		take_bits(p, s, addr, count);
		break;
	case SOURCE_MASK:
		take_mask(p, s, addr);
		break;
	default:
		take_of_socket(p, s, argument, addr);
		break;
	}
}

/* An argument with the value addr. */
static void take(struct printer *p, struct snapshot *s, const struct syscall_arg *argument, uint64_t addr)
{
	uint64_t counted = p->at_exit ? returned_bytes(p) : call_arg(p, argument->aux);

	switch (kind_row(p, argument->kind)->source) {
	case SOURCE_NAME:
	case SOURCE_FILLED_NAME:
		take_string(p, s, addr, PATH_MAX);
		break;
	case SOURCE_STRING:
		take_string(p, s, addr, looked_at(p));
		break;
	case SOURCE_BYTES:
		take_bytes(p, s, addr, at_most(counted, looked_at(p)));
		break;
	case SOURCE_FILLED: /* one at least, for that is how its printer finds out whether they can be read */
		counted = at_most(counted, looked_at(p));
		take_bytes(p, s, addr, counted ? counted : 1);
		break;
	case SOURCE_INT:
		take_bytes(p, s, addr, 4);
		break;
	case SOURCE_LONG:
		take_bytes(p, s, addr, 8);
		break;
	case SOURCE_SIGSET:
		take_bytes(p, s, addr, at_most(call_arg(p, argument->aux), 8));
		break;
	case SOURCE_STRUCT:
		take_bytes(p, s, addr, struct_size(p, structure_of(argument)));
		break;
	case SOURCE_STRUCTS:
		take_bytes(p, s, addr, UINT64_C(2) * struct_size(p, argument->aux));
		break;
	default:
		take_counted(p, s, argument, addr);
		break;
	}
}

/* What of arguments that were shown at the entry is noted behind the result (note_waited). */
static void take_notes(struct printer *p, struct snapshot *s, const struct syscall_desc *desc)
{
	if (p->result.value <= 0)
		return;
	for (unsigned i = 0; i < desc->nargs; i++) {
		if (desc->args[i].kind == KIND_POLL)
			take_array(p, s, call_arg(p, i), at_most((uint32_t)call_arg(p, i + 1), POLLS_MAX) * 8);
		else if (desc->args[i].kind == KIND_FDSET)
			take_bits(p, s, call_arg(p, i), call_arg(p, desc->args[i].aux));
		else if (is_time_left(desc->args[i].kind))
			take_bytes(p, s, call_arg(p, i), struct_size(p, structure_of(&desc->args[i])));
	}
}

/* What the call may overwrite, and the end of it shows (save_inputs). */
static void take_inputs(struct printer *p, struct snapshot *s, const struct syscall_desc *desc)
{
	for (unsigned i = s->next; i < desc->nargs; i++) {
		unsigned kind = desc->args[i].kind;

		if (kind == KIND_OMSG)
			take_bytes(p, s, call_arg(p, i) + p->word, 4);
		else if (kind == KIND_SLENP || kind == KIND_OFFP || kind == KIND_OFFP64)
			take_bytes(p, s, call_arg(p, i), kind == KIND_SLENP ? 4 : 8);
	}
}

/* The arguments from s->next on, up to the first that has to wait. */
static void take_arguments(struct printer *p, struct snapshot *s, const struct syscall_desc *desc)
{
	for (; s->next < desc->nargs; s->next++) {
		const struct syscall_arg *argument = &desc->args[s->next];

		if (!p->at_exit && argument_is_late(p, argument->kind))
			return;
		if (kind_row(p, argument->kind)->when != AT_EXIT || !p->result.error)
			take(p, s, argument, call_arg(p, s->next));
	}
}

/* Whether all that is looked at is known beforehand. */
static bool is_known(const struct printer *p, const struct syscall_desc *desc)
{
	for (unsigned i = 0; i < desc->nargs; i++) {
		const struct kind_row *row = kind_row(p, desc->args[i].kind);

		if (row->source == SOURCE_LOOKS || row->when == AT_EXIT_JOIN)
			return false;
		if (!p->d->netlink && (row->source == SOURCE_MESSAGE || row->source == SOURCE_MSGHDR))
			return false;
	}
	return true;
}

static int take_all(struct snapshot *s, const struct decoder *live, const struct syscall_call *call,
                    const struct syscall_result *result)
{
	static const struct syscall_result none;
	const struct syscall_desc *desc = syscall_by_nr(call->arch, call->nr);
	struct decode_state state = {0};
	struct printer p;

	printer_init(&p, live, call, &state, NULL);
	snapshot_begin(s);
	s->whole = p.word == 8 && (!desc || is_known(&p, desc));
	if (!desc || !s->whole)
		return 0;
	p.at_exit = result;
	p.result = result ? *result : none;
	take_arguments(&p, s, desc);
	if (result)
		take_notes(&p, s, desc);
	else
		take_inputs(&p, s, desc);
	s->whole = !p.rc;
	return p.rc == -ENOMEM ? p.rc : 0;
}

int snapshot_enter(struct snapshot *snapshot, const struct decoder *live, const struct syscall_call *call)
{
	snapshot->next = 0;
	return take_all(snapshot, live, call, NULL);
}

int snapshot_exit(struct snapshot *snapshot, const struct decoder *live, const struct syscall_call *call,
                  const struct syscall_result *result)
{
	return take_all(snapshot, live, call, result);
}
