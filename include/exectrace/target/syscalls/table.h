/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each system call is: its name, its arguments, its classes. One description a name; the numbers of x86-64, x32
 * and i386 lead to it. Complete for Linux 6.12. Source: the kernel's asm/unistd_*.h and the manual pages of section 2.
 */
#ifndef EXECTRACE_TARGET_SYSCALLS_TABLE_H
#define EXECTRACE_TARGET_SYSCALLS_TABLE_H

#include <exectrace/target/arch/arch.h>
#include <stddef.h>
#include <stdint.h>

#define SYSCALL_ARGS 6      /* registers that hold arguments */
#define SYSCALL_NR_MAX 1024 /* every number of every table is below this, nr_bit taken off */

/* Classes, with the meaning that strace(1) gives to `-e trace=%class`. */
enum syscall_class {
	SYSCALL_FILE = 1 << 0,    /* takes the name of a file */
	SYSCALL_PROCESS = 1 << 1, /* begins or ends a process, waits for or signals one */
	SYSCALL_NETWORK = 1 << 2,
	SYSCALL_SIGNAL = 1 << 3,
	SYSCALL_IPC = 1 << 4,    /* System V */
	SYSCALL_DESC = 1 << 5,   /* takes or gives a file descriptor */
	SYSCALL_MEMORY = 1 << 6, /* maps or unmaps */
};

/* How the result of a call that went well is shown. */
enum syscall_ret {
	SYSCALL_RET_DEC,
	SYSCALL_RET_HEX,
	SYSCALL_RET_FD,
	SYSCALL_RET_OCT,
	SYSCALL_RET_NONE, /* does not return */
	SYSCALL_RET_SCHED,
	SYSCALL_RET_IOPRIO,
	SYSCALL_RET_UDEC, /* without a sign */
	SYSCALL_RET_TID,  /* of a thread, ...: in the order of enum decode_id */
	SYSCALL_RET_TGID,
	SYSCALL_RET_PGID,
	SYSCALL_RET_SID,
	SYSCALL_RET_INT32, /* an int: a failure of it is no failure of the call */
};

#define SYSCALL_NAME_ROOM 32
#define SYSCALL_ARG_ROOM 20

struct syscall_arg {
	char name[SYSCALL_ARG_ROOM]; /* as in the manual page */
	uint16_t kind;               /* enum kind of src/syscalls/private.h: how it is shown */
	uint16_t aux; /* depends on the kind: a set of names, a structure, the number of another argument */
};

struct syscall_desc {
	char name[SYSCALL_NAME_ROOM];
	uint8_t nargs;
	struct syscall_arg args[SYSCALL_ARGS];
	uint32_t classes; /* of enum syscall_class */
	enum syscall_ret ret;
};

/* The ABIs with a table. */
enum syscall_abi {
	SYSCALL_X86_64,
	SYSCALL_I386,
	SYSCALL_X32,
	SYSCALL_ABIS, /* how many */
};

/* That of an instruction set; SYSCALL_ABIS: it has no table. */
enum syscall_abi syscall_abi(const struct arch *arch);

/* The description of call nr of an ABI; NULL when there is no such call, or no table for that ABI. */
const struct syscall_desc *syscall_by_nr(const struct arch *arch, uint32_t nr);

/* The description by name; NULL when no ABI has it. Where two share a name, the one of x86-64. */
const struct syscall_desc *syscall_by_name(const char *name);

/* The number (with nr_bit) that an ABI gives to a name; -1 when it has none. */
long syscall_nr(const struct arch *arch, const char *name);

/* The n-th description, NULL after the last: to walk them all. */
const struct syscall_desc *syscall_at(size_t n);

/* The bit of a class by its name without the % ("file"); 0 when there is no such class. */
uint32_t syscall_class(const char *name);

#endif
