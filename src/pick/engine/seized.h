/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that stay attached, with all that they start: those of the ptrace engine, and with the notify engine what
 * ran already and can have no listener. Their execs are reported at PTRACE_EVENT_EXEC, when they have happened.
 */
#ifndef EXECTRACE_SRC_PICK_ENGINE_SEIZED_H
#define EXECTRACE_SRC_PICK_ENGINE_SEIZED_H

#include "private.h"

/* Attaches to all threads of a process. 0; -EEXIST: they are attached; -ESRCH: it has ended; another -errno. */
int seized_adopt(pid_t pid);

/* The key of the exec of a process, as for engine_describe; 0: it is none of these, but a slot's. */
void *seized_key(pid_t pid);
pid_t seized_of_key(const void *key);

/* Reports the exec of a process that stands there: engine->stands. */
void seized_report(struct engine *engine, pid_t pid, struct engine_event *ev);

/* 1 when the take of one was owed, which is the event; 0. */
int seized_next(struct engine *engine, struct engine_event *ev);

/* What a wait event means for one that is not in our hands. */
void seized_child(struct engine *engine, const struct wait_event *wait, struct engine_event *ev);

/* For these see struct engine_ops; of the exec reported last. */
void seized_pass(struct engine *engine);
void *seized_keep(struct engine *engine);
int seized_take(struct engine *engine, struct taken *taken);
void seized_resume(const struct taken *taken, bool follow);

/* True while there is one. Looks through all of /proc. */
bool seized_live(void);

#endif
