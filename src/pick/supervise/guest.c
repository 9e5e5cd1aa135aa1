/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest.h"

#include <errno.h>
#include <exectrace/base/err.h>
#include <exectrace/pick/action/guest.h>
#include <exectrace/pick/action/process.h>
#include <string.h>

/* QEMU ends when it cannot have the plugin, and may be another user, or have another root directory than we. */
static enum guest_fit reads_plugin(const struct action *action, const struct exec_record *rec)
{
	return process_read_access(rec->tid, action->program) ? GUEST_MAY_NOT_READ : GUEST_FITS;
}

enum guest_fit guest_fits(const struct action *action, struct exec_record *rec)
{
	exec_record_want(rec, EXEC_ARGV | EXEC_TARGET | EXEC_IDS);
	switch (guest_look(rec->exe, &rec->argv)) {
	case GUEST_BOOT:
		return reads_plugin(action, rec);
	case GUEST_KVM:
		return action->tcg ? reads_plugin(action, rec) : GUEST_RUNS_KVM;
	case GUEST_NO_PLUGINS:
		return GUEST_LACKS_PLUGINS;
	case GUEST_PROBE:
		return GUEST_BOOTS_NOTHING;
	default:
		return GUEST_IS_OTHER;
	}
}

void guest_say(const struct action *action, const struct exec_record *rec, enum guest_fit fit)
{
	int pid = (int)rec->pid;
	int err = 0;

	switch (fit) {
	case GUEST_MAY_NOT_READ:
		err = process_read_access(rec->tid, action->program);
		err_say(ERR_NOTE, "[%d] may not open %s: %s: its guest cannot be traced; left alone", pid,
		        action->program, strerror(err ? -err : EACCES));
		return;
	case GUEST_RUNS_KVM:
		err_say(ERR_NOTE,
		        "[%d] runs its guest with KVM, where nothing can be traced (see guest --tcg); left alone", pid);
		return;
	case GUEST_LACKS_PLUGINS:
		err_say(ERR_NOTE, "[%d] %s was built without plugins: its guest cannot be traced; left alone", pid,
		        rec->exe ? rec->exe : rec->path);
		return;
	case GUEST_BOOTS_NOTHING:
		err_say(ERR_VERBOSE, "[%d] is a QEMU that boots nothing; left alone", pid);
		return;
	case GUEST_IS_OTHER:
		err_say(ERR_VERBOSE, "[%d] is no QEMU; left alone", pid);
		return;
	default:
		return;
	}
}
