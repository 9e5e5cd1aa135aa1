/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF files of 32 and 64 bit, little-endian (elf(5)): where the loader puts what, build ids, function names. Addresses
 * are those of the file ("vaddr"); what a mapping adds to them is the bias, see elf_bias. Nothing in a file is trusted.
 * Files are mapped into memory: one that is made shorter while it is in use would raise SIGBUS, so elf_is_current
 * is to be asked before a file is used again after a while (the cache of elfcache.h does).
 */
#ifndef EXECTRACE_TARGET_SYMBOL_ELF_H
#define EXECTRACE_TARGET_SYMBOL_ELF_H

#include <exectrace/target/symbol/elfheader.h>

struct elf;

/* A function. */
struct elf_symbol {
	uint64_t start;   /* vaddr */
	uint64_t end;     /* the one after its last byte; where the section ends when the file gives no size */
	const char *name; /* as in the file, not demangled; the elf's own */
	uint32_t rank;    /* of names for one address the one with the lowest is taken */
	bool sized;       /* the file gives the size */
};

/* A segment that is loaded (PT_LOAD), in bytes. */
struct elf_segment {
	uint64_t vaddr, memory; /* what it covers once loaded */
	uint64_t offset, file;  /* what of the file */
	uint32_t flags;         /* PF_R | PF_W | PF_X */
};

/* The binary search table of .eh_frame_hdr: pairs of int32_t, function and FDE, both relative to `header`. */
struct elf_unwind_table {
	uint64_t header; /* vaddr of .eh_frame_hdr */
	uint64_t table;  /* vaddr of the first pair */
	uint64_t count;  /* of pairs */
};

/* One pair of such a table; both relative to its base. */
struct elf_pair {
	int32_t function, fde;
};

/*
 * Opens a file. 0 with one reference in *elf; -errno; -ENOEXEC when it is no ELF file that can be read.
 */
int elf_open(const char *path, struct elf **elf);

/* From a descriptor, which stays the caller's. */
int elf_open_fd(int fd, struct elf **elf);

/* From a file's bytes, which are copied; for the vdso too, which is a whole file in memory. */
int elf_open_image(const void *bytes, size_t n, struct elf **elf);

/* One more reference. Returns elf. */
struct elf *elf_ref(struct elf *elf);

/* Gives a reference back; the last one frees everything. NULL is allowed. */
void elf_unref(struct elf *elf);

/* False when the file has been changed in place since it was opened. Always true for an image. */
bool elf_is_current(const struct elf *elf);

/* Bytes of an address: 4 or 8. */
unsigned elf_word(const struct elf *elf);

/* EM_*, see elf(5). */
unsigned elf_machine(const struct elf *elf);

/* The loaded segments in the order of the file. */
const struct elf_segment *elf_segments(const struct elf *elf, size_t *n);

/* The GNU build id. Its length, 0 when there is none. The bytes are the elf's own. */
size_t elf_build_id(const struct elf *elf, const unsigned char **id);

/*
 * The bias of a mapping of this file (see maps.h): what is added to vaddrs to get addresses, modulo 2^64. exec: the
 * mapping is executable, which decides when a page of the file is mapped twice. False when no segment has that offset.
 */
bool elf_bias(const struct elf *elf, uint64_t map_start, uint64_t map_offset, bool exec, uint64_t *bias);

/* The bytes that are loaded to vaddr as the file has them, *n of them up to the segment's end; NULL: none. */
const void *elf_at(const struct elf *elf, uint64_t vaddr, size_t *n);

/* The vaddr of .eh_frame_hdr, 0 when there is none. */
uint64_t elf_unwind_header(const struct elf *elf);

/*
 * Finds the table for unwinding from the beginning of .eh_frame_hdr: n bytes of it that were read from memory (16 are
 * enough), or with NULL and 0 the file's. 0; -ENOENT when there is none, or it is not in the file; -ENOTSUP when it is
 * coded in an unusual way.
 */
int elf_unwind_table(const struct elf *elf, const void *bytes, size_t n, struct elf_unwind_table *table);

/*
 * The same for a file that has no table: one made from .eh_frame, whose vaddr is *base. *n pairs, the elf's own; NULL
 * when there are none.
 */
const struct elf_pair *elf_unwind_index(struct elf *elf, uint64_t *base, size_t *n);

/*
 * The function that vaddr is in. The first call reads the symbol tables: .symtab, .dynsym, those of .gnu_debugdata and
 * of the debug file given by elf_set_debug, and the entries of the PLT as NAME@plt. Of several names for one address a
 * global one is taken before a weak one and a weak one before a local one. NULL when there is none.
 */
const struct elf_symbol *elf_lookup(struct elf *elf, uint64_t vaddr);

/* All functions, sorted by start, one an address. The elf's own. */
const struct elf_symbol *elf_symbols(struct elf *elf, size_t *n);

/* True when the file has a .symtab of its own: a debug file would add nothing. */
bool elf_has_symtab(const struct elf *elf);

/* Takes symbols from a separate debug file too; its reference is taken over. Before the first elf_lookup. */
void elf_set_debug(struct elf *elf, struct elf *debug);

/* The name in .gnu_debuglink and its checksum. NULL when there is none; never with a slash in it. */
const char *elf_debuglink(const struct elf *elf, uint32_t *crc);

/* The checksum of the whole file as .gnu_debuglink has it (CRC-32). */
uint32_t elf_crc(const struct elf *elf);

#endif
