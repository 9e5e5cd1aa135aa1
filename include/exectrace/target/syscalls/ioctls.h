/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of ioctl(2) that the kernel's headers for programs define (ioctls.inc, made from them): what they are
 * called, and what their third argument is. Drivers may give one number two meanings.
 */
#ifndef EXECTRACE_TARGET_SYSCALLS_IOCTLS_H
#define EXECTRACE_TARGET_SYSCALLS_IOCTLS_H

#include <stddef.h>
#include <stdint.h>

/* What the argument is. */
enum ioctl_how {
	IOCTL_NONE,    /* nothing: it is not looked at */
	IOCTL_ADDRESS, /* not known: a word */
	IOCTL_POINTER, /* an address of what is not known */
	IOCTL_NUMBER,  /* an int */
	IOCTL_ULONG,
	IOCTL_FD,  /* a descriptor */
	IOCTL_SET, /* a number with names, or whatever `kind` makes of it */
	/* The address of what `kind` shows: */
	IOCTL_IN,    /* given to the kernel */
	IOCTL_OUT,   /* filled in by it */
	IOCTL_INOUT, /* both */
	IOCTL_OWN,   /* likewise: `kind` is handed its address, before, and (p->made) when the call has ended */
	IOCTL_LATE,  /* whatever `kind` makes of the argument when the call has ended */

	/* Likewise, but a pointer to nothing is a number like others: */
	IOCTL_BARE = 16,
	IOCTL_IN_BARE = IOCTL_IN | IOCTL_BARE,
	IOCTL_OUT_BARE = IOCTL_OUT | IOCTL_BARE,
	IOCTL_INOUT_BARE = IOCTL_INOUT | IOCTL_BARE,
};

#define IOCTL_HOW(command) ((enum ioctl_how)((command)->how & ~IOCTL_BARE))

#define IOCTL_NAME_ROOM 52
struct ioctl_command {
	uint32_t number[2]; /* in programs with 64-bit and with 32-bit longs */
	char name[IOCTL_NAME_ROOM];
	uint8_t how;      /* enum ioctl_how */
	uint16_t kind;    /* enum kind: of what is pointed to; KIND_IN: a structure */
	uint16_t aux;     /* for its printer: the structure, the set, bytes of an item */
	uint16_t size[2]; /* bytes of what is pointed to */
};

#define IOCTL_NAMES 8 /* commands with one number that are told */

/*
 * The commands that have this number in a program with words of `word` bytes: at most IOCTL_NAMES of them, by name.
 * Returns how many.
 */
size_t ioctl_find(unsigned word, uint32_t number, const struct ioctl_command *found[IOCTL_NAMES]);

#endif
