/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of which an argument says what the others are: fcntl, futex. */
#include <exectrace/target/decode/calls/calls.h>

#include <fcntl.h>
#include <linux/nsfs.h>
#include <string.h>
#include <sys/socket.h>

#define FUTEX_OP_SHIFT 8u

/* --- fcntl --- */

/* Locks with long offsets carry other numbers on i386. */
static void put_lock(struct printer *p, uint64_t addr, unsigned cmd)
{
	bool wide = p->word == 4 && cmd >= 12;

	if (p->at_exit && !p->result.error)
		put_struct(p, addr, wide ? STRUCT_getlk64 : STRUCT_getlk);
	else
		put_struct(p, addr, wide ? STRUCT_flock64 : STRUCT_flock);
}

/* F_GETLK, F_SETLK and F_SETLKW in the kernel's numbers, those with 64 bits, and those of open files. */
static bool is_lock(unsigned cmd)
{
	return (cmd >= 5 && cmd <= 7) || (cmd >= 12 && cmd <= 14) || (cmd >= F_OFD_GETLK && cmd <= F_OFD_SETLKW);
}

bool fcntl_is_late(const struct printer *p)
{
	uint32_t cmd = (uint32_t)call_arg(p, 1);

	return cmd == 5 || cmd == 12 || cmd == F_OFD_GETLK || cmd == F_GETOWN_EX;
}

/* What a command points to, or else a number. */
static void put_pointed_to(struct printer *p, uint64_t value, unsigned cmd)
{
	bool owner = cmd == F_SETOWN_EX || cmd == F_GETOWN_EX;

	if ((owner || is_lock(cmd)) && fcntl_is_late(p) && p->result.error)
		put_addr(p, value);
	else if (owner)
		put_struct(p, value, STRUCT_ownerex);
	else if (is_lock(cmd))
		put_lock(p, value, cmd);
	else
		print_hex(p, value, 0);
}

unsigned fcntl_bytes(const struct printer *p)
{
	unsigned cmd = (unsigned)call_arg(p, 1);

	if (cmd == F_SETOWN_EX || cmd == F_GETOWN_EX)
		return struct_size(p, STRUCT_ownerex);
	return is_lock(cmd) ? struct_size(p, STRUCT_flock) : 0;
}

void print_fcntl(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned cmd = (unsigned)call_arg(p, 1);

	(void)aux;
	switch (cmd) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETPIPE_SZ:
		print_int(p, value, 0);
		break;
	case F_SETOWN:
		print_pids(p, value, 0);
		break;
	case F_SETFD:
		put_flags(p, (uint32_t)value, SET_fdflags);
		break;
	case F_SETFL:
		print_open(p, value, 0);
		break;
	case F_SETSIG:
		put_signal(p, value);
		break;
	case F_SETLEASE:
		put_enum(p, (uint32_t)value, SET_locktype);
		break;
	case F_NOTIFY:
		put_flags(p, (uint32_t)value, SET_notifies);
		break;
	case F_ADD_SEALS:
		put_flags(p, (uint32_t)value, SET_seals);
		break;
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
		break;
	default:
		put_pointed_to(p, value, cmd);
		break;
	}
}

enum syscall_ret fcntl_returns(const struct printer *p)
{
	switch ((uint32_t)call_arg(p, 1)) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return SYSCALL_RET_FD;
	case F_GETOWN:
		return SYSCALL_RET_TGID;
	default:
		return SYSCALL_RET_DEC;
	}
}

static void note_fcntl(struct printer *p)
{
	uint32_t value = (uint32_t)p->result.value;

	switch ((uint32_t)call_arg(p, 1)) {
	case F_GETFL:
		put_note(p, "flags ");
		note_print(p, print_open, value, 0);
		break;
	case F_GETFD:
		if (!value)
			break;
		put_note(p, "flags ");
		note_print(p, print_flags, value, SET_fdflags);
		break;
	case F_GETSIG:
		if (value)
			note_print(p, print_signal, value, 0);
		break;
	case F_GETLEASE:
		note_print(p, print_enum, value, SET_locktype);
		break;
	case F_GET_SEALS:
		put_note(p, "seals ");
		note_print(p, print_flags, value, SET_seals);
		break;
	default:
		break;
	}
}

void note_control(struct printer *p, const char *name)
{
	uint64_t value = (uint64_t)p->result.value;

	if (!call_succeeded(p))
		return;
	if (strncmp(name, "fcntl", 5) == 0)
		note_fcntl(p);
	else if (strcmp(name, "prctl") == 0)
		note_prctl(p);
	else if (strcmp(name, "arch_prctl") == 0)
		note_arch_prctl(p);
	else if (strcmp(name, "ioctl") == 0 && (uint32_t)call_arg(p, 1) == NS_GET_NSTYPE)
		note_print(p, print_flags, value, SET_clone);
	else if (strcmp(name, "adjtimex") == 0 || strncmp(name, "clock_adjtime", 13) == 0)
		note_print(p, print_enum, value, SET_timestate);
	else if (strcmp(name, "time") == 0)
		note_time(p);
	else if (strcmp(name, "membarrier") == 0 && !call_arg(p, 0))
		note_print(p, print_flags, value, SET_membarrier);
	else if (strcmp(name, "personality") == 0)
		note_print(p, print_persona, value, 0);
	else if (strncmp(name, "rt_sigtimedwait", 15) == 0)
		note_print(p, print_signal, value, 0);
	else if (strcmp(name, "set_thread_area") == 0 && peek_number(p, call_arg(p, 0), 4, &value))
		put_note(p, "entry_number=%u", (unsigned)value);
}

/* --- futex --- */

enum futex_form { FUTEX_TIMED, FUTEX_VAL_ONLY, FUTEX_MOVES, FUTEX_OP_FORM, FUTEX_PI, FUTEX_BARE, FUTEX_OTHER };

static enum futex_form futex_form(const struct printer *p, unsigned *op)
{
	static const uint8_t forms[] = {FUTEX_TIMED,    FUTEX_VAL_ONLY, FUTEX_VAL_ONLY, FUTEX_MOVES, FUTEX_MOVES,
	                                FUTEX_OP_FORM,  FUTEX_PI,       FUTEX_BARE,     FUTEX_BARE,  FUTEX_TIMED,
	                                FUTEX_VAL_ONLY, FUTEX_TIMED,    FUTEX_MOVES,    FUTEX_PI};

	*op = (unsigned)call_arg(p, 1) & 0x7f;
	return *op < sizeof(forms) ? (enum futex_form)forms[*op] : FUTEX_OTHER;
}

void print_futex_op(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t op = (uint32_t)value;
	const char *name = value_name(SET_futex, op & ~0x180u);
	/* FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2: those that may have another clock. */
	const unsigned clocked = 1u << 0 | 1u << 9 | 1u << 11 | 1u << 13;

	(void)aux;
	if (!name || (op & 0x100 && !(clocked >> (op & 0x7f) & 1))) {
		put_format(p, p->inner ? "FUTEX_???" : "%#x /* FUTEX_??? */", op);
		return;
	}
	put_text(p, name);
	if (op & 0x80)
		put_text(p, (op & 0x7f) == 2 ? "|FUTEX_PRIVATE_FLAG" : "_PRIVATE");
	if (op & 0x100)
		put_text(p, "|FUTEX_CLOCK_REALTIME");
}

/* A size, and flags. */
void print_futex2(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned flags = (uint32_t)value;
	bool inner = p->inner;

	(void)aux;
	if (!begin_names(p, flags, NUMBER_HEX))
		return;
	put_text(p, value_name(SET_futex2size, flags & 3));
	put_more_flags(p, flags & ~3u, SET_futex2);
	end_names(p, inner);
}

void print_futex_val(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned op;
	enum futex_form form = futex_form(p, &op);

	(void)aux;
	if (form != FUTEX_PI && form != FUTEX_BARE)
		put_format(p, "%u", (unsigned)value);
}

/* aux: the structure of the time. */
void print_futex_time(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned op;

	switch (futex_form(p, &op)) {
	case FUTEX_OTHER:
		put_addr(p, value);
		break;
	case FUTEX_TIMED:
	case FUTEX_PI:
		put_struct(p, value, aux);
		break;
	case FUTEX_MOVES:
	case FUTEX_OP_FORM:
		put_format(p, "%u", (unsigned)value);
		break;
	default:
		break;
	}
}

void print_futex_addr2(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned op;
	enum futex_form form = futex_form(p, &op);

	(void)aux;
	if (form == FUTEX_MOVES || form == FUTEX_OP_FORM || form == FUTEX_OTHER || op == 11)
		put_addr(p, value);
}

static void put_shifted(struct printer *p, unsigned value, unsigned shift, unsigned set)
{
	if (value_name(set, value) || p->d->names == DECODE_NAMES_RAW) {
		put_enum(p, value, set);
		put_format(p, "<<%u", shift);
	} else {
		put_format(p, "%#x<<%u /* %s */", value, shift, value_set(set)->unknown);
	}
}

static void put_wake_op(struct printer *p, uint32_t value)
{
	unsigned op = value >> 28, cmp = value >> 24 & 0xf;

	put_text(p, op & FUTEX_OP_SHIFT ? "FUTEX_OP_OPARG_SHIFT<<28|" : "");
	put_shifted(p, op & 7, 28, SET_futexop);
	put_format(p, "|%#x<<12|", value >> 12 & 0xfff);
	put_shifted(p, cmp, 24, SET_futexcmp);
	put_format(p, "|%#x", value & 0xfff);
}

static void put_match_any(struct printer *p)
{
	bool inner = p->inner;

	if (!begin_names(p, UINT32_MAX, NUMBER_HEX))
		return;
	put_text(p, "FUTEX_BITSET_MATCH_ANY");
	end_names(p, inner);
}

void print_futex_val3(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned op;
	enum futex_form form = futex_form(p, &op);

	(void)aux;
	if (form == FUTEX_OP_FORM)
		put_wake_op(p, (uint32_t)value);
	else if ((op == 9 || op == 10) && (uint32_t)value == UINT32_MAX)
		put_match_any(p);
	else if (op == 9 || op == 10)
		put_format(p, "%#x", (unsigned)value);
	else if (op == 4 || op == 12)
		put_format(p, "%u", (unsigned)value);
	else if (form == FUTEX_OTHER)
		put_format(p, "%#x", (unsigned)value);
}
