/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The action `guest`: which execs it is for, and what they get. */
#ifndef EXECTRACE_SRC_PICK_SUPERVISE_GUEST_H
#define EXECTRACE_SRC_PICK_SUPERVISE_GUEST_H

#include <exectrace/pick/action/action.h>
#include <exectrace/target/exec/record.h>

/* Whether an exec starts a QEMU whose guest the plugin can trace. */
enum guest_fit {
	GUEST_FITS,
	GUEST_IS_OTHER,      /* no QEMU */
	GUEST_BOOTS_NOTHING, /* -version, -M none, ... */
	GUEST_RUNS_KVM,      /* where no plugin code runs */
	GUEST_LACKS_PLUGINS, /* built without */
	GUEST_MAY_NOT_READ,  /* the plugin's file: QEMU would not start */
};

/* Changes nothing, says nothing. */
enum guest_fit guest_fits(const struct action *action, struct exec_record *rec);

/* Says why the guest of a program that a rule picks is not traced. */
void guest_say(const struct action *action, const struct exec_record *rec, enum guest_fit fit);

#endif
