/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The orders that the waiting root gets over launch->sock. */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_ORDERS_H
#define EXECTRACE_SRC_PICK_LAUNCH_ORDERS_H

#include <exectrace/pick/launch/launch.h>

/*
 * The root's side: obeys until it is told to go. Does not return when it is told to quit, or nobody is left to tell it:
 * it ends with 125 then.
 */
void orders_obey(struct launch *launch);

#endif
