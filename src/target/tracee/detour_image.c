/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/detour.h>

#include <errno.h>

#ifdef __x86_64__

#include "detour_image.h"
#include <elf.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/procfs.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#define PAGE 4096u
#define HEADERS_MAX (16 * PAGE)
#define DATA_AT 152u

_Static_assert(DATA_AT + DETOUR_DATA_MAX == DETOUR_BYTES, "what there is room for");

static const char name[DETOUR_CODE_AT] = "exectrace-pid";

static void put(struct detour_image *image, const void *bytes, size_t n)
{
	memcpy(image->bytes + image->n, bytes, n);
	image->n += n;
}

static void put_load(struct detour_image *image, const char *instruction, uint64_t value)
{
	put(image, instruction, 2);
	put(image, &value, sizeof(value));
}

static bool is_interrupted(const struct user_regs_struct *saved)
{
	return (int64_t)saved->orig_rax >= 0 && is_restart((int64_t)saved->rax);
}

/* With rdi as the first and r11 as the last. */
static void put_loads(struct detour_image *image, const struct user_regs_struct *regs)
{
	put_load(image, "\x48\xbf", regs->rdi);
	put_load(image, "\x48\xbe", regs->rsi);
	put_load(image, "\x48\xba", regs->rdx);
	put_load(image, "\x49\xba", regs->r10);
	put_load(image, "\x49\xb8", regs->r8);
	put_load(image, "\x49\xb9", regs->r9);
	put_load(image, "\x49\xbb", regs->r11);
}

static void put_call(struct detour_image *image, long nr)
{
	const uint32_t number = (uint32_t)nr;

	image->n = DETOUR_MAIN_AT;
	put(image, "\xb8", 1);
	put(image, &number, sizeof(number));
	put(image, "\x0f\x05", DETOUR_SYSCALL_BYTES);
}

/* Its call is made again, or fails. A call changes rcx in any case: to the address behind it. */
static void put_interrupted(struct detour_image *image, const struct user_regs_struct *saved, long nr)
{
	const bool block = (int64_t)saved->rax == -ERESTART_RESTARTBLOCK;

	put(image, "\xeb\x16", 2); /* to DETOUR_MAIN_AT */
	image->entry = image->n;
	put_load(image, "\x48\xb8", (uint64_t)-EINTR);
	put_load(image, "\x48\xb9", saved->rip);
	put(image, "\xeb\x1b", 2); /* to what follows the loads of rax and rcx below */
	put_call(image, nr);
	put_load(image, "\x48\xb8", block ? (uint64_t)SYS_restart_syscall : saved->orig_rax);
	put_load(image, "\x48\xb9", saved->rip - DETOUR_SYSCALL_BYTES);
	put_loads(image, saved);
	put(image, "\xff\xe1", 2); /* jmp *%rcx */
}

static void put_plain(struct detour_image *image, const struct user_regs_struct *saved, long nr)
{
	image->entry = DETOUR_MAIN_AT;
	put_call(image, nr);
	put_load(image, "\x48\xb8", saved->rax);
	put_load(image, "\x48\xb9", saved->rcx);
	put_loads(image, saved);
	put(image, "\xff\x25\x00\x00\x00\x00", 6); /* jmp *0(%rip) */
	put(image, &saved->rip, sizeof(saved->rip));
}

void detour_lay_out(struct detour_image *image, const struct user_regs_struct *saved, const struct detour_call *call)
{
	*image = (struct detour_image){.n = 0};
	put(image, name, sizeof(name));
	if (is_interrupted(saved))
		put_interrupted(image, saved, call->nr);
	else
		put_plain(image, saved, call->nr);
	image->n = DATA_AT;
	if (call->n)
		put(image, call->data, call->n);
	image->n = DETOUR_BYTES;
}

/* Free is what is zero, or what one of us has left who was killed. */
static int is_free(pid_t tid, remote_addr_t at, bool *left)
{
	unsigned char was[DETOUR_BYTES];
	int err = mem_read(tid, at, was, sizeof(was));

	if (err)
		return err;
	*left = memcmp(was, name, sizeof(name)) == 0;
	if (*left)
		return 0;
	for (size_t i = 0; i < sizeof(was); i++) {
		if (was[i])
			return -ENOTSUP;
	}
	return 0;
}

int detour_find(struct detour *detour, pid_t tid)
{
	uint64_t base = 0, end = 0;
	Elf64_Ehdr header;

	*detour = (struct detour){.tid = tid};
	if (proc_auxv(tid, AT_SYSINFO_EHDR, &base) || !base || mem_read(tid, base, &header, sizeof(header)))
		return -ENOTSUP;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > HEADERS_MAX)
		return -ENOTSUP;
	end = header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
	if (end % PAGE == 0 || PAGE - end % PAGE < DETOUR_BYTES)
		return -ENOTSUP;
	detour->at = base + (end / PAGE + 1) * PAGE - DETOUR_BYTES;
	detour->data = detour->at + DATA_AT;
	return is_free(tid, detour->at, &detour->left);
}

int detour_clean(const struct detour *detour)
{
	const unsigned char zero[DETOUR_BYTES] = {0};

	return mem_poke(detour->tid, detour->at, zero, sizeof(zero));
}

#else

int detour_find(struct detour *detour, pid_t tid)
{
	*detour = (struct detour){.tid = tid};
	return -ENOTSUP;
}

int detour_clean(const struct detour *detour)
{
	(void)detour;
	return -ENOTSUP;
}

#endif
