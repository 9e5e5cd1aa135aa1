/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parking: a new program is left before its first instruction, attached to nobody, and without a stop that its parent
 * could see.
 *
 *   PARK_CALL   the instruction before the entry point is made a system call that the caller's seccomp filter answers
 * late. The program counter then stands at the entry point when the call is answered. PARK_SLEEP  (no filter) the same
 * place holds rt_sigtimedwait for no signal, and the entry point a jump to itself, which is reached when a tracer's
 * attach interrupts the call. PARK_LOOP   only the jump: where nothing is mapped before the entry point.
 *
 * A struct park is plain data, so that another process can undo it (the keeper).
 */
#ifndef EXECTRACE_TRACEE_PARK_H
#define EXECTRACE_TRACEE_PARK_H

#include <exectrace/tracee/ptrace.h>
#include <stdbool.h>

#define PARK_BYTES_MAX (2 * ARCH_INSN_MAX)

enum park_kind { PARK_NONE, PARK_CALL, PARK_SLEEP, PARK_LOOP };

struct park {
	pid_t tid;
	enum park_kind kind;
	remote_addr_t addr;           /* of the first changed byte */
	uint8_t len;                  /* changed bytes */
	uint8_t old[PARK_BYTES_MAX];  /* what was there */
	uint8_t stub[PARK_BYTES_MAX]; /* what is there now */
};

/* Plans the park of a thread stopped at the end of its execve: reads the old bytes, changes nothing. 0 or -errno. */
int park_plan(struct park *park, pid_t tid, const struct regs *regs, enum park_kind kind);

/* Writes the stub. 0 or -errno. */
int park_write(const struct park *park);

/* Sets the registers so that the thread runs into the stub. 0 or -errno. */
int park_enter(const struct park *park, struct regs *regs);

/* Puts the old bytes back, if the stub is still there. 0 or -errno; -ESRCH when thread or stub are gone. */
int park_restore(const struct park *park);

/* Wakes a thread that sleeps in a restored PARK_SLEEP, when no tool's attach has: by attaching for a moment. 0 or
 * -errno. */
int park_kick(pid_t tid);

/*
 * Ends the park of a thread wherever it is, before its stub, in it, or asleep, by attaching for a moment; for who does
 * not know, because the one who parked it died. 0 or -errno; -ESRCH when thread or stub are gone. While a tool is
 * attached only the old bytes are put back: it sleeps in a PARK_SLEEP by then, and the tool's attach has woken it.
 */
int park_undo(const struct park *park);

#endif
