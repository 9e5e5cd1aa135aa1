/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin knows: of QEMU, of its guest, of each of its vCPUs. Hooks and callbacks find it here, and leave here
 * what they have found. What is behind a lock says so.
 */
#ifndef EXECTRACE_RECORD_GUEST_QEMU_STATE_STATE_H
#define EXECTRACE_RECORD_GUEST_QEMU_STATE_STATE_H

#include <exectrace/format/gate/outcome.h>
#include <exectrace/record/guest/api/qemu.h>
#include <exectrace/record/guest/api/register_api.h>
#include <exectrace/record/guest/api/register_scan.h>
#include <exectrace/record/guest/core/drain.h>
#include <exectrace/record/guest/core/functions.h>
#include <exectrace/record/guest/core/ram.h>
#include <exectrace/record/guest/core/ring.h>
#include <exectrace/record/guest/core/stacks.h>
#include <exectrace/record/guest/linux/arguments.h>
#include <exectrace/record/guest/linux/descriptors.h>
#include <exectrace/record/guest/linux/hostfile.h>
#include <exectrace/record/guest/linux/interrupts.h>
#include <exectrace/record/guest/linux/kernel.h>
#include <exectrace/record/guest/linux/messages.h>
#include <exectrace/record/guest/linux/modules.h>
#include <exectrace/record/guest/linux/pages.h>
#include <exectrace/record/guest/linux/programs.h>
#include <exectrace/record/guest/linux/types.h>
#include <exectrace/record/guest/qemu/state/options.h>
#include <pthread.h>

#define VCPUS_MAX DRAIN_CPUS

/* Of the kernel's stack pointer, where it has to be had from what is written and read (sp_from_stores.c). */
struct pushes {
	uint64_t slot;                    /* where a call has put its return address last */
	bool fresh;                       /* what it has called has not begun */
	bool armed;                       /* a call is being executed */
	uint64_t held;                    /* an interrupt came then: the slot; 0: it did not */
	const struct function *interrupt; /* that begins, and has not used its stack */
};

/* One vCPU. Its callbacks run in one thread at a time. */
struct vcpu {
	struct track track;
	struct ring ring;
	const uint64_t *counter;   /* instructions; NULL: the time stamp counter is the clock */
	const uint64_t *registers; /* the 16 general ones, in QEMU's own state; NULL: not known */
	void *cpu;                 /* QEMU's, for its memory */
	const void *armed;         /* the call site that is being executed */
	struct pushes pushes;
	struct {
		uint64_t slot, process; /* of the last call of a stub that leads to the dynamic linker; 0: none */
	} unbound;
	struct descriptors descriptors;
	uint8_t takes_descriptors[512]; /* by the number of a system call, for hooks/calls.c */
	uint64_t next_sync;             /* position in the ring from which on the clocks are compared again */
};

/* Where in QEMU's own state of a CPU the memory callbacks are that may outlive their block (qemu72_callbacks.c). */
struct qemu72_callbacks {
	size_t offset;  /* 0: not known */
	unsigned looks; /* left */
};

#define STALE_LOOKS 64

/* What the kernel logs. */
struct messages {
	pthread_mutex_t lock; /* of what follows */
	struct message_open open;
	uint64_t log; /* address of the variable that has the ring buffer in use; 0: not looked for yet, or there is
	                 none */
	bool looked;
};

struct past;
struct site;

struct plugin {
	qemu_id_t id;
	struct qemu qemu;
	struct plugin_options options;
	struct functions functions;
	struct stacks stacks;
	struct drain drain;
	struct vcpu *vcpus[VCPUS_MAX];
	pthread_mutex_t lock; /* of what follows: translation */
	struct ram ram;
	struct kernel kernel;
	struct types types;
	struct modules modules;
	struct pages pages;
	struct programs programs;
	struct registers registers;
	struct qemu72_callbacks stale;
	struct register_api asked;       /* while `blind` */
	struct past *past;               /* what was known before the guest booted again */
	_Atomic uint32_t processes;      /* how often a task was made, or has begun another program */
	_Atomic uint64_t renamed;        /* how often the guest has mounted or renamed anything */
	struct messages messages;        /* has its own lock */
	struct output output;            /* the file, and ... */
	struct output panic;             /* ... what tells how the guest went; dir is negative: nothing */
	enum guest_outcome outcome;      /* that it tells */
	struct origin *user;             /* code of programs whose file is not known */
	struct origin *guest;            /* all code, while `plain`; NULL: it was never */
	struct kernel_file names;        /* for that, out of a file */
	bool plain;                      /* the guest's kernel is none that is known (unknown_kernel.c) */
	const struct function *filtered; /* stands for calls that are left out; NULL: none are */
	bool lists;                      /* of functions or modules: others are not called back for */
	bool elsewhere;                  /* with them: calls may end wherever any function returns, ... */
	bool astray;                     /* ... and where they do cannot be known */
	unsigned again;                  /* with them: how often all was translated again */
	unsigned args_again;             /* how often all was translated again for arguments */
	bool gated;                      /* there are other rules */
	bool blind;                      /* QEMU's registers cannot be had */
	const struct function *firmware, *loader, *phase; /* what runs before the kernel; the one translated last */
	bool loading;                                     /* the loader has begun */
	bool looked;                                      /* what there was before the first block is known */
	bool leaving;                                     /* the kernel gives way to another, by kexec(8) */
	struct site *sites;
	struct qemu_scoreboard *score; /* of instruction counters */
	uint64_t counter;              /* where there is no scoreboard */
	bool count;                    /* instructions are the clock */
	uint32_t cpus;                 /* vCPUs there are at first */
	bool begun;                    /* the file is open, the thread runs */
	bool failed;                   /* that was not possible */
};

/* The one plugin. QEMU's callbacks carry nothing that could lead to it; set once, before any of them. */
extern struct plugin *the_plugin;

static inline struct plugin *plugin_self(void)
{
	return the_plugin;
}

#endif
