/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flight recorder: of the file only the last events stay. At any time there is a whole file under its name, also when
 * QEMU is killed: from half of the size on the same is written to a second file, NAME.next, which begins with all names
 * and the calls that are open; when the first one is full the second takes its place.
 */
#ifndef EXECTRACE_SRC_RECORD_GUEST_CORE_FLIGHT_H
#define EXECTRACE_SRC_RECORD_GUEST_CORE_FLIGHT_H

#include <exectrace/record/guest/core/drain.h>

/* Looks whether it is time for that; after events were written. 0, or what a write failed with. */
int flight_look(struct drain *d);

/* Before the file is closed. */
void flight_end(struct drain *d);

#endif
