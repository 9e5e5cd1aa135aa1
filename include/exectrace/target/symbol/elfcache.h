/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files kept open, found by what is mapped: unwinding and naming share one. Not for two threads at a time. */
#ifndef EXECTRACE_TARGET_SYMBOL_ELFCACHE_H
#define EXECTRACE_TARGET_SYMBOL_ELFCACHE_H

#include <exectrace/target/symbol/elf.h>
#include <exectrace/target/symbol/maps.h>

struct elf_cache;

/* A cache of at most `max` files (at least 1): when it is full, the one not used for longest goes. 0 or -ENOMEM. */
int elf_cache_new(size_t max, struct elf_cache **cache);

/* Frees the cache; files of which others have references stay open for them. NULL is allowed. */
void elf_cache_free(struct elf_cache *cache);

/*
 * The file of a mapping, by device and inode. One not open yet is looked for below proc, "/proc/PID" of the process
 * that has the mapping: its path as the process sees it, the mapping itself (map_files, which needs CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE), the program. NULL for proc, and when that process is gone: by its path alone. What is found
 * must be that inode. 0 with a reference in *elf; -ENOENT when the file is not to be found, or is not the mapped one
 * any more; -ENOEXEC; -errno.
 */
int elf_cache_get(struct elf_cache *cache, const struct map *map, const char *proc, struct elf **elf);

/* How many files are open. */
size_t elf_cache_count(const struct elf_cache *cache);

#endif
