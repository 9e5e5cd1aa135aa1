/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a structure of the tables, and on what it depends whether there is one. */
#ifndef EXECTRACE_SRC_TARGET_DECODE_STRUCTS_FIELDS_H
#define EXECTRACE_SRC_TARGET_DECODE_STRUCTS_FIELDS_H

#include <exectrace/target/decode/structs/structs.h>

#define FIELD_NAME_ROOM 36
struct structs_field {
	char name[FIELD_NAME_ROOM];
	uint16_t kind;
	uint16_t aux;
	uint16_t shown;          /* SHOWN_... */
	uint16_t at[2], size[2]; /* with 64-bit and 32-bit longs */
};

#define KIND_NESTED KIND_IN
#define SHOWN_VERBOSE 1   /* with `verbose` only */
#define SHOWN_FILLED 2    /* not while it is only what the kernel is given */
#define SHOWN_GIVEN 4     /* only while it is that */
#define SHOWN_BARE 8      /* its value only, as what has become of the field before it */
#define SHOWN_CHANGED 16  /* when the kernel has changed it */
#define SHOWN_FAILED 32   /* when the call has failed */
#define SHOWN_DONE 64     /* when it has not */
#define SHOWN_ARROW 128   /* behind an arrow */
#define SHOWN_NONZERO 256 /* only when it is not 0 */
#define SHOWN_GROWN 512   /* with those behind it: only of a structure that goes on there */
#define SHOWN_BRIEF 1024  /* the address alone without `verbose` */
#define SHOWN_MOVED 2048  /* as `before => after` when the kernel has stored another value */

/* On the way through the fields of a structure. */
struct walk {
	const unsigned char *bytes;
	const unsigned char *given; /* what the fields were before; NULL: that is not known */
	const char *separator;      /* before the next field */
	bool bracket;               /* of what has become of the structure one value is shown */
	bool more;                  /* there are fields that are not shown */
	bool nothing;               /* of such a structure nothing becomes */
	uint64_t tag;               /* on which the next field depends, */
	bool asked, met;            /* whether it does, and is there */
	bool skip;                  /* the next field is none of a structure with such a content */
};

/* Bytes of the field. */
unsigned field_size(const struct printer *p, const struct structs_field *field);

/* The value of a field of a structure that has these bytes. */
void put_field(struct printer *p, const unsigned char *bytes, const struct structs_field *field);

/* Whether it is a field that says something about the next one, or about the structure. */
bool is_said(struct printer *p, const struct structs_field *field, struct walk *walk);

/* The structure ends before the field. */
bool is_behind(const struct printer *p, const struct structs_field *field, const struct walk *walk);

/* Whether the field is of the kind of structure that this one is, and says anything. */
bool is_meant(const struct printer *p, const struct structs_field *field, struct walk *walk);

/* Whether it is none of those that are shown now: of what the kernel is given, or of what has become of it. */
bool is_hidden(const struct printer *p, const struct structs_field *field, const struct walk *walk, bool styled);

#endif
