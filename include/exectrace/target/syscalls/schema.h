/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tables of calls are written in: the kinds of arguments (kinds.inc), the structures they may point to
 * (structs.inc) and the sets of names that numbers have (sets-*.inc). Those of *-uapi.inc are made from the kernel's
 * headers (src/target/syscalls/uapi/generate).
 */
#ifndef EXECTRACE_TARGET_SYSCALLS_SCHEMA_H
#define EXECTRACE_TARGET_SYSCALLS_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#define SET(id, ...) SET_##id,
enum set {
#include <exectrace/target/syscalls/sets-file.inc>
#include <exectrace/target/syscalls/sets-net.inc>
#include <exectrace/target/syscalls/sets-process.inc>
	SET_UAPI, /* the first of them */
	SET_BEFORE_UAPI = SET_UAPI - 1,
#include <exectrace/target/syscalls/sets-uapi.inc>
	SET_COUNT
};
#undef SET

#define STRUCT(id, ...) STRUCT_##id,
enum structure {
#include <exectrace/target/syscalls/structs.inc>

#include <exectrace/target/syscalls/structs-uapi.inc>
	STRUCT_COUNT
};
#undef STRUCT

#define KIND(id, when, source, print) KIND_##id,
enum kind {
#include <exectrace/target/syscalls/kinds.inc>
	KIND_COUNT
};
#undef KIND

/* 0. Does not compile where the text and its end have no room in a table's member of n bytes. */
#define FITS(text, n) (0 * sizeof(char[sizeof(text) <= (n) ? 1 : -1]))

/*
 * The name of one value. The names stand in the tables themselves, in all of these tables: pointers are written each
 * time a program starts (relocation), and the tables have many pages.
 */
#define VALUE_NAME_ROOM 64
struct value_name {
	uint64_t value;
	char name[VALUE_NAME_ROOM];
};

struct value_set {
	const struct value_name *names;
	size_t n;
	const char *unknown; /* what a value without a name is called */
};

extern const struct value_set sets_file[], sets_net[], sets_process[], sets_uapi[];

/* The set by number of enum set. */
const struct value_set *value_set(unsigned set);

/* The name of a value in a set; NULL when it has none. */
const char *value_name(unsigned set, uint64_t value);

#endif
