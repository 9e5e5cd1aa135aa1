/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin has to say to the user of QEMU. */
#ifndef EXECTRACE_RECORD_GUEST_CORE_SAY_H
#define EXECTRACE_RECORD_GUEST_CORE_SAY_H

/* One line to standard error, after the name of the plugin. Cut at 512 bytes. */
void plugin_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
