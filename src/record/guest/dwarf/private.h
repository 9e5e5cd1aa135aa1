/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfutils' libdw, which reads the debug information, and what is made of that. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_DWARF_PRIVATE_H
#define EXECTRACE_SRC_RECORD_GUEST_DWARF_PRIVATE_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <exectrace/base/buf.h>
#include <exectrace/record/guest/dwarf/debuginfo.h>
#include <stdbool.h>
#include <stdint.h>

/* --- libdw.c ------------------------------------------------------------------------------------------------------ */

#define LIBDW_FUNCTIONS(X)      \
	X(elf_version)          \
	X(elf_memory)           \
	X(elf_end)              \
	X(dwarf_begin_elf)      \
	X(dwarf_end)            \
	X(dwarf_setalt)         \
	X(dwarf_get_units)      \
	X(dwarf_srclang)        \
	X(dwarf_ranges)         \
	X(dwarf_child)          \
	X(dwarf_siblingof)      \
	X(dwarf_tag)            \
	X(dwarf_diename)        \
	X(dwarf_lowpc)          \
	X(dwarf_attr)           \
	X(dwarf_attr_integrate) \
	X(dwarf_hasattr)        \
	X(dwarf_whatform)       \
	X(dwarf_formudata)      \
	X(dwarf_formsdata)      \
	X(dwarf_formref_die)    \
	X(dwarf_formflag)       \
	X(dwarf_formstring)     \
	X(dwarf_getlocations)   \
	X(dwarf_getlocation_addr)

/* Its functions, by their names. */
struct libdw {
#define LIBDW_FIELD(name) __typeof__(name) *(name);
	LIBDW_FUNCTIONS(LIBDW_FIELD)
#undef LIBDW_FIELD
};

/* NULL: it is not installed here, or lacks one. */
const struct libdw *libdw(void);

/* Likewise, for callers who have part of it already. */
extern struct libdw dw;

/* --- sections.c --------------------------------------------------------------------------------------------------- */

/* What matters of a file. */
struct sections {
	char *image; /* an ELF file of the sections with debug information alone */
	size_t size;
	struct debuginfo_link link; /* to the file that has what several have in common */
};

/* 0; -ENOENT: it has none; -EFBIG; -EBADMSG; -ENOMEM. Free the image. */
int sections_read(struct sections *sections, const struct elf_source *file);

/* --- types.c ------------------------------------------------------------------------------------------------------ */

#define TYPES_UNKNOWN 1 /* the number of a type of which nothing is known */

/* Types that are being made. */
struct types;

/* NULL: no memory. */
struct types *types_new(void);
void types_free(struct types *t);

/* The number that the type of a DIE (its DW_AT_type, or that of what it is an instance of) has, or will have; 0: it
 * has none, which is void. depth: how many pointers from there on lead to structures with members. */
uint32_t types_of(struct types *t, Dwarf_Die *holder, int depth);

/* The number of the type of a pointer to that. */
uint32_t types_pointer_to(struct types *t, Dwarf_Die *holder, int depth);

/* The DIE that is the type of another, behind other names for it. False: it has none, or it cannot be found. */
bool types_peel(Dwarf_Die *holder, Dwarf_Die *type);

/* Adds a parameter of the function. */
void types_parameter(struct types *t, const char *name, uint32_t type);

/*
 * All types that are wanted, and behind them that of the function, whose number is *function: as bytes that btf_open
 * reads, malloc'ed, *n of them. NULL: no memory.
 */
char *types_finish(struct types *t, uint32_t result, uint32_t *function, size_t *n);

/* --- classes.c ---------------------------------------------------------------------------------------------------- */

enum passing_class {
	PASSED_AS_C,
	PASSED_BY_REFERENCE, /* its address is passed */
	PASSED_UNKNOWN,
};

/* How C++ passes a value of the type that a DIE has. */
enum passing_class classes_passing(Dwarf_Die *holder);

/* --- attributes.c ------------------------------------------------------------------------------------------------- */

/* A number of a DIE, or of what it is an instance of. False: it has none that is constant. */
bool attribute_number(Dwarf_Die *die, unsigned name, uint64_t *number);

/* A number that may be negative. */
bool attribute_signed(Dwarf_Die *die, unsigned name, int64_t *number);

bool attribute_flag(Dwarf_Die *die, unsigned name);

/* The DIE that an attribute of this very one leads to. */
bool attribute_die(Dwarf_Die *die, unsigned name, Dwarf_Die *to);

/* --- function.c --------------------------------------------------------------------------------------------------- */

/* How a file is to be understood. */
struct function_terms {
	bool cxx;       /* by the rules of C++ */
	bool old_clang; /* clang before version 16 has made it */
	unsigned depth; /* as of debuginfo_function */
};

/* What a DIE with code at an address says. 0; -ENOMEM; -EBADMSG. */
int function_of(Dwarf_Die *die, uint64_t address, const struct function_terms *terms, struct debug_function *f);

#endif
