/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the system calls of a guest's processes tell of what its kernel went through. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_PROGRAMS_TELL_H
#define EXECTRACE_ANSWER_WHY_GUEST_PROGRAMS_TELL_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/story/story.h>
#include <exectrace/answer/why/guest/story/story.h>

/* Numbers of processes + 1; 0: none. */
struct tell_family {
	uint32_t child;   /* the one that was made last, and ... */
	uint32_t sibling; /* ... of the same parent, the one that was made before */
};

struct tell {
	struct guest_story *g;
	struct story *s;
	struct tell_family *family; /* by number of a process; NULL: not made yet */
	struct idmap threads;       /* by thread id: the number of the last one that had it, + 1 */
	const struct recorded_process *setters[GUEST_CLOCK_SETS]; /* of the realtime clock */
	struct idmap policies; /* by thread id: the real-time policy that it got; NULL: none */
	int err;               /* sticky: the first failure */
};

/* The last thread of the guest that had this number; NULL: it made no calls that were recorded. */
const struct thread_history *tell_thread(const struct tell *t, uint32_t tid);

/* A time of an event as one of the story, and back; 0: they cannot be compared. */
uint64_t tell_time(const struct tell *t, uint64_t event);
uint64_t tell_event(const struct tell *t, uint64_t time);

/* What a process runs, to stay; command NULL: nothing, as a thread of the kernel. */
struct guest_command tell_process(struct tell *t, const struct recorded_process *p);

/* A text of n bytes, to stay; "" without memory. */
const char *tell_text(struct tell *t, const char *text, size_t n);

/* A call, as strace(1) shows it; of one that has none without a result. */
const char *tell_call(struct tell *t, const struct last_call *call);
const char *tell_syscall(struct tell *t, const struct data_syscall *call, bool unfinished);

/* What a thread (NULL: unknown) had called until a time of an event. */
void tell_calls(struct tell *t, const struct thread_history *thread, uint64_t event, struct guest_calls *calls);

/* --- failed.c, ending.c, polls.c, crowds.c, closes.c, ignored.c ------------------------------------------ */

void failed_tell(struct tell *t);
void ending_tell(struct tell *t);
void polls_tell(struct tell *t);
void crowds_tell(struct tell *t);
void closes_tell(struct tell *t);
void ignored_tell(struct tell *t);

/* Adds lines about at most `max` of the programs that failed; nothing when there are none. */
void failed_print(struct buf *out, const struct guest_story *g, size_t max);
void failed_json(struct jsonl *j, const struct guest_story *g);

/* Adds lines about how it came that a process ended, for which the kernel panicked; nothing when that is not known. */
void ending_print(struct buf *out, const struct guest_story *g);
void ending_json(struct jsonl *j, const struct guest_story *g);

/* Adds lines about what was tried in vain; nothing when there is none. */
void polls_print(struct buf *out, const struct guest_story *g);
void polls_json(struct jsonl *j, const struct guest_story *g);

/* Adds lines about many short processes; nothing when there were none. */
void crowds_print(struct buf *out, const struct guest_story *g);
void crowds_json(struct jsonl *j, const struct guest_story *g);

/* Adds lines about who closed what was closed; nothing when nobody did. */
void closes_print(struct buf *out, const struct guest_story *g);
void closes_json(struct jsonl *j, const struct guest_story *g);

/* Adds lines about programs whose writes were lost, which took no notice; nothing when there were none. */
void ignored_print(struct buf *out, const struct guest_story *g);
void ignored_json(struct jsonl *j, const struct guest_story *g);

/* Adds lines about what the task of a trouble had called. */
void calls_print(struct buf *out, const struct guest_calls *calls);

/* Adds a line, which begins with `behind`, about who had changed the file that was read last, if that is known. */
void calls_print_change(struct buf *out, const struct guest_calls *calls, const char *behind);

/* Adds them as members of an object. */
void calls_json(struct jsonl *j, const struct guest_calls *calls);

/* Adds two members to an object; nothing of one without a command. */
void command_json(struct jsonl *j, const char *key, const char *pid_key, const struct guest_command *command);

/* Adds "sh /etc/rc [70]", or (of one that has none) its task's name. */
void command_print(struct buf *out, const struct guest_command *command, const char *task);

#endif
