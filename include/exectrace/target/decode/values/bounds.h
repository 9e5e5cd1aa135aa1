/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of what arguments point to is looked at: by whoever shows it, and by what copies it in the process itself,
 * which includes nothing else.
 */
#ifndef EXECTRACE_TARGET_DECODE_VALUES_BOUNDS_H
#define EXECTRACE_TARGET_DECODE_VALUES_BOUNDS_H

#define DENTS_MAX (1u << 20)  /* bytes of directory entries that are looked at */
#define ENTRY_LENGTH_AT 16u   /* where in a directory entry of 64 bits its length is */
#define POLLS_MAX 16384       /* descriptors of a poll or of a set that are looked at */
#define SOCKADDR_MAX 128u     /* bytes of an address of a socket that are looked at */
#define CONTROL_MAX 4096u     /* bytes of control messages that are copied */
#define CONTROL_SHOWN 131072u /* and that are looked at: the kernel takes no more (net.core.optmem_max) */
#define MSGHDR_BYTES 56u      /* of a program with 64-bit words */
#define MESSAGE_LOOKED_AT 1u  /* bytes of a message of a netlink socket from which on it is looked at further */

#endif
