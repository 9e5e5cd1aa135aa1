/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a snapshot (snapshot.h) holds of a call, said beforehand: used to copy it in the process itself, while that
 * runs. Plain data without pointers; of programs with 64-bit words.
 */
#ifndef EXECTRACE_TARGET_DECODE_NEED_H
#define EXECTRACE_TARGET_DECODE_NEED_H

#include <exectrace/target/decode/values/bounds.h>
#include <stdbool.h>
#include <stdint.h>

enum need_kind {
	NEED_NONE,           /* the end of a list */
	NEED_STRING,         /* up to `size` bytes, or to the NUL */
	NEED_BYTES,          /* `size` */
	NEED_COUNTED,        /* as many as argument `count` says, at most `size` */
	NEED_COUNTED_INT,    /* the same, of an int: none when that is negative */
	NEED_RETURNED,       /* as many as the call has returned, at most `size` */
	NEED_RETURNED_SOME,  /* the same, and one at least */
	NEED_ITEMS,          /* as many of `size` bytes each as argument `count` says, at most `most`; all or nothing */
	NEED_EVENTS,         /* as many of `size` bytes each as the call has returned, at most `most` */
	NEED_VECTORS,        /* iovecs, `count` of them, at most `most`, and what they point to, each at most `size` */
	NEED_FILLED_VECTORS, /* the same, and of what they point to as much as the call has returned */
	NEED_ITEMS_FOUND,    /* NEED_ITEMS, if the call has returned more than 0 */
	NEED_BYTES_FOUND,    /* NEED_BYTES, likewise */
	NEED_ENTRIES,    /* how many directory entries the call has returned; the length of one is `size` bytes in it */
	NEED_COMMAND_IN, /* what an ioctl's command reads (need_ioctl) */
	NEED_COMMAND_OUT,    /* what it has filled in */
	NEED_FILLED_COUNTED, /* as many as the int that argument `count` points to says, at most `size` */
	NEED_OPTION,         /* NEED_COUNTED_INT, of an option of a socket that points to nothing more */
	NEED_FILLED_OPTION,  /* NEED_FILLED_COUNTED, likewise */
	NEED_SENT,           /* NEED_COUNTED, of a socket that is no netlink socket */
	NEED_RECEIVED,       /* NEED_RETURNED, likewise */
	NEED_MESSAGE,        /* a msghdr and what it points to, of each buffer at most `size` bytes; likewise */
	NEED_FILLED_MESSAGE, /* the same as recvmsg has filled it in; of one that failed as NEED_NAME_LENGTH */
	NEED_NAME_LENGTH,    /* of a msghdr: msg_namelen */
	NEED_BITS, /* a bit for each of as many descriptors as argument `count`, an int, says, at most `size` bytes */
	NEED_BITS_FOUND, /* the same, if the call has returned more than 0 */
	NEED_MASK,       /* an address and a number of bytes, and so many, at most 8 */
};

struct need {
	uint8_t kind;   /* enum need_kind */
	uint8_t arg;    /* the argument that points there */
	uint8_t count;  /* an argument that counts */
	uint8_t always; /* of the end of a call: also when it has failed */
	uint16_t size;  /* bytes */
	uint16_t most;
};

#define NEEDS_MAX 12         /* of a call, with the ends of both lists */
#define NEED_VECTORS_MAX 14  /* of a call: a snapshot has room for twice as many ranges, and some */
#define NEED_BYTES_MAX 15000 /* of a string that is shown: a source has room for that */

struct call_needs {
	bool known;    /* the lists say all; else the process has to be looked at */
	bool fcntl;    /* `known` holds for some commands (need_fcntl) */
	bool ioctl;    /* likewise (need_ioctl) */
	bool gives_fd; /* its result is a new descriptor */
	uint8_t exit;  /* where in `list` those for the end of the call begin; those for the entry are first */
	struct need list[NEEDS_MAX];
};

/* What there is to copy for call nr of x86-64. string_max: as the decoders have it. */
void needs_of(uint32_t nr, unsigned string_max, struct call_needs *needs);

/* Whether this command of fcntl gives a descriptor. */
static inline int need_fcntl_gives_fd(uint64_t command)
{
	return (uint32_t)command == 0 || (uint32_t)command == 1030; /* F_DUPFD, F_DUPFD_CLOEXEC */
}

/* Whether it points to nothing. */
static inline int need_fcntl(uint64_t command)
{
	return (uint32_t)command <= 4 || need_fcntl_gives_fd(command); /* F_GETFD, F_SETFD, F_GETFL, F_SETFL */
}

/* Whether what this option of a socket is set to, or is, points to nothing further. */
static inline int need_option(uint64_t level, uint64_t option)
{
	/* SOL_PACKET; SO_ATTACH_FILTER, SO_ATTACH_REUSEPORT_CBPF of SOL_SOCKET */
	return (int)level != 263 && ((int)level != 1 || ((int)option != 26 && (int)option != 51));
}

/* Whether a control message of SOL_SOCKET brings descriptors: SCM_RIGHTS, SCM_PIDFD. */
static inline int need_brings_fds(int level, int type)
{
	return level == 1 && (type == 1 || type == 4);
}

/*
 * How many bytes an ioctl with this command points to, if it is one of those that programs make often; else -1. *out:
 * the kernel fills them in.
 */
static inline int need_ioctl(uint64_t command, int *out)
{
	*out = 1;
	switch ((uint32_t)command) {
	case 0x5401: /* TCGETS */
		return 36;
	case 0x540f: /* TIOCGPGRP */
	case 0x5411: /* TIOCOUTQ */
	case 0x541b: /* FIONREAD */
		return 4;
	case 0x5413: /* TIOCGWINSZ */
		return 8;
	default:
		*out = 0;
	}
	switch ((uint32_t)command) {
	case 0x5402: /* TCSETS, TCSETSW, TCSETSF */
	case 0x5403:
	case 0x5404:
		return 36;
	case 0x5410: /* TIOCSPGRP */
	case 0x5421: /* FIONBIO */
	case 0x5452: /* FIOASYNC */
		return 4;
	case 0x5450: /* FIONCLEX, FIOCLEX */
	case 0x5451:
		return 0;
	default:
		return -1;
	}
}

#endif
