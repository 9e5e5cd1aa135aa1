/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments that only one call has. */
#include <exectrace/target/decode/calls/calls.h>

#include <string.h>

/* i386's first mmap: six words in memory. */
void print_old_mmap(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t words[6];

	(void)aux;
	if (!peek_bytes(p, value, words, sizeof(words))) {
		put_addr(p, value);
		return;
	}
	put_addr(p, words[0]);
	put_format(p, ", %u, ", words[1]);
	put_flags(p, words[2], SET_prot);
	put_text(p, ", ");
	print_mmap(p, words[3], 0);
	put_text(p, ", ");
	print_fd(p, words[4], 0);
	put_format(p, ", %#x", words[5]);
}

/* --- ptrace --- */

enum ptrace_request {
	TRACEME = 0,
	PEEKTEXT = 1,
	PEEKUSER = 3,
	POKEUSER = 6,
	CONT = 7,
	KILL = 8,
	SINGLESTEP = 9,
	GETREGS = 12,
	SETFPREGS = 15,
	ATTACH = 16,
	DETACH = 17,
	SYSCALL = 24,
	SYSEMU = 31,
	SINGLEBLOCK = 33,
	SETOPTIONS = 0x4200,
	GETREGSET = 0x4204,
	SETREGSET = 0x4205,
	SEIZE = 0x4206,
	GET_SYSCALL_INFO = 0x420e,
};

/* The two words behind the pid mean nothing. */
static bool is_bare(uint64_t request)
{
	return request == TRACEME || request == KILL || request == ATTACH;
}

static bool is_peek(uint64_t request)
{
	return request >= PEEKTEXT && request <= PEEKUSER;
}

bool ptrace_is_late(const struct printer *p)
{
	return is_peek(call_arg(p, 0));
}

/* None of the others means anything to PTRACE_TRACEME. */
void print_ptrace_pid(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 0) != TRACEME)
		print_int(p, value, 0);
}

void print_ptrace_addr(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t request = call_arg(p, 0);

	(void)aux;
	if (is_bare(request) || (request >= GETREGS && request <= SETFPREGS))
		return;
	if (request == GETREGSET || request == SETREGSET)
		put_enum(p, (uint32_t)value, SET_regset);
	else if (request == GET_SYSCALL_INFO)
		print_ulong(p, value, 0);
	else
		put_addr(p, value);
}

void print_ptrace_data(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t request = call_arg(p, 0), word;

	(void)aux;
	if (is_bare(request))
		return;
	if (is_peek(request) && call_succeeded(p) && peek_number(p, value, p->word, &word))
		put_format(p, "[%#llx]", (unsigned long long)word);
	else if (request >= SYSEMU && request <= SINGLEBLOCK)
		print_int(p, value, 0);
	else if (request == CONT || request == DETACH || request == SYSCALL || request == SINGLESTEP)
		put_signal(p, value);
	else if (request == SETOPTIONS || request == SEIZE)
		put_flags(p, value, SET_ptraceoptions);
	else if (request >= GETREGS && request <= SETFPREGS)
		put_addr(p, value);
	else
		print_hex(p, value, 0);
}

/* --- keyctl --- */

/* What the arguments of each operation are: k a key, d a number, n a size, s a string, x a word; fewer letters: fewer
 * arguments. */
static const char *const keyctl_forms[] = {
	"kd",  "s",    "kxn",  "k",    "kdd",  "kx",   "kxn",  "k",   "kk",   "kk",   "kssk",
	"kxn", "kxnk", "kdk",  "d",    "kd",   "k",    "kxn",  "",    "kddk", "kxdk", "k",
	"dk",  "xxnx", "kxxx", "xxxx", "xxxx", "xxxx", "xxxx", "kss", "kkkx", "xn",
};

/* aux: which argument it is. */
void print_keyctl(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t operation = call_arg(p, 0);
	const char *form =
		operation < sizeof(keyctl_forms) / sizeof(keyctl_forms[0]) ? keyctl_forms[operation] : "xxxx";

	if (aux >= strlen(form))
		return;
	if (form[aux] == 'k')
		print_keyid(p, value, 0);
	else if (form[aux] == 'd')
		print_int(p, value, 0);
	else if (form[aux] == 'n')
		print_ulong(p, value, 0);
	else if (form[aux] == 's')
		put_string(p, value, p->d->string_max);
	else
		print_hex(p, value, 0);
}

/* A descriptor of a segment, for the threads of i386. */
void print_user_desc(struct printer *p, uint64_t value, unsigned aux)
{
	static const char *const names[] = {"limit_in_pages", "seg_not_present", "useable"};
	uint32_t words[4];

	(void)aux;
	if (!peek_bytes(p, value, words, sizeof(words))) {
		put_addr(p, value);
		return;
	}
	put_format(p, "{entry_number=%d, base_addr=%#08x, limit=%#08x", (int)words[0], words[1], words[2]);
	put_format(p, ", seg_32bit=%u, contents=%u, read_exec_only=%u", words[3] & 1, words[3] >> 1 & 3,
	           words[3] >> 3 & 1);
	for (unsigned i = 0; i < 3; i++)
		put_format(p, ", %s=%u", names[i], words[3] >> (4 + i) & 1);
	put_text(p, "}");
}

/* --- Others --- */

/* Only with a flag that says so. */
void print_membarrier_cpu(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 1) & 1)
		print_int(p, value, 0);
}

void print_rseq_flags(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if ((uint32_t)value == 1)
		put_text(p, "RSEQ_FLAG_UNREGISTER");
	else
		print_hex32(p, value, 0);
}

static void put_action(struct printer *p, uint64_t action)
{
	put_text(p, "[");
	put_enum(p, action, SET_seccompaction);
	put_text(p, "]");
}

void print_seccomp_arg(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t action;

	(void)aux;
	if (call_arg(p, 0) == 3 && call_succeeded(p))
		put_struct(p, value, STRUCT_u_seccomp_notif_sizes);
	else if (call_arg(p, 0) == 1)
		put_struct(p, value, STRUCT_filter);
	else if (call_arg(p, 0) == 2 && peek_number(p, value, 4, &action))
		put_action(p, action);
	else
		put_addr(p, value);
}

void print_fsconfig_value(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 1) == 1)
		put_string(p, value, p->d->string_max);
	else if (call_arg(p, 1) == 3 || call_arg(p, 1) == 4)
		print_path(p, value, 0);
	else
		put_addr(p, value);
}

void print_reboot_arg(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (call_arg(p, 2) == 0xa1b2c3d4)
		put_string(p, value, p->d->string_max);
}

void print_restart(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	if (p->state->before)
		put_format(p, "<... resuming interrupted %s ...>", p->state->before->name);
}

/* _llseek(fd, high, low, result, whence) of i386: the offset is shown as one. */
void print_llseek_offset(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_format(p, "%lld", (long long)(value << 32 | call_arg(p, 2)));
}

void print_llseek_result(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t offset;

	(void)value;
	(void)aux;
	if (call_succeeded(p) && peek_number(p, call_arg(p, 3), 8, &offset))
		put_format(p, "[%lld]", (long long)offset);
	else
		put_addr(p, call_arg(p, 3));
}

void print_llseek_whence(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_enum(p, call_arg(p, 4), SET_whence);
}

/* --- syslog --- */

enum syslog_action { SYSLOG_READ = 2, SYSLOG_READ_CLEAR = 4, SYSLOG_LEVEL = 8 };

static bool syslog_reads(const struct printer *p)
{
	return call_arg(p, 0) >= SYSLOG_READ && call_arg(p, 0) <= SYSLOG_READ_CLEAR;
}

void print_syslog_buf(struct printer *p, uint64_t value, unsigned aux)
{
	if (syslog_reads(p) && call_succeeded(p))
		print_obuf(p, value, aux);
	else if (syslog_reads(p) || call_arg(p, 0) == SYSLOG_LEVEL || call_arg(p, 0) > 10)
		put_addr(p, value);
}

void print_syslog_len(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if (syslog_reads(p) || call_arg(p, 0) == SYSLOG_LEVEL || call_arg(p, 0) > 10)
		print_int(p, value, 0);
}

/* --- kcmp --- */

/* Only two of the comparisons are of something in the processes: descriptors, and one that epoll watches. */
void print_kcmp(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned type = (unsigned)call_arg(p, 2);

	(void)aux;
	if (type == 0)
		print_fd(p, value, 0);
	else if (type == 7 && p->reg == 3)
		print_fd(p, value, 0);
	else if (type == 7)
		put_struct(p, value, STRUCT_u_kcmp_epoll_slot);
	else if (type > 7)
		print_hex(p, value, 0);
}
