/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An address of a process as "function+0xoffset" and the place in its file. */
#ifndef EXECTRACE_TARGET_SYMBOL_SYMBOLIZE_H
#define EXECTRACE_TARGET_SYMBOL_SYMBOLIZE_H

#include <exectrace/base/buf.h>
#include <exectrace/target/symbol/elf.h>
#include <exectrace/target/symbol/elfcache.h>
#include <exectrace/target/symbol/maps.h>

struct symbolizer;

/* The address space that addresses are of. All are the caller's. */
struct symbol_space {
	const struct maps *maps;
	const char *proc; /* "/proc/PID" while the process is there, NULL: files are found by their path */
	struct elf *vdso; /* the image of "[vdso]", NULL when there is none */
};

/* What there is at an address. */
struct symbol_place {
	const char *file;     /* the mapping's path, "" for memory without a file; of the maps */
	const char *name;     /* demangled; NULL: unknown. Valid until the next call with this symbolizer. */
	uint64_t offset;      /* bytes from the function's start */
	uint64_t vaddr;       /* what addr2line(1) wants; 0 when the file could not be read */
	uint64_t file_offset; /* bytes from the file's start */
};

/*
 * A symbolizer that takes files from the cache, which must outlive it, and looks for debug files below debug_dir (NULL:
 * DEBUGFILE_DIR; "": nowhere). 0 or -ENOMEM.
 */
int symbolizer_new(struct elf_cache *cache, const char *debug_dir, struct symbolizer **symbolizer);

/* Frees it. NULL is allowed. */
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Finds what is at addr. For a return address (see unwind.h) give the address minus 1 and add 1 to `offset`: the call
 * may be the last thing in its function. 0; -ENOENT when nothing is mapped there; -ENOMEM. A file that cannot be read
 * is no error: its name is not known.
 */
int symbolize(struct symbolizer *symbolizer, const struct symbol_space *space, uint64_t addr,
              struct symbol_place *place);

/*
 * The function that vaddr of an open file is in, from its debug file too, which is looked for beside path (NULL:
 * unknown) with the first question. NULL when there is none; the elf's own.
 */
const struct elf_symbol *symbolizer_lookup(struct symbolizer *symbolizer, struct elf *elf, const char *path,
                                           uint64_t vaddr);

/* Adds "file(name+0xoffset) [0xfile_offset]", without the name and its offset when it is not known. 0 or -ENOMEM. */
int symbol_place_print(struct buf *out, const struct symbol_place *place);

#endif
