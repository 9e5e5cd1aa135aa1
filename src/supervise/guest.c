/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest.h"

#include <exectrace/action/guest.h>
#include <exectrace/action/process.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* QEMU ends when it cannot have the plugin, and may be another user, or have another root directory than we. */
static bool can_have_plugin(const struct action *action, const struct exec_record *rec)
{
	int err = process_read_access(rec->tid, action->program);

	if (err)
		err_say(ERR_NOTE, "[%d] may not open %s: %s: its guest cannot be traced; left alone", (int)rec->pid,
		        action->program, strerror(-err));
	return !err;
}

bool guest_wanted(const struct action *action, struct exec_record *rec)
{
	exec_record_want(rec, EXEC_ARGV | EXEC_TARGET | EXEC_IDS);
	switch (guest_look(rec->exe, &rec->argv)) {
	case GUEST_BOOT:
		return can_have_plugin(action, rec);
	case GUEST_KVM:
		if (action->tcg)
			return can_have_plugin(action, rec);
		err_say(ERR_NOTE,
		        "[%d] runs its guest with KVM, where nothing can be traced (see guest --tcg); left alone",
		        (int)rec->pid);
		return false;
	case GUEST_NO_PLUGINS:
		err_say(ERR_NOTE, "[%d] %s was built without plugins: its guest cannot be traced; left alone",
		        (int)rec->pid, rec->exe ? rec->exe : rec->path);
		return false;
	case GUEST_PROBE:
		err_say(ERR_VERBOSE, "[%d] is a QEMU that boots nothing; left alone", (int)rec->pid);
		return false;
	default:
		err_say(ERR_VERBOSE, "[%d] is no QEMU; left alone", (int)rec->pid);
		return false;
	}
}

/* Removes NAME.suffix, if it is a file. */
static bool remove_beside(const char *name, const char *suffix)
{
	cleanup_buf struct buf path = BUF_INIT;
	struct stat st;

	return !buf_printf(&path, "%s%s", name, suffix) && lstat(path.data, &st) == 0 && S_ISREG(st.st_mode) &&
	       unlink(path.data) == 0;
}

bool guest_tidy(const struct action *action, const struct template_values *values)
{
	cleanup_buf struct buf name = BUF_INIT;

	if (!action->output || template_expand(&name, action->output, values) || !name.len)
		return false;
	(void)remove_beside(name.data, GUEST_NEXT);
	return action->mark_panic && remove_beside(name.data, GUEST_PANIC);
}
