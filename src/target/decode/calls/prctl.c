/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prctl: the first argument says what the others are. */
#include <exectrace/target/decode/calls/calls.h>

#include <sys/prctl.h>

/* Newer than the C library's header. */
#define PR_SET_VMA_ 0x53564d41
#define PR_SET_SYSCALL_USER_DISPATCH_ 59
#define PR_PAC_SET_ENABLED_KEYS_ 60
#define PR_PAC_GET_ENABLED_KEYS_ 61
#define PR_SCHED_CORE_ 62
#define PR_SME_SET_VL_ 63
#define PR_SME_GET_VL_ 64
#define PR_SET_MDWE_ 65
#define PR_SCHED_CORE_GET_ 0

#define NAME_BYTES 15 /* of a thread */
#define VMA_NAME_BYTES 79
#define VECTOR_LENGTH UINT64_C(0xffff)
#define ARGS 4 /* behind the option */

/* How the result of an option is shown. */
enum outcome {
	AS_NUMBER,
	AS_NAME,   /* a number, and its name behind it */
	AS_FLAGS,  /* names of its bits, if one of them has a name */
	AS_LENGTH, /* as put_vector_length has it */
	AS_TAGGED, /* as put_tagged has it */
};

/* What the arguments of an option are; those behind the last kind are not looked at. */
static const struct option {
	uint32_t option;
	uint16_t kinds[ARGS]; /* enum kind; NOTHING: no more */
	uint16_t sets[ARGS];
	uint8_t outcome;   /* enum outcome */
	uint16_t outcomes; /* the set of its names */
} options[] = {
#define NOTHING KIND_MORE
#define FOUR(a, b, c, d)                               \
	{                                              \
		KIND_##a, KIND_##b, KIND_##c, KIND_##d \
	}
#define TWO(a, b)                                    \
	{                                            \
		KIND_##a, KIND_##b, NOTHING, NOTHING \
	}
#define ONE(a)                                      \
	{                                           \
		KIND_##a, NOTHING, NOTHING, NOTHING \
	}
	{PR_GET_DUMPABLE, ONE(MORE), {0}, AS_NAME, SET_dumpable},
	{PR_SET_DUMPABLE, ONE(ENUM), {SET_dumpable}, 0, 0},
	{PR_SET_UNALIGN, ONE(FLAGS), {SET_u_pr_unalign}, 0, 0},
	{PR_CAPBSET_READ, ONE(ENUM), {SET_cap}, 0, 0},
	{PR_CAPBSET_DROP, ONE(ENUM), {SET_cap}, 0, 0},
	{PR_SET_TSC, ONE(ENUM), {SET_tscmode}, 0, 0},
	{PR_GET_SECUREBITS, ONE(MORE), {0}, AS_FLAGS, SET_secbits},
	{PR_SET_SECUREBITS, ONE(WFLAGS), {SET_secbits}, 0, 0},
	{PR_MCE_KILL, FOUR(ENUM, HEX, HEX, HEX), {SET_mcekill}, 0, 0},
	{PR_MCE_KILL_GET, FOUR(HEX, HEX, HEX, HEX), {0}, AS_NAME, SET_mcepolicy},
	{PR_SET_MM, FOUR(ENUM, HEX, HEX, HEX), {SET_setmm}, 0, 0},
	{PR_SET_FP_MODE, ONE(WFLAGS), {SET_u_pr_fp_mode}, 0, 0},
	{PR_GET_FP_MODE, ONE(MORE), {0}, AS_FLAGS, SET_u_pr_fp_mode},
	{PR_CAP_AMBIENT, FOUR(ENUM, HEX, HEX, HEX), {SET_capambient}, 0, 0},
	{PR_SVE_SET_VL, ONE(WFLAGS), {SET_u_pr_sve}, AS_LENGTH, SET_u_pr_sve},
	{PR_SVE_GET_VL, ONE(MORE), {0}, AS_LENGTH, SET_u_pr_sve},
	{PR_SME_SET_VL_, ONE(WFLAGS), {SET_u_pr_sme}, AS_LENGTH, SET_u_pr_sme},
	{PR_SME_GET_VL_, ONE(MORE), {0}, AS_LENGTH, SET_u_pr_sme},
	{PR_GET_SPECULATION_CTRL, ONE(ENUM), {SET_u_pr_spec}, AS_FLAGS, SET_specstate},
	{PR_SET_SPECULATION_CTRL, TWO(ENUM, HEX), {SET_u_pr_spec}, 0, 0},
	{PR_PAC_RESET_KEYS, FOUR(WFLAGS, HEX, HEX, HEX), {SET_u_pr_pac}, 0, 0},
	{PR_SET_TAGGED_ADDR_CTRL, FOUR(HEX, HEX, HEX, HEX), {0}, 0, 0},
	{PR_GET_TAGGED_ADDR_CTRL, FOUR(HEX, HEX, HEX, HEX), {0}, AS_TAGGED, 0},
	{PR_SET_SYSCALL_USER_DISPATCH_, FOUR(ENUM, HEX, HEX, ADDR), {SET_u_pr_dispatch}, 0, 0},
	{PR_PAC_SET_ENABLED_KEYS_, FOUR(WFLAGS, WFLAGS, HEX, HEX), {SET_u_pr_pac_enabled, SET_u_pr_pac_enabled}, 0, 0},
	{PR_PAC_GET_ENABLED_KEYS_, FOUR(HEX, HEX, HEX, HEX), {0}, AS_FLAGS, SET_u_pr_pac_enabled},
	{PR_SCHED_CORE_, FOUR(ENUM, INT, HEX, ADDR), {SET_u_pr_sched_core}, 0, 0},
	{PR_SET_MDWE_, FOUR(WFLAGS, HEX, HEX, HEX), {SET_u_pr_mdwe}, 0, 0},
	{PR_SET_VMA_, FOUR(ENUM, HEX, HEX, HEX), {SET_setvma}, 0, 0},
#undef FOUR
#undef TWO
#undef ONE
};

static const struct option *find_option(uint64_t number)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].option == number)
			return &options[i];
	return NULL;
}

/* Options that fill in a number. */
static bool prctl_fills(uint64_t option)
{
	return option == PR_GET_UNALIGN || option == PR_GET_FPEMU || option == PR_GET_FPEXC || option == PR_GET_TSC ||
	       option == PR_GET_ENDIAN || option == PR_GET_CHILD_SUBREAPER;
}

bool prctl_is_late(const struct printer *p, unsigned kind)
{
	uint64_t option = call_arg(p, 0);

	if (kind == KIND_PRCTLREST)
		return option == PR_SCHED_CORE_ && p->state->reg == ARGS && !(uint32_t)call_arg(p, 1);

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
		put_string(p, addr, NAME_BYTES);
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

/* PR_SVE_SET_VL: a length, and flags above it. */
static void put_vector_length(struct printer *p, uint64_t value, unsigned set)
{
	const struct value_set *names = value_set(set);
	uint64_t flags = value & ~VECTOR_LENGTH;
	bool inner = p->inner;

	if (!flags) {
		put_hex(p, value);
		return;
	}
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	for (size_t i = names->n; i-- > 0;) {
		if (flags & names->names[i].value)
			put_format(p, "%s|", names->names[i].name);
		flags &= ~names->names[i].value;
	}
	if (flags)
		put_format(p, "%#llx|", (unsigned long long)flags);
	put_hex(p, value & VECTOR_LENGTH);
	end_names(p, inner);
}

/* PR_SET_TAGGED_ADDR_CTRL (linux/prctl.h). */
static void put_tagged(struct printer *p, uint64_t value, unsigned aux)
{
	static const char *const checks[] = {"NONE", "SYNC", "ASYNC", "MASK"};
	bool inner = p->inner;

	(void)aux;
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	put_format(p, "%sPR_TAGGED_ADDR_ENABLE|PR_MTE_TCF_%s", value & 1 ? "" : "!", checks[value >> 1 & 3]);
	if (value >> 3 & 0xffff)
		put_format(p, "|%#x<<PR_MTE_TAG_SHIFT", (unsigned)(value >> 3 & 0xffff));
	if (value >> 19)
		put_format(p, "|%#llx", (unsigned long long)(value & ~UINT64_C(0x7ffff)));
	end_names(p, inner);
}

/* PR_SCHED_CORE: whose process, what that is (enum pid_type, which is no part of the headers for programs), and a
 * cookie. */
static void put_core(struct printer *p, uint64_t value, unsigned n)
{
	bool gets = (uint32_t)call_arg(p, 1) == PR_SCHED_CORE_GET_ && call_succeeded(p);
	uint64_t cookie;

	if (n == 1 && (uint32_t)call_arg(p, 3) <= DECODE_SID)
		put_process(p, (enum decode_id)(uint32_t)call_arg(p, 3), value);
	else if (n == 1)
		put_signed(p, (int)value);
	else if (n == 2)
		put_commented(p, put_enum, (uint32_t)value, SET_pidtype);
	else if (n == 3 && gets && peek_number(p, value, 8, &cookie))
		put_format(p, "[%#llx]", (unsigned long long)cookie);
	else
		put_addr(p, value);
}

/* Whether the kernel looks at 32 bits of the first argument only. */
static bool has_narrow_enum(const struct option *option)
{
	return option->option == PR_SET_TSC || option->option == PR_SCHED_CORE_;
}

/* Argument n behind the option, from 0, of an option that the table has. */
static void put_option_argument(struct printer *p, uint64_t value, const struct option *option, unsigned n)
{
	for (unsigned i = 0; i <= n; i++)
		if (option->kinds[i] == NOTHING)
			return;
	if (option->option == PR_SVE_SET_VL || option->option == PR_SME_SET_VL_)
		put_vector_length(p, value, option->sets[n]);
	else if (option->option == PR_SET_TAGGED_ADDR_CTRL && !n)
		put_tagged(p, value, 0);
	else if (option->option == PR_SCHED_CORE_ && n)
		put_core(p, value, n);
	else if (option->kinds[n] == KIND_ENUM)
		put_enum(p, has_narrow_enum(option) ? (uint32_t)value : value, option->sets[n]);
	else
		kind_row(p, option->kinds[n])->print(p, value, option->sets[n]);
}

static void put_ptracer(struct printer *p, uint64_t value)
{
	bool inner = p->inner;

	if ((uint32_t)value != UINT32_MAX) {
		put_process(p, DECODE_TGID, value);
	} else if (begin_names(p, value, NUMBER_INT)) {
		put_text(p, "PR_SET_PTRACER_ANY");
		end_names(p, inner);
	}
}

void print_prctl(struct printer *p, uint64_t value, unsigned aux)
{
	const struct option *option = find_option(call_arg(p, 0));

	(void)aux;
	if (option) {
		put_option_argument(p, value, option, 0);
		return;
	}
	switch (call_arg(p, 0)) {
	case PR_SET_SECCOMP:
		put_enum(p, value, SET_seccompmode);
		break;
	case PR_SET_NAME:
		put_short_name(p, value, NAME_BYTES);
		break;
	case PR_SET_PDEATHSIG:
		if (value > UINT32_MAX)
			print_ulong(p, value, 0);
		else
			put_signal(p, value);
		break;
	case PR_SET_PTRACER:
		put_ptracer(p, value);
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
		if (prctl_is_late(p, KIND_PRCTL))
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
	       option == PR_SET_PTRACER;
}

/* True when the argument is shown: what the second one says of the third or fifth. */
static bool put_special(struct printer *p, uint64_t value, uint64_t option)
{
	uint64_t what = call_arg(p, 1);

	if (option == PR_SET_VMA_ && p->reg == 2 && what == PR_SET_VMA_ANON_NAME)
		put_addr(p, value);
	else if (option == PR_SET_VMA_ && p->reg == 3 && what == PR_SET_VMA_ANON_NAME)
		print_ulong(p, value, 0);
	else if (option == PR_SET_VMA_ && p->reg == 4 && what == PR_SET_VMA_ANON_NAME)
		put_string(p, value, p->d->string_max < VMA_NAME_BYTES ? p->d->string_max : VMA_NAME_BYTES);
	else if (option == PR_CAP_AMBIENT && p->reg == 2 && what >= 1 && what <= 3)
		put_enum(p, value, SET_cap);
	else if (option == PR_SET_SPECULATION_CTRL && p->reg == 2 && value_name(SET_u_pr_spec, what))
		put_enum(p, value, SET_u_pr_spec_control);
	else if (option == PR_MCE_KILL && p->reg == 2 && what == PR_MCE_KILL_SET)
		put_enum(p, value, SET_u_pr_mce_kill);
	else
		return false;
	return true;
}

void print_prctl_rest(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t number = call_arg(p, 0);
	const struct option *option = find_option(number);

	(void)aux;
	if (number == PR_SET_SECCOMP && call_arg(p, 1) <= 2) {
		if (p->reg == 2 && call_arg(p, 1) == 2)
			put_filter_program(p, value, false);
	} else if (put_special(p, value, number)) {
		return;
	} else if (option) {
		put_option_argument(p, value, option, p->reg - 1u);
	} else if (!prctl_is_short(number) || (number >= 17 && number <= 18) || number == PR_SET_SECCOMP) {
		print_hex(p, value, 0);
	}
}

void note_prctl(struct printer *p)
{
	const struct option *option = find_option(call_arg(p, 0));
	uint64_t value = (uint64_t)p->result.value;

	if (!option || (option->option == PR_GET_SPECULATION_CTRL && !value_name(SET_u_pr_spec, call_arg(p, 1))))
		return;
	p->hex_result = option->outcome >= AS_FLAGS;
	if (option->outcome == AS_NAME)
		note_print(p, print_enum, value, option->outcomes);
	else if (option->outcome == AS_FLAGS && has_name(value, option->outcomes))
		note_names(p, put_flags, value, option->outcomes);
	else if (option->outcome == AS_LENGTH && value > VECTOR_LENGTH)
		note_names(p, put_vector_length, value, option->outcomes);
	else if (option->outcome == AS_TAGGED)
		note_names(p, put_tagged, value, 0);
}
