/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the arguments and the result of a guest's function are, as a text in a recording (exectrace-data(5)):
 *
 *	SIGNATURE = [NAME ":" TYPE {"," NAME ":" TYPE}] ";" TYPE
 *	TYPE = "v" | "b" | "c" | "u" SIZE | "s" SIZE | "p" | "x" | "a" | "?" | "e" SIZE "{" [NAME "=" NUMBER {"|" ...}]
 *"}"
 *
 * Names are letters, digits and underscores. A text may be anything: what of it is not understood is of
 *SIGNATURE_OTHER.
 */
#ifndef EXECTRACE_FORMAT_DATA_SIGNATURE_H
#define EXECTRACE_FORMAT_DATA_SIGNATURE_H

#include <exectrace/format/data/record.h>

enum signature_kind {
	SIGNATURE_OTHER = '?',   /* not recorded, as what is passed in memory */
	SIGNATURE_NOTHING = 'v', /* there is no result */
	SIGNATURE_BOOL = 'b',
	SIGNATURE_CHAR = 'c',
	SIGNATURE_UNSIGNED = 'u',
	SIGNATURE_SIGNED = 's',
	SIGNATURE_POINTER = 'p',
	SIGNATURE_REGISTER = 'x', /* as it was in a register: its type is not known */
	SIGNATURE_MEMORY = 'a',   /* a structure in a register */
	SIGNATURE_ENUM = 'e',
};

struct signature_value {
	enum signature_kind kind;
	uint8_t size;           /* bytes: 1, 2, 4, 8 */
	struct data_text name;  /* of an argument */
	struct data_text names; /* of an enum: "A=0|B=1" */
};

struct signature {
	uint8_t n; /* arguments */
	struct signature_value args[DATA_ARGS];
	struct signature_value result;
};

/* Takes a text apart, which has to stay. */
void signature_read(struct signature *s, struct data_text text);

/* A value as its type has it, extended by its sign or by zeros: what the register has besides is not its. */
int64_t signature_number(const struct signature_value *type, uint64_t value);

/* The name of an enum's value. Empty: it has none. */
struct data_text signature_enumerator(const struct signature_value *type, int64_t value);

/* The value of an enum's name, in *value. False: there is no such name. */
bool signature_enum_value(const struct signature_value *type, const char *name, int64_t *value);

/* The number of the argument of a name, or of "arg1" to "arg6". -1: there is none. */
int signature_arg(const struct signature *s, const char *name);

#endif
