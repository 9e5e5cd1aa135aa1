/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a call can be shown at its entry, and what is to be kept from then on. */
#include "walk.h"

#include <string.h>
#include <sys/ioctl.h>

bool argument_is_late(const struct printer *p, unsigned kind)
{
	switch (kind_row(p, kind)->when) {
	case AT_ENTRY:
		return false;
	case DEPENDS:
		break;
	default:
		return true;
	}
	switch (kind) {
	case KIND_CLONEPTID:
		return call_arg(p, 0) & 0x00101000; /* CLONE_PARENT_SETTID, CLONE_PIDFD */
	case KIND_FCNTL:
		return fcntl_is_late(p);
	case KIND_PRCTL:
	case KIND_PRCTLREST:
		return prctl_is_late(p, kind);
	case KIND_KEYCTL:
		return keyctl_is_late(p);
	case KIND_URINGARG:
		return uring_is_late(p);
	case KIND_BPFATTR:
		return bpf_is_late(p);
	case KIND_PTDATA:
		return ptrace_is_late(p);
	case KIND_SECCOMPARG:
		return call_arg(p, 0) == 3; /* SECCOMP_GET_NOTIF_SIZES */
	case KIND_SYSLOGBUF:
		return call_arg(p, 0) >= 2 && call_arg(p, 0) <= 4; /* those that read */
	case KIND_ARCHPRCTL:
		return arch_prctl_is_late(p);
	case KIND_QUOTAADDR:
		return quota_is_late(p);
	case KIND_SHMBUF:
	case KIND_SEMBUF:
	case KIND_MSGBUF:
		return ipc_is_late(p, kind);
	default:
		return ioctl_is_late(p);
	}
}

/* recvmmsg(sockets, messages, number, flags, timeout): the lengths of names, and the time. */
static void save_messages(struct printer *p, uint64_t addr, uint64_t n)
{
	struct decode_state *state = p->state;
	uint64_t time = call_arg(p, 4), len = 0;
	unsigned wide = strstr(state->call->name, "64") ? 8 : p->word;

	for (uint64_t i = 0; i < n && i < DECODE_NAMES; i++, addr += 8 * p->word)
		state->names[i] = peek_number(p, addr + p->word, 4, &len) ? (uint32_t)len : 0;
	state->has_saved = time && peek_number(p, time, wide, &state->saved[0]) &&
	                   peek_number(p, time + wide, wide, &state->saved[1]);
}

/* Of other arguments a number that the call may overwrite. */
static void save_number(struct printer *p, unsigned kind, uint64_t value)
{
	struct decode_state *state = p->state;

	switch (kind) {
	case KIND_LSMSIZE:
		state->has_saved = peek_number(p, value, 4, &state->saved[0]);
		break;
	case KIND_PERFATTR:
		state->has_saved = peek_number(p, value + 4, 4, &state->saved[0]);
		break;
	case KIND_LSMCONTEXTS:
		peek_number(p, value, 8, &state->saved[1]);
		break;
	default:
		break;
	}
}

void save_inputs(struct printer *p, const struct syscall_desc *desc)
{
	struct decode_state *state = p->state;

	state->saved[0] = state->saved[1] = 0;
	state->has_saved = state->after = false;
	state->n_given = 0;
	for (unsigned i = 0; i < desc->nargs; i++) {
		switch (desc->args[i].kind) {
		case KIND_SLENP:
		case KIND_HANDLE:
			peek_number(p, call_arg(p, i), 4, &state->saved[0]);
			break;
		case KIND_URINGARG:
			uring_save(p);
			break;
		case KIND_OMSG:
			peek_number(p, call_arg(p, i) + p->word, 4, &state->saved[0]);
			break;
		case KIND_MMSGOUT:
			save_messages(p, call_arg(p, i), (uint32_t)call_arg(p, i + 1));
			break;
		case KIND_OFFP:
			peek_number(p, call_arg(p, i), p->word, &state->saved[i > 1]);
			break;
		case KIND_IOCTLARG:
			if ((uint32_t)call_arg(p, 1) == SIOCGIFCONF)
				peek_number(p, call_arg(p, i), 4, &state->saved[0]);
			else
				ioctl_save(p);
			break;
		case KIND_PTDATA:
			ptrace_save(p);
			break;
		case KIND_BPFATTR:
			if (bpf_is_late(p))
				bpf_save(p);
			break;
		case KIND_OFFP64:
			peek_number(p, call_arg(p, i), 8, &state->saved[i > 1]);
			break;
		default:
			save_number(p, desc->args[i].kind, call_arg(p, i));
			break;
		}
	}
}
