/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A place in the tree of files as the user names it: relative or absolute, with or without glob characters. */
#ifndef EXECTRACE_SRC_PICK_RULES_PLACE_H
#define EXECTRACE_SRC_PICK_RULES_PLACE_H

#include <stdbool.h>

struct rule_place;

enum place_kind { PLACE_DIR, PLACE_FILE };

/*
 * Takes text apart: from cwd when it is relative; "." and ".." and "//" go by the text alone. The part before the first
 * glob character (for PLACE_FILE: never with the last component) is also looked up, as paths read from /proc have no
 * symbolic links in them; either is accepted then. 0 or -ENOMEM.
 */
int place_parse(const char *text, const char *cwd, enum place_kind kind, struct rule_place **ret);

/* True when what comes before the first glob character is there now. */
bool place_exists(const struct rule_place *place);

/* True when an absolute path is the place. */
bool place_is(const struct rule_place *place, const char *path);

/* True when an absolute path is the place or below it. */
bool place_holds(const struct rule_place *place, const char *path);

/* Frees it; NULL is allowed. */
void place_free(struct rule_place *place);

#endif
