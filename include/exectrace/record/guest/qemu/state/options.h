/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options behind `-plugin exectrace-guest.so`: words NAME=VALUE. */
#ifndef EXECTRACE_RECORD_GUEST_QEMU_STATE_OPTIONS_H
#define EXECTRACE_RECORD_GUEST_QEMU_STATE_OPTIONS_H

#include <exectrace/base/buf.h>
#include <exectrace/format/gate/config.h>
#include <exectrace/record/guest/core/output.h>
#include <stdbool.h>
#include <stddef.h>

enum plugin_clock { PLUGIN_CLOCK_DEFAULT, PLUGIN_CLOCK_INSN, PLUGIN_CLOCK_TSC };

/* Where the guest's registers are had from: QEMU's own state; QEMU's interface for plugins; nowhere. */
enum plugin_registers { PLUGIN_REGISTERS_ON, PLUGIN_REGISTERS_ASKED, PLUGIN_REGISTERS_OFF };

#define PLUGIN_RING_MIN (64u << 10) /* bytes of a flight recorder */

struct plugin_options {
	const char *out;         /* the file; words of argv */
	struct output_dir dir;   /* of out and panic; not known: any */
	const char *panic;       /* a file that is made when the guest's kernel panics; NULL: none */
	const char *symbols;     /* a vmlinux or System.map of the guest's kernel; NULL: none */
	const char *root;        /* a directory with the guest's files; NULL: none */
	enum plugin_clock clock; /* not the default one */
	bool user;               /* calls of programs, not of the kernel only */
	bool linux_kernel;       /* it is looked for; false: all calls are told by their addresses, from the first on */
	enum plugin_registers registers; /* the best that may be used */
	bool stats;                      /* the checks are printed at the end */
	uint64_t ring;                   /* bytes of the file, of which the last ones are kept; 0: all */
	struct control_config control;
	struct strv args;    /* functions whose arguments and results are recorded */
	unsigned args_depth; /* levels of structures behind them */
};

/* Reads them. 0; -EINVAL, or -ENOMEM, with what is wrong in err. Release what there is in any case. */
int plugin_options_parse(struct plugin_options *o, int argc, const char *const *argv, struct buf *err);

void plugin_options_release(struct plugin_options *o);

#endif
