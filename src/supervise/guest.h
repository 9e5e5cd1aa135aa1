/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The action `guest`: which execs it is for, and what they get. */
#ifndef EXECTRACE_SRC_SUPERVISE_GUEST_H
#define EXECTRACE_SRC_SUPERVISE_GUEST_H

#include <exectrace/action/action.h>
#include <exectrace/exec/record.h>

/* True when the exec starts a QEMU that the plugin can trace; when it is not, but looks like one, says why. */
bool guest_wanted(const struct action *action, struct exec_record *rec);

/* When QEMU has ended: removes what is beside its recording. True: that says that the guest's kernel has panicked. */
bool guest_tidy(const struct action *action, const struct template_values *values);

#endif
