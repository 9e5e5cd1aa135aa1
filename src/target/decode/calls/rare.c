/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments that only one call has. */
#include <exectrace/target/decode/calls/calls.h>

#include <exectrace/base/cleanup.h>
#include <linux/mount.h>
#include <string.h>

#define REBOOT_MAX 255u /* bytes that the kernel reads of what is handed to the firmware */

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

/* --- Segments of x86 --- */

static void put_entry_number(struct printer *p, uint32_t number)
{
	put_text(p, "{entry_number=");
	if (number == UINT32_MAX)
		put_text(p, "-1");
	else
		put_unsigned(p, number);
}

/* What stands behind entry_number: 64-bit programs have one flag more. */
static void put_segment(struct printer *p, const uint32_t *words)
{
	static const char *const names[] = {"limit_in_pages", "seg_not_present", "useable", "lm"};

	put_format(p, ", base_addr=%#08x, limit=%#08x", words[1], words[2]);
	put_format(p, ", seg_32bit=%u, contents=%u, read_exec_only=%u", words[3] & 1, words[3] >> 1 & 3,
	           words[3] >> 3 & 1);
	for (unsigned i = 0; i < (p->word == 8 ? 4 : 3); i++)
		put_format(p, ", %s=%u", names[i], words[3] >> (4 + i) & 1);
}

/* aux: the register with its size; 0: it has no other one than ours. */
void print_user_desc(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t words[4];

	if ((aux && call_arg(p, aux) != sizeof(words)) || !peek_bytes(p, value, words, sizeof(words))) {
		put_addr(p, value);
		return;
	}
	put_entry_number(p, words[0]);
	put_segment(p, words);
	put_text(p, "}");
}

void print_user_desc_out(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t words[4];

	(void)aux;
	if (!peek_bytes(p, value, words, sizeof(words[0]))) {
		put_addr(p, value);
		return;
	}
	put_entry_number(p, words[0]);
	if (call_succeeded(p) && peek_bytes(p, value, words, sizeof(words)))
		put_segment(p, words);
	else
		put_text(p, ", ...");
	put_text(p, "}");
}

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
		put_filter_program(p, value, false);
	else if (call_arg(p, 0) == 2 && peek_number(p, value, 4, &action))
		put_action(p, action);
	else
		put_addr(p, value);
}

/* --- fsconfig --- */

#define FSCONFIG_KEY 256u       /* bytes of a key or of a string: the kernel looks no further for their end */
#define FSCONFIG_BLOB 0x100000u /* bytes of a value: the kernel takes no more */
#define BLOB_SHOWN 4096u

static void put_setting(struct printer *p, uint64_t addr)
{
	if (p->d->string_max < FSCONFIG_KEY)
		put_string(p, addr, p->d->string_max);
	else
		put_short_name(p, addr, FSCONFIG_KEY);
}

static void put_blob(struct printer *p, uint64_t addr, uint32_t n)
{
	unsigned char bytes[BLOB_SHOWN];
	uint32_t shown = n < sizeof(bytes) ? n : (uint32_t)sizeof(bytes);

	if (shown > p->d->string_max)
		shown = (uint32_t)p->d->string_max;
	if (!addr || n > FSCONFIG_BLOB || (shown && !peek_bytes(p, addr, bytes, shown))) {
		put_addr(p, addr);
		return;
	}
	put_hex_quoted(p, bytes, shown);
	put_text(p, shown < n ? "..." : "");
}

void print_fsconfig_key(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	if ((uint32_t)call_arg(p, 1) <= FSCONFIG_SET_FD)
		put_setting(p, value);
	else
		put_addr(p, value);
}

void print_fsconfig_value(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	switch ((uint32_t)call_arg(p, 1)) {
	case FSCONFIG_SET_STRING:
		put_setting(p, value);
		break;
	case FSCONFIG_SET_BINARY:
		put_blob(p, value, (uint32_t)call_arg(p, 4));
		break;
	case FSCONFIG_SET_PATH:
	case FSCONFIG_SET_PATH_EMPTY:
		print_path(p, value, 0);
		break;
	default:
		put_addr(p, value);
		break;
	}
}

void print_fsconfig_aux(struct printer *p, uint64_t value, unsigned aux)
{
	switch ((uint32_t)call_arg(p, 1)) {
	case FSCONFIG_SET_PATH:
	case FSCONFIG_SET_PATH_EMPTY:
		print_atfd(p, value, aux);
		break;
	case FSCONFIG_SET_FD:
		print_fd(p, value, aux);
		break;
	default:
		print_int(p, value, aux);
		break;
	}
}

void print_reboot_arg(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	cleanup_buf struct buf text = BUF_INIT;
	int ended;

	if (call_arg(p, 2) != 0xa1b2c3d4)
		return;
	if (p->d->string_max < REBOOT_MAX) {
		put_string(p, value, p->d->string_max);
		return;
	}
	ended = peek_string(p, value, REBOOT_MAX, &text);
	if (ended < 0)
		put_addr(p, value);
	else
		put_quoted(p, text.data ? text.data : "", text.len, !ended);
}

void print_restart(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	if (p->state->before)
		put_format(p, "<... resuming interrupted %s ...>",
		           *p->state->before->name ? p->state->before->name : "system call");
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
	if (call_arg(p, 0) == SYSLOG_LEVEL)
		print_enumd(p, value, SET_loglevel);
	else if (syslog_reads(p) || call_arg(p, 0) > 10)
		print_int(p, value, 0);
}

/* --- kcmp --- */

/* The descriptor of an epoll, one that it watches, and which of that number. */
static void put_slot(struct printer *p, pid_t of, uint64_t addr)
{
	unsigned char slot[12];

	if (!peek_bytes(p, addr, slot, sizeof(slot))) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "{efd=");
	put_fd_of(p, of, load_number(slot, 4));
	put_text(p, ", tfd=");
	put_fd_of(p, of, load_number(slot + 4, 4));
	put_format(p, ", toff=%u}", (unsigned)load_number(slot + 8, 4));
}

/* Only two of the comparisons are of something in the processes: descriptors, and one that epoll watches. */
void print_kcmp(struct printer *p, uint64_t value, unsigned aux)
{
	unsigned type = (unsigned)call_arg(p, 2);
	const bool has_fd = type == 0 || type == 7, looks = has_fd && p->d->fd_path && p->d->find_process;
	pid_t of = looks ? p->d->find_process(p->d->user, DECODE_TGID, (int)call_arg(p, p->reg - 3u)) : 0;

	(void)aux;
	if (type == 0 || (type == 7 && p->reg == 3))
		put_fd_of(p, of, value);
	else if (type == 7)
		put_slot(p, of, value);
	else if (type > 7)
		print_hex(p, value, 0);
}

/* --- arch_prctl --- */

enum arch_code {
	ARCH_GET_FS = 0x1003,
	ARCH_GET_GS,
	ARCH_GET_CPUID = 0x1011,
	ARCH_GET_XCOMP_SUPP = 0x1021,
	ARCH_GET_XCOMP_PERM,
	ARCH_REQ_XCOMP_PERM,
	ARCH_GET_XCOMP_GUEST_PERM,
	ARCH_REQ_XCOMP_GUEST_PERM,
};

static bool gets_features(uint64_t code)
{
	return code == ARCH_GET_XCOMP_SUPP || code == ARCH_GET_XCOMP_PERM || code == ARCH_GET_XCOMP_GUEST_PERM;
}

static bool wants_feature(uint64_t code)
{
	return code == ARCH_REQ_XCOMP_PERM || code == ARCH_REQ_XCOMP_GUEST_PERM;
}

bool arch_prctl_is_late(const struct printer *p)
{
	uint64_t code = (uint32_t)call_arg(p, 0);

	return code == ARCH_GET_FS || code == ARCH_GET_GS || gets_features(code);
}

void print_arch_prctl(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t code = (uint32_t)call_arg(p, 0), filled;

	(void)aux;
	if (code == ARCH_GET_CPUID)
		return;
	if (wants_feature(code)) {
		put_commented(p, put_enum, value, SET_xfeature);
	} else if (!arch_prctl_is_late(p)) {
		print_hex(p, value, 0);
	} else if (!call_succeeded(p) || !peek_number(p, value, gets_features(code) ? 8 : p->word, &filled)) {
		put_addr(p, value);
	} else {
		put_text(p, "[");
		if (gets_features(code))
			put_commented(p, put_flags, filled, SET_xfeatures);
		else
			put_addr(p, filled);
		put_text(p, "]");
	}
}

void note_arch_prctl(struct printer *p)
{
	uint64_t value = (uint64_t)p->result.value;

	if (!wants_feature((uint32_t)call_arg(p, 0)))
		return;
	p->hex_result = true;
	if (has_name(value, SET_xfeatures))
		note_names(p, put_flags, value, SET_xfeatures);
}
