/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a call. */
#include "walk.h"

#include <errno.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/syscalls/names.h>
#include <string.h>

static void put_failure(struct printer *p, int err)
{
	const char *name = errno_name(err), *text = errno_text(err);

	if (is_restart(-err))
		put_format(p, "= ? %s (%s)", name, text);
	else if (name && text)
		put_format(p, "= -1 %s (%s)", name, text);
	else
		put_format(p, "= -1 (errno %d)", err);
}

static void put_int_result(struct printer *p, uint64_t value)
{
	int err = value <= UINT32_MAX ? -(int32_t)value : 0;

	put_unsigned(p, value);
	if (err > 0 && err < 4096 && errno_name(err) && errno_text(err))
		put_format(p, " %s (%s)", errno_name(err), errno_text(err));
}

static void put_number_result(struct printer *p, enum syscall_ret kind, int64_t value)
{
	uint64_t word = p->word == 4 ? (uint32_t)value : (uint64_t)value;

	put_text(p, "= ");
	if (kind == SYSCALL_RET_HEX)
		put_hex(p, word);
	else if (kind == SYSCALL_RET_UDEC)
		put_unsigned(p, word);
	else if (kind == SYSCALL_RET_INT32)
		put_int_result(p, (uint64_t)value);
	else if (kind == SYSCALL_RET_OCT)
		put_format(p, "%#03llo", (unsigned long long)value);
	else
		put_signed(p, p->word == 4 ? (int32_t)value : value);
}

static void put_success(struct printer *p, enum syscall_ret kind)
{
	const struct decode_known *known = find_known(p, SYSCALL_ARGS);
	int64_t value = p->result.value;

	if (known) {
		put_text(p, "= ");
		if (buf_append(p->out, known->bytes, known->n))
			p->rc = -ENOMEM;
		return;
	}
	switch (kind) {
	case SYSCALL_RET_NONE:
		put_text(p, "= ?");
		break;
	case SYSCALL_RET_FD:
		put_text(p, "= ");
		print_fd(p, (uint64_t)value, 0);
		break;
	case SYSCALL_RET_SCHED:
		put_format(p, "= %lld", (long long)value);
		note_print(p, print_enum, (uint64_t)value, SET_sched);
		break;
	case SYSCALL_RET_IOPRIO:
		put_format(p, "= %#llx", (unsigned long long)value);
		if (p->d->names != DECODE_NAMES_RAW)
			note_print(p, put_ioprio, (uint64_t)value, 0);
		break;
	case SYSCALL_RET_TID:
	case SYSCALL_RET_TGID:
	case SYSCALL_RET_PGID:
	case SYSCALL_RET_SID:
		put_text(p, "= ");
		put_process(p, (enum decode_id)(kind - SYSCALL_RET_TID), (uint64_t)value);
		break;
	default:
		put_number_result(p, kind, value);
		break;
	}
}

/* The results of fcntl and membarrier are hexadecimal where their note names flags. */
static bool is_flags(const struct printer *p, const struct syscall_desc *desc)
{
	return strncmp(p->note.data, "flags", 5) == 0 || strncmp(p->note.data, "F_", 2) == 0 ||
	       strcmp(desc->name, "membarrier") == 0;
}

#define LANDLOCK_VERSION 1u /* LANDLOCK_CREATE_RULESET_VERSION: what is returned is no descriptor */

/* How the result is shown, which for some depends on their arguments. */
static enum syscall_ret result_kind(const struct printer *p, const struct syscall_desc *desc)
{
	if (p->d->raw || p->hex_result || (p->note.len && is_flags(p, desc)))
		return SYSCALL_RET_HEX;
	switch (*desc->name) { /* this is asked of each call */
	case 'b':
		return strcmp(desc->name, "bpf") == 0 && bpf_gives_fd(p) ? SYSCALL_RET_FD : desc->ret;
	case 'f':
		return strncmp(desc->name, "fcntl", 5) == 0 ? fcntl_returns(p) : desc->ret;
	case 'l':
		return strcmp(desc->name, "landlock_create_ruleset") == 0 && call_arg(p, 2) & LANDLOCK_VERSION
		               ? SYSCALL_RET_DEC
		               : desc->ret;
	default:
		return desc->ret;
	}
}

bool result_is_number(const struct printer *p, const struct syscall_desc *desc)
{
	if (p->note.len || p->noted || find_known(p, SYSCALL_ARGS))
		return false;
	switch (result_kind(p, desc)) {
	case SYSCALL_RET_DEC:
	case SYSCALL_RET_UDEC:
	case SYSCALL_RET_HEX:
	case SYSCALL_RET_OCT:
		return true;
	default:
		return false;
	}
}

void put_result(struct printer *p, const struct syscall_desc *desc)
{
	if (p->result.error) {
		put_failure(p, (int)-p->result.value);
		return;
	}
	put_success(p, result_kind(p, desc));
	/* What is known of a result has its note. */
	if (find_known(p, SYSCALL_ARGS))
		return;
	if (p->note.len || p->noted) {
		put_text(p, " (");
		put_text(p, p->note.len ? p->note.data : "");
		put_text(p, ")");
	}
}

static bool waits(const char *name)
{
	return strstr(name, "select") || strcmp(name, "poll") == 0 || strncmp(name, "ppoll", 5) == 0 ||
	       strncmp(name, "recvmmsg", 8) == 0;
}

/* Whether a name begins as one of those of which there is something to note: for it is asked of each call. */
static bool may_be_noted(const char *name)
{
	static const char begins[][4] = {"_ne", "adj", "arc", "clo", "fcn", "ioc", "mem", "per", "pol",
	                                 "ppo", "prc", "pse", "rec", "rt_", "sel", "set", "tim"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (name[0] == begins[i][0] && name[1] == begins[i][1] && name[2] == begins[i][2])
			return true;
	}
	return false;
}

void note_result(struct printer *p, const char *name)
{
	if (!may_be_noted(name))
		return;
	if (waits(name))
		note_waited(p, name);
	else
		note_control(p, name);
}
