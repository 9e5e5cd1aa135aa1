/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptrace(2): its request says what its other arguments are. */
#include <exectrace/target/decode/calls/calls.h>

#include <exectrace/base/kerrno.h>
#include <exectrace/target/syscalls/names.h>

enum ptrace_request {
	TRACEME = 0,
	PEEKTEXT = 1,
	PEEKUSER = 3,
	CONT = 7,
	KILL = 8,
	SINGLESTEP = 9,
	GETREGS = 12,
	SETREGS = 13,
	GETFPREGS = 14,
	SETFPREGS = 15,
	ATTACH = 16,
	DETACH = 17,
	SYSCALL = 24,
	SYSEMU = 31,
	SINGLEBLOCK = 33,
	SETOPTIONS = 0x4200,
	GETEVENTMSG = 0x4201,
	GETSIGINFO = 0x4202,
	SETSIGINFO = 0x4203,
	GETREGSET = 0x4204,
	SETREGSET = 0x4205,
	SEIZE = 0x4206,
	INTERRUPT = 0x4207,
	LISTEN = 0x4208,
	PEEKSIGINFO = 0x4209,
	GETSIGMASK = 0x420a,
	SETSIGMASK = 0x420b,
	SECCOMP_GET_FILTER = 0x420c,
	SECCOMP_GET_METADATA = 0x420d,
	GET_SYSCALL_INFO = 0x420e,
	GET_RSEQ = 0x420f,
};

enum { REGSET_GENERAL = 1, REGSET_FLOAT = 2 }; /* NT_PRSTATUS, NT_FPREGSET */

#define SIGINFO_BYTES 128
#define INFO_EXIT 2        /* PTRACE_SYSCALL_INFO_EXIT */
#define INFO_EXIT_ERROR 32 /* where in a struct ptrace_syscall_info its is_error is */
#define INFO_ALL 84        /* bytes of a struct ptrace_syscall_info up to its last member */

/* The two words behind the pid mean nothing. */
static bool is_bare(uint64_t request)
{
	return request == TRACEME || request == KILL || request == ATTACH || request == INTERRUPT || request == LISTEN;
}

static bool is_peek(uint64_t request)
{
	return request >= PEEKTEXT && request <= PEEKUSER;
}

static bool is_registers(uint64_t request)
{
	return request >= GETREGS && request <= SETFPREGS;
}

bool ptrace_is_late(const struct printer *p)
{
	switch (call_arg(p, 0)) {
	case GETREGS:
	case GETFPREGS:
	case GETEVENTMSG:
	case GETSIGINFO:
	case GETREGSET:
	case SETREGSET:
	case PEEKSIGINFO:
	case GETSIGMASK:
	case SECCOMP_GET_FILTER:
	case SECCOMP_GET_METADATA:
	case GET_SYSCALL_INFO:
	case GET_RSEQ:
		return true;
	default:
		return is_peek(call_arg(p, 0));
	}
}

void ptrace_save(struct printer *p)
{
	uint64_t request = call_arg(p, 0);

	if (request == GETREGSET || request == SETREGSET)
		peek_number(p, call_arg(p, 3) + p->word, p->word, &p->state->saved[0]);
}

/* None of the others means anything to PTRACE_TRACEME. */
void print_ptrace_pid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 0) != TRACEME)
		put_process(p, DECODE_TGID, value);
}

void print_ptrace_addr(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t request = call_arg(p, 0);

	(void)aux;
	if (is_bare(request) || is_registers(request))
		return;
	if (request == GETREGSET || request == SETREGSET)
		put_enum(p, value, SET_u_regset);
	else if (request >= GETSIGMASK && request <= GET_RSEQ)
		print_ulong(p, value, 0);
	else if (request == PEEKSIGINFO)
		put_struct(p, value, STRUCT_u_ptrace_peeksiginfo_args);
	else
		put_addr(p, value);
}

/* --- Registers --- */

/* n bytes of registers; a number of them that there cannot be is not looked at. */
static void put_registers(struct printer *p, uint64_t addr, uint64_t n, unsigned set)
{
	unsigned general = p->word == 8 ? STRUCT_regs64 : STRUCT_regs32;
	unsigned floating = p->word == 8 ? STRUCT_fpregs64 : STRUCT_fpregs32;
	unsigned structure = set == REGSET_GENERAL ? general : floating;

	if (!n || n % p->word || (set != REGSET_GENERAL && set != REGSET_FLOAT)) {
		put_addr(p, addr);
		return;
	}
	if (put_struct_as_long(p, addr, n, structure) && n > struct_size(p, structure)) {
		buf_cut(p->out, p->out->len - 1);
		put_text(p, ", ...}");
	}
}

static void put_all_registers(struct printer *p, uint64_t addr, unsigned set)
{
	put_registers(p, addr,
	              struct_size(p, set == REGSET_GENERAL ? (p->word == 8 ? STRUCT_regs64 : STRUCT_regs32)
	                                                   : (p->word == 8 ? STRUCT_fpregs64 : STRUCT_fpregs32)),
	              set);
}

/* An iovec with a set of registers. */
static void put_register_set(struct printer *p, uint64_t addr)
{
	uint64_t base, len, before = p->state->saved[0];

	if (!peek_number(p, addr, p->word, &base) || !peek_number(p, addr + p->word, p->word, &len)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{iov_base=");
	if (call_arg(p, 0) == GETREGSET && !call_succeeded(p))
		put_addr(p, base);
	else
		put_registers(p, base, call_arg(p, 0) == GETREGSET ? len : before, (unsigned)call_arg(p, 2));
	put_format(p, ", iov_len=%llu", (unsigned long long)before);
	if (before != len)
		put_format(p, " => %llu", (unsigned long long)len);
	put_text(p, "}");
}

/* --- What the kernel says about a stopped thread --- */

static void put_syscall_info(struct printer *p, uint64_t addr)
{
	uint64_t n = call_arg(p, 2), filled = returned_bytes(p), op = 0;

	n = n < filled ? n : filled;
	if (n < 8)
		n = n ? 1 : 0;
	else if (n < INFO_ALL && !(peek_number(p, addr, 1, &op) && op == INFO_EXIT && n > INFO_EXIT_ERROR))
		n &= ~UINT64_C(7);
	put_struct_as_long(p, addr, n, STRUCT_u_ptrace_syscall_info);
}

static void item_siginfo(struct printer *p, uint64_t addr, unsigned aux)
{
	(void)aux;
	put_struct(p, addr, STRUCT_siginfo);
}

static void put_siginfos(struct printer *p, uint64_t addr)
{
	struct array array = {.addr = addr, .n = returned_bytes(p), .size = SIGINFO_BYTES, .print = item_siginfo};

	put_array(p, &array);
}

/* The first word is given, the second one filled in. */
static void put_metadata(struct printer *p, uint64_t addr)
{
	uint64_t n = call_succeeded(p) ? returned_bytes(p) : 8;

	if (call_arg(p, 2) < 8)
		put_addr(p, addr);
	else
		put_struct_as_long(p, addr, n, STRUCT_u_seccomp_metadata);
}

static void put_number(struct printer *p, uint64_t addr, const char *format)
{
	uint64_t word;

	if (!peek_number(p, addr, p->word, &word)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "[");
	if (*format == 'x')
		put_format(p, "%#llx", (unsigned long long)word);
	else
		put_unsigned(p, word);
	put_text(p, "]");
}

/* What the kernel has filled in; false: it has not, or it is nothing of that kind. */
static bool put_filled(struct printer *p, uint64_t value, uint64_t request)
{
	if (request == SECCOMP_GET_METADATA)
		put_metadata(p, value);
	else if (request == GETREGSET || request == SETREGSET)
		put_register_set(p, value);
	else if (!call_succeeded(p))
		return false;
	else if (request == GETREGS || request == GETFPREGS)
		put_all_registers(p, value, request == GETREGS ? REGSET_GENERAL : REGSET_FLOAT);
	else if (request == GETEVENTMSG)
		put_number(p, value, "u");
	else if (request == GETSIGINFO)
		put_struct(p, value, STRUCT_siginfo);
	else if (request == PEEKSIGINFO)
		put_siginfos(p, value);
	else if (request == GETSIGMASK)
		print_sigset(p, value, 2);
	else if (request == GET_SYSCALL_INFO)
		put_syscall_info(p, value);
	else if (request == GET_RSEQ)
		put_struct_as_long(p, value, returned_bytes(p), STRUCT_u_ptrace_rseq_configuration);
	else if (is_peek(request))
		put_number(p, value, "x");
	else
		return false;
	return true;
}

void print_ptrace_data(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t request = call_arg(p, 0);

	(void)aux;
	if (is_bare(request) || (ptrace_is_late(p) && put_filled(p, value, request)))
		return;
	if (request == CONT || request == DETACH || request == SYSCALL || request == SINGLESTEP ||
	    (request >= SYSEMU && request <= SINGLEBLOCK))
		put_signal(p, value);
	else if (request == SETOPTIONS || request == SEIZE)
		put_flags(p, value, SET_ptraceoptions);
	else if (request == SETREGS || request == SETFPREGS)
		put_all_registers(p, value, request == SETREGS ? REGSET_GENERAL : REGSET_FLOAT);
	else if (request == SETSIGINFO)
		put_struct(p, value, STRUCT_siginfo);
	else if (request == SETSIGMASK)
		print_sigset(p, value, 2);
	else
		put_addr(p, value);
}

/* --- Fields --- */

/* The number of a call; aux: how far before it the architecture is. */
void print_syscall_number(struct printer *p, uint64_t value, unsigned aux)
{
	const struct arch *arch = arch_by_call((uint32_t)load_number(p->raw - aux, 4), (uint32_t)value);
	const struct syscall_desc *desc = arch ? syscall_by_nr(arch, (uint32_t)value) : NULL;
	bool inner = p->inner;

	if (!desc)
		put_unsigned(p, value);
	else if (begin_names(p, value, NUMBER_UNSIGNED)) {
		put_format(p, "__NR_%s", desc->name);
		end_names(p, inner);
	}
}

/* The result of a call; aux: how far behind it is_error is. */
void print_syscall_result(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t end = (uint64_t)(p->raw - p->start) + aux;
	const char *name = end < p->length && p->raw[aux] ? errno_name((int)-(int64_t)value) : NULL;
	bool inner = p->inner;

	if (!name)
		put_signed(p, (int64_t)value);
	else if (begin_names(p, value, NUMBER_INT)) {
		put_format(p, "-%s", name);
		end_names(p, inner);
	}
}
