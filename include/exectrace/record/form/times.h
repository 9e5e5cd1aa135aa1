/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as the options of a trace have them. */
#ifndef EXECTRACE_RECORD_FORM_TIMES_H
#define EXECTRACE_RECORD_FORM_TIMES_H

#include <exectrace/record/form/form.h>

#define TIMES_BYTES 32 /* at most, of one */

/* The words for units, in the order of enum trace_unit; NULL behind the last. */
extern const char *const times_units[];

/* Takes the words of --absolute-timestamps, such as "unix,ms" or "precision:ns" (NULL: none), into the form. False: one
 * is not understood. */
bool times_take(struct trace_form *form, const char *words);

/* What one `-t` more makes of the form. */
void times_more(struct trace_form *form);

/* Once all options have been read: what stands there if none said it. */
void times_settle(struct trace_form *form);

/* How many digits of a unit stand behind the point. */
unsigned times_digits(enum trace_unit unit);

/* Writes ns as "SECONDS.FRACTION", without a NUL, so that it ends at end; TIMES_BYTES at most. Returns where it begins.
 */
char *times_write(char *end, uint64_t ns, enum trace_unit unit);

/* "100", of microseconds, or "4.5e2ms" with a unit. False: it is none. */
bool times_span(const char *text, uint64_t *ns);

#endif
