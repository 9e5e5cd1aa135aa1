/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures and arrays in the memory of the process, by the tables of structs.inc and structs-uapi.inc. */
#ifndef EXECTRACE_TARGET_DECODE_STRUCTS_STRUCTS_H
#define EXECTRACE_TARGET_DECODE_STRUCTS_STRUCTS_H

#include <exectrace/target/decode/values/printer.h>

/* A structure of structs.inc at addr; the address when it cannot be read. */
void put_struct(struct printer *p, uint64_t addr, unsigned structure);

/* One that is part of another one, of which it has the bytes. */
void put_nested(struct printer *p, const unsigned char *bytes, unsigned structure);

/* A bit field: aux has its lowest bit and, in its upper byte, its bits. */
uint64_t bits_of(uint64_t value, unsigned aux);

/* Likewise, as a print_fn. */
void print_struct(struct printer *p, uint64_t addr, unsigned structure);

/*
 * Of a structure of `size` bytes what is behind the bytes that are known: the bytes, with a comment that says which,
 * when there is something, `, ???` when it cannot be read.
 */
void put_beyond(struct printer *p, uint64_t addr, uint64_t known, uint64_t size);

/* A structure of which the program has `size` bytes, all that is known of it and more: with what is behind it. */
void put_struct_beyond(struct printer *p, uint64_t addr, uint64_t size, unsigned structure);

/*
 * A structure that grows from kernel to kernel, of which the program has n bytes: fields that were not in the first
 * version of it are shown when it goes on there; the others are 0 where it ends. Returns where the last field ends that
 * was shown; 0: the structure cannot be read.
 */
uint64_t put_struct_as_long(struct printer *p, uint64_t addr, uint64_t n, unsigned structure);

/* Likewise of one that ends after n bytes: the fields that are there. */
void put_struct_of(struct printer *p, uint64_t addr, uint64_t n, unsigned structure);

/*
 * "{sa_family=AF_INET, ...}": a structure of which no more than its first field is there; unreadable: from there on it
 * cannot be read, which is shown instead of the dots.
 */
void put_first_field(struct printer *p, uint64_t value, unsigned structure, uint64_t unreadable);

/* Of the structure in `bytes` those fields that differ from what was given: both hold all of it. */
void put_changes(struct printer *p, const unsigned char *bytes, const unsigned char *given, unsigned structure);

/* How a structure is shown that the kernel is given and changes: the last field of the tables is an `or` of them. */
#define STYLE_ARROW 1    /* {what is given} => {what has become of it} */
#define STYLE_JOINED 2   /* {what is given, what has become of it} */
#define STYLE_FAILED 4   /* that is shown of a call that has failed, too */
#define STYLE_VALUE 16   /* {what is given} => [one member of it] */
#define STYLE_NOTE 8     /* {what is given}, and what has become of it behind the result */
#define STYLE_ADDRESS 32 /* with STYLE_ARROW: the address of what could not become anything */
#define STYLE_ZERO 64    /* what is given is not shown if it is zero */

/* 0: its fields are those that it has, and of those that the kernel changes the ones that differ. */
unsigned struct_style(unsigned structure);

/*
 * Of a structure with a style what the kernel is given; with STYLE_JOINED its end is left to put_made. False: it cannot
 * be read, or not as a whole, and it is complete.
 */
bool put_given(struct printer *p, uint64_t addr, unsigned structure);

/* Likewise what has become of it, with " => " before it. given: NULL, or all bytes that it had. */
void put_made(struct printer *p, uint64_t addr, const unsigned char *given, unsigned structure);

/* One of the items of a field. aux: bytes of a number, or the structure. */
typedef void put_item_fn(struct printer *p, const unsigned char *item, unsigned aux);

/* The field p->raw as items of `size` bytes each. */
void put_items(struct printer *p, unsigned size, put_item_fn *put, unsigned aux);

/* How many items of that size the field that is being printed has, if need be by the field before it (ITEMS). */
unsigned counted_items(struct printer *p, unsigned size);

/* Bytes of a structure in the process. */
unsigned struct_size(const struct printer *p, unsigned structure);

/* Shows n bytes at addr. */
typedef void put_bytes_fn(struct printer *p, uint64_t addr, uint64_t n);

/* n iovecs at addr, of which `total` bytes are shown, those of each by `put`. */
void put_iovs(struct printer *p, uint64_t addr, uint64_t n, uint64_t total, put_bytes_fn *put);

#endif
