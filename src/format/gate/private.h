/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of the language and of options. */
#ifndef EXECTRACE_SRC_FORMAT_GATE_PRIVATE_H
#define EXECTRACE_SRC_FORMAT_GATE_PRIVATE_H

#include <exectrace/format/gate/config.h>

/* A time in ns: a number and a unit, without one microseconds. False: it is none, or too large. */
bool control_read_time(const char *text, uint64_t *ns);

/* A decimal number of at most `max`. False: it is none. */
bool control_read_number(const char *text, uint64_t max, uint64_t *to);

/* Sets a trigger on the entry or exit of a function, "NAME" or "NAME(ARGUMENT>NUMBER,...)". 0; -EINVAL: it is not
 * understood, and *why says what; -ENOMEM. */
int control_set_function(struct control_trigger *trigger, enum control_when when, const char *function,
                         const char **why);

/* compare.c: reads what is between the parentheses, n bytes; as control_set_function. */
int control_read_compares(struct control_trigger *trigger, const char *text, size_t n, const char **why);

/* compare.c: frees what a trigger has. */
void control_trigger_release(struct control_trigger *trigger);

/* Sets one on a time. */
void control_set_time(struct control_trigger *trigger, uint64_t ns);

#endif
