/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals: sets of them, handlers, siginfo; and how a process has ended. */
#include <exectrace/target/syscalls/names.h>

#include <exectrace/target/decode/values/printer.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define SIGNALS 64
#define UCONTEXT_MASK 296      /* offset of uc_sigmask in the x86-64 frame that the stack pointer shows */
#define UCONTEXT_MASK_I386 248 /* and of that in the frame of i386's rt_sigreturn */

void put_signal(struct printer *p, uint64_t sig)
{
	char name[SIGNAL_NAME_MAX];
	bool inner = p->inner, has_name = strncmp(signal_name((int)sig, name), "SIG", 3) == 0;

	if (!has_name) {
		put_text(p, name);
		return;
	}
	if (!begin_names(p, sig, NUMBER_INT))
		return;
	put_text(p, name);
	end_names(p, inner);
}

void print_signal(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_signal(p, value);
}

/* When most are set, those that are not: ~[INT TERM]. */
static void put_mask(struct printer *p, uint64_t bits, unsigned n)
{
	unsigned set = (unsigned)__builtin_popcountll(bits);
	bool most = set >= n * 2 / 3;
	const char *separator = "";
	bool inner = p->inner;

	put_text(p, most ? "~[" : "[");
	for (unsigned sig = 1; sig <= n; sig++) {
		char name[SIGNAL_NAME_MAX];

		if ((bool)(bits >> (sig - 1) & 1) == most)
			continue;
		signal_name((int)sig, name);
		put_text(p, separator);
		separator = " ";
		if (!begin_names(p, sig, NUMBER_INT))
			continue;
		put_text(p, strncmp(name, "SIG", 3) == 0 ? name + 3 : name);
		end_names(p, inner);
	}
	put_text(p, "]");
}

void put_sigset(struct printer *p, uint64_t bits)
{
	put_mask(p, bits, SIGNALS);
}

/* aux: the register with its size. */
void print_sigset(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t size = call_arg(p, aux), bits;

	/* The kernel takes no other size, but for what it fills in. */
	if ((size == 8 || (p->at_exit && size && size < 8)) && peek_number(p, value, (unsigned)size, &bits))
		put_mask(p, bits, (unsigned)size * 8);
	else
		put_addr(p, value);
}

void print_old_sigset(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t bits;

	(void)aux;
	if (peek_number(p, value, p->word, &bits))
		put_mask(p, bits, p->word * 8);
	else
		put_addr(p, value);
}

/* The set itself. */
void print_sigmask(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_mask(p, value, p->size * 8);
}

/* i386's first sigsuspend has its mask third (kernel/signal.c); what comes before is not used. */
void print_sigsuspend(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	print_sigmask(p, call_arg(p, 2), aux);
}

void print_handler(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t error = p->word == 4 ? UINT32_MAX : UINT64_MAX;
	bool inner = p->inner;

	(void)aux;
	if (value != (uintptr_t)SIG_DFL && value != (uintptr_t)SIG_IGN && value != error) {
		put_hex(p, value);
		return;
	}
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	put_text(p, value == error ? "SIG_ERR" : value ? "SIG_IGN" : "SIG_DFL");
	end_names(p, inner);
}

void print_restorer(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	/* sa_flags lies before it in both layouts. */
	if (load_number(p->raw - p->word, 4) & 0x04000000)
		put_addr(p, value);
}

uint64_t sigreturn_mask(const struct printer *p)
{
	return p->call->sp ? p->call->sp + (p->word == 4 ? UCONTEXT_MASK_I386 : UCONTEXT_MASK) : 0;
}

void print_sigreturn(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t bits;

	(void)value;
	(void)aux;
	if (peek_number(p, sigreturn_mask(p), 8, &bits)) {
		put_text(p, "{mask=");
		put_sigset(p, bits);
		put_text(p, "}");
	}
}

/* --- siginfo --- */

static unsigned code_set(int sig)
{
	switch (sig) {
	case SIGCHLD:
		return SET_sicodechld;
	case SIGSEGV:
		return SET_sicodesegv;
	case SIGFPE:
		return SET_sicodefpe;
	case SIGILL:
		return SET_sicodeill;
	case SIGBUS:
		return SET_sicodebus;
	case SIGTRAP:
		return SET_sicodetrap;
	case SIGSYS:
		return SET_sicodesys;
	case SIGIO:
		return SET_sicodepoll;
	default:
		return SET_sicode;
	}
}

static void put_sender(struct printer *p, const unsigned char *f)
{
	put_text(p, ", si_pid=");
	put_process(p, DECODE_TGID, load_number(f, 4));
	put_text(p, ", si_uid=");
	print_uid(p, load_number(f + 4, 4), 0);
}

static void put_ticks(struct printer *p, const char *name, uint64_t ticks)
{
	put_format(p, ", %s=", name);
	p->size = p->word;
	print_ticks(p, ticks, 0);
}

static void put_chld(struct printer *p, const unsigned char *f, int code)
{
	unsigned status = (unsigned)load_number(f + 8, 4);
	unsigned clock = p->word == 8 ? 16 : 12;

	put_sender(p, f);
	put_text(p, ", si_status=");
	if (code == CLD_EXITED)
		put_format(p, "%d", (int)status);
	else
		put_signal(p, status);
	put_ticks(p, "si_utime", load_number(f + clock, p->word));
	put_ticks(p, "si_stime", load_number(f + clock + p->word, p->word));
}

static void put_sigsys(struct printer *p, const unsigned char *f)
{
	unsigned audit = (unsigned)load_number(f + p->word + 4, 4);
	uint32_t nr = (uint32_t)load_number(f + p->word, 4);
	const struct arch *arch = arch_by_call(audit, nr);
	const struct syscall_desc *desc = arch ? syscall_by_nr(arch, nr) : NULL;
	bool inner = p->inner;

	put_text(p, ", si_call_addr=");
	put_addr(p, load_number(f, p->word));
	put_text(p, ", si_syscall=");
	if (!desc)
		put_unsigned(p, nr);
	else if (begin_names(p, nr, NUMBER_UNSIGNED)) {
		put_format(p, "__NR_%s", desc->name);
		end_names(p, inner);
	}
	put_text(p, ", si_arch=");
	put_enum(p, audit, SET_auditarch);
}

static void put_sent(struct printer *p, const unsigned char *f, int code)
{
	bool always = code == SI_USER || code == SI_TKILL || code == SI_QUEUE || code == SI_MESGQ;

	if (always || load_number(f, 8))
		put_sender(p, f);
	if (code == SI_QUEUE || code == SI_MESGQ || (!always && load_number(f + 8, p->word))) {
		put_format(p, ", si_int=%d, si_ptr=", (int)load_number(f + 8, 4));
		put_addr(p, load_number(f + 8, p->word));
	}
}

/* sigaction(2): what there is beside the address. */
static void put_fault(struct printer *p, const unsigned char *f, int sig, int code)
{
	put_text(p, ", si_addr=");
	put_addr(p, load_number(f, p->word));
	if (sig == SIGBUS && (code == 4 || code == 5)) { /* BUS_MCEERR_AR, _AO */
		put_format(p, ", si_addr_lsb=%#x", (unsigned)load_number(f + p->word, 2));
	} else if (sig == SIGSEGV && code == 3) { /* SEGV_BNDERR */
		put_text(p, ", si_lower=");
		put_addr(p, load_number(f + 2 * p->word, p->word));
		put_text(p, ", si_upper=");
		put_addr(p, load_number(f + 3 * p->word, p->word));
	} else if (sig == SIGSEGV && code == 4) { /* SEGV_PKUERR */
		put_format(p, ", si_pkey=%u", (unsigned)load_number(f + 2 * p->word, 4));
	}
}

static void put_poll(struct printer *p, const unsigned char *f)
{
	p->size = p->word;
	put_text(p, ", si_band=");
	put_signed(p, as_signed(p, load_number(f, p->word)));
	put_text(p, ", si_fd=");
	print_fd(p, load_number(f + p->word, 4), 0);
}

static void put_code(struct printer *p, int sig, int code)
{
	unsigned set = code > 0 && code < 0x80 ? code_set(sig) : SET_sicode;

	put_text(p, ", si_code=");
	if (value_name(set, (uint32_t)code))
		put_enum(p, (uint32_t)code, set);
	else
		put_hex(p, (uint32_t)code);
}

static void put_error(struct printer *p, int err)
{
	const char *name = err > 0 ? errno_name(err) : NULL;
	bool inner = p->inner;

	put_text(p, ", si_errno=");
	if (!name)
		put_unsigned(p, (unsigned)err);
	else if (begin_names(p, (unsigned)err, NUMBER_UNSIGNED)) {
		put_text(p, name);
		end_names(p, inner);
	}
}

void put_siginfo(struct printer *p, const unsigned char *raw)
{
	int sig = (int)load_number(raw, 4), err = (int)load_number(raw + 4, 4), code = (int)load_number(raw + 8, 4);
	const unsigned char *f = raw + (p->word == 8 ? 16 : 12);

	if (!sig) {
		put_text(p, "{}");
		return;
	}
	put_text(p, "{si_signo=");
	put_signal(p, (uint32_t)sig);
	put_code(p, sig, code);
	if (err)
		put_error(p, err);
	if (code == SI_TIMER) {
		put_format(p, ", si_timerid=%#x, si_overrun=%d, si_int=%d, si_ptr=", (unsigned)load_number(f, 4),
		           (int)load_number(f + 4, 4), (int)load_number(f + 8, 4));
		put_addr(p, load_number(f + 8, p->word));
	} else if (code == SI_SIGIO || (sig == SIGIO && code > 0 && code != SI_KERNEL))
		put_poll(p, f);
	else if (code <= 0)
		put_sent(p, f, code);
	else if (sig == SIGCHLD)
		put_chld(p, f, code);
	else if (sig == SIGSYS)
		put_sigsys(p, f);
	else if (sig == SIGSEGV || sig == SIGFPE || sig == SIGILL || sig == SIGBUS || sig == SIGTRAP)
		put_fault(p, f, sig, code);
	else if (code != SI_KERNEL)
		put_sent(p, f, code);
	put_text(p, "}");
}

/* As a field of a structure that is not in the process any more; put_struct handles the one that is. */
void print_siginfo(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_signal(p, value);
}

/* --- How a process has ended --- */

static void put_status(struct printer *p, int status)
{
	char name[SIGNAL_NAME_MAX];

	if (WIFSTOPPED(status)) {
		bool syscall = WSTOPSIG(status) == (SIGTRAP | 0x80);

		signal_name(syscall ? SIGTRAP : WSTOPSIG(status), name);
		put_format(p, "{WIFSTOPPED(s) && WSTOPSIG(s) == %s%s}", name, syscall ? " | 0x80" : "");
		if (status >> 16)
			put_format(p, " | %#x", (unsigned)status >> 16 << 16);
	} else if (WIFSIGNALED(status)) {
		put_format(p, "{WIFSIGNALED(s) && WTERMSIG(s) == %s%s}", signal_name(WTERMSIG(status), name),
		           WCOREDUMP(status) ? " && WCOREDUMP(s)" : "");
	} else if (WIFCONTINUED(status)) {
		put_text(p, "{WIFCONTINUED(s)}");
	} else if (WIFEXITED(status)) {
		put_format(p, "{WIFEXITED(s) && WEXITSTATUS(s) == %d}", WEXITSTATUS(status));
		if (status & ~0xff00)
			put_format(p, " | %#x", (unsigned)status & ~0xff00u);
	} else {
		put_format(p, "%#x", (unsigned)status);
	}
}

void print_wstatus(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t status;

	(void)aux;
	if (!call_succeeded(p) || p->result.value <= 0 || !peek_number(p, value, 4, &status)) {
		put_addr(p, value);
		return;
	}
	put_text(p, "[");
	put_status(p, (int)status);
	put_text(p, "]");
}
