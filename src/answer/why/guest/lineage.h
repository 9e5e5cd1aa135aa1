/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which command a task of a guest runs, and who began it. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_LINEAGE_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_LINEAGE_H

#include <exectrace/answer/why/guest/guest.h>

/*
 * The processes of a task, itself first, as far as the recording, which has been read to its end, knows them; no thread
 * of the kernel. 0 or -ENOMEM.
 */
int lineage_find(struct guest_lineage *lineage, const struct recording *r, size_t file, uint32_t pid);
void lineage_release(struct guest_lineage *lineage);

/* Adds "./reader -n 4 [83], started by sh /etc/rc [70], /init [1]". Failures of these stay in out->err. */
void lineage_print(struct buf *out, const struct guest_lineage *lineage);

/* Adds a member to an object. */
void lineage_json(struct jsonl *j, const char *key, const struct guest_lineage *lineage);

#endif
