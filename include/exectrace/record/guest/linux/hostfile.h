/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of the host that have names, or types, which the guest's memory has not: a copy of the guest's files, files
 * with debug information, a kernel's symbols. Nothing is mapped: a file that changes is only read wrong.
 */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_HOSTFILE_H
#define EXECTRACE_RECORD_GUEST_LINUX_HOSTFILE_H

#include <exectrace/record/guest/dwarf/debuginfo.h>
#include <exectrace/record/guest/linux/elfimage.h>
#include <exectrace/target/symbol/kallsyms.h>

/*
 * Adds to what is known of a file of the guest (`known`: its headers could be read): what ROOT/path has, when that has
 * the same build id, or the same size where there is no build id to compare; then the debug file of the build id below
 * ROOT/usr/lib/debug and /usr/lib/debug. Symbols are replaced by more, never by fewer. True: the image is known now.
 */
bool hostfile_program(struct elfimage *image, bool known, const char *root, const char *path, uint64_t size);

/* The debug information of such a file: its own, or that of the debug file, with what that needs of another one (dwz).
 * NULL: there is none. */
struct debuginfo *hostfile_debuginfo(const struct elfimage *image, const char *root, const char *path, uint64_t size);

/* The symbols of a kernel, at the addresses they were linked for. */
struct kernel_file {
	struct kallsyms table;
	struct elf_id id; /* of a vmlinux */
};

/* Reads a vmlinux or a System.map. 0; -errno; -EBADMSG: it is neither; -EACCES: a map without addresses. Release it on
 * success. */
int kernel_file_read(struct kernel_file *f, const char *path);
void kernel_file_release(struct kernel_file *f);

#endif
