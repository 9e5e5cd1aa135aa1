/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prctl and arch_prctl: the first argument says what the others are. */
#include <exectrace/target/decode/calls/calls.h>

#include <sys/prctl.h>

#define PR_SET_VMA_ 0x53564d41

/* Options whose second argument has a name. */
static const struct {
	uint32_t option;
	unsigned set;
} prctl_sets[] = {
	{PR_SET_DUMPABLE, SET_dumpable}, {PR_SET_SECCOMP, SET_seccompmode}, {PR_CAPBSET_READ, SET_cap},
	{PR_CAPBSET_DROP, SET_cap},      {PR_CAP_AMBIENT, SET_capambient},  {PR_SET_MM, SET_setmm},
	{PR_SET_VMA_, SET_setvma},       {PR_SET_TSC, SET_tscmode},         {PR_MCE_KILL, SET_mcekill},
};

/* Options that fill in a number. */
static bool prctl_fills(uint64_t option)
{
	return option == PR_GET_UNALIGN || option == PR_GET_FPEMU || option == PR_GET_FPEXC || option == PR_GET_TSC ||
	       option == PR_GET_ENDIAN || option == PR_GET_CHILD_SUBREAPER;
}

bool prctl_is_late(const struct printer *p)
{
	uint64_t option = call_arg(p, 0);

	return option == PR_GET_NAME || option == PR_GET_PDEATHSIG || option == PR_GET_TID_ADDRESS ||
	       prctl_fills(option);
}

static void put_filled(struct printer *p, uint64_t addr)
{
	uint64_t option = call_arg(p, 0), number;

	if (!call_succeeded(p) || !peek_number(p, addr, option == PR_GET_TID_ADDRESS ? p->word : 4, &number)) {
		put_addr(p, addr);
		return;
	}
	if (option == PR_GET_NAME) {
		put_string(p, addr, 15);
		return;
	}
	put_text(p, "[");
	if (option == PR_GET_PDEATHSIG)
		put_signal(p, number);
	else if (option == PR_GET_TSC)
		put_enum(p, number, SET_tscmode);
	else if (option == PR_GET_TID_ADDRESS)
		put_hex(p, number);
	else
		put_format(p, "%u", (unsigned)number);
	put_text(p, "]");
}

/* Options that take nothing. */
static bool prctl_is_bare(uint64_t option)
{
	return option == PR_GET_DUMPABLE || option == PR_GET_KEEPCAPS || option == PR_GET_TIMING ||
	       option == PR_GET_SECCOMP || option == PR_GET_SECUREBITS ||
	       (option >= PR_GET_TIMERSLACK && option <= PR_TASK_PERF_EVENTS_ENABLE);
}

void print_prctl(struct printer *p, uint64_t value, unsigned aux)
{
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
	case PR_SET_SECUREBITS:
		put_flags(p, value, SET_secbits);
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
		if (prctl_is_late(p))
			put_filled(p, value);
		else if (!prctl_is_bare(call_arg(p, 0)))
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
		if (p->reg == 3 || call_arg(p, 1) != PR_SET_VMA_ANON_NAME)
			print_ulong(p, value, 0);
		else
			put_string(p, value, 79);
		return;
	}
	if (option == PR_CAP_AMBIENT && p->reg == 2 && call_arg(p, 1) != PR_CAP_AMBIENT_CLEAR_ALL) {
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
