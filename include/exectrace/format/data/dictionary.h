/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file defines: files, stacks, map sets, symbols, functions, found by their identifiers. A block's definitions
 * are known once it is the current one (those of the whole file after data_reader_load). Results point into memory of
 * the reader: frames are valid until the next stack is asked for, all else until the next block is read.
 *
 * All return 0, -ENOENT when there is no such thing, -ENOMEM; -EBADMSG when a list is not possible (too long).
 */
#ifndef EXECTRACE_FORMAT_DATA_DICTIONARY_H
#define EXECTRACE_FORMAT_DATA_DICTIONARY_H

#include <exectrace/format/data/reader.h>

int data_reader_file(struct data_reader *r, uint64_t id, struct data_file *file);
int data_reader_stack(struct data_reader *r, uint64_t id, struct data_stack *stack);
int data_reader_function(struct data_reader *r, uint64_t id, struct data_function *function);

/*
 * The *n maps of a set in order of their addresses, none of them overlapping: what its bases and itself say, made once,
 * when it is first asked for.
 */
int data_reader_maps(struct data_reader *r, uint64_t set, const struct data_map **maps, size_t *n);

/* The map of a set that holds an address. */
int data_reader_map_at(struct data_reader *r, uint64_t set, uint64_t address, struct data_map *map);

/*
 * The symbol of a file that holds an address (counted as data_map.offset is): the last one that begins at or before it,
 * when its size is unknown or reaches so far.
 */
int data_reader_symbol(struct data_reader *r, uint64_t file, uint64_t address, struct data_symbol *symbol);

#endif
