/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The release of QEMU, as 100 * major + minor: 1101 is 11.1. It tells versions of the interface apart that have the
 * same functions, which has to be known before QEMU says which one it is.
 */
#ifndef EXECTRACE_SRC_RECORD_GUEST_API_RELEASE_H
#define EXECTRACE_SRC_RECORD_GUEST_API_RELEASE_H

#include <stddef.h>

/*
 * Out of a piece of QEMU's own memory, where what `qemu-system-x86_64 --version` prints is. What is developed after a
 * release (11.0.50) counts as the next one. 0: it is not there.
 */
unsigned release_find(const char *memory, size_t n);

/* Of the program that runs; 0: it does not tell. */
unsigned release_of_program(void);

#endif
