/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who made, has, locked or gave what others wait for, or look for in vain. */
#ifndef EXECTRACE_ANSWER_WHY_PAGE_WHO_H
#define EXECTRACE_ANSWER_WHY_PAGE_WHO_H

#include <exectrace/answer/why/page/page.h>

/* Adds of an object that has a maker "made by ./server [12] at 3.1s", of an address "bound by". */
void page_made_by(const struct why *why, const struct object *o, struct buf *out);

/* Adds of a file or an address "; made by ./server [12] at 3.1s" or "; nobody in this run has made it". */
void page_who_made(const struct why *why, uint32_t object, uint64_t time, struct buf *out);

/* Adds of a wait for a lock ", locked by flock 9 [12] at 3.1s"; nothing of others. */
void page_who_locked(const struct why *why, const struct wait *wait, struct buf *out);

/* Adds of a wait for data that did not come ", which ./prog [12] had written to last, at 3.1s". */
void page_who_gave(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out);

/* Adds of a wait for data out of a pipe "; ./prog [12] had it open still": as long as somebody has, it has no end. */
void page_who_holds(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out);

/* Adds of a wait for room in a pipe ", from which ./prog [12] had read last, and was writing to pipe:[4711]". */
void page_who_reads(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out);

/* True of files that are looked for where programs are installed: that is how they begin. */
bool page_is_installed(const struct process_history *p, const struct failure *f);

/*
 * Adds what kept failing in a process, its parent and its siblings in a stretch of time (of events), at least `times`
 * times: "26 x connect(/tmp/s.sock) = ENOENT; nobody in this run has made it". False: nothing did.
 */
bool page_meanwhile(const struct why *why, const struct tree_node *node, uint64_t from, uint64_t to, size_t times,
                    struct buf *out);

#endif
