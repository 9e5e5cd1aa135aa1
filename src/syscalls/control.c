/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls whose second argument says what the third one is: fcntl, ioctl, prctl, futex. */
#include "private.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define PR_SET_VMA_ 0x53564d41
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

void print_fcntl(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned cmd = (unsigned)call_arg(p, 1);

	(void)aux;
	switch (cmd) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETOWN:
	case F_SETPIPE_SZ:
		print_int(p, value, 0);
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
		if (is_lock(cmd))
			put_lock(p, value, cmd);
		else
			print_hex(p, value, 0);
		break;
	}
}

bool fcntl_gives_fd(const struct printer *p)
{
	uint64_t cmd = call_arg(p, 1);

	return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC;
}

static void note_fcntl(struct printer *p)
{
	uint32_t value = (uint32_t)p->result.value;

	switch (call_arg(p, 1)) {
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
	else if (strcmp(name, "prctl") == 0 && call_arg(p, 0) == PR_GET_DUMPABLE)
		note_print(p, print_enum, value, SET_dumpable);
	else if (strcmp(name, "personality") == 0)
		note_print(p, print_persona, value, 0);
	else if (strncmp(name, "rt_sigtimedwait", 15) == 0)
		note_print(p, print_signal, value, 0);
	else if (strcmp(name, "set_thread_area") == 0 && peek_number(p, call_arg(p, 0), 4, &value))
		put_note(p, "entry_number=%d", (int)value);
}

/* --- prctl --- */

/* Options whose second argument has a name. */
static const struct {
	uint32_t option;
	unsigned set;
} prctl_sets[] = {
	{PR_SET_DUMPABLE, SET_dumpable}, {PR_SET_SECCOMP, SET_seccompmode}, {PR_CAPBSET_READ, SET_cap},
	{PR_CAPBSET_DROP, SET_cap},      {PR_CAP_AMBIENT, SET_capambient},  {PR_SET_MM, SET_setmm},
	{PR_SET_VMA_, SET_setvma},
};

/* Options that take nothing. */
static bool prctl_is_bare(uint64_t option)
{
	return option == PR_GET_DUMPABLE || option == PR_GET_KEEPCAPS || option == PR_GET_TIMING ||
	       option == PR_GET_SECCOMP || option == PR_GET_SECUREBITS ||
	       (option >= PR_GET_TIMERSLACK && option <= PR_TASK_PERF_EVENTS_ENABLE);
}

void print_prctl(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t number;

	(void)aux;
	for (size_t i = 0; i < sizeof(prctl_sets) / sizeof(prctl_sets[0]); i++) {
		if (prctl_sets[i].option == call_arg(p, 0)) {
			put_enum(p, value, prctl_sets[i].set);
			return;
		}
	}
	switch (call_arg(p, 0)) {
	case PR_SET_NAME:
		put_string(p, value, 15);
		break;
	case PR_GET_NAME:
		if (call_succeeded(p))
			put_string(p, value, 15);
		else
			put_addr(p, value);
		break;
	case PR_GET_PDEATHSIG:
		if (call_succeeded(p) && peek_number(p, value, 4, &number)) {
			put_text(p, "[");
			put_signal(p, number);
			put_text(p, "]");
		} else {
			put_addr(p, value);
		}
		break;
	case PR_SET_PDEATHSIG:
		put_signal(p, value);
		break;
	case PR_SET_KEEPCAPS:
	case PR_SET_TIMING:
	case PR_SET_TIMERSLACK:
	case PR_SET_CHILD_SUBREAPER:
	case PR_SET_NO_NEW_PRIVS:
	case PR_SET_THP_DISABLE:
		print_ulong(p, value, 0);
		break;
	default:
		if (!prctl_is_bare(call_arg(p, 0)))
			print_hex(p, value, 0);
		break;
	}
}

/* Options that have one argument at most; the others are shown with all five. */
static bool prctl_is_short(uint64_t option)
{
	return (option >= PR_SET_PDEATHSIG && option <= PR_TASK_PERF_EVENTS_ENABLE) ||
	       option == PR_SET_CHILD_SUBREAPER || option == PR_GET_CHILD_SUBREAPER || option == PR_GET_TID_ADDRESS ||
	       option == 0x59616d61;
}

void print_prctl_rest(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t option = call_arg(p, 0);

	(void)aux;
	if (option == PR_SET_SECCOMP && call_arg(p, 1) == 2) {
		if (p->reg == 2)
			put_struct(p, value, STRUCT_filter);
		return;
	}
	if (option == PR_SET_VMA_ && p->reg >= 3) {
		if (p->reg == 3)
			print_ulong(p, value, 0);
		else
			put_string(p, value, 79);
		return;
	}
	if (option == PR_CAP_AMBIENT && p->reg == 2) {
		put_enum(p, value, SET_cap);
		return;
	}
	if (!prctl_is_short(option) || (option >= 17 && option <= 18))
		print_hex(p, value, 0);
}

void print_arch_prctl(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t code = call_arg(p, 0), base;

	(void)aux;
	if (code == 0x1011) /* ARCH_GET_CPUID */
		return;
	if ((code == 0x1003 || code == 0x1004) && call_succeeded(p) && peek_number(p, value, p->word, &base))
		put_format(p, "[%#llx]", (unsigned long long)base);
	else
		print_hex(p, value, 0);
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

	(void)aux;
	if (!name || (op & 0x100 && (op & 0x7f) < 9)) {
		put_format(p, "%#x /* FUTEX_??? */", op);
		return;
	}
	put_text(p, name);
	if (op & 0x80)
		put_text(p, (op & 0x7f) == 2 ? "|FUTEX_PRIVATE_FLAG" : "_PRIVATE");
	if (op & 0x100)
		put_text(p, "|FUTEX_CLOCK_REALTIME");
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
	case FUTEX_TIMED:
	case FUTEX_PI:
	case FUTEX_OTHER:
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

static void put_wake_op(struct printer *p, uint32_t value)
{
	unsigned op = value >> 28, cmp = value >> 24 & 0xf;
	const char *name = value_name(SET_futexop, op & 7), *compare = value_name(SET_futexcmp, cmp);

	put_text(p, op & FUTEX_OP_SHIFT ? "FUTEX_OP_OPARG_SHIFT<<28|" : "");
	if (name)
		put_format(p, "%s<<28", name);
	else
		put_format(p, "%#x<<28 /* FUTEX_OP_??? */", op & 7);
	put_format(p, "|%#x<<12|", value >> 12 & 0xfff);
	if (compare)
		put_format(p, "%s<<24", compare);
	else
		put_format(p, "%#x<<24 /* FUTEX_OP_CMP_??? */", cmp);
	put_format(p, "|%#x", value & 0xfff);
}

void print_futex_val3(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned op;
	enum futex_form form = futex_form(p, &op);

	(void)aux;
	if (form == FUTEX_OP_FORM)
		put_wake_op(p, (uint32_t)value);
	else if ((op == 9 || op == 10) && (uint32_t)value == UINT32_MAX)
		put_text(p, "FUTEX_BITSET_MATCH_ANY");
	else if (op == 9 || op == 10)
		put_format(p, "%#x", (unsigned)value);
	else if (op == 4 || op == 12)
		put_format(p, "%u", (unsigned)value);
	else if (form == FUTEX_OTHER)
		put_format(p, "%#x", (unsigned)value);
}
