/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of a program's file (DWARF, versions 2 to 5; dwarfstd.org): what its functions take and give, as
 * types that btf.h reads, and where parameters are when a function begins. elfutils' libdw reads it, which is loaded
 * when it is needed first: QEMU's process shall need no library for a plugin that is not asked for any of this.
 *
 * libdw sees an ELF file of the debug sections alone, in memory, which was made here; so nothing else in a damaged file
 * reaches it, it opens no file, and none that changes can raise SIGBUS. One thread at a time for each.
 */
#ifndef EXECTRACE_RECORD_GUEST_DWARF_DEBUGINFO_H
#define EXECTRACE_RECORD_GUEST_DWARF_DEBUGINFO_H

#include <exectrace/target/symbol/btf.h>
#include <exectrace/target/symbol/elfheader.h>

#define DEBUGINFO_BYTES_MAX (256u << 20) /* of all its sections, unpacked */
#define DEBUGINFO_PLACES 6               /* parameters that are looked at */
#define DEBUGINFO_BY_RULE 254            /* a parameter is where the calling convention puts it */
#define DEBUGINFO_NOWHERE 255            /* it is nowhere, or that is not known */

struct debuginfo;

/* The file that has what several have in common (.gnu_debugaltlink, as dwz(1) makes them). */
struct debuginfo_link {
	char path[1024]; /* absolute, or from the directory of the file on; "": there is none */
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t n; /* bytes of the build id */
};

/* What is known of a function. */
struct debug_function {
	struct btf *btf; /* its types; btf_close(btf), free(bytes) */
	char *bytes;
	uint32_t type;                    /* its number there */
	uint8_t places[DEBUGINFO_PLACES]; /* of its parameters: the number of a general register (rax 0, rcx 1, ...), or
	                                     one of the above */
	bool hidden;                      /* the first register has where the result is to be written */
	bool result;                      /* the result is where the calling convention has it, as far as is known */
};

/* True when there is a libdw to read with. */
bool debuginfo_can(void);

/*
 * Takes the debug information of a file, of which nothing is needed later. 0; -ENOENT: there is none, or none for
 * x86-64; -EFBIG: more than DEBUGINFO_BYTES_MAX; -EBADMSG; -ENOMEM; -ENOSYS: there is no libdw.
 */
int debuginfo_open(struct debuginfo **ret, const struct elf_source *file);

/* Frees it. NULL is allowed. */
void debuginfo_close(struct debuginfo *d);

/* Bytes that it holds, about. */
size_t debuginfo_size(const struct debuginfo *d);

/* The other file that it needs; NULL: none. */
const struct debuginfo_link *debuginfo_link(const struct debuginfo *d);

/* Gives it that file's, which it takes over. Before it is asked anything. */
void debuginfo_set_link(struct debuginfo *d, struct debuginfo *other);

/*
 * The function that begins at an address, as linked. name: as the symbol has it, which decides where several begin
 * there. depth: how many pointers from its parameters on lead to structures whose members are known. 0; -ENOENT: not
 * known, or not written in C or C++; -EBADMSG; -ENOMEM.
 */
int debuginfo_function(struct debuginfo *d, uint64_t address, const char *name, unsigned depth,
                       struct debug_function *f);

#endif
