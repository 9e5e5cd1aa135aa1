/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A structure of the guest as text. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_LINUX_STRUCTURES_H
#define EXECTRACE_SRC_RECORD_GUEST_LINUX_STRUCTURES_H

#include <exectrace/base/buf.h>
#include <exectrace/record/guest/linux/memory.h>
#include <exectrace/target/symbol/btf.h>

#define STRUCTURE_STRING 128 /* bytes of a string that are read */

/*
 * Adds what is at an address, a structure of the type: "{count=1, name=\"x\", next=0xffff888003c0c000}". depth: levels
 * that are shown, at least 1: what is further in is "{...}". 0; -EFAULT: it cannot be read, nothing is added; -ENOMEM.
 */
int structure_print(struct buf *out, const struct btf *btf, uint32_t type, uint64_t address,
                    const struct guest_memory *memory, unsigned depth);

#endif
