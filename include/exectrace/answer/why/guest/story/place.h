/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a task waited. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STORY_PLACE_H
#define EXECTRACE_ANSWER_WHY_GUEST_STORY_PLACE_H

#include <exectrace/answer/waits/task_waits.h>
#include <exectrace/answer/why/guest/story/story.h>

/* The name of a function; "" of the unknown one. */
const char *place_name(const struct replay *p, uint32_t function);

struct guest_place place_of(const struct replay *p, const struct task_wait *wait);

/* Whether one waits there for what another task has (Linux: kernel/locking, kernel/sched/completion.c). */
bool place_is_lock(const char *function);

/* " (wait4)" of the function of a system call such as __x64_sys_wait4; nothing of another one. */
void place_print_call(struct buf *out, const char *call);

/* "msleep (ioctl)", and behind that ", called by probe [acme]" or nothing. */
void place_print(struct buf *out, const struct guest_place *place);
void place_print_caller(struct buf *out, const struct guest_place *place);

/* Adds its members to an object. */
void place_json(struct jsonl *j, const struct guest_place *place);

#endif
