/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that descriptors of the guest's tasks are, by what its kernel knows of them (include/linux/fdtable.h,
 * include/linux/fs.h, fs/mount.h).
 */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_DESCRIPTORS_H
#define EXECTRACE_RECORD_GUEST_LINUX_DESCRIPTORS_H

#include <exectrace/base/buf.h>
#include <exectrace/record/guest/linux/memory.h>
#include <exectrace/record/guest/linux/types.h>

#define DESCRIPTORS_KNOWN 64 /* files whose names are remembered; a power of two */

/* Names of files that were looked up, as long as they are what they were. All 0: none. One user at a time. */
struct descriptors {
	uint64_t renamed; /* the user's: how often anything was mounted, or got another name */
	struct descriptors_name {
		struct descriptors_key {
			uint64_t renamed;
			uint64_t file, mount, dentry, parent; /* addresses in the guest */
			uint64_t name[2];                     /* hash and length; address */
		} key;
		char *text; /* NULL: none, or it cannot be read */
	} known[DESCRIPTORS_KNOWN];
};

/* Frees it all. */
void descriptors_release(struct descriptors *d);

/*
 * What a descriptor of the task is, whose struct task_struct is at an address: "/etc/passwd", "pipe:[4711]",
 * "socket:[815]", "anon_inode:[eventpoll]"; valid until the next use. NULL: it is none, or cannot be read.
 */
const char *descriptors_find(struct descriptors *d, const struct types *types, const struct guest_memory *memory,
                             uint64_t task, uint32_t fd);

#endif
