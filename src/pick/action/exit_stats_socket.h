/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket that statistics of ending threads come from. */
#ifndef EXECTRACE_SRC_PICK_ACTION_EXIT_STATS_SOCKET_H
#define EXECTRACE_SRC_PICK_ACTION_EXIT_STATS_SOCKET_H

#include <exectrace/pick/action/exit_stats.h>

/* Opens it (close-on-exec, not blocking) and asks for those of all processors. A descriptor or -errno. */
int exit_stats_socket(uint16_t *family);

/* True when the kernel has answered that it will send none. */
bool exit_stats_refused(int fd);

/* Takes a datagram. 1 with *event; 0 when it is about none; -errno (-EAGAIN: there is none; -ENOBUFS: some were lost).
 */
int exit_stats_receive(int fd, uint16_t family, struct exit_stats_event *event);

#endif
