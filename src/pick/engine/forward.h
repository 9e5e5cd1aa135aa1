/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Execs that are for an exectrace below this one (pick/launch/nested.h), which answers them. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_FORWARD_H
#define EXECTRACE_SRC_PICK_ENGINE_FORWARD_H

#include <exectrace/pick/launch/shared.h>
#include <stdbool.h>
#include <stddef.h>

struct notify;
struct inner;

/* Those below. Zero bytes: none. */
struct forward {
	struct inner *items;
	size_t n, cap;
	int fd; /* an epoll of them and of what the engine is woken by; 0: none yet */
};

/* True when a call is no new exec of ours but one that exectrace below has restarted, or something between that and
 * programs that are parked, or that ask; or of the tree of who was above: it is settled. */
bool forward_takes(struct notify *notify, struct slot *slot);

/* There is no exectrace above any more. */
void forward_cut(struct notify *notify);

/* An exec that goes on: true when it was sent to who is below, by whom it is answered. The slot stays in use for that
 * long: nothing is lost when we end. */
bool forward_exec(struct notify *notify, struct slot *slot);

/* Those that have ended: what was sent to them goes on. */
void forward_look(struct notify *notify);

void forward_release(struct forward *forward);

#endif
