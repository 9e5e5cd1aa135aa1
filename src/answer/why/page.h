/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the page. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_PAGE_H
#define EXECTRACE_SRC_ANSWER_WHY_PAGE_H

#include <exectrace/answer/causes/busy.h>
#include <exectrace/answer/causes/critical.h>
#include <exectrace/answer/causes/failure_chain.h>
#include <exectrace/answer/causes/growing.h>
#include <exectrace/answer/causes/odd_process.h>
#include <exectrace/answer/causes/samples.h>
#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/story/story.h>
#include <exectrace/answer/why/guest/guest.h>
#include <exectrace/answer/why/why.h>

#define COMMAND_MAX 90u /* bytes of a command line, where it is not to be copied */
#define COPY_MAX 2000u  /* bytes of one that is */

struct why {
	struct story story;
	const struct tree_node *top; /* NULL: there are only guests */
	struct failure_chain chain;  /* empty when the top did not fail */
	struct critical critical;
	struct busy busy;
	struct odd_processes odd;
	struct growing growing;
	struct samples samples;
	struct guest_story **guests;
	size_t n_guests, cap_guests;
	struct buf others; /* " 4711 4712": processes that fit, too, but come later than the top */
	struct buf data;   /* " DIR" behind commands that show more of it; empty for the default */
};

/* The processor time of the top and what is below it, ns; of how many processes it is known, and how many there are. */
uint64_t outcome_cpu(const struct why *why, size_t *known, size_t *all);

/* Each adds its part; failures stay in out->err. */
void page_outcome(const struct why *why, struct buf *out);
void page_failure(const struct why *why, struct buf *out);
void page_cause(const struct why *why, const struct tree_node *node, struct buf *out);

/* Likewise, as members of an object. */
void page_odd_json(const struct why *why, struct jsonl *j);
void page_growing_json(const struct why *why, struct jsonl *j);
void page_small_json(const struct why *why, struct jsonl *j);

/* The QEMU of a guest, and how that ended; nothing when it is not known. */
void page_guest_host_json(const struct why *why, const struct guest_story *g, struct jsonl *j);

/* Adds lines about files that a process found, and that others of the run had made, but those below it. */
void page_found(const struct why *why, const struct tree_node *node, struct buf *out);
void page_time(const struct why *why, struct buf *out);
void page_growing(const struct why *why, struct buf *out);
void page_small(const struct why *why, struct buf *out);
void page_busy(const struct why *why, struct buf *out);
void page_odd(const struct why *why, struct buf *out);
void page_samples(const struct why *why, struct buf *out);
void page_guests(const struct why *why, struct buf *out);
void page_missing(const struct why *why, struct buf *out);

/* Reads the guests: all, or those of the top and of what is below it. 0; -EINVAL with a line in err; -ENOMEM. */
int page_guests_read(struct why *why, bool all, struct buf *err);
void page_guests_release(struct why *why);

/*
 * The first process that the options ask for; *ret stays as it is when they ask for none. others (NULL: none): gets the
 * numbers of those that fit, too, as " 4711 4712". 0; -ENOMEM; -ENOENT, -EINVAL with a line in err.
 */
int page_find(const struct tree_node **ret, const struct story *s, const struct why_options *options,
              struct buf *others, struct buf *err);

/* Adds "./prog -l [4711]", at most max bytes of the command line. */
void page_process(struct buf *out, const struct tree_node *node, size_t max);

/* Likewise of a process of the recording, by its number. */
void page_process_of(const struct why *why, uint32_t number, struct buf *out);

/* What page_began_with is for: a process that failed, or one of the critical chain. */
enum page_place { PAGE_FAILURE, PAGE_GROUP };

/*
 * Adds a line of what a process began with otherwise than exectrace, but for the environment, and which process above
 * it did not. Of a group signals, limits and the umask only.
 */
void page_began_with(const struct why *why, const struct tree_node *node, enum page_place place, struct buf *out);

/* Adds a line with a command that begins the process again as it was: directory, environment, umask, limits, signals.
 */
void page_command_to_copy(const struct why *why, const struct tree_node *node, struct buf *out);

/* Adds lines about calls of other processes than origin (NULL: none) that failed as calls seldom do. */
void page_elsewhere(const struct why *why, const struct tree_node *origin, struct buf *out);

/* Adds that the processes of a group ran one after the other, if they did, and who began them so. */
void page_one_by_one(const struct why *why, const struct critical_group *g, struct buf *out);

/* Adds the limit behind an error of a call; nothing when there is none, or nobody has set it. */
void page_limit_behind(const struct why *why, const struct tree_node *node, const struct failure *f, struct buf *out);

/*
 * Adds the failing calls of a process before its message, the newest first, those that the message speaks of before
 * the others. The first one; NULL: there is none. page_first_call finds it only; told: the message has its error.
 */
const struct failure *page_calls(const struct why *why, const struct process_history *p, struct buf *out);
const struct failure *page_first_call(const struct process_history *p, bool *told);

/* The last line that is not empty of what a process (or NULL) wrote to an output, and its bytes; 0: there is none. */
const char *page_last_line(const struct process_history *p, int output, size_t *n);

/* Adds a line about the signal that ended a process, and who sent it. */
void page_killed(const struct why *why, const struct tree_node *node, struct buf *out);

/* Adds a line about what a process was waiting for when it ended, if it did. */
void page_last_wait(const struct why *why, const struct tree_node *node, struct buf *out);

/* Adds a failing call of p and where it was made, as lines. told: its message is of it. */
void page_call_line(const struct why *why, const struct process_history *p, const struct failure *f, bool told,
                    struct buf *out);

/*
 * Adds what was in the way of a failing call of p, as far as the error tells what to look for: "; made by ./gen [12] at
 * 3.1s". What the file system is asked for is as it is now.
 */
void page_obstacle(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out);

/* Adds of EACCES and EPERM whose mode denies it, as it is now: "; /root is drwx------ of root:root". */
void page_rights(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out);

/* Adds text that came from elsewhere, at most max bytes of it. */
void page_foreign(struct buf *out, const char *text, size_t max);

/* Likewise of a path, whose end says more than its middle. */
void page_name(struct buf *out, const char *name, size_t max);

/* Adds a time of an event as "1.23s", since the run began. */
void page_at(const struct why *why, uint64_t event, struct buf *out);

/* Adds the end of a process: "exit 1", "SIGSEGV". */
void page_end_of(struct buf *out, const struct tree_node *node);

/* Adds what a wait was for: "reading pipe:[4711]". */
void page_wait(const struct why *why, const struct wait *wait, struct buf *out);

/* True of files that are looked for where programs are installed: that is how they begin. */
bool page_is_installed(const struct process_history *p, const struct failure *f);

/*
 * Adds what kept failing in a process, its parent and its siblings in a stretch of time (of events), at least `times`
 * times: "26 x connect(/tmp/s.sock) = ENOENT; nobody in this run has made it". False: nothing did.
 */
bool page_meanwhile(const struct why *why, const struct tree_node *node, uint64_t from, uint64_t to, size_t times,
                    struct buf *out);

/* Adds of a wait for a lock ", locked by flock 9 [12] at 3.1s"; nothing of others. */
void page_who_locked(const struct why *why, const struct wait *wait, struct buf *out);

/* Adds of a wait for data that did not come ", which ./prog [12] had written to last, at 3.1s". */
void page_who_gave(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out);

/* Adds of a wait for data out of a pipe "; ./prog [12] had it open still": as long as somebody has, it has no end. */
void page_who_holds(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out);

/* Adds of a file or an address "; made by ./server [12] at 3.1s" or "; nobody in this run has made it". */
void page_who_made(const struct why *why, uint32_t object, uint64_t time, struct buf *out);

#endif
