/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The action `guest`: a QEMU that is about to start gets one more option, the plugin that traces its guest. What is
 * here looks at command lines and makes others; see qemu(1).
 */
#ifndef EXECTRACE_PICK_ACTION_GUEST_H
#define EXECTRACE_PICK_ACTION_GUEST_H

#include <exectrace/format/gate/gate.h>
#include <exectrace/options/options.h>
#include <exectrace/pick/action/action.h>

/* What is added to the name of the output: a file that is there when the guest's kernel has panicked or oopsed, and
 * says which (GUEST_PANICKED, ...), and one that is only there while QEMU runs, and after it was killed. */
#define GUEST_PANIC ".panic"
#define GUEST_NEXT ".next"

/* What a command line starts. */
enum guest_kind {
	GUEST_NONE,       /* no QEMU: what has QEMU's command line among its own words, such as a shell */
	GUEST_PROBE,      /* a QEMU that boots nothing: -version, -machine none, -device help */
	GUEST_NO_PLUGINS, /* a QEMU that was built without plugins */
	GUEST_KVM,        /* a QEMU whose guest's code runs on the processor itself: no plugin sees it */
	GUEST_BOOT,       /* a QEMU that boots something */
};

/* The options of the action. */
extern const struct option_spec guest_table[];

/* Reads the words of --run behind "guest". As action_parse. */
int guest_parse(struct action *action, const struct strv *words, struct buf *err);

/* exe: the program's file, NULL when unknown; argv: its words. */
enum guest_kind guest_look(const char *exe, const struct strv *argv);

/* True when QEMU goes on in another process than was started, so that nobody hears how it ends (-daemonize). */
bool guest_goes_on(const struct strv *argv);

/* The file to write, added to `path` as an absolute name: QEMU may be in another directory. 0, -ENOMEM, or -errno. */
int guest_output(const struct action *action, const struct template_values *values, struct buf *path);

/*
 * The words that a picked QEMU gets behind the first *keep ones of its own argv. A relative name of the output is taken
 * from our directory. 0, -ENOMEM, or -errno.
 */
int guest_args(const struct action *action, const struct template_values *values, const struct strv *argv, size_t *keep,
               struct strv *args);

#endif
